// Ways to print calls, one a line.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

struct CallLine {
  const Recording& recording;
  const Call& call;
  const Step* step;  // Null: of no step.
};

struct CallFormat {
  std::string_view name;    // As `--format` takes it.
  std::string_view header;  // Before the first line, with its line end; may be empty.
  // Appends the line, with its end.
  void (*append)(const CallLine& line, std::string& out);
};

void AppendCallText(const CallLine& line, std::string& out);
void AppendCallJson(const CallLine& line, std::string& out);
void AppendCallCsv(const CallLine& line, std::string& out);

std::span<const CallFormat> AllCallFormats();

}  // namespace dstap::analyzer
