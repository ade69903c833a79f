#include "proto/base/file_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "proto/base/file_lock.h"

namespace dstap {

namespace {

Status Exists(const std::string& path) {
  return {ErrorCode::kUsage, fmt::format("{}: the file exists; name another or add --force", path)};
}

// A file without a name in the folder of `path`, which does not exist yet. -1: the file system has
// none, the kernel is older, or the folder cannot be written.
int OpenUnnamed(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 || errno != ENOENT) return -1;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

}  // namespace

Status FileSink::Error(const char* what) const {
  return {ErrorCode::kWrite, fmt::format("{}: {}: {}", path_, what, std::strerror(errno))};
}

Status FileSink::Lock() {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return Error("cannot be examined");
  if (!S_ISREG(info.st_mode)) {
    return {ErrorCode::kWrite, fmt::format("{}: is not a regular file", path_)};
  }
  return LockForWriting(fd_, path_);
}

Result<std::unique_ptr<FileSink>> FileSink::Create(const std::string& path, IfExists if_exists) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC;
  const auto failed = [&path] {
    return Status(ErrorCode::kWrite,
                  fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  };
  // O_NONBLOCK: a pipe without a reader must not hang; a file does not mind.
  const auto open_existing = [&](const std::string& name, int flags) {
    return ::open(name.c_str(), flags | O_NONBLOCK, 0666);
  };
  int fd = OpenUnnamed(path);
  const bool is_unnamed = fd >= 0;
  if (!is_unnamed) fd = ::open(path.c_str(), kFlags | O_EXCL, 0666);
  const bool exists = fd < 0 && errno == EEXIST;
  std::unique_ptr<FileSink> replaced;
  if (exists) {
    if (if_exists == IfExists::kRefuse) return Exists(path);
    fd = open_existing(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return failed();
    if (if_exists == IfExists::kReplace) {
      replaced.reset(new FileSink(path, fd));
      DSTAP_TRY(replaced->Lock());
      // Not O_TRUNC: another recorder's file is emptied only once its lock is ours.
      fd = open_existing(path + ".part", kFlags);
    }
  }
  if (fd < 0) return failed();
  std::unique_ptr<FileSink> sink(new FileSink(path, fd));
  sink->is_unnamed_ = is_unnamed;
  DSTAP_TRY(sink->Lock());
  if (replaced != nullptr) sink->replaced_fd_ = std::exchange(replaced->fd_, -1);
  if (exists && if_exists == IfExists::kAppend) {
    const off_t end = ::lseek(fd, 0, SEEK_END);
    if (end < 0) return sink->Error("cannot be positioned");
    sink->appended_from_ = sink->size_ = static_cast<uint64_t>(end);
  } else if (::ftruncate(fd, 0) != 0) {
    return sink->Error("cannot be emptied");
  }
  return sink;
}

FileSink::~FileSink() {
  if (fd_ >= 0) ::close(fd_);
  if (replaced_fd_ >= 0) ::close(replaced_fd_);
}

Status FileSink::Name() {
  if (!is_unnamed_) return {};
  const std::string unnamed = fmt::format("/proc/self/fd/{}", fd_);
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    return errno == EEXIST ? Exists(path_) : Error("cannot be given its name");
  }
  is_unnamed_ = false;
  return {};
}

Status FileSink::Publish() {
  if (replaced_fd_ < 0) return {};
  if (::rename((path_ + ".part").c_str(), path_.c_str()) != 0) return Error("cannot be replaced");
  ::close(replaced_fd_);
  replaced_fd_ = -1;
  return {};
}

void FileSink::Discard() {
  if (appended_from_) {
    [[maybe_unused]] const int ignored = ::ftruncate(fd_, static_cast<off_t>(*appended_from_));
    return;
  }
  if (is_unnamed_) return;
  ::unlink((replaced_fd_ < 0 ? path_ : path_ + ".part").c_str());
}

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
  return Name();
}

Status FileSink::Truncate(uint64_t size) {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) return Error("cannot be cut back");
  if (::lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0) return Error("cannot be positioned");
  size_ = size;
  return {};
}

Status FileSink::Sync() {
  DSTAP_TRY(Name());
  return ::fdatasync(fd_) == 0 ? Status() : Error("cannot be synced");
}

}  // namespace dstap
