// Makes one recording of captures of several servers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/rewrite/merge_survey.h"
#include "proto/base/byte_sink.h"

namespace dstap::analyzer {

// What became of one recording.
struct MergedRecording {
  std::string name;
  // How far its time 0 is behind the merged recording's, and how well that is known: in words.
  std::string clock;
  bool was_unfinished = false;
};

struct MergeResult {
  std::vector<MergedRecording> recordings;
  uint64_t calls = 0;
  std::vector<std::string> warnings;  // What does not fit together.
  uint64_t unknown_fields = 0;        // Of a newer dstap: left out.
};

// Reads each input twice, and once more for each recording in it behind the first. Records keep
// their order within a recording; those of several are put in the order of their times (a call's is
// that of its answer), and at one instant in the order of the inputs. Sources, calls, steps, faults
// and messages get new numbers. The header has what all headers agree on; each recording's own one
// stands in a row Provenance. The result has an End, also when an input has none: that is said in
// the Provenance, and calls without an answer stay in flight.
//
// Recordings on the wall clock are put onto one clock by their dates, which clock snapshots
// correct, and by messages: a delivery is not before its publication. Virtual recordings begin
// together.
//
// Errors: kUsage for clocks of different kinds; kLimit for ids that leave no room; those of
//         RecordingReader with the input's name; those of the sink; kRead when the passes differ.
// Limits: a chunk of each recording in memory, and MergeSurvey's.
Result<MergeResult> Merge(const std::vector<MergeInput>& inputs, ByteSink& to);

}  // namespace dstap::analyzer
