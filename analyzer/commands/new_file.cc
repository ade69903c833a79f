#include "analyzer/commands/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;

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

std::string SiblingOf(const std::string& path, std::string_view suffix) {
  return TargetOf(path) + std::string(suffix);
}

NewFile::NewFile(std::string path, std::string sibling, bool may_replace,
                 std::unique_ptr<FileSink> sink)
    : path_(std::move(path)),
      sibling_(std::move(sibling)),
      may_replace_(may_replace),
      sink_(std::move(sink)) {}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      sibling_(std::move(other.sibling_)),
      may_replace_(other.may_replace_),
      sink_(std::move(other.sink_)),
      is_mine_(std::exchange(other.is_mine_, false)) {}

NewFile::~NewFile() {
  if (!is_mine_) return;
  if (sink_) sink_->Discard();
  std::remove(sibling_.c_str());
}

Result<NewFile> NewFile::Create(const std::string& path, std::string_view suffix,
                                bool may_replace) {
  std::error_code error;
  const fs::file_status what = fs::status(path, error);
  if (fs::exists(what)) {
    if (!may_replace) return Exists(path);
    if (!fs::is_regular_file(what)) {
      return Status(ErrorCode::kWrite,
                    fmt::format("{}: is not a regular file; name another", path));
    }
  }
  std::string target = TargetOf(path);
  std::string sibling = target + std::string(suffix);
  DSTAP_TRY_ASSIGN(auto sink, FileSink::Create(sibling, FileSink::IfExists::kReplace));
  return NewFile(std::move(target), std::move(sibling), may_replace, std::move(sink));
}

Status NewFile::Sync() {
  DSTAP_TRY(sink_->Sync());
  return sink_->Publish();  // Over what a killed run left.
}

Status NewFile::Finish() {
  // Another one may have made the file in the meantime.
  const unsigned flags = may_replace_ ? 0 : RENAME_NOREPLACE;
  int result = ::renameat2(AT_FDCWD, sibling_.c_str(), AT_FDCWD, path_.c_str(), flags);
  // A file system that cannot refuse to replace.
  if (result != 0 && errno == EINVAL) result = std::rename(sibling_.c_str(), path_.c_str());
  if (result != 0) {
    if (errno == EEXIST) return Exists(path_);
    return {ErrorCode::kWrite,
            fmt::format("{}: cannot be created: {}", path_, std::strerror(errno))};
  }
  is_mine_ = false;
  return {};
}

}  // namespace dstap::analyzer
