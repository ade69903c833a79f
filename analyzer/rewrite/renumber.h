// Moves records of one recording into another: ids and times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proto/capture/records.h"

namespace dstap::analyzer {

// What is added to the ids and times of a recording. An id that is 0 names nothing, and stays 0.
struct Renumbering {
  uint64_t calls = 0;
  uint64_t steps = 0;
  uint64_t faults = 0;
  uint64_t messages = 0;
  std::map<uint32_t, uint32_t> sources;  // From, to.
  // Messages that another recording published, by topic and number: their new numbers.
  std::map<std::pair<std::string, uint64_t>, uint64_t> shared;
  Time shift{};
};

// `call` as it is in the other recording; `runs` holds its transform runs.
capture::CallRecord Renumbered(const capture::CallRecord& call, const Renumbering& by,
                               std::vector<capture::TransformRun>& runs);

// Ids only: a row's time stands beside it.
void Renumber(const Renumbering& by, v1::Row& row);

}  // namespace dstap::analyzer
