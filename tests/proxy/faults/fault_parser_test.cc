// Words of rules, from --fault and from TOML, and what is said of those that make no sense.
#include "proxy/backend/faults/fault_parser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "proto/base/prng.h"
#include "proxy/backend/faults/service_errors.h"
#include "proxy/backend/simulator/errors.h"
#include "proxy/backend/simulator/methods.h"

namespace dstap::proxy {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

FaultRule Parsed(std::string_view text) {
  auto rule = ParseFaultRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status().message();
  return rule.ok() ? *std::move(rule) : FaultRule();
}

TEST(FaultParserTest, EachSelectorIsRead) {
  const FaultRule rule = Parsed(
      "  error=InternalError method=UpdateAsync,SetAsync key=Player_* store=Players step=load-* "
      "server=old time=10s..1.5m call=2..4 probability=0.25 count=2 ");
  EXPECT_EQ(rule.kind, v1::FAULT_KIND_ERROR);
  EXPECT_THAT(rule.methods, ElementsAre(v1::METHOD_UPDATE_ASYNC, v1::METHOD_SET_ASYNC));
  EXPECT_EQ(rule.key, "Player_*");
  EXPECT_EQ(rule.store, "Players");
  EXPECT_EQ(rule.step, "load-*");
  EXPECT_EQ(rule.server, "old");
  EXPECT_EQ(rule.from, 10s);
  EXPECT_EQ(rule.until, 90s);
  EXPECT_EQ(rule.first_call, 2U);
  EXPECT_EQ(rule.last_call, 4U);
  EXPECT_EQ(rule.probability, 0.25);
  EXPECT_EQ(rule.count, 2U);
  EXPECT_THAT(rule.text, StartsWith("error=InternalError"));
  EXPECT_THAT(rule.text, EndsWith("count=2"));
}

TEST(FaultParserTest, WhatIsNotSaidSelectsEverything) {
  const FaultRule rule = Parsed("drop");
  EXPECT_EQ(rule.kind, v1::FAULT_KIND_DROP);
  EXPECT_TRUE(rule.methods.empty());
  EXPECT_FALSE(rule.key || rule.store || rule.step || rule.server);
  EXPECT_EQ(rule.from, 0s);
  EXPECT_EQ(rule.until, Time::max());
  EXPECT_EQ(rule.first_call, 1U);
  EXPECT_EQ(rule.last_call, FaultRule::kEvery);
  EXPECT_EQ(rule.count, FaultRule::kEvery);
}

TEST(FaultParserTest, EachEffectIsRead) {
  EXPECT_EQ(Parsed("queue=20").delay, 20s);
  EXPECT_EQ(Parsed("queue=20").kind, v1::FAULT_KIND_QUEUE);
  EXPECT_EQ(Parsed("latency=250ms").delay, 250ms);
  EXPECT_EQ(Parsed("latency=0.000000001s").delay, Time(1));
  EXPECT_EQ(Parsed("latency=1.5h").delay, 90min);
  EXPECT_EQ(Parsed("never_answer").kind, v1::FAULT_KIND_NEVER_ANSWER);
  EXPECT_EQ(Parsed("never_answer=true").kind, v1::FAULT_KIND_NEVER_ANSWER);
  EXPECT_EQ(Parsed("conflict").kind, v1::FAULT_KIND_CONFLICT);
  EXPECT_THAT(Parsed("conflict").methods, ElementsAre(v1::METHOD_UPDATE_ASYNC));
  EXPECT_EQ(Parsed("server_crash=30s server=old").delay, 30s);
  const FaultRule applied = Parsed("ambiguous=applied");
  EXPECT_EQ(applied.kind, v1::FAULT_KIND_AMBIGUOUS_APPLIED);
  EXPECT_TRUE(applied.answered);
  EXPECT_EQ(applied.error.name, "InternalServerError");
  EXPECT_EQ(applied.methods.size(), 5U);
  const FaultRule lost = Parsed("ambiguous=not_applied reports=never");
  EXPECT_EQ(lost.kind, v1::FAULT_KIND_AMBIGUOUS_NOT_APPLIED);
  EXPECT_FALSE(lost.answered);
}

TEST(FaultParserTest, AnErrorIsANameANumberOrATextOfItsOwn) {
  EXPECT_EQ(Parsed("error=InternalServerError").error.text,
            "InternalServerError: An internal server error occurred.");
  EXPECT_EQ(Parsed("error=502").error.text,
            "502: API Services rejected request with error. HTTP 500 (Internal Server Error)");
  EXPECT_EQ(Parsed("error=KeyThrottled").error.name, "KeyThrottled");
  EXPECT_EQ(Parsed("error=301").error.name, "GetAsyncThrottle");
  EXPECT_EQ(Parsed("error=StandardWriteExperienceThrottled").error.name,
            "StandardWriteExperienceThrottled");
  EXPECT_THAT(Parsed("error=ValueNotAllowed").error.text, HasSubstr("Dictionary"));
  const CallError own = Parsed(R"(error="504: the \"back\\end\" is away")").error;
  EXPECT_EQ(own.text, R"(504: the "back\end" is away)");
  EXPECT_EQ(own.code, 504U);
  EXPECT_EQ(Parsed("error=\"Away: for lunch\"").error.name, "Away");
  EXPECT_EQ(Parsed("error=\"out for lunch\"").error.name, "");
}

TEST(FaultParserTest, EveryNamedErrorCanBeAskedFor) {
  EXPECT_GT(ServiceErrorNames().size(), 30U);
  for (const std::string& name : ServiceErrorNames()) {
    const FaultRule rule = Parsed("error=" + name);
    EXPECT_EQ(rule.error.name, name);
    EXPECT_EQ(rule.error.text.find("{}"), std::string::npos) << rule.error.text;
  }
}

TEST(FaultParserTest, ANameOrNumberThatSeveralErrorsHaveMeansOne) {
  EXPECT_THAT(Parsed("error=InternalError").error.text, StartsWith("501: Can't parse response"));
  EXPECT_EQ(Parsed("error=502").error.text,
            "502: API Services rejected request with error. HTTP 500 (Internal Server Error)");
}

TEST(FaultParserTest, ARuleCanBeAboutEveryMethodThatTheSimulatorAnswers) {
  for (const MethodRow& row : Methods()) {
    EXPECT_THAT(Parsed("drop method=" + MethodName(row.method)).methods, ElementsAre(row.method));
  }
}

TEST(FaultParserTest, ThePagesListEveryNamedError) {
  std::string pages;
  for (const char* page : {"/docs/faults.md", "/docs/simulator.md"}) {
    std::ifstream in(std::string(DSTAP_SOURCE_DIR) + page);
    pages += std::string(std::istreambuf_iterator<char>(in), {});
  }
  for (const std::string& name : ServiceErrorNames()) {
    // Told once for all request types.
    if (name.ends_with("ServerThrottled") || name.ends_with("ExperienceThrottled")) continue;
    EXPECT_THAT(pages, HasSubstr("| " + name + " | `")) << name;
  }
}

TEST(FaultParserTest, ATomlPlanSaysTheSame) {
  const auto plan = ParseFaultPlan(R"(# What the failures scenario needs.
[[fault]]
method = "UpdateAsync"
key = "Player_*"
error = "my own text"
count = 2
probability = 0.5

[[fault]]
never_answer = true
time = "10s.."
)",
                                   "plan.toml");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  ASSERT_EQ(plan->size(), 2U);
  EXPECT_EQ(plan->at(0).text,
            "method=UpdateAsync key=Player_* error=\"my own text\" count=2 probability=0.5");
  EXPECT_EQ(plan->at(0).where, "plan.toml:2");
  EXPECT_EQ(plan->at(1).text, "never_answer time=10s..");
  // The text of a rule is a rule.
  const FaultRule again = Parsed(plan->at(0).text);
  EXPECT_EQ(again.error.text, plan->at(0).error.text);
  EXPECT_EQ(again.count, plan->at(0).count);
  EXPECT_EQ(again.probability, plan->at(0).probability);
}

struct Nonsense {
  const char* rule;
  const char* word;  // "" when the rule as a whole is meant.
  const char* says;
};

class FaultNonsenseTest : public testing::TestWithParam<Nonsense> {};

TEST_P(FaultNonsenseTest, IsRefusedWithTheRuleTheWordAndTheReason) {
  const auto rule = ParseFaultRule(GetParam().rule);
  ASSERT_FALSE(rule.ok()) << rule->text;
  EXPECT_EQ(rule.status().code(), ErrorCode::kUsage);
  std::string begin = fmt::format("--fault \"{}\": ", GetParam().rule);
  if (*GetParam().word != '\0') begin += fmt::format("{}: ", GetParam().word);
  EXPECT_THAT(rule.status().message(), StartsWith(begin));
  EXPECT_THAT(rule.status().message(), HasSubstr(GetParam().says));
}

const Nonsense kNonsense[] = {
    {"", "", "says nothing that happens; add one of drop, queue, error"},
    {"method=GetAsync", "", "says nothing that happens"},
    {"eror=502", "eror=502", "no such word; there are call, step, method"},
    {"=5 drop", "=5", "no such word"},
    {"drop method=GetAsink", "method=GetAsink", "no method \"GetAsink\"; there are GetAsync, "},
    {"drop method=", "method=", "no method \"\""},
    {"drop method=GetAsync,", "method=GetAsync,", "no method \"\""},
    {"drop method", "method", "takes a value: method=..."},
    {"queue=-5s", "queue=-5s", "a time cannot be negative"},
    {"latency=0s", "latency=0s", "a delay of 0 changes nothing"},
    {"latency=5sec", "latency=5sec", "\"5sec\" is no time; write 5s, 250ms"},
    {"latency=", "latency=", "is no time"},
    {"latency=1.s", "latency=1.s", "is no time"},
    {"latency=.5s", "latency=.5s", "is no time"},
    {"latency=9007200s", "latency=9007200s", "past 9007199 s, where virtual time ends"},
    {"latency=99999999999999999999h", "latency=99999999999999999999h", "past 9007199 s"},
    {"drop time=20s..10s", "time=20s..10s", "can never strike: the window ends before it begins"},
    {"drop time=10s..10s", "time=10s..10s", "can never strike"},
    {"drop time=10s", "time=10s", "is no window; write 10s..20s"},
    {"drop time=..", "time=..", "is no window"},
    {"drop time=-1s..5s", "time=-1s..5s", "a time cannot be negative"},
    {"drop call=0", "call=0", "calls are counted from 1"},
    {"drop call=4..2", "call=4..2", "can never strike: the range ends before it begins"},
    {"drop call=..", "call=..", "calls are counted from 1"},
    {"drop call=two", "call=two", "calls are counted from 1"},
    {"drop count=0", "count=0", "is no whole number from 1"},
    {"drop count=1.5", "count=1.5", "is no whole number from 1"},
    {"drop probability=0", "probability=0", "can never strike"},
    {"drop probability=1.01", "probability=1.01", "is no number above 0 and up to 1"},
    {"drop probability=nan", "probability=nan", "is no number above 0 and up to 1"},
    {"drop key=", "key=", "is empty; * stands for anything"},
    {"drop key=a key=b", "key=b", "is given twice"},
    {"drop latency=5s", "latency=5s", "a second effect beside drop; a rule has one"},
    {"error=502 error=501", "error=501", "is given twice"},
    {"drop=false", "drop=false", "takes no value; leave the word out for no"},
    {"error=InternalEror", "error=InternalEror", "no error has this name or number"},
    {"error=", "error=", "no error has this name or number"},
    {"error=0", "error=0", "no error has this name or number"},
    {"error", "error", "takes a value: error=..."},
    {"conflict method=GetAsync", "method=GetAsync",
     "GetAsync and conflict do not fit: only UpdateAsync can meet a conflict"},
    {"conflict method=UpdateAsync,SetAsync", "method=UpdateAsync,SetAsync",
     "SetAsync and conflict"},
    {"ambiguous=applied method=GetAsync", "method=GetAsync",
     "GetAsync and ambiguous do not fit: it writes nothing"},
    {"ambiguous=perhaps", "ambiguous=perhaps", "is neither applied nor not_applied"},
    {"error=502 reports=never", "reports=never", "goes with ambiguous only"},
    {"ambiguous=applied reports=Nothing", "reports=Nothing", "no error has this name"},
    {"server_crash=30s key=a", "key=a", "only server goes with it"},
    {"server_crash=30s count=1", "count=1", "only server goes with it"},
    {"server_crash=-1s", "server_crash=-1s", "a time cannot be negative"},
    {"drop method=ListKeysAsync key=a*", "key=a*", "can never strike: a ListKeysAsync has no key"},
    {"drop method=ListDataStoresAsync store=a", "store=a", "a ListDataStoresAsync has no store"},
};

INSTANTIATE_TEST_SUITE_P(All, FaultNonsenseTest, testing::ValuesIn(kNonsense));

TEST(FaultParserTest, QuotesMustCloseAndStandAtTheEndOfTheirWord) {
  EXPECT_THAT(ParseFaultRule("error=\"a b").status().message(), HasSubstr("closing \" is missing"));
  EXPECT_THAT(ParseFaultRule("error=\"a b\"count=2").status().message(),
              HasSubstr("a space is missing"));
}

struct BadPlan {
  const char* toml;
  const char* says;
};

class BadFaultPlanTest : public testing::TestWithParam<BadPlan> {};

TEST_P(BadFaultPlanTest, IsRefusedWithItsLine) {
  const auto plan = ParseFaultPlan(GetParam().toml, "plan.toml");
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), ErrorCode::kUsage);
  EXPECT_THAT(plan.status().message(), StartsWith(GetParam().says));
  EXPECT_EQ(plan.status().message().find('\n'), std::string::npos);
}

const BadPlan kBadPlans[] = {
    {"", "plan.toml: there is no [[fault]] table"},
    {"[[fault]]\n", "plan.toml:1: says nothing that happens"},
    {"\n[[fault]]\ndrop = true\nmethod = \"Wombat\"\n",
     "plan.toml:4: method=Wombat: no method \"Wombat\""},
    {"[[fault]]\nqueue = -5\n", "plan.toml:2: queue=-5: a time cannot be negative"},
    {"[[fault]]\ndrop = true\nkey = [\"a\"]\n", "plan.toml:3: key: a value is a text"},
    {"[[fault]]\ndrop = false\n", "plan.toml:2: drop=false: takes no value"},
    {"[[fault]]\ndrop = true\n[[faults]]\n", "plan.toml:3: faults: a fault plan holds [[fault]]"},
    {"[fault]\ndrop = true\n", "plan.toml:1: fault: a fault plan holds [[fault]]"},
    {"fault = []\n", "plan.toml:1: fault: a fault plan holds [[fault]]"},
    {"[[fault]]\ndrop = true\ndrop = true\n", "plan.toml:3: "},
    {"[[fault]\n", "plan.toml:1: "},
    {"[[fault]]\nkey = \"\xff\"\n", "plan.toml:2: "},
};

INSTANTIATE_TEST_SUITE_P(All, BadFaultPlanTest, testing::ValuesIn(kBadPlans));

TEST(FaultPlanTest, ARuleWhoseCallsAnEarlierOneTakesIsRefused) {
  const auto check = [](std::initializer_list<const char*> rules) {
    FaultPlan plan;
    for (const char* rule : rules) plan.push_back(Parsed(rule));
    return CheckTogether(plan);
  };
  EXPECT_EQ(check({"drop key=a", "error=502 key=a count=1"}).message(),
            "--fault \"error=502 key=a count=1\": can never strike: --fault \"drop key=a\" stands "
            "before it and takes all its calls");
  EXPECT_FALSE(check({"drop", "error=502 key=a"}).ok());
  EXPECT_FALSE(check({"drop key=a call=2..6", "error=502 key=a call=3..4"}).ok());
  EXPECT_FALSE(check({"drop method=UpdateAsync", "conflict"}).ok());
  EXPECT_FALSE(check({"drop time=5s..20s", "error=502 time=5s..20s"}).ok());
  // What is left over is left for the second.
  EXPECT_TRUE(check({"drop key=a count=2", "error=502 key=a"}).ok());
  EXPECT_TRUE(check({"drop key=a probability=0.9", "error=502 key=a"}).ok());
  EXPECT_TRUE(check({"drop key=a call=2..6", "error=502 key=a call=3..7"}).ok());
  EXPECT_TRUE(check({"drop key=a call=2..", "error=502 call=3.."}).ok());
  EXPECT_TRUE(check({"drop time=5s..20s", "error=502 time=5s..21s"}).ok());
  EXPECT_TRUE(check({"drop method=GetAsync", "error=502"}).ok());
  EXPECT_TRUE(check({"drop key=a", "error=502 key=b"}).ok());
  EXPECT_TRUE(check({"drop step=*", "error=502"}).ok());  // Calls of no step are left.
  EXPECT_FALSE(check({"drop key=*", "error=502"}).ok());
  EXPECT_FALSE(check({"drop step=*", "error=502 step=load"}).ok());
}

TEST(FaultPlanTest, ACrashOfServersThatHaveJustCrashedIsRefused) {
  const auto check = [](const char* first, const char* second) {
    return CheckTogether({Parsed(first), Parsed(second), Parsed("drop")});
  };
  EXPECT_EQ(check("server_crash=5s", "server_crash=5s server=old").message(),
            "--fault \"server_crash=5s server=old\": can never strike: --fault "
            "\"server_crash=5s\" stands before it and takes all its servers");
  EXPECT_FALSE(check("server_crash=5s server=*", "server_crash=5s").ok());
  // Others are left, or may start in between.
  EXPECT_TRUE(check("server_crash=5s server=old", "server_crash=5s").ok());
  EXPECT_TRUE(check("server_crash=1s", "server_crash=2s").ok());
}

TEST(FaultPlanTest, ThereIsAnEndToRules) {
  FaultPlan plan(kFaultRulesMax, Parsed("drop count=1"));
  EXPECT_TRUE(CheckTogether(plan).ok());
  plan.push_back(plan.front());
  EXPECT_THAT(CheckTogether(plan).message(), HasSubstr("1001 fault rules are more than 1000"));
  EXPECT_THAT(ParseFaultPlan(std::string(kFaultPlanBytesMax + 1, '#'), "p").status().message(),
              HasSubstr("more than 1048576 bytes"));
}

TEST(FaultPatternTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(MatchesPattern("Player_*", "Player_1"));
  EXPECT_TRUE(MatchesPattern("Player_*", "Player_"));
  EXPECT_FALSE(MatchesPattern("Player_*", "player_1"));
  EXPECT_TRUE(MatchesPattern("*_1*2", "a_1_12_2"));
  EXPECT_TRUE(MatchesPattern("?", "a"));
  EXPECT_FALSE(MatchesPattern("?", ""));
  EXPECT_TRUE(MatchesPattern("", ""));
  EXPECT_FALSE(MatchesPattern("", "a"));
  EXPECT_FALSE(MatchesPattern("a", "ab"));
  // No pattern takes for ever.
  EXPECT_FALSE(MatchesPattern("*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

// Any bytes at all: a rule, or one line that says why not.
TEST(FaultParserTest, RubbishIsRefusedInOneLine) {
  const std::string_view pieces[] = {
      "drop", "key",  "=",    "\"",   "..", " ",      "method", "GetAsync", "-",    "5s", "call",
      "1",    "time", "\\",   "\n",   "[[", "fault",  "]]",     "'",        "\xff", "{}", "queue",
      "é",    "#",    "true", "1e99", ",",  "error=", "502",    ":",        ".",    "\0x"};
  Prng prng(7);
  int rules = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    for (uint64_t n = prng.Below(12); n > 0; --n) text += pieces[prng.Below(std::size(pieces))];
    const auto rule = ParseFaultRule(text);
    if (rule.ok()) {
      ++rules;
      EXPECT_TRUE(ParseFaultRule(rule->text).ok()) << rule->text;
    } else {
      EXPECT_EQ(rule.status().message().find('\n'), std::string::npos) << text;
    }
    const auto plan = ParseFaultPlan("[[fault]]\n" + text, "plan.toml");
    if (!plan.ok()) {
      EXPECT_EQ(plan.status().message().find('\n'), std::string::npos) << text;
    }
  }
  EXPECT_GT(rules, 10);
}

}  // namespace
}  // namespace dstap::proxy
