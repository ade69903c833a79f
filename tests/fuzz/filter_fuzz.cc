// Any text as a filter: it is refused in one line, or it gives the same answer every time.
#include <algorithm>
#include <array>
#include <vector>

#include "proto/base/check.h"
#include "proto/base/escape.h"
#include "proto/filter/fields.h"
#include "proto/filter/filter.h"
#include "tests/fuzz/target.h"
#include "tests/support/captures.h"

namespace dstap::fuzz {
namespace {

using filter::Filter;

// A call with everything, one with little, one that is open.
std::vector<bool> AnswersOf(const Filter& filter) {
  static const v1::Row source = test::ASource(3);
  static const v1::StepBegin step = [] {
    v1::StepBegin out;
    out.set_id(1);
    out.set_subject("subject");
    out.set_name("load");
    out.set_sample(2);
    return out;
  }();
  static const capture::CallRecord a_call = test::ACall(1);
  static const capture::CallRecord an_open_call = test::AnOpenCall(2);
  std::vector<bool> answers;
  for (const capture::CallRecord* call : {&test::AFullCall(), &a_call, &an_open_call}) {
    answers.push_back(filter.Matches({.call = *call}));
    answers.push_back(filter.Matches(
        {.call = *call, .source = &source.source(), .step = &step, .now = Time(60'000'000'000)}));
  }
  return answers;
}

}  // namespace

void RunInput(std::string_view text) {
  const auto parsed = Filter::Parse(text);
  if (!parsed.ok()) {
    const std::string& message = parsed.status().message();
    DSTAP_CHECK(parsed.status().code() == ErrorCode::kUsage);
    DSTAP_CHECK(!message.empty() && EscapeLine(message) == message);
    return;
  }
  DSTAP_CHECK(text.size() <= filter::kFilterBytesMax);
  DSTAP_CHECK(parsed->text() == text);
  const std::vector<bool> answers = AnswersOf(*parsed);
  DSTAP_CHECK(AnswersOf(*parsed) == answers);
  // Parentheses around all of it change nothing, where one pair more is allowed.
  const auto inside = Filter::Parse("(" + std::string(text) + ")");
  if (inside.ok()) DSTAP_CHECK(AnswersOf(*inside) == answers);
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = {
      R"(method == UpdateAsync && key ~ "Player_*" && queue > 1s && outcome != ok)",
      R"(outcome == dropped || queue > 5s)",
      R"(!(store == "PlayerData") && (key !~ "*?*" || error ~ "*\"*"))",
      R"(queue >= 1.5ms)",
      std::string(filter::kDepthMax, '(') + "queue > 1s" + std::string(filter::kDepthMax, ')'),
      "key ~ \"" + std::string(40, '*') + "a\"",
      "",
  };
  for (const filter::Field& field : filter::AllFields()) {
    for (const char* rest : {" == 1", " > 1s", " == \"a\"", " ~ \"*a*\"", ""}) {
      seeds.push_back(std::string(field.name) + rest);
    }
  }
  return seeds;
}

std::string MutateInput(std::string_view input, Prng& random, const ByteMutator& mutate) {
  static constexpr std::array kPieces = {
      "&&", "||", "!", "(", ")", "==", "!=",  "<",   ">", "<=",     ">=", "~",    "!~",
      "\"", "\\", "*", "?", " ", "1s", "1.5", "KiB", "-", "absent", "0x", "\xFF", "9999999"};
  std::string out(input);
  const size_t at = random.Below(out.size() + 1);
  switch (random.Below(4)) {
    case 0:
      out.insert(at, kPieces[random.Below(kPieces.size())]);
      break;
    case 1: {
      const auto fields = filter::AllFields();
      out.insert(at, fields[random.Below(fields.size())].name);
      break;
    }
    case 2:
      out.insert(at, out.substr(random.Below(out.size() + 1), random.Below(64)));
      break;
    default:
      mutate(out);
  }
  return out;
}

}  // namespace dstap::fuzz
