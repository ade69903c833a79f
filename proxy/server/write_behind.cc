#include "proxy/server/write_behind.h"

#include <fmt/format.h>

namespace dstap::proxy {

using capture::Lost;
using capture::SealedChunk;

WriteBehind::WriteBehind(std::unique_ptr<capture::ChunkSink> file, Options options,
                         std::function<void()> on_written)
    : file_(std::move(file)),
      options_(options),
      on_written_(std::move(on_written)),
      thread_([this] { Run(); }) {}

WriteBehind::~WriteBehind() { Drain(); }

Status WriteBehind::Append(SealedChunk& chunk) {
  const size_t bytes = chunk.MemoryBytes();
  std::unique_lock lock(mutex_);
  Status error = std::exchange(error_, Status());
  const auto fits = [&] { return bytes_ == 0 || bytes_ + bytes <= options_.buffer_bytes; };
  if (!fits() && options_.on_overflow == OnOverflow::kBlock) has_room_.wait(lock, fits);
  if (!fits()) {
    const size_t calls = chunk.marks.size();
    LoseLocked(chunk.last,
               {.reason = v1::LOSS_REASON_OVERFLOW,
                .calls = calls + chunk.reported_calls,
                .rows = chunk.rows + chunk.reported_rows,
                .text = fmt::format("the buffer of {} bytes was full", options_.buffer_bytes)});
    if (!error.ok()) return error;
    return {ErrorCode::kWrite,
            fmt::format("the buffer of {} bytes is full, the file is written too slowly; {} "
                        "records of calls are lost, recording goes on",
                        options_.buffer_bytes, calls)};
  }
  bytes_ += bytes;
  ++submitted_;
  Item& item = queue_.emplace_back();
  if (!spare_.empty()) {
    item.chunk = std::move(spare_.back());
    spare_.pop_back();
  }
  std::swap(item.chunk, chunk);
  has_work_.notify_one();
  return error;
}

void WriteBehind::Lose(Time time, Lost lost) {
  const std::lock_guard lock(mutex_);
  LoseLocked(time, std::move(lost));
}

void WriteBehind::LoseLocked(Time time, Lost lost) {
  waiting_calls_lost_ += lost.calls;
  waiting_rows_lost_ += lost.rows;
  if (!queue_.empty() && queue_.back().lost && queue_.back().lost->reason == lost.reason &&
      queue_.back().lost->text == lost.text) {
    queue_.back().lost->calls += lost.calls;
    queue_.back().lost->rows += lost.rows;
    queue_.back().time = std::max(queue_.back().time, time);
    return;
  }
  Item& item = queue_.emplace_back();
  item.time = time;
  item.lost = std::move(lost);
  has_work_.notify_one();
}

void WriteBehind::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [this] { return !queue_.empty() || is_ending_; });
    if (queue_.empty()) return;
    Item item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    WriteOut(item);
    lock.lock();
  }
}

// Without the lock: the only place where the file is touched before Close().
void WriteBehind::WriteOut(Item& item) {
  const size_t bytes = item.lost ? 0 : item.chunk.MemoryBytes();
  Status status;
  if (item.lost) {
    file_->Lose(item.time, *item.lost);
  } else {
    status = file_->Append(item.chunk);
  }
  {
    const std::lock_guard lock(mutex_);
    if (error_.ok()) error_ = std::move(status);
    calls_ = file_->calls();
    calls_lost_ = file_->calls_lost();
    rows_lost_ = file_->rows_lost();
    if (item.lost) {
      waiting_calls_lost_ -= item.lost->calls;
      waiting_rows_lost_ -= item.lost->rows;
      return;
    }
    ++written_;
    bytes_ -= bytes;
    item.chunk.Clear();
    spare_.push_back(std::move(item.chunk));
    has_room_.notify_one();
  }
  on_written_();
}

void WriteBehind::Drain() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    has_work_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

Status WriteBehind::Close(Time time, v1::EndReason reason, std::string_view text) {
  Drain();
  // The thread is gone: the file is this one's.
  while (!queue_.empty()) {
    WriteOut(queue_.front());  // Came after the first Close().
    queue_.pop_front();
  }
  const Status closed = file_->Close(time, reason, text);
  calls_ = file_->calls();
  calls_lost_ = file_->calls_lost();
  rows_lost_ = file_->rows_lost();
  return error_.ok() ? closed : std::exchange(error_, Status());
}

uint64_t WriteBehind::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}
uint64_t WriteBehind::calls_lost() const {
  const std::lock_guard lock(mutex_);
  return calls_lost_ + waiting_calls_lost_;
}
uint64_t WriteBehind::rows_lost() const {
  const std::lock_guard lock(mutex_);
  return rows_lost_ + waiting_rows_lost_;
}
uint64_t WriteBehind::submitted() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}
uint64_t WriteBehind::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

}  // namespace dstap::proxy
