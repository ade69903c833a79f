#include "analyzer/findings/audit.h"

#include <algorithm>
#include <utility>

#include "analyzer/timeline/key_family.h"
#include "analyzer/timeline/names.h"

namespace dstap::analyzer {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

// Of calls whose capture does not say who answered: faster than any answer from elsewhere, on a
// server whose other answers took at least kFarAway.
constexpr Time kFromCopy = 10ms;
constexpr Time kFarAway = 50ms;

void AppendPart(std::string_view part, std::string& out) {
  out += part;
  out += '\0';
}

void AppendPlace(StoreKind kind, std::string_view store, std::string_view scope,
                 std::string_view key, std::string& out) {
  out += static_cast<char>('0' + static_cast<int>(kind));
  AppendPart(store, out);
  AppendPart(scope == "global" ? "" : scope, out);
  AppendPart(key, out);
}

void AppendPlace(const Call& call, std::string& out) {
  AppendPlace(call.store_kind, call.store, call.scope, call.key, out);
}

bool ReadsAValue(Method method) {
  return method == Method::kGetAsync || method == Method::kUpdateAsync;
}

bool WritesAValue(Method method) {
  return method == Method::kSetAsync || method == Method::kUpdateAsync ||
         method == Method::kIncrementAsync || method == Method::kRemoveAsync ||
         method == Method::kCreateEntry;
}

bool IsFailure(Outcome outcome) {
  return outcome == Outcome::kDropped || outcome == Outcome::kRejected ||
         outcome == Outcome::kFailed;
}

}  // namespace

Audit::Audit(std::vector<const RuleEntry*> rules)
    : entries_(std::move(rules)),
      chains_([this](const FailureChain& chain) { Tell(&Rule::OnChain, chain); }),
      keys_(kKeysMax),
      lanes_(kKeysMax) {}

Audit::~Audit() = default;

void Audit::OnRecordingBegin(const Recording& recording) {
  collector_.BeginRecording(recording);
  profile_ = recording.rule_profile;
  keys_ = SlotTable<TextName>(kKeysMax);
  lanes_ = SlotTable<PairName>(kKeysMax);
  facts_of_key_ = Slots<KeyFacts>();
  next_serial_ = 0;
  step_names_.assign(1, "");
  step_name_by_text_.clear();
  step_name_of_slot_.clear();
  last_caller_ = 0;
  families_.clear();
  family_by_name_.clear();
  callers_.assign(1, "");
  caller_by_name_.clear();
  limits_.clear();
  rules_.clear();
  for (const RuleEntry* entry : entries_) rules_.push_back(entry->make(*entry, *this));
}

Audit::Limits& Audit::LimitsOf(const Source& source) {
  if (limits_.size() <= source.index) limits_.resize(source.index + 1);
  return limits_[source.index];
}

void Audit::OnLimits(const LimitsInForce& limits) {
  Limits& of_source = LimitsOf(*limits.source);
  for (const Limit& limit : limits.limits) {
    // Rows name today's types or the old ones, as the service had them.
    const auto budget = BudgetOf(limit.type);
    if (!budget) continue;
    of_source.rates[static_cast<size_t>(*budget)] =
        Rate{.base = limit.base, .per_player = limit.per_player};
  }
}

Rate Audit::LimitOf(const Source& source, Budget budget) const {
  if (source.index < limits_.size()) {
    if (const auto& rate = limits_[source.index].rates[static_cast<size_t>(budget)]) return *rate;
  }
  return DefaultRate(profile_, budget);
}

// Steps do not say the kind of store that they are about; few are about an ordered one.
size_t Audit::FindKey(const StoreKey& key) const {
  std::string name;
  AppendPlace(StoreKind::kStandard, key.store, key.scope, key.key, name);
  return keys_.Find(name).value_or(kNone);
}

std::string Audit::ProfileWords() const {
  return profile_.empty() ? "the rules of 2026 (the capture names none)"
                          : "the rules of " + profile_;
}

bool Audit::HasProfile(std::string_view date) const { return profile_ == date; }

void Audit::Report(const RuleEntry& rule, Occurrence occurrence) {
  const auto order = std::ranges::find(entries_, &rule) - entries_.begin();
  const Family* const family = occurrence.family == kNone ? nullptr : &families_[occurrence.family];
  collector_.Add(rule, static_cast<size_t>(order), std::move(occurrence), family);
}

size_t Audit::FamilyOfKey(const Call& call) {
  Family family{.store = FamilyOf(call.store), .keys = FamilyOf(call.key), .kind = call.store_kind};
  if (!call.scope.empty() && call.scope != "global") family.store += "/" + FamilyOf(call.scope);
  name_.assign(1, static_cast<char>('0' + static_cast<int>(call.store_kind)));
  AppendPart(family.store, name_);
  AppendPart(family.keys, name_);
  if (const auto found = family_by_name_.find(name_); found != family_by_name_.end()) {
    return found->second;
  }
  if (families_.size() == kFamiliesMax) {
    families_.push_back({.store = "(others)", .keys = "(others)"});
  }
  if (families_.size() > kFamiliesMax) return kFamiliesMax;
  families_.push_back(std::move(family));
  family_by_name_.emplace(name_, families_.size() - 1);
  return families_.size() - 1;
}

size_t Audit::KeyOf(const Call& call) {
  name_.clear();
  AppendPlace(call, name_);
  const auto place = keys_.Of(name_);
  if (place.is_reused) Tell(&Rule::ForgetKey, place.slot);
  if (place.is_new) facts_of_key_[place.slot] = {FamilyOfKey(call), ++next_serial_};
  return place.slot;
}

size_t Audit::LaneOf(const Call& call, size_t key) {
  const auto place = lanes_.Of({facts_of_key_[key].serial, call.source->index});
  if (place.is_reused) {
    chains_.Forget(place.slot);
    Tell(&Rule::ForgetLane, place.slot);
  }
  return place.slot;
}

size_t Audit::CallerOf(std::string_view name) {
  if (name.empty()) return 0;
  if (name == callers_[last_caller_]) return last_caller_;
  std::string wanted(name);
  if (const auto found = caller_by_name_.find(wanted); found != caller_by_name_.end()) {
    return last_caller_ = found->second;
  }
  if (callers_.size() == kCallersMax) callers_.emplace_back("(others)");
  if (callers_.size() > kCallersMax) return kCallersMax;
  callers_.push_back(wanted);
  caller_by_name_.emplace(std::move(wanted), callers_.size() - 1);
  return callers_.size() - 1;
}

size_t Audit::StepNameOf(const std::string& name) {
  if (const auto found = step_name_by_text_.find(name); found != step_name_by_text_.end()) {
    return found->second;
  }
  if (step_names_.size() == kFamiliesMax) step_names_.emplace_back("(others)");
  if (step_names_.size() > kFamiliesMax) return kFamiliesMax;
  step_names_.push_back(name);
  step_name_by_text_.emplace(name, step_names_.size() - 1);
  return step_names_.size() - 1;
}

SeenCall Audit::See(const Call& call, const Step* step) {
  SeenCall seen{.call = call, .step = step, .costs = {}};
  seen.key = KeyOf(call);
  seen.family = facts_of_key_[seen.key].family;
  seen.lane = LaneOf(call, seen.key);
  if (step != nullptr) seen.step_name = step_name_of_slot_[step->slot];
  seen.failures_before = chains_.FailuresOf(seen.lane);
  seen.caller = CallerOf(call.caller);
  seen.error = ClassOf(call);
  seen.reads = ReadsAValue(call.method);
  seen.writes = WritesAValue(call.method);
  seen.failed = IsFailure(call.outcome);
  seen.stored = seen.writes && call.outcome == Outcome::kOk;
  const bool is_open = call.outcome == Outcome::kInFlight || call.outcome == Outcome::kUnknown;
  seen.may_be_stored =
      seen.writes && (is_open || (call.outcome == Outcome::kFailed && LeavesOpen(seen.error)));
  Limits& limits = LimitsOf(*call.source);
  const bool has_answer = call.outcome == Outcome::kOk || call.outcome == Outcome::kCancelled;
  if (seen.reads && has_answer && call.completed) {
    const Time took = *call.completed - call.issued;
    const bool may_be_local =
        call.method == Method::kGetAsync || call.outcome == Outcome::kCancelled;
    seen.is_local_observed = call.served_by == ServedBy::kLocalCopy;
    seen.is_local = seen.is_local_observed || (call.served_by == ServedBy::kUnknown &&
                                               may_be_local && call.use_cache != UseCache::kFalse &&
                                               took < kFromCopy && limits.slowest >= kFarAway);
    limits.slowest = std::max(limits.slowest, took);
  }
  seen.costs = CostsOf(call, profile_, NeverLeft(seen.error), seen.is_local);
  return seen;
}

void Audit::OnCall(const Call& call, const Step* step) {
  ++calls_;
  if (!IsDataStore(call.method)) return Tell(&Rule::OnServiceCall, call, step);
  const SeenCall seen = See(call, step);
  Tell(&Rule::OnCall, seen);
  chains_.Add(seen);
}

void Audit::OnSource(const Source& source) { Tell(&Rule::OnSource, source); }

void Audit::OnStepBegin(const Step& step) {
  if (step_name_of_slot_.size() <= step.slot) step_name_of_slot_.resize(step.slot + 1);
  step_name_of_slot_[step.slot] = StepNameOf(step.name);
  Tell(&Rule::OnStepBegin, step);
}

void Audit::OnStepEnd(const Step& step) { Tell(&Rule::OnStepEnd, step); }
void Audit::OnBudget(const BudgetReading& reading) { Tell(&Rule::OnBudget, reading); }
void Audit::OnClock(const ClockReading& reading) { Tell(&Rule::OnClock, reading); }
void Audit::OnFault(const Fault& fault) { Tell(&Rule::OnFault, fault); }

void Audit::OnRecordingEnd(const Recording& recording) {
  chains_.EndRecording(recording.last);
  Tell(&Rule::OnRecordingEnd, recording);
  rules_.clear();
}

}  // namespace dstap::analyzer
