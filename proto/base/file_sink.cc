#include "proto/base/file_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dstap {

Status FileSink::Error(const char* what) const {
  return {ErrorCode::kWrite, fmt::format("{}: {}: {}", path_, what, std::strerror(errno))};
}

Result<std::unique_ptr<FileSink>> FileSink::Create(const std::string& path, IfExists if_exists) {
  // Not O_TRUNC: another recorder's file is emptied only once its lock is ours.
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (if_exists == IfExists::kRefuse ? O_EXCL : 0);
  const int fd = ::open(path.c_str(), flags, 0666);
  if (fd < 0) {
    if (errno == EEXIST) {
      return Status(ErrorCode::kUsage,
                    fmt::format("{}: the file exists; name another or add --force", path));
    }
    return Status(ErrorCode::kWrite,
                  fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  }
  std::unique_ptr<FileSink> sink(new FileSink(path, fd));
  struct stat info {};
  if (::fstat(fd, &info) != 0) return sink->Error("cannot be examined");
  if (!S_ISREG(info.st_mode)) {
    return Status(ErrorCode::kWrite, fmt::format("{}: is not a regular file", path));
  }
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return Status(ErrorCode::kWrite,
                  fmt::format("{}: another process is writing it; name another file", path));
  }
  if (::ftruncate(fd, 0) != 0) return sink->Error("cannot be emptied");
  return sink;
}

FileSink::~FileSink() { ::close(fd_); }

Status FileSink::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return Error("cannot be written");
    }
    size_ += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Status FileSink::Truncate(uint64_t size) {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) return Error("cannot be cut back");
  if (::lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0) return Error("cannot be positioned");
  size_ = size;
  return {};
}

Status FileSink::Sync() { return ::fdatasync(fd_) == 0 ? Status() : Error("cannot be synced"); }

}  // namespace dstap
