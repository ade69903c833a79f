#include "analyzer/commands/inspect_files.h"

#include <algorithm>
#include <ostream>

#include "proto/base/escape.h"
#include "proto/base/file_source.h"

namespace dstap::analyzer {

std::string ShownPath(const std::string& path) {
  return path == "-" ? "standard input" : Escape(path);
}

Result<capture::CaptureReader> OpenCapture(const std::string& path) {
  DSTAP_TRY_ASSIGN(auto source, FileSource::Open(path));
  return capture::CaptureReader::Open(std::move(source), capture::CaptureReader::OnDamage::kSkip);
}

ExitStatus InspectFiles(std::string_view command, std::span<const std::string> paths,
                        Streams streams,
                        const std::function<Result<ExitStatus>(const std::string& path)>& inspect) {
  ExitStatus worst = ExitStatus::kFine;
  for (const std::string& path : paths) {
    const Result<ExitStatus> result = inspect(path);
    ExitStatus status = ExitStatus::kFine;
    if (result.ok()) {
      status = *result;
    } else {
      const Status& error = result.status();
      streams.out.flush();  // So that the two stay in order on a terminal.
      streams.notes << "dstap " << command << ": ";
      // The operating system's errors name the file already.
      if (error.code() != ErrorCode::kRead && error.code() != ErrorCode::kNotFound) {
        streams.notes << ShownPath(path) << ": ";
      }
      streams.notes << error.message() << '\n';
      status = ExitStatusOf(error.code());
    }
    worst = std::max(worst, status);
  }
  return worst;
}

}  // namespace dstap::analyzer
