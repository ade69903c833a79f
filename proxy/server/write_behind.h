// Writes a recording's chunks on a thread of its own, so that a slow disk does not stop the proxy.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "proto/capture/chunk_sink.h"
#include "proxy/session/commit_progress.h"

namespace dstap::proxy {

// Errors:    the file's, told by the Append() after it; kWrite when the buffer is full.
// Ownership: owns the file, which only the thread touches, and the thread.
// Threads:   a sink as any other: called from one thread. CommitProgress is thread-safe.
// Limits:    holds `buffer_bytes` of chunks that wait, and the one being written. Past it a chunk
//            is dropped and counted as lost, or Append() waits. A single chunk is always taken.
class WriteBehind final : public capture::ChunkSink, public CommitProgress {
 public:
  enum class OnOverflow : uint8_t { kDrop, kBlock };
  struct Options {
    size_t buffer_bytes = size_t{64} << 20;
    OnOverflow on_overflow = OnOverflow::kDrop;
  };

  // `on_written` is called on the thread whenever written() has risen.
  WriteBehind(std::unique_ptr<capture::ChunkSink> file, Options options,
              std::function<void()> on_written);
  // Writes what waits.
  ~WriteBehind() override;

  Status Append(capture::SealedChunk& chunk) override;
  void Lose(Time time, capture::Lost lost) override;
  // Waits for all that waits.
  Status Close(Time time, v1::EndReason reason, std::string_view text) override;

  uint64_t calls() const override;
  uint64_t calls_lost() const override;
  uint64_t rows_lost() const override;

  uint64_t submitted() const override;
  uint64_t written() const override;

 private:
  // A chunk, or what was lost in its place.
  struct Item {
    capture::SealedChunk chunk;
    Time time{};
    std::optional<capture::Lost> lost;
  };

  void Run();
  void WriteOut(Item& item);
  void LoseLocked(Time time, capture::Lost lost);
  void Drain();

  const std::unique_ptr<capture::ChunkSink> file_;
  const Options options_;
  const std::function<void()> on_written_;

  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable has_room_;
  std::deque<Item> queue_;
  std::vector<capture::SealedChunk> spare_;  // Their memory is used again.
  size_t bytes_ = 0;                         // In queue_ and being written.
  bool is_ending_ = false;
  Status error_;  // Of the file, not told yet.
  uint64_t submitted_ = 0;
  uint64_t written_ = 0;
  // As the file said last, and what was lost in front of it and waits to be told.
  uint64_t calls_ = 0;
  uint64_t calls_lost_ = 0;
  uint64_t rows_lost_ = 0;
  uint64_t waiting_calls_lost_ = 0;
  uint64_t waiting_rows_lost_ = 0;

  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace dstap::proxy
