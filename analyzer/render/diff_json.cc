// docs/diff-json.md describes what is written here.
#include "analyzer/render/diff_renderer.h"
#include "analyzer/render/json_values.h"

namespace dstap::analyzer {
namespace {

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kComparable:
      return "comparable";
    case Verdict::kWithReservations:
      return "with_reservations";
    case Verdict::kNothingToCompare:
      return "nothing_to_compare";
  }
  return "nothing_to_compare";
}

Json ConditionOf(const Condition& condition) {
  const bool counts = condition.may_change == Condition::MayChange::kCounts;
  return {{"what", Text(condition.what)},
          {"old", Text(condition.before)},
          {"new", Text(condition.after)},
          {"may_change", counts ? "counts" : "times"}};
}

Json NameAndVersionOf(const SubjectRows* subject) {
  if (subject == nullptr) return nullptr;
  return {{"name", Text(subject->name)},
          {"version", Text(subject->version)},
          {"model", subject->is_model}};
}

Json SideOf(const StepRow* row, const RetryRow* retries) {
  if (row == nullptr) return nullptr;
  Json values = Json::object();
  for (const auto& [value, count] : row->values_seen) values[Text(value)] = count;
  Json json = {{"samples", row->samples},
               {"failed", row->failed},
               {"unfinished", row->unfinished},
               {"requests", RangesOf(row->requests)},
               {"services", RangesOf(row->services)},
               {"failed_requests", RangesOf(row->failed_requests)},
               {"seconds", TimesOf(row->seconds)},
               {"values_seen", std::move(values)},
               {"schedules", Json::array()}};
  if (row->written_bytes) json["written_bytes"] = RangeOf(*row->written_bytes);
  if (row->failed_seconds) json["failed_seconds"] = TimesOf(row->failed_seconds);
  if (retries == nullptr) return json;
  json["schedules"] = ListOf(retries->schedules, &ScheduleOf);
  if (retries->other_chains > 0) json["other_chains"] = retries->other_chains;
  return json;
}

Json ChangesOf(const std::vector<RequestChange>& changes) {
  Json json = Json::object();
  for (const RequestChange& change : changes) {
    json[std::string(change.name)] = {{"old", RangeOf(change.before)},
                                      {"new", RangeOf(change.after)}};
  }
  return json;
}

Json StepOf(const StepDiff& step) {
  Json differs = Json::array();
  for (size_t i = 0; i < kDiffKinds.size(); ++i) {
    if (step.differs[i]) differs.push_back(kDiffKinds[i].name);
  }
  return {{"name", Text(step.name)},
          {"compared", step.is_compared()},
          {"differs", std::move(differs)},
          {"requests", ChangesOf(step.requests)},
          {"failed_requests", ChangesOf(step.failed)},
          {"old", SideOf(step.before, step.retries_before)},
          {"new", SideOf(step.after, step.retries_after)}};
}

Json PairOf(const SubjectDiff& subject) {
  return {{"old", NameAndVersionOf(subject.pair.before)},
          {"new", NameAndVersionOf(subject.pair.after)},
          {"steps", ListOf(subject.steps, &StepOf)}};
}

}  // namespace

std::string RenderDiffJson(const Diff& diff) {
  Json differences = Json::object();
  for (size_t i = 0; i < kDiffKinds.size(); ++i) {
    differences[std::string(kDiffKinds[i].name)] = diff.Count(static_cast<DiffKind>(i));
  }
  const Json json = {{"format", "dstap.diff/1"},
                     {"verdict", NameOf(diff.verdict)},
                     {"conditions", ListOf(diff.conditions, &ConditionOf)},
                     {"steps_compared", diff.steps_compared()},
                     {"differences", std::move(differences)},
                     {"subjects", ListOf(diff.subjects, &PairOf)}};
  return json.dump(2, ' ', true) + "\n";
}

}  // namespace dstap::analyzer
