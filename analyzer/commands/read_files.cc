#include "analyzer/commands/read_files.h"

#include <memory>
#include <ostream>

#include "analyzer/timeline/read_capture.h"
#include "proto/base/file_source.h"

namespace dstap::analyzer {
namespace {

Result<std::unique_ptr<ByteSource>> Open(const std::string& path) {
  DSTAP_TRY_ASSIGN(std::unique_ptr<ByteSource> source, FileSource::Open(path));
  return source;
}

}  // namespace

FilesRead ReadFiles(std::string_view command, std::span<const std::string> files,
                    TimelineBuilder& builder, std::ostream& notes) {
  FilesRead result;
  for (const std::string& file : files) {
    const Status status = ReadCapture(file, Open(file), builder);
    if (status.ok() || status.code() == ErrorCode::kDamaged) ++result.readable;
    if (status.ok()) continue;
    result.status = ExitStatusOf(status.code());
    notes << "dstap " << command << ": " << status.message() << '\n';
  }
  return result;
}

}  // namespace dstap::analyzer
