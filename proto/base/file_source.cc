#include "proto/base/file_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace dstap {

Result<std::unique_ptr<FileSource>> FileSource::Open(const std::string& path) {
  if (path == "-") return std::unique_ptr<FileSource>(new FileSource("standard input", 0));
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Status(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kRead,
                  fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  }
  std::unique_ptr<FileSource> source(new FileSource(path, fd));
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    return Status(ErrorCode::kRead,
                  fmt::format("{}: is a directory; name the capture files in it", path));
  }
  return source;
}

FileSource::~FileSource() {
  if (fd_ != 0) ::close(fd_);
}

Result<size_t> FileSource::Read(std::span<char> out) {
  for (;;) {
    const ssize_t n = ::read(fd_, out.data(), out.size());
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EINTR) continue;
    return Status(ErrorCode::kRead,
                  fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
  }
}

Result<std::string> ReadSmallFile(const std::string& path, size_t bytes_max) {
  DSTAP_TRY_ASSIGN(const auto file, FileSource::Open(path));
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() <= bytes_max) {
    const size_t wanted = std::min(buffer.size(), bytes_max + 1 - text.size());
    DSTAP_TRY_ASSIGN(const size_t n, file->Read({buffer.data(), wanted}));
    if (n == 0) break;
    text.append(buffer.data(), n);
  }
  return text;
}

}  // namespace dstap
