// A traffic's records, kept with all that they refer to.
#include <deque>
#include <string>
#include <unordered_set>

#include "tests/bench/traffic.h"

namespace dstap::bench {

struct Recorded::Storage {
  std::string_view Keep(std::string_view text) {
    return *texts.emplace(text).first;  // Addresses stay.
  }

  const capture::CallRecord* Keep(const capture::CallRecord& given) {
    capture::CallRecord& call = calls.emplace_back(given);
    for (std::string_view* text : {&call.caller, &call.store, &call.scope, &call.key,
                                   &call.error_name, &call.error_text, &call.version}) {
      if (!text->empty()) *text = Keep(*text);
    }
    if (!call.transform_runs.empty()) {
      call.transform_runs =
          runs.emplace_back(call.transform_runs.begin(), call.transform_runs.end());
    }
    if (call.list != nullptr) call.list = &lists.emplace_back(*call.list);
    return &call;
  }

  std::unordered_set<std::string> texts;
  std::deque<capture::CallRecord> calls;
  std::deque<std::vector<capture::TransformRun>> runs;
  std::deque<v1::ListArguments> lists;
  std::deque<v1::Row> rows;
};

Recorded::Recorded(const TrafficOptions& options, uint64_t calls)
    : storage_(std::make_unique<Storage>()) {
  Traffic traffic(options);
  for (uint64_t answered = 0; answered < calls;) {
    capture::Record record = traffic.Next();
    if (record.call != nullptr) {
      if (record.call->outcome != v1::OUTCOME_IN_FLIGHT) ++answered;
      record.call = storage_->Keep(*record.call);
    } else {
      record.row = &storage_->rows.emplace_back(*record.row);
    }
    records_.push_back(record);
  }
}

Recorded::~Recorded() = default;

}  // namespace dstap::bench
