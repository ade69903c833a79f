#include "proto/capture/rewrite_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "proto/capture/chunk_frame.h"
#include "proto/capture/wire.h"

namespace dstap::capture {
namespace {

// What a record costs in columns and tables if its strings are mostly its neighbours' too.
constexpr size_t kCallCost = 64;
constexpr size_t kRowCost = 8;

size_t CostOf(const std::optional<ValueInfo>& value) {
  return value && value->value ? value->value->size() : 0;
}

size_t CostOf(const CallRecord& call) {
  return kCallCost + call.transform_runs.size() * kRowCost + CostOf(call.read) +
         CostOf(call.written);
}

// Of what a CaptureWriter hands to its sink: the size of the chunk's records, not compressed.
uint64_t RawSizeOf(std::string_view bytes) {
  if (bytes.starts_with(MagicBytes())) bytes.remove_prefix(MagicBytes().size());
  WireReader outer(bytes);
  uint32_t field = 0;
  WireType type{};
  std::string_view chunk;
  return outer.Tag(field, type) && outer.Bytes(chunk) ? ParseChunk(chunk).frame.raw_size : 0;
}

}  // namespace

bool HasWholeTicks(const Record& record) {
  const auto whole = [](Time time) { return time.count() % kTickNs == 0; };
  if (record.call == nullptr) return whole(record.time);
  const CallRecord& call = *record.call;
  bool is_whole = whole(call.issued) && whole(call.queued) &&
                  whole(call.admitted.value_or(Time())) && whole(call.completed.value_or(Time()));
  for (const TransformRun& run : call.transform_runs) {
    is_whole = is_whole && whole(run.started) && whole(run.took);
  }
  return is_whole;
}

// Passes on what a CaptureWriter, which owns its sink, writes, and remembers the first error.
class RewriteWriter::Sink final : public ByteSink {
 public:
  explicit Sink(RewriteWriter& owner) : owner_(owner) {}

  Status Append(std::string_view bytes) override {
    owner_.chunk_size_ = RawSizeOf(bytes);
    return Remember(owner_.sink_.Append(bytes));
  }
  Status Truncate(uint64_t size) override { return Remember(owner_.sink_.Truncate(size)); }
  Status Sync() override { return {}; }
  uint64_t size() const override { return owner_.sink_.size(); }

 private:
  Status Remember(Status status) {
    if (owner_.sink_error_.ok()) owner_.sink_error_ = status;
    return status;
  }

  RewriteWriter& owner_;
};

RewriteWriter::RewriteWriter(ByteSink& sink, const Options& options)
    : sink_(sink), options_(options) {}

Status RewriteWriter::Begin(const v1::Header& header) {
  totals_ = Totals();
  totals_.AddRows(1);
  cost_ = 0;
  const CaptureWriter::Options options{
      .codec = v1::CODEC_ZSTD, .zstd_level = options_.zstd_level, .tick_ns = options_.tick_ns};
  auto writer = CaptureWriter::Create(std::make_unique<Sink>(*this), header, options);
  if (!sink_error_.ok()) return sink_error_;
  if (!writer.ok()) return writer.status();
  writer_.emplace(*std::move(writer));
  return {};
}

Status RewriteWriter::Add(const CallRecord& call) {
  writer_->Add(call);
  totals_.AddCall(call.id, call.outcome == v1::OUTCOME_IN_FLIGHT);
  return Added(CostOf(call));
}

Status RewriteWriter::AddRow(Time time, v1::Row row) {
  totals_.AddRow(row);
  row.clear_after_calls();  // Of the chunk that it stood in, which must leave no trace.
  row.clear_ticks();
  const size_t cost = kRowCost + row.ByteSizeLong();
  writer_->AddRow(time, std::move(row));
  return Added(cost);
}

Status RewriteWriter::Added(size_t cost) {
  cost_ += cost;
  DSTAP_TRY(Check());
  if (static_cast<double>(cost_) * size_of_cost_ < static_cast<double>(options_.chunk_bytes)) {
    return {};
  }
  return Commit();
}

Status RewriteWriter::Commit() {
  // Its error counts what a recorder would have lost; the sink's says what is wrong.
  const Status committed = writer_->Commit();
  DSTAP_TRY(Check());
  DSTAP_TRY(committed);
  if (cost_ > 0) {
    size_of_cost_ =
        std::clamp(static_cast<double>(chunk_size_) / static_cast<double>(cost_), 1.0 / 16, 1.0);
  }
  cost_ = 0;
  return {};
}

Status RewriteWriter::Check() const {
  DSTAP_TRY(sink_error_);
  if (writer_->calls_lost() == totals_.calls_lost() &&
      writer_->rows_lost() == totals_.rows_lost()) {
    return {};
  }
  return {ErrorCode::kLimit,
          fmt::format("a record fits into no chunk of {} bytes", kChunkBytesMax)};
}

Status RewriteWriter::End(Time time, v1::EndReason reason, std::string_view text) {
  DSTAP_TRY(Commit());
  const Status closed = writer_->Close(time, reason, text);
  DSTAP_TRY(sink_error_);
  return closed;
}

Status RewriteWriter::Leave() { return Commit(); }

}  // namespace dstap::capture
