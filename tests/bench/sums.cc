#include "tests/bench/sums.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace dstap::bench {
namespace {

// Looks at both ends of the text, so that its bytes had to be there.
uint64_t Of(std::string_view text) {
  if (text.empty()) return 0;
  return text.size() << 16 | static_cast<uint64_t>(static_cast<unsigned char>(text.front())) << 8 |
         static_cast<unsigned char>(text.back());
}

uint64_t Of(Time time) { return static_cast<uint64_t>(time.count()); }
uint64_t Of(const std::optional<Time>& time) { return time ? Of(*time) + 1 : 0; }
uint64_t Of(const std::optional<uint64_t>& number) { return number ? *number + 1 : 0; }

}  // namespace

void Sums::Add(const capture::CallRecord& call) {
  ++calls_;
  uint64_t* sum = sums_.data();
  const auto add = [&sum](uint64_t number) { *sum++ += number; };
  add(call.id);
  add(call.source);
  add(Of(call.caller));
  add(call.method);
  add(Of(call.store));
  add(Of(call.scope));
  add(call.store_kind);
  add(call.all_scopes ? 1 : 0);
  add(Of(call.key));
  add(call.use_cache);
  add(call.list == nullptr ? 0 : 1 + call.list->page_size() + call.list->items());
  add(Of(call.issued));
  add(Of(call.admitted));
  add(Of(call.completed));
  add(call.times_queued);
  add(Of(call.queued));
  add(call.served_by);
  add(call.transform_runs.size());
  uint64_t* const runs = sum;
  sum += 3;
  for (const capture::TransformRun& run : call.transform_runs) {
    runs[0] += run.outcome;
    runs[1] += Of(run.started);
    runs[2] += Of(run.took);
  }
  add(call.outcome);
  add(call.error_code);
  add(Of(call.error_name));
  add(Of(call.error_text));
  for (const auto* value : {&call.read, &call.written}) {
    add(*value ? (*value)->bytes + 1 : 0);
    add(*value ? (*value)->hash : 0);
  }
  add(Of(call.version));
  for (const capture::BudgetUse& use : call.budgets) {
    add(use.type);
    add(Of(use.before));
    add(Of(use.after));
    add(use.taken);
  }
  add(call.fault);
}

std::string Sums::Text() const { return fmt::format("{} {}\n", calls_, fmt::join(sums_, " ")); }

}  // namespace dstap::bench
