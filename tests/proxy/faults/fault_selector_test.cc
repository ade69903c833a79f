// Which calls a rule strikes.
#include "proxy/backend/faults/fault_selector.h"

#include <gmock/gmock.h>

#include "tests/proxy/faults/faulty_game.h"

namespace dstap::test {
namespace {

using namespace std::chrono_literals;
using proxy::FaultSelector;
using testing::ElementsAre;
using testing::IsEmpty;

// The numbers of the calls that are struck, of `calls` made a second apart from second 0 on.
std::vector<CallId> StruckOf(FaultSelector& selector, const std::vector<proxy::Request>& calls) {
  std::vector<CallId> struck;
  for (CallId call = 1; call <= calls.size(); ++call) {
    if (selector.Select(call, Time(1s) * (call - 1), calls[call - 1]) != nullptr) {
      struck.push_back(call);
    }
  }
  return struck;
}

std::vector<CallId> StruckBy(std::initializer_list<std::string_view> rules,
                             const std::vector<proxy::Request>& calls, uint64_t seed = 1) {
  FaultSelector selector(PlanOf(rules), seed);
  return StruckOf(selector, calls);
}

std::vector<proxy::Request> Gets(size_t n) {
  return std::vector<proxy::Request>(n, GetOf("Player_1"));
}

TEST(FaultSelectorTest, ByCallNumber) {
  EXPECT_THAT(StruckBy({"drop call=2"}, Gets(4)), ElementsAre(2));
  EXPECT_THAT(StruckBy({"drop call=2..3"}, Gets(5)), ElementsAre(2, 3));
  EXPECT_THAT(StruckBy({"drop call=3.."}, Gets(5)), ElementsAre(3, 4, 5));
  EXPECT_THAT(StruckBy({"drop call=..2"}, Gets(5)), ElementsAre(1, 2));
}

TEST(FaultSelectorTest, CallsAreCountedAmongThoseThatTheRestSelects) {
  const std::vector<proxy::Request> calls = {GetOf("a"), SetOf("b", "1"), GetOf("b"), GetOf("a"),
                                             GetOf("b")};
  EXPECT_THAT(StruckBy({"drop call=2 key=b method=GetAsync"}, calls), ElementsAre(5));
  EXPECT_THAT(StruckBy({"drop call=2 key=a time=1s.."}, calls), IsEmpty());
}

TEST(FaultSelectorTest, ByMethodStoreAndKey) {
  std::vector<proxy::Request> calls = {GetOf("Player_1"), SetOf("Player_1", "1"), GetOf("other"),
                                       UpdateOf("Player_2")};
  calls.push_back(GetOf("Player_1"));
  calls.back().store.name = "Coins";
  EXPECT_THAT(StruckBy({"drop method=SetAsync,UpdateAsync"}, calls), ElementsAre(2, 4));
  EXPECT_THAT(StruckBy({"drop key=Player_?"}, calls), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(StruckBy({"drop store=Coins"}, calls), ElementsAre(5));
  EXPECT_THAT(StruckBy({"drop store=Player* key=Player_* method=GetAsync"}, calls), ElementsAre(1));
}

TEST(FaultSelectorTest, ByTimeWithItsBeginAndWithoutItsEnd) {
  EXPECT_THAT(StruckBy({"drop time=1s..3s"}, Gets(5)), ElementsAre(2, 3));
  EXPECT_THAT(StruckBy({"drop time=3s.."}, Gets(5)), ElementsAre(4, 5));
  EXPECT_THAT(StruckBy({"drop time=..1s"}, Gets(5)), ElementsAre(1));
}

TEST(FaultSelectorTest, ByServer) {
  FaultSelector selector(PlanOf({"drop server=new*"}), 1);
  selector.NameSource(1, "old");
  selector.NameSource(2, "new server");
  EXPECT_THAT(StruckOf(selector, {GetOf("a", 1), GetOf("a", 2), GetOf("a", 3)}), ElementsAre(2));
}

TEST(FaultSelectorTest, ByStep) {
  FaultSelector selector(PlanOf({"drop step=load-*"}), 1);
  EXPECT_EQ(selector.Select(1, 0s, GetOf("a")), nullptr);
  v1::StepBegin step;
  step.set_id(7);
  step.set_source(1);
  step.set_name("load-new");
  selector.BeginStep(step);
  EXPECT_NE(selector.Select(2, 0s, GetOf("a")), nullptr);
  EXPECT_EQ(selector.Select(3, 0s, GetOf("a", 2)), nullptr);
  selector.EndStep(7);
  EXPECT_EQ(selector.Select(4, 0s, GetOf("a")), nullptr);
  // * is any step, and still a step.
  FaultSelector any(PlanOf({"drop step=*"}), 1);
  EXPECT_EQ(any.Select(1, 0s, GetOf("a")), nullptr);
}

TEST(FaultSelectorTest, ByCountTheFirstFailAndThenItWorks) {
  EXPECT_THAT(StruckBy({"drop count=2"}, Gets(5)), ElementsAre(1, 2));
  EXPECT_THAT(StruckBy({"drop call=2..4 count=2"}, Gets(5)), ElementsAre(2, 3));
}

TEST(FaultSelectorTest, ByChanceWhichTheSeedDecides) {
  const auto some = StruckBy({"drop probability=0.3"}, Gets(1000));
  EXPECT_GT(some.size(), 250U);
  EXPECT_LT(some.size(), 350U);
  EXPECT_EQ(some, StruckBy({"drop probability=0.3"}, Gets(1000)));
  EXPECT_NE(some, StruckBy({"drop probability=0.3"}, Gets(1000), 2));
  // Two rules do not throw the same dice.
  FaultSelector two(PlanOf({"drop probability=0.3 method=SetAsync", "drop probability=0.3"}), 1);
  EXPECT_NE(some, StruckOf(two, Gets(1000)));
  EXPECT_EQ(StruckBy({"drop probability=1"}, Gets(100)).size(), 100U);
}

TEST(FaultSelectorTest, TheFirstRuleThatWantsACallHasItAndTheOthersKeepTheirs) {
  FaultSelector selector(PlanOf({"drop call=2", "error=502 count=2", "queue=1s"}), 1);
  std::vector<v1::FaultKind> kinds;
  for (CallId call = 1; call <= 4; ++call) {
    kinds.push_back(selector.Select(call, 0s, GetOf("a"))->kind);
  }
  EXPECT_THAT(kinds, ElementsAre(v1::FAULT_KIND_ERROR, v1::FAULT_KIND_DROP, v1::FAULT_KIND_ERROR,
                                 v1::FAULT_KIND_QUEUE));
}

TEST(FaultSelectorTest, ARuleForAStepOrAServerThatStruckNothingSaysWhy) {
  FaultSelector selector(
      PlanOf({"drop step=sav*", "drop step=load call=9", "drop step=load", "drop server=olt",
              "drop key=nobody", "drop server=new call=7", "server_crash=1s server=olt",
              "server_crash=2s server=new", "server_crash=3s server=new"}),
      1);
  selector.NameSource(1, "new");
  v1::StepBegin step;
  step.set_id(1);
  step.set_source(1);
  step.set_name("load");
  selector.BeginStep(step);
  EXPECT_THAT(StruckOf(selector, Gets(2)), ElementsAre(1, 2));
  selector.Crashed(selector.plan()[7]);
  EXPECT_THAT(
      selector.NeverStruck(),
      ElementsAre("--fault \"drop step=sav*\" never struck: no step was called sav*",
                  "--fault \"drop step=load call=9\" never struck: none of its calls had its "
                  "number or its chance",
                  "--fault \"drop server=olt\" never struck: no server was called olt",
                  "--fault \"drop server=new call=7\" never struck: none of its calls had its "
                  "number or its chance",
                  "--fault \"server_crash=1s server=olt\" never struck: no server was called olt",
                  "--fault \"server_crash=3s server=new\" never struck: the run was over, or the "
                  "server had crashed, before its instant"));
}

TEST(FaultSelectorTest, ACrashIsOfAServerAndStrikesNoCall) {
  EXPECT_THAT(StruckBy({"server_crash=0s"}, Gets(3)), IsEmpty());
}

}  // namespace
}  // namespace dstap::test
