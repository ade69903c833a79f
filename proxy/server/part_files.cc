#include "proxy/server/part_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "proto/capture/chunk_builder.h"
#include "proto/capture/pack.h"

namespace dstap::proxy {

using capture::CaptureFile;
using capture::StandingRow;

namespace {

// What a part begins with, as chunks: one as a rule.
Status AppendStanding(const std::vector<StandingRow>& standing, CaptureFile& file) {
  capture::ChunkBuilder builder(capture::kTickNs);
  capture::SealedChunk chunk;
  const auto append = [&]() -> Status {
    if (builder.empty()) return {};
    chunk.Take(builder);
    return file.Append(chunk);
  };
  for (const StandingRow& standing_row : standing) {
    const auto row = [&standing_row] {
      v1::Row copy = standing_row.row;
      if (copy.has_step_begin()) copy.mutable_step_begin()->set_partial(true);
      return copy;
    };
    if (builder.AddRow(standing_row.time, row())) continue;
    DSTAP_TRY(append());
    builder.AddRow(standing_row.time, row());
  }
  return append();
}

}  // namespace

PartFiles::PartFiles(Options options, v1::Header header)
    : options_(std::move(options)), header_(std::move(header)) {}

std::string PartFiles::NameOf(size_t part) const {
  const std::filesystem::path path = options_.path;
  std::filesystem::path name = path.parent_path() / path.stem();
  name += fmt::format(".{:04}", part);
  name += path.extension();
  return name.string();
}

Result<PartFiles::Part> PartFiles::Open(const std::vector<StandingRow>& standing) {
  const std::string name = NameOf(names_.size() + 1);
  DSTAP_TRY_ASSIGN(auto sink, FileSink::Create(name, options_.if_exists));
  FileSink& file_sink = *sink;
  v1::Header header = header_;
  header.set_part(static_cast<uint32_t>(names_.size() + 1));
  auto file = CaptureFile::Create(std::move(sink), std::move(header), {});
  if (!file.ok()) {
    // The sink is gone with it. A file that was to be replaced stands beside it, untouched.
    std::error_code ignored;
    const std::string part = name + ".part";
    std::filesystem::remove(std::filesystem::exists(part, ignored) ? part : name, ignored);
    return file.status();
  }
  if (Status status = AppendStanding(standing, **file); !status.ok()) {
    file_sink.Discard();
    return status;
  }
  DSTAP_TRY(file_sink.Publish());
  names_.push_back(name);
  return Part{name, *std::move(file)};
}

Status PartFiles::Finish(Part& part, Time time, v1::EndReason reason, std::string_view text) {
  const std::unique_ptr<CaptureFile> file = std::move(part.file);
  const Status closed = file->Close(time, reason, text);
  calls_ += file->calls();
  calls_lost_ += file->calls_lost();
  rows_lost_ += file->rows_lost();
  if (closed.ok() && options_.packs) {
    static_cast<void>(capture::PackFile(part.name, {.is_locked = true}).ok());
  }
  return closed;
}

uint64_t PartFiles::calls(const Part& part) const {
  return calls_ + (part.file == nullptr ? 0 : part.file->calls());
}
uint64_t PartFiles::calls_lost(const Part& part) const {
  return calls_lost_ + (part.file == nullptr ? 0 : part.file->calls_lost());
}
uint64_t PartFiles::rows_lost(const Part& part) const {
  return rows_lost_ + (part.file == nullptr ? 0 : part.file->rows_lost());
}

}  // namespace dstap::proxy
