// What a library promises to send, step by step. docs/contracts.md is the manual of its file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/contracts/bounds.h"
#include "analyzer/timeline/timeline.h"
#include "proto/filter/filter.h"

namespace dstap::analyzer {

// A method as method_counts.h counts it, and how many of its requests a sample may send.
struct RequestPromise {
  size_t column = 0;
  Bounds count;
};

// One place in the order of a sample's requests: "GetAsync", "GetAsync?", "UpdateAsync+", "...*".
struct OrderItem {
  size_t column = 0;
  bool may_lack = false;
  bool may_repeat = false;
};

struct BudgetPromise {
  RequestType type = RequestType::kUnknown;
  Bounds amount;
};

// Calls that must not be. `step` is where in Contract::steps it stands; absent: of no step or any.
struct NeverRule {
  filter::Filter calls;
  std::string because;  // Empty: not said.
  std::optional<size_t> step;
};

// What is absent or empty is not promised.
struct StepContract {
  std::string name;
  std::optional<bool> ends_well;
  bool sees_last_save = false;
  // DataStore methods that are not named send nothing. Absent: any may be sent.
  std::optional<std::vector<RequestPromise>> requests;
  std::optional<Bounds> total;  // DataStore requests.
  std::vector<OrderItem> order;
  std::optional<Bounds> tries;         // Of one key.
  std::optional<Bounds> gap;           // ns from the start of a try to the start of the next.
  std::optional<Bounds> wait;          // ns from an answer to the next try's start.
  std::optional<Bounds> time;          // ns from the step's begin to its end.
  std::optional<Bounds> time_to_data;  // ns from the step's begin to the first value that was read.
  std::vector<BudgetPromise> budget;   // Units that one sample takes.
  // Percent of what the limits grant for one player, a minute of the step.
  std::vector<BudgetPromise> budget_percent;
};

struct Contract {
  std::string name;
  // Whose traffic it is about, as "NAME@VERSION" with * and ?; empty: everybody's.
  std::string library;
  std::vector<StepContract> steps;  // In the order of the file.
  std::vector<NeverRule> never;
};

}  // namespace dstap::analyzer
