// What every JSON that dstap prints is made of.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/views/retries.h"
#include "analyzer/views/stage.h"
#include "analyzer/views/steps.h"

namespace dstap::analyzer {

using Json = nlohmann::ordered_json;  // Keys in the order in which they are written.

// JSON holds all text; only what is no UTF-8 must be written otherwise.
std::string Text(std::string_view bytes);

Json RangeOf(Range range);
Json RangesOf(const std::vector<NamedRange>& ranges);
// Absent times are null: there was no sample to measure.
Json TimesOf(const std::optional<TimeRange>& times);
Json ThrottlingOf(const Throttling& counts);
Json PolicyOf(const RetryPolicy& inferred);
Json ScheduleOf(const RetrySchedule& schedule);

template <typename Values, typename Function>
Json ListOf(const Values& values, Function function) {
  Json json = Json::array();
  for (const auto& value : values) json.push_back(function(value));
  return json;
}

}  // namespace dstap::analyzer
