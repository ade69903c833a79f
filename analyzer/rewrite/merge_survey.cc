#include "analyzer/rewrite/merge_survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "proto/capture/rewrite_writer.h"

namespace dstap::analyzer {
namespace {

using capture::RecordingReader;

class Surveyor {
 public:
  Surveyor(MergeSurvey& survey, size_t input, const std::string& name)
      : survey_(survey), input_(input), name_(name) {}

  void Add(const RecordingReader::Item& item) {
    if (item.begins) Begin(item.record.row->header());
    if (!capture::HasWholeTicks(item.record)) survey_.tick_ns = 1;
    MergeRecording& recording = survey_.recordings.back();
    if (item.record.call == nullptr) return AddRow(item.record.time, *item.record.row, recording);
    recording.calls_max = std::max(recording.calls_max, item.record.call->id);
    recording.faults_max = std::max(recording.faults_max, item.record.call->fault);
    AddSource(item.record.call->source, recording);
  }

  void End() {
    if (starts_.empty() || survey_.recordings.empty()) return;
    // The machine's date moves against the recording's time; the middle of what was seen of it.
    std::ranges::sort(starts_);
    survey_.recordings.back().start_unix_ns = starts_[starts_.size() / 2];
    starts_.clear();
  }

 private:
  static constexpr size_t kSnapshotsMax = 10'000;

  void Begin(const v1::Header& header) {
    End();
    MergeRecording& recording = survey_.recordings.emplace_back();
    recording.input = input_;
    recording.number = ++number_;
    recording.name = number_ == 1 ? name_ : fmt::format("{} (recording {})", name_, number_);
    recording.header = header;
    recording.header.clear_descriptor_set();
    recording.start_unix_ns = header.start_unix_ns();
  }

  static void AddSource(uint32_t source, MergeRecording& recording) {
    if (source != 0 && !recording.sources.contains(source)) recording.sources.insert(source);
  }

  void AddRow(Time time, const v1::Row& row, MergeRecording& recording) {
    if (row.has_source()) AddSource(row.source().id(), recording);
    if (row.has_end()) recording.end = row.end();
    if (row.has_step_begin()) {
      recording.steps_max = std::max(recording.steps_max, row.step_begin().id());
      AddSource(row.step_begin().source(), recording);
    }
    if (row.has_step_end())
      recording.steps_max = std::max(recording.steps_max, row.step_end().id());
    if (row.has_notice()) {
      recording.calls_max = std::max(recording.calls_max, row.notice().call());
      AddSource(row.notice().source(), recording);
    }
    if (row.has_injected_fault()) {
      recording.faults_max = std::max(recording.faults_max, row.injected_fault().id());
      recording.calls_max = std::max(recording.calls_max, row.injected_fault().call());
      AddSource(row.injected_fault().source(), recording);
    }
    if (row.has_budget_sample()) AddSource(row.budget_sample().source(), recording);
    if (row.has_limits()) AddSource(row.limits().source(), recording);
    if (row.has_player_count()) AddSource(row.player_count().source(), recording);
    if (row.has_clock_snapshot()) {
      AddSource(row.clock_snapshot().source(), recording);
      int64_t start = 0;
      if (starts_.size() < kSnapshotsMax && row.clock_snapshot().unix_ns() > 0 &&
          !__builtin_sub_overflow(row.clock_snapshot().unix_ns(), time.count(), &start)) {
        starts_.push_back(start);
      }
    }
    if (row.has_message_event()) AddMessage(time, row.message_event(), recording);
  }

  static void AddMessage(Time time, const v1::MessageEvent& event, MergeRecording& recording) {
    AddSource(event.source(), recording);
    recording.messages_max = std::max(recording.messages_max, event.message());
    if (event.message() == 0) return;
    std::map<MessageKey, Time>* to = nullptr;
    if (event.kind() == v1::MESSAGE_EVENT_KIND_PUBLISHED) to = &recording.published;
    if (event.kind() == v1::MESSAGE_EVENT_KIND_DELIVERED) to = &recording.delivered;
    if (to != nullptr && to->size() < MergeSurvey::kMessagesMax) {
      to->try_emplace({event.topic(), event.message()}, time);
    }
  }

  MergeSurvey& survey_;
  size_t input_;
  const std::string& name_;
  uint64_t number_ = 0;
  std::vector<int64_t> starts_;  // As the clock snapshots of the recording at hand have it.
};

Status Survey(const MergeInput& input, size_t index, MergeSurvey& survey) {
  DSTAP_TRY_ASSIGN(RecordingReader reader, RecordingReader::Open(input.open));
  Surveyor surveyor(survey, index, input.name);
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, reader.Next());
    if (!item) break;
    surveyor.Add(*item);
  }
  surveyor.End();
  survey.unknown_fields += reader.reader().unknown_fields();
  return {};
}

}  // namespace

Result<MergeSurvey> SurveyForMerge(const std::vector<MergeInput>& inputs) {
  MergeSurvey survey;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (Status status = Survey(inputs[i], i, survey); !status.ok()) {
      return std::move(status).At(inputs[i].name);
    }
  }
  return survey;
}

std::vector<SharedMessage> FindSharedMessages(const std::vector<MergeRecording>& recordings) {
  std::map<MessageKey, std::optional<size_t>> publishers;  // Absent: several.
  for (size_t i = 0; i < recordings.size(); ++i) {
    for (const auto& [key, time] : recordings[i].published) {
      const auto [at, is_new] = publishers.try_emplace(key, i);
      if (!is_new) at->second.reset();
    }
  }
  std::vector<SharedMessage> shared;
  for (size_t i = 0; i < recordings.size(); ++i) {
    for (const auto& [key, time] : recordings[i].delivered) {
      const auto publisher = publishers.find(key);
      if (publisher == publishers.end() || !publisher->second || *publisher->second == i) continue;
      shared.push_back({key, *publisher->second, i});
    }
  }
  return shared;
}

}  // namespace dstap::analyzer
