#include "proto/capture/chunk_decoder.h"

#include <algorithm>
#include <optional>

namespace dstap::capture {

using C = v1::Calls;

Status ChunkDecoder::Load(std::string_view body) {
  Clear();
  DSTAP_TRY(columns_.Load(body));
  // What no column fills in stays as it is here.
  batch_.assign(std::min<size_t>(columns_.calls(), kBatch), CallRecord());
  return {};
}

void ChunkDecoder::Clear() {
  columns_.Clear();
  next_row_ = next_call_ = batch_begin_ = batch_end_ = next_run_ = 0;
  batch_size_ = kBatch;
}

void ChunkDecoder::GiveRow(Record& record) {
  const v1::Row& row = columns_.rows()[next_row_++];
  record = {.row = &row,
            .time = AtTicks(static_cast<uint64_t>(columns_.base_ticks() + row.ticks()))};
}

// Calls `set(record, number)` for each call of the batch, when the column is there.
template <typename F>
void ChunkDecoder::ForColumn(int field, F set) {
  const Column& column = columns_.column(field);
  if (column.empty()) return;
  column.Visit([&](auto numbers) {
    const auto* number = numbers.data() + batch_begin_;
    CallRecord* const batch = batch_.data();
    for (size_t i = 0, n = batch_end_ - batch_begin_; i < n; ++i)
      set(batch[i], uint64_t{number[i]});
  });
}

void ChunkDecoder::DecodeBatch() {
  const Column& runs = columns_.column(C::kTransformRunsFieldNumber);
  batch_size_ = next_call_ == batch_end_ ? std::min(kBatch, 2 * batch_size_) : 1;
  for (; batch_end_ < next_call_; ++batch_end_) {
    if (!runs.empty()) next_run_ += static_cast<size_t>(runs[batch_end_]);
  }
  batch_begin_ = next_call_;
  batch_end_ = std::min<size_t>(batch_begin_ + batch_size_, columns_.calls());
  DecodeNames();
  DecodeTimes();
  DecodeRuns();
  DecodeOutcome();
  DecodeValues();
  DecodeBudgets();
}

void ChunkDecoder::DecodeNames() {
  using Call = CallRecord;
  ForColumn(C::kIdDeltaFieldNumber, [](Call& c, uint64_t v) { c.id = v; });
  ForColumn(C::kSourceFieldNumber,
            [](Call& c, uint64_t v) { c.source = static_cast<uint32_t>(v); });
  ForColumn(C::kCallerFieldNumber,
            [this](Call& c, uint64_t v) { c.caller = columns_.Text(ChunkColumns::kNames, v); });
  ForColumn(C::kMethodFieldNumber,
            [](Call& c, uint64_t v) { c.method = static_cast<v1::Method>(v); });
  ForColumn(C::kStoreFieldNumber,
            [this](Call& c, uint64_t v) { c.store = columns_.Text(ChunkColumns::kNames, v); });
  ForColumn(C::kScopeFieldNumber,
            [this](Call& c, uint64_t v) { c.scope = columns_.Text(ChunkColumns::kNames, v); });
  ForColumn(C::kStoreKindFieldNumber,
            [](Call& c, uint64_t v) { c.store_kind = static_cast<v1::StoreKind>(v); });
  ForColumn(C::kAllScopesFieldNumber, [](Call& c, uint64_t v) { c.all_scopes = v != 0; });
  ForColumn(C::kKeyFieldNumber,
            [this](Call& c, uint64_t v) { c.key = columns_.Text(ChunkColumns::kKeys, v); });
  ForColumn(C::kUseCacheFieldNumber,
            [](Call& c, uint64_t v) { c.use_cache = static_cast<v1::UseCache>(v); });
  if (columns_.column(C::kListFieldNumber).empty()) return;
  if (batch_lists_.size() < kBatch) batch_lists_.resize(kBatch);
  ForColumn(C::kListFieldNumber, [this](Call& c, uint64_t v) {
    c.list = nullptr;
    if (v == 0) return;
    v1::ListArguments& list = batch_lists_[static_cast<size_t>(&c - batch_.data())];
    const std::string_view bytes = columns_.ListAt(v);
    list.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    c.list = &list;
  });
}

void ChunkDecoder::DecodeTimes() {
  using Call = CallRecord;
  ForColumn(C::kIssuedDeltaFieldNumber, [this](Call& c, uint64_t v) { c.issued = AtTicks(v); });
  const auto after = [this](const Call& c, uint64_t v) -> std::optional<Time> {
    if (v == 0) return std::nullopt;
    return c.issued + AtTicks(v - 1);
  };
  ForColumn(C::kAdmittedAfterFieldNumber, [&](Call& c, uint64_t v) { c.admitted = after(c, v); });
  ForColumn(C::kCompletedAfterFieldNumber, [&](Call& c, uint64_t v) { c.completed = after(c, v); });
  ForColumn(C::kTimesQueuedFieldNumber,
            [](Call& c, uint64_t v) { c.times_queued = static_cast<uint32_t>(v); });
  ForColumn(C::kQueuedTicksFieldNumber, [this](Call& c, uint64_t v) { c.queued = AtTicks(v); });
  ForColumn(C::kServedByFieldNumber,
            [](Call& c, uint64_t v) { c.served_by = static_cast<v1::ServedBy>(v); });
}

void ChunkDecoder::DecodeRuns() {
  const Column& counts = columns_.column(C::kTransformRunsFieldNumber);
  if (counts.empty()) return;
  const Column& outcomes = columns_.column(C::kRunOutcomeFieldNumber);
  const Column& started = columns_.column(C::kRunStartedAfterFieldNumber);
  const Column& took = columns_.column(C::kRunTicksFieldNumber);
  size_t total = 0;
  ForColumn(C::kTransformRunsFieldNumber,
            [&](CallRecord& /*call*/, uint64_t v) { total += static_cast<size_t>(v); });
  batch_runs_.assign(total, TransformRun());
  TransformRun* run = batch_runs_.data();
  ForColumn(C::kTransformRunsFieldNumber, [&](CallRecord& c, uint64_t v) {
    const auto count = static_cast<size_t>(v);
    c.transform_runs = {run, count};
    for (size_t i = 0; i < count; ++i, ++run, ++next_run_) {
      if (!outcomes.empty()) run->outcome = static_cast<v1::TransformOutcome>(outcomes[next_run_]);
      run->started = c.issued;
      if (!started.empty()) run->started += AtTicks(started[next_run_]);
      if (!took.empty()) run->took = AtTicks(took[next_run_]);
    }
  });
}

void ChunkDecoder::DecodeOutcome() {
  using Call = CallRecord;
  ForColumn(C::kOutcomeFieldNumber,
            [](Call& c, uint64_t v) { c.outcome = static_cast<v1::Outcome>(v); });
  ForColumn(C::kErrorCodeFieldNumber,
            [](Call& c, uint64_t v) { c.error_code = static_cast<uint32_t>(v); });
  ForColumn(C::kErrorNameFieldNumber,
            [this](Call& c, uint64_t v) { c.error_name = columns_.Text(ChunkColumns::kTexts, v); });
  ForColumn(C::kErrorTextFieldNumber,
            [this](Call& c, uint64_t v) { c.error_text = columns_.Text(ChunkColumns::kTexts, v); });
  ForColumn(C::kVersionFieldNumber, [this](Call& c, uint64_t v) {
    c.version = columns_.Text(ChunkColumns::kIdentities, v);
  });
  ForColumn(C::kFaultFieldNumber, [](Call& c, uint64_t v) { c.fault = v; });
}

void ChunkDecoder::DecodeValues() {
  struct Fields {
    std::optional<ValueInfo> CallRecord::*value;
    int bytes, hash, text, encoding;
  };
  static constexpr Fields kBoth[] = {
      {&CallRecord::read, C::kReadBytesFieldNumber, C::kReadHashFieldNumber,
       C::kReadValueFieldNumber, C::kReadEncodingFieldNumber},
      {&CallRecord::written, C::kWrittenBytesFieldNumber, C::kWrittenHashFieldNumber,
       C::kWrittenValueFieldNumber, C::kWrittenEncodingFieldNumber},
  };
  for (const Fields& f : kBoth) {
    // Row by row: a value has several numbers, and mostly all of them.
    const Column& bytes = columns_.column(f.bytes);
    if (bytes.empty()) continue;
    const Column& hashes = columns_.column(f.hash);
    const Column& encodings = columns_.column(f.encoding);
    const Column& texts = columns_.column(f.text);
    for (size_t i = 0, n = batch_end_ - batch_begin_; i < n; ++i) {
      const size_t call = batch_begin_ + i;
      std::optional<ValueInfo>& value = batch_[i].*f.value;
      const uint64_t size = bytes[call];
      if (size == 0) {
        value.reset();
        continue;
      }
      if (!value) value.emplace();
      value->bytes = size - 1;
      value->hash = hashes.empty() ? 0 : hashes[call];
      if (!texts.empty()) {
        const uint64_t text = texts[call];
        value->value.reset();
        if (text != 0) value->value = columns_.Text(ChunkColumns::kValues, text);
      }
      value->encoding = encodings.empty() ? v1::VALUE_ENCODING_UNKNOWN
                                          : static_cast<v1::ValueEncoding>(encodings[call]);
    }
  }
}

void ChunkDecoder::DecodeBudgets() {
  struct Fields {
    size_t index;
    int type, before, after, taken;
  };
  static constexpr Fields kBoth[] = {
      {0, C::kFirstTypeFieldNumber, C::kFirstBeforeFieldNumber, C::kFirstAfterFieldNumber,
       C::kFirstTakenFieldNumber},
      {1, C::kSecondTypeFieldNumber, C::kSecondBeforeFieldNumber, C::kSecondAfterFieldNumber,
       C::kSecondTakenFieldNumber},
  };
  const auto minus_one = [](uint64_t v) {
    return v == 0 ? std::nullopt : std::optional<uint64_t>(v - 1);
  };
  for (const Fields& f : kBoth) {
    ForColumn(f.type, [&](CallRecord& c, uint64_t v) {
      c.budgets[f.index].type = static_cast<v1::RequestType>(v);
    });
    ForColumn(f.before,
              [&](CallRecord& c, uint64_t v) { c.budgets[f.index].before = minus_one(v); });
    ForColumn(f.after, [&](CallRecord& c, uint64_t v) { c.budgets[f.index].after = minus_one(v); });
    ForColumn(f.taken, [&](CallRecord& c, uint64_t v) {
      c.budgets[f.index].taken = static_cast<uint32_t>(v);
    });
  }
}

}  // namespace dstap::capture
