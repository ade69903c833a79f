// Checks a capture against the lines of capture.proto that say "must". What a chunk cannot be
// decoded without (codec, sizes, columns, times, order of rows) the reader checks itself.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proto/capture/capture_reader.h"
#include "proto/capture/defects.h"
#include "proto/capture/id_set.h"
#include "proto/capture/totals.h"

namespace dstap::capture {

// One defect, where it is.
struct Defect {
  DefectId id = DefectId::kCount;
  uint64_t offset = 0;  // Of the chunk, in the file.
  uint64_t chunk = 0;
  uint64_t record = 0;  // From 1, calls and rows counted together; 0: about no single record.
  std::string detail;   // One line; text from outside is escaped.
};

// Checks records as they are read.
//
// Limits: memory grows with the calls and steps that are open, not with the recording. Ids are kept
//         in an IdSet: a repetition is missed when the id was forgotten there. Rules that a missing
//         record would break are not checked behind a loss or a skipped chunk.
class Validator {
 public:
  using OnDefect = std::function<void(const Defect&)>;
  explicit Validator(OnDefect on_defect) : on_defect_(std::move(on_defect)) {}

  // `record` is the one that `reader` gave last.
  void Check(const Record& record, const CaptureReader& reader);
  // Records before the next one are missing.
  void NoteHole() { hole_ = true; }

  // Of all recordings together.
  uint64_t recordings() const { return recordings_; }
  uint64_t calls() const { return earlier_calls_ + totals_.calls(); }

 private:
  void BeginRecording();
  void CheckCall(const CallRecord& call);
  void CheckRow(const v1::Row& row);
  void CheckHeader(const v1::Header& header);
  void CheckSource(const v1::Source& source);
  void CheckStepBegin(const v1::StepBegin& step);
  void CheckStepEnd(const v1::StepEnd& step);
  void CheckFault(const v1::InjectedFault& fault);
  void CheckIndex(const v1::Index& index);
  void CheckSourceIsKnown(uint32_t source);
  void Report(DefectId id, std::string detail);

  OnDefect on_defect_;
  uint64_t record_ = 0;
  uint64_t chunk_offset_ = 0;
  uint64_t chunk_ = 0;
  uint64_t recordings_ = 0;
  uint64_t recording_ = 0;  // As the reader counts them: those without a record too.
  uint64_t earlier_calls_ = 0;

  // Of the recording being read.
  bool hole_ = false;
  bool begun_ = false;
  Totals totals_;
  IdSet answered_;  // Calls whose outcome was seen.
  IdSet sources_;
  IdSet strangers_;  // Sources already reported as unknown.
  IdSet steps_;
  std::set<uint64_t> open_steps_;

  // For the index: where chunks begin, only every stride_-th once there are many, and what stood
  // before the chunk being read.
  struct Place {
    uint64_t sequence;
    uint64_t offset;
  };
  uint64_t magic_offset_ = 0;
  std::vector<Place> places_;
  uint64_t stride_ = 1;
  uint64_t call_records_before_ = 0;
  uint64_t rows_before_ = 0;
};

struct Verdict {
  Ending ending = Ending::kClosed;
  uint64_t calls = 0;  // Each counted once.
  uint64_t recordings = 0;
  uint64_t torn_bytes = 0;
};

// Reads all of `reader`, which should be one that skips damage, and reports everything that is
// wrong or worth knowing: what was skipped, broken rules, losses, how it ends.
Result<Verdict> Validate(CaptureReader& reader, const Validator::OnDefect& on_defect);

}  // namespace dstap::capture
