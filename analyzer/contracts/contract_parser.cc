#include "analyzer/contracts/contract_parser.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "analyzer/timeline/names.h"
#include "analyzer/views/method_counts.h"
#include "proto/base/escape.h"
#include "proto/filter/nearest.h"

namespace dstap::analyzer {
namespace {

constexpr size_t kOrderItemsMax = 256;
constexpr std::string_view kPastLabel = "GetAsync past the cache";

// One file's parser: knows its name, for messages.
class Parser {
 public:
  explicit Parser(std::string_view file) : file_(file) {}

  Result<Contract> Parse(std::string_view toml);

 private:
  using Node = toml::node;

  Status Wrong(const Node& node, std::string_view what) const {
    return {ErrorCode::kUsage, fmt::format("{}:{}: {}", file_, node.source().begin.line, what)};
  }
  Status Unknown(const toml::key& key, std::string_view what,
                 std::span<const std::string_view> names) const;
  Status At(const Node& node, const Status& status) const { return Wrong(node, status.message()); }

  Result<std::string> TextOf(const Node& node, std::string_view what) const;
  Result<bool> FlagOf(const Node& node, std::string_view yes, std::string_view no) const;
  Result<Bounds> BoundsOf(const Node& node, BoundsUnit unit) const;
  Result<size_t> ColumnOf(const Node& node, std::string_view name) const;
  Result<RequestType> TypeOf(const toml::key& key, const Node& node) const;
  Result<std::vector<OrderItem>> OrderOf(const Node& node) const;
  Result<std::vector<RequestPromise>> RequestsOf(const Node& node) const;
  Result<std::vector<BudgetPromise>> BudgetOf(const Node& node, BoundsUnit unit) const;
  Status AddNever(const Node& node, std::optional<size_t> step, Contract& contract) const;
  Status AddNeverRule(const Node& node, std::optional<size_t> step, Contract& contract) const;
  Status AddStep(const toml::key& key, const Node& node, Contract& contract) const;
  Status SetInStep(std::string_view key, const Node& node, StepContract& step) const;

  std::string file_;
};

Status Parser::Unknown(const toml::key& key, std::string_view what,
                       std::span<const std::string_view> names) const {
  const std::string_view near = filter::Nearest(key.str(), names);
  std::string hint;
  for (const std::string_view name : names)
    hint += fmt::format("{}{}", hint.empty() ? "" : ", ", name);
  return {ErrorCode::kUsage,
          fmt::format("{}:{}: {} has no \"{}\"; {}", file_, key.source().begin.line, what,
                      Escape(key.str()),
                      near.empty() ? "it may have " + hint : fmt::format("\"{}\"?", near))};
}

Result<std::string> Parser::TextOf(const Node& node, std::string_view what) const {
  if (const auto* text = node.as_string()) return text->get();
  return Wrong(node, fmt::format("{} is a text in quotes", what));
}

Result<bool> Parser::FlagOf(const Node& node, std::string_view yes, std::string_view no) const {
  const auto* text = node.as_string();
  if (text != nullptr && text->get() == yes) return true;
  if (text != nullptr && !no.empty() && text->get() == no) return false;
  return Wrong(node, no.empty() ? fmt::format("it is \"{}\" or left out", yes)
                                : fmt::format("it is \"{}\" or \"{}\"", yes, no));
}

Result<Bounds> Parser::BoundsOf(const Node& node, BoundsUnit unit) const {
  std::string text;
  if (const auto* number = node.as_integer(); number != nullptr && unit == BoundsUnit::kCount) {
    text = fmt::format("{}", number->get());
  } else if (const auto* written = node.as_string()) {
    text = written->get();
  } else {
    return Wrong(node, unit == BoundsUnit::kCount  ? R"(a count is 2, "1..3", "..3" or "2..")"
                       : unit == BoundsUnit::kTime ? R"(a time is a text: "1s", "..250ms")"
                                                   : R"(a part is a text: "..25%")");
  }
  Result<Bounds> bounds = ParseBounds(text, unit);
  if (!bounds.ok()) return At(node, bounds.status());
  return bounds;
}

Result<size_t> Parser::ColumnOf(const Node& node, std::string_view name) const {
  if (name == kPastLabel || name == "past") return kPastColumn;
  std::vector<std::string_view> names = {kPastLabel};
  for (size_t i = 1; i < kMethodCount; ++i) {
    const std::string_view method = NameOf(static_cast<Method>(i));
    if (method == "unknown") continue;
    if (method == name) return i;
    names.push_back(method);
  }
  const std::string_view near = filter::Nearest(name, names);
  return Wrong(node, fmt::format("\"{}\" is no method{}", Escape(name),
                                 near.empty() ? "; `dstap report` names those that are sent"
                                              : fmt::format("; \"{}\"?", near)));
}

Result<RequestType> Parser::TypeOf(const toml::key& key, const Node& node) const {
  std::vector<std::string_view> names;
  for (size_t i = 1; i <= static_cast<size_t>(RequestType::kOrderedRemove); ++i) {
    const auto type = static_cast<RequestType>(i);
    if (NameOf(type) == key.str()) return type;
    names.push_back(NameOf(type));
  }
  const std::string_view near = filter::Nearest(key.str(), names);
  return Wrong(node, fmt::format("\"{}\" is no request type; {}", Escape(key.str()),
                                 near.empty() ? "StandardRead and StandardWrite are"
                                              : fmt::format("\"{}\"?", near)));
}

Result<std::vector<OrderItem>> Parser::OrderOf(const Node& node) const {
  const auto* list = node.as_array();
  if (list == nullptr || list->empty()) {
    return Wrong(node, R"(order is a list of methods: ["GetAsync?", "UpdateAsync+"])");
  }
  if (list->size() > kOrderItemsMax) {
    return Wrong(node, fmt::format("order has more than {} places", kOrderItemsMax));
  }
  std::vector<OrderItem> order;
  for (const Node& entry : *list) {
    DSTAP_TRY_ASSIGN(std::string text, TextOf(entry, "a place of order"));
    OrderItem item;
    if (!text.empty() && std::string_view("?*+").find(text.back()) != std::string_view::npos) {
      item.may_lack = text.back() != '+';
      item.may_repeat = text.back() != '?';
      text.pop_back();
    }
    DSTAP_TRY_ASSIGN(item.column, ColumnOf(entry, text));
    if (!IsDataStoreColumn(item.column)) {
      return Wrong(entry, "order is about DataStore requests");
    }
    order.push_back(item);
  }
  return order;
}

Result<std::vector<RequestPromise>> Parser::RequestsOf(const Node& node) const {
  const auto* table = node.as_table();
  if (table == nullptr) return Wrong(node, "requests is a table: { UpdateAsync = 1 }");
  std::vector<RequestPromise> requests;
  for (const auto& [key, value] : *table) {
    RequestPromise promise;
    DSTAP_TRY_ASSIGN(promise.column, ColumnOf(value, key.str()));
    DSTAP_TRY_ASSIGN(promise.count, BoundsOf(value, BoundsUnit::kCount));
    const bool is_twice =
        std::ranges::find(requests, promise.column, &RequestPromise::column) != requests.end();
    if (is_twice) return Wrong(value, fmt::format("{} stands twice", key.str()));
    requests.push_back(promise);
  }
  std::ranges::sort(requests, {}, &RequestPromise::column);
  return requests;
}

Result<std::vector<BudgetPromise>> Parser::BudgetOf(const Node& node, BoundsUnit unit) const {
  const auto* table = node.as_table();
  if (table == nullptr || table->empty()) {
    return Wrong(node, unit == BoundsUnit::kCount
                           ? R"(budget is a table: { StandardWrite = "..2" })"
                           : R"(budget_percent is a table: { StandardWrite = "..25%" })");
  }
  std::vector<BudgetPromise> budget;
  for (const auto& [key, value] : *table) {
    BudgetPromise promise;
    DSTAP_TRY_ASSIGN(promise.type, TypeOf(key, value));
    DSTAP_TRY_ASSIGN(promise.amount, BoundsOf(value, unit));
    budget.push_back(promise);
  }
  std::ranges::sort(budget, {}, &BudgetPromise::type);
  return budget;
}

Status Parser::AddNeverRule(const Node& node, std::optional<size_t> step,
                            Contract& contract) const {
  std::string calls;
  std::string because;
  const Node* where = &node;
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      if (key.str() == "calls") {
        DSTAP_TRY_ASSIGN(calls, TextOf(value, "calls"));
        where = &value;
      } else if (key.str() == "because") {
        DSTAP_TRY_ASSIGN(because, TextOf(value, "because"));
      } else {
        static constexpr std::array<std::string_view, 2> kNames = {"calls", "because"};
        return Unknown(key, "a rule of never", kNames);
      }
    }
    if (calls.empty()) return Wrong(node, R"(a rule of never needs calls = "FILTER")");
  } else {
    DSTAP_TRY_ASSIGN(calls, TextOf(node, "a rule of never"));
  }
  const Result<filter::Filter> filter = filter::Filter::Parse(calls);
  if (!filter.ok()) return At(*where, filter.status());
  contract.never.push_back({.calls = *filter, .because = std::move(because), .step = step});
  return {};
}

Status Parser::AddNever(const Node& node, std::optional<size_t> step, Contract& contract) const {
  const auto* list = node.as_array();
  if (list == nullptr) {
    return Wrong(node, R"(never is a list of filters: ["method == SetAsync"])");
  }
  for (const Node& entry : *list) DSTAP_TRY(AddNeverRule(entry, step, contract));
  return {};
}

constexpr std::array<std::string_view, 13> kStepKeys = {
    "result", "last_save", "requests", "total",        "order",  "tries",         "gap",
    "wait",   "time",      "never",    "time_to_data", "budget", "budget_percent"};

Status Parser::SetInStep(std::string_view key, const Node& node, StepContract& step) const {
  const auto set = [&](std::optional<Bounds>& bounds, BoundsUnit unit) -> Status {
    DSTAP_TRY_ASSIGN(bounds, BoundsOf(node, unit));
    return {};
  };
  if (key == "result") {
    DSTAP_TRY_ASSIGN(step.ends_well, FlagOf(node, "ok", "failed"));
  } else if (key == "last_save") {
    DSTAP_TRY_ASSIGN(step.sees_last_save, FlagOf(node, "seen", ""));
  } else if (key == "requests") {
    DSTAP_TRY_ASSIGN(step.requests, RequestsOf(node));
  } else if (key == "order") {
    DSTAP_TRY_ASSIGN(step.order, OrderOf(node));
  } else if (key == "budget") {
    DSTAP_TRY_ASSIGN(step.budget, BudgetOf(node, BoundsUnit::kCount));
  } else if (key == "budget_percent") {
    DSTAP_TRY_ASSIGN(step.budget_percent, BudgetOf(node, BoundsUnit::kPercent));
  } else if (key == "total") {
    return set(step.total, BoundsUnit::kCount);
  } else if (key == "tries") {
    return set(step.tries, BoundsUnit::kCount);
  } else if (key == "gap") {
    return set(step.gap, BoundsUnit::kTime);
  } else if (key == "wait") {
    return set(step.wait, BoundsUnit::kTime);
  } else if (key == "time") {
    return set(step.time, BoundsUnit::kTime);
  } else if (key == "time_to_data") {
    return set(step.time_to_data, BoundsUnit::kTime);
  }
  return {};
}

Status Parser::AddStep(const toml::key& key, const Node& node, Contract& contract) const {
  const auto* table = node.as_table();
  if (table == nullptr) return Wrong(node, "a step is a table: [step.NAME]");
  const size_t index = contract.steps.size();
  StepContract step{.name = std::string(key.str())};
  size_t promises = 0;
  for (const auto& [name, value] : *table) {
    if (std::ranges::find(kStepKeys, name.str()) == kStepKeys.end()) {
      return Unknown(name, "a step", kStepKeys);
    }
    ++promises;
    if (name.str() == "never") {
      DSTAP_TRY(AddNever(value, index, contract));
    } else {
      DSTAP_TRY(SetInStep(name.str(), value, step));
    }
  }
  if (promises == 0) return Wrong(node, "the step promises nothing; say what, or take it out");
  contract.steps.push_back(std::move(step));
  return {};
}

Result<Contract> Parser::Parse(std::string_view toml) {
  toml::table table;
  // The one call that throws.
  try {
    table = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    return Status(ErrorCode::kUsage, fmt::format("{}:{}: {}", file_, error.source().begin.line,
                                                 Escape(error.description())));
  }
  Contract contract{.name = file_};
  const Node* steps = nullptr;
  for (const auto& [key, node] : table) {
    if (key.str() == "library") {
      DSTAP_TRY_ASSIGN(contract.library, TextOf(node, "library"));
    } else if (key.str() == "never") {
      DSTAP_TRY(AddNever(node, std::nullopt, contract));
    } else if (key.str() == "step") {
      steps = &node;
    } else {
      static constexpr std::array<std::string_view, 3> kNames = {"library", "never", "step"};
      return Unknown(key, "a contract", kNames);
    }
  }
  if (steps != nullptr) {
    const auto* by_name = steps->as_table();
    if (by_name == nullptr) return Wrong(*steps, "steps are tables: [step.NAME]");
    // As the file has them: the parser's order is the alphabet's.
    std::vector<std::pair<const toml::key*, const Node*>> placed;
    for (const auto& [key, node] : *by_name) placed.emplace_back(&key, &node);
    std::ranges::sort(placed, {}, [](const auto& entry) {
      const auto& at = entry.first->source().begin;
      return std::pair(at.line, at.column);
    });
    for (const auto& [key, node] : placed) DSTAP_TRY(AddStep(*key, *node, contract));
  }
  if (contract.steps.empty() && contract.never.empty()) {
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: promises nothing; it needs a [step.NAME] or a never", file_));
  }
  return contract;
}

}  // namespace

Result<Contract> ParseContract(std::string_view toml, std::string_view name) {
  if (toml.size() > kContractBytesMax) {
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: a contract of more than {} bytes", name, kContractBytesMax));
  }
  return Parser(name).Parse(toml);
}

}  // namespace dstap::analyzer
