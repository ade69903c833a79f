// A hub with a fake backend and a capture in memory: frames go in, the words of what comes out are
// compared.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proto/capture/capture_reader.h"
#include "proto/capture/capture_writer.h"
#include "proxy/session/hub.h"
#include "tests/support/fake_backend.h"
#include "tests/support/frames.h"

namespace dstap::test {

// Bytes that outlive the sink that the writer owns.
class SharedSink final : public ByteSink {
 public:
  explicit SharedSink(std::shared_ptr<std::string> bytes) : bytes_(std::move(bytes)) {}
  Status Append(std::string_view bytes) override {
    if (fail) return {ErrorCode::kWrite, "run.dstap: cannot be written: No space left on device"};
    bytes_->append(bytes);
    return {};
  }
  Status Truncate(uint64_t size) override {
    bytes_->resize(size);
    return {};
  }
  Status Sync() override { return {}; }
  uint64_t size() const override { return bytes_->size(); }
  bool fail = false;

 private:
  std::shared_ptr<std::string> bytes_;
};

// One record of a capture, with its strings kept.
struct KeptCall {
  capture::CallRecord record;  // Its views are dangling; use the strings.
  std::string key, store, error_text, version;
  std::vector<capture::TransformRun> runs;
};

struct KeptRecords {
  std::vector<KeptCall> calls;
  std::vector<v1::Row> rows;
  std::vector<v1::ListArguments> lists;  // Of the calls that have some.
  capture::Ending ending = capture::Ending::kDamaged;

  std::vector<v1::Row> RowsOf(v1::Row::KindCase kind) const {
    std::vector<v1::Row> out;
    for (const v1::Row& row : rows) {
      if (row.kind_case() == kind) out.push_back(row);
    }
    return out;
  }
};

inline KeptRecords ReadAll(const std::string& bytes) {
  KeptRecords out;
  auto reader = capture::CaptureReader::Open(std::make_unique<MemorySource>(bytes),
                                             capture::CaptureReader::OnDamage::kStop);
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  if (!reader.ok()) return out;
  for (;;) {
    auto record = reader->Next();
    EXPECT_TRUE(record.ok()) << record.status().message();
    if (!record.ok() || !record->has_value()) break;
    if (const capture::CallRecord* call = (*record)->call; call != nullptr) {
      out.calls.push_back({.record = *call,
                           .key = std::string(call->key),
                           .store = std::string(call->store),
                           .error_text = std::string(call->error_text),
                           .version = std::string(call->version),
                           .runs = {call->transform_runs.begin(), call->transform_runs.end()}});
      if (call->list != nullptr) out.lists.push_back(*call->list);
    } else {
      out.rows.push_back(*(*record)->row);
    }
  }
  out.ending = reader->ending();
  return out;
}

class Playbook {
 public:
  explicit Playbook(v1::ClockKind clock = v1::CLOCK_KIND_VIRTUAL, bool values = false)
      : Playbook(proxy::Hub::Options{.clock = clock}, values) {}
  explicit Playbook(const proxy::Hub::Options& options, bool values = false) {
    auto sink = std::make_unique<SharedSink>(bytes_);
    sink_ = sink.get();
    auto writer = capture::CaptureWriter::Create(std::move(sink), v1::Header(), {});
    DSTAP_CHECK(writer.ok());
    recorder = std::make_unique<proxy::Recorder>(*std::move(writer),
                                                 proxy::Recorder::Options{.values = values});
    hub = std::make_unique<proxy::Hub>(backend, *recorder, options);
    connection = hub->Connect();
  }

  // Sends frames on `from` (the first connection unless said) and gives what came out for it.
  std::vector<std::string> In(std::initializer_list<v1::ClientFrame> frames, Time now = Time{},
                              proxy::ConnectionId from = 0) {
    std::string bytes;
    for (const v1::ClientFrame& frame : frames) bytes += Delimited(frame);
    return InBytes(bytes, now, from);
  }

  std::vector<std::string> InBytes(std::string_view bytes, Time now = Time{},
                                   proxy::ConnectionId from = 0) {
    if (from == 0) from = connection;
    hub->OnBytes(now, from, bytes);
    hub->Advance(now);
    return Out(now, from);
  }

  // What waits for `to` at `now`.
  std::vector<std::string> Out(Time now, proxy::ConnectionId to = 0) {
    if (to == 0) to = connection;
    for (proxy::Outgoing& outgoing : hub->Flush(now)) {
      for (const v1::ServerFrame& frame : ServerFrames(outgoing.bytes)) {
        waiting_[outgoing.connection].push_back(Summary(frame));
        last_frames[outgoing.connection] = frame;
      }
      if (outgoing.hang_up) waiting_[outgoing.connection].push_back("hang up");
    }
    std::vector<std::string> out;
    out.swap(waiting_[to]);
    return out;
  }

  // The capture as it stands on the disk now.
  KeptRecords Written() const { return ReadAll(*bytes_); }
  size_t written_bytes() const { return bytes_->size(); }
  SharedSink& sink() { return *sink_; }

  FakeBackend backend;
  std::unique_ptr<proxy::Recorder> recorder;
  std::unique_ptr<proxy::Hub> hub;
  proxy::ConnectionId connection = 0;
  std::map<proxy::ConnectionId, v1::ServerFrame> last_frames;

 private:
  std::shared_ptr<std::string> bytes_ = std::make_shared<std::string>();
  SharedSink* sink_ = nullptr;
  std::map<proxy::ConnectionId, std::vector<std::string>> waiting_;
};

}  // namespace dstap::test
