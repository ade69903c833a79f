// docs/report-json.md and docs/report.schema.json describe what is written here.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/render/format.h"
#include "analyzer/render/json_values.h"
#include "analyzer/render/renderer.h"
#include "analyzer/timeline/names.h"

namespace dstap::analyzer {
namespace {

Json BudgetsOf(const std::vector<BudgetRange>& budgets) {
  Json json = Json::object();
  for (const BudgetRange& budget : budgets) {
    json[std::string(NameOf(budget.type))] = {{"before", RangeOf(budget.first)},
                                              {"lowest", budget.lowest},
                                              {"after", RangeOf(budget.last)}};
  }
  return json;
}

Json StepOf(const StepRow& row, const StepsTable& table) {
  Json tie = Json::array();
  for (const size_t other : row.tie) tie.push_back(Text(table.subjects[other].label));
  Json values = Json::object();
  for (const auto& [value, count] : row.values_seen) values[Text(value)] = count;
  Json step = {{"name", Text(row.name)},
               {"samples", row.samples},
               {"failed", row.failed},
               {"requests", RangesOf(row.requests)},
               {"seconds", TimesOf(row.seconds)},
               {"tie", std::move(tie)},
               {"values_seen", std::move(values)},
               {"throttling", ThrottlingOf(row.throttling)},
               {"failed_calls", RangeOf(row.failed_calls)},
               {"failed_requests", RangesOf(row.failed_requests)},
               {"same_in_every_sample", row.is_same_in_every_sample()}};
  if (!row.local_requests.empty()) step["local_requests"] = RangesOf(row.local_requests);
  if (row.last_save.samples > 0) {
    step["last_save"] = {{"seen", row.last_save.seen}, {"samples", row.last_save.samples}};
  }
  if (row.written_bytes) step["written_bytes"] = RangeOf(*row.written_bytes);
  if (row.longest_queue) step["longest_queue"] = SecondsNumber(*row.longest_queue);
  if (!row.budgets.empty()) step["budgets"] = BudgetsOf(row.budgets);
  if (!row.services.empty()) step["services"] = RangesOf(row.services);
  if (row.failed_seconds) step["failed_seconds"] = TimesOf(row.failed_seconds);
  if (row.values_other > 0) step["values_other"] = row.values_other;
  if (row.unfinished > 0) {
    Json requests = Json::object();
    for (const NamedCount& count : row.unfinished_requests) {
      requests[std::string(count.name)] = count.count;
    }
    step["unfinished"] = {{"samples", row.unfinished}, {"requests", std::move(requests)}};
  }
  return step;
}

Json SubjectOf(const SubjectRows& subject, const StepsTable& table) {
  Json steps = Json::array();
  for (const StepRow& row : subject.steps) steps.push_back(StepOf(row, table));
  return {{"name", Text(subject.name)},
          {"version", Text(subject.version)},
          {"model", subject.is_model},
          {"steps", std::move(steps)}};
}

// A list: a name may stand several times.
Json OptionsOf(const std::vector<Option>& options) {
  return ListOf(options, [](const Option& option) {
    return Json{{"name", Text(option.name)}, {"value", Text(option.value)}};
  });
}

Json SourceOf(const SourceInfo& source) {
  Json json = {{"id", source.id}, {"name", Text(source.name)}, {"role", Text(source.role)}};
  if (!source.options.empty()) json["options"] = OptionsOf(source.options);
  if (source.players) {
    json["players"] = *source.players;
    if (source.players_lowest != source.players_highest) {
      json["players_range"] = {{"min", source.players_lowest}, {"max", source.players_highest}};
    }
  }
  for (const auto& [reason, changes] : source.limit_changes) {
    json["limit_changes"].push_back({{"reason", Text(reason)},
                                     {"count", changes.count},
                                     {"first_seconds", SecondsNumber(changes.first)},
                                     {"last_seconds", SecondsNumber(changes.last)}});
  }
  if (!source.runs.empty()) json["library"] = Text(source.runs);
  return json;
}

Json CaptureOf(const CaptureInfo& info) {
  const Recording& recording = info.recording;
  Json json = {{"file", Text(recording.file)},
               {"recording", recording.number},
               {"state", NameOf(info.state)}};
  if (recording.end) json["end"] = NameOf(*recording.end);
  if (!recording.end_text.empty()) json["end_text"] = Text(recording.end_text);
  json["tool"] = Text(recording.tool);
  json["tool_version"] = Text(recording.tool_version);
  json["title"] = Text(recording.title);
  json["backend"] = Text(recording.backend);
  json["rule_profile"] = Text(recording.rule_profile);
  json["clock"] = NameOf(recording.clock);
  if (recording.seed) json["seed"] = *recording.seed;
  if (!recording.options.empty()) json["options"] = OptionsOf(recording.options);
  if (!info.scenarios.empty()) {
    json["scenarios"] = ListOf(info.scenarios, [](const std::string& name) { return Text(name); });
  }
  json["values_recorded"] = recording.values_recorded;
  json["seconds"] = SecondsNumber(recording.last);
  json["calls"] = recording.calls;
  json["calls_in_flight"] = recording.calls_in_flight;
  if (recording.calls_matching < recording.calls) json["calls_matching"] = recording.calls_matching;
  json["steps"] = info.steps;
  json["sources"] = Json::array();
  for (const SourceInfo& source : info.sources) json["sources"].push_back(SourceOf(source));
  return json;
}

Json RetriesOf(const RetryRow& row) {
  Json json = {{"subject", Text(row.subject.name)},
               {"version", Text(row.subject.version)},
               {"step", Text(row.step)},
               {"samples", row.samples},
               {"samples_with_chains", row.samples_with_chains},
               {"chains", row.chains},
               {"tries", RangeOf(row.tries)},
               {"same_in_every_sample", row.is_same_in_every_sample()},
               {"schedules", Json::array()}};
  for (const RetrySchedule& schedule : row.schedules) {
    json["schedules"].push_back(ScheduleOf(schedule));
  }
  if (row.other_chains > 0) json["other_chains"] = row.other_chains;
  json["policies"] = ListOf(row.policies, &PolicyOf);
  json["cost"] = {
      {"things", row.cost.things}, {"succeeded", row.cost.succeeded}, {"tries", row.cost.tries}};
  if (row.cost.units > 0) {
    json["cost"]["budget_units"] = {{"all", row.cost.units},
                                    {"of_repeats", row.cost.units_of_repeats}};
  }
  if (row.calls_not_followed > 0) json["calls_not_followed"] = row.calls_not_followed;
  return json;
}

Json LibraryOf(const Library& library) {
  return {{"name", Text(library.name)},     {"version", Text(library.version)},
          {"commit", Text(library.commit)}, {"licence", Text(library.licence)},
          {"origin", Text(library.origin)}, {"model", library.is_model}};
}

Json TrafficOf(const SourceTraffic& row) {
  Json methods = Json::object();
  Json outside = Json::object();
  for (const MethodCount& method : row.methods) {
    methods[std::string(method.name)] = method.calls;
    if (method.outside_steps > 0) outside[std::string(method.name)] = method.outside_steps;
  }
  return {{"file", Text(row.file)},
          {"recording", row.recording},
          {"source", row.source},
          {"source_name", Text(row.source_name)},
          {"calls", row.calls},
          {"methods", std::move(methods)},
          {"throttling", ThrottlingOf(row.throttling)},
          {"outside_steps",
           {{"calls", row.outside_steps},
            {"methods", std::move(outside)},
            {"throttling", ThrottlingOf(row.throttling_outside_steps)}}}};
}

Json NoticeOf(const NoticeCount& notice) {
  return {{"kind", NameOf(notice.kind)},
          {"text", Text(notice.text)},
          {"source_name", Text(notice.source_name)},
          {"count", notice.count}};
}

Json NotRunOf(const NotRun& row) {
  Json json = {{"name", Text(row.subject.name)},
               {"version", Text(row.subject.version)},
               {"model", row.is_model},
               {"steps_failed", row.steps_failed},
               {"steps_unfinished", row.steps_unfinished},
               {"reasons", Json::array()}};
  for (const auto& [text, count] : row.reasons) {
    json["reasons"].push_back({{"text", Text(text)}, {"count", count}});
  }
  if (row.other_reasons > 0) json["other_reasons"] = row.other_reasons;
  return json;
}

std::string_view NameOf(DefectSeverity severity) {
  switch (severity) {
    case DefectSeverity::kNote:
      return "note";
    case DefectSeverity::kDataLoss:
      return "data_loss";
    case DefectSeverity::kError:
      return "error";
  }
  return "error";
}

Json DefectOf(const DefectCount& defect) {
  const DefectInfo& info = InfoOf(defect.defect);
  Json json = {{"id", info.id}, {"severity", NameOf(info.severity)}, {"file", Text(defect.file)}};
  if (defect.recording != 0) json["recording"] = defect.recording;
  json["count"] = defect.count;
  json["text"] = Text(defect.text);
  return json;
}

}  // namespace

std::string RenderJson(const Report& report, const RenderOptions& options) {
  const auto is_wanted = [&options](std::string_view section) {
    return options.sections.empty() ||
           std::ranges::find(options.sections, section) != options.sections.end();
  };
  const Overview& overview = report.overview;
  Json json = {{"format", "dstap.report/1"}};
  if (!report.filter.empty()) {
    json["filter"] = {{"expression", Text(report.filter)},
                      {"calls", overview.calls},
                      {"calls_matching", overview.calls_matching},
                      {"steps_left_out", report.steps.left_out}};
  }
  json["captures"] = ListOf(overview.captures, &CaptureOf);
  json["subjects"] = ListOf(report.steps.subjects, [&](const SubjectRows& subject) {
    return SubjectOf(subject, report.steps);
  });
  if (is_wanted("retries")) json["retries"] = ListOf(report.retries, &RetriesOf);
  if (is_wanted("captures")) json["libraries"] = ListOf(overview.libraries, &LibraryOf);
  if (is_wanted("traffic")) json["traffic"] = ListOf(report.traffic, &TrafficOf);
  if (is_wanted("notices")) json["notices"] = ListOf(report.notices, &NoticeOf);
  if (is_wanted("not-run")) json["not_run"] = ListOf(report.not_run, &NotRunOf);
  if (is_wanted("not-seen")) json["not_seen"] = ListOf(overview.not_seen, &DefectOf);
  // ASCII: control characters, and what turns the direction of text, stay escaped.
  return json.dump(2, ' ', true) + "\n";
}

}  // namespace dstap::analyzer
