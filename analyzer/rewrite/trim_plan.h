// What must be known of a whole capture before it is cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/rewrite/call_selection.h"
#include "analyzer/rewrite/cut_time.h"
#include "proto/capture/format.h"
#include "proto/capture/in_flight_records.h"
#include "proto/capture/recording_reader.h"
#include "proto/filter/filter.h"

namespace dstap::analyzer {

struct TrimOptions {
  std::optional<CutTime> from;  // Absent: from the beginning,
  std::optional<CutTime> to;    // to the end.
  std::optional<std::string> step;
  std::optional<filter::Filter> filter;
  std::string input;  // Name of the file, without folders.
};

// Instants of a recording: `to` is the first that is out again.
struct TrimRange {
  Time from{};
  Time to = Time::max();

  bool Has(Time time) const { return from <= time && time < to; }

  // kUsage: nothing lies between the two, or a date does not fit the recording.
  static Result<TrimRange> Of(const TrimOptions& options, const v1::Header& header);
};

// The call that a row is about, or 0.
uint64_t CallNamedBy(const v1::Row& row);

struct RecordingPlan {
  // Steps that began before the range's end and ended after it.
  std::unordered_set<uint64_t> steps_cut;
  // Of calls that were never answered: those that are selected.
  std::unordered_set<uint64_t> never_answered;
  // Of calls that rows are about: whether they are kept. A row stays with its call.
  std::unordered_map<uint64_t, bool> named;
};

struct TrimPlan {
  capture::InFlightRecords in_flight;
  std::vector<RecordingPlan> recordings;
  int64_t tick_ns = capture::kTickNs;
};

// One pass over the file.
//
// Errors: those of RecordingReader and TrimRange; kNotFound: no step has the name.
// Limits: memory grows with the calls and steps that are open at one time, the calls that were
//         never answered, and those that a fault or a notice is about.
Result<TrimPlan> PlanTrim(const capture::OpenSource& open, const TrimOptions& options);

}  // namespace dstap::analyzer
