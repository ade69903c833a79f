// What a flight recorder waits for: a call that an expression matches.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "proto/base/status.h"
#include "proto/capture/records.h"
#include "proto/filter/filter.h"

namespace dstap::proxy {

// Threads: not thread-safe.
// Limits:  keeps a copy of each source's row.
class CallTrigger {
 public:
  // Errors: kUsage, with the column; also for fields of steps, which are not known while recording.
  static Result<CallTrigger> Parse(std::string_view expression) {
    DSTAP_TRY_ASSIGN(filter::Filter filter,
                     filter::Filter::Parse(expression, {.has_steps = false}));
    return CallTrigger(std::move(filter));
  }

  void OnRow(const v1::Row& row) {
    if (row.has_source()) sources_[row.source().id()] = row.source();
  }

  // Whether this record of a call, its last one, is what is waited for.
  bool Fires(const capture::CallRecord& call) const {
    const auto source = sources_.find(call.source);
    return filter_.Matches(
        {.call = call, .source = source == sources_.end() ? nullptr : &source->second});
  }

 private:
  explicit CallTrigger(filter::Filter filter) : filter_(std::move(filter)) {}

  filter::Filter filter_;
  std::map<uint32_t, v1::Source> sources_;
};

}  // namespace dstap::proxy
