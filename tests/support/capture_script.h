// Says a capture in a few lines, for tests of what reads captures.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/timeline/timeline_builder.h"
#include "proto/capture/capture_reader.h"

namespace dstap::test {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

// A call that went well: let through at once and answered by the backend. Change what matters.
inline capture::CallRecord GoodCall(v1::Method method, std::string_view store, std::string_view key,
                                    Time issued, Time completed) {
  capture::CallRecord call;
  call.source = 1;
  call.method = method;
  call.store = store;
  call.store_kind = v1::STORE_KIND_STANDARD;
  call.key = key;
  call.issued = issued;
  call.admitted = issued;
  call.completed = completed;
  call.served_by = v1::SERVED_BY_BACKEND;
  call.outcome = v1::OUTCOME_OK;
  return call;
}

inline capture::CallRecord Update(std::string_view key, Time issued, Time completed) {
  return GoodCall(v1::METHOD_UPDATE_ASYNC, "Players", key, issued, completed);
}

inline capture::CallRecord Get(std::string_view key, Time issued, Time completed) {
  return GoodCall(v1::METHOD_GET_ASYNC, "Players", key, issued, completed);
}

inline capture::CallRecord GetPast(std::string_view key, Time issued, Time completed) {
  capture::CallRecord call = Get(key, issued, completed);
  call.use_cache = v1::USE_CACHE_FALSE;
  return call;
}

// It found nothing to write, in the server's own copy of the key.
inline capture::CallRecord CancelledByLocalCopy(capture::CallRecord update) {
  update.outcome = v1::OUTCOME_CANCELLED;
  update.served_by = v1::SERVED_BY_LOCAL_COPY;
  return update;
}

inline capture::CallRecord Storing(capture::CallRecord call, uint64_t bytes) {
  call.written = capture::ValueInfo{.bytes = bytes};
  return call;
}

// Asked for, and not answered yet.
inline capture::CallRecord InFlight(capture::CallRecord call) {
  call.admitted.reset();
  call.completed.reset();
  call.served_by = v1::SERVED_BY_UNKNOWN;
  call.outcome = v1::OUTCOME_IN_FLIGHT;
  return call;
}

inline v1::StoreKey About(std::string_view store, std::string_view key = {},
                          std::string_view scope = {}) {
  v1::StoreKey about;
  about.set_store(std::string(store));
  about.set_key(std::string(key));
  about.set_scope(std::string(scope));
  return about;
}

struct StepSpec {
  uint64_t id = 1;
  std::string_view subject = "lib";
  std::string_view name = "load";
  uint32_t sample = 1;
  uint32_t source = 1;
  std::vector<v1::StoreKey> about = {};
  std::string_view expected = {};
};

// The records of one file, in order.
//
// Ownership: keeps the rows; what a call refers to must outlive the script (literals do).
class CaptureScript {
 public:
  CaptureScript& Header(v1::ClockKind clock = v1::CLOCK_KIND_VIRTUAL) {
    v1::Row row;
    v1::Header& header = *row.mutable_header();
    header.set_format_version(1);
    header.set_tool("dstap");
    header.set_tool_version("0.1.0");
    header.set_clock(clock);
    header.set_rule_profile("2026");
    header.set_seed(1);
    header.set_backend("simulator");
    return Row(0s, std::move(row));
  }

  CaptureScript& Source(uint32_t id, std::string_view name, std::string_view library = {},
                        std::string_view version = {}, bool is_model = false) {
    v1::Row row;
    v1::Source& source = *row.mutable_source();
    source.set_id(id);
    source.set_name(std::string(name));
    source.set_role("server");
    source.set_players(0);
    if (!library.empty()) {
      source.mutable_library()->set_name(std::string(library));
      source.mutable_library()->set_version(std::string(version));
      source.mutable_library()->set_licence("Apache-2.0");
      source.mutable_library()->set_origin(std::string(library) + "@" + std::string(version));
      source.mutable_library()->set_is_model(is_model);
    }
    return Row(0s, std::move(row));
  }

  CaptureScript& Begin(Time time, const StepSpec& spec) {
    v1::Row row;
    v1::StepBegin& begin = *row.mutable_step_begin();
    begin.set_id(spec.id);
    begin.set_source(spec.source);
    begin.set_subject(std::string(spec.subject));
    begin.set_name(std::string(spec.name));
    begin.set_sample(spec.sample);
    begin.set_expected(std::string(spec.expected));
    for (const v1::StoreKey& about : spec.about) *begin.add_about() = about;
    return Row(time, std::move(row));
  }

  CaptureScript& End(Time time, uint64_t id, std::string_view observed = {}) {
    v1::Row row;
    row.mutable_step_end()->set_id(id);
    row.mutable_step_end()->set_ok(true);
    row.mutable_step_end()->set_observed(std::string(observed));
    return Row(time, std::move(row));
  }

  CaptureScript& Fail(Time time, uint64_t id, std::string_view text) {
    v1::Row row;
    row.mutable_step_end()->set_id(id);
    row.mutable_step_end()->set_text(std::string(text));
    return Row(time, std::move(row));
  }

  // Calls without an id get the next one.
  CaptureScript& Call(capture::CallRecord call) {
    if (call.id == 0) call.id = ++last_id_;
    last_id_ = std::max(last_id_, call.id);
    records_.emplace_back(call);
    return *this;
  }

  CaptureScript& Closed(Time time, uint64_t calls_lost = 0) {
    v1::Row row;
    row.mutable_end()->set_reason(v1::END_REASON_CLOSED);
    row.mutable_end()->set_calls_lost(calls_lost);
    return Row(time, std::move(row));
  }

  // The recorded command did not end well.
  CaptureScript& CommandFailed(Time time, std::string_view text) {
    v1::Row row;
    row.mutable_end()->set_reason(v1::END_REASON_COMMAND_FAILED);
    row.mutable_end()->set_text(std::string(text));
    return Row(time, std::move(row));
  }

  // A header of a recording that was to run `library`.
  CaptureScript& HeaderFor(std::string_view library) {
    Header();
    v1::Option& option = *std::get<1>(records_.back()).second.mutable_header()->add_options();
    option.set_name("library");
    option.set_value(std::string(library));
    return *this;
  }

  CaptureScript& Notice(Time time, v1::NoticeKind kind, std::string_view text,
                        uint32_t source = 1) {
    v1::Row row;
    row.mutable_notice()->set_source(source);
    row.mutable_notice()->set_kind(kind);
    row.mutable_notice()->set_text(std::string(text));
    return Row(time, std::move(row));
  }

  CaptureScript& Row(Time time, v1::Row row) {
    records_.emplace_back(std::pair(time, std::move(row)));
    return *this;
  }

  template <typename Function>
  void ForEach(Function function) const {
    for (const auto& entry : records_) {
      capture::Record record;
      if (const auto* call = std::get_if<capture::CallRecord>(&entry)) {
        record.call = call;
      } else {
        record.time = std::get<std::pair<Time, v1::Row>>(entry).first;
        record.row = &std::get<std::pair<Time, v1::Row>>(entry).second;
      }
      function(record);
    }
  }

  void Feed(analyzer::TimelineBuilder& builder, std::string file = "run.dstap",
            analyzer::FileEnd end = {}) const {
    builder.BeginFile(std::move(file));
    ForEach([&builder](const capture::Record& record) { builder.Add(record); });
    builder.EndFile(std::move(end));
  }

 private:
  std::deque<std::variant<capture::CallRecord, std::pair<Time, v1::Row>>> records_;
  uint64_t last_id_ = 0;
};

}  // namespace dstap::test
