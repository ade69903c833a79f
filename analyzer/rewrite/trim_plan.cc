#include "analyzer/rewrite/trim_plan.h"

#include <fmt/format.h>

#include <utility>

#include "proto/base/escape.h"
#include "proto/capture/rewrite_writer.h"

namespace dstap::analyzer {
namespace {

using capture::RecordingReader;

class Planner {
 public:
  explicit Planner(const TrimOptions& options)
      : options_(options), selection_(options.step, options.filter ? &*options.filter : nullptr) {}

  Status Add(const RecordingReader::Item& item) {
    const capture::Record& record = item.record;
    selection_.Add(record);
    if (item.begins) {
      EndRecording();
      plan_.recordings.emplace_back();
      plan_.in_flight.BeginRecording();
      DSTAP_TRY_ASSIGN(range_, TrimRange::Of(options_, record.row->header()));
    }
    if (!capture::HasWholeTicks(record)) plan_.tick_ns = 1;
    if (record.call != nullptr) {
      AddCall(*record.call);
    } else {
      AddRow(record.time, *record.row);
    }
    return {};
  }

  Result<TrimPlan> Take() {
    selection_.EndFile();
    EndRecording();
    plan_.in_flight.Done();
    if (!options_.step || selection_.has_step()) return std::move(plan_);
    std::string names;
    for (const std::string& name : selection_.step_names()) {
      names += (names.empty() ? "" : ", ") + Escape(name);
    }
    return Status(ErrorCode::kNotFound,
                  fmt::format("no step is named \"{}\"; there {}", Escape(*options_.step),
                              names.empty() ? "are none" : "are " + names));
  }

 private:
  // What is known of a call that a row is about.
  struct Named {
    std::optional<bool> is_in_range;  // A record of it in flight was seen.
    std::optional<bool> is_kept;      // Its outcome was seen.
  };

  void AddCall(const capture::CallRecord& call) {
    plan_.in_flight.Add(call);
    const auto named = named_.find(call.id);
    if (named == named_.end()) return;
    const bool is_in_range = range_.Has(call.issued);
    if (call.outcome == v1::OUTCOME_IN_FLIGHT) {
      named->second.is_in_range = is_in_range;
    } else {
      named->second.is_kept = is_in_range && selection_.is_selected();
    }
  }

  void AddRow(Time time, const v1::Row& row) {
    if (const uint64_t call = CallNamedBy(row); call != 0) named_.try_emplace(call);
    if (row.has_step_begin() && time < range_.to) open_steps_.insert(row.step_begin().id());
    if (row.has_step_end() && open_steps_.erase(row.step_end().id()) > 0 && time >= range_.to) {
      plan_.recordings.back().steps_cut.insert(row.step_end().id());
    }
  }

  void EndRecording() {
    if (plan_.recordings.empty()) return;
    RecordingPlan& recording = plan_.recordings.back();
    for (const uint64_t id : selection_.TakeNeverAnswered()) recording.never_answered.insert(id);
    for (const auto& [id, named] : named_) {
      if (named.is_kept) {
        recording.named.emplace(id, *named.is_kept);
      } else if (named.is_in_range) {
        recording.named.emplace(id, *named.is_in_range && (selection_.selects_all() ||
                                                           recording.never_answered.contains(id)));
      }
    }
    named_.clear();
    open_steps_.clear();
  }

  const TrimOptions& options_;
  CallSelection selection_;
  TrimPlan plan_;
  // Of the recording at hand.
  TrimRange range_;
  std::unordered_map<uint64_t, Named> named_;
  std::unordered_set<uint64_t> open_steps_;
};

}  // namespace

Result<TrimRange> TrimRange::Of(const TrimOptions& options, const v1::Header& header) {
  TrimRange range;
  if (options.from) {
    DSTAP_TRY_ASSIGN(range.from, options.from->In(header));
  }
  if (options.to) {
    DSTAP_TRY_ASSIGN(range.to, options.to->In(header));
  }
  if (range.from < range.to) return range;
  return Status(ErrorCode::kUsage, fmt::format("nothing lies between --from {} and --to {}",
                                               options.from ? Escape(options.from->text) : "0s",
                                               options.to ? Escape(options.to->text) : "the end"));
}

uint64_t CallNamedBy(const v1::Row& row) {
  if (row.has_injected_fault()) return row.injected_fault().call();
  return row.has_notice() ? row.notice().call() : 0;
}

Result<TrimPlan> PlanTrim(const capture::OpenSource& open, const TrimOptions& options) {
  Planner planner(options);
  DSTAP_TRY_ASSIGN(RecordingReader reader, RecordingReader::Open(open));
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, reader.Next());
    if (!item) break;
    DSTAP_TRY(planner.Add(*item));
  }
  return planner.Take();
}

}  // namespace dstap::analyzer
