// Any file at all: readers end, in bounded memory, and what they say of it can be printed.
#include <algorithm>
#include <memory>
#include <utility>

#include "analyzer/findings/audit.h"
#include "analyzer/findings/catalogue.h"
#include "analyzer/render/call_writer.h"
#include "analyzer/render/findings_renderer.h"
#include "analyzer/render/renderer.h"
#include "analyzer/timeline/read_capture.h"
#include "analyzer/views/report.h"
#include "nlohmann/json.hpp"
#include "proto/base/check.h"
#include "proto/base/escape.h"
#include "proto/capture/capture_reader.h"
#include "proto/capture/capture_text.h"
#include "proto/capture/validate.h"
#include "tests/fuzz/capture_input.h"
#include "tests/fuzz/target.h"
#include "tests/support/sinks.h"

namespace dstap::fuzz {
namespace {

using capture::CaptureReader;
using capture::Ending;

constexpr size_t kSmallRead = 7;

std::unique_ptr<ByteSource> SourceOf(const CaptureInput& input) {
  const bool is_small = (input.options & kSmallReads) != 0;
  return std::make_unique<test::PieceSource>(input.file,
                                             is_small ? kSmallRead : input.file.size() + 1);
}

Result<CaptureReader> Open(const CaptureInput& input) {
  const bool skips = (input.options & kSkipDamage) != 0;
  return CaptureReader::Open(
      SourceOf(input), skips ? CaptureReader::OnDamage::kSkip : CaptureReader::OnDamage::kStop);
}

// Nothing in it moves a cursor, and all of it is UTF-8.
void CheckPrintable(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    DSTAP_CHECK(EscapeLine(line) == line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void RunValidate(const CaptureInput& input) {
  auto reader = Open(input);
  if (!reader.ok()) return CheckPrintable(reader.status().message());
  uint64_t damage = 0;
  const auto verdict = Validate(*reader, [&](const capture::Defect& defect) {
    const auto severity = capture::InfoOf(defect.id).severity;
    if (severity == capture::DefectSeverity::kDamage) ++damage;
    CheckPrintable(defect.detail);
    DSTAP_CHECK(defect.offset <= input.file.size());
  });
  if (!verdict.ok()) return CheckPrintable(verdict.status().message());
  DSTAP_CHECK((verdict->ending == Ending::kDamaged) == (damage > 0));
  DSTAP_CHECK(verdict->torn_bytes <= input.file.size());
  // What was passed over is in order and inside the file.
  uint64_t last = 0;
  for (const capture::SkippedRange& range : reader->skipped()) {
    DSTAP_CHECK(range.begin <= range.end && range.end <= input.file.size());
    DSTAP_CHECK(range.begin >= last || range.begin == range.end);
    last = std::max(last, range.end);
  }
  DSTAP_CHECK(reader->bytes_read() == input.file.size());
}

void RunAudit(const CaptureInput& input) {
  const auto rules = analyzer::AllRules();
  analyzer::Audit audit({rules.begin(), rules.end()});
  analyzer::TimelineBuilder builder({&audit});
  const analyzer::CaptureRead read = analyzer::ReadCapture("fuzz.dstap", SourceOf(input), builder);
  if (!read.is_capture) return;
  const analyzer::AuditResult result{
      .rules = {rules.begin(), rules.end()}, .findings = audit.Take(), .calls = audit.calls()};
  for (const analyzer::FindingsRendererEntry& renderer : analyzer::AllFindingsRenderers()) {
    CheckPrintable(renderer.render(result, {}));
  }
}

void RunReport(const CaptureInput& input) {
  analyzer::ReportViews views;
  analyzer::TimelineBuilder builder(views.visitors());
  const analyzer::CaptureRead read = analyzer::ReadCapture("fuzz.dstap", SourceOf(input), builder);
  CheckPrintable(EscapeLine(read.status.message()));
  if (!read.is_capture) return;
  const analyzer::Report report = views.Take();
  CheckPrintable(analyzer::RenderText(report, {}));
  CheckPrintable(analyzer::RenderMarkdown(report, {}));
  DSTAP_CHECK(nlohmann::json::accept(analyzer::RenderJson(report, {})));
}

// Prints each call in every format.
class Printer final : public analyzer::TimelineVisitor {
 public:
  void OnRecordingBegin(const analyzer::Recording& recording) override { recording_ = recording; }
  void OnCall(const analyzer::Call& call, const analyzer::Step* step) override {
    const analyzer::CallLine line{.recording = recording_, .call = call, .step = step};
    text_.clear();
    analyzer::AppendCallText(line, text_);
    CheckPrintable(text_);
    text_.clear();
    analyzer::AppendCallJson(line, text_);
    DSTAP_CHECK(nlohmann::json::accept(text_));
    text_.clear();
    analyzer::AppendCallCsv(line, text_);
    DSTAP_CHECK(text_.ends_with('\n'));
  }

 private:
  analyzer::Recording recording_;
  std::string text_;
};

void RunPrintCalls(const CaptureInput& input) {
  Printer printer;
  analyzer::TimelineBuilder builder({&printer});
  analyzer::ReadCapture("fuzz.dstap", SourceOf(input), builder);
}

// The twin of a capture is text that can be read, and what is made of it is a capture.
void RunText(const CaptureInput& input) {
  auto reader = Open(input);
  if (!reader.ok()) return;
  const auto text = capture::ToText(*reader);
  if (!text.ok()) return;
  const auto bytes = capture::FromText(*text);
  if (!bytes.ok()) return CheckPrintable(EscapeLine(bytes.status().message()));
  if (bytes->empty()) return;  // No record, no recording.
  auto again =
      CaptureReader::Open(std::make_unique<MemorySource>(*bytes), CaptureReader::OnDamage::kStop);
  DSTAP_CHECK(again.ok());
  for (auto record = again->Next(); record.ok() && *record; record = again->Next()) {
  }
}

}  // namespace

void RunInput(std::string_view bytes) {
  const CaptureInput input = CaptureInputOf(bytes);
  switch (input.use) {
    case CaptureUse::kValidate:
      return RunValidate(input);
    case CaptureUse::kReport:
      RunAudit(input);
      return RunReport(input);
    case CaptureUse::kPrintCalls:
      return RunPrintCalls(input);
    case CaptureUse::kText:
      return RunText(input);
  }
}

}  // namespace dstap::fuzz
