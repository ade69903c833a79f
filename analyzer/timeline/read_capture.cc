#include "analyzer/timeline/read_capture.h"

#include <fmt/format.h>

#include <utility>

namespace dstap::analyzer {
namespace {

// Errors of reading name the file themselves; what the reader finds in it does not.
Status WithName(Status status, const std::string& name) {
  const bool is_named = status.message().starts_with(name + ": ") || name == "-";
  return is_named ? status : std::move(status).At(name);
}

FileState StateOf(capture::Ending ending) {
  switch (ending) {
    case capture::Ending::kClosed:
      return FileState::kClosed;
    case capture::Ending::kUnfinished:
      return FileState::kUnfinished;
    case capture::Ending::kDamaged:
      return FileState::kDamaged;
  }
  return FileState::kDamaged;
}

// Up to the end, or to the first error that reading cannot pass.
Status ReadRecords(capture::ReadAhead& chunks, TimelineBuilder& builder) {
  uint64_t recording = 0;
  for (;;) {
    DSTAP_TRY_ASSIGN(capture::LoadedChunk* const chunk, chunks.Next());
    if (chunk == nullptr) return {};
    if (std::exchange(recording, chunk->recording()) != chunk->recording()) builder.NextRecording();
    builder.AddChunk(chunk->records());
  }
}

Status DamageOf(const std::string& name, const FileEnd& end) {
  if (end.state != FileState::kDamaged) return {};
  std::string what = "it does not add up";
  if (!end.skipped.empty()) {
    const SkippedBytes& first = end.skipped.front();
    what = fmt::format("byte {}: {}", first.begin, first.why);
    if (end.skipped.size() > 1) what += fmt::format(" (and {} more)", end.skipped.size() - 1);
  }
  return {ErrorCode::kDamaged,
          fmt::format("{}: damaged: {}; the rest was read, and \"dstap verify\" lists all damage",
                      name, what)};
}

}  // namespace

CaptureRead ReadCapture(const std::string& name, Result<std::unique_ptr<ByteSource>> source,
                        TimelineBuilder& builder, capture::ReadOn read_on) {
  builder.BeginFile(name);
  const auto fail = [&](const Status& status, bool is_capture) {
    Status named = WithName(status, name);
    builder.EndFile({.state = FileState::kUnreadable, .error = named.message()});
    return CaptureRead{std::move(named), is_capture};
  };
  if (!source.ok()) return fail(source.status(), false);
  auto opened =
      capture::CaptureReader::Open(*std::move(source), capture::CaptureReader::OnDamage::kSkip);
  if (!opened.ok()) return fail(opened.status(), false);
  capture::ReadAhead chunks(*std::move(opened), read_on);
  if (const Status status = ReadRecords(chunks, builder); !status.ok()) return fail(status, true);
  const capture::CaptureReader& reader = chunks.reader();

  FileEnd end;
  end.state = StateOf(reader.ending());
  for (const capture::SkippedRange& range : reader.skipped()) {
    end.skipped.push_back({.begin = range.begin, .end = range.end, .why = range.why});
  }
  end.torn_bytes = reader.torn_bytes();
  end.unknown_fields = reader.unknown_fields();
  builder.EndFile(end);
  return {DamageOf(name, end), true};
}

}  // namespace dstap::analyzer
