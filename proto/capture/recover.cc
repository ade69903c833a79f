#include "proto/capture/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "proto/capture/capture_writer.h"
#include "proto/capture/totals.h"

namespace dstap::capture {
namespace {

// About kChunkBytesPacked of calls. A chunk that is full before is written by itself.
constexpr uint64_t kRecordsPerChunk = 4096;

// One file takes several recordings, each from a writer of its own. Remembers the first error: the
// writer would go on recording after one, and there is nothing to go on with here.
class SharedSink final : public ByteSink {
 public:
  SharedSink(ByteSink& sink, Status& first_error) : sink_(sink), first_error_(first_error) {}
  Status Append(std::string_view bytes) override { return Keep(sink_.Append(bytes)); }
  Status Truncate(uint64_t size) override { return Keep(sink_.Truncate(size)); }
  Status Sync() override { return Keep(sink_.Sync()); }
  uint64_t size() const override { return sink_.size(); }

 private:
  Status Keep(Status status) {
    if (first_error_.ok()) first_error_ = status;
    return status;
  }

  ByteSink& sink_;
  Status& first_error_;
};

uint64_t More(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// What is good of a file, one recording after the other.
class Recoverer {
 public:
  Recoverer(const CaptureReader& reader, ByteSink& sink) : reader_(reader), sink_(sink) {}

  Status Add(const Record& record);
  // The reader has given everything.
  Result<Recovery> Finish();

 private:
  Status BeginRecording(const Record& record);
  Status EndRecording();
  void AddEnd(const v1::End& end, Time time);
  void AddRow(Time time, v1::Row row);
  void AddLoss(uint64_t calls, uint64_t rows, std::string text);
  void AddComment();
  Status Commit();
  // Ranges that the reader has passed over since this was last asked.
  std::span<const SkippedRange> NewlySkipped();
  void NotePlace(std::span<const SkippedRange> ranges, std::string_view chunks);

  const CaptureReader& reader_;
  ByteSink& sink_;
  Status sink_error_;
  Recovery result_;
  size_t skipped_seen_ = 0;
  uint64_t recording_ = 0;  // As the reader counts them.

  // Of the recording being written.
  std::optional<CaptureWriter> writer_;
  int64_t tick_ns_ = 0;
  uint64_t uncommitted_ = 0;
  uint64_t chunk_offset_ = 0;
  uint64_t chunk_ = 0;
  Time latest_{};
  bool has_header_ = false;
  std::optional<v1::End> end_;
  Time end_time_{};
  Totals found_;            // What was read of it.
  uint64_t skipped_ = 0;    // Ranges passed over in it.
  uint64_t places_ = 0;     // Of those, where records are missing.
  uint64_t end_calls_ = 0;  // Records that its End counts and that are not there.
  uint64_t end_rows_ = 0;
  uint64_t said_calls_ = 0;  // By the rows Loss that were given to the writer.
  uint64_t said_rows_ = 0;
};

std::span<const SkippedRange> Recoverer::NewlySkipped() {
  const auto fresh = reader_.skipped().subspan(skipped_seen_);
  skipped_seen_ += fresh.size();
  return fresh;
}

Status Recoverer::Add(const Record& record) {
  if (reader_.recording() != recording_) {
    DSTAP_TRY(EndRecording());
    DSTAP_TRY(BeginRecording(record));
  } else {
    const auto ranges = NewlySkipped();
    skipped_ += ranges.size();
    const uint64_t missing = More(reader_.chunk_sequence(), chunk_ + 1);
    if (missing > 0 && !ranges.empty()) {
      NotePlace(ranges, missing == 1 ? fmt::format("chunk {}", chunk_ + 1)
                                     : fmt::format("chunks {} to {}", chunk_ + 1,
                                                   reader_.chunk_sequence() - 1));
    }
  }
  chunk_offset_ = reader_.chunk_offset();
  chunk_ = reader_.chunk_sequence();
  if (reader_.tick_ns() % tick_ns_ != 0) ++result_.records_rounded;
  if (record.call != nullptr) {
    const CallRecord& call = *record.call;
    found_.AddCall(call.id, call.outcome == v1::OUTCOME_IN_FLIGHT);
    latest_ = std::max(latest_, call.completed.value_or(call.issued));
    writer_->Add(call);
    ++uncommitted_;
  } else if (record.row->has_end()) {
    AddEnd(record.row->end(), record.time);
  } else {
    found_.AddRow(*record.row);
    if (record.row->has_index()) return {};  // It points into the other file.
    ++result_.rows;
    const bool is_first = found_.rows() == 1 && found_.call_records() == 0;
    if (!is_first || !has_header_) AddRow(record.time, *record.row);
  }
  return uncommitted_ < kRecordsPerChunk ? Status() : Commit();
}

Status Recoverer::BeginRecording(const Record& record) {
  const uint64_t before = std::exchange(recording_, reader_.recording());
  result_.recordings_without_records += recording_ - before - 1;
  ++result_.recordings;
  has_header_ = record.row != nullptr && record.row->has_header();
  v1::Header header;
  if (has_header_) {
    header = record.row->header();
  } else {
    ++result_.recordings_without_header;
    ++result_.rows_added;
  }
  tick_ns_ = reader_.tick_ns();
  CaptureWriter::Options options;
  options.codec = v1::CODEC_ZSTD;
  options.tick_ns = tick_ns_;
  auto writer = CaptureWriter::Create(std::make_unique<SharedSink>(sink_, sink_error_),
                                      std::move(header), options);
  if (!sink_error_.ok()) return sink_error_;
  if (!writer.ok()) return writer.status();
  writer_.emplace(*std::move(writer));

  latest_ = end_time_ = Time();
  end_.reset();
  found_ = Totals();
  skipped_ = places_ = end_calls_ = end_rows_ = said_calls_ = said_rows_ = uncommitted_ = 0;
  const auto ranges = NewlySkipped();
  if (reader_.chunk_sequence() > 0) {
    skipped_ += ranges.size();
    NotePlace(ranges, fmt::format("all before chunk {}", reader_.chunk_sequence()));
  }
  return {};
}

void Recoverer::AddEnd(const v1::End& end, Time time) {
  if (end_) return;
  end_ = end;
  end_time_ = time;
  end_calls_ =
      More(end.call_records(), found_.call_records()) + More(end.calls_lost(), found_.calls_lost());
  end_rows_ = More(end.rows(), found_.rows()) + More(end.rows_lost(), found_.rows_lost());
}

void Recoverer::AddRow(Time time, v1::Row row) {
  latest_ = std::max(latest_, time);
  said_calls_ += row.loss().calls();
  said_rows_ += row.loss().rows();
  writer_->AddRow(time, std::move(row));
  ++uncommitted_;
}

void Recoverer::AddLoss(uint64_t calls, uint64_t rows, std::string text) {
  v1::Row row;
  v1::Loss& loss = *row.mutable_loss();
  loss.set_reason(v1::LOSS_REASON_DAMAGE);
  loss.set_calls(calls);
  loss.set_rows(rows);
  loss.set_text(std::move(text));
  AddRow(latest_, std::move(row));
  ++result_.rows_added;
}

// What the reader says of a range may quote bytes of the file, which are nobody's business who is
// sent the capture: the row says where and which kind.
void Recoverer::NotePlace(std::span<const SkippedRange> ranges, std::string_view chunks) {
  ++places_;
  std::string text(chunks);
  if (!ranges.empty()) {
    const SkippedRange& first = ranges.front();
    text += first.begin == first.end
                ? fmt::format(", at byte {} of the damaged file", first.begin)
                : fmt::format(", bytes {} to {} of the damaged file", first.begin, first.end - 1);
    text += fmt::format(" ({})", InfoOf(first.defect).name);
  }
  if (ranges.size() > 1) text += fmt::format(" and {} more", ranges.size() - 1);
  AddLoss(0, 0, std::move(text));
}

void Recoverer::AddComment() {
  std::string text = "Recovered by dstap " DSTAP_VERSION ":";
  if (!has_header_) text += " there was no Header, clock, rules and seed are unknown;";
  if (skipped_ > 0) {
    text += fmt::format(" {} damaged place{} passed over;", skipped_, skipped_ == 1 ? "" : "s");
  }
  if (end_calls_ + end_rows_ > 0) {
    text += fmt::format(" {} records of calls and {} rows that its End row counts were not there;",
                        end_calls_, end_rows_);
  }
  if (!end_) text += " there was no End row;";
  text.back() = '.';
  v1::Row row;
  row.mutable_comment()->set_text(std::move(text));
  AddRow(latest_, std::move(row));
  ++result_.rows_added;
}

Status Recoverer::Commit() {
  const Status status = writer_->Commit();
  uncommitted_ = 0;
  return sink_error_.ok() ? status : sink_error_;
}

Status Recoverer::EndRecording() {
  if (!writer_) return {};
  // Ranges in front of the next recording are this one's if it goes on there.
  if (!end_) {
    const auto ranges = reader_.skipped().subspan(skipped_seen_);
    skipped_ += ranges.size();
    if (!ranges.empty()) NotePlace(ranges, fmt::format("all behind chunk {}", chunk_));
    result_.places_not_counted += places_;
    ++result_.recordings_without_end;
  } else if (end_calls_ + end_rows_ > 0) {
    AddLoss(end_calls_, end_rows_, "counted by the End row of the damaged file");
    result_.calls_lost += end_calls_;
    result_.rows_lost += end_rows_;
  }
  if (!has_header_ || !end_ || skipped_ > 0 || end_calls_ + end_rows_ > 0) AddComment();
  DSTAP_TRY(Commit());
  const uint64_t large_calls = writer_->calls_lost() - said_calls_;
  const uint64_t large_rows = writer_->rows_lost() - said_rows_;
  result_.records_too_large += large_calls + large_rows;
  result_.calls += found_.calls();
  result_.call_records += found_.call_records() - large_calls;
  result_.rows -= large_rows;
  const Status closed = end_
                            ? writer_->Close(end_time_, end_->reason(), end_->text())
                            : writer_->Close(latest_, v1::END_REASON_RECOVERED, "by dstap recover");
  writer_.reset();
  return sink_error_.ok() ? closed : sink_error_;
}

Result<Recovery> Recoverer::Finish() {
  const bool is_any = writer_.has_value();
  DSTAP_TRY(EndRecording());
  if (!is_any) {
    return Status(ErrorCode::kDamaged, "holds no record that is good; there is nothing to recover");
  }
  result_.recordings_without_records += reader_.recording() - recording_;
  result_.was = reader_.ending();
  result_.skipped.assign(reader_.skipped().begin(), reader_.skipped().end());
  result_.torn_bytes = reader_.torn_bytes();
  result_.unknown_fields = reader_.unknown_fields();
  return std::move(result_);
}

}  // namespace

Result<Recovery> Recover(CaptureReader& reader, ByteSink& sink) {
  Recoverer recoverer(reader, sink);
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<Record> record, reader.Next());
    if (!record) return recoverer.Finish();
    DSTAP_TRY(recoverer.Add(*record));
  }
}

Status CheckRecovered(std::unique_ptr<ByteSource> source, const Recovery& recovery) {
  const auto wrong = [](std::string_view what) {
    return Status(
        ErrorCode::kWrite,
        fmt::format("what was written does not read back: {}; is the disk failing?", what));
  };
  auto reader = CaptureReader::Open(std::move(source), CaptureReader::OnDamage::kStop);
  if (!reader.ok()) return wrong(reader.status().message());
  uint64_t calls = 0;
  uint64_t rows = 0;
  for (;;) {
    const Result<std::optional<Record>> record = reader->Next();
    if (!record.ok()) return wrong(record.status().message());
    if (!*record) break;
    if ((*record)->call != nullptr) {
      ++calls;
    } else if (!(*record)->row->has_end() && !(*record)->row->has_index()) {
      ++rows;
    }
  }
  if (reader->ending() != Ending::kClosed) return wrong("it is not closed");
  // Of a record that was too large the writer tells in rows of its own.
  const uint64_t rows_written = recovery.rows + recovery.rows_added;
  const bool rows_fit =
      recovery.records_too_large == 0 ? rows == rows_written : rows >= rows_written;
  if (calls != recovery.call_records || !rows_fit || reader->recording() != recovery.recordings) {
    return wrong(
        fmt::format("{} recordings, {} records of calls and {} rows instead of {}, {} and {}",
                    reader->recording(), calls, rows, recovery.recordings, recovery.call_records,
                    rows_written));
  }
  return {};
}

}  // namespace dstap::capture
