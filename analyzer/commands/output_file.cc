#include "analyzer/commands/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "proto/base/file_sink.h"

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;

Status Fill(const std::string& path, std::string_view bytes) {
  DSTAP_TRY_ASSIGN(std::unique_ptr<FileSink> sink,
                   FileSink::Create(path, FileSink::IfExists::kReplace));
  DSTAP_TRY(sink->Append(bytes));
  DSTAP_TRY(sink->Sync());
  return sink->Publish();  // Over what a killed run left.
}

}  // namespace

Status WriteWhole(const std::string& path, std::string_view bytes) {
  std::error_code error;
  const fs::file_status what = fs::status(path, error);
  if (fs::exists(what) && !fs::is_regular_file(what)) {
    return {ErrorCode::kWrite, fmt::format("{}: is not a regular file; name another, or \"-\" for "
                                           "standard output",
                                           path)};
  }
  std::string target = path;
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    const fs::path resolved = fs::weakly_canonical(path, error);
    if (!error) target = resolved.string();
  }
  const std::string part = target + ".part";
  if (Status status = Fill(part, bytes); !status.ok()) {
    fs::remove(part, error);
    return status;
  }
  if (std::rename(part.c_str(), target.c_str()) != 0) {
    const int rename_error = errno;
    fs::remove(part, error);
    return {ErrorCode::kWrite,
            fmt::format("{}: cannot be replaced: {}", path, std::strerror(rename_error))};
  }
  return {};
}

bool WantsColour(const std::ostream& out) {
  if (&out != &std::cout || ::isatty(STDOUT_FILENO) != 1) return false;
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace dstap::analyzer
