#include "analyzer/diff/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/views/report.h"
#include "tests/support/capture_script.h"

namespace dstap::analyzer {
namespace {

using test::CaptureScript;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

using MayChange = Condition::MayChange;

struct Made {
  std::string rules = "2026";
  std::string backend = "simulator";
  std::string tool_version = "0.1.0";
  v1::ClockKind clock = v1::CLOCK_KIND_VIRTUAL;
  std::optional<uint64_t> seed = 1;
  std::optional<uint32_t> players = 0;
  std::string scenario = "load";
  std::vector<std::pair<std::string, std::string>> options = {};
  std::vector<std::pair<std::string, std::string>> source_options = {};
  bool is_closed = true;
};

Overview OverviewOf(const std::vector<Made>& recordings) {
  OverviewView view;
  TimelineBuilder builder({&view});
  for (const Made& made : recordings) {
    v1::Row header;
    header.mutable_header()->set_tool("dstap");
    header.mutable_header()->set_tool_version(made.tool_version);
    header.mutable_header()->set_clock(made.clock);
    header.mutable_header()->set_rule_profile(made.rules);
    header.mutable_header()->set_backend(made.backend);
    if (made.seed) header.mutable_header()->set_seed(*made.seed);
    for (const auto& [name, value] : made.options) {
      v1::Option& option = *header.mutable_header()->add_options();
      option.set_name(name);
      option.set_value(value);
    }
    v1::Row source;
    source.mutable_source()->set_id(1);
    if (made.players) source.mutable_source()->set_players(*made.players);
    for (const auto& [name, value] : made.source_options) {
      v1::Option& option = *source.mutable_source()->add_options();
      option.set_name(name);
      option.set_value(value);
    }
    v1::Row step;
    step.mutable_step_begin()->set_id(1);
    step.mutable_step_begin()->set_source(1);
    step.mutable_step_begin()->set_scenario(made.scenario);
    CaptureScript script;
    script.Row(0s, header).Row(0s, source).Row(1s, step).End(2s, 1);
    if (made.is_closed) script.Closed(3s);
    script.Feed(builder);
  }
  return view.Take();
}

std::vector<Condition> Differing(const std::vector<Made>& before, const std::vector<Made>& after) {
  return DifferingConditions(OverviewOf(before), OverviewOf(after));
}

TEST(ConditionsTest, TheSameIsNoCondition) {
  EXPECT_THAT(Differing({{}}, {{}}), IsEmpty());
  EXPECT_THAT(Differing({{}, {}}, {{}}), IsEmpty());
}

TEST(ConditionsTest, EachThingThatDiffersIsNamedWithBothValues) {
  EXPECT_THAT(Differing({{}}, {{.scenario = "hop"}}),
              ElementsAre(Condition{"scenario", "load", "hop", MayChange::kCounts}));
  EXPECT_THAT(Differing({{}}, {{.rules = "2020"}}),
              ElementsAre(Condition{"rules", "2026", "2020", MayChange::kCounts}));
  EXPECT_THAT(Differing({{.rules = ""}}, {{}}),
              ElementsAre(Condition{"rules", "a live service", "2026", MayChange::kCounts}));
  EXPECT_THAT(Differing({{}}, {{.backend = "open cloud"}}),
              ElementsAre(Condition{"backend", "simulator", "open cloud", MayChange::kCounts}));
  EXPECT_THAT(Differing({{}}, {{.clock = v1::CLOCK_KIND_WALL}}),
              ElementsAre(Condition{"clock", "virtual", "wall", MayChange::kCounts}));
  EXPECT_THAT(Differing({{}}, {{.players = 8}}),
              ElementsAre(Condition{"players", "0", "8", MayChange::kCounts}));
  EXPECT_THAT(Differing({{.players = {}}}, {{}}),
              ElementsAre(Condition{"players", "not known", "0", MayChange::kCounts}));
  EXPECT_THAT(Differing({{}}, {{.seed = 2}}),
              ElementsAre(Condition{"seed", "1", "2", MayChange::kTimes}));
  EXPECT_THAT(Differing({{}}, {{.seed = {}}}),
              ElementsAre(Condition{"seed", "1", "none", MayChange::kTimes}));
  EXPECT_THAT(
      Differing({{}}, {{.tool_version = "0.2.0"}}),
      ElementsAre(Condition{"recorded by", "dstap 0.1.0", "dstap 0.2.0", MayChange::kTimes}));
}

TEST(ConditionsTest, OptionsAreComparedByNameAndOneMayStandSeveralTimes) {
  EXPECT_THAT(
      Differing({{.options = {{"rule", "queue=10"}, {"rule", "level=60"}, {"samples", "5"}}}},
                {{.options = {{"rule", "queue=10"}, {"samples", "1"}, {"\xFF", ""}}}}),
      ElementsAre(Condition{"option rule", "level=60, queue=10", "queue=10", MayChange::kCounts},
                  Condition{"option samples", "5", "1", MayChange::kTimes},
                  Condition{"option \\xff", "-", "(empty)", MayChange::kCounts}));
  EXPECT_THAT(Differing({{.source_options = {{"mailbox", "true"}}}}, {{}}),
              ElementsAre(Condition{"source option mailbox", "true", "-", MayChange::kCounts}));
}

TEST(ConditionsTest, SeveralCapturesHaveTheValuesOfAll) {
  EXPECT_THAT(Differing({{.seed = 2}, {.seed = 1}}, {{.seed = 1}}),
              ElementsAre(Condition{"seed", "1, 2", "1", MayChange::kTimes}));
}

TEST(ConditionsTest, WhatIsNotWholeIsSaidEvenOfBothSides) {
  const Condition both{"not whole, or changed on purpose", "unfinished 1", "unfinished 1",
                       MayChange::kCounts};
  EXPECT_THAT(Differing({{.is_closed = false}}, {{.is_closed = false}}), ElementsAre(both));
  EXPECT_THAT(Differing({{}}, {{.is_closed = false}}),
              ElementsAre(Condition{"not whole, or changed on purpose", "-", "unfinished 1",
                                    MayChange::kCounts}));
}

}  // namespace
}  // namespace dstap::analyzer
