#include "proto/capture/capture_reader.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "proto/base/escape.h"
#include "proto/capture/byte_window.h"
#include "proto/capture/chunk_frame.h"
#include "proto/capture/format.h"
#include "proto/capture/item.h"
#include "proto/capture/not_a_capture.h"
#include "proto/capture/resync.h"
#include "proto/capture/totals.h"
#include "proto/capture/zstd_codec.h"

namespace dstap::capture {

namespace {

// What wrote the recording can read it, so its name is the way out.
Status NewerFormat(const v1::Header& header) {
  std::string text = fmt::format("the recording has format version {}", header.format_version());
  if (!header.tool().empty()) {
    text += fmt::format(", written by {} {}", Escape(header.tool()), Escape(header.tool_version()));
  }
  text += fmt::format("; dstap " DSTAP_VERSION " reads version {}; update dstap", kFormatVersion);
  return {ErrorCode::kUnsupported, std::move(text)};
}

}  // namespace

struct CaptureReader::State {
  State(std::unique_ptr<ByteSource> source, OnDamage mode)
      : window(std::move(source)), on_damage(mode) {}

  Status Begin();
  Result<bool> LoadChunk();
  Result<bool> Take(const Item& item);
  Status Decode(const ParsedChunk& chunk);
  Result<bool> CheckSequence(const ParsedChunk& chunk);
  Result<bool> PassOver(const Item& item);
  Result<bool> Resync(const Item& item);
  Result<bool> NextItemFollows(uint64_t at);
  uint64_t SequenceOf(const Item& item) const;
  Status Damage(SkippedRange range);
  Status AccountChunk(const ChunkColumns& columns);
  Status AccountLateCall(uint64_t id);  // Behind the End.
  Status AccountRow(const v1::Row& row);
  void BeginRecording();
  void EndRecording();

  ByteWindow window;
  OnDamage on_damage;
  ChunkDecoder decoder;
  ZstdDecompressor zstd;
  std::vector<char> raw;  // A decompressed body.
  // Where the next chunk goes: the two above, or a LoadedChunk's.
  ChunkDecoder* into = &decoder;
  std::vector<char>* raw_into = &raw;
  ScanBudget scan_budget;

  size_t raw_size = 0;        // Of the chunk loaded last.
  uint64_t pending_drop = 0;  // Bytes of the chunk whose records are being given out.
  uint64_t chunk_offset = 0;
  uint64_t chunk_sequence = 0;

  uint64_t recordings = 0;  // Begun so far, whether anything of them could be read or not.
  bool in_recording = false;
  uint64_t expected_sequence = 0;
  uint64_t passed_over = 0;  // Items since the last good chunk.
  bool hole = false;         // Something was passed over in this recording: its totals say nothing.
  bool gap_is_told = false;  // ... just here: missing chunks need not be reported again.
  bool ended = false;
  Totals totals;

  bool all_closed = true;
  bool damaged = false;
  Status failed;
  std::vector<SkippedRange> skipped;
  uint64_t torn_bytes = 0;
  uint64_t unknown_fields = 0;
};

CaptureReader::CaptureReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
CaptureReader::CaptureReader(CaptureReader&&) noexcept = default;
CaptureReader& CaptureReader::operator=(CaptureReader&&) noexcept = default;
CaptureReader::~CaptureReader() = default;

uint64_t CaptureReader::chunk_offset() const { return state_->chunk_offset; }
uint64_t CaptureReader::chunk_sequence() const { return state_->chunk_sequence; }
uint64_t CaptureReader::recording() const { return state_->recordings; }
int64_t CaptureReader::tick_ns() const { return state_->decoder.tick_ns(); }
std::span<const SkippedRange> CaptureReader::skipped() const { return state_->skipped; }
uint64_t CaptureReader::torn_bytes() const { return state_->torn_bytes; }
uint64_t CaptureReader::unknown_fields() const { return state_->unknown_fields; }
uint64_t CaptureReader::bytes_read() const { return state_->window.bytes_read(); }

Ending CaptureReader::ending() const {
  if (state_->damaged) return Ending::kDamaged;
  return state_->all_closed ? Ending::kClosed : Ending::kUnfinished;
}

Result<CaptureReader> CaptureReader::Open(std::unique_ptr<ByteSource> source, OnDamage on_damage) {
  auto state = std::make_unique<State>(std::move(source), on_damage);
  DSTAP_TRY(state->Begin());
  return CaptureReader(std::move(state));
}

Result<std::optional<Record>> CaptureReader::Next() {
  State& state = *state_;
  if (!state.failed.ok()) return state.failed;
  Record record;
  while (!state.decoder.Next(record)) {
    const Result<bool> more = state.LoadChunk();
    if (!more.ok()) return state.failed = more.status();
    if (!*more) return std::optional<Record>();
  }
  if (record.call != nullptr && !state.ended) {
    state.totals.AddCall(record.call->id, record.call->outcome == v1::OUTCOME_IN_FLIGHT);
  } else if (Status status = record.row != nullptr ? state.AccountRow(*record.row)
                                                   : state.AccountLateCall(record.call->id);
             !status.ok()) {
    return state.failed = status;
  }
  return std::optional<Record>(record);
}

Result<bool> CaptureReader::NextChunk(LoadedChunk& chunk) {
  State& state = *state_;
  if (!state.failed.ok()) return state.failed;
  state.decoder.Clear();
  state.into = &chunk.decoder_;
  state.raw_into = &chunk.raw_;
  const Result<bool> more = state.LoadChunk();
  state.into = &state.decoder;
  state.raw_into = &state.raw;
  if (!more.ok()) return state.failed = more.status();
  if (!*more) return false;
  chunk.size_ = state.raw_size;
  chunk.recording_ = state.recordings;
  if (Status status = state.AccountChunk(chunk.columns()); !status.ok()) {
    return state.failed = status;
  }
  return true;
}

Status CaptureReader::State::Begin() {
  DSTAP_TRY(window.Fill(kSniffBytes));
  const std::string_view bytes = window.view();
  const size_t seen = std::min(bytes.size(), kMagicBytes);
  if (!bytes.empty() && bytes.substr(0, seen) == MagicBytes().substr(0, seen)) return {};
  Status status(ErrorCode::kDamaged, WhyNotACapture(bytes));
  if (on_damage == OnDamage::kStop || bytes.empty()) return status;
  // Its first bytes may be what is damaged. Not searched to the end: another kind of file is large.
  Item item{.kind = Item::Kind::kWrong, .defect = DefectId::kNotACapture, .why = status.message()};
  DSTAP_TRY(window.Fill(kChunkBytesMax));
  const ScanResult result = ScanForItem(window.view(), 1, window.at_end(), scan_budget);
  if (!result.found && result.need == 0) return status;
  const Result<bool> resynced = Resync(item);
  return resynced.ok() ? Status() : resynced.status();
}

Result<bool> CaptureReader::State::LoadChunk() {
  for (;;) {
    window.Drop(static_cast<size_t>(std::exchange(pending_drop, 0)));
    DSTAP_TRY_ASSIGN(const Item item, LookAtItem(window));
    switch (item.kind) {
      case Item::Kind::kEnd:
        EndRecording();
        return false;
      case Item::Kind::kTorn:
        torn_bytes = item.size;
        window.Drop(static_cast<size_t>(item.size));
        // A part of a magic is a recording that has hardly begun.
        all_closed = false;
        EndRecording();
        return false;
      case Item::Kind::kBegin:
        window.Drop(static_cast<size_t>(item.size));
        EndRecording();
        BeginRecording();
        break;
      case Item::Kind::kChunk: {
        DSTAP_TRY_ASSIGN(const bool taken, Take(item));
        if (taken) return true;
        break;
      }
      case Item::Kind::kWrong: {
        DSTAP_TRY_ASSIGN(const bool taken, PassOver(item));
        if (taken) return true;
        break;
      }
    }
  }
}

// A whole chunk: false when it was passed over.
Result<bool> CaptureReader::State::Take(const Item& item) {
  const ParsedChunk& chunk = item.chunk;
  const uint64_t checksum = ChunkChecksum(chunk.frame, chunk.body);
  if (checksum != chunk.frame.checksum) {
    Item wrong = item;
    wrong.defect = DefectId::kChecksum;
    wrong.why = fmt::format("its checksum is {:016x}, its bytes give {:016x}", chunk.frame.checksum,
                            checksum);
    return PassOver(wrong);
  }
  const uint64_t begin = window.offset();
  if (Status status = Decode(chunk); !status.ok()) {
    if (status.code() == ErrorCode::kUnsupported) {
      return std::move(status).At(fmt::format("chunk {} at byte {}", chunk.frame.sequence, begin));
    }
    // What its checksum confirms has a length that can be trusted.
    const DefectId defect =
        chunk.frame.raw_size > kChunkBytesMax ? DefectId::kChunkLimit : DefectId::kChunkBody;
    DSTAP_TRY(Damage({begin, begin + item.size, defect, chunk.frame.sequence, status.message()}));
    window.Drop(static_cast<size_t>(item.size));
    if (in_recording && chunk.frame.sequence >= expected_sequence) {
      expected_sequence = chunk.frame.sequence + 1;
    }
    return false;
  }
  DSTAP_TRY_ASSIGN(const bool in_order, CheckSequence(chunk));
  if (!in_order) {
    into->Clear();
    DSTAP_TRY(Damage({begin, begin + item.size, DefectId::kChunkOrder, chunk.frame.sequence,
                      fmt::format("chunk {} was expected here", expected_sequence)}));
    window.Drop(static_cast<size_t>(item.size));
    return false;
  }
  unknown_fields += chunk.unknown_fields + into->unknown_fields();
  chunk_offset = begin;
  chunk_sequence = chunk.frame.sequence;
  pending_drop = item.size;
  return true;
}

Status CaptureReader::State::Decode(const ParsedChunk& chunk) {
  const ChunkFrame& frame = chunk.frame;
  std::string_view body = chunk.body;
  if (frame.codec == v1::CODEC_UNKNOWN) return {ErrorCode::kDamaged, "it names no codec"};
  if (frame.codec != v1::CODEC_NONE && frame.codec != v1::CODEC_ZSTD) {
    return {ErrorCode::kUnsupported,
            fmt::format("its codec {} is not known to dstap " DSTAP_VERSION "; update dstap",
                        static_cast<int>(frame.codec))};
  }
  if (frame.raw_size > kChunkBytesMax) {
    return {ErrorCode::kDamaged, fmt::format("it claims {} bytes of records; the limit is {}",
                                             frame.raw_size, kChunkBytesMax)};
  }
  if (frame.codec == v1::CODEC_ZSTD) {
    if (raw_into->size() < frame.raw_size) raw_into->resize(frame.raw_size);
    if (!zstd.Decompress(body, raw_into->data(), frame.raw_size)) {
      return {
          ErrorCode::kDamaged,
          fmt::format("its body is not {} bytes of records compressed by zstd", frame.raw_size)};
    }
    body = {raw_into->data(), frame.raw_size};
  } else if (body.size() != frame.raw_size) {
    return {ErrorCode::kDamaged,
            fmt::format("it claims {} bytes of records and has {}", frame.raw_size, body.size())};
  } else if (into != &decoder) {  // The window's bytes are the reader's.
    raw_into->assign(body.begin(), body.end());
    body = {raw_into->data(), body.size()};
  }
  raw_size = body.size();
  DSTAP_TRY(into->Load(body));
  const v1::Row* first = into->first_row();
  if (first != nullptr && first->header().format_version() > kFormatVersion) {
    return NewerFormat(first->header());
  }
  return {};
}

// False: the chunk is out of order.
Result<bool> CaptureReader::State::CheckSequence(const ParsedChunk& chunk) {
  const uint64_t sequence = chunk.frame.sequence;
  const v1::Row* first = into->first_row();
  // The magic in front of a later recording may be what was damaged.
  const bool begins = sequence == 0 && first != nullptr && first->has_header();
  if (!in_recording || (gap_is_told && begins && expected_sequence != 0)) {
    EndRecording();
    BeginRecording();
    hole = !begins;
  }
  if (sequence < expected_sequence) return false;
  if (sequence > expected_sequence) {
    const uint64_t missing = std::exchange(expected_sequence, sequence);
    if (!gap_is_told) {
      const std::string which =
          missing + 1 == sequence
              ? fmt::format("chunk {} is missing", missing)
              : fmt::format("chunks {} to {} are missing", missing, sequence - 1);
      DSTAP_TRY(
          Damage({window.offset(), window.offset(), DefectId::kMissingChunks, missing, which}));
    }
  }
  ++expected_sequence;
  passed_over = 0;
  gap_is_told = false;
  return true;
}

// Bytes that are no good chunk: goes on behind them if they show where that is, else searches.
// True: what comes next is loaded already.
Result<bool> CaptureReader::State::PassOver(const Item& item) {
  const uint64_t begin = window.offset();
  if (item.kind == Item::Kind::kChunk) {  // Its two lengths agree.
    DSTAP_TRY_ASSIGN(const bool follows, NextItemFollows(item.size));
    if (follows) {
      DSTAP_TRY(Damage({begin, begin + item.size, item.defect, SequenceOf(item), item.why}));
      ++passed_over;
      window.Drop(static_cast<size_t>(item.size));
      return false;
    }
  }
  return Resync(item);
}

// What an item says of itself may be what is damaged: it is believed only where it fits.
uint64_t CaptureReader::State::SequenceOf(const Item& item) const {
  const uint64_t says = item.chunk.frame.sequence;
  return says >= expected_sequence && says - expected_sequence <= passed_over ? says
                                                                              : expected_sequence;
}

Result<bool> CaptureReader::State::NextItemFollows(uint64_t at) {
  const auto from = static_cast<size_t>(at);
  DSTAP_TRY(window.Fill(from + kMagicBytes + kSyncBytes));
  return StartsItem(window.view().substr(from));
}

// Searches for the next magic or good chunk, and passes over what stands before it.
Result<bool> CaptureReader::State::Resync(const Item& item) {
  const uint64_t begin = window.offset();
  const uint64_t sequence = SequenceOf(item);
  ++passed_over;
  if (on_damage == OnDamage::kStop) {
    return Damage({begin, begin, item.defect, sequence, item.why});
  }
  size_t from = 1;
  for (;;) {
    DSTAP_TRY(window.Fill(from + kScanBytes));
    const bool is_last = window.at_end();
    const ScanResult result = ScanForItem(window.view(), from, is_last, scan_budget);
    if (result.need != 0) {  // A candidate that goes on behind the window.
      DSTAP_TRY(window.Fill(result.need));
      from = result.at;
      continue;
    }
    if (!result.found && !is_last) {
      window.Drop(result.at);
      from = 0;
      continue;
    }
    window.Drop(result.found ? result.at : window.view().size());
    DSTAP_TRY(Damage({begin, window.offset(), item.defect, sequence, item.why}));
    if (!result.found || !result.from_sync) return false;
    // A good chunk behind a bad length: what it says of itself is all there is to go by.
    const ParsedChunk chunk = ParseChunk(window.view());
    const Item good{.kind = Item::Kind::kChunk, .size = chunk.size, .chunk = chunk};
    return Take(good);
  }
}

Status CaptureReader::State::Damage(SkippedRange range) {
  damaged = true;
  hole = gap_is_told = true;
  if (on_damage == OnDamage::kStop) {
    return {
        ErrorCode::kDamaged,
        fmt::format("chunk {} at byte {} is damaged: {}; \"dstap verify FILE\" lists all damage",
                    range.chunk, range.begin, range.why)};
  }
  if (skipped.size() < kSkippedMax) {
    skipped.push_back(std::move(range));
  } else {
    skipped.back().end = range.end;
    skipped.back().why = "this and all damage that follows";
  }
  return {};
}

void CaptureReader::State::BeginRecording() {
  in_recording = true;
  ++recordings;
  expected_sequence = 0;
  passed_over = 0;
  hole = false;
  ended = false;
  totals = Totals();
}

void CaptureReader::State::EndRecording() {
  if (in_recording && !ended) all_closed = false;
  in_recording = false;
}

// As Next() does.
Status CaptureReader::State::AccountChunk(const ChunkColumns& columns) {
  size_t call = 0;
  const auto add_calls = [&](size_t end) -> Status {
    const size_t begin = std::exchange(call, end);
    if (!ended) {
      totals.AddCalls(columns, begin, end);
      return {};
    }
    for (size_t i = begin; i < end; ++i) DSTAP_TRY(AccountLateCall(columns.id(i)));
    return {};
  };
  for (const v1::Row& row : columns.rows()) {
    DSTAP_TRY(add_calls(row.after_calls()));
    DSTAP_TRY(AccountRow(row));
  }
  return add_calls(columns.calls());
}

Status CaptureReader::State::AccountLateCall(uint64_t id) {
  if (hole) return {};
  return Damage({chunk_offset, chunk_offset, DefectId::kAfterEnd, chunk_sequence,
                 fmt::format("call {} stands behind the End row", id)});
}

Status CaptureReader::State::AccountRow(const v1::Row& row) {
  if (row.has_index() && ended) return {};
  if (ended && !hole) {
    return Damage({chunk_offset, chunk_offset, DefectId::kAfterEnd, chunk_sequence,
                   "a row stands behind the End row"});
  }
  if (!row.has_end()) {
    totals.AddRow(row);
    return {};
  }
  ended = true;
  if (hole || totals.Match(row.end())) return {};
  const v1::End& end = row.end();
  return Damage(
      {chunk_offset, chunk_offset, DefectId::kEndTotals, chunk_sequence,
       fmt::format("End counts {} calls ({} in flight), {} call records, {} rows, {} + {} lost; "
                   "before it stand {} ({}), {}, {}, {} + {}",
                   end.calls(), end.calls_in_flight(), end.call_records(), end.rows(),
                   end.calls_lost(), end.rows_lost(), totals.calls(), totals.calls_in_flight(),
                   totals.call_records(), totals.rows(), totals.calls_lost(), totals.rows_lost())});
}

}  // namespace dstap::capture
