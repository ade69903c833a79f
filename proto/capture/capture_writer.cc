#include "proto/capture/capture_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "proto/base/check.h"
#include "proto/capture/descriptor_set.h"

namespace dstap::capture {
namespace {

// The operating system's words at the end of a sink's message. What stands before them names a file
// of this machine, and that is nobody's business who is sent the capture.
std::string_view SystemsWords(std::string_view message) {
  const size_t colon = message.rfind(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

}  // namespace

CaptureWriter::CaptureWriter(std::unique_ptr<ByteSink> sink, Options options)
    : sink_(std::move(sink)), options_(options), chunk_(options.tick_ns) {
  if (options.codec == v1::CODEC_ZSTD) zstd_.emplace(options.zstd_level);
  start_ = good_end_ = sink_->size();
}

Result<CaptureWriter> CaptureWriter::Create(std::unique_ptr<ByteSink> sink, v1::Header header,
                                            Options options) {
  DSTAP_CHECK(options.codec == v1::CODEC_NONE || options.codec == v1::CODEC_ZSTD);
  CaptureWriter writer(std::move(sink), options);
  if (header.format_version() == 0) header.set_format_version(kFormatVersion);
  if (header.tool().empty()) header.set_tool("dstap");
  if (header.tool_version().empty()) header.set_tool_version(DSTAP_VERSION);
  if (header.descriptor_set().empty()) header.set_descriptor_set(SerializedDescriptorSet());
  v1::Row row;
  *row.mutable_header() = std::move(header);
  if (!writer.chunk_.AddRow(Time(0), std::move(row))) {
    return Status(ErrorCode::kLimit,
                  fmt::format("the capture's header is over {} bytes; shorten its title or options",
                              kChunkBytesMax));
  }
  writer.pending_rows_ = 1;
  DSTAP_TRY(writer.WriteChunk(/*with_magic=*/true));
  return writer;
}

template <typename F>
bool CaptureWriter::AddOrStartAnother(F add) {
  if (add()) return true;
  if (!chunk_.empty()) {
    Status status = WriteChunk();
    if (deferred_.ok()) deferred_ = std::move(status);
    if (!stopped_.ok()) return false;
  }
  return add();
}

void CaptureWriter::Add(const CallRecord& call) {
  latest_ = std::max(latest_, call.completed.value_or(call.issued));
  if (!stopped_.ok()) {
    ++unsaid_.calls;
  } else if (AddOrStartAnother([&] { return chunk_.Add(call); })) {
    pending_calls_.emplace_back(call.id, call.outcome == v1::OUTCOME_IN_FLIGHT);
  } else {
    LoseTooLarge(1, 0);
  }
}

void CaptureWriter::AddRow(Time time, v1::Row row) {
  latest_ = std::max(latest_, time);
  const Lost reported{row.loss().calls(), row.loss().rows()};
  if (!stopped_.ok()) {
    unsaid_.calls += reported.calls;
    unsaid_.rows += reported.rows + 1;
  } else if (AddOrStartAnother([&] { return chunk_.AddRow(time, std::move(row)); })) {
    ++pending_rows_;
    pending_reported_.calls += reported.calls;
    pending_reported_.rows += reported.rows;
  } else {
    LoseTooLarge(0, 1);
  }
}

void CaptureWriter::LoseTooLarge(uint64_t calls, uint64_t rows) {
  unsaid_.calls += calls;
  unsaid_.rows += rows;
  if (!stopped_.ok()) return;
  // Nothing was added to this chunk yet, so its Loss row can be written anew.
  unsaid_reason_ = v1::LOSS_REASON_OVERFLOW;
  unsaid_text_ = fmt::format("a record over the limit of {} bytes", kChunkBytesMax);
  StartChunk();
}

Status CaptureWriter::Commit() {
  if (!stopped_.ok()) return stopped_;
  Status status = std::exchange(deferred_, Status());
  if (chunk_.empty()) return status;
  Status written = WriteChunk();
  return status.ok() ? written : status;
}

Status CaptureWriter::Close(Time time, v1::EndReason reason, std::string_view text) {
  const Status committed = Commit();
  if (!stopped_.ok()) return stopped_;
  v1::Row row;
  v1::End& end = *row.mutable_end();
  end.set_reason(reason);
  end.set_calls(totals_.calls());
  end.set_calls_in_flight(totals_.calls_in_flight());
  end.set_call_records(totals_.call_records());
  end.set_rows(totals_.rows() + chunk_.rows());
  end.set_calls_lost(calls_lost());
  end.set_rows_lost(rows_lost());
  end.set_text(std::string(text.substr(0, kChunkBytesMax / 2)));
  chunk_.AddRow(time, std::move(row));
  v1::Row index;
  *index.mutable_index() = index_.Build();
  chunk_.AddRow(time, std::move(index));
  DSTAP_TRY(WriteChunk());
  stopped_ = Status(ErrorCode::kWrite, "the recording is closed");
  DSTAP_TRY(sink_->Sync());
  return committed;
}

std::string_view CaptureWriter::Serialize(bool with_magic) {
  constexpr size_t kBefore = kMagicBytes + kFrameBytesMax;
  ChunkFrame frame{.sequence = sequence_, .codec = v1::CODEC_NONE};
  const size_t raw_size = chunk_.ByteSize();
  DSTAP_CHECK(raw_size <= kChunkBytesMax);
  frame.raw_size = static_cast<uint32_t>(raw_size);
  const auto grow = [](std::vector<char>& buffer, size_t size) {
    if (buffer.size() < size) buffer.resize(size);
  };
  size_t body_size = raw_size;
  if (zstd_) {
    grow(raw_buffer_, raw_size);
    grow(buffer_, kBefore + ZstdCompressor::Bound(raw_size));
    chunk_.WriteTo(raw_buffer_.data());
    const auto size = zstd_->Compress({raw_buffer_.data(), raw_size}, buffer_.data() + kBefore);
    // What does not shrink is stored as it is, so that a body is never over kChunkBytesMax.
    if (size && *size < raw_size) {
      frame.codec = v1::CODEC_ZSTD;
      body_size = *size;
    } else {
      std::memcpy(buffer_.data() + kBefore, raw_buffer_.data(), raw_size);
    }
  } else {
    grow(buffer_, kBefore + raw_size);
    chunk_.WriteTo(buffer_.data() + kBefore);
  }
  char* const body = buffer_.data() + kBefore;
  frame.checksum = ChunkChecksum(frame, {body, body_size});
  char* begin = WriteFrameBefore(body, frame, body_size);
  if (with_magic) {
    begin -= kMagicBytes;
    std::memcpy(begin, MagicBytes().data(), kMagicBytes);
  }
  return {begin, static_cast<size_t>(body + body_size - begin)};
}

Status CaptureWriter::WriteChunk(bool with_magic) {
  const std::string_view bytes = Serialize(with_magic);
  const Status written = sink_->Append(bytes);
  if (!written.ok()) return CutBack(written);
  v1::IndexEntry entry;
  entry.set_offset(good_end_ - start_ + (with_magic ? kMagicBytes : 0));
  entry.set_sequence(sequence_++);
  entry.set_calls(chunk_.calls());
  entry.set_rows(chunk_.rows());
  entry.set_first_ns(chunk_.first().count());
  entry.set_last_ns(chunk_.last().count());
  index_.Add(entry);
  good_end_ += bytes.size();
  KeepPending();
  StartChunk();
  return {};
}

Status CaptureWriter::CutBack(const Status& write) {
  const size_t calls = pending_calls_.size();
  const Status cut = sink_->size() == good_end_ ? Status() : sink_->Truncate(good_end_);
  LosePending(v1::LOSS_REASON_WRITE, SystemsWords(write.message()));
  if (cut.ok()) {
    StartChunk();
    return {write.code(), fmt::format("{}; {} records of calls are lost, recording goes on",
                                      write.message(), calls)};
  }
  stopped_ =
      Status(write.code(), fmt::format("{}; the part of a chunk that was written {}: recording has "
                                       "stopped, the file is good up to byte {}",
                                       write.message(), SystemsWords(cut.message()), good_end_));
  return stopped_;
}

void CaptureWriter::KeepPending() {
  for (const auto& [id, in_flight] : pending_calls_) totals_.AddCall(id, in_flight);
  totals_.AddRows(chunk_.rows());
  totals_.AddLost(pending_reported_.calls + unsaid_.calls, pending_reported_.rows + unsaid_.rows);
  unsaid_ = {};
  pending_calls_.clear();
  pending_rows_ = 0;
  pending_reported_ = {};
}

void CaptureWriter::LosePending(v1::LossReason reason, std::string_view text) {
  unsaid_.calls += pending_calls_.size() + pending_reported_.calls;
  unsaid_.rows += pending_rows_ + pending_reported_.rows;
  unsaid_reason_ = reason;
  unsaid_text_ = text;
  pending_calls_.clear();
  pending_rows_ = 0;
  pending_reported_ = {};
}

void CaptureWriter::StartChunk() {
  chunk_.Clear();
  if (unsaid_.calls == 0 && unsaid_.rows == 0) return;
  v1::Row row;
  v1::Loss& loss = *row.mutable_loss();
  loss.set_reason(unsaid_reason_);
  loss.set_calls(unsaid_.calls);
  loss.set_rows(unsaid_.rows);
  loss.set_text(unsaid_text_);
  chunk_.AddRow(latest_, std::move(row));
}

}  // namespace dstap::capture
