// The capture target's seeds, and changes to them.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/check.h"
#include "proto/capture/capture_text.h"
#include "proto/capture/chunk_frame.h"
#include "tests/fuzz/capture_input.h"
#include "tests/fuzz/target.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::fuzz {
namespace {

namespace fs = std::filesystem;

// Of a golden capture the beginning is enough: inputs should be small.
constexpr size_t kSeedBytesMax = 6000;
constexpr uint8_t kUses = 4;

std::string Slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The bodies of a file's chunks as they are stored, without the embedded schema.
std::vector<std::string> BodiesOf(std::string_view file) {
  std::vector<std::string> bodies;
  size_t at = 0;
  while ((at = file.find(capture::SyncBytes(), at)) != std::string_view::npos) {
    const capture::ParsedChunk chunk = capture::ParseChunk(file.substr(at));
    at += capture::kSyncBytes;
    if (chunk.state != capture::ParsedChunk::State::kWhole) continue;
    v1::Records records;
    DSTAP_CHECK(records.ParseFromArray(chunk.body.data(), static_cast<int>(chunk.body.size())));
    for (v1::Row& row : *records.mutable_row()) {
      if (row.has_header()) row.mutable_header()->set_descriptor_set("-");
    }
    bodies.push_back(records.SerializeAsString());
  }
  return bodies;
}

std::string MadeOf(const std::vector<std::string>& bodies, uint8_t options, uint8_t flags) {
  std::string input(1, static_cast<char>(options | kMakeChunks));
  for (const std::string& body : bodies) {
    if (input.size() > 1 && input.size() + body.size() > kSeedBytesMax) break;
    input += CaptureBody(flags, body);
  }
  return input;
}

// Everything that a call and a row can say, in one chunk.
std::string AFullCapture() {
  std::string bytes;
  auto writer = capture::CaptureWriter::Create(std::make_unique<test::StringSink>(bytes),
                                               test::ASmallHeader());
  DSTAP_CHECK(writer.ok());
  writer->AddRow(Time(0), test::ASource(3));
  v1::Row begin;
  begin.mutable_step_begin()->set_id(1);
  begin.mutable_step_begin()->set_source(3);
  begin.mutable_step_begin()->set_subject("subject");
  begin.mutable_step_begin()->set_name("load");
  begin.mutable_step_begin()->set_sample(1);
  begin.mutable_step_begin()->add_about()->set_store("PlayerData");
  writer->AddRow(Time(0), begin);
  writer->Add(test::AnOpenCall(1));
  writer->Add(test::ACall(1));
  writer->Add(test::AFullCall());
  for (const auto kind : {v1::NOTICE_KIND_QUEUE_WARNING, v1::NOTICE_KIND_RECORDER}) {
    v1::Row notice;
    notice.mutable_notice()->set_source(3);
    notice.mutable_notice()->set_kind(kind);
    notice.mutable_notice()->set_text("\xFF text");
    notice.mutable_notice()->set_call(77);
    writer->AddRow(Time(8'000'000'000), notice);
  }
  v1::Row fault;
  fault.mutable_injected_fault()->set_id(9);
  fault.mutable_injected_fault()->set_kind(v1::FAULT_KIND_ERROR);
  writer->AddRow(Time(8'000'000'000), fault);
  v1::Row loss;
  loss.mutable_loss()->set_calls(2);
  loss.mutable_loss()->set_rows(1);
  writer->AddRow(Time(8'000'000'000), loss);
  v1::Row sample;
  sample.mutable_budget_sample()->set_source(3);
  v1::Budget& budget = *sample.mutable_budget_sample()->add_budgets();
  budget.set_type(v1::REQUEST_TYPE_STANDARD_READ);
  budget.set_visible(60);
  writer->AddRow(Time(8'000'000'000), sample);
  v1::Row end;
  end.mutable_step_end()->set_id(1);
  end.mutable_step_end()->set_ok(true);
  writer->AddRow(Time(9'000'000'000), end);
  DSTAP_CHECK(writer->Close(Time(9'000'000'000), v1::END_REASON_CLOSED).ok());
  return bytes;
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  std::vector<std::vector<std::string>> captures = {BodiesOf(AFullCapture()),
                                                    BodiesOf(test::AClosedCapture(6, 2))};
  for (const char* name : {"golden/load-save-release", "golden/burst", "demo/datastore2"}) {
    captures.push_back(
        BodiesOf(Slurp(fs::path(DSTAP_SOURCE_DIR) / "captures" / (std::string(name) + ".dstap"))));
  }
  for (const auto& bodies : captures) {
    for (uint8_t use = 0; use < kUses; ++use) {
      const auto options = static_cast<uint8_t>(use << kUseShift | kSkipDamage);
      seeds.push_back(MadeOf(bodies, options, 0));
    }
    seeds.push_back(MadeOf(bodies, kSmallReads, kCompressed));
  }
  // Whole files, whose framing is the fuzzer's to change.
  std::string small = test::ACaptureOf({});
  for (const std::string& body : captures[1]) small += test::AChunk(1, body);
  for (const int options : {0, int{kSkipDamage}, kFixChecksums | kSkipDamage}) {
    seeds.push_back(static_cast<char>(options) + small);
    seeds.push_back(static_cast<char>(options) + CaptureInputOf(seeds.front()).file);
    seeds.push_back(static_cast<char>(options | 1 << kUseShift) + CaptureInputOf(seeds[4]).file);
  }
  return seeds;
}

std::string MutateInput(std::string_view input, Prng& random, const ByteMutator& mutate) {
  std::string out(input);
  if (out.empty() || (out[0] & kMakeChunks) == 0 || random.Below(16) == 0) {
    if (!out.empty() && random.Below(4) == 0) {
      out[0] = static_cast<char>(random.Below(64));
    } else {
      mutate(out);
    }
    return out;
  }
  struct Body {
    uint8_t flags;
    std::string bytes;
  };
  std::vector<Body> bodies;
  std::string_view rest = input.substr(1);
  while (rest.size() >= kBodyHeadBytes) {
    const size_t size =
        static_cast<uint8_t>(rest[1]) | static_cast<size_t>(static_cast<uint8_t>(rest[2])) << 8;
    bodies.push_back(
        {static_cast<uint8_t>(rest[0]), std::string(rest.substr(kBodyHeadBytes, size))});
    rest.remove_prefix(std::min(rest.size(), kBodyHeadBytes + size));
  }
  if (bodies.empty()) {
    mutate(out);
    return out;
  }
  const size_t at = random.Below(bodies.size());
  switch (random.Below(16)) {
    case 0:
      bodies[at].flags = static_cast<uint8_t>(random.Below(16));
      break;
    case 1:
      bodies.insert(bodies.begin() + static_cast<std::ptrdiff_t>(at), Body(bodies[at]));
      break;
    case 2:
      std::swap(bodies[at], bodies[random.Below(bodies.size())]);
      break;
    default:
      bodies[at].bytes = MutateMessage(bodies[at].bytes, random, mutate);
  }
  out.resize(1);
  for (const Body& body : bodies) out += CaptureBody(body.flags, body.bytes);
  return out;
}

}  // namespace dstap::fuzz
