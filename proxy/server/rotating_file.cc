#include "proxy/server/rotating_file.h"

#include <algorithm>
#include <utility>

namespace dstap::proxy {

using capture::SealedChunk;

Result<std::unique_ptr<RotatingFile>> RotatingFile::Create(std::shared_ptr<PartFiles> files,
                                                           Limits limits) {
  std::unique_ptr<RotatingFile> rotating(new RotatingFile(std::move(files), limits));
  DSTAP_TRY_ASSIGN(rotating->part_, rotating->files_->Open({}));
  return rotating;
}

bool RotatingFile::IsFull(const SealedChunk& chunk) const {
  if (!first_) return false;
  return (limits_.bytes && part_.file->size() + chunk.body.size() > *limits_.bytes) ||
         (limits_.time && chunk.last - *first_ >= *limits_.time);
}

Status RotatingFile::Append(SealedChunk& chunk) {
  if (part_.file == nullptr) return {ErrorCode::kWrite, "the recording is closed"};
  const Status rotated = IsFull(chunk) ? Rotate() : Status();
  if (!first_) first_ = chunk.first;
  last_ = std::max(last_, chunk.last);
  chunk.ApplyTo(standing_);
  Status appended = part_.file->Append(chunk);
  return rotated.ok() ? appended : rotated;
}

void RotatingFile::Lose(Time time, capture::Lost lost) {
  if (part_.file != nullptr) part_.file->Lose(time, std::move(lost));
}

Status RotatingFile::Rotate() {
  DSTAP_TRY_ASSIGN(PartFiles::Part next, files_->Open(standing_.Rows()));
  Status finished = Finish(last_, v1::END_REASON_CONTINUED, "");
  part_ = std::move(next);
  first_.reset();
  return finished;
}

Status RotatingFile::Finish(Time time, v1::EndReason reason, std::string_view text) {
  return files_->Finish(part_, time, reason, text);
}

Status RotatingFile::Close(Time time, v1::EndReason reason, std::string_view text) {
  if (part_.file == nullptr) return {ErrorCode::kWrite, "the recording is closed"};
  return Finish(time, reason, text);
}

uint64_t RotatingFile::calls() const { return files_->calls(part_); }
uint64_t RotatingFile::calls_lost() const { return files_->calls_lost(part_); }
uint64_t RotatingFile::rows_lost() const { return files_->rows_lost(part_); }

}  // namespace dstap::proxy
