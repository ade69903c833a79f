#include "analyzer/commands/read_files.h"

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <set>
#include <system_error>

#include "analyzer/timeline/read_capture.h"
#include "proto/base/escape.h"
#include "proto/base/file_source.h"

namespace dstap::analyzer {
namespace {

Result<std::unique_ptr<ByteSource>> Open(const std::string& path) {
  DSTAP_TRY_ASSIGN(std::unique_ptr<ByteSource> source, FileSource::Open(path));
  return source;
}

// Those of the machine that this process may use.
int ProcessorsToRunOn() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

FilesRead ReadFiles(std::string_view command, std::span<const std::string> files,
                    TimelineBuilder& builder, Streams streams) {
  FilesRead result;
  const bool has_cores = ProcessorsToRunOn() > 1;
  std::set<std::string> seen;
  for (const std::string& file : files) {
    std::error_code error;
    const std::string place = std::filesystem::canonical(file, error).string();
    if (!seen.insert(error ? file : place).second) {
      streams.notes << "dstap " << command << ": " << Escape(file)
                    << ": is given twice, and is read once\n";
      continue;
    }
    // What comes through a pipe is looked at as it comes, and not when there is much of it.
    const auto read_on =
        has_cores && file != "-" ? capture::ReadOn::kOneMoreThread : capture::ReadOn::kThisThread;
    const CaptureRead read = ReadCapture(file, Open(file), builder, read_on);
    if (read.is_capture) ++result.captures;
    if (read.status.ok()) continue;
    result.status = ExitStatusOf(read.status.code());
    std::string line = read.status.message();
    std::ranges::replace(line, '\n', ' ');  // Of a file's name.
    streams.out.flush();                    // So that the two stay in order on a terminal.
    streams.notes << "dstap " << command << ": " << EscapeLine(line) << '\n';
  }
  return result;
}

}  // namespace dstap::analyzer
