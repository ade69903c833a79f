#include "analyzer/commands/info_summary.h"

#include <algorithm>
#include <utility>

namespace dstap::analyzer {
namespace {

void AddCall(const capture::CallRecord& call, RecordingSummary& out) {
  const uint64_t before = out.totals.calls();
  out.totals.AddCall(call.id, call.outcome == v1::OUTCOME_IN_FLIGHT);
  if (out.totals.calls() != before) ++out.calls_by_method[call.method];
  out.last = std::max(out.last, call.completed.value_or(call.issued));
}

void AddSource(const v1::Source& source, RecordingSummary& out) {
  out.sources[source.id()] = source;
  if (source.has_players()) out.players[source.id()] = source.players();
}

void AddRow(const v1::Row& row, Time time, RecordingSummary& out) {
  out.last = std::max(out.last, time);
  if (row.has_end()) {
    out.end = row.end();
    return;
  }
  if (row.has_index()) return;
  out.totals.AddRow(row);
  switch (row.kind_case()) {
    case v1::Row::kSource:
      return AddSource(row.source(), out);
    case v1::Row::kStepBegin:
      ++out.steps[row.step_begin().name()];
      return;
    case v1::Row::kStepEnd:
      out.steps_failed += row.step_end().ok() ? 0 : 1;
      return;
    case v1::Row::kPlayerCount:
      out.players[row.player_count().source()] = row.player_count().players();
      return;
    case v1::Row::kNotice:
      ++out.notices[row.notice().kind()];
      return;
    case v1::Row::kInjectedFault:
      ++out.faults[row.injected_fault().kind()];
      return;
    case v1::Row::kProvenance:
      out.made_from.push_back(row.provenance().command() + ": " + row.provenance().text());
      return;
    default:
      return;
  }
}

}  // namespace

uint64_t FileSummary::calls() const {
  uint64_t calls = 0;
  for (const RecordingSummary& recording : recordings) calls += recording.totals.calls();
  return calls;
}

Result<FileSummary> Summarize(capture::CaptureReader& reader) {
  FileSummary out;
  uint64_t number = 0;
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<capture::Record> record, reader.Next());
    if (!record) break;
    const bool begins = record->row != nullptr && record->row->has_header();
    // Its Header may be what is damaged.
    if (std::exchange(number, reader.recording()) != reader.recording() || begins) {
      out.recordings.emplace_back();
    }
    RecordingSummary& recording = out.recordings.back();
    if (begins) {
      recording.header = record->row->header();
      recording.header.clear_descriptor_set();
    }
    if (record->call != nullptr) {
      AddCall(*record->call, recording);
    } else {
      AddRow(*record->row, record->time, recording);
    }
  }
  out.ending = reader.ending();
  out.bytes = reader.bytes_read();
  out.torn_bytes = reader.torn_bytes();
  out.unknown_fields = reader.unknown_fields();
  out.damaged_places = reader.skipped().size();
  for (const capture::SkippedRange& range : reader.skipped()) {
    out.bytes_skipped += range.end - range.begin;
  }
  return out;
}

}  // namespace dstap::analyzer
