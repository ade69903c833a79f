// Any bytes on any connection: the hub goes on, no answer is given that is not in the capture, and
// the capture is whole.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "proto/base/check.h"
#include "proto/capture/capture_reader.h"
#include "proto/capture/validate.h"
#include "proxy/backend/backend_table.h"
#include "proxy/backend/faults/fault_backend.h"
#include "proxy/backend/faults/fault_parser.h"
#include "proxy/session/hub.h"
#include "tests/fuzz/session_input.h"
#include "tests/fuzz/target.h"
#include "tests/support/frames.h"
#include "tests/support/sinks.h"

namespace dstap::fuzz {
namespace {

using capture::CaptureReader;
using std::chrono_literals::operator""us;

constexpr std::array kProfiles = {"2026", "2023", "2020", "2026"};
constexpr std::array kFaults = {
    "error=InternalServerError key=error* probability=0.5",
    "queue=5s key=queue*",
    "drop key=drop*",
    "latency=2s key=late*",
    "never_answer key=never*",
    "ambiguous=applied key=ambiguous*",
    "conflict key=conflict*",
    "server_crash=30s server=crash*",
};

std::unique_ptr<proxy::Backend> BackendOf(const SessionInput& input) {
  auto made = proxy::MakeBackend("simulator", {.rule_profile = kProfiles[input.profile]});
  DSTAP_CHECK(made.ok());
  if (!input.faults) return *std::move(made);
  proxy::FaultPlan plan;
  for (const char* text : kFaults) {
    auto rule = proxy::ParseFaultRule(text);
    DSTAP_CHECK(rule.ok());
    plan.push_back(*std::move(rule));
  }
  return std::make_unique<proxy::FaultBackend>(*std::move(made), std::move(plan), 1);
}

// How many replies had been sent when the file had so many bytes.
struct Checkpoint {
  uint64_t bytes = 0;
  uint64_t replies = 0;
};

class Run {
 public:
  explicit Run(const SessionInput& input)
      : input_(input),
        split_(input.split_seed),
        backend_(BackendOf(input)),
        recorder_(MakeWriter(), {.values = input.values}),
        hub_(*backend_, recorder_, {.clock = Clock(), .rule_profile = "2026"}) {}

  void Go() {
    for (const Packet& packet : input_.packets) {
      now_ += packet.pause;
      auto& id = connections_[packet.connection];
      if (!id) id = hub_.Connect();
      Feed(*id, packet.bytes);
      if (packet.leaves && id) {
        hub_.OnGone(now_, *id);
        id.reset();
        CarryOut();
      }
    }
    DSTAP_CHECK(hub_.Close(now_, v1::END_REASON_CLOSED).ok());
    DSTAP_CHECK(hub_.error().ok());
    CheckCapture();
  }

 private:
  v1::ClockKind Clock() const { return input_.wall ? v1::CLOCK_KIND_WALL : v1::CLOCK_KIND_VIRTUAL; }

  capture::CaptureWriter MakeWriter() {
    v1::Header header;
    header.set_clock(Clock());
    header.set_descriptor_set("-");
    auto writer = capture::CaptureWriter::Create(std::make_unique<test::StringSink>(file_), header);
    DSTAP_CHECK(writer.ok());
    return *std::move(writer);
  }

  // In pieces, as sockets give them.
  void Feed(proxy::ConnectionId id, std::string_view bytes) {
    do {
      const size_t piece = input_.splits ? 1 + split_.Below(bytes.size() + 1) : bytes.size();
      hub_.OnBytes(now_, id, bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
      CarryOut();
    } while (!bytes.empty());
  }

  void CarryOut() {
    hub_.Advance(now_);
    for (const proxy::Outgoing& outgoing : hub_.Flush(now_)) {
      for (const v1::ServerFrame& frame : test::ServerFrames(outgoing.bytes)) {
        if (frame.has_reply()) ++replies_;
      }
      if (!outgoing.hang_up) continue;
      hub_.OnGone(now_, outgoing.connection);
      for (auto& [number, id] : connections_) {
        if (id == outgoing.connection) id.reset();
      }
    }
    if (checkpoints_.empty() || checkpoints_.back().replies != replies_) {
      checkpoints_.push_back({file_.size(), replies_});
    }
    if (const auto next = hub_.NextEvent()) DSTAP_CHECK(*next >= Time(0));
  }

  void CheckCapture() const {
    auto reader =
        CaptureReader::Open(std::make_unique<MemorySource>(file_), CaptureReader::OnDamage::kSkip);
    DSTAP_CHECK(reader.ok());
    const auto verdict = Validate(*reader, [](const capture::Defect& defect) {
      const auto severity = capture::InfoOf(defect.id).severity;
      DSTAP_CHECK(severity == capture::DefectSeverity::kNote ||
                  severity == capture::DefectSeverity::kLoss);
    });
    DSTAP_CHECK(verdict.ok());
    DSTAP_CHECK(verdict->ending == capture::Ending::kClosed);
    CheckReplies();
  }

  // Each reply's record was in the file when the reply was given out.
  void CheckReplies() const {
    auto reader =
        CaptureReader::Open(std::make_unique<MemorySource>(file_), CaptureReader::OnDamage::kStop);
    DSTAP_CHECK(reader.ok());
    auto checkpoint = checkpoints_.begin();
    uint64_t answered = 0;
    for (;;) {
      const auto record = reader->Next();
      DSTAP_CHECK(record.ok());
      const bool at_end = !record->has_value();
      while (checkpoint != checkpoints_.end() &&
             (at_end || checkpoint->bytes <= reader->chunk_offset())) {
        DSTAP_CHECK(checkpoint->replies <= answered);
        ++checkpoint;
      }
      if (at_end) return;
      const capture::CallRecord* const call = (*record)->call;
      if (call != nullptr && call->outcome != v1::OUTCOME_IN_FLIGHT) ++answered;
    }
  }

  const SessionInput& input_;
  Prng split_;
  std::string file_;
  std::unique_ptr<proxy::Backend> backend_;
  proxy::Recorder recorder_;
  proxy::Hub hub_;
  std::map<uint8_t, std::optional<proxy::ConnectionId>> connections_;
  Time now_{0};
  uint64_t replies_ = 0;
  std::vector<Checkpoint> checkpoints_;
};

}  // namespace

void RunInput(std::string_view bytes) {
  const SessionInput input = SessionInputOf(bytes);
  Run(input).Go();
}

}  // namespace dstap::fuzz
