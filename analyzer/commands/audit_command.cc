#include "analyzer/commands/audit_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <array>
#include <ostream>

#include "analyzer/commands/output_file.h"
#include "analyzer/commands/read_files.h"
#include "analyzer/findings/audit.h"
#include "analyzer/findings/catalogue.h"
#include "analyzer/render/findings_renderer.h"
#include "proto/base/escape.h"
#include "proto/base/file_source.h"
#include "proto/filter/nearest.h"

namespace dstap::analyzer {
namespace {

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const auto& entry : AllFindingsRenderers()) names.emplace_back(entry.name);
  return names;
}

Result<const RuleEntry*> RuleNamed(const std::string& id, std::string_view flag) {
  if (const RuleEntry* rule = FindRule(id)) return rule;
  std::vector<std::string_view> ids;
  for (const RuleEntry* rule : AllRules()) ids.push_back(rule->id);
  const std::string_view nearest = filter::Nearest(id, ids);
  return Status(ErrorCode::kUsage,
                fmt::format("{}: \"{}\" is no rule; {}", flag, Escape(id),
                            nearest.empty() ? "\"dstap audit --list\" names them"
                                            : fmt::format("did you mean {}?", nearest)));
}

}  // namespace

CLI::App* AuditCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "audit", "What the traffic does wrong, or will: findings with their evidence and the fix");
  command->add_option("FILE", files_, "Captures; \"-\" is standard input");
  command->add_flag("--list", list_, "Print the rules, and look at no capture");
  command->add_option("--rule", rules_, "Apply only this rule; may be given again")
      ->allow_extra_args(false);
  command->add_option("--ignore", ignored_, "Leave this rule out; may be given again")
      ->allow_extra_args(false);
  command->add_option("--suppressions", suppressions_,
                      "TOML with findings that are accepted, and why");
  command
      ->add_option("--fail-on", fail_on_, "Exit with 1 when there is a finding this bad or worse")
      ->check(CLI::IsMember({"note", "warning", "error"}));
  command->add_option("--format", format_, "How to print it")
      ->check(CLI::IsMember(FormatNames()))
      ->capture_default_str();
  command->add_option("-o,--output", output_, "Where to print it; \"-\" is standard output")
      ->capture_default_str();
  command->footer(
      "Exit status: 1 when --fail-on strikes; 3 when a file cannot be read or is damaged; 0\n"
      "otherwise. Accepted findings do not count. docs/findings.md says what each rule means.");
  return command;
}

Result<std::vector<const RuleEntry*>> AuditCommand::ChosenRules() const {
  std::vector<const RuleEntry*> only;
  for (const std::string& id : rules_) {
    DSTAP_TRY_ASSIGN(const RuleEntry* rule, RuleNamed(id, "--rule"));
    only.push_back(rule);
  }
  std::vector<const RuleEntry*> ignored;
  for (const std::string& id : ignored_) {
    DSTAP_TRY_ASSIGN(const RuleEntry* rule, RuleNamed(id, "--ignore"));
    ignored.push_back(rule);
  }
  const auto contains = [](const auto& list, const RuleEntry* rule) {
    return std::ranges::find(list, rule) != list.end();
  };
  std::vector<const RuleEntry*> rules;
  for (const RuleEntry* rule : AllRules()) {
    if (!only.empty() && !contains(only, rule)) continue;
    if (!contains(ignored, rule)) rules.push_back(rule);
  }
  if (rules.empty()) return Status(ErrorCode::kUsage, "--ignore leaves no rule to apply");
  return rules;
}

Result<std::vector<Suppression>> AuditCommand::ReadSuppressions() const {
  if (suppressions_.empty()) return std::vector<Suppression>();
  DSTAP_TRY_ASSIGN(const auto file, FileSource::Open(suppressions_));
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() <= kSuppressionBytesMax) {
    DSTAP_TRY_ASSIGN(const size_t n, file->Read(buffer));
    if (n == 0) break;
    text.append(buffer.data(), n);
  }
  return ParseSuppressions(text, Escape(suppressions_));
}

Result<ExitStatus> AuditCommand::Run(Streams streams) {
  if (list_) {
    streams.out << CatalogueText();
    return ExitStatus::kFine;
  }
  if (files_.empty()) {
    return Status(ErrorCode::kUsage, "no capture is named; write \"dstap audit FILE\", or --list");
  }
  const bool to_stdout = output_ == "-";
  for (const std::string& file : files_) {
    if (to_stdout || !IsSameFile(file, output_)) continue;
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: is one of the captures; name another output", output_));
  }
  DSTAP_TRY_ASSIGN(const std::vector<const RuleEntry*> rules, ChosenRules());
  DSTAP_TRY_ASSIGN(std::vector<Suppression> suppressions, ReadSuppressions());

  Audit audit(rules);
  TimelineBuilder builder({&audit});
  const FilesRead read = ReadFiles("audit", files_, builder, streams);
  if (read.captures == 0) return read.status;

  AuditResult result{.rules = rules,
                     .findings = audit.Take(),
                     .files = read.captures,
                     .calls = audit.calls(),
                     .is_whole = read.status == ExitStatus::kFine};
  Apply(suppressions, result.findings);
  for (const Suppression& suppression : suppressions) {
    const bool was_applied = std::ranges::any_of(
        rules, [&suppression](const RuleEntry* rule) { return rule->id == suppression.rule; });
    if (suppression.used > 0 || !was_applied) continue;
    streams.notes << fmt::format("dstap audit: {}:{}: accepts no finding; remove it\n",
                                 Escape(suppressions_), suppression.line);
  }
  const auto renderer =
      std::ranges::find(AllFindingsRenderers(), format_, &FindingsRendererEntry::name);
  const std::string text =
      renderer->render(result, {.has_colour = to_stdout && WantsColour(streams.out)});
  if (to_stdout) {
    streams.out << text;
  } else {
    DSTAP_TRY(WriteWhole(output_, text));
  }
  if (read.status != ExitStatus::kFine || !fail_on_) return read.status;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    if (result.Count(severity) > 0) return ExitStatus::kCheckFailed;
    if (NameOf(severity) == *fail_on_) break;
  }
  return ExitStatus::kFine;
}

}  // namespace dstap::analyzer
