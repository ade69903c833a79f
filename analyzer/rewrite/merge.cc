#include "analyzer/rewrite/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "analyzer/rewrite/merged_header.h"
#include "analyzer/rewrite/renumber.h"
#include "proto/capture/rewrite_writer.h"

namespace dstap::analyzer {
namespace {

using capture::Record;
using capture::RecordingReader;

Status CheckClocks(const std::vector<MergeRecording>& recordings) {
  const MergeRecording& first = recordings.front();
  for (const MergeRecording& other : recordings) {
    if (other.header.clock() == first.header.clock()) continue;
    const bool is_virtual = first.header.clock() == v1::CLOCK_KIND_VIRTUAL;
    return {ErrorCode::kUsage,
            fmt::format("{} keeps {} time and {} another; merge captures of one kind of clock",
                        first.name, is_virtual ? "virtual" : "wall", other.name)};
  }
  return {};
}

// ---------------------------------------------------------------- clocks

std::vector<ClockBound> BoundsOf(const std::vector<MergeRecording>& recordings,
                                 const std::vector<SharedMessage>& messages) {
  std::vector<ClockBound> bounds;
  for (const SharedMessage& message : messages) {
    bounds.push_back({.earlier = message.publisher,
                      .later = message.receiver,
                      .earlier_ns = recordings[message.publisher].published.at(message.key).count(),
                      .later_ns = recordings[message.receiver].delivered.at(message.key).count()});
  }
  return bounds;
}

std::string Seconds(int64_t ns) { return fmt::format("{:.6f} s", static_cast<double>(ns) / 1e9); }

std::string ClockText(const MergeRecording& recording, Time shift, bool is_reference,
                      std::optional<int64_t> uncertainty) {
  std::string text = Seconds(shift.count());
  if (recording.header.clock() == v1::CLOCK_KIND_VIRTUAL) {
    return text + ", virtual time: the clocks were never compared";
  }
  if (is_reference) return text + ", the clock that the others are put onto";
  if (!uncertainty) return text + " by the machines' dates, nobody knows how far off";
  return fmt::format("{}, by messages, at most {} off", text, Seconds(*uncertainty));
}

void Warn(const std::vector<MergeRecording>& recordings, const ClockAlignment& alignment,
          std::vector<std::string>& warnings) {
  for (const ClockAlignment::Contradiction& each : alignment.contradictions) {
    warnings.push_back(fmt::format(
        "messages between {} and {} contradict each other by {}: a clock was set, or numbers of "
        "messages mean different things; they are not used",
        recordings[each.a].name, recordings[each.b].name, Seconds(each.by_ns)));
  }
  if (alignment.has_ring) {
    warnings.emplace_back(
        "messages between three or more captures contradict each other in a "
        "ring; no message is used");
  }
}

// ---------------------------------------------------------------- ids

// Adds a recording's ids to those before it.
Status Take(uint64_t& sum, uint64_t most, const MergeRecording& recording) {
  if (!__builtin_add_overflow(sum, most, &sum)) return {};
  return {ErrorCode::kLimit, fmt::format("{}: its ids go up to {} and leave no room for another's",
                                         recording.name, most)};
}

Result<std::vector<Renumbering>> RenumberingsFor(const std::vector<MergeRecording>& recordings,
                                                 const std::vector<SharedMessage>& shared) {
  std::vector<Renumbering> out(recordings.size());
  Renumbering sum;
  uint32_t last_source = 0;
  bool has_room = true;
  for (size_t i = 0; i < recordings.size(); ++i) {
    const MergeRecording& recording = recordings[i];
    out[i] = {
        .calls = sum.calls, .steps = sum.steps, .faults = sum.faults, .messages = sum.messages};
    for (const uint32_t source : recording.sources) out[i].sources.emplace(source, ++last_source);
    DSTAP_TRY(Take(sum.calls, recording.calls_max, recording));
    DSTAP_TRY(Take(sum.steps, recording.steps_max, recording));
    DSTAP_TRY(Take(sum.faults, recording.faults_max, recording));
    has_room =
        has_room && !__builtin_add_overflow(sum.messages, recording.messages_max, &sum.messages);
  }
  // Numbers that large are drawn, not counted: they are the same message everywhere.
  if (!has_room) {
    for (Renumbering& each : out) each.messages = 0;
    return out;
  }
  for (const SharedMessage& message : shared) {
    out[message.receiver].shared.emplace(message.key,
                                         message.key.second + out[message.publisher].messages);
  }
  return out;
}

// ---------------------------------------------------------------- streams

// The records of one recording of a file, with their place in time.
class Stream {
 public:
  static Result<Stream> Open(const MergeInput& input, const MergeRecording& recording) {
    DSTAP_TRY_ASSIGN(RecordingReader reader, RecordingReader::Open(input.open));
    Stream stream(std::move(reader), recording.number);
    while (stream.reader_.recordings() < recording.number) {
      DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, stream.reader_.Next());
      if (!item) return Status(ErrorCode::kRead, "changed while it was read");
    }
    return stream;
  }

  // Moves to the next record that is not about the file.
  Status Next(Time shift) {
    for (;;) {
      DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, reader_.Next());
      is_at_end_ = !item || reader_.recordings() != number_;
      if (is_at_end_) return {};
      record_ = item->record;
      const v1::Row* row = record_.row;
      const Time time =
          row != nullptr ? record_.time : record_.call->completed.value_or(record_.call->issued);
      // Never back: what stands behind something comes behind it.
      key_ = std::max(key_, time + shift);
      if (row != nullptr && row->has_end()) end_time_ = record_.time + shift;
      if (row == nullptr || !(row->has_index() || row->has_end() || row->has_header())) return {};
    }
  }

  bool is_at_end() const { return is_at_end_; }
  const Record& record() const { return record_; }
  Time key() const { return key_; }
  Time end_time() const { return end_time_; }

 private:
  Stream(RecordingReader reader, uint64_t number) : reader_(std::move(reader)), number_(number) {}

  RecordingReader reader_;
  uint64_t number_;
  Record record_;
  Time key_{};
  Time end_time_{};
  bool is_at_end_ = false;
};

// The streams by the time of their next records. A handful: looking at each is fast enough.
Stream* Earliest(std::vector<Stream>& streams, size_t& index) {
  Stream* best = nullptr;
  for (size_t i = 0; i < streams.size(); ++i) {
    Stream& stream = streams[i];
    if (stream.is_at_end() || (best != nullptr && best->key() <= stream.key())) continue;
    best = &stream;
    index = i;
  }
  return best;
}

Result<Time> WriteAll(const std::vector<MergeInput>& inputs,
                      const std::vector<MergeRecording>& recordings,
                      const std::vector<Renumbering>& by, capture::RewriteWriter& writer) {
  const auto named = [&](size_t i, const Status& status) {
    return Status(status).At(recordings[i].name);
  };
  std::vector<Stream> streams;
  for (size_t i = 0; i < recordings.size(); ++i) {
    Result<Stream> stream = Stream::Open(inputs[recordings[i].input], recordings[i]);
    if (!stream.ok()) return named(i, stream.status());
    streams.push_back(*std::move(stream));
    if (const Status next = streams.back().Next(by[i].shift); !next.ok()) return named(i, next);
  }
  Time last{};
  std::vector<capture::TransformRun> runs;
  size_t i = 0;
  while (Stream* stream = Earliest(streams, i)) {
    last = std::max(last, stream->key());
    const Record& record = stream->record();
    if (record.call != nullptr) {
      DSTAP_TRY(writer.Add(Renumbered(*record.call, by[i], runs)));
    } else {
      v1::Row row = *record.row;
      Renumber(by[i], row);
      DSTAP_TRY(writer.AddRow(record.time + by[i].shift, std::move(row)));
    }
    if (const Status next = stream->Next(by[i].shift); !next.ok()) return named(i, next);
  }
  for (const Stream& stream : streams) last = std::max(last, stream.end_time());
  return last;
}

}  // namespace

Result<MergeResult> Merge(const std::vector<MergeInput>& inputs, ByteSink& to) {
  DSTAP_TRY_ASSIGN(const MergeSurvey survey, SurveyForMerge(inputs));
  const std::vector<MergeRecording>& recordings = survey.recordings;
  if (recordings.empty()) {
    return Status(ErrorCode::kDamaged, "there is no recording in any of the captures");
  }
  DSTAP_TRY(CheckClocks(recordings));
  const bool is_virtual = recordings.front().header.clock() == v1::CLOCK_KIND_VIRTUAL;
  const std::vector<SharedMessage> shared = FindSharedMessages(recordings);
  std::vector<int64_t> starts;
  for (const MergeRecording& each : recordings) starts.push_back(each.start_unix_ns);
  const ClockAlignment alignment =
      AlignClocks(starts, is_virtual ? std::vector<ClockBound>() : BoundsOf(recordings, shared));
  DSTAP_TRY_ASSIGN(std::vector<Renumbering> by, RenumberingsFor(recordings, shared));
  int64_t first = 0;
  for (const ClockOffset& offset : alignment.offsets) first = std::min(first, offset.start_ns);
  // Whole ticks, so that shifted times are, too.
  for (size_t i = 0; i < by.size(); ++i) {
    const int64_t shift = alignment.offsets[i].start_ns - first;
    by[i].shift = Time((shift + survey.tick_ns / 2) / survey.tick_ns * survey.tick_ns);
  }

  MergeResult result;
  result.unknown_fields = survey.unknown_fields;
  Warn(recordings, alignment, result.warnings);
  capture::RewriteWriter writer(to, {.tick_ns = survey.tick_ns});
  DSTAP_TRY(writer.Begin(MergedHeader(recordings, starts.front() + first)));
  for (size_t i = 0; i < recordings.size(); ++i) {
    const MergeRecording& recording = recordings[i];
    std::optional<int64_t> uncertainty = alignment.offsets[i].uncertainty_ns;
    if (is_virtual) uncertainty.reset();
    if (uncertainty && i > 0) *uncertainty += survey.tick_ns;  // Of rounding.
    const MergedRecording& merged = result.recordings.emplace_back(
        MergedRecording{.name = recording.name,
                        .clock = ClockText(recording, by[i].shift, i == 0, uncertainty),
                        .was_unfinished = !recording.end});
    v1::Row row;
    v1::Provenance& made = *row.mutable_provenance();
    made.set_command("merge");
    made.set_input(recording.name);
    made.set_unfinished(!recording.end);
    *made.mutable_header() = recording.header;
    for (const auto& [from, source] : by[i].sources) made.add_sources(source);
    made.set_shift_ns(by[i].shift.count());
    if (uncertainty) made.set_uncertainty_ns(static_cast<uint64_t>(*uncertainty));
    made.set_text(fmt::format("{}, begins at {}{}", merged.name, merged.clock,
                              recording.end ? "" : "; it had no end"));
    DSTAP_TRY(writer.AddRow(Time(), std::move(row)));
  }
  for (const std::string& warning : result.warnings) {
    v1::Row row;
    row.mutable_comment()->set_text(warning);
    DSTAP_TRY(writer.AddRow(Time(), std::move(row)));
  }
  DSTAP_TRY_ASSIGN(const Time last, WriteAll(inputs, recordings, by, writer));
  const v1::End end = MergedEnd(recordings);
  DSTAP_TRY(writer.End(last, end.reason(), end.text()));
  result.calls = writer.totals().calls();
  return result;
}

}  // namespace dstap::analyzer
