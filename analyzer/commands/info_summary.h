// What a capture holds, counted in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/capture/capture_reader.h"
#include "proto/capture/totals.h"

namespace dstap::analyzer {

// One recording of a file; a file of one command has one.
struct RecordingSummary {
  v1::Header header;  // Without the descriptor set.
  std::map<uint32_t, v1::Source> sources;
  std::map<uint32_t, uint32_t> players;            // By source, the latest count.
  std::map<v1::Method, uint64_t> calls_by_method;  // Each call once.
  std::map<std::string, uint64_t> steps;           // By name.
  uint64_t steps_failed = 0;
  std::map<v1::NoticeKind, uint64_t> notices;
  std::map<v1::FaultKind, uint64_t> faults;
  capture::Totals totals;
  std::vector<std::string> made_from;  // In words: the rows Provenance.
  Time last{};                         // The latest time in it.
  std::optional<v1::End> end;
};

struct FileSummary {
  std::vector<RecordingSummary> recordings;
  capture::Ending ending = capture::Ending::kClosed;
  uint64_t bytes = 0;
  uint64_t torn_bytes = 0;
  uint64_t unknown_fields = 0;
  uint64_t damaged_places = 0;
  uint64_t bytes_skipped = 0;

  uint64_t calls() const;
};

// Reads all of `reader`.
//
// Limits: memory grows with the sources and step names, and with the calls in flight.
Result<FileSummary> Summarize(capture::CaptureReader& reader);

}  // namespace dstap::analyzer
