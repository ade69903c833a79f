#include "proto/capture/pack.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "proto/base/file_source.h"
#include "proto/base/whole_file.h"
#include "proto/capture/chunk_frame.h"
#include "proto/capture/in_flight_records.h"

namespace dstap::capture {
namespace {

// What the first pass finds out.
struct Plan {
  InFlightRecords in_flight;
  uint64_t rows = 0;
  int64_t tick_ns = kTickNs;
};

Result<Plan> MakePlan(const OpenSource& open) {
  Plan plan;
  DSTAP_TRY_ASSIGN(RecordingReader reader, RecordingReader::Open(open));
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, reader.Next());
    if (!item) break;
    if (item->begins) plan.in_flight.BeginRecording();
    if (!HasWholeTicks(item->record)) plan.tick_ns = 1;
    if (item->record.call != nullptr) {
      plan.in_flight.Add(*item->record.call);
    } else {
      ++plan.rows;
    }
  }
  DSTAP_TRY(reader.CheckKnown());
  plan.in_flight.Done();
  return plan;
}

// The second pass.
class Packer {
 public:
  Packer(Plan plan, ByteSink& to, const PackOptions& options)
      : plan_(std::move(plan)),
        writer_(to, {.zstd_level = options.zstd_level,
                     .chunk_bytes = options.chunk_bytes,
                     .tick_ns = plan_.tick_ns}) {}

  Status Add(const RecordingReader::Item& item) {
    if (item.record.call != nullptr) {
      if (plan_.in_flight.Stays(*item.record.call)) return writer_.Add(*item.record.call);
      ++folded_;
      return {};
    }
    ++rows_;
    const v1::Row& row = *item.record.row;
    if (item.begins) {
      DSTAP_TRY(Finish());
      is_open_ = true;
      ++begun_;
      return writer_.Begin(row.header());
    }
    if (row.has_index()) return {};  // A new one is made.
    if (!row.has_end()) return writer_.AddRow(item.record.time, row);
    is_open_ = false;
    ++ended_;
    return writer_.End(item.record.time, row.end().reason(), row.end().text());
  }

  // Ends the recording at hand, if its End has not.
  Status Finish() { return std::exchange(is_open_, false) ? writer_.Leave() : Status(); }

  uint64_t folded() const { return folded_; }
  bool all_ended() const { return begun_ == ended_; }
  bool is_done() const {
    return rows_ == plan_.rows && plan_.in_flight.asked() == plan_.in_flight.records();
  }

 private:
  Plan plan_;
  RewriteWriter writer_;
  bool is_open_ = false;
  uint64_t begun_ = 0;
  uint64_t ended_ = 0;
  uint64_t folded_ = 0;
  uint64_t rows_ = 0;
};

// What is in a capture: its records, and how it ends.
struct Contents {
  uint64_t call_records = 0;
  uint64_t rows = 0;
  Ending ending{};
};

Result<Contents> ContentsOf(const OpenSource& open) {
  Contents contents;
  DSTAP_TRY_ASSIGN(RecordingReader reader, RecordingReader::Open(open));
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, reader.Next());
    if (!item) break;
    const bool is_index = item->record.row != nullptr && item->record.row->has_index();
    if (!is_index) ++(item->record.call != nullptr ? contents.call_records : contents.rows);
  }
  contents.ending = reader.reader().ending();
  return contents;
}

OpenSource Opener(const std::string& path) {
  return [path]() -> Result<std::unique_ptr<ByteSource>> {
    DSTAP_TRY_ASSIGN(std::unique_ptr<ByteSource> source, FileSource::Open(path));
    return source;
  };
}

// A file is replaced only by what can be read and holds as much.
Status CheckSame(const std::string& before, const std::string& after, uint64_t folded) {
  DSTAP_TRY_ASSIGN(const Contents was, ContentsOf(Opener(before)));
  DSTAP_TRY_ASSIGN(const Contents is, ContentsOf(Opener(after)));
  if (is.call_records + folded == was.call_records && is.rows == was.rows &&
      is.ending == was.ending) {
    return {};
  }
  return {ErrorCode::kWrite,
          fmt::format("what was written reads back as {} records of calls and {} rows, not as {} "
                      "and {}; is the disk failing?",
                      is.call_records, is.rows, was.call_records - folded, was.rows)};
}

Status Named(const std::string& path, Status status) {
  if (status.message().starts_with(path)) return status;
  return std::move(status).At(path);
}

Result<PackResult> PackInPlace(const std::string& path, const PackFileOptions& options) {
  DSTAP_TRY_ASSIGN(WholeFile file,
                   WholeFile::Create(path, {.if_exists = FileSink::IfExists::kReplace,
                                            .is_locked = options.is_locked}));
  DSTAP_TRY_ASSIGN(const PackResult result, Pack(Opener(path), file.sink(), options.pack));
  DSTAP_TRY(CheckSame(path, file.sibling(), result.records_folded));
  DSTAP_TRY(file.Publish());
  return result;
}

}  // namespace

Result<PackResult> Pack(const OpenSource& open, ByteSink& to, const PackOptions& options) {
  const uint64_t begin = to.size();
  DSTAP_TRY_ASSIGN(Plan plan, MakePlan(open));
  Packer packer(std::move(plan), to, options);
  DSTAP_TRY_ASSIGN(RecordingReader reader, RecordingReader::Open(open));
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<RecordingReader::Item> item, reader.Next());
    if (!item) break;
    DSTAP_TRY(packer.Add(*item));
  }
  DSTAP_TRY(packer.Finish());
  if (!packer.is_done()) {
    return Status(ErrorCode::kRead, "changed while it was read; is it still being recorded?");
  }
  const CaptureReader& read = reader.reader();
  // A recording of which no chunk was written whole: its magic is all there is to keep.
  if (read.ending() == Ending::kUnfinished && packer.all_ended()) {
    DSTAP_TRY(to.Append(MagicBytes()));
  }
  return PackResult{.bytes_before = read.bytes_read(),
                    .bytes_after = to.size() - begin,
                    .records_folded = packer.folded(),
                    .torn_bytes = read.torn_bytes()};
}

Result<PackResult> PackFile(const std::string& path, const PackFileOptions& options) {
  Result<PackResult> result = PackInPlace(path, options);
  if (!result.ok()) return Named(path, result.status());
  return result;
}

}  // namespace dstap::capture
