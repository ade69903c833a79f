#include "proto/base/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "proto/base/file_lock.h"

namespace dstap {
namespace {

namespace fs = std::filesystem;

Status Error(const std::string& path, std::string_view what) {
  return {ErrorCode::kWrite, fmt::format("{}: {}: {}", path, what, std::strerror(errno))};
}

// Where a symbolic link leads, else `path` itself.
std::string TargetOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

Status Exists(const std::string& path) {
  return {ErrorCode::kUsage, fmt::format("{}: the file exists; name another or add --force", path)};
}

}  // namespace

WholeFile::WholeFile(WholeFile&& other) noexcept
    : shown_(std::move(other.shown_)),
      target_(std::move(other.target_)),
      sibling_(std::move(other.sibling_)),
      may_replace_(other.may_replace_),
      sink_(std::move(other.sink_)),
      replaced_fd_(std::exchange(other.replaced_fd_, -1)),
      mode_(other.mode_) {}

WholeFile::~WholeFile() {
  if (sink_ != nullptr) sink_->Discard();
  if (replaced_fd_ >= 0) ::close(replaced_fd_);
}

Status WholeFile::Lock(const Options& options) {
  // Not O_RDWR: only the name is written. O_NONBLOCK: a pipe without a writer must not hang.
  replaced_fd_ = ::open(target_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (replaced_fd_ < 0) {
    return errno == ENOENT ? Status() : Error(shown_, "cannot be replaced");
  }
  struct stat info {};
  if (::fstat(replaced_fd_, &info) != 0) return Error(shown_, "cannot be examined");
  if (!S_ISREG(info.st_mode)) {
    return {ErrorCode::kWrite, fmt::format("{}: is not a regular file; name another", shown_)};
  }
  if (options.if_exists == FileSink::IfExists::kRefuse) {
    return Exists(shown_);
  }
  if (::access(target_.c_str(), W_OK) != 0) return Error(shown_, "cannot be replaced");
  if (!options.is_locked) DSTAP_TRY(LockForWriting(replaced_fd_, shown_));
  mode_ = info.st_mode & 07777;
  return {};
}

Status WholeFile::RemoveSibling() const {
  const int fd = ::open(sibling_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno == ENOENT ? Status() : Error(sibling_, "cannot be replaced");
  Status status = LockForWriting(fd, shown_);
  if (status.ok() && ::unlink(sibling_.c_str()) != 0) {
    status = Error(sibling_, "cannot be replaced");
  }
  ::close(fd);
  return status;
}

std::string WholeFile::SiblingOf(const std::string& path, std::string_view suffix) {
  return TargetOf(path) + std::string(suffix);
}

Result<WholeFile> WholeFile::Create(const std::string& path, const Options& options) {
  WholeFile file(path, TargetOf(path), options);
  DSTAP_TRY(file.Lock(options));
  DSTAP_TRY(file.RemoveSibling());
  DSTAP_TRY_ASSIGN(file.sink_, FileSink::Create(file.sibling_, FileSink::IfExists::kRefuse));
  return file;
}

Status WholeFile::Publish() {
  if (replaced_fd_ >= 0 && ::chmod(sibling_.c_str(), static_cast<mode_t>(mode_)) != 0) {
    return Error(sibling_, "cannot be given its permissions");
  }
  DSTAP_TRY(sink_->Sync());
  const unsigned flags = may_replace_ ? 0 : RENAME_NOREPLACE;
  int result = ::renameat2(AT_FDCWD, sibling_.c_str(), AT_FDCWD, target_.c_str(), flags);
  // A file system that cannot refuse to replace.
  if (result != 0 && errno == EINVAL) result = std::rename(sibling_.c_str(), target_.c_str());
  if (result != 0) {
    return errno == EEXIST ? Exists(shown_) : Error(shown_, "cannot be given its name");
  }
  sink_.reset();
  return {};
}

}  // namespace dstap
