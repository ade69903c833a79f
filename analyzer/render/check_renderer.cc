#include "analyzer/render/check_renderer.h"

#include <fmt/format.h>

#include <array>

#include "analyzer/render/cells.h"
#include "analyzer/render/json_values.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

std::string NameOf(const SubjectId& subject) {
  return subject.version.empty() ? subject.name : subject.name + "@" + subject.version;
}

std::string CallsText(const Breach& breach) {
  std::string text;
  for (const uint64_t id : breach.calls) text += fmt::format("{}{}", text.empty() ? "" : ", ", id);
  if (breach.more_calls > 0) text += fmt::format(" and {} more", breach.more_calls);
  return OrDash(text);
}

// "sample 3 of some-library@1.2.0, source 2, run.dstap".
std::string PlaceText(const Breach& breach) {
  std::string text = breach.sample == 0 ? "" : fmt::format("sample {}", breach.sample);
  if (!breach.subject.name.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : " of ", NameOf(breach.subject));
  }
  text += fmt::format("{}source {}, {}", text.empty() ? "" : ", ", breach.source, breach.file);
  if (breach.recording > 1) text += fmt::format(", recording {}", breach.recording);
  return Escape(text);
}

std::string VerdictOf(const StepCheck& step) {
  if (step.broken > 0) return fmt::format("broken in {}", step.broken);
  if (step.samples == 0) return "not seen";
  return "kept";
}

Block BreachTable(const StepCheck& step) {
  Table table{.columns = {Words("promise"),
                          Words("expected"),
                          Words("seen"),
                          {.title = "samples", .align = Column::Align::kRight},
                          Words("calls"),
                          Words("first")}};
  for (const Breach& breach : step.breaches) {
    table.rows.push_back({breach.promise, Escape(breach.expected), Escape(breach.seen),
                          Number(breach.samples), CallsText(breach), PlaceText(breach)});
  }
  return table;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", Escape(name));
  }
  return text;
}

void AddStep(const StepCheck& step, std::string title, Document& document) {
  if (step.breaches.empty()) return;
  DocumentSection section{.title = std::move(title), .blocks = {BreachTable(step)}};
  if (step.other_breaches > 0) {
    section.blocks.emplace_back(
        fmt::format("{} other breaches are not listed.", step.other_breaches));
  }
  document.sections.push_back(std::move(section));
}

Json JsonOf(const Breach& breach) {
  return {{"promise", breach.promise},
          {"expected", Text(breach.expected)},
          {"seen", Text(breach.seen)},
          {"samples", breach.samples},
          {"first",
           {{"file", Text(breach.file)},
            {"recording", breach.recording},
            {"source", breach.source},
            {"subject", Text(NameOf(breach.subject))},
            {"sample", breach.sample},
            {"calls", breach.calls},
            {"more_calls", breach.more_calls}}}};
}

Json JsonOf(const StepCheck& step) {
  return {{"name", Text(step.name)},
          {"samples", step.samples},
          {"broken", step.broken},
          {"unfinished", step.unfinished},
          {"too_long", step.too_long},
          {"breaches", ListOf(step.breaches, [](const Breach& breach) { return JsonOf(breach); })},
          {"other_breaches", step.other_breaches}};
}

std::string RenderCheckText(const ContractChecked& checked, const RenderOptions& options) {
  return TextOf(DocumentOf(checked), options);
}

std::string RenderCheckMarkdown(const ContractChecked& checked, const RenderOptions& /*options*/) {
  return MarkdownOf(DocumentOf(checked));
}

std::string RenderCheckJson(const ContractChecked& checked, const RenderOptions& /*options*/) {
  const Json json = {
      {"contract", Text(checked.contract)},
      {"library", Text(checked.library)},
      {"kept", !checked.is_broken()},
      {"steps", ListOf(checked.steps, [](const StepCheck& step) { return JsonOf(step); })},
      {"never",
       ListOf(checked.everywhere.breaches, [](const Breach& breach) { return JsonOf(breach); })},
      {"steps_not_promised",
       ListOf(checked.steps_not_promised, [](const std::string& name) { return Text(name); })},
      {"other_subjects",
       ListOf(checked.others, [](const std::string& name) { return Text(name); })}};
  return json.dump(2) + "\n";
}

}  // namespace

Document DocumentOf(const ContractChecked& checked) {
  Document document{.title = "Contract " + Escape(checked.contract)};
  if (!checked.library.empty()) {
    document.remarks.push_back("For " + Escape(checked.library) + ".");
  }
  Table table{.columns = {Words("step"),
                          {.title = "samples", .align = Column::Align::kRight},
                          Words("contract")}};
  uint64_t unfinished = 0;
  uint64_t too_long = 0;
  for (const StepCheck& step : checked.steps) {
    table.rows.push_back({Escape(step.name), Number(step.samples), VerdictOf(step)});
    unfinished += step.unfinished;
    too_long += step.too_long;
  }
  DocumentSection steps{.title = checked.is_broken() ? "Broken" : "Kept", .blocks = {}};
  if (!table.rows.empty()) steps.blocks.emplace_back(std::move(table));
  const auto say = [&steps](std::string text) { steps.blocks.emplace_back(std::move(text)); };
  if (unfinished > 0) {
    say(fmt::format("{} samples have no end or are not whole: they are not judged.", unfinished));
  }
  if (too_long > 0) {
    say(fmt::format("{} samples have more than {} calls: their order and tries are not judged.",
                    too_long, kCallsOfSampleMax));
  }
  if (!checked.steps_not_promised.empty()) {
    say("Not in the contract: " + Listed(checked.steps_not_promised) + ".");
  }
  if (!checked.others.empty()) {
    say("The contract is not about: " + Listed(checked.others) + ".");
  }
  document.sections.push_back(std::move(steps));
  for (const StepCheck& step : checked.steps) AddStep(step, Escape(step.name), document);
  AddStep(checked.everywhere, "In any step", document);
  return document;
}

std::span<const CheckRendererEntry> AllCheckRenderers() {
  static constexpr std::array kRenderers = {
      CheckRendererEntry{"text", &RenderCheckText},
      CheckRendererEntry{"markdown", &RenderCheckMarkdown},
      CheckRendererEntry{"json", &RenderCheckJson},
  };
  return kRenderers;
}

}  // namespace dstap::analyzer
