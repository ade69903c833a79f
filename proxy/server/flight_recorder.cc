#include "proxy/server/flight_recorder.h"

#include <algorithm>
#include <utility>

namespace dstap::proxy {

using capture::SealedChunk;

Status FlightRecorder::Append(SealedChunk& chunk) {
  if (is_closed_) return {ErrorCode::kWrite, "the recording is closed"};
  const bool triggers = chunk.triggers;
  Status finished;
  if (part_.file != nullptr && !triggers && chunk.first > writes_until_) {
    finished = Finish(last_, v1::END_REASON_CLOSED, "nothing had triggered for a while");
  }
  last_ = std::max(last_, chunk.last);
  if (triggers) writes_until_ = chunk.last + limits_.keep;
  if (part_.file != nullptr) {
    chunk.ApplyTo(standing_);
    return part_.file->Append(chunk);
  }
  Hold(chunk);
  Status dumped = triggers ? Dump() : Status();
  return finished.ok() ? dumped : finished;
}

void FlightRecorder::Hold(SealedChunk& chunk) {
  const Time from = chunk.last - limits_.keep;
  held_bytes_ += chunk.MemoryBytes();
  std::swap(held_.emplace_back(), chunk);
  while (held_.size() > 1 && (held_.front().last < from || held_bytes_ > limits_.bytes)) {
    held_.front().ApplyTo(standing_);
    held_bytes_ -= held_.front().MemoryBytes();
    held_.pop_front();
  }
  std::erase_if(held_losses_, [&](const LossAt& loss) {
    const bool is_old = loss.time < held_.front().first;
    if (is_old) {
      untold_calls_lost_ += loss.lost.calls;
      untold_rows_lost_ += loss.lost.rows;
    }
    return is_old;
  });
}

Status FlightRecorder::Dump() {
  DSTAP_TRY_ASSIGN(part_, files_->Open(standing_.Rows()));
  for (LossAt& loss : held_losses_) part_.file->Lose(loss.time, std::move(loss.lost));
  held_losses_.clear();
  Status status;
  for (SealedChunk& chunk : held_) {
    chunk.ApplyTo(standing_);
    Status appended = part_.file->Append(chunk);
    if (status.ok()) status = std::move(appended);
  }
  held_.clear();
  held_bytes_ = 0;
  return status;
}

void FlightRecorder::Lose(Time time, capture::Lost lost) {
  if (part_.file != nullptr) {
    part_.file->Lose(time, std::move(lost));
  } else {
    held_losses_.push_back({time, std::move(lost)});
  }
}

Status FlightRecorder::Finish(Time time, v1::EndReason reason, std::string_view text) {
  return files_->Finish(part_, std::max(time, last_), reason, text);
}

Status FlightRecorder::Close(Time time, v1::EndReason reason, std::string_view text) {
  if (is_closed_) return {ErrorCode::kWrite, "the recording is closed"};
  is_closed_ = true;
  return part_.file == nullptr ? Status() : Finish(time, reason, text);
}

uint64_t FlightRecorder::calls() const { return files_->calls(part_); }

uint64_t FlightRecorder::calls_lost() const {
  uint64_t lost = untold_calls_lost_ + files_->calls_lost(part_);
  for (const LossAt& loss : held_losses_) lost += loss.lost.calls;
  return lost;
}

uint64_t FlightRecorder::rows_lost() const {
  uint64_t lost = untold_rows_lost_ + files_->rows_lost(part_);
  for (const LossAt& loss : held_losses_) lost += loss.lost.rows;
  return lost;
}

}  // namespace dstap::proxy
