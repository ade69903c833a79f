#include "analyzer/timeline/read_capture.h"

#include <fmt/format.h>

#include <utility>

#include "proto/capture/capture_reader.h"

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
Status ReadRecords(capture::CaptureReader& reader, TimelineBuilder& builder) {
  uint64_t recording = 0;
  for (;;) {
    Result<std::optional<capture::Record>> record = reader.Next();
    if (!record.ok()) return record.status();
    if (!*record) return {};
    if (std::exchange(recording, reader.recording()) != reader.recording()) {
      builder.NextRecording();
    }
    builder.Add(**record);
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
                        TimelineBuilder& builder) {
  builder.BeginFile(name);
  const auto fail = [&](const Status& status, bool is_capture) {
    Status named = WithName(status, name);
    builder.EndFile({.state = FileState::kUnreadable, .error = named.message()});
    return CaptureRead{std::move(named), is_capture};
  };
  if (!source.ok()) return fail(source.status(), false);
  auto reader =
      capture::CaptureReader::Open(*std::move(source), capture::CaptureReader::OnDamage::kSkip);
  if (!reader.ok()) return fail(reader.status(), false);
  if (const Status status = ReadRecords(*reader, builder); !status.ok()) return fail(status, true);

  FileEnd end;
  end.state = StateOf(reader->ending());
  for (const capture::SkippedRange& range : reader->skipped()) {
    end.skipped.push_back({.begin = range.begin, .end = range.end, .why = range.why});
  }
  end.torn_bytes = reader->torn_bytes();
  end.unknown_fields = reader->unknown_fields();
  builder.EndFile(end);
  return {DamageOf(name, end), true};
}

}  // namespace dstap::analyzer
