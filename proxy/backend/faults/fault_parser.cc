#include "proxy/backend/faults/fault_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "proto/base/escape.h"
#include "proto/base/prng.h"
#include "proxy/backend/faults/service_errors.h"
#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/methods.h"

namespace dstap::proxy {
namespace {

// What a rule can be about: every method that the simulator answers, each once.
const std::vector<v1::Method>& AllMethods() {
  static const std::vector<v1::Method> all = [] {
    std::vector<v1::Method> methods;
    for (const MethodRow& row : Methods()) {
      if (std::ranges::find(methods, row.method) == methods.end()) methods.push_back(row.method);
    }
    return methods;
  }();
  return all;
}

constexpr v1::Method kWrites[] = {v1::METHOD_SET_ASYNC, v1::METHOD_UPDATE_ASYNC,
                                  v1::METHOD_INCREMENT_ASYNC, v1::METHOD_REMOVE_ASYNC,
                                  v1::METHOD_REMOVE_VERSION_ASYNC};
constexpr v1::Method kConflicting[] = {v1::METHOD_UPDATE_ASYNC};
constexpr v1::Method kWithoutKey[] = {v1::METHOD_LIST_DATA_STORES_ASYNC, v1::METHOD_LIST_KEYS_ASYNC,
                                      v1::METHOD_GET_SORTED_ASYNC, v1::METHOD_BATCH_GET_ASYNC};
constexpr v1::Method kWithoutStore[] = {v1::METHOD_LIST_DATA_STORES_ASYNC};

// What a rule's words come to, and why one cannot be.
struct Draft {
  FaultRule rule;
  std::string problem;  // One line without the word; empty: there is none.
};

bool Fail(Draft& draft, std::string problem) {
  draft.problem = std::move(problem);
  return false;
}

// Whole, from 1.
std::optional<uint64_t> CountOf(std::string_view text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number == 0) return std::nullopt;
  return number;
}

struct Unit {
  std::string_view name;
  int64_t ns;
};
constexpr Unit kUnits[] = {{"", 1'000'000'000},
                           {"s", 1'000'000'000},
                           {"ms", 1'000'000},
                           {"m", 60'000'000'000},
                           {"h", 3'600'000'000'000}};

// "1.5s", "250ms", "2m", "1h", "3": seconds. Exact: no floating point.
std::optional<Time> TimeOf(std::string_view text, Draft& draft) {
  const auto no = [&](std::string problem) {
    Fail(draft, std::move(problem));
    return std::nullopt;
  };
  if (text.starts_with('-')) return no("a time cannot be negative");
  const size_t whole_end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view fraction;
  size_t unit_at = whole_end;
  if (whole_end < text.size() && text[whole_end] == '.') {
    const size_t begin = whole_end + 1;
    unit_at = std::min(text.find_first_not_of("0123456789", begin), text.size());
    fraction = text.substr(begin, unit_at - begin);
  }
  const auto unit = std::ranges::find(kUnits, text.substr(unit_at), &Unit::name);
  const bool has_fraction = unit_at > whole_end;
  if (whole_end == 0 || unit == std::end(kUnits) || (has_fraction && fraction.empty()) ||
      fraction.size() > 9) {
    return no(fmt::format("\"{}\" is no time; write 5s, 250ms, 1.5s, 2m or 1h", Escape(text)));
  }
  const auto too_late = [&] {
    return no(fmt::format("a time past {} s, where virtual time ends",
                          kFaultTimeMax.count() / 1'000'000'000));
  };
  int64_t whole = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + whole_end, whole);
  if (parsed.ec != std::errc() || whole > kFaultTimeMax.count() / unit->ns) return too_late();
  int64_t part = 0;
  int64_t scale = 1;
  for (const char digit : fraction) {
    part = part * 10 + (digit - '0');
    scale *= 10;
  }
  const Time time(whole * unit->ns +
                  static_cast<int64_t>(static_cast<Uint128>(part) * static_cast<Uint128>(unit->ns) /
                                       static_cast<Uint128>(scale)));
  if (time > kFaultTimeMax) return too_late();
  return time;
}

// ---------------------------------------------------------------- selectors

bool SetCall(Draft& draft, const std::string& value) {
  const size_t dots = value.find("..");
  const std::string_view text = value;
  const auto end = [&](std::string_view written, uint64_t open) {
    return written.empty() && dots != std::string::npos ? open : CountOf(written).value_or(0);
  };
  draft.rule.first_call = end(text.substr(0, dots), 1);
  draft.rule.last_call = dots == std::string::npos ? draft.rule.first_call
                                                   : end(text.substr(dots + 2), FaultRule::kEvery);
  if (draft.rule.first_call == 0 || draft.rule.last_call == 0 || value == "..") {
    return Fail(draft, "calls are counted from 1; write 3, 2..4 or 3..");
  }
  if (draft.rule.last_call < draft.rule.first_call) {
    return Fail(draft, "can never strike: the range ends before it begins");
  }
  return true;
}

bool SetCount(Draft& draft, const std::string& value) {
  const auto count = CountOf(value);
  if (!count) return Fail(draft, "is no whole number from 1");
  draft.rule.count = *count;
  return true;
}

bool SetProbability(Draft& draft, const std::string& value) {
  double& probability = draft.rule.probability;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, probability);
  if (error != std::errc() || stop != end || !(probability >= 0 && probability <= 1)) {
    return Fail(draft, "is no number above 0 and up to 1");
  }
  if (probability == 0) return Fail(draft, "can never strike");
  return true;
}

bool SetMethod(Draft& draft, const std::string& value) {
  for (size_t at = 0; at <= value.size();) {
    const size_t end = std::min(value.find(',', at), value.size());
    const std::string_view name = std::string_view(value).substr(at, end - at);
    const auto method = std::ranges::find(AllMethods(), name, &MethodName);
    if (method == AllMethods().end()) {
      std::string known;
      for (const v1::Method each : AllMethods()) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", MethodName(each));
      }
      return Fail(draft, fmt::format("no method \"{}\"; there are {}", Escape(name), known));
    }
    draft.rule.methods.push_back(*method);
    at = end + 1;
  }
  return true;
}

template <std::optional<std::string> FaultRule::*kMember>
bool SetPattern(Draft& draft, const std::string& value) {
  if (value.empty()) return Fail(draft, "is empty; * stands for anything");
  draft.rule.*kMember = value;
  return true;
}

bool SetTime(Draft& draft, const std::string& value) {
  const size_t dots = value.find("..");
  if (dots == std::string::npos || value == "..") {
    return Fail(draft, "is no window; write 10s..20s, 10s.. or ..20s");
  }
  const std::string_view text = value;
  const std::string_view from = text.substr(0, dots);
  const std::string_view until = text.substr(dots + 2);
  if (!from.empty()) {
    const auto time = TimeOf(from, draft);
    if (!time) return false;
    draft.rule.from = *time;
  }
  if (!until.empty()) {
    const auto time = TimeOf(until, draft);
    if (!time) return false;
    draft.rule.until = *time;
  }
  if (draft.rule.until <= draft.rule.from) {
    return Fail(draft, "can never strike: the window ends before it begins");
  }
  return true;
}

// ---------------------------------------------------------------- effects

bool SetError(Draft& draft, const std::string& value) {
  if (value.find_first_of(" :") != std::string::npos) {
    draft.rule.error = ErrorOfText(value);
    return true;
  }
  const auto error = FindServiceError(value);
  if (!error) {
    return Fail(draft,
                "no error has this name or number; docs/faults.md lists them, and a text of "
                "your own has a space or a colon in it");
  }
  draft.rule.error = *error;
  return true;
}

bool SetReports(Draft& draft, const std::string& value) {
  if (value != "never") return SetError(draft, value);
  draft.rule.answered = false;
  return true;
}

bool SetDelay(Draft& draft, const std::string& value) {
  const auto time = TimeOf(value, draft);
  if (!time) return false;
  if (*time == Time(0)) return Fail(draft, "a delay of 0 changes nothing");
  draft.rule.delay = *time;
  return true;
}

bool SetInstant(Draft& draft, const std::string& value) {
  const auto time = TimeOf(value, draft);
  if (time) draft.rule.delay = *time;
  return time.has_value();
}

bool SetAmbiguous(Draft& draft, const std::string& value) {
  if (value == "applied") return true;
  if (value != "not_applied") return Fail(draft, "is neither applied nor not_applied");
  draft.rule.kind = v1::FAULT_KIND_AMBIGUOUS_NOT_APPLIED;
  return true;
}

struct WordRow {
  std::string_view name;
  bool (*set)(Draft& draft, const std::string& value);  // Null: the word stands alone.
  // Of a word that says what happens; unknown: of one that says to which calls, or how.
  v1::FaultKind kind = v1::FAULT_KIND_UNKNOWN;
};

constexpr WordRow kWords[] = {
    {"call", SetCall},
    {"step", SetPattern<&FaultRule::step>},
    {"method", SetMethod},
    {"store", SetPattern<&FaultRule::store>},
    {"key", SetPattern<&FaultRule::key>},
    {"server", SetPattern<&FaultRule::server>},
    {"time", SetTime},
    {"probability", SetProbability},
    {"count", SetCount},
    {"drop", nullptr, v1::FAULT_KIND_DROP},
    {"queue", SetDelay, v1::FAULT_KIND_QUEUE},
    {"error", SetError, v1::FAULT_KIND_ERROR},
    {"latency", SetDelay, v1::FAULT_KIND_LATENCY},
    {"never_answer", nullptr, v1::FAULT_KIND_NEVER_ANSWER},
    {"ambiguous", SetAmbiguous, v1::FAULT_KIND_AMBIGUOUS_APPLIED},
    {"reports", SetReports},
    {"conflict", nullptr, v1::FAULT_KIND_CONFLICT},
    {"server_crash", SetInstant, v1::FAULT_KIND_SERVER_CRASH},
};

std::string NamesOf(bool effects) {
  std::string names;
  for (const WordRow& row : kWords) {
    if (effects && row.kind == v1::FAULT_KIND_UNKNOWN) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

std::string Shown(const FaultWord& word) {
  return Escape(word.value ? word.name + "=" + *word.value : word.name);
}

Status Wrong(const FaultWord& word, std::string_view reason) {
  return {ErrorCode::kUsage, fmt::format("{}: {}: {}", word.where, Shown(word), reason)};
}

Status SetWord(Draft& draft, const WordRow& row, const FaultWord& word) {
  if (row.kind != v1::FAULT_KIND_UNKNOWN) draft.rule.kind = row.kind;
  if (row.set == nullptr) {
    if (!word.value || *word.value == "true") return {};
    return Wrong(word, "takes no value; leave the word out for no");
  }
  if (!word.value) return Wrong(word, fmt::format("takes a value: {}=...", word.name));
  if (!row.set(draft, *word.value)) return Wrong(word, draft.problem);
  return {};
}

bool IsOneOf(std::span<const v1::Method> methods, v1::Method method) {
  return std::ranges::find(methods, method) != methods.end();
}

// What single words cannot tell.
Status CheckWhole(FaultRule& rule, const std::vector<const FaultWord*>& given) {
  const auto word = [&](std::string_view name) -> const FaultWord* {
    const auto found = std::ranges::find(given, name, &FaultWord::name);
    return found == given.end() ? nullptr : *found;
  };
  const bool ambiguous = rule.kind == v1::FAULT_KIND_AMBIGUOUS_APPLIED ||
                         rule.kind == v1::FAULT_KIND_AMBIGUOUS_NOT_APPLIED;
  if (const FaultWord* reports = word("reports"); reports != nullptr && !ambiguous) {
    return Wrong(*reports, "goes with ambiguous only");
  }
  if (rule.kind == v1::FAULT_KIND_SERVER_CRASH) {
    for (const FaultWord* other : given) {
      if (other->name == "server" || other->name == "server_crash") continue;
      return Wrong(*other,
                   "selects calls, and server_crash is about a server; only server goes "
                   "with it");
    }
    return {};
  }
  if (ambiguous && rule.error.text.empty()) rule.error = DefaultWriteError();
  std::span<const v1::Method> fitting = AllMethods();
  if (ambiguous) fitting = kWrites;
  if (rule.kind == v1::FAULT_KIND_CONFLICT) fitting = kConflicting;
  for (const v1::Method method : rule.methods) {
    if (IsOneOf(fitting, method)) continue;
    return Wrong(*word("method"), fmt::format("{} and {} do not fit: {}", MethodName(method),
                                              ambiguous ? "ambiguous" : "conflict",
                                              ambiguous ? "it writes nothing"
                                                        : "only UpdateAsync can meet a conflict"));
  }
  if (rule.methods.empty() && fitting.size() < AllMethods().size()) {
    rule.methods.assign(fitting.begin(), fitting.end());
  }
  const auto never = [&](const std::optional<std::string>& pattern,
                         std::span<const v1::Method> without) {
    return pattern && !MatchesPattern(*pattern, "") && !rule.methods.empty() &&
           std::ranges::all_of(rule.methods, [&](v1::Method m) { return IsOneOf(without, m); });
  };
  if (never(rule.key, kWithoutKey)) {
    return Wrong(*word("key"), fmt::format("can never strike: a {} has no key",
                                           MethodName(rule.methods.front())));
  }
  if (never(rule.store, kWithoutStore)) {
    return Wrong(*word("store"), fmt::format("can never strike: a {} has no store",
                                             MethodName(rule.methods.front())));
  }
  return {};
}

}  // namespace

Result<FaultRule> MakeFaultRule(const std::vector<FaultWord>& words, std::string text,
                                std::string where) {
  Draft draft;
  const FaultWord* effect = nullptr;
  std::vector<const FaultWord*> given;
  for (const FaultWord& word : words) {
    const auto row = std::ranges::find(kWords, word.name, &WordRow::name);
    if (row == std::end(kWords)) {
      return Wrong(word, fmt::format("no such word; there are {}", NamesOf(false)));
    }
    if (std::ranges::find(given, word.name, &FaultWord::name) != given.end()) {
      return Wrong(word, "is given twice");
    }
    if (row->kind != v1::FAULT_KIND_UNKNOWN) {
      if (effect != nullptr) {
        return Wrong(word,
                     fmt::format("a second effect beside {}; a rule has one", Shown(*effect)));
      }
      effect = &word;
    }
    given.push_back(&word);
    DSTAP_TRY(SetWord(draft, *row, word));
  }
  FaultRule& rule = draft.rule;
  if (effect == nullptr) {
    return Status(ErrorCode::kUsage, fmt::format("{}: says nothing that happens; add one of {}",
                                                 where, NamesOf(true)));
  }
  DSTAP_TRY(CheckWhole(rule, given));
  rule.text = std::move(text);
  rule.where = std::move(where);
  return std::move(rule);
}

}  // namespace dstap::proxy
