// All views of one run, as values that renderers print.
#pragma once

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
  std::vector<TimelineVisitor*> visitors() {
    return {&overview_, &steps_, &retries_, &traffic_, &notices_, &not_run_};
  }

  // Call once, after the last file.
  Report Take() {
    return {.overview = overview_.Take(),
            .steps = steps_.Table(),
            .retries = retries_.Table(),
            .traffic = traffic_.traffic(),
            .notices = notices_.Table(),
            .not_run = not_run_.Table()};
  }

 private:
  OverviewView overview_;
  StepsView steps_;
  RetriesView retries_;
  TrafficView traffic_;
  NoticesView notices_;
  NotRunView not_run_;
};

}  // namespace dstap::analyzer
