// Filters that nobody wrote: random ones that make sense, compared with what they mean, and random
// ones that make none.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>

#include "proto/base/prng.h"
#include "proto/filter/operators.h"
#include "tests/proto/filter/filter_cases.h"
#include "tests/support/allocations.h"

namespace dstap::filter {
namespace {

using capture::CallRecord;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

// A filter's text, and what it is to say.
struct Meaning {
  std::string text;
  std::function<bool(const CallRecord&)> holds;
};

class Writer {
 public:
  explicit Writer(uint64_t seed) : prng_(seed) {}

  Meaning Any(int depth) {
    const uint64_t what = depth == 0 ? 0 : prng_.Below(5);
    if (what <= 1) return Comparison();
    Meaning a = Any(depth - 1);
    if (what == 2) {
      return {fmt::format("!{}({}){}", Space(), a.text, Space()),
              [a](const CallRecord& call) { return !a.holds(call); }};
    }
    const Meaning b = Any(depth - 1);
    if (what == 3) {
      // In parentheses only where it must be.
      return {fmt::format("{}{}||{}{}", a.text, Space(), Space(), b.text),
              [a, b](const CallRecord& call) { return a.holds(call) || b.holds(call); }};
    }
    return {fmt::format("({}){}&&{}({})", a.text, Space(), Space(), b.text),
            [a, b](const CallRecord& call) { return a.holds(call) && b.holds(call); }};
  }

  CallRecord Call() {
    CallRecord call;
    call.id = prng_.Below(4);
    call.key = Key();
    call.outcome = static_cast<v1::Outcome>(prng_.Below(7));
    call.issued = prng_.Below(4) * 1s;
    if (prng_.Below(2) == 0) call.admitted = call.issued + prng_.Below(3) * 1s;
    if (prng_.Below(3) > 0) call.completed = call.issued + prng_.Below(4) * 1s;
    if (prng_.Below(2) == 0) call.read = capture::ValueInfo{.bytes = prng_.Below(3)};
    return call;
  }

 private:
  std::string Space() { return std::string(prng_.Below(2), ' '); }
  std::string_view Key() {
    constexpr std::string_view kKeys[] = {"", "a", "ab", "b"};
    return kKeys[prng_.Below(4)];
  }

  Meaning Comparison() {
    switch (prng_.Below(5)) {
      case 0:
        return OfNumber("id", "", [](const CallRecord& call) { return std::optional(call.id); });
      case 1:
        return OfNumber("admitted", "s", [](const CallRecord& call) -> std::optional<uint64_t> {
          if (!call.admitted) return std::nullopt;
          return static_cast<uint64_t>(*call.admitted / 1s);
        });
      case 2:
        return OfNumber("read_size", "B", [](const CallRecord& call) -> std::optional<uint64_t> {
          if (!call.read) return std::nullopt;
          return call.read->bytes;
        });
      case 3:
        return OfOutcome();
      default:
        return OfKey();
    }
  }

  Meaning OfNumber(std::string_view field, std::string_view unit,
                   std::function<std::optional<uint64_t>(const CallRecord&)> get) {
    const uint64_t n = prng_.Below(4);
    const uint64_t what = prng_.Below(field == "id" ? 7 : 9);
    constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
    if (what < 6) {
      return {fmt::format("{}{}{}{}{}{}", field, Space(), kSigns[what], Space(), n, unit),
              [get, what, n](const CallRecord& call) {
                const auto value = get(call);
                if (!value) return false;
                const bool results[] = {*value == n, *value != n, *value<n, *value <= n, *value> n,
                                        *value >= n};
                return results[what];
              }};
    }
    if (what == 6) {
      return {fmt::format("{} in ({}{}, {}{})", field, n, unit, n + 1, unit),
              [get, n](const CallRecord& call) { return get(call) == n || get(call) == n + 1; }};
    }
    if (what == 7) {
      return {fmt::format("{} == none", field),
              [get](const CallRecord& call) { return !get(call); }};
    }
    return {fmt::format("{} != none", field),
            [get](const CallRecord& call) { return !!get(call); }};
  }

  Meaning OfOutcome() {
    constexpr std::string_view kNames[] = {"unknown",  "ok",     "cancelled", "dropped",
                                           "rejected", "failed", "in_flight"};
    const uint64_t n = prng_.Below(7);
    if (prng_.Below(4) == 0) {
      return {"outcome ~ *e*", [kNames](const CallRecord& call) {
                return kNames[call.outcome].find('e') != std::string_view::npos;
              }};
    }
    const bool is = prng_.Below(2) == 0;
    return {fmt::format("outcome{}{} {}", Space(), is ? "==" : "!=", kNames[n]),
            [n, is](const CallRecord& call) {
              return (call.outcome == static_cast<v1::Outcome>(n)) == is;
            }};
  }

  Meaning OfKey() {
    switch (prng_.Below(5)) {
      case 0:
        return {"key ~ a*", [](const CallRecord& call) { return call.key.starts_with('a'); }};
      case 1:
        return {"key !~ \"a*\"", [](const CallRecord& call) {
                  return !call.key.empty() && !call.key.starts_with('a');
                }};
      case 2:
        return {"key in (ab, none)",
                [](const CallRecord& call) { return call.key == "ab" || call.key.empty(); }};
      case 3:
        return {"key != 'b'",
                [](const CallRecord& call) { return !call.key.empty() && call.key != "b"; }};
      default:
        return {"key == none", [](const CallRecord& call) { return call.key.empty(); }};
    }
  }

  Prng prng_;
};

TEST(FilterRandomTest, MeansWhatItSays) {
  Writer writer(7);
  std::vector<CallRecord> calls;
  for (int i = 0; i < 40; ++i) calls.push_back(writer.Call());
  int matches = 0;
  int filters = 0;
  for (int i = 0; i < 3000; ++i) {
    const Meaning meaning = writer.Any(5);
    if (meaning.text.size() > kFilterBytesMax) continue;
    const Result<Filter> filter = Filter::Parse(meaning.text);
    ASSERT_TRUE(filter.ok()) << meaning.text << "\n" << filter.status().message();
    ++filters;
    for (const CallRecord& call : calls) {
      ASSERT_EQ(filter->Matches({.call = call}), meaning.holds(call)) << meaning.text;
      matches += meaning.holds(call) ? 1 : 0;
    }
  }
  EXPECT_GT(filters, 2500);
  EXPECT_GT(matches, filters * 5);
  EXPECT_LT(matches, filters * 35);
}

// Whatever is written, the answer is a filter that can be asked, or one line with a column in it.
void ExpectAnAnswer(const std::string& text) {
  const Result<Filter> filter = Filter::Parse(text);
  if (filter.ok()) {
    filter->Matches(test::AFullSubject());
    return;
  }
  const std::string& error = filter.status().message();
  ASSERT_TRUE(error.starts_with("column ")) << error;
  ASSERT_EQ(error.find('\n'), std::string::npos) << error;
  ASSERT_LE(std::stoul(error.substr(7)), text.size() + 1) << error;
  ASSERT_LE(error.size(), 1000U) << error;
}

TEST(FilterRandomTest, AnyBytesAreAnswered) {
  Prng prng(3);
  for (int i = 0; i < 10'000; ++i) {
    std::string text(prng.Below(40), '\0');
    for (char& c : text) c = static_cast<char>(prng.Below(256));
    ASSERT_NO_FATAL_FAILURE(ExpectAnAnswer(text));
  }
}

TEST(FilterRandomTest, AnyTokensAreAnswered) {
  std::vector<std::string> tokens = {"(",        ")",    "&&",  "||",   "!",    ",",      "none",
                                     "5s",       "4KiB", "*",   "'a*'", "\"\\", "ok",     "true",
                                     "GetAsync", "301",  "and", "\n",   "\xFF", "a\\x0b", "1.5m"};
  for (const Field& field : AllFields()) tokens.emplace_back(field.name);
  for (const OperatorRow& row : kOperators) tokens.emplace_back(row.text);
  Prng prng(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t n = prng.Below(12); n > 0; --n) text += tokens[prng.Below(tokens.size())] + " ";
    ASSERT_NO_FATAL_FAILURE(ExpectAnAnswer(text));
  }
}

TEST(FilterRandomTest, AFilterCutAnywhereIsAnswered) {
  const std::string text =
      "method in (UpdateAsync, none) && key ~ \"Pl\\x41yer_*\" || !(queue > 1.5s && read_size <= "
      "4KiB) && outcome != ok";
  for (size_t size = 0; size <= text.size(); ++size) {
    ASSERT_NO_FATAL_FAILURE(ExpectAnAnswer(text.substr(0, size)));
    ASSERT_NO_FATAL_FAILURE(ExpectAnAnswer(text.substr(size)));
  }
}

TEST(FilterRandomTest, AskingAllocatesNothing) {
  if (!test::kCanCount) GTEST_SKIP() << "only in builds with the address sanitizer";
  std::string text;
  for (const Field& field : AllFields()) {
    if (field.is_never_absent) continue;
    text += fmt::format("{}{} != none", text.empty() ? "" : " && ", field.name);
  }
  text += " && key ~ 'a*b' && error ~ '*drop*' && method in (ListKeysAsync)";
  const Filter filter = *Filter::Parse(text);
  const Subject subject = test::AFullSubject();
  const uint64_t before = test::Allocations();
  EXPECT_TRUE(filter.Matches(subject));
  EXPECT_EQ(test::Allocations(), before);
}

}  // namespace
}  // namespace dstap::filter
