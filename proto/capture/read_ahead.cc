#include "proto/capture/read_ahead.h"

#include <system_error>
#include <utility>

#include "proto/base/check.h"
#include "proto/capture/format.h"

namespace dstap::capture {
namespace {

// A chunk that took more than this gives its memory back.
constexpr size_t kKeepBytes = 2 * kChunkBytesPacked;

}  // namespace

ReadAhead::ReadAhead(CaptureReader reader, ReadOn read_on)
    : reader_(std::move(reader)), read_on_(read_on) {}

ReadAhead::~ReadAhead() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  has_room_.notify_one();
  thread_.join();
}

const CaptureReader& ReadAhead::reader() const {
  DSTAP_CHECK(has_ended_);
  return reader_;
}

Result<LoadedChunk*> ReadAhead::Next() {
  if (has_ended_ && status_.ok()) return nullptr;
  if (has_ended_) return status_;
  // Most captures of a test are one chunk: no thread is worth that.
  if (current_ != nullptr && read_on_ == ReadOn::kOneMoreThread && !thread_.joinable()) Start();
  if (!thread_.joinable()) return NextHere();

  std::unique_lock lock(mutex_);
  Release(std::move(current_));
  if (ready_.empty()) {
    is_ready_.wait(lock, [this] { return done_ || bytes_ >= kHandOverBytes || IsFull(); });
  }
  if (ready_.empty()) {
    lock.unlock();
    thread_.join();
    has_ended_ = true;
    if (!status_.ok()) return status_;
    return nullptr;
  }
  current_ = std::move(ready_.front());
  ready_.pop_front();
  bytes_ -= current_->bytes();
  const bool wakes = HasRoom();
  lock.unlock();
  if (wakes) has_room_.notify_one();
  return current_.get();
}

Result<LoadedChunk*> ReadAhead::NextHere() {
  if (current_ == nullptr) current_ = std::make_unique<LoadedChunk>();
  const Result<bool> more = reader_.NextChunk(*current_);
  if (more.ok() && *more) return current_.get();
  has_ended_ = true;
  if (more.ok()) return nullptr;
  return status_ = more.status();
}

void ReadAhead::Start() {
  try {
    thread_ = std::thread([this] { ReadAll(); });
  } catch (const std::system_error&) {
    read_on_ = ReadOn::kThisThread;  // The system has no more: it is slower, and that is all.
  }
}

void ReadAhead::Release(std::unique_ptr<LoadedChunk> chunk) {
  if (chunk != nullptr && chunk->bytes() <= kKeepBytes) free_.push_back(std::move(chunk));
}

void ReadAhead::ReadAll() {
  for (;;) {
    std::unique_ptr<LoadedChunk> chunk;
    {
      std::unique_lock lock(mutex_);
      if (IsFull()) {
        has_room_.wait(lock, [this] { return stop_ || HasRoom(); });
      }
      if (stop_) return;
      if (!free_.empty()) {
        chunk = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (chunk == nullptr) chunk = std::make_unique<LoadedChunk>();
    const Result<bool> more = reader_.NextChunk(*chunk);
    bool wakes = true;
    {
      const std::lock_guard lock(mutex_);
      if (more.ok() && *more) {
        bytes_ += chunk->bytes();
        ready_.push_back(std::move(chunk));
        wakes = bytes_ >= kHandOverBytes || IsFull();
      } else {
        done_ = true;
        if (!more.ok()) status_ = more.status();
      }
    }
    if (wakes) is_ready_.notify_one();
    if (!more.ok() || !*more) return;
  }
}

}  // namespace dstap::capture
