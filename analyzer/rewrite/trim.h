// Cuts a part out of a capture that can be understood without the rest.
#pragma once

#include <cstdint>

#include "analyzer/rewrite/trim_plan.h"
#include "proto/base/byte_sink.h"

namespace dstap::analyzer {

struct TrimResult {
  uint64_t calls_kept = 0;
  uint64_t calls_dropped = 0;  // Each call once.
  uint64_t rows_dropped = 0;
  bool was_unfinished = false;  // The input had no End somewhere.
  uint64_t unknown_fields = 0;  // Of a newer dstap: left out.
};

// Writes to `to` what `options` select of the capture that `open` gives, read twice:
//
// - calls that were issued in the range, whenever they were answered, and that are selected; one
//   record a call;
// - rows whose time is in the range. A row that is about a call (a fault, a notice) stays with it;
// - in front, what stood when the range began: sources, open steps, limits, players, clocks;
// - of several steps, with `step`, those of that name;
// - a row Provenance at the end that says what was cut.
//
// A step that a side of the range cuts, or of which a filter selects calls, is marked as
// partial. Ids and times are those of the input. Each recording is cut by its own clock, and has an
// End.
//
// Errors: those of PlanTrim() and of the sink; kRead when the two passes differ.
Result<TrimResult> Trim(const capture::OpenSource& open, ByteSink& to, const TrimOptions& options);

}  // namespace dstap::analyzer
