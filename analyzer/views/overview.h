// What was read, who is in it, and what a reader of the report must know was not seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"

namespace dstap::analyzer {

// Different texts that are kept for one defect of one recording; the rest is only counted.
inline constexpr size_t kDefectTextsMax = 20;

// Reasons for which one source's limits changed that are kept.
inline constexpr size_t kLimitReasonsMax = 20;

// How often a source's limits changed for one reason.
struct LimitChanges {
  uint64_t count = 0;
  Time first{};
  Time last{};
};

struct SourceInfo {
  uint32_t id = 0;
  std::string name;
  std::string role;
  std::optional<uint32_t> players;  // At the end.
  // The fewest and the most; 0 while `players` is absent.
  uint32_t players_lowest = 0;
  uint32_t players_highest = 0;
  // By reason: "players", "SetRateLimitForRequestType". The first limits are no change.
  std::map<std::string, LimitChanges> limit_changes;
  bool has_limits = false;
  std::string runs;  // "some-library 1.0.3"; empty: no library was named.
  std::vector<Option> options;
};

struct CaptureInfo {
  Recording recording;
  FileState state = FileState::kClosed;
  std::vector<SourceInfo> sources;  // In order of first appearance.
  uint64_t steps = 0;               // That began.
  // Of those, each once. Not empty.
  std::set<std::string> scenarios;
};

struct DefectCount {
  Defect defect{};
  std::string file;
  uint32_t recording = 0;  // 0: about the whole file.
  uint64_t count = 0;      // Of calls, rows, steps, bytes or whatever the defect is about.
  std::string text;        // Which one: one line. May be empty.
};

struct DefectTotal {
  Defect defect{};
  uint64_t count = 0;
};

// Different scenarios of a recording that are kept.
inline constexpr size_t kScenariosMax = 100;

struct Overview {
  std::vector<CaptureInfo> captures;  // In the order in which they were read.
  std::vector<Library> libraries;     // Each once, sorted.
  std::vector<DefectCount> not_seen;  // By defect, then as they came.
  std::vector<DefectTotal> totals;    // Of not_seen, a defect each.
  uint64_t calls = 0;
  uint64_t calls_matching = 0;  // Of those, selected by the filter; without one all.
};

// Limits: keeps each recording's sources and at most kDefectTextsMax texts a defect and recording.
class OverviewView final : public TimelineVisitor {
 public:
  void OnRecordingBegin(const Recording& recording) override;
  void OnSource(const Source& source) override;
  void OnLimits(const LimitsInForce& limits) override;
  void OnStepBegin(const Step& step) override;
  void OnCall(const Call& call, const Step* step) override;
  OutsideSteps NeedsOutsideSteps() const override { return OutsideSteps::kSummary; }
  void OnCallOutsideSteps(const CallSummary& /*call*/) override { ++calls_outside_; }
  void OnStepEnd(const Step& step) override;
  void OnNotice(const Notice& notice) override;
  void OnFault(const Fault& fault) override;
  void OnLoss(const Loss& loss) override;
  void OnDefect(Defect defect, std::string_view text) override;
  void OnRecordingEnd(const Recording& recording) override;
  void OnFileEnd(const FileEnd& end) override;

  // Call once, after the last file.
  Overview Take();

 private:
  SourceInfo& InfoOf(const Source& source);
  void Note(Defect defect, uint64_t count, std::string text);
  void NoteFile(const FileEnd& end, Defect defect, uint64_t count, std::string text);
  void FlushDefects(const Recording& recording);

  Overview overview_;
  size_t first_of_file_ = 0;  // Index in overview_.captures.
  // Where each source of the recording stands in its list, by Source::index.
  std::vector<std::optional<size_t>> source_places_;
  // Of the recording that is being read: text -> count.
  std::map<Defect, std::map<std::string, uint64_t>> defects_;
  uint64_t calls_outside_ = 0;  // Of steps; of the recording that is being read.
  std::string loss_text_;
  // Where a recording like it was first read.
  std::map<std::string, std::string> alike_;
};

}  // namespace dstap::analyzer
