// What a filter is asked about.
#pragma once

#include <optional>

#include "proto/base/clock.h"
#include "proto/capture/records.h"

namespace dstap::filter {

// One record of a call, with what stands around it.
//
// Ownership: owns nothing.
struct Subject {
  const capture::CallRecord& call;
  const v1::Source* source = nullptr;   // Null: not known.
  const v1::StepBegin* step = nullptr;  // Null: none.
  // The instant it is asked at: a call that has no answer by then has waited until then. Absent: a
  // call without an answer has waited for as long as its record says.
  std::optional<Time> now = std::nullopt;
};

}  // namespace dstap::filter
