#include "analyzer/views/not_run.h"

#include <algorithm>

namespace dstap::analyzer {

void NotRunView::Reasons::Add(std::string_view text) {
  if (text.empty()) return;
  const auto same =
      std::ranges::find_if(texts, [&](const auto& kept) { return kept.first == text; });
  if (same != texts.end()) {
    ++same->second;
  } else if (texts.size() < kReasonsMax) {
    texts.emplace_back(text, 1);
  } else {
    ++others;
  }
}

void NotRunView::OnSource(const Source& source) {
  const Library* library = source.NamedLibrary();
  if (library == nullptr) return;
  has_library_ = true;
  Subject& subject = subjects_[{library->name, library->version}];
  if (library->is_model) subject.is_model = true;
}

void NotRunView::OnStepBegin(const Step& /*step*/) { has_steps_ = true; }

void NotRunView::OnStepEnd(const Step& step) {
  Subject& subject = subjects_[SubjectOf(step)];
  if (step.source->library && step.source->library->is_model) subject.is_model = true;
  if (step.partial) {
    subject.is_partial = true;
  } else if (!step.end) {
    ++subject.unfinished;
  } else if (step.ok) {
    ++subject.well;
  } else {
    ++subject.failed;
    subject.of_steps.Add(step.text);
  }
}

void NotRunView::OnNotice(const Notice& notice) {
  if (notice.kind != NoticeKind::kError && notice.kind != NoticeKind::kRecorder) return;
  if (notice.source == nullptr) {
    if (sourceless_.size() < kReasonsMax) sourceless_.emplace_back(notice.text);
    return;
  }
  const Library* library = notice.source->NamedLibrary();
  if (library == nullptr) return;
  subjects_[{library->name, library->version}].of_notices.Add(notice.text);
}

void NotRunView::OnRecordingEnd(const Recording& recording) {
  const auto asked = std::ranges::find(recording.options, kLibraryOption, &Option::name);
  if (!has_library_ && asked != recording.options.end()) {
    const size_t at = asked->value.find('@');
    SubjectId id{.name = asked->value.substr(0, at)};
    if (at != std::string::npos) id.version = asked->value.substr(at + 1);
    Subject& subject = subjects_[id];
    for (const std::string& text : sourceless_) subject.of_notices.Add(text);
    if (sourceless_.empty()) subject.of_notices.Add(recording.end_text);
    subject.is_asked_for = true;
  }
  has_library_ = false;
  sourceless_.clear();
}

std::vector<NotRun> NotRunView::Table() const {
  std::vector<NotRun> table;
  for (const auto& [id, subject] : subjects_) {
    if (subject.well > 0 || subject.is_partial) continue;
    const bool has_step = subject.failed + subject.unfinished > 0;
    if (!has_step && !has_steps_ && !subject.is_asked_for && subject.of_notices.texts.empty()) {
      continue;
    }
    const Reasons& reasons = subject.of_steps.texts.empty() ? subject.of_notices : subject.of_steps;
    table.push_back({.subject = id,
                     .is_model = subject.is_model,
                     .steps_failed = subject.failed,
                     .steps_unfinished = subject.unfinished,
                     .reasons = reasons.texts,
                     .other_reasons = reasons.others});
  }
  return table;
}

}  // namespace dstap::analyzer
