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

Status FileSink::LockAndEmpty() {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return Error("cannot be examined");
  if (!S_ISREG(info.st_mode)) {
    return {ErrorCode::kWrite, fmt::format("{}: is not a regular file", path_)};
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    return {ErrorCode::kWrite,
            fmt::format("{}: another process is writing it; name another file", path_)};
  }
  return ::ftruncate(fd_, 0) == 0 ? Status() : Error("cannot be emptied");
}

Result<std::unique_ptr<FileSink>> FileSink::Create(const std::string& path, IfExists if_exists) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC;
  const auto failed = [&path] {
    return Status(ErrorCode::kWrite,
                  fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  };
  int fd = ::open(path.c_str(), kFlags | O_EXCL, 0666);
  int replaced_fd = -1;
  if (fd < 0 && errno == EEXIST) {
    if (if_exists == IfExists::kRefuse) {
      return Status(ErrorCode::kUsage,
                    fmt::format("{}: the file exists; name another or add --force", path));
    }
    replaced_fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (replaced_fd < 0) return failed();
    struct stat info {};
    const bool regular = ::fstat(replaced_fd, &info) == 0 && S_ISREG(info.st_mode);
    if (!regular || ::flock(replaced_fd, LOCK_EX | LOCK_NB) != 0) {
      ::close(replaced_fd);
      return Status(ErrorCode::kWrite,
                    fmt::format("{}: {}", path,
                                regular ? "another process is writing it; name another file"
                                        : "is not a regular file"));
    }
    // Not O_TRUNC: another recorder's file is emptied only once its lock is ours.
    fd = ::open((path + ".part").c_str(), kFlags, 0666);
  }
  if (fd < 0) {
    const Status status = failed();
    if (replaced_fd >= 0) ::close(replaced_fd);
    return status;
  }
  std::unique_ptr<FileSink> sink(new FileSink(path, fd));
  sink->replaced_fd_ = replaced_fd;
  DSTAP_TRY(sink->LockAndEmpty());
  return sink;
}

FileSink::~FileSink() {
  ::close(fd_);
  if (replaced_fd_ >= 0) ::close(replaced_fd_);
}

Status FileSink::Publish() {
  if (replaced_fd_ < 0) return {};
  if (::rename((path_ + ".part").c_str(), path_.c_str()) != 0) return Error("cannot be replaced");
  ::close(replaced_fd_);
  replaced_fd_ = -1;
  return {};
}

void FileSink::Discard() { ::unlink((replaced_fd_ < 0 ? path_ : path_ + ".part").c_str()); }

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
