#include "analyzer/commands/verify_command.h"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <array>
#include <ostream>
#include <utility>

#include "analyzer/commands/inspect_files.h"
#include "proto/capture/validate.h"

namespace dstap::analyzer {
namespace {

using capture::Defect;
using capture::DefectId;
using capture::DefectInfo;
using capture::DefectSeverity;
using capture::Ending;

// A defect that strikes every call would fill the screen: so many are shown, and the rest counted.
constexpr uint64_t kShownPerKind = 20;

std::string_view Word(DefectSeverity severity) {
  switch (severity) {
    case DefectSeverity::kNote:
      return "note";
    case DefectSeverity::kLoss:
      return "loss";
    case DefectSeverity::kRule:
      return "rule";
    case DefectSeverity::kDamage:
      return "damage";
  }
  return "";
}

void PrintTable(std::ostream& out) {
  for (const DefectInfo& info : capture::kDefects) {
    out << fmt::format("{:<18}{:<8}{}\n", info.name, Word(info.severity), info.meaning);
  }
}

std::string Counted(uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// Prints the defects of one file and counts them.
class DefectPrinter {
 public:
  DefectPrinter(std::ostream& out, std::string path) : out_(out), path_(std::move(path)) {}

  void Add(const Defect& defect) {
    const DefectInfo& info = capture::InfoOf(defect.id);
    ++by_severity_[static_cast<size_t>(info.severity)];
    // How the file ends is in its last line.
    if (defect.id == DefectId::kUnfinished || defect.id == DefectId::kTornTail) return;
    if (++by_id_[static_cast<size_t>(defect.id)] > kShownPerKind) return;
    out_ << fmt::format("{}: byte {}, chunk {}", path_, defect.offset, defect.chunk);
    if (defect.record != 0) out_ << fmt::format(", record {}", defect.record);
    out_ << fmt::format(": {}: {}\n", info.name, defect.detail);
  }

  void PrintRest() const {
    for (const DefectInfo& info : capture::kDefects) {
      const uint64_t count = by_id_[static_cast<size_t>(info.id)];
      if (count <= kShownPerKind) continue;
      out_ << fmt::format("{}: {}: {} more\n", path_, info.name, count - kShownPerKind);
    }
  }

  uint64_t Count(DefectSeverity severity) const {
    return by_severity_[static_cast<size_t>(severity)];
  }

 private:
  std::ostream& out_;
  std::string path_;
  std::array<uint64_t, capture::kDefects.size()> by_id_{};
  std::array<uint64_t, 4> by_severity_{};
};

Result<ExitStatus> Verify(const std::string& path, std::ostream& out) {
  DSTAP_TRY_ASSIGN(capture::CaptureReader reader, OpenCapture(path));
  DefectPrinter printer(out, ShownPath(path));
  DSTAP_TRY_ASSIGN(const capture::Verdict verdict,
                   Validate(reader, [&](const Defect& defect) { printer.Add(defect); }));
  printer.PrintRest();
  const uint64_t rules = printer.Count(DefectSeverity::kRule);
  const uint64_t damage = printer.Count(DefectSeverity::kDamage);
  std::string line = fmt::format("{}: ", ShownPath(path));
  const std::string calls = Counted(verdict.calls, "call", "calls");
  switch (verdict.ending) {
    case Ending::kClosed:
      line += "closed, " + calls;
      break;
    case Ending::kUnfinished:
      line += "unfinished, " + calls;
      if (verdict.torn_bytes > 0) {
        line += fmt::format(", {} of torn tail", Counted(verdict.torn_bytes, "byte", "bytes"));
      }
      break;
    case Ending::kDamaged:
      line +=
          fmt::format("damaged in {}, {} could be read", Counted(damage, "place", "places"), calls);
      break;
  }
  if (verdict.recordings > 1) line += fmt::format(", {} recordings", verdict.recordings);
  if (rules > 0) line += ", " + Counted(rules, "broken rule", "broken rules");
  out << line << '\n';
  if (verdict.ending == Ending::kDamaged) return ExitStatus::kBadInput;
  return rules > 0 ? ExitStatus::kCheckFailed : ExitStatus::kFine;
}

}  // namespace

CLI::App* VerifyCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "Checks captures: checksums, order, totals, rules. Says what is wrong and where.\n"
      "Exit status: 0 closed or unfinished, 1 a rule is broken, 3 damaged or unreadable.");
  command->add_option("FILE", files_, "Captures; - is standard input");
  command->add_flag("--list", list_, "Print all that can be found, with what it means, and exit");
  return command;
}

Result<ExitStatus> VerifyCommand::Run(Streams streams) {
  if (list_) {
    PrintTable(streams.out);
    return ExitStatus::kFine;
  }
  if (files_.empty()) {
    return Status(ErrorCode::kUsage, "no file is named; name a capture, or - for standard input");
  }
  return InspectFiles("verify", files_, streams,
                      [&](const std::string& path) { return Verify(path, streams.out); });
}

}  // namespace dstap::analyzer
