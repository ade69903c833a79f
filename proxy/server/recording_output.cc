#include "proxy/server/recording_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "proto/base/check.h"
#include "proto/base/file_source.h"
#include "proto/capture/append_point.h"
#include "proto/capture/capture_file.h"
#include "proto/capture/pack.h"

namespace dstap::proxy {
namespace fs = std::filesystem;

Result<RecordingOutput> RecordingOutput::Open(OutputOptions options, v1::Header header) {
  DSTAP_CHECK(!options.rotate || !options.flight);
  RecordingOutput output(std::move(options));
  const bool has_parts = output.options_.rotate || output.options_.flight;
  DSTAP_TRY(has_parts ? output.OpenParts(std::move(header)) : output.OpenOne(std::move(header)));
  return output;
}

Status RecordingOutput::OpenOne(v1::Header header) {
  const std::string& path = options_.path;
  std::error_code ignored;
  is_new_ = !fs::exists(path, ignored);
  DSTAP_TRY_ASSIGN(std::unique_ptr<FileSink> file, FileSink::Create(path, options_.if_exists));
  if (file->size() > 0) {  // Appended to. Only now: the lock keeps others from writing.
    DSTAP_TRY_ASSIGN(auto source, FileSource::Open(path));
    auto point = capture::AppendPoint(std::move(source));
    if (!point.ok()) return Status(point.status()).At(path);
    DSTAP_TRY(file->Truncate(*point));
  }
  FileSink* const sink = file.get();
  const uint64_t before = sink->size();
  auto made = capture::CaptureFile::Create(std::move(file), std::move(header), {});
  if (!made.ok()) {
    // The sink is gone with it.
    if (before > 0) {
      fs::resize_file(path, before, ignored);
    } else {
      fs::remove(is_new_ ? path : path + ".part", ignored);
    }
    return {ErrorCode::kWrite,
            fmt::format("{}: the capture cannot be begun, and the command was not started; is the "
                        "disk full?",
                        path)};
  }
  file_ = sink;
  sink_ = *std::move(made);
  return {};
}

Status RecordingOutput::OpenParts(v1::Header header) {
  if (options_.if_exists == FileSink::IfExists::kAppend) {
    return {ErrorCode::kUsage, "--append is for one file; leave it out, or --rotate and --keep"};
  }
  parts_ = std::make_shared<PartFiles>(
      PartFiles::Options{
          .path = options_.path, .if_exists = options_.if_exists, .packs = options_.packs},
      std::move(header));
  if (options_.flight) {
    sink_ = std::make_unique<FlightRecorder>(parts_, *options_.flight);
    return {};
  }
  DSTAP_TRY_ASSIGN(sink_, RotatingFile::Create(parts_, *options_.rotate));
  return {};
}

Status RecordingOutput::Publish() {
  return file_ == nullptr || options_.replace_at_end ? Status() : file_->Publish();
}

void RecordingOutput::Discard() {
  if (file_ != nullptr) file_->Discard();
  std::error_code ignored;
  for (const std::string& name : names()) {
    if (parts_ != nullptr) fs::remove(name, ignored);
  }
}

RecordingOutput::Finished RecordingOutput::Finish() {
  Finished finished;
  if (file_ == nullptr) return finished;  // Each part is packed already.
  if (options_.replace_at_end) finished.published = file_->Publish();
  if (!finished.published.ok() || !options_.packs || file_->size() > kPackBytesMax) return finished;
  finished.packed = capture::PackFile(options_.path, {.is_locked = true}).status();
  return finished;
}

std::vector<std::string> RecordingOutput::names() const {
  return parts_ == nullptr ? std::vector<std::string>{options_.path} : parts_->names();
}

}  // namespace dstap::proxy
