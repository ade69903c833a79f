#include "proto/capture/capture_writer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "proto/capture/standing_rows.h"

namespace dstap::capture {

CaptureWriter::CaptureWriter(std::unique_ptr<ChunkSink> sink, Options options)
    : sink_(std::move(sink)), options_(options), chunk_(options.tick_ns, options.chunk_bytes_max) {}

Result<CaptureWriter> CaptureWriter::Create(std::unique_ptr<ByteSink> sink, v1::Header header,
                                            Options options) {
  DSTAP_TRY_ASSIGN(auto file, CaptureFile::Create(std::move(sink), std::move(header),
                                                  {.codec = options.codec,
                                                   .zstd_level = options.zstd_level,
                                                   .tick_ns = options.tick_ns}));
  return CaptureWriter(std::move(file), options);
}

template <typename F>
bool CaptureWriter::AddOrStartAnother(F add) {
  if (add()) return true;
  if (!chunk_.empty()) {
    Status status = HandOn();
    if (deferred_.ok()) deferred_ = std::move(status);
  }
  return add();
}

void CaptureWriter::Add(const CallRecord& call) {
  if (AddOrStartAnother([&] { return chunk_.Add(call); })) {
    sealed_.marks.push_back({call.id, call.outcome == v1::OUTCOME_IN_FLIGHT});
  } else {
    LoseTooLarge(call.completed.value_or(call.issued), 1, 0);
  }
}

void CaptureWriter::AddRow(Time time, v1::Row row) {
  const uint64_t calls = row.loss().calls();
  const uint64_t rows = row.loss().rows();
  std::optional<v1::Row> standing;
  if (options_.has_standing_rows && StandingRows::Stands(row)) standing = row;
  if (!AddOrStartAnother([&] { return chunk_.AddRow(time, std::move(row)); })) {
    LoseTooLarge(time, calls, rows + 1);
    return;
  }
  sealed_.reported_calls += calls;
  sealed_.reported_rows += rows;
  if (standing) sealed_.standing.push_back({time, *std::move(standing)});
}

void CaptureWriter::LoseTooLarge(Time time, uint64_t calls, uint64_t rows) {
  sink_->Lose(time, {.reason = v1::LOSS_REASON_OVERFLOW,
                     .calls = calls,
                     .rows = rows,
                     .text = fmt::format("a record over the limit of {} bytes", kChunkBytesMax)});
}

Status CaptureWriter::HandOn() {
  sealed_.Take(chunk_);
  Status status = sink_->Append(sealed_);
  sealed_.Clear();
  return status;
}

Status CaptureWriter::Commit() {
  Status status = std::exchange(deferred_, Status());
  if (chunk_.empty()) return status;
  Status handed = HandOn();
  return status.ok() ? handed : status;
}

Status CaptureWriter::Close(Time time, v1::EndReason reason, std::string_view text) {
  const Status committed = Commit();
  DSTAP_TRY(sink_->Close(time, reason, text));
  return committed;
}

}  // namespace dstap::capture
