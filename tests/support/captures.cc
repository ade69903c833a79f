#include "tests/support/captures.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>

#include "proto/base/check.h"
#include "tests/support/sinks.h"

namespace dstap::test {

using capture::CallRecord;
using capture::CaptureReader;
using capture::CaptureWriter;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

std::vector<uint64_t> ReadResult::CallIds() const {
  std::vector<uint64_t> ids;
  for (const OwnedRecord& record : records) {
    if (record.is_call) ids.push_back(record.call.id);
  }
  return ids;
}

namespace {

void Own(ReadResult& result, std::string_view& text) { text = result.strings.emplace_back(text); }

void OwnCall(ReadResult& result, CallRecord& call) {
  for (std::string_view* text : {&call.caller, &call.store, &call.scope, &call.key,
                                 &call.error_name, &call.error_text, &call.version}) {
    Own(result, *text);
  }
  for (auto* value : {&call.read, &call.written}) {
    if (*value && (*value)->value) Own(result, *(*value)->value);
  }
  call.transform_runs =
      result.runs.emplace_back(call.transform_runs.begin(), call.transform_runs.end());
  if (call.list != nullptr) call.list = &result.lists.emplace_back(*call.list);
}

}  // namespace

ReadResult ReadCapture(std::string bytes, CaptureReader::OnDamage on_damage) {
  return ReadCapture(std::make_unique<MemorySource>(std::move(bytes)), on_damage);
}

ReadResult ReadCapture(std::unique_ptr<ByteSource> source, CaptureReader::OnDamage on_damage) {
  ReadResult result;
  auto reader = CaptureReader::Open(std::move(source), on_damage);
  result.open = reader.status();
  if (!reader.ok()) return result;
  for (;;) {
    auto next = reader->Next();
    if (!next.ok()) {
      result.end = next.status();
      break;
    }
    if (!next->has_value()) break;
    const capture::Record& record = **next;
    OwnedRecord& owned = result.records.emplace_back();
    owned.chunk_offset = reader->chunk_offset();
    owned.chunk_sequence = reader->chunk_sequence();
    if (record.call != nullptr) {
      owned.is_call = true;
      owned.call = *record.call;
      OwnCall(result, owned.call);
    } else {
      owned.row = *record.row;
      owned.row.clear_after_calls();
      owned.row.clear_ticks();
      owned.time = record.time;
    }
  }
  result.ending = reader->ending();
  result.skipped.assign(reader->skipped().begin(), reader->skipped().end());
  result.torn_bytes = reader->torn_bytes();
  result.unknown_fields = reader->unknown_fields();
  return result;
}

CallRecord ACall(uint64_t id) {
  CallRecord call;
  call.id = id;
  call.source = 1;
  call.method = v1::METHOD_UPDATE_ASYNC;
  call.store = "PlayerData";
  call.scope = "global";
  call.store_kind = v1::STORE_KIND_STANDARD;
  call.key = id % 2 == 0 ? "Player_2" : "Player_1";
  call.issued = Time(1s) * static_cast<int64_t>(id);
  call.admitted = call.issued;
  call.completed = call.issued + 200ms;
  call.served_by = v1::SERVED_BY_BACKEND;
  call.outcome = v1::OUTCOME_OK;
  return call;
}

CallRecord AnOpenCall(uint64_t id) {
  CallRecord call = ACall(id);
  call.completed.reset();
  call.outcome = v1::OUTCOME_IN_FLIGHT;
  return call;
}

const CallRecord& AFullCall() {
  static const v1::ListArguments list = [] {
    v1::ListArguments out;
    out.set_prefix("Player_");
    out.set_page_size(50);
    out.set_cursor("abc");
    out.set_exclude_deleted(true);
    out.set_ascending(false);
    out.set_min_date_ms(1);
    out.set_max_date_ms(-2);
    out.set_min_value(-3);
    out.set_max_value(4);
    out.set_version("08D9.0000000001");
    out.set_at_ms(5);
    out.add_keys("one");
    out.add_keys("two");
    out.set_page(2);
    out.set_items(7);
    return out;
  }();
  static const capture::TransformRun runs[] = {
      {v1::TRANSFORM_OUTCOME_RAISED, 7s + 10ms, 3us},
      {v1::TRANSFORM_OUTCOME_VALUE, 7s + 20ms, 4us},
  };
  static const CallRecord call = [] {
    CallRecord out;
    out.id = 77;
    out.source = 3;
    out.caller = "ServerScriptService.Saver";
    out.method = v1::METHOD_LIST_KEYS_ASYNC;
    out.store =
        "Player\xFF"
        "Data";  // Not UTF-8, and kept.
    out.scope = "live";
    out.store_kind = v1::STORE_KIND_ORDERED;
    out.all_scopes = true;
    out.key = std::string_view("a\0b", 3);
    out.use_cache = v1::USE_CACHE_FALSE;
    out.list = &list;
    out.issued = 7s;
    out.admitted = 7s + 1ms;
    out.completed = 7s + 500ms;
    out.times_queued = 2;
    out.queued = 900us;
    out.served_by = v1::SERVED_BY_LOCAL_COPY;
    out.transform_runs = runs;
    out.outcome = v1::OUTCOME_FAILED;
    out.error_code = 301;
    out.error_name = "DatastoreThrottled";
    out.error_text = "301: Datastore request dropped.";
    out.read = capture::ValueInfo{2, 0x1234'5678'9ABC'DEF0, "{}", v1::VALUE_ENCODING_JSON};
    out.written = capture::ValueInfo{0, 0xFFFF'FFFF'FFFF'FFFF, "", v1::VALUE_ENCODING_RAW};
    out.version = "08D9.0000000002";
    out.budgets = {{{v1::REQUEST_TYPE_STANDARD_READ, 60, 59, 1},
                    {v1::REQUEST_TYPE_STANDARD_WRITE, 0, std::nullopt, 2}}};
    out.fault = 9;
    return out;
  }();
  return call;
}

v1::Header AHeader() {
  v1::Header header;
  header.set_clock(v1::CLOCK_KIND_VIRTUAL);
  header.set_start_unix_ns(capture::kVirtualEpochUnixNs);
  header.set_title("a test");
  header.set_rule_profile("2026");
  header.set_seed(7);
  header.set_backend("simulator");
  return header;
}

v1::Row ASource(uint32_t id) {
  v1::Row row;
  v1::Source& source = *row.mutable_source();
  source.set_id(id);
  source.set_name("server");
  source.set_role("server");
  source.mutable_library()->set_name("profile-store");
  source.mutable_library()->set_version("1.0.3");
  return row;
}

v1::Row AComment(std::string_view text) {
  v1::Row row;
  row.mutable_comment()->set_text(std::string(text));
  return row;
}

std::string AClosedCapture(uint64_t calls, uint64_t calls_per_chunk,
                           CaptureWriter::Options options) {
  std::string bytes;
  auto writer = CaptureWriter::Create(std::make_unique<StringSink>(bytes), AHeader(), options);
  DSTAP_CHECK(writer.ok());
  writer->AddRow(Time(0), ASource(1));
  for (uint64_t id = 1; id <= calls; ++id) {
    writer->Add(ACall(id));
    if (id % calls_per_chunk == 0) DSTAP_CHECK(writer->Commit().ok());
  }
  const Time end = Time(1s) * static_cast<int64_t>(calls + 1);
  DSTAP_CHECK(writer->Close(end, v1::END_REASON_CLOSED).ok());
  return bytes;
}

std::string AChunk(uint64_t sequence, std::string_view body,
                   const std::function<void(capture::ChunkFrame&)>& tamper) {
  capture::ChunkFrame frame{.sequence = sequence,
                            .codec = v1::CODEC_NONE,
                            .raw_size = static_cast<uint32_t>(body.size())};
  if (tamper) tamper(frame);
  frame.checksum = ChunkChecksum(frame, body);
  std::string out(capture::kFrameBytesMax, '\0');
  char* const end = out.data() + out.size();
  const char* begin = WriteFrameBefore(end, frame, body.size());
  out.erase(0, static_cast<size_t>(begin - out.data()));
  return out.append(body);
}

std::string ACaptureOf(const std::vector<v1::Records>& bodies, uint32_t format_version) {
  std::string out(capture::MagicBytes());
  v1::Records head;
  head.set_tick_ns(1000);
  *head.add_row()->mutable_header() = ASmallHeader();
  head.mutable_row(0)->mutable_header()->set_format_version(format_version);
  out += AChunk(0, head.SerializeAsString());
  uint64_t sequence = 0;
  for (const v1::Records& body : bodies) out += AChunk(++sequence, body.SerializeAsString());
  return out;
}

v1::Header ASmallHeader() {
  v1::Header header = AHeader();
  header.set_descriptor_set("-");
  return header;
}

bool SameCall(const CallRecord& a, const CallRecord& b) {
  const auto all_but_pointers = [](const CallRecord& c) {
    return std::tie(c.id, c.source, c.caller, c.method, c.store, c.scope, c.store_kind,
                    c.all_scopes, c.key, c.use_cache, c.issued, c.admitted, c.completed,
                    c.times_queued, c.queued, c.served_by, c.outcome, c.error_code, c.error_name,
                    c.error_text, c.read, c.written, c.version, c.budgets, c.fault);
  };
  if ((a.list == nullptr) != (b.list == nullptr)) return false;
  if (a.list != nullptr && !google::protobuf::util::MessageDifferencer::Equals(*a.list, *b.list)) {
    return false;
  }
  return all_but_pointers(a) == all_but_pointers(b) &&
         std::ranges::equal(a.transform_runs, b.transform_runs);
}

}  // namespace dstap::test
