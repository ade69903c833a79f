#include "analyzer/rewrite/trim.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/capture/rewrite_writer.h"
#include "proto/capture/standing_rows.h"

namespace dstap::analyzer {
namespace {

using capture::RecordingReader;
using capture::StandingRow;
using capture::StandingRows;

std::string Counted(uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// The second pass.
class Trimmer {
 public:
  Trimmer(TrimPlan plan, ByteSink& to, const TrimOptions& options)
      : plan_(std::move(plan)),
        options_(options),
        selection_(options.step, options.filter ? &*options.filter : nullptr),
        writer_(to, {.tick_ns = plan_.tick_ns}) {}

  Status Add(const RecordingReader::Item& item) {
    selection_.Add(item.record);
    if (item.begins) {
      DSTAP_TRY(EndRecording());
      return BeginRecording(item.record.row->header());
    }
    return item.record.call != nullptr ? AddCall(*item.record.call)
                                       : AddRow(item.record.time, *item.record.row);
  }

  Status Finish() { return EndRecording(); }

  bool is_done() const { return plan_.in_flight.asked() == plan_.in_flight.records(); }
  const TrimResult& result() const { return result_; }

 private:
  struct End {
    Time time{};
    v1::EndReason reason = v1::END_REASON_UNKNOWN;
    std::string text = "cut from a recording without an end";
  };

  const RecordingPlan& plan() const { return plan_.recordings[recording_ - 1]; }

  Status BeginRecording(const v1::Header& header) {
    if (++recording_ > plan_.recordings.size()) {
      return {ErrorCode::kRead, "changed while it was read"};
    }
    is_open_ = true;
    DSTAP_TRY_ASSIGN(range_, TrimRange::Of(options_, header));
    standing_ = StandingRows();
    is_in_range_ = false;
    other_steps_.clear();
    end_.reset();
    last_ = {};
    calls_dropped_ = rows_seen_ = rows_kept_ = 0;
    return writer_.Begin(header);
  }

  bool IsSelected(const capture::CallRecord& call) const {
    if (call.outcome != v1::OUTCOME_IN_FLIGHT) return selection_.is_selected();
    return selection_.selects_all() || plan().never_answered.contains(call.id);
  }

  Status AddCall(const capture::CallRecord& call) {
    if (!is_in_range_) standing_.Apply(call);
    if (!plan_.in_flight.Stays(call)) return {};
    last_ = std::max(last_, call.issued);
    if (!range_.Has(call.issued) || !IsSelected(call)) {
      ++calls_dropped_;
      return {};
    }
    DSTAP_TRY(EnterRange());
    ++result_.calls_kept;
    return writer_.Add(call);
  }

  Status AddRow(Time time, const v1::Row& row) {
    last_ = std::max(last_, time);
    if (row.has_index()) return {};
    if (row.has_end()) {
      end_ = End{time, row.end().reason(), row.end().text()};
      return {};
    }
    ++rows_seen_;
    if (row.has_provenance()) return Keep(time, row);
    const auto named = plan().named.find(CallNamedBy(row));
    if (named != plan().named.end()) {
      if (!named->second) return {};
      DSTAP_TRY(EnterRange());
      return Keep(time, row);
    }
    if (!is_in_range_ && time < range_.from) {
      standing_.Apply(time, row);
      return {};
    }
    DSTAP_TRY(EnterRange());
    if (time >= range_.to) return {};
    // Behind its time: only what still stands is of interest.
    if (time < range_.from && !StandingRows::Stands(row)) return {};
    return AddSelected(time, row);
  }

  // What stands when the range begins, before all that is in it.
  Status EnterRange() {
    if (std::exchange(is_in_range_, true)) return {};
    for (StandingRow& standing : standing_.Rows()) {
      // The calls that such faults are about were issued before the range.
      if (CallNamedBy(standing.row) != 0) continue;
      DSTAP_TRY(AddSelected(standing.time, standing.row));
    }
    return {};
  }

  Status AddSelected(Time time, const v1::Row& row) {
    if (row.has_step_end() && other_steps_.erase(row.step_end().id()) > 0) return {};
    if (!row.has_step_begin()) return Keep(time, row);
    const v1::StepBegin& step = row.step_begin();
    if (options_.step && step.name() != *options_.step) {
      other_steps_.insert(step.id());
      return {};
    }
    const bool is_cut = time < range_.from || plan().steps_cut.contains(step.id());
    if (!is_cut && !options_.filter) return Keep(time, row);
    v1::Row marked = row;
    marked.mutable_step_begin()->set_partial(true);
    return Keep(time, marked);
  }

  Status Keep(Time time, const v1::Row& row) {
    ++rows_kept_;
    return writer_.AddRow(time, row);
  }

  Status EndRecording() {
    if (!std::exchange(is_open_, false)) return {};
    DSTAP_TRY(EnterRange());
    const uint64_t rows_dropped = rows_seen_ - rows_kept_;
    result_.calls_dropped += calls_dropped_;
    result_.rows_dropped += rows_dropped;
    result_.was_unfinished = result_.was_unfinished || !end_;
    const Time time = std::clamp(end_ ? end_->time : last_, Time(), range_.to);
    v1::Row row;
    *row.mutable_provenance() = ProvenanceOf(rows_dropped);
    DSTAP_TRY(writer_.AddRow(time, std::move(row)));
    const End end = end_.value_or(End());
    return writer_.End(time, end.reason, end.text);
  }

  v1::Provenance ProvenanceOf(uint64_t rows_dropped) const {
    v1::Provenance made;
    made.set_command("trim");
    made.set_input(options_.input);
    const auto add = [&made](std::string_view name, const std::string& value) {
      v1::Option& option = *made.add_options();
      option.set_name(std::string(name));
      option.set_value(value);
    };
    std::string text = "calls";
    if (options_.from || options_.to) text += " issued";
    if (options_.from) {
      add("from", options_.from->text);
      text += " from " + options_.from->text;
    }
    if (options_.to) {
      add("to", options_.to->text);
      text += " to " + options_.to->text;
    }
    if (options_.step) {
      add("step", *options_.step);
      text += " of step " + *options_.step;
    }
    if (options_.filter) {
      add("filter", options_.filter->text());
      text += " with " + options_.filter->text();
    }
    made.set_calls_dropped(calls_dropped_);
    made.set_rows_dropped(rows_dropped);
    made.set_unfinished(!end_);
    text += fmt::format(
        ", of {}; {} and {} left out", options_.input.empty() ? "standard input" : options_.input,
        Counted(calls_dropped_, "call", "calls"), Counted(rows_dropped, "row", "rows"));
    if (!end_) text += "; it had no end";
    made.set_text(text);
    return made;
  }

  TrimPlan plan_;
  const TrimOptions& options_;
  CallSelection selection_;
  capture::RewriteWriter writer_;
  TrimResult result_;

  // Of the recording at hand.
  size_t recording_ = 0;  // From 1.
  bool is_open_ = false;
  TrimRange range_;
  StandingRows standing_;  // Up to the range.
  bool is_in_range_ = false;
  std::unordered_set<uint64_t> other_steps_;  // Open, and not of the name asked for.
  std::optional<End> end_;
  Time last_{};
  uint64_t calls_dropped_ = 0;
  uint64_t rows_seen_ = 0;
  uint64_t rows_kept_ = 0;
};

}  // namespace

Result<TrimResult> Trim(const capture::OpenSource& open, ByteSink& to, const TrimOptions& options) {
  DSTAP_TRY_ASSIGN(TrimPlan plan, PlanTrim(open, options));
  Trimmer trimmer(std::move(plan), to, options);
  DSTAP_TRY_ASSIGN(RecordingReader reader, RecordingReader::Open(open));
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, reader.Next());
    if (!item) break;
    DSTAP_TRY(trimmer.Add(*item));
  }
  DSTAP_TRY(trimmer.Finish());
  if (!trimmer.is_done()) {
    return Status(ErrorCode::kRead, "changed while it was read; is it still being recorded?");
  }
  TrimResult result = trimmer.result();
  result.unknown_fields = reader.reader().unknown_fields();
  return result;
}

}  // namespace dstap::analyzer
