// A ByteSink over a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  enum class IfExists { kRefuse, kReplace, kAppend };

  // Creates `path` and takes an exclusive lock on it; another writer is refused, and its process
  // named where the system tells. A new file gets its name with its first bytes, so that a process
  // that is killed before leaves none that is empty (where the file system has unnamed files). A
  // file that is to be replaced stays as it is, and the bytes go to `path`.part, until Publish().
  // One that is to be appended to is opened with what it has: size() is not 0 then.
  static Result<std::unique_ptr<FileSink>> Create(const std::string& path, IfExists if_exists);

  ~FileSink() override;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Gives the bytes the name they were created for. Nothing to do for a new file.
  Status Publish();
  // Removes what Create() made. The file that was to be replaced is left as it was; one that is
  // appended to is cut back to what it had.
  void Discard();

  Status Append(std::string_view bytes) override;
  Status Truncate(uint64_t size) override;
  Status Sync() override;
  uint64_t size() const override { return size_; }

 private:
  FileSink(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status Lock();
  // Gives a new file its name, if it has none yet.
  Status Name();
  Status Error(const char* what) const;

  std::string path_;
  int fd_;
  int replaced_fd_ = -1;  // Locked until Publish().
  uint64_t size_ = 0;
  bool is_unnamed_ = false;
  std::optional<uint64_t> appended_from_;  // An existing file's size.
};

}  // namespace dstap
