// Small captures, made and taken apart in tests.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proto/capture/capture_reader.h"
#include "proto/capture/capture_writer.h"
#include "proto/capture/chunk_frame.h"

namespace dstap::test {

// A record that owns what it refers to. Copies stay valid.
struct OwnedRecord {
  capture::CallRecord call;
  v1::Row row;  // Without after_calls and ticks, which depend on chunks.
  bool is_call = false;
  Time time{};  // A row's.
  uint64_t chunk_offset = 0;
  uint64_t chunk_sequence = 0;
};

// Everything that a reader says about a file.
struct ReadResult {
  Status open;
  Status end;  // How reading ended.
  std::deque<OwnedRecord> records;
  capture::Ending ending = capture::Ending::kClosed;
  std::vector<capture::SkippedRange> skipped;
  uint64_t torn_bytes = 0;
  uint64_t unknown_fields = 0;

  bool ok() const { return open.ok() && end.ok(); }
  std::vector<uint64_t> CallIds() const;

  // What the records' views point to.
  std::deque<std::string> strings;
  std::deque<std::vector<capture::TransformRun>> runs;
  std::deque<v1::ListArguments> lists;
};

ReadResult ReadCapture(std::string bytes, capture::CaptureReader::OnDamage on_damage =
                                              capture::CaptureReader::OnDamage::kStop);
ReadResult ReadCapture(std::unique_ptr<ByteSource> source,
                       capture::CaptureReader::OnDamage on_damage);

// A call of everyday: UpdateAsync of a player's key, 0.2 s long, `id` seconds in.
capture::CallRecord ACall(uint64_t id);
// The same, and no answer yet.
capture::CallRecord AnOpenCall(uint64_t id);
// A call with no field left at its default.
const capture::CallRecord& AFullCall();

v1::Header AHeader();
v1::Row ASource(uint32_t id);
v1::Row AComment(std::string_view text);

// Header, a source, calls 1 to `calls` in chunks of `calls_per_chunk`, End, Index.
std::string AClosedCapture(uint64_t calls, uint64_t calls_per_chunk = 2,
                           capture::CaptureWriter::Options options = {});

// A chunk around any body at all, with the right checksum; `tamper` may change what it says first.
std::string AChunk(uint64_t sequence, std::string_view body,
                   const std::function<void(capture::ChunkFrame&)>& tamper = nullptr);
// The magic, a chunk with a Header of `format_version`, and AChunk()s of `bodies`.
std::string ACaptureOf(const std::vector<v1::Records>& bodies, uint32_t format_version = 1);

// AHeader() with a stand-in for the descriptor set, for captures that are walked byte by byte.
v1::Header ASmallHeader();

// Equal as records: what views point to is compared, not where.
bool SameCall(const capture::CallRecord& a, const capture::CallRecord& b);

}  // namespace dstap::test
