// docs/findings.md describes what is written here.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/findings/words.h"
#include "analyzer/render/findings_renderer.h"
#include "analyzer/render/format.h"
#include "analyzer/render/json_values.h"

namespace dstap::analyzer {
namespace {

Json RuleOf(const RuleEntry& rule) {
  return {{"id", rule.id},           {"severity", NameOf(rule.severity)}, {"title", rule.title},
          {"meaning", rule.meaning}, {"evidence", rule.evidence},         {"fix", rule.fix},
          {"source", rule.source}};
}

Json FindingOf(const Finding& finding) {
  Json json = {{"rule", finding.rule->id},
               {"severity", NameOf(finding.severity)},
               {"confidence", NameOf(finding.confidence)},
               {"file", Text(finding.file)},
               {"recording", finding.recording}};
  if (finding.source != 0) {
    json["source"] = finding.source;
    json["source_name"] = Text(finding.source_name);
  }
  if (!finding.step.empty()) json["step"] = Text(finding.step);
  if (!finding.store.empty()) {
    json["store"] = Text(finding.store);
    json["keys"] = Text(finding.keys);
  }
  json["text"] = Text(finding.text);
  json["occurrences"] = finding.occurrences;
  json["first_seconds"] = SecondsNumber(finding.first);
  json["calls"] = finding.evidence.calls();
  json["calls_count"] = finding.evidence.count;
  json["fingerprint"] = finding.Fingerprint();
  if (finding.accepted) json["accepted"] = Text(*finding.accepted);
  return json;
}

// ---------------------------------------------------------------- SARIF

// A file's name as a relative or absolute URI reference.
std::string UriOf(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

Json SarifRule(const RuleEntry& rule) {
  return {{"id", rule.id},
          {"shortDescription", {{"text", rule.title}}},
          {"fullDescription", {{"text", rule.meaning}}},
          {"help",
           {{"text",
             fmt::format("{} Said when: {} Source: {}.", rule.fix, rule.evidence, rule.source)}}},
          {"defaultConfiguration", {{"level", NameOf(rule.severity)}}}};
}

Json SarifResult(const Finding& finding, size_t rule_index) {
  std::string place = finding.source_name;
  for (const std::string& part : {finding.step, finding.store, finding.keys}) {
    if (!part.empty()) place += (place.empty() ? "" : "/") + part;
  }
  Json location = {{"physicalLocation", {{"artifactLocation", {{"uri", UriOf(finding.file)}}}}}};
  if (!place.empty()) {
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", Text(place)}, {"kind", "resource"}}});
  }
  std::string text = finding.text;
  if (finding.occurrences > 1) {
    text += fmt::format(" ({} times; this is the worst)", finding.occurrences);
  }
  Json json = {{"ruleId", finding.rule->id},
               {"ruleIndex", rule_index},
               {"level", NameOf(finding.severity)},
               {"message", {{"text", Text(text)}}},
               {"locations", Json::array({std::move(location)})},
               {"partialFingerprints", {{"dstap/v1", finding.Fingerprint()}}},
               {"properties",
                {{"confidence", NameOf(finding.confidence)},
                 {"recording", finding.recording},
                 {"occurrences", finding.occurrences},
                 {"firstSeconds", SecondsNumber(finding.first)},
                 {"calls", finding.evidence.calls()},
                 {"callsCount", finding.evidence.count}}}};
  if (finding.accepted) {
    json["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", Text(*finding.accepted)}}});
  }
  return json;
}

}  // namespace

std::string RenderFindingsJson(const AuditResult& result) {
  Json counts = Json::object();
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    counts[std::string(NameOf(severity))] = result.Count(severity);
  }
  counts["accepted"] = std::ranges::count_if(
      result.findings, [](const Finding& finding) { return finding.accepted.has_value(); });
  const Json json = {
      {"format", "dstap.audit/1"},
      {"files", result.files},
      {"calls", result.calls},
      {"whole", result.is_whole},
      {"counts", std::move(counts)},
      {"rules", ListOf(result.rules, [](const RuleEntry* rule) { return RuleOf(*rule); })},
      {"findings", ListOf(result.findings, &FindingOf)}};
  return json.dump(2, ' ', true) + "\n";
}

std::string RenderSarif(const AuditResult& result) {
  Json results = Json::array();
  for (const Finding& finding : result.findings) {
    const auto rule = std::ranges::find(result.rules, finding.rule);
    results.push_back(SarifResult(finding, static_cast<size_t>(rule - result.rules.begin())));
  }
  const Json json = {
      {"$schema",
       "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
       "sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool",
              {{"driver",
                {{"name", "dstap"},
                 {"version", DSTAP_VERSION},
                 {"rules",
                  ListOf(result.rules, [](const RuleEntry* rule) { return SarifRule(*rule); })}}}}},
             {"invocations", Json::array({{{"executionSuccessful", result.is_whole}}})},
             {"results", std::move(results)}}})}};
  return json.dump(2, ' ', true) + "\n";
}

}  // namespace dstap::analyzer
