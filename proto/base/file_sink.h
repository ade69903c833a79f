// A ByteSink over a file.
#pragma once

#include <memory>
#include <string>

#include "proto/base/byte_sink.h"

namespace dstap {

// Units:     sizes are bytes.
// Errors:    kWrite with the path and errno's text; kUsage when the file exists and may not be
//            replaced.
// Ownership: owns the descriptor; closes it without syncing.
// Threads:   not thread-safe.
class FileSink final : public ByteSink {
 public:
  enum class IfExists { kRefuse, kReplace };

  // Creates `path` and takes an exclusive lock on it; another writer is refused.
  static Result<std::unique_ptr<FileSink>> Create(const std::string& path, IfExists if_exists);

  ~FileSink() override;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  Status Append(std::string_view bytes) override;
  Status Truncate(uint64_t size) override;
  Status Sync() override;
  uint64_t size() const override { return size_; }

 private:
  FileSink(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status Error(const char* what) const;

  std::string path_;
  int fd_;
  uint64_t size_ = 0;
};

}  // namespace dstap
