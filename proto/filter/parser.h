// From a filter's text to its program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/base/status.h"
#include "proto/filter/filter.h"
#include "proto/filter/lexer.h"
#include "proto/filter/program.h"

namespace dstap::filter {

//   filter     = and { "||" and }
//   and        = not { "&&" not }
//   not        = { "!" } ( "(" filter ")" | comparison )
//   comparison = field [ operator value | "in" "(" value { "," value } ")" ]
//
// Errors:  kUsage: "column N: what is wrong; what to write".
// Limits:  recursion ends at kDepthMax.
class Parser {
 public:
  Parser(std::string_view text, Options options) : text_(text), options_(options), lexer_(text) {}

  // Call once.
  Result<Program> Parse();

 private:
  // Where a node goes in one of its two cases, when that is not known yet.
  struct Exit {
    NodeIndex node;
    bool holds;
  };
  // A part of the filter, and where it leaves when it is true and when it is false.
  struct Part {
    std::vector<Exit> when_true;
    std::vector<Exit> when_false;
  };

  Result<Part> Or();
  Result<Part> And();
  Result<Part> Not();
  Result<Part> Group();
  Result<Part> Comparison();

  Result<const Field*> TakeField();
  Result<const OperatorRow*> TakeOperator(const Field& field);
  Status TakeList(Condition& condition);
  Status TakeValue(Operator op, Condition& condition);
  Status AddNone(Operator op, Condition& condition) const;
  Status AddText(Operator op, Condition& condition) const;
  Status AddName(Operator op, Condition& condition) const;
  Status NoSuchName(const Field& field, std::string_view what) const;

  Status Advance();
  NodeIndex NextNode() const { return static_cast<NodeIndex>(program_.nodes.size()); }
  void LeadTo(const std::vector<Exit>& exits, NodeIndex node);
  std::string Found() const;
  Status Wrong(std::string_view what) const { return WrongAt(text_, token_.offset, what); }

  std::string_view text_;
  Options options_;
  Lexer lexer_;
  Token token_;  // The next one that is not taken.
  size_t depth_ = 0;
  Program program_;
};

}  // namespace dstap::filter
