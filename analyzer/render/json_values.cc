#include "analyzer/render/json_values.h"

#include <algorithm>
#include <cmath>

#include "analyzer/render/format.h"
#include "analyzer/render/policy_text.h"
#include "analyzer/render/schedule.h"
#include "analyzer/render/utf8.h"
#include "analyzer/timeline/names.h"
#include "analyzer/views/method_counts.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

Json AttemptOf(const RetryChain& chain, size_t index) {
  const Attempt& attempt = chain.attempts()[index];
  Json json = {{"call", attempt.call},
               {"method", NameOfColumn(attempt.column)},
               {"at", SecondsNumber(chain.At(index))}};
  if (const auto wait = chain.WaitBefore(index)) json["wait"] = SecondsNumber(*wait);
  if (attempt.completed) json["took"] = SecondsNumber(*attempt.completed - attempt.issued);
  if (attempt.queued > Time{}) json["queued"] = SecondsNumber(attempt.queued);
  json["outcome"] = NameOf(attempt.outcome);
  json["served_by"] = NameOf(attempt.served_by);
  return json;
}

double Rounded(double value, double to) { return std::round(value * to) / to; }

void AddLaw(const Law& law, Json& json) {
  constexpr double kMilliseconds = 1000;
  json["kind"] = NameOf(law.kind);
  if (law.kind != PolicyKind::kBudget) json["from"] = NameOf(law.from);
  if (law.kind == PolicyKind::kIrregular) {
    json["range"] = {{"min", Rounded(law.low, kMilliseconds)},
                     {"max", Rounded(law.high, kMilliseconds)}};
    return;
  }
  if (law.delay > 0) json["delay"] = Rounded(law.delay, kMilliseconds);
  if (law.kind == PolicyKind::kLinear) json["increment"] = Rounded(law.increment, kMilliseconds);
  if (law.kind == PolicyKind::kExponential) json["factor"] = Rounded(law.factor, kMilliseconds);
  if (law.cap) json["cap"] = Rounded(*law.cap, kMilliseconds);
  if (law.jitter == Jitter::kAbsent) return;
  json["jitter"] = {{"kind", NameOf(law.jitter)},
                    {"low", Rounded(law.low, kMilliseconds)},
                    {"high", Rounded(law.high, kMilliseconds)}};
}

}  // namespace

std::string Text(std::string_view bytes) {
  return IsUtf8(bytes) ? std::string(bytes) : Escape(bytes);
}

Json RangeOf(Range range) { return {{"min", range.min}, {"max", range.max}}; }

Json RangesOf(const std::vector<NamedRange>& ranges) {
  Json json = Json::object();
  for (const NamedRange& named : ranges) json[std::string(named.name)] = RangeOf(named.range);
  return json;
}

Json TimesOf(const std::optional<TimeRange>& times) {
  if (!times) return nullptr;
  return {{"median", SecondsNumber(times->median)},
          {"min", SecondsNumber(times->min)},
          {"max", SecondsNumber(times->max)},
          {"n", times->count},
          {"range_only", times->count == 1}};
}

Json ThrottlingOf(const Throttling& counts) {
  return {
      {"sent", counts.sent},         {"local", counts.local},         {"admitted", counts.admitted},
      {"queued", counts.queued},     {"dropped", counts.dropped},     {"gap", counts.gap()},
      {"rejected", counts.rejected}, {"in_flight", counts.in_flight}, {"unknown", counts.unknown}};
}

Json PolicyOf(const RetryPolicy& inferred) {
  constexpr double kOfAThousandth = 1e5;
  const Policy& policy = inferred.policy;
  Json json = {{"method", NameOfColumn(inferred.column)},
               {"kind", policy.parts.size() > 1 ? "in_parts" : NameOf(policy.kind())},
               {"confidence", NameOf(policy.confidence)},
               {"gaps", policy.gaps},
               {"explained", policy.explained},
               {"error",
                {{"rms", Rounded(policy.error_rms, kOfAThousandth)},
                 {"worst", Rounded(policy.error_worst, kOfAThousandth)}}},
               {"parts", Json::array()}};
  for (const PolicyPart& part : policy.parts) {
    Json law = {{"gaps", part.gaps}};
    if (part.after) {
      law["after"] = NameOf(static_cast<Outcome>(*part.after));
    } else {
      law["first_gap"] = part.first_place;
    }
    AddLaw(part.law, law);
    json["parts"].push_back(std::move(law));
  }
  if (policy.also) {
    json["also"] = Json::object();
    AddLaw(*policy.also, json["also"]);
  }
  return json;
}

Json ScheduleOf(const RetrySchedule& schedule) {
  const RetryChain& chain = schedule.example;
  Json outcomes = Json::object();
  for (size_t i = 0; i < chain.outcomes().size(); ++i) {
    if (chain.outcomes()[i] == 0) continue;
    outcomes[std::string(NameOf(static_cast<Outcome>(i)))] = chain.outcomes()[i];
  }
  Json answered_by = Json::object();
  for (size_t i = 0; i < chain.answered_by().size(); ++i) {
    if (chain.answered_by()[i] == 0) continue;
    answered_by[std::string(NameOf(static_cast<ServedBy>(i)))] = chain.answered_by()[i];
  }
  std::string end(NameOf(schedule.end));
  std::ranges::replace(end, ' ', '_');
  Json json = {{"chains", schedule.chains},
               {"samples", schedule.samples},
               {"end", std::move(end)},
               {"tries", chain.tries()},
               {"outcomes", std::move(outcomes)},
               {"answered_by", std::move(answered_by)},
               {"example",
                {{"file", Text(schedule.file)},
                 {"recording", schedule.recording},
                 {"source", schedule.source},
                 {"sample", schedule.sample}}}};
  if (chain.left_out() > 0) {
    json["left_out"] = {{"tries", chain.left_out()}, {"before", chain.left_out_before()}};
  }
  json["attempts"] = Json::array();
  for (size_t i = 0; i < chain.attempts().size(); ++i) {
    json["attempts"].push_back(AttemptOf(chain, i));
  }
  return json;
}

}  // namespace dstap::analyzer
