#include "proto/filter/filter.h"

#include <utility>

#include "proto/filter/parser.h"
#include "proto/filter/program.h"

namespace dstap::filter {

Filter::Filter(std::string text, Program program)
    : text_(std::move(text)), program_(std::make_shared<const Program>(std::move(program))) {}

Result<Filter> Filter::Parse(std::string_view text, Options options) {
  DSTAP_TRY_ASSIGN(Program program, Parser(text, options).Parse());
  return Filter(std::string(text), std::move(program));
}

bool Filter::Matches(const Subject& subject) const { return program_->Matches(subject); }

bool Filter::asks_for_steps() const { return program_->asks_for_steps; }

}  // namespace dstap::filter
