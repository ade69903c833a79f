#include "analyzer/views/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/timeline/names.h"

namespace dstap::analyzer {
namespace {

std::string LabelOf(const Library& library) {
  if (library.version.empty()) return library.name;
  return library.name + " " + library.version;
}

std::string LabelOf(const Step& step) {
  return step.subject.empty() ? step.name : step.subject + " " + step.name;
}

// The same for two recordings that hold the same. Empty: it cannot be told.
std::string FingerprintOf(const CaptureInfo& capture) {
  const Recording& recording = capture.recording;
  if (recording.clock != ClockKind::kVirtual || !recording.seed || recording.calls == 0) return "";
  std::string text =
      fmt::format("{} {} {} {} {} {}", *recording.seed, recording.rule_profile, recording.title,
                  recording.calls, recording.last.count(), capture.steps);
  for (const Option& option : recording.options) {
    text += fmt::format("\n{}={}", option.name, option.value);
  }
  for (const SourceInfo& source : capture.sources) {
    text += fmt::format("\n{} {}", source.name, source.runs);
  }
  return text;
}

}  // namespace

void OverviewView::Note(Defect defect, uint64_t count, std::string text) {
  auto& texts = defects_[defect];
  if (texts.size() >= kDefectTextsMax && !texts.contains(text)) text = "others";
  texts[std::move(text)] += count;
}

void OverviewView::NoteFile(const FileEnd& end, Defect defect, uint64_t count, std::string text) {
  overview_.not_seen.push_back({.defect = defect,
                                .file = end.file,
                                .recording = 0,
                                .count = count,
                                .text = std::move(text)});
}

void OverviewView::OnRecordingBegin(const Recording& /*recording*/) {
  overview_.captures.emplace_back();
  source_places_.clear();
}

SourceInfo& OverviewView::InfoOf(const Source& source) {
  std::vector<SourceInfo>& sources = overview_.captures.back().sources;
  if (source_places_.size() <= source.index) source_places_.resize(source.index + 1);
  std::optional<size_t>& at = source_places_[source.index];
  if (!at) {
    at = sources.size();
    sources.push_back({.id = source.id});
  }
  return sources[*at];
}

void OverviewView::OnSource(const Source& source) {
  SourceInfo& info = InfoOf(source);
  const Library* named = source.NamedLibrary();
  info.name = source.name;
  info.role = source.role;
  info.runs = named == nullptr ? "" : LabelOf(*named);
  info.options = source.options;
  if (source.players) {
    const uint32_t now = *source.players;
    info.players_lowest = info.players ? std::min(info.players_lowest, now) : now;
    info.players_highest = info.players ? std::max(info.players_highest, now) : now;
    info.players = now;
  }
  if (!source.library) return;
  std::vector<Library>& libraries = overview_.libraries;
  const auto place = std::ranges::lower_bound(libraries, *source.library);
  if (place == libraries.end() || *place != *source.library) {
    libraries.insert(place, *source.library);
  }
}

void OverviewView::OnLimits(const LimitsInForce& limits) {
  SourceInfo& info = InfoOf(*limits.source);
  if (!std::exchange(info.has_limits, true)) return;
  std::string reason(limits.reason);
  const bool is_full = info.limit_changes.size() >= kLimitReasonsMax;
  if (is_full && !info.limit_changes.contains(reason)) reason = "others";
  LimitChanges& changes = info.limit_changes[std::move(reason)];
  if (changes.count++ == 0) changes.first = limits.time;
  changes.last = limits.time;
}

void OverviewView::OnStepBegin(const Step& step) {
  CaptureInfo& capture = overview_.captures.back();
  ++capture.steps;
  if (!step.scenario.empty() && capture.scenarios.size() < kScenariosMax) {
    capture.scenarios.insert(step.scenario);
  }
}

void OverviewView::OnCall(const Call& call, const Step* step) {
  if (call.outcome == Outcome::kInFlight) Note(Defect::kCallsInFlight, 1, "");
  if (step == nullptr) ++calls_outside_;
}

void OverviewView::OnStepEnd(const Step& step) {
  if (step.partial || !step.end) {
    Note(step.partial ? Defect::kStepCut : Defect::kStepUnfinished, 1,
         step.sample == 0 ? LabelOf(step)
                          : fmt::format("{}, sample {}", LabelOf(step), step.sample));
  } else if (!step.ok) {
    Note(Defect::kStepFailed, 1,
         step.text.empty() ? LabelOf(step) : LabelOf(step) + ": " + step.text);
  }
}

void OverviewView::OnNotice(const Notice& notice) {
  if (notice.kind == NoticeKind::kRecorder) {
    Note(Defect::kRecorderNotice, 1, std::string(notice.text));
  }
}

void OverviewView::OnFault(const Fault& fault) {
  std::string text(NameOf(fault.kind));
  if (!fault.rule.empty()) text += fmt::format(" (rule \"{}\")", fault.rule);
  Note(Defect::kFaultInjected, 1, std::move(text));
}

void OverviewView::OnLoss(const Loss& loss) {
  // A place where nobody knows how many; what the End row counted is in a row of its own.
  if (loss.reason == LossReason::kDamage && loss.calls + loss.rows == 0) {
    Note(Defect::kRecordsMissing, 1, std::string(loss.text));
  }
  if (!loss_text_.empty()) return;  // The first tells how it began.
  loss_text_ = NameOf(loss.reason);
  if (!loss.text.empty()) loss_text_ += fmt::format(": {}", loss.text);
}

void OverviewView::OnDefect(Defect defect, std::string_view text) {
  Note(defect, 1, std::string(text));
}

void OverviewView::OnRecordingEnd(const Recording& recording) {
  CaptureInfo& capture = overview_.captures.back();
  capture.recording = recording;
  capture.state = recording.end ? FileState::kClosed : FileState::kUnfinished;
  overview_.calls += recording.calls;
  overview_.calls_matching += recording.calls_matching;
  if (const uint64_t others = recording.calls - recording.calls_matching; others > 0) {
    Note(Defect::kCallsFiltered, others, "");
  }
  if (!recording.end) Note(Defect::kUnfinished, 1, "");
  // Closed by `dstap recover`: what kept the recorder from it has not changed.
  if (recording.end == EndReason::kRecovered) Note(Defect::kUnfinished, 1, recording.end_text);
  if (recording.end == EndReason::kCommandFailed) {
    Note(Defect::kCommandFailed, 1, recording.end_text);
  }
  if (recording.end == EndReason::kSignal) Note(Defect::kInterrupted, 1, recording.end_text);
  if (recording.end == EndReason::kContinued) Note(Defect::kContinued, 1, "");
  if (recording.calls_lost > 0) Note(Defect::kCallsLost, recording.calls_lost, loss_text_);
  if (recording.rows_lost > 0) Note(Defect::kRowsLost, recording.rows_lost, loss_text_);
  loss_text_.clear();
  for (const Provenance& made : recording.provenance) {
    if (made.command == "merge") {
      Note(Defect::kMerged, 1, made.text);
    } else {
      Note(Defect::kTrimmed, made.calls_dropped, made.text);
    }
  }
  if (std::string print = FingerprintOf(capture); !print.empty()) {
    const auto [first, is_new] = alike_.emplace(std::move(print), recording.file);
    if (!is_new) Note(Defect::kSameRecording, 1, "as " + first->second);
  }
  // Without steps "outside of steps" says nothing.
  const uint64_t outside = std::exchange(calls_outside_, 0);
  if (capture.steps > 0 && outside > 0) Note(Defect::kCallsOutsideSteps, outside, "");
  FlushDefects(recording);
}

void OverviewView::FlushDefects(const Recording& recording) {
  for (auto& [defect, texts] : std::exchange(defects_, {})) {
    for (const auto& [text, count] : texts) {
      overview_.not_seen.push_back({.defect = defect,
                                    .file = recording.file,
                                    .recording = recording.number,
                                    .count = count,
                                    .text = text});
    }
  }
}

void OverviewView::OnFileEnd(const FileEnd& end) {
  if (end.state == FileState::kDamaged || end.state == FileState::kUnreadable) {
    for (size_t i = first_of_file_; i < overview_.captures.size(); ++i) {
      overview_.captures[i].state = end.state;
    }
  }
  if (end.state == FileState::kUnreadable) NoteFile(end, Defect::kFileUnreadable, 1, end.error);
  if (end.state == FileState::kDamaged && end.skipped.empty()) {
    NoteFile(end, Defect::kRecordsMissing, 1, "");
  }
  uint64_t untold = 0;
  for (size_t i = 0; i < end.skipped.size(); ++i) {
    const SkippedBytes& skipped = end.skipped[i];
    const uint64_t bytes = skipped.end - skipped.begin;
    if (bytes == 0) {
      if (i < kDefectTextsMax) NoteFile(end, Defect::kRecordsMissing, 1, skipped.why);
    } else if (i >= kDefectTextsMax) {
      untold += bytes;
    } else {
      NoteFile(end, Defect::kBytesSkipped, bytes,
               fmt::format("bytes {} to {}: {}", skipped.begin, skipped.end, skipped.why));
    }
  }
  if (untold > 0) NoteFile(end, Defect::kBytesSkipped, untold, "in further places");
  if (end.torn_bytes > 0) NoteFile(end, Defect::kTornTail, end.torn_bytes, "");
  if (end.unknown_fields > 0) NoteFile(end, Defect::kUnknownFields, end.unknown_fields, "");
  first_of_file_ = overview_.captures.size();
}

Overview OverviewView::Take() {
  std::ranges::stable_sort(overview_.not_seen, {}, &DefectCount::defect);
  for (const DefectCount& count : overview_.not_seen) {
    if (overview_.totals.empty() || overview_.totals.back().defect != count.defect) {
      overview_.totals.push_back({count.defect, 0});
    }
    overview_.totals.back().count += count.count;
  }
  return std::exchange(overview_, {});
}

}  // namespace dstap::analyzer
