// A capture's chunks, read ahead on a thread of their own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "proto/capture/capture_reader.h"

namespace dstap::capture {

enum class ReadOn : uint8_t {
  kThisThread,
  kOneMoreThread,  // Reads, decompresses and decodes while this one looks at what it has.
};

// The chunks of a reader, in order, the same with either way to read.
//
// Errors:    as CaptureReader::NextChunk(), after the chunks that stand before the error.
// Ownership: owns the reader, which reader() gives back once Next() has given null or an error.
// Threads:   not thread-safe itself; its thread begins with the second chunk, and ends with it.
// Limits:    holds chunks of up to kAheadBytes of records, kAheadChunks, and always two.
class ReadAhead {
 public:
  static constexpr size_t kAheadBytes = size_t{2} << 20;
  static constexpr size_t kAheadChunks = 64;

  ReadAhead(CaptureReader reader, ReadOn read_on);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  // Lives until the next call. Null: there are no more.
  Result<LoadedChunk*> Next();

  const CaptureReader& reader() const;

 private:
  // Below this much a waiting thread is not woken: chunks of a recording are small.
  static constexpr size_t kHandOverBytes = size_t{128} << 10;

  Result<LoadedChunk*> NextHere();
  void Start();
  void ReadAll();  // On the other thread.
  bool IsFull() const { return bytes_ >= kAheadBytes || ready_.size() >= kAheadChunks; }
  // For many: once full, it is not woken for each.
  bool HasRoom() const { return bytes_ < kAheadBytes / 2 && ready_.size() < kAheadChunks / 2; }
  void Release(std::unique_ptr<LoadedChunk> chunk);

  CaptureReader reader_;
  ReadOn read_on_;
  std::unique_ptr<LoadedChunk> current_;
  bool has_ended_ = false;  // As Next()'s caller knows.

  std::mutex mutex_;
  std::condition_variable is_ready_;  // Chunks for this thread.
  std::condition_variable has_room_;  // For more of them.
  // Under the mutex:
  std::deque<std::unique_ptr<LoadedChunk>> ready_;
  std::vector<std::unique_ptr<LoadedChunk>> free_;
  size_t bytes_ = 0;   // Of ready_.
  bool done_ = false;  // The other thread adds no more.
  bool stop_ = false;  // It shall not.
  Status status_;      // How it ended.

  std::thread thread_;
};

}  // namespace dstap::capture
