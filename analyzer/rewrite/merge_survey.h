// What must be known of captures before they are merged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/rewrite/clock_alignment.h"
#include "proto/capture/format.h"
#include "proto/capture/recording_reader.h"

namespace dstap::analyzer {

struct MergeInput {
  std::string name;  // As it is printed: without folders.
  capture::OpenSource open;
};

// A message is known by its topic and its number.
using MessageKey = std::pair<std::string, uint64_t>;

// One recording of one input.
struct MergeRecording {
  size_t input = 0;
  uint64_t number = 1;  // From 1 in its file.
  std::string name;     // "a.dstap", "a.dstap (recording 2)".
  v1::Header header;    // Without the descriptor set.
  // Unix nanoseconds at its time 0: the header's, or what its clock snapshots say.
  int64_t start_unix_ns = 0;
  std::set<uint32_t> sources;
  uint64_t calls_max = 0;  // Highest id; likewise for the others.
  uint64_t steps_max = 0;
  uint64_t faults_max = 0;
  uint64_t messages_max = 0;
  // The first of each, up to kMessagesMax.
  std::map<MessageKey, Time> published;
  std::map<MessageKey, Time> delivered;
  std::optional<v1::End> end;
};

struct MergeSurvey {
  // Messages of one recording that are followed, each way.
  static constexpr size_t kMessagesMax = 100'000;

  std::vector<MergeRecording> recordings;
  int64_t tick_ns = capture::kTickNs;
  uint64_t unknown_fields = 0;
};

// One pass over each input.
//
// Errors: those of RecordingReader, with the input's name.
// Limits: kMessagesMax.
Result<MergeSurvey> SurveyForMerge(const std::vector<MergeInput>& inputs);

// A message that one recording published and another one delivered. Only a number that one
// recording alone published is believed to be the same message elsewhere: recorders that count from
// 1 use each number again.
struct SharedMessage {
  MessageKey key;
  size_t publisher = 0;  // Index of the recording.
  size_t receiver = 0;
};
std::vector<SharedMessage> FindSharedMessages(const std::vector<MergeRecording>& recordings);

}  // namespace dstap::analyzer
