// All views of one run, as values that renderers print.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"
#include "analyzer/views/not_run.h"
#include "analyzer/views/notices.h"
#include "analyzer/views/overview.h"
#include "analyzer/views/retries.h"
#include "analyzer/views/steps.h"
#include "analyzer/views/traffic.h"

namespace dstap::analyzer {

struct Report {
  // What selected the calls that are counted. Empty: all are.
  std::string filter = {};
  Overview overview;
  StepsTable steps;
  Retries retries;
  Traffic traffic;
  std::vector<NoticeCount> notices;
  std::vector<NotRun> not_run;
};

// The views behind a Report. A new view is one member and one line in each function.
class ReportViews {
 public:
  // `filter` is that of the builder, as it was written; empty: it has none.
  explicit ReportViews(std::string filter = {}) : filter_(std::move(filter)) {}

  std::vector<TimelineVisitor*> visitors() {
    return {&overview_, &steps_, &retries_, &traffic_, &notices_, &not_run_};
  }

  // Call once, after the last file.
  Report Take() {
    return {.filter = filter_,
            .overview = overview_.Take(),
            .steps = steps_.Table(/*only_with_calls=*/!filter_.empty()),
            .retries = retries_.Table(),
            .traffic = traffic_.traffic(),
            .notices = notices_.Table(),
            .not_run = not_run_.Table()};
  }

 private:
  std::string filter_;
  OverviewView overview_;
  StepsView steps_;
  RetriesView retries_;
  TrafficView traffic_;
  NoticesView notices_;
  NotRunView not_run_;
};

}  // namespace dstap::analyzer
