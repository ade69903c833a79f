// The filter language: which calls a person asks for. docs/filter.md is its manual.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "proto/base/status.h"
#include "proto/filter/subject.h"

namespace dstap::filter {

inline constexpr size_t kFilterBytesMax = 4096;
inline constexpr size_t kDepthMax = 64;  // Of parentheses.
// Of a text that stands behind ~ or !~: bounds what matching one byte can cost.
inline constexpr size_t kPatternBytesMax = 256;

struct Options {
  // False: nothing is known of steps, and fields of theirs are refused.
  bool has_steps = true;
};

struct Program;

// `method == UpdateAsync && key ~ "Player_*" && queue > 1s && outcome != ok`
//
// Errors:    Parse() gives kUsage, one line with the column.
// Ownership: owns all; copies share it.
// Threads:   immutable: Matches() may be called from several at once.
// Limits:    Matches() makes each comparison at most once and does not allocate.
class Filter {
 public:
  static Result<Filter> Parse(std::string_view text, Options options = {});

  bool Matches(const Subject& subject) const;

  // As it was written.
  const std::string& text() const { return text_; }
  // Whether Subject::step can change what Matches() says.
  bool asks_for_steps() const;

 private:
  Filter(std::string text, Program program);

  std::string text_;
  std::shared_ptr<const Program> program_;
};

}  // namespace dstap::filter
