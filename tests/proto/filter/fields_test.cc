#include "proto/filter/fields.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/proto/filter/filter_cases.h"

namespace dstap::filter {
namespace {

using test::AFullSubject;
using test::Matches;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

// Of AFullSubject(), the first is true and the second is not.
struct FieldCase {
  std::string_view field;
  std::string_view holds;
  std::string_view does_not;
};

constexpr FieldCase kCases[] = {
    {"id", "id == 77", "id == 78"},
    {"method", "method == ListKeysAsync", "method == GetAsync"},
    {"store", R"(store == "Player\xffData")", "store == PlayerData"},
    {"scope", "scope == live", "scope == global"},
    {"kind", "kind == ordered", "kind == standard"},
    {"all_scopes", "all_scopes == true", "all_scopes == false"},
    {"key", R"(key == "a\x00b")", "key == a"},
    {"cache", "cache == false", "cache == unset"},
    {"prefix", "prefix == Player_", "prefix == Player"},
    {"page_size", "page_size == 50", "page_size > 50"},
    {"page", "page == 2", "page == 1"},
    {"items", "items == 7", "items == 50"},
    {"caller", "caller ~ *.Saver", "caller ~ *.Loader"},
    {"source", "source == 'server 1'", "source == 3"},
    {"source_id", "source_id == 3", "source_id == 1"},
    {"role", "role == 'new server'", "role == server"},
    {"job", "job == job-7", "job == job-8"},
    {"place", "place == 123", "place == 456"},
    {"universe", "universe == 456", "universe == 123"},
    {"players", "players == 12", "players == 0"},
    {"library", "library == some-library", "library == the-library"},
    {"library_version", "library_version == 1.2.0", "library_version == 1.2"},
    {"step", "step == load-new", "step == load-stored"},
    {"step_id", "step_id == 8", "step_id == 4"},
    {"sample", "sample == 4", "sample == 1"},
    {"scenario", "scenario == throttle", "scenario == load-new"},
    {"subject", "subject == the-library", "subject == some-library"},
    {"outcome", "outcome == failed", "outcome == ok"},
    {"error", "error ~ '*request dropped.'", "error ~ '*throttled*'"},
    {"error_code", "error_code == 301", "error_code == 302"},
    {"error_name", "error_name == DatastoreThrottled", "error_name ~ Standard*"},
    {"served_by", "served_by == local_copy", "served_by == backend"},
    {"fault", "fault == 9", "fault == 1"},
    {"issued", "issued == 7s", "issued == 7001ms"},
    {"admitted", "admitted == 7.001s", "admitted == 7s"},
    {"completed", "completed == 7500ms", "completed == 7s"},
    {"time", "time == 7.5s", "time == 7s"},
    {"queue", "queue == 900us", "queue == 1ms"},
    {"service", "service == 499.1ms", "service == 500ms"},
    {"latency", "latency == 500ms", "latency == 499ms"},
    {"queued", "queued == 2", "queued == 1"},
    {"runs", "runs == 2", "runs == 1"},
    {"transform", "transform == value", "transform == raised"},
    {"read_size", "read_size == 2B", "read_size == 0"},
    {"written_size", "written_size == 0", "written_size == 2"},
    {"read_hash", "read_hash == 123456789abcdef0", "read_hash == 0000000000000000"},
    {"written_hash", "written_hash == ffffffffffffffff", "written_hash == 123456789abcdef0"},
    {"unchanged", "unchanged == false", "unchanged == true"},
    {"read_value", "read_value == '{}'", "read_value == '[]'"},
    {"written_value", "written_value == '[1]'", "written_value == '{}'"},
    {"version", "version == 08D9.0000000002", "version == 08D9.0000000001"},
    {"spends", "spends == StandardWrite", "spends == StandardList"},
    {"budget", "budget == 0", "budget == 59"},
    {"budget_before", "budget_before == 0", "budget_before == 60"},
    {"budget_after", "budget_after == 59", "budget_after == 0"},
    {"taken", "taken == 3", "taken == 1"},
};

TEST(FilterFieldTest, EachIsReadFromItsPlace) {
  std::set<std::string_view> seen;
  for (const FieldCase& one : kCases) {
    EXPECT_TRUE(Matches(one.holds, AFullSubject())) << one.holds;
    EXPECT_FALSE(Matches(one.does_not, AFullSubject())) << one.does_not;
    EXPECT_TRUE(one.holds.starts_with(one.field)) << one.field;
    seen.insert(one.field);
  }
  for (const Field& field : AllFields()) EXPECT_TRUE(seen.contains(field.name)) << field.name;
  EXPECT_EQ(seen.size(), AllFields().size());
}

// A call of which nothing more is known than that it was made.
TEST(FilterFieldTest, WhatIsNotKnownIsNone) {
  const capture::CallRecord call{.id = 1};
  const Subject nothing{.call = call};
  for (const Field& field : AllFields()) {
    const std::string is_none = fmt::format("{} == none", field.name);
    EXPECT_EQ(Filter::Parse(is_none).ok(), !field.is_never_absent) << field.name;
    if (field.is_never_absent) continue;
    EXPECT_TRUE(Matches(is_none, nothing)) << field.name;
    EXPECT_FALSE(Matches(fmt::format("{} != none", field.name), nothing)) << field.name;
    EXPECT_FALSE(Matches(is_none, AFullSubject())) << field.name;
    EXPECT_TRUE(Matches(fmt::format("{} != none", field.name), AFullSubject())) << field.name;
  }
}

TEST(FilterFieldTest, WhatIsNotKnownCannotBeCompared) {
  const capture::CallRecord call{.id = 1};
  const Subject nothing{.call = call};
  for (const char* text : {"key == a", "key != a", "key ~ *", "key !~ a", "key in (a, b)",
                           "players < 5", "players >= 0", "players == 0", "players != 1",
                           "queue > 0", "queue < 1s", "read_size < 1KB", "transform != value",
                           "spends != GetAsync", "unchanged", "unchanged == false",
                           "read_hash != 0000000000000001", "step != load", "error_code != 301"}) {
    EXPECT_FALSE(Matches(text, nothing)) << text;
    EXPECT_TRUE(Matches(fmt::format("!({})", text), nothing)) << text;
  }
  EXPECT_TRUE(Matches("key in (a, none)", nothing));
  EXPECT_TRUE(Matches("players in (none)", nothing));
  EXPECT_TRUE(Matches("spends in (GetAsync, none)", nothing));
}

TEST(FilterFieldTest, ACallWithoutAnAnswerHasWaitedForAsLongAsIsKnown) {
  capture::CallRecord call{.id = 1};
  call.issued = 10s;
  call.times_queued = 1;
  call.outcome = v1::OUTCOME_IN_FLIGHT;
  const Subject then{.call = call};
  EXPECT_FALSE(Matches("queue > 5s", then));
  EXPECT_TRUE(Matches("queue >= 0", then));
  EXPECT_TRUE(Matches("latency == none", then));

  const Subject later{.call = call, .now = 16s};
  EXPECT_TRUE(Matches("queue > 5s && latency > 5s", later));
  EXPECT_TRUE(Matches("queue >= 6s", later));
  EXPECT_FALSE(Matches("queue > 6s", later));
  EXPECT_TRUE(Matches("queue != none && queue != 5s", later));
  // It may come to any of these yet.
  for (const char* text : {"queue < 7s", "queue <= 7s", "queue == 6s", "queue != 7s",
                           "queue in (6s, 7s)", "latency < 1h", "service < 1s"}) {
    EXPECT_FALSE(Matches(text, later)) << text;
  }

  // It has its first token: whether it waits for another is not known.
  call.admitted = 12s;
  call.queued = 2s;
  EXPECT_TRUE(Matches("queue >= 2s", later));
  EXPECT_FALSE(Matches("queue > 2s", later));
  EXPECT_TRUE(Matches("latency > 5s", later));

  // Once it is answered the instant does not matter.
  call.completed = 13s;
  EXPECT_TRUE(Matches("queue == 2s && latency == 3s && service == 1s", later));
}

TEST(FilterFieldTest, ACallThatWasLetThroughAtOnceHasWaitedFor0) {
  capture::CallRecord call{.id = 1};
  call.admitted = Time{0};
  call.completed = 1s;
  EXPECT_TRUE(Matches("queue == 0 && queued == 0 && service == 1s", {.call = call}));
  call.admitted.reset();  // An answer is all that was seen.
  EXPECT_TRUE(Matches("queue == none && queued == none && service == none && latency == 1s",
                      {.call = call}));
}

TEST(FilterFieldTest, OneOfSeveralKeysIsEnough) {
  v1::ListArguments list;
  list.add_keys("one");
  list.add_keys("two");
  capture::CallRecord call{.id = 1};
  call.list = &list;
  EXPECT_TRUE(Matches("key == two", {.call = call}));
  EXPECT_TRUE(Matches("key ~ t*", {.call = call}));
  EXPECT_TRUE(Matches("key != two", {.call = call}));
  EXPECT_TRUE(Matches("key != none", {.call = call}));
  EXPECT_FALSE(Matches("key == three", {.call = call}));
  EXPECT_FALSE(Matches("key == none", {.call = call}));
}

TEST(FilterFieldTest, OneOfTwoRequestTypesIsEnough) {
  EXPECT_TRUE(Matches("spends == StandardRead && spends == StandardWrite", AFullSubject()));
  EXPECT_TRUE(Matches("spends != StandardRead", AFullSubject()));
  EXPECT_TRUE(Matches("spends ~ Standard*", AFullSubject()));
  EXPECT_FALSE(Matches("spends ~ Ordered*", AFullSubject()));
}

TEST(FilterFieldTest, AValueThatWasWrittenBackIsUnchanged) {
  capture::CallRecord call{.id = 1};
  call.read = capture::ValueInfo{.bytes = 5, .hash = 7};
  call.written = capture::ValueInfo{.bytes = 5, .hash = 7};
  EXPECT_TRUE(Matches("unchanged", {.call = call}));
  call.written->hash = 8;
  EXPECT_TRUE(Matches("unchanged == false", {.call = call}));
  call.written->hash = 0;  // Not known.
  EXPECT_TRUE(Matches("unchanged == none && written_hash == none", {.call = call}));
}

TEST(FilterFieldTest, NumbersOfANewerSchemaAreUnknown) {
  capture::CallRecord call{.id = 1};
  for (const int number : {0, 15, 62, 63, 64, 200, -1}) {
    call.method = static_cast<v1::Method>(number);
    EXPECT_TRUE(Matches("method == unknown", {.call = call})) << number;
    EXPECT_FALSE(Matches("method != unknown", {.call = call})) << number;
  }
}

TEST(FilterFieldTest, HostileTimesAndIdsAreCompared) {
  capture::CallRecord call{.id = UINT64_MAX};
  call.issued = Time::min();
  call.admitted = Time::min();
  call.completed = Time::max();
  call.queued = Time::min();
  EXPECT_TRUE(Matches("id == 18446744073709551615", {.call = call}));
  EXPECT_TRUE(Matches("latency > 1h && service > 1h && issued < 0", {.call = call}));
  EXPECT_TRUE(Matches("queue < 0 && completed > 2562047h", {.call = call, .now = Time::min()}));
}

TEST(FilterFieldTest, EveryNameFitsIntoASet) {
  for (const Field& field : AllFields()) {
    EXPECT_EQ((field.texts != nullptr) + (field.set != nullptr) + (field.number != nullptr), 1);
    EXPECT_EQ(field.names != nullptr, field.set != nullptr) << field.name;
    if (field.names != nullptr) {
      EXPECT_LE(field.names().size(), 64U) << field.name;
    }
    EXPECT_FALSE(field.meaning.empty()) << field.name;
  }
}

}  // namespace
}  // namespace dstap::filter
