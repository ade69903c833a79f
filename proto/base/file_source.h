// A ByteSource over a file or standard input.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "proto/base/byte_source.h"

namespace dstap {

// Errors:    kNotFound or kRead with the path and errno's text; a directory is refused at Open.
// Ownership: owns the descriptor (not standard input's).
// Threads:   not thread-safe.
class FileSource final : public ByteSource {
 public:
  // "-" is standard input.
  static Result<std::unique_ptr<FileSource>> Open(const std::string& path);

  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> Read(std::span<char> out) override;

 private:
  FileSource(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;
};

// The whole of a file that a person wrote: options, rules. At most one byte more than `bytes_max`
// is read, which is enough for its parser to refuse it. Errors: as FileSource.
Result<std::string> ReadSmallFile(const std::string& path, size_t bytes_max);

}  // namespace dstap
