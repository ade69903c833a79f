// Everything that can keep a report from being the whole truth has an id and a sentence.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dstap::analyzer {

enum class DefectSeverity : uint8_t {
  kNote,      // Nothing is missing; worth knowing before comparing numbers.
  kDataLoss,  // Everything worked as designed, and something is not in the capture.
  kError,     // Results may be wrong.
};

enum class DefectOrigin : uint8_t { kRecorder, kAnalyzer };

// In the order in which they are printed.
enum class Defect : uint8_t {
  kFileUnreadable,
  kBytesSkipped,
  kRecordsMissing,
  kUnfinished,
  kTornTail,
  kCommandFailed,
  kInterrupted,
  kContinued,
  kNoHeader,
  kCallsLost,
  kRowsLost,
  kCallsInFlight,
  kStepUnfinished,
  kStepCut,
  kStepFailed,
  kStepEndWithoutBegin,
  kStepIdAgain,
  kTimeWentBack,
  kCallsOutsideSteps,
  kCallsFiltered,
  kFaultInjected,
  kTrimmed,
  kMerged,
  kSameRecording,
  kRecorderNotice,
  kUnknownFields,
};

struct DefectInfo {
  std::string_view id;  // Printed, documented, never used again for something else.
  DefectSeverity severity;
  DefectOrigin origin;
  std::string_view meaning;
};

inline constexpr std::array kDefects = {
    DefectInfo{"file-unreadable", DefectSeverity::kError, DefectOrigin::kAnalyzer,
               "A file named on the command line could not be read; nothing here is about it."},
    DefectInfo{"bytes-skipped", DefectSeverity::kError, DefectOrigin::kAnalyzer,
               "A damaged part of the file was passed over; counts are lower bounds."},
    DefectInfo{"records-missing", DefectSeverity::kError, DefectOrigin::kAnalyzer,
               "Records that were written are not in the file; counts are lower bounds."},
    DefectInfo{"unfinished", DefectSeverity::kDataLoss, DefectOrigin::kRecorder,
               "No end record: still recording, or the recorder died; the last calls may lack "
               "their outcome."},
    DefectInfo{"torn-tail", DefectSeverity::kDataLoss, DefectOrigin::kRecorder,
               "The recorder died inside its last write; no call in these bytes was answered."},
    DefectInfo{"command-failed", DefectSeverity::kDataLoss, DefectOrigin::kRecorder,
               "The recorded command did not end well; what it still had to do is not here."},
    DefectInfo{"interrupted", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "The recording was ended by a signal; what the command still had to do is not "
               "here."},
    DefectInfo{"continued", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "The recording goes on in another file; report all parts together. Steps that were "
               "open at the border are in no sample."},
    DefectInfo{"no-header", DefectSeverity::kError, DefectOrigin::kAnalyzer,
               "Records stand before any header: clock, rules and seed of the recording are "
               "unknown."},
    DefectInfo{"calls-lost", DefectSeverity::kDataLoss, DefectOrigin::kRecorder,
               "The recorder could not keep these calls; counts are lower bounds."},
    DefectInfo{"rows-lost", DefectSeverity::kDataLoss, DefectOrigin::kRecorder,
               "The recorder could not keep these rows; steps or notices may be missing."},
    DefectInfo{"calls-in-flight", DefectSeverity::kDataLoss, DefectOrigin::kRecorder,
               "Asked for, and no answer seen; they may still have been applied."},
    DefectInfo{"step-unfinished", DefectSeverity::kDataLoss, DefectOrigin::kRecorder,
               "A step began and never ended; its calls are in no sample."},
    DefectInfo{"step-cut", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "Records of the step were cut off, or selected; its calls are in no sample."},
    DefectInfo{"step-failed", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "The step reported a failure; its requests are counted, its time is kept apart."},
    DefectInfo{"step-end-without-begin", DefectSeverity::kError, DefectOrigin::kAnalyzer,
               "A step ended that never began here; its calls count as outside of steps."},
    DefectInfo{"step-id-again", DefectSeverity::kError, DefectOrigin::kAnalyzer,
               "A step began under the id of an open one; the open one counts as unfinished."},
    DefectInfo{"time-went-back", DefectSeverity::kError, DefectOrigin::kAnalyzer,
               "A step ended before it began; its time is left out."},
    DefectInfo{"calls-outside-steps", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "Calls that belong to no step; see Traffic."},
    DefectInfo{"calls-filtered", DefectSeverity::kNote, DefectOrigin::kAnalyzer,
               "Calls that do not match the filter; they are in no count here."},
    DefectInfo{"fault-injected", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "The simulator was told to make these faults; they are not the service's doing."},
    DefectInfo{"trimmed", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "The capture is a part of another; the calls counted here were left out."},
    DefectInfo{"merged", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "The capture was put together from several; their clocks agree as far as is said."},
    DefectInfo{"same-recording", DefectSeverity::kNote, DefectOrigin::kAnalyzer,
               "Virtual time, one seed, the same options and totals: the same samples are counted "
               "again."},
    DefectInfo{"recorder-notice", DefectSeverity::kNote, DefectOrigin::kRecorder,
               "The recorder had something to say."},
    DefectInfo{"unknown-fields", DefectSeverity::kNote, DefectOrigin::kAnalyzer,
               "A newer dstap wrote fields that this one passed over; a newer one may tell more."},
};
static_assert(kDefects.size() == static_cast<size_t>(Defect::kUnknownFields) + 1);
static_assert(std::ranges::none_of(kDefects, [](const DefectInfo& d) {
  return d.id.empty() || d.meaning.empty();
}));

constexpr const DefectInfo& InfoOf(Defect defect) { return kDefects[static_cast<size_t>(defect)]; }

}  // namespace dstap::analyzer
