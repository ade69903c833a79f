#include "analyzer/commands/info_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "analyzer/commands/info_summary.h"
#include "analyzer/commands/inspect_files.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

using capture::Ending;
using Json = nlohmann::ordered_json;

constexpr size_t kLabelWidth = 12;
constexpr size_t kLineWidth = 100;

std::string_view Word(Ending ending) {
  switch (ending) {
    case Ending::kClosed:
      return "closed";
    case Ending::kUnfinished:
      return "unfinished";
    case Ending::kDamaged:
      return "damaged";
  }
  return "";
}

// "METHOD_GET_ASYNC" to "GetAsync"; a number that this version has no name for stays a number.
std::string Camel(const std::string& name, size_t prefix, int number) {
  if (name.empty()) return std::to_string(number);
  std::string out;
  bool upper = true;
  for (const char c : name.substr(prefix)) {
    if (c != '_') out += upper ? c : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    upper = c == '_';
  }
  return out;
}

// "NOTICE_KIND_QUEUE_WARNING" to "queue warning".
std::string Words(const std::string& name, size_t prefix, int number) {
  if (name.empty()) return std::to_string(number);
  std::string out = name.substr(prefix);
  for (char& c : out) {
    c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string Shown(v1::Method m) { return Camel(v1::Method_Name(m), 7, m); }
std::string Shown(v1::ClockKind k) { return Words(v1::ClockKind_Name(k), 11, k); }
std::string Shown(v1::EndReason r) { return Words(v1::EndReason_Name(r), 11, r); }
std::string Shown(v1::NoticeKind k) { return Words(v1::NoticeKind_Name(k), 12, k); }
std::string Shown(v1::FaultKind k) { return Words(v1::FaultKind_Name(k), 11, k); }
std::string Shown(const std::string& text) { return text.empty() ? "(unnamed)" : Escape(text); }

// "UpdateAsync 12, GetAsync 3".
template <typename Map>
std::string Counts(const Map& counts) {
  std::string out;
  for (const auto& [what, count] : counts) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", Shown(what), count);
  }
  return out;
}

template <typename Map>
uint64_t Sum(const Map& counts) {
  uint64_t sum = 0;
  for (const auto& entry : counts) sum += entry.second;
  return sum;
}

// Cuts `text` in front of the code point that would be the (width + 1)-th, at a blank if there is
// one; returns the rest.
std::string_view TakeLine(std::string_view& text, size_t width) {
  size_t points = 0;
  size_t end = 0;
  size_t blank = 0;
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) continue;
    if (points++ == width) break;
    if (text[end] == ' ') blank = end;
  }
  if (end < text.size() && blank != 0) end = blank;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with(' ')) text.remove_prefix(1);
  return line;
}

void Line(std::ostream& out, std::string_view label, std::string_view text) {
  for (bool first = true; first || !text.empty(); first = false) {
    const std::string_view line = TakeLine(text, kLineWidth - kLabelWidth - 2);
    out << fmt::format("  {:<{}}{}\n", first ? label : "", kLabelWidth, line);
  }
}

std::string StateText(const FileSummary& file) {
  std::string text(Word(file.ending));
  switch (file.ending) {
    case Ending::kClosed:
      break;
    case Ending::kUnfinished:
      text += ": no End row; still recording, or the recorder died";
      if (file.torn_bytes > 0) {
        text += fmt::format("; {} bytes of torn tail, no call in it was answered", file.torn_bytes);
      }
      break;
    case Ending::kDamaged:
      text +=
          fmt::format(": {} bytes in {} places were passed over; \"dstap verify FILE\" lists all",
                      file.bytes_skipped, file.damaged_places);
      break;
  }
  return text;
}

std::string UnixTime(int64_t unix_ns) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(unix_ns));
  // Within the years that have four digits; anything else is not a date.
  if (seconds.count() < 0 || seconds.count() > 253'402'300'799) return "an unknown date";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(static_cast<std::time_t>(seconds.count())));
}

std::string LibraryText(const v1::Library& library) {
  std::string text = Shown(library.name());
  if (!library.version().empty()) text += " " + Escape(library.version());
  if (!library.commit().empty()) text += " at " + Escape(library.commit());
  if (!library.licence().empty()) text += " (" + Escape(library.licence()) + ")";
  if (library.is_model()) text += ", a model, not the library's own source";
  return text;
}

void PrintSources(const RecordingSummary& recording, std::ostream& out) {
  for (const auto& [id, source] : recording.sources) {
    std::string text = fmt::format("{}: {}", id, Shown(source.name()));
    if (!source.role().empty() && source.role() != source.name()) {
      text += ", " + Escape(source.role());
    }
    if (source.has_library()) text += ", " + LibraryText(source.library());
    const auto players = recording.players.find(id);
    if (players != recording.players.end()) text += fmt::format(", {} players", players->second);
    Line(out, id == recording.sources.begin()->first ? "sources" : "", text);
  }
}

void PrintRecording(const RecordingSummary& recording, std::ostream& out) {
  const v1::Header& header = recording.header;
  if (!header.title().empty()) Line(out, "title", Escape(header.title()));
  Line(out, "format",
       fmt::format("{}, written by {} {}", header.format_version(), Escape(header.tool()),
                   Escape(header.tool_version())));
  Line(out, "clock",
       fmt::format("{}, from {}", Shown(header.clock()), UnixTime(header.start_unix_ns())));
  if (!header.backend().empty()) Line(out, "backend", Escape(header.backend()));
  Line(out, "rules",
       header.rule_profile().empty() ? "none: a live service" : Escape(header.rule_profile()));
  if (header.has_seed()) Line(out, "seed", std::to_string(header.seed()));
  if (recording.end) {
    std::string text = Shown(recording.end->reason());
    if (!recording.end->text().empty()) text += ": " + Escape(recording.end->text());
    Line(out, "ended", text);
  }
  Line(out, "duration",
       fmt::format("{:.3f} s", std::chrono::duration<double>(recording.last).count()));
  for (const std::string& made : recording.made_from) Line(out, "made from", Escape(made));
  PrintSources(recording, out);
  const capture::Totals& totals = recording.totals;
  Line(out, "calls",
       fmt::format("{}, {} of them in flight, in {} records", totals.calls(),
                   totals.calls_in_flight(), totals.call_records()));
  if (totals.calls() > 0) Line(out, "methods", Counts(recording.calls_by_method));
  if (!recording.steps.empty()) {
    Line(out, "steps",
         fmt::format("{}, {} failed: {}", Sum(recording.steps), recording.steps_failed,
                     Counts(recording.steps)));
  }
  if (!recording.notices.empty()) {
    Line(out, "notices", fmt::format("{}: {}", Sum(recording.notices), Counts(recording.notices)));
  }
  if (!recording.faults.empty()) {
    Line(out, "faults", fmt::format("{}: {}", Sum(recording.faults), Counts(recording.faults)));
  }
  if (totals.calls_lost() + totals.rows_lost() > 0) {
    Line(out, "lost",
         fmt::format("{} records of calls and {} rows; counts are lower bounds",
                     totals.calls_lost(), totals.rows_lost()));
  }
}

void PrintText(const std::string& path, const FileSummary& file, std::ostream& out) {
  out << ShownPath(path) << '\n';
  Line(out, "state", StateText(file));
  std::string size = fmt::format("{} bytes", file.bytes);
  if (file.calls() > 0) {
    size += fmt::format(", {:.1f} a call",
                        static_cast<double>(file.bytes) / static_cast<double>(file.calls()));
  }
  Line(out, "size", size);
  if (file.unknown_fields > 0) {
    Line(out, "unknown",
         fmt::format("{} fields of a newer dstap; update to see them", file.unknown_fields));
  }
  for (size_t i = 0; i < file.recordings.size(); ++i) {
    if (file.recordings.size() > 1) {
      out << fmt::format("  recording {} of {}\n", i + 1, file.recordings.size());
    }
    PrintRecording(file.recordings[i], out);
  }
}

template <typename Map>
Json JsonCounts(const Map& counts) {
  Json out = Json::object();
  for (const auto& [what, count] : counts) out[Shown(what)] = count;
  return out;
}

Json JsonOf(const RecordingSummary& recording) {
  const v1::Header& header = recording.header;
  const capture::Totals& totals = recording.totals;
  Json out;
  out["title"] = Escape(header.title());
  out["format_version"] = header.format_version();
  out["tool"] = Escape(header.tool());
  out["tool_version"] = Escape(header.tool_version());
  out["clock"] = Shown(header.clock());
  out["start_unix_ns"] = header.start_unix_ns();
  out["backend"] = Escape(header.backend());
  out["rule_profile"] = Escape(header.rule_profile());
  out["seed"] = header.has_seed() ? Json(header.seed()) : Json();
  out["end_reason"] = recording.end ? Json(Shown(recording.end->reason())) : Json();
  out["duration_ns"] = recording.last.count();
  out["made_from"] = Json::array();
  for (const std::string& made : recording.made_from) out["made_from"].push_back(Escape(made));
  out["calls"] = totals.calls();
  out["calls_in_flight"] = totals.calls_in_flight();
  out["call_records"] = totals.call_records();
  out["calls_by_method"] = JsonCounts(recording.calls_by_method);
  out["sources"] = Json::array();
  for (const auto& [id, source] : recording.sources) {
    Json one;
    one["id"] = id;
    one["name"] = Escape(source.name());
    one["role"] = Escape(source.role());
    const auto players = recording.players.find(id);
    one["players"] = players == recording.players.end() ? Json() : Json(players->second);
    one["library"] = source.has_library() ? Json(Escape(source.library().name())) : Json();
    one["library_version"] = Escape(source.library().version());
    one["library_is_model"] = source.library().is_model();
    out["sources"].push_back(std::move(one));
  }
  out["steps"] = JsonCounts(recording.steps);
  out["steps_failed"] = recording.steps_failed;
  out["notices"] = JsonCounts(recording.notices);
  out["faults"] = JsonCounts(recording.faults);
  out["calls_lost"] = totals.calls_lost();
  out["rows_lost"] = totals.rows_lost();
  return out;
}

Json JsonOf(const std::string& path, const FileSummary& file) {
  Json out;
  out["file"] = ShownPath(path);
  out["state"] = Word(file.ending);
  out["bytes"] = file.bytes;
  out["torn_bytes"] = file.torn_bytes;
  out["bytes_skipped"] = file.bytes_skipped;
  out["damaged_places"] = file.damaged_places;
  out["unknown_fields"] = file.unknown_fields;
  out["recordings"] = Json::array();
  for (const RecordingSummary& recording : file.recordings) {
    out["recordings"].push_back(JsonOf(recording));
  }
  return out;
}

}  // namespace

CLI::App* InfoCommand::Declare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info",
                                         "Shows what is in captures and whether they are "
                                         "whole");
  command->add_option("FILE", files_, "Captures; - is standard input")->required();
  command->add_option("--format", format_, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  return command;
}

Result<ExitStatus> InfoCommand::Run(Streams streams) {
  Json files = Json::array();
  bool first = true;
  const ExitStatus status =
      InspectFiles("info", files_, streams, [&](const std::string& path) -> Result<ExitStatus> {
        DSTAP_TRY_ASSIGN(capture::CaptureReader reader, OpenCapture(path));
        DSTAP_TRY_ASSIGN(const FileSummary file, Summarize(reader));
        if (format_ == "json") {
          files.push_back(JsonOf(path, file));
        } else {
          if (!std::exchange(first, false)) streams.out << '\n';
          PrintText(path, file, streams.out);
        }
        return file.ending == Ending::kDamaged ? ExitStatus::kBadInput : ExitStatus::kFine;
      });
  if (format_ == "json") {
    streams.out << Json{{"schema", "dstap.info/1"}, {"files", std::move(files)}}.dump(2) << '\n';
  }
  return status;
}

}  // namespace dstap::analyzer
