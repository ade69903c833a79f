#include "proto/capture/capture_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "proto/base/check.h"
#include "proto/capture/chunk_frame.h"
#include "proto/capture/descriptor_set.h"

namespace dstap::capture {
namespace {

// Losses of different kinds that are told apart until they can be said; past it they are added up.
constexpr size_t kUnsaidMax = 8;

// The operating system's words at the end of a sink's message. What stands before them names a file
// of this machine, and that is nobody's business who is sent the capture.
std::string_view SystemsWords(std::string_view message) {
  const size_t colon = message.rfind(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

uint64_t Sum(const std::vector<Lost>& losses, uint64_t Lost::*count) {
  uint64_t sum = 0;
  for (const Lost& lost : losses) sum += lost.*count;
  return sum;
}

}  // namespace

CaptureFile::CaptureFile(std::unique_ptr<ByteSink> sink, Options options)
    : sink_(std::move(sink)), options_(options), own_(options.tick_ns) {
  if (options.codec == v1::CODEC_ZSTD) zstd_.emplace(options.zstd_level);
  start_ = good_end_ = sink_->size();
}

Result<std::unique_ptr<CaptureFile>> CaptureFile::Create(std::unique_ptr<ByteSink> sink,
                                                         v1::Header header, Options options) {
  DSTAP_CHECK(options.codec == v1::CODEC_NONE || options.codec == v1::CODEC_ZSTD);
  std::unique_ptr<CaptureFile> file(new CaptureFile(std::move(sink), options));
  if (header.format_version() == 0) header.set_format_version(kFormatVersion);
  if (header.tool().empty()) header.set_tool("dstap");
  if (header.tool_version().empty()) header.set_tool_version(DSTAP_VERSION);
  if (header.descriptor_set().empty()) header.set_descriptor_set(SerializedDescriptorSet());
  v1::Row row;
  *row.mutable_header() = std::move(header);
  if (!file->own_.AddRow(Time(0), std::move(row))) {
    return Status(ErrorCode::kLimit,
                  fmt::format("the capture's header is over {} bytes; shorten its title or options",
                              kChunkBytesMax));
  }
  const std::string_view magic = MagicBytes();
  file->buffer_.assign(magic.begin(), magic.end());
  file->FrameOwn(0);
  DSTAP_TRY(file->Write());
  file->Keep(kMagicBytes, file->OwnContent());
  file->totals_.AddRows(1);
  return file;
}

uint64_t CaptureFile::calls_lost() const {
  return totals_.calls_lost() + Sum(unsaid_, &Lost::calls);
}
uint64_t CaptureFile::rows_lost() const { return totals_.rows_lost() + Sum(unsaid_, &Lost::rows); }

void CaptureFile::Frame(std::string_view body, uint64_t ahead) {
  DSTAP_CHECK(body.size() <= kChunkBytesMax);
  ChunkFrame frame{.sequence = sequence_ + ahead,
                   .codec = v1::CODEC_NONE,
                   .raw_size = static_cast<uint32_t>(body.size())};
  if (zstd_) {
    compressed_.resize(std::max(compressed_.size(), ZstdCompressor::Bound(body.size())));
    const auto size = zstd_->Compress(body, compressed_.data());
    // What does not shrink is stored as it is, so that a body is never over kChunkBytesMax.
    if (size && *size < body.size()) {
      frame.codec = v1::CODEC_ZSTD;
      body = {compressed_.data(), *size};
    }
  }
  frame.checksum = ChunkChecksum(frame, body);
  std::array<char, kFrameBytesMax> before{};
  char* const end = before.data() + before.size();
  buffer_.insert(buffer_.end(), WriteFrameBefore(end, frame, body.size()), end);
  buffer_.insert(buffer_.end(), body.begin(), body.end());
}

void CaptureFile::FrameOwn(uint64_t ahead) {
  own_body_.resize(own_.ByteSize());
  own_.WriteTo(own_body_.data());
  Frame(own_body_, ahead);
}

Status CaptureFile::Write() { return sink_->Append({buffer_.data(), buffer_.size()}); }

void CaptureFile::Keep(uint64_t offset, const Content& content) {
  v1::IndexEntry entry;
  entry.set_offset(offset);
  entry.set_sequence(sequence_++);
  entry.set_calls(content.calls);
  entry.set_rows(content.rows);
  entry.set_first_ns(content.first.count());
  entry.set_last_ns(content.last.count());
  index_.Add(entry);
  good_end_ = sink_->size();
  own_.Clear();
}

CaptureFile::Content CaptureFile::OwnContent() const {
  return {.calls = 0, .rows = own_.rows(), .first = own_.first(), .last = own_.last()};
}

void CaptureFile::FillOwnWithLosses(Time time) {
  own_.Clear();
  for (const Lost& lost : unsaid_) {
    v1::Row row;
    v1::Loss& loss = *row.mutable_loss();
    loss.set_reason(lost.reason);
    loss.set_calls(lost.calls);
    loss.set_rows(lost.rows);
    loss.set_text(lost.text);
    own_.AddRow(time, std::move(row));
  }
}

void CaptureFile::LosesWereSaid() {
  totals_.AddRows(unsaid_.size());
  totals_.AddLost(Sum(unsaid_, &Lost::calls), Sum(unsaid_, &Lost::rows));
  unsaid_.clear();
}

Status CaptureFile::Append(SealedChunk& chunk) {
  latest_ = std::max(latest_, chunk.last);
  const auto lose = [&](v1::LossReason reason, std::string_view text) {
    Lose(chunk.last, {.reason = reason,
                      .calls = chunk.marks.size() + chunk.reported_calls,
                      .rows = chunk.rows + chunk.reported_rows,
                      .text = std::string(text)});
  };
  if (!stopped_.ok()) {
    lose(v1::LOSS_REASON_WRITE, "recording had stopped");
    return stopped_;
  }
  buffer_.clear();
  const bool says_losses = !unsaid_.empty();
  if (says_losses) {
    FillOwnWithLosses(latest_);
    FrameOwn(0);
  }
  const size_t first_size = buffer_.size();
  Frame(chunk.body, says_losses ? 1 : 0);
  if (Status written = Write(); !written.ok()) {
    lose(v1::LOSS_REASON_WRITE, SystemsWords(written.message()));
    return CutBack(written, chunk.marks.size());
  }
  const uint64_t begin = good_end_ - start_;
  if (says_losses) {
    Keep(begin, OwnContent());
    LosesWereSaid();
  }
  Keep(begin + first_size, {.calls = static_cast<uint32_t>(chunk.marks.size()),
                            .rows = chunk.rows,
                            .first = chunk.first,
                            .last = chunk.last});
  for (const auto& [id, in_flight] : chunk.marks) totals_.AddCall(id, in_flight);
  totals_.AddRows(chunk.rows);
  totals_.AddLost(chunk.reported_calls, chunk.reported_rows);
  return {};
}

void CaptureFile::Lose(Time time, Lost lost) {
  latest_ = std::max(latest_, time);
  const auto same = std::ranges::find_if(unsaid_, [&](const Lost& known) {
    return known.reason == lost.reason && known.text == lost.text;
  });
  if (same == unsaid_.end() && unsaid_.size() < kUnsaidMax) {
    unsaid_.push_back(std::move(lost));
    return;
  }
  Lost& into = same == unsaid_.end() ? unsaid_.back() : *same;
  into.calls += lost.calls;
  into.rows += lost.rows;
}

Status CaptureFile::CutBack(const Status& write, uint64_t calls) {
  const Status cut = sink_->size() == good_end_ ? Status() : sink_->Truncate(good_end_);
  if (cut.ok()) {
    return {write.code(), fmt::format("{}; {} records of calls are lost, recording goes on",
                                      write.message(), calls)};
  }
  stopped_ =
      Status(write.code(), fmt::format("{}; the part of a chunk that was written {}: recording has "
                                       "stopped, the file is good up to byte {}",
                                       write.message(), SystemsWords(cut.message()), good_end_));
  return stopped_;
}

Status CaptureFile::Close(Time time, v1::EndReason reason, std::string_view text) {
  if (!stopped_.ok()) return stopped_;
  latest_ = std::max(latest_, time);
  FillOwnWithLosses(latest_);
  v1::Row row;
  v1::End& end = *row.mutable_end();
  end.set_reason(reason);
  end.set_calls(totals_.calls());
  end.set_calls_in_flight(totals_.calls_in_flight());
  end.set_call_records(totals_.call_records());
  end.set_rows(totals_.rows() + unsaid_.size());
  end.set_calls_lost(calls_lost());
  end.set_rows_lost(rows_lost());
  end.set_text(std::string(text.substr(0, kChunkBytesMax / 2)));
  own_.AddRow(time, std::move(row));
  v1::Row index;
  *index.mutable_index() = index_.Build();
  own_.AddRow(time, std::move(index));
  buffer_.clear();
  FrameOwn(0);
  if (Status written = Write(); !written.ok()) return CutBack(written, 0);
  Keep(good_end_ - start_, OwnContent());
  LosesWereSaid();
  stopped_ = Status(ErrorCode::kWrite, "the recording is closed");
  return sink_->Sync();
}

}  // namespace dstap::capture
