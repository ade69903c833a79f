// What filters are asked about in tests.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "proto/filter/filter.h"
#include "tests/support/captures.h"

namespace dstap::test {

// A source with no field left at its default.
inline const v1::Source& AFullSource() {
  static const v1::Source source = [] {
    v1::Source out;
    out.set_id(3);
    out.set_name("server 1");
    out.set_role("new server");
    out.set_job_id("job-7");
    out.set_place_id(123);
    out.set_universe_id(456);
    out.set_players(12);
    out.mutable_library()->set_name("some-library");
    out.mutable_library()->set_version("1.2.0");
    return out;
  }();
  return source;
}

// Likewise a step.
inline const v1::StepBegin& AFullStep() {
  static const v1::StepBegin step = [] {
    v1::StepBegin out;
    out.set_id(8);
    out.set_source(3);
    out.set_name("load-new");
    out.set_subject("the-library");
    out.set_sample(4);
    out.set_scenario("throttle");
    return out;
  }();
  return step;
}

// A call, its source and its step, all of which have everything.
inline filter::Subject AFullSubject() {
  static const capture::CallRecord call = [] {
    capture::CallRecord out = AFullCall();
    out.written->value = "[1]";
    return out;
  }();
  return {.call = call, .source = &AFullSource(), .step = &AFullStep()};
}

inline bool Matches(std::string_view text, const filter::Subject& subject) {
  const Result<filter::Filter> filter = filter::Filter::Parse(text);
  EXPECT_TRUE(filter.ok()) << text << "\n" << filter.status().message();
  return filter.ok() && filter->Matches(subject);
}

}  // namespace dstap::test
