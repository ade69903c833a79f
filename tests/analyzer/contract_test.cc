#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyzer/commands/check_command.h"
#include "analyzer/commands/contract_command.h"
#include "analyzer/contracts/contract_check.h"
#include "analyzer/contracts/contract_parser.h"
#include "analyzer/contracts/draft.h"
#include "analyzer/contracts/order.h"
#include "tests/support/capture_bytes.h"
#include "tests/support/capture_command.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using test::Get;
using test::GetPast;
using test::Update;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr size_t kGet = static_cast<size_t>(Method::kGetAsync);
constexpr size_t kUpdate = static_cast<size_t>(Method::kUpdateAsync);

std::string MessageOf(std::string_view toml) {
  const Result<Contract> contract = ParseContract(toml, "c.toml");
  return contract.ok() ? "" : contract.status().message();
}

ContractChecked Checked(std::string_view toml, std::initializer_list<CaptureScript> scripts) {
  const Result<Contract> contract = ParseContract(toml, "c.toml");
  EXPECT_TRUE(contract.ok()) << contract.status().message();
  ContractCheck check(*contract);
  TimelineBuilder builder({&check}, nullptr, ContractCheck::Watches(*contract));
  for (const CaptureScript& script : scripts) script.Feed(builder);
  return check.Take();
}

// One sample of "load": a GetAsync, an UpdateAsync 1 s later, and 250 ms for each.
CaptureScript Loads() {
  CaptureScript script;
  script.Header().Source(1, "server", "lib", "1.2").Begin(0s, {});
  script.Call(Get("a", 0s, 250ms)).Call(Update("a", 1s, 1250ms)).End(1250ms, 1);
  return script;
}

std::string ResultOf(std::string_view promises) {
  const ContractChecked checked =
      Checked("[step.load]\n" + std::string(promises) + "\n", {Loads()});
  EXPECT_EQ(checked.samples(), 1U);
  std::string text;
  for (const Breach& breach : checked.steps[0].breaches) {
    text += breach.promise + ": " + breach.expected + " | " + breach.seen + "\n";
  }
  EXPECT_EQ(checked.is_broken(), !text.empty());
  return text;
}

TEST(BoundsTest, AreAnAmountOrARangeWithBothEndsInIt) {
  const auto count = [](std::string_view text) { return *ParseBounds(text, BoundsUnit::kCount); };
  EXPECT_EQ(count("2"), (Bounds{2, 2}));
  EXPECT_EQ(count(" 1 .. 3 "), (Bounds{1, 3}));
  EXPECT_EQ(count("..3"), (Bounds{0, 3}));
  EXPECT_EQ(count("2.."), (Bounds{2, std::nullopt}));
  EXPECT_EQ(*ParseBounds("0.5s..1m", BoundsUnit::kTime), (Bounds{500'000'000, 60'000'000'000}));
  EXPECT_EQ(*ParseBounds("..25%", BoundsUnit::kPercent), (Bounds{0, 25}));
  EXPECT_FALSE(count("1..3").Has(0));
  EXPECT_TRUE(count("1..3").Has(1));
  EXPECT_TRUE(count("1..3").Has(3));
  EXPECT_FALSE(count("1..3").Has(4));
  EXPECT_TRUE(count("2..").Has(UINT64_MAX));
}

TEST(BoundsTest, ThatMakeNoSenseAreRefusedWithAnExample) {
  const auto wrong = [](std::string_view text, BoundsUnit unit) {
    return ParseBounds(text, unit).status().message();
  };
  EXPECT_EQ(wrong("", BoundsUnit::kCount), R"("" is no amount; write 2, "1..3", "..3" or "2..")");
  EXPECT_EQ(wrong("..", BoundsUnit::kCount),
            R"(".." limits nothing; write 2, "1..3", "..3" or "2..")");
  EXPECT_EQ(wrong("3..1", BoundsUnit::kCount),
            R"("3..1" ends below its beginning; write 2, "1..3", "..3" or "2..")");
  EXPECT_THAT(wrong("-1", BoundsUnit::kCount), StartsWith(R"("-1" is no amount)"));
  EXPECT_THAT(wrong("1", BoundsUnit::kTime), StartsWith(R"("1" is no amount; write "1s")"));
}

TEST(BoundsTest, AreWrittenAsTheyAreRead) {
  for (const char* text : {"2", "1..3", "..3", "2..", "0"}) {
    EXPECT_EQ(WriteBounds(*ParseBounds(text, BoundsUnit::kCount), BoundsUnit::kCount), text);
  }
  for (const char* text : {"..0.25s", "1s..1.5s", "3ns"}) {
    EXPECT_EQ(WriteBounds(*ParseBounds(text, BoundsUnit::kTime), BoundsUnit::kTime), text);
  }
}

TEST(OrderTest, IsLeftAtTheFirstRequestThatNoReadingAllows) {
  using Columns = std::vector<size_t>;
  const std::vector<OrderItem> order = {{.column = kGet, .may_lack = true},
                                        {.column = kUpdate, .may_repeat = true},
                                        {.column = kGet, .may_lack = true, .may_repeat = true}};
  EXPECT_EQ(LeavesOrder(order, Columns{kUpdate}), std::nullopt);
  EXPECT_EQ(LeavesOrder(order, Columns{kGet, kUpdate, kUpdate, kGet, kGet}), std::nullopt);
  EXPECT_EQ(LeavesOrder(order, Columns{}), 0U);
  EXPECT_EQ(LeavesOrder(order, Columns{kGet}), 1U);
  EXPECT_EQ(LeavesOrder(order, Columns{kGet, kGet}), 1U);
  EXPECT_EQ(LeavesOrder(order, Columns{kUpdate, kGet, kUpdate}), 2U);
  EXPECT_EQ(ShowOrder(order), "GetAsync?, UpdateAsync+, GetAsync*");
}

TEST(OrderTest, AGreedyReadingIsNotTheOnlyOne) {
  const std::vector<OrderItem> order = {{.column = kGet, .may_lack = true, .may_repeat = true},
                                        {.column = kGet}};
  using Columns = std::vector<size_t>;
  EXPECT_EQ(LeavesOrder(order, Columns{kGet, kGet, kGet}), std::nullopt);
  EXPECT_EQ(LeavesOrder(order, Columns{}), 0U);
}

TEST(ContractParserTest, SaysWhereAFileIsWrongAndWhatCouldStandThere) {
  EXPECT_EQ(MessageOf(""), "c.toml: promises nothing; it needs a [step.NAME] or a never");
  EXPECT_THAT(MessageOf("a = ["), StartsWith("c.toml:1: "));
  EXPECT_EQ(MessageOf("\nlibary = 'x'"), "c.toml:2: a contract has no \"libary\"; \"library\"?");
  EXPECT_EQ(MessageOf("[step.load]\nrequest = {}"),
            "c.toml:2: a step has no \"request\"; \"requests\"?");
  EXPECT_EQ(MessageOf("[step.load]"),
            "c.toml:1: the step promises nothing; say what, or take it out");
  EXPECT_EQ(MessageOf("step = 1"), "c.toml:1: steps are tables: [step.NAME]");
  EXPECT_EQ(MessageOf("[step.load]\nrequests = { UpdateAsnc = 1 }"),
            "c.toml:2: \"UpdateAsnc\" is no method; \"UpdateAsync\"?");
  EXPECT_EQ(MessageOf("[step.load]\nrequests = { UpdateAsync = 1.5 }"),
            "c.toml:2: a count is 2, \"1..3\", \"..3\" or \"2..\"");
  EXPECT_EQ(MessageOf("[step.load]\nrequests = { past = 1, 'GetAsync past the cache' = 1 }"),
            "c.toml:2: past stands twice");
  EXPECT_EQ(MessageOf("[step.load]\ngap = 1"), "c.toml:2: a time is a text: \"1s\", \"..250ms\"");
  EXPECT_EQ(MessageOf("[step.load]\nresult = 'fine'"), "c.toml:2: it is \"ok\" or \"failed\"");
  EXPECT_EQ(MessageOf("[step.load]\nlast_save = 'no'"), "c.toml:2: it is \"seen\" or left out");
  EXPECT_THAT(MessageOf("[step.load]\norder = []"), StartsWith("c.toml:2: order is a list"));
  EXPECT_EQ(MessageOf("[step.load]\norder = ['PublishAsync']"),
            "c.toml:2: order is about DataStore requests");
  EXPECT_EQ(MessageOf("[step.load]\nbudget = { StandardWrit = 1 }"),
            "c.toml:2: \"StandardWrit\" is no request type; \"StandardWrite\"?");
  EXPECT_THAT(MessageOf("never = ['method ==']"), StartsWith("c.toml:1: column 10"));
  EXPECT_THAT(MessageOf("[[never]]\nbecause = 'x'"), HasSubstr("needs calls"));
  EXPECT_THAT(MessageOf("never = 'x'"), HasSubstr("never is a list of filters"));
  const std::string long_text(kContractBytesMax + 1, ' ');
  EXPECT_EQ(MessageOf(long_text), "c.toml: a contract of more than 1048576 bytes");
}

TEST(ContractTest, RequestsAreCountedAndNoOthersMayBeSent) {
  EXPECT_EQ(ResultOf("requests = { GetAsync = 1, UpdateAsync = '1..2' }"), "");
  EXPECT_EQ(ResultOf("requests = { GetAsync = 2, UpdateAsync = 1 }"),
            "requests: 2 GetAsync | 1 GetAsync\n");
  EXPECT_EQ(ResultOf("requests = { UpdateAsync = 1 }"), "requests: 0 GetAsync | 1 GetAsync\n");
  EXPECT_EQ(ResultOf("total = 2"), "");
  EXPECT_EQ(ResultOf("total = '3..'"), "total: at least 3 requests | 1 UpdateAsync, 1 GetAsync\n");
}

TEST(ContractTest, OrderTriesGapsAndWaitsAreOfTheCallsAsTheyWereIssued) {
  EXPECT_EQ(ResultOf("order = ['GetAsync', 'UpdateAsync']"), "");
  EXPECT_EQ(ResultOf("order = ['UpdateAsync', 'GetAsync?']"),
            "order: UpdateAsync, GetAsync? | GetAsync, UpdateAsync; call 1 is out of order\n");
  EXPECT_EQ(ResultOf("order = ['GetAsync', 'UpdateAsync', 'GetAsync']"),
            "order: GetAsync, UpdateAsync, GetAsync | GetAsync, UpdateAsync; then nothing more\n");
  EXPECT_EQ(ResultOf("tries = 2\ngap = '1s'\nwait = '0.75s'"), "");
  EXPECT_EQ(ResultOf("tries = 1"), "tries: 1 of one key | 2\n");
  EXPECT_EQ(ResultOf("gap = '..999ms'"), "gap: at most 0.999 s | 1 s\n");
  EXPECT_EQ(ResultOf("wait = '0.76s..'"), "wait: at least 0.76 s | 0.75 s\n");
}

TEST(ContractTest, TimesAreOfTheStepAndOfTheFirstValue) {
  EXPECT_EQ(ResultOf("time = '..1.25s'"), "");
  EXPECT_EQ(ResultOf("time = '..1249ms'"), "time: at most 1.249 s | 1.25 s\n");
  EXPECT_EQ(ResultOf("time_to_data = '..9s'"), "time_to_data: at most 9 s | no value was read\n");
  CaptureScript script;
  auto get = Get("a", 0s, 250ms);
  get.read = capture::ValueInfo{.bytes = 5};
  script.Header().Source(1, "server", "lib").Begin(0s, {}).Call(get).End(1s, 1);
  EXPECT_FALSE(Checked("[step.load]\ntime_to_data = '..250ms'", {script}).is_broken());
  EXPECT_TRUE(Checked("[step.load]\ntime_to_data = '..249ms'", {script}).is_broken());
}

TEST(ContractTest, ResultAndLastSaveAreWhatTheStepSays) {
  EXPECT_EQ(ResultOf("result = 'ok'"), "");
  EXPECT_EQ(ResultOf("result = 'failed'"), "result: failed | ok\n");
  CaptureScript script;
  script.Header().Source(1, "server", "lib").Begin(0s, {.expected = "888"}).End(1s, 1, "777");
  const ContractChecked checked = Checked("[step.load]\nlast_save = 'seen'", {script});
  ASSERT_THAT(checked.steps[0].breaches, SizeIs(1));
  EXPECT_EQ(checked.steps[0].breaches[0].seen, "777");
}

TEST(ContractTest, ABudgetIsWhatTheCallsTook) {
  CaptureScript script;
  v1::Row limits;
  limits.mutable_limits()->set_source(1);
  v1::Limit& limit = *limits.mutable_limits()->add_limits();
  limit.set_type(v1::REQUEST_TYPE_STANDARD_WRITE);
  limit.set_base_per_minute(60);
  limit.set_per_player_per_minute(40);
  script.Header().Source(1, "server", "lib").Row(0s, limits).Begin(0s, {});
  auto update = Update("a", 0s, 1s);
  update.budgets[0] = {.type = v1::REQUEST_TYPE_STANDARD_WRITE, .taken = 10};
  script.Call(update).End(10s, 1);
  EXPECT_FALSE(Checked("[step.load]\nbudget = { StandardWrite = 10 }", {script}).is_broken());
  EXPECT_TRUE(Checked("[step.load]\nbudget = { StandardWrite = '..9' }", {script}).is_broken());
  const auto percent = [&](std::string_view most) {
    const std::string toml =
        "[step.load]\nbudget_percent = { StandardWrite = '" + std::string(most) + "' }";
    return Checked(toml, {script}).steps[0].breaches;
  };
  EXPECT_THAT(percent("..25%"), IsEmpty());
  ASSERT_THAT(percent("..24"), SizeIs(1));
  EXPECT_EQ(percent("..24")[0].expected, "at most 24 % of one player's StandardWrite");
  EXPECT_EQ(percent("..24")[0].seen, "25 %: 10 of 40.0");
}

TEST(ContractTest, WhatMustNeverBeIsNamedWithItsCalls) {
  const std::string rule = "{ calls = 'method == UpdateAsync', because = 'it only reads' }";
  const ContractChecked in_step = Checked("[step.load]\nnever = [" + rule + "]", {Loads()});
  ASSERT_THAT(in_step.steps[0].breaches, SizeIs(1));
  EXPECT_EQ(in_step.steps[0].breaches[0].expected, "no method == UpdateAsync (it only reads)");
  EXPECT_THAT(in_step.steps[0].breaches[0].calls, ElementsAre(2));
  EXPECT_FALSE(Checked("[step.save]\nnever = [" + rule + "]\n[step.load]\ntotal = 2", {Loads()})
                   .is_broken());
  EXPECT_FALSE(Checked("never = ['method == SetAsync']", {Loads()}).is_broken());
}

TEST(ContractTest, OutsideOfStepsToo) {
  CaptureScript script;
  script.Header().Source(1, "server", "lib").Call(Get("a", 0s, 1s)).Call(Get("b", 0s, 1s));
  const ContractChecked checked = Checked("never = ['method == GetAsync']", {script});
  ASSERT_TRUE(checked.is_broken());
  EXPECT_EQ(checked.everywhere.breaches[0].seen, "2 calls");
  EXPECT_THAT(checked.everywhere.breaches[0].calls, ElementsAre(1, 2));
}

TEST(ContractTest, SamplesThatBreakItInOneWayAreToldOnceWithTheFirst) {
  CaptureScript script;
  script.Header().Source(1, "server", "lib", "1.2");
  for (uint32_t sample = 1; sample <= 3; ++sample) {
    const Time begin = sample * 10s;
    script.Begin(begin, {.id = sample, .sample = sample});
    script.Call(Get("a", begin, begin + 1s));
    if (sample > 1) script.Call(GetPast("a", begin + 2s, begin + 3s));
    script.End(begin + 3s, sample);
  }
  const ContractChecked checked = Checked("[step.load]\nrequests = { GetAsync = 1 }", {script});
  const StepCheck& step = checked.steps[0];
  EXPECT_EQ(step.samples, 3U);
  EXPECT_EQ(step.broken, 2U);
  ASSERT_THAT(step.breaches, SizeIs(1));
  EXPECT_EQ(step.breaches[0].seen, "1 GetAsync past the cache");
  EXPECT_EQ(step.breaches[0].samples, 2U);
  EXPECT_EQ(step.breaches[0].sample, 2U);
  EXPECT_THAT(step.breaches[0].calls, ElementsAre(3));
}

TEST(ContractTest, IsAboutOneLibraryAndJudgesOnlyWholeSamples) {
  EXPECT_TRUE(Checked("library = 'lib@1.*'\n[step.load]\ntotal = 9", {Loads()}).is_broken());
  const ContractChecked other = Checked("library = 'lib@2.*'\n[step.load]\ntotal = 9", {Loads()});
  EXPECT_FALSE(other.is_broken());
  EXPECT_THAT(other.others, ElementsAre("lib@1.2"));
  EXPECT_EQ(other.samples(), 0U);
  CaptureScript open;
  open.Header().Source(1, "server", "lib").Begin(0s, {});
  const ContractChecked unfinished = Checked("[step.load]\ntotal = 9", {open});
  EXPECT_EQ(unfinished.steps[0].unfinished, 1U);
  EXPECT_FALSE(unfinished.is_broken());
  const ContractChecked missing = Checked("[step.save]\ntotal = 1", {Loads()});
  EXPECT_THAT(missing.steps_not_promised, ElementsAre("load"));
}

TEST(ContractTest, ASampleOfMoreCallsThanAreKeptIsNotJudgedByItsOrder) {
  CaptureScript script;
  script.Header().Source(1, "server", "lib").Begin(0s, {});
  for (size_t i = 0; i <= kCallsOfSampleMax; ++i) script.Call(Get("a", 0s, 1s));
  script.End(1s, 1);
  const ContractChecked checked = Checked("[step.load]\ntries = 1\ntotal = '1..'", {script});
  EXPECT_EQ(checked.steps[0].too_long, 1U);
  EXPECT_FALSE(checked.is_broken());
}

class ContractCommandTest : public testing::Test {
 protected:
  ContractCommandTest()
      : folder_(std::string("contract-") +
                testing::UnitTest::GetInstance()->current_test_info()->name()),
        capture_(folder_.File("a.dstap", test::BytesOf(Loads().Closed(2s)))) {}

  test::CommandResult Check(const std::string& toml, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--contract", folder_.File("c.toml", toml), capture_});
    return test::RunCommand<CheckCommand>(std::move(more));
  }

  test::TemporaryFolder folder_;
  std::string capture_;
};

TEST_F(ContractCommandTest, ADraftIsKeptByWhatItWasMadeFromAndBrokenByOthers) {
  const auto draft =
      test::RunCommand<ContractCommand>({"--from", capture_, "-o", folder_.Path("c.toml")});
  EXPECT_EQ(draft.status, 0) << draft.notes;
  const std::string toml = folder_.Read("c.toml");
  EXPECT_THAT(toml, HasSubstr("library = \"lib@1.2\""));
  EXPECT_THAT(toml, HasSubstr("requests = { UpdateAsync = 1, GetAsync = 1 }"));
  EXPECT_THAT(toml, HasSubstr("order = [\"GetAsync\", \"UpdateAsync\"]"));
  EXPECT_THAT(toml, HasSubstr("tries = \"..2\"\ngap = \"0.983s..1.017s\""));
  const auto kept = Check(toml);
  EXPECT_EQ(kept.status, 0) << kept.out << kept.notes;
  EXPECT_THAT(kept.out, HasSubstr("kept"));
  CaptureScript more = Loads();
  more.Begin(5s, {.id = 2}).Call(Get("a", 5s, 6s)).End(6s, 2);
  folder_.File("a.dstap", test::BytesOf(more.Closed(7s)));
  const auto broken = Check(toml);
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, HasSubstr("1 UpdateAsync"));
}

TEST_F(ContractCommandTest, ACheckThatWasNotMadeIsNotPassed) {
  const auto none = Check("library = 'other'\n[step.load]\ntotal = 2");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.notes, HasSubstr("no step of it is in the captures"));
  const std::string two = "[step.load]\ntotal = 2\n[step.save]\ntotal = 1";
  EXPECT_EQ(Check(two).status, 0);
  const auto all = Check(two, {"--all-steps"});
  EXPECT_EQ(all.status, 1);
  EXPECT_THAT(all.notes, HasSubstr("not in the captures: save"));
}

TEST_F(ContractCommandTest, BadInputIsOneLineAndTheStatusOfItsKind) {
  const auto wrong = Check("[step.load]\ntotal = 'x'");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.notes, HasSubstr("c.toml:2: \"x\" is no amount"));
  const auto missing = test::RunCommand<CheckCommand>({"--contract", "no.toml", capture_});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.notes, HasSubstr("no.toml: cannot be opened"));
  const auto no_step = test::RunCommand<ContractCommand>(
      {"--from", folder_.File("b.dstap", test::BytesOf(CaptureScript().Header().Closed(1s)))});
  EXPECT_EQ(no_step.status, 3);
  EXPECT_THAT(no_step.notes, HasSubstr("a contract is made of steps"));
  const auto other = test::RunCommand<ContractCommand>({"--library", "x", "--from", capture_});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.notes, HasSubstr("there are lib@1.2"));
}

TEST_F(ContractCommandTest, JsonSaysTheSame) {
  const auto result = Check("[step.load]\ntotal = 3", {"--format", "json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["kept"], false);
  EXPECT_EQ(json["steps"][0]["breaches"][0]["promise"], "total");
  EXPECT_EQ(json["steps"][0]["breaches"][0]["first"]["calls"], nlohmann::json({1, 2}));
}

}  // namespace
}  // namespace dstap::analyzer
