#include <fmt/format.h>

#include <optional>
#include <string>

#include "analyzer/render/call_writer.h"
#include "analyzer/render/display_width.h"
#include "analyzer/timeline/names.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

// Seconds to the microsecond, which is what a capture keeps.
std::string Seconds(Time time) {
  const int64_t us = (time.count() + (time.count() < 0 ? -500 : 500)) / 1000;
  return fmt::format("{}{}.{:06}", us < 0 ? "-" : "", std::abs(us / 1'000'000),
                     std::abs(us % 1'000'000));
}

void AppendPadded(std::string_view text, size_t columns, std::string& out) {
  const size_t width = DisplayWidth(text);
  out.append(text);
  if (width < columns) out.append(columns - width, ' ');
  out.append(2, ' ');
}

std::string SourceLabel(const Source& source) {
  return source.name.empty() ? fmt::format("source {}", source.id) : Escape(source.name);
}

// "Players/user_1"; another scope than Roblox's default stands in brackets.
std::string Place(const Call& call) {
  std::string text = Escape(call.store);
  if (!call.scope.empty() && call.scope != "global")
    text += fmt::format("[{}]", Escape(call.scope));
  if (!call.key.empty()) text += fmt::format("/{}", Escape(call.key));
  return text.empty() ? "-" : text;
}

// Waiting and service apart where the capture tells them apart, else what it took altogether.
std::string Times(const Call& call) {
  const bool tells_queue = call.admitted.has_value() || call.times_queued > 0;
  if (!call.completed) {
    return call.times_queued > 0 ? fmt::format("queued {}  no answer", Seconds(call.queued))
                                 : "no answer";
  }
  const Time total = *call.completed - call.issued;
  if (!tells_queue) return fmt::format("took {}", Seconds(total));
  return fmt::format("queued {}  served {}", Seconds(call.queued), Seconds(total - call.queued));
}

std::string Budgets(const Call& call) {
  const auto number = [](const std::optional<uint64_t>& value) {
    return value ? fmt::format("{}", *value) : "?";
  };
  std::string text;
  for (const BudgetUse& use : call.budgets) {
    if (use.type == RequestType::kUnknown) continue;
    text += fmt::format("{}{} {}>{}", text.empty() ? "" : ", ", NameOf(use.type),
                        number(use.before), number(use.after));
  }
  return text.empty() ? "-" : text;
}

}  // namespace

void AppendCallText(const CallLine& line, std::string& out) {
  const Call& call = line.call;
  const bool is_past = call.method == Method::kGetAsync && call.use_cache == UseCache::kFalse;
  out += fmt::format("{:>12}  ", Seconds(call.issued));
  AppendPadded(SourceLabel(*call.source), 10, out);
  AppendPadded(line.step == nullptr ? "-" : Escape(line.step->name), 13, out);
  AppendPadded(is_past ? "GetAsync(past)" : NameOf(call.method), 14, out);
  AppendPadded(Place(call), 24, out);
  AppendPadded(Times(call), 34, out);
  AppendPadded(Budgets(call), 24, out);
  out += NameOf(call.outcome);
  if (!call.error_name.empty()) {
    out += fmt::format(" {}", Escape(call.error_name));
  } else if (call.error_code != 0) {
    out += fmt::format(" {}", call.error_code);
  } else if (call.served_by == ServedBy::kLocalCopy) {
    out += " (local copy)";
  }
  if (call.fault != 0) out += fmt::format(", fault {}", call.fault);
  out += '\n';
}

}  // namespace dstap::analyzer
