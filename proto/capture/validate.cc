#include "proto/capture/validate.h"

#include <fmt/format.h>

#include <algorithm>

#include "proto/base/escape.h"
#include "proto/capture/chunk_frame.h"
#include "proto/capture/format.h"

namespace dstap::capture {
namespace {

std::string TextOf(const v1::Loss& loss) {
  const std::string reason =
      fmt::format("({}): {}", v1::LossReason_Name(loss.reason()), Escape(loss.text()));
  if (loss.reason() == v1::LOSS_REASON_DAMAGE && loss.calls() == 0 && loss.rows() == 0) {
    return fmt::format("records are missing here, not counted {}", reason);
  }
  return fmt::format("{} records of calls and {} rows are missing {}", loss.calls(), loss.rows(),
                     reason);
}

}  // namespace

void Validator::Report(DefectId id, std::string detail) {
  on_defect_({id, chunk_offset_, chunk_, record_, std::move(detail)});
}

void Validator::Check(const Record& record, const CaptureReader& reader) {
  ++record_;
  const uint64_t chunk_offset = reader.chunk_offset();
  const bool new_chunk = chunk_offset != chunk_offset_ || record_ == 1;
  if (std::exchange(recording_, reader.recording()) != reader.recording()) {
    BeginRecording();
    magic_offset_ = chunk_offset - std::min<uint64_t>(chunk_offset, kMagicBytes);
  }
  chunk_offset_ = chunk_offset;
  chunk_ = reader.chunk_sequence();
  if (new_chunk) {
    call_records_before_ = totals_.call_records();
    rows_before_ = totals_.rows();
    if (chunk_ % stride_ == 0) places_.push_back({chunk_, chunk_offset});
    if (places_.size() > kIndexEntriesMax) {
      stride_ *= 2;
      std::erase_if(places_, [this](const Place& p) { return p.sequence % stride_ != 0; });
    }
  }
  if (!std::exchange(begun_, true) && !hole_ &&
      (record.row == nullptr || !record.row->has_header())) {
    Report(DefectId::kNoHeader,
           record.row == nullptr ? "a call stands first" : "another row stands first");
  }
  if (record.call != nullptr) {
    CheckCall(*record.call);
  } else {
    CheckRow(*record.row);
  }
}

void Validator::BeginRecording() {
  ++recordings_;
  earlier_calls_ += totals_.calls();
  begun_ = false;
  totals_ = Totals();
  answered_ = sources_ = strangers_ = steps_ = IdSet();
  open_steps_.clear();
  places_.clear();
  stride_ = 1;
}

void Validator::CheckCall(const CallRecord& call) {
  const bool in_flight = call.outcome == v1::OUTCOME_IN_FLIGHT;
  if (call.id == 0) {
    Report(DefectId::kCallIdZero, "a call has id 0");
  } else if (in_flight ? answered_.Contains(call.id) : !answered_.Insert(call.id)) {
    Report(DefectId::kCallIdRepeated, fmt::format("call {} has an outcome already", call.id));
  }
  totals_.AddCall(call.id, in_flight);
  if (in_flight && call.completed) {
    Report(DefectId::kCallTimes, fmt::format("call {} is in flight and completed", call.id));
  }
  if (call.admitted && call.completed && *call.completed < *call.admitted) {
    Report(DefectId::kCallTimes, fmt::format("call {} was admitted {} ns after it was completed",
                                             call.id, (*call.admitted - *call.completed).count()));
  }
  CheckSourceIsKnown(call.source);
}

void Validator::CheckRow(const v1::Row& row) {
  if (row.has_loss() && (row.loss().rows() > 0 || row.loss().reason() == v1::LOSS_REASON_DAMAGE)) {
    hole_ = true;
  }
  if (!row.has_end() && !row.has_index()) totals_.AddRow(row);
  switch (row.kind_case()) {
    case v1::Row::kHeader:
      return CheckHeader(row.header());
    case v1::Row::kSource:
      return CheckSource(row.source());
    case v1::Row::kStepBegin:
      return CheckStepBegin(row.step_begin());
    case v1::Row::kStepEnd:
      return CheckStepEnd(row.step_end());
    case v1::Row::kBudgetSample:
      return CheckSourceIsKnown(row.budget_sample().source());
    case v1::Row::kLimits:
      return CheckSourceIsKnown(row.limits().source());
    case v1::Row::kPlayerCount:
      return CheckSourceIsKnown(row.player_count().source());
    case v1::Row::kNotice:
      return CheckSourceIsKnown(row.notice().source());
    case v1::Row::kMessageEvent:
      return CheckSourceIsKnown(row.message_event().source());
    case v1::Row::kInjectedFault:
      return CheckFault(row.injected_fault());
    case v1::Row::kLoss:
      return Report(DefectId::kLoss, TextOf(row.loss()));
    case v1::Row::kClockSnapshot:
      return CheckSourceIsKnown(row.clock_snapshot().source());
    case v1::Row::kIndex:
      return CheckIndex(row.index());
    case v1::Row::kComment:
    case v1::Row::kAttachment:
    case v1::Row::kProvenance:
    case v1::Row::kEnd:  // Its totals are the reader's to check.
    case v1::Row::KIND_NOT_SET:
      return;
  }
}

void Validator::CheckHeader(const v1::Header& header) {
  if (totals_.rows() + totals_.call_records() > 1) {
    Report(DefectId::kHeaderRepeated, "a Header stands inside a recording");
  }
  if (header.format_version() == 0) {
    Report(DefectId::kHeaderVersion, "format_version is 0");
  }
}

void Validator::CheckSource(const v1::Source& source) {
  if (source.id() == 0) {
    Report(DefectId::kSourceIdZero, fmt::format("source \"{}\" has id 0", Escape(source.name())));
  }
  sources_.Insert(source.id());
}

void Validator::CheckSourceIsKnown(uint32_t source) {
  if (source == 0 || hole_ || sources_.Contains(source) || !strangers_.Insert(source)) return;
  Report(DefectId::kSourceUnknown, fmt::format("source {} has no Source row before this", source));
}

void Validator::CheckStepBegin(const v1::StepBegin& step) {
  if (step.id() == 0) {
    return Report(DefectId::kStepIdZero, fmt::format("step \"{}\" has id 0", Escape(step.name())));
  }
  if (!steps_.Insert(step.id())) {
    Report(DefectId::kStepIdRepeated,
           fmt::format("step {} (\"{}\") has an id used before", step.id(), Escape(step.name())));
  }
  open_steps_.insert(step.id());
  CheckSourceIsKnown(step.source());
}

void Validator::CheckStepEnd(const v1::StepEnd& step) {
  if (open_steps_.erase(step.id()) == 0 && !hole_) {
    Report(DefectId::kStepEnd,
           fmt::format("step {} {}", step.id(),
                       steps_.Contains(step.id()) ? "has ended already" : "never began"));
  }
}

void Validator::CheckFault(const v1::InjectedFault& fault) {
  if (fault.id() == 0) {
    Report(DefectId::kFaultIdZero,
           fmt::format("the fault of rule \"{}\" has id 0", Escape(fault.rule())));
  }
  CheckSourceIsKnown(fault.source());
}

void Validator::CheckIndex(const v1::Index& index) {
  if (hole_) return;
  const v1::IndexEntry* previous = nullptr;
  uint64_t calls = 0;
  uint64_t rows = 0;
  for (const v1::IndexEntry& entry : index.entry()) {
    if (previous != nullptr &&
        (entry.sequence() <= previous->sequence() || entry.offset() <= previous->offset())) {
      return Report(DefectId::kIndex,
                    fmt::format("the entry of chunk {} is out of order", entry.sequence()));
    }
    const auto place = std::ranges::lower_bound(places_, entry.sequence(), {}, &Place::sequence);
    const bool known = place != places_.end() && place->sequence == entry.sequence();
    if (entry.sequence() >= chunk_ || (known && place->offset != magic_offset_ + entry.offset())) {
      return Report(DefectId::kIndex, fmt::format("chunk {} is not at byte {} of its recording",
                                                  entry.sequence(), entry.offset()));
    }
    calls += entry.calls();
    rows += entry.rows();
    previous = &entry;
  }
  if (calls != call_records_before_ || rows != rows_before_) {
    Report(
        DefectId::kIndex,
        fmt::format("the index counts {} records of calls and {} rows, before it stand {} and {}",
                    calls, rows, call_records_before_, rows_before_));
  }
}

Result<Verdict> Validate(CaptureReader& reader, const Validator::OnDefect& on_defect) {
  Validator validator(on_defect);
  size_t skipped_seen = 0;
  const auto report_skipped = [&] {
    for (; skipped_seen < reader.skipped().size(); ++skipped_seen) {
      const SkippedRange& range = reader.skipped()[skipped_seen];
      std::string detail = range.end == range.begin
                               ? range.why
                               : fmt::format("bytes {} to {} passed over: {}", range.begin,
                                             range.end - 1, range.why);
      on_defect({range.defect, range.begin, range.chunk, 0, std::move(detail)});
      validator.NoteHole();
    }
  };
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<Record> record, reader.Next());
    report_skipped();
    if (!record) break;
    validator.Check(*record, reader);
  }
  const auto report_end = [&](DefectId id, std::string detail) {
    on_defect({id, reader.bytes_read(), reader.chunk_sequence(), 0, std::move(detail)});
  };
  if (reader.unknown_fields() > 0) {
    report_end(
        DefectId::kUnknownFields,
        fmt::format("{} fields are not known to dstap " DSTAP_VERSION, reader.unknown_fields()));
  }
  if (reader.torn_bytes() > 0) {
    report_end(DefectId::kTornTail,
               fmt::format("{} bytes at the end are part of a chunk", reader.torn_bytes()));
  }
  if (reader.ending() == Ending::kUnfinished) {
    report_end(DefectId::kUnfinished, "there is no End row");
  }
  return Verdict{reader.ending(), validator.calls(), validator.recordings(), reader.torn_bytes()};
}

}  // namespace dstap::capture
