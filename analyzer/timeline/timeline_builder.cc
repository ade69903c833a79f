#include "analyzer/timeline/timeline_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/base/check.h"

namespace dstap::analyzer {

TimelineBuilder::TimelineBuilder(std::vector<TimelineVisitor*> visitors,
                                 const filter::Filter* filter,
                                 const std::vector<const filter::Filter*>& watches)
    : visitors_(std::move(visitors)),
      filter_(filter),
      watches_(watches.begin(), watches.end()),
      others_are_wanted_(std::ranges::any_of(
          visitors_, [](const TimelineVisitor* visitor) { return visitor->WantsOtherCalls(); })),
      summaries_will_do_(filter == nullptr) {
  using OutsideSteps = TimelineVisitor::OutsideSteps;
  for (TimelineVisitor* visitor : visitors_) {
    const OutsideSteps needs = visitor->NeedsOutsideSteps();
    if (needs == OutsideSteps::kWhole) summaries_will_do_ = false;
    if (needs == OutsideSteps::kSummary) summary_visitors_.push_back(visitor);
  }
}

void TimelineBuilder::BeginFile(std::string name) {
  DSTAP_CHECK(!in_file_);
  in_file_ = true;
  file_ = std::move(name);
  recordings_ = 0;
}

void TimelineBuilder::EndFile(FileEnd end) {
  DSTAP_CHECK(in_file_);
  if (in_recording_) EndRecording();
  in_file_ = false;
  end.file = file_;
  Tell(&TimelineVisitor::OnFileEnd, end);
}

void TimelineBuilder::Add(const capture::Record& record) {
  DSTAP_CHECK(in_file_);
  const bool is_header = record.row != nullptr && record.row->has_header();
  if (is_header && in_recording_) EndRecording();
  if (!in_recording_) {
    BeginRecording();
    if (is_header) Update(record.row->header(), recording_);
    Tell(&TimelineVisitor::OnRecordingBegin, recording_);
    if (!is_header) Tell(&TimelineVisitor::OnDefect, Defect::kNoHeader, "");
  }
  if (record.call != nullptr) AddCall(*record.call);
  if (record.row != nullptr) AddRow(*record.row, record.time);
}

void TimelineBuilder::AddChunk(capture::ChunkDecoder& chunk) {
  const SummaryColumns columns(chunk.columns());
  capture::Record record;
  for (;;) {
    if (summaries_will_do_ && in_recording_) AddSummaries(columns, chunk);
    if (!chunk.Next(record)) return;
    Add(record);
  }
}

// The calls up to the next row, or to one that has to be looked at whole. What comes of them is
// what AddCall() would have come to.
void TimelineBuilder::AddSummaries(const SummaryColumns& columns, capture::ChunkDecoder& chunk) {
  size_t call = chunk.next_call();
  for (const size_t end = chunk.calls_end(); call < end; ++call) {
    if (!columns.IsPlain(call)) break;
    if (!held_.empty() && held_.contains(columns.id(call))) break;
    const Source& source = SourceOf(columns.source(call));
    if (steps_.MayHave(source, columns.issued(call))) break;
    SawTime(columns.issued(call));
    SawTime(columns.last(call));
    ++recording_.calls;
    ++recording_.calls_matching;
    const CallSummary summary = columns.Summary(call, source);
    for (TimelineVisitor* visitor : summary_visitors_) visitor->OnCallOutsideSteps(summary);
  }
  chunk.SkipTo(call);
}

void TimelineBuilder::NextRecording() {
  if (in_recording_) EndRecording();
}

void TimelineBuilder::BeginRecording() {
  in_recording_ = true;
  recording_ = Recording();
  recording_.file = file_;
  recording_.number = ++recordings_;
  source_by_small_id_.clear();
  source_by_id_.clear();
  sources_.clear();
  steps_ = StepIndex();
  EachFilter([](CallFilter& filter) { filter.BeginRecording(); });
}

void TimelineBuilder::EndRecording() {
  std::vector<uint64_t> ids;
  ids.reserve(held_.size());
  for (const auto& [id, held] : held_) ids.push_back(id);
  std::ranges::sort(ids);
  for (const uint64_t id : ids) {
    Held& held = *held_.at(id);
    ++recording_.calls_in_flight;
    TellCall(held.call.call(), held.step, held.matches, held.watched);
    if (held.step != nullptr) steps_.Release(*held.step);
  }
  held_.clear();
  while (LiveStep* step = steps_.Overdue(0)) Leave(*step);
  for (LiveStep* step : steps_.AllOpen()) Leave(*step);
  Tell(&TimelineVisitor::OnRecordingEnd, recording_);
  in_recording_ = false;
}

std::vector<bool> TimelineBuilder::WatchedBy(const capture::CallRecord& call, const Source& source,
                                             const LiveStep* step) const {
  std::vector<bool> watched(watches_.size());
  for (size_t i = 0; i < watches_.size(); ++i) watched[i] = watches_[i].Matches(call, source, step);
  return watched;
}

void TimelineBuilder::TellCall(const Call& call, const LiveStep* step, bool matches,
                               const std::vector<bool>& watched) {
  ++recording_.calls;
  const Step* const told = step == nullptr ? nullptr : &step->step;
  if (matches) {
    ++recording_.calls_matching;
    Tell(&TimelineVisitor::OnCall, call, told);
    for (size_t i = 0; i < watched.size(); ++i) {
      if (watched[i]) Tell(&TimelineVisitor::OnMatch, i, call, told);
    }
  } else if (others_are_wanted_) {
    Tell(&TimelineVisitor::OnOtherCall, call, told);
  }
}

void TimelineBuilder::Leave(LiveStep& step) {
  Tell(&TimelineVisitor::OnStepEnd, step.step);
  steps_.Remove(step);
}

Source& TimelineBuilder::SourceOf(uint32_t id) {
  if (id < kSmallIds && source_by_small_id_.empty()) source_by_small_id_.resize(kSmallIds);
  Source*& source = id < kSmallIds ? source_by_small_id_[id] : source_by_id_[id];
  if (source == nullptr) {
    source = &sources_.emplace_back();
    source->id = id;
    source->index = sources_.size() - 1;
  }
  return *source;
}

const Source* TimelineBuilder::OptionalSourceOf(uint32_t id) {
  return id == 0 ? nullptr : &SourceOf(id);
}

void TimelineBuilder::AddCall(const capture::CallRecord& record) {
  SawTime(record.issued);
  if (record.completed) SawTime(*record.completed);
  const Source& source = SourceOf(record.source);

  LiveStep* step = nullptr;
  if (!held_.empty()) {
    if (const auto found = held_.find(record.id); found != held_.end()) {
      step = found->second->step;
      if (step != nullptr) steps_.Release(*step);
      held_.erase(found);
    }
  }
  if (record.outcome == v1::OUTCOME_IN_FLIGHT) {
    auto held = std::make_unique<Held>(record, source, step);
    if (step == nullptr) held->step = steps_.Find(held->call.call());
    if (held->step != nullptr) steps_.Hold(*held->step);
    held->matches = filter_.Matches(record, source, held->step);
    held->watched = WatchedBy(record, source, held->step);
    held_.emplace(record.id, std::move(held));
    return;
  }
  // Nobody needs to see it, whatever its step is.
  if (!others_are_wanted_ && filter_.RefusesWithoutStep(record, source)) {
    ++recording_.calls;
    return;
  }
  const Call call = CallOf(record, source, parts_);
  if (step == nullptr) step = steps_.Find(call);
  TellCall(call, step, filter_.Matches(record, source, step), WatchedBy(record, source, step));
}

void TimelineBuilder::AddRow(const v1::Row& row, Time time) {
  SawTime(time);
  switch (row.kind_case()) {
    case v1::Row::kSource: {
      Source& source = SourceOf(row.source().id());
      Update(row.source(), source);
      EachFilter([&](CallFilter& filter) { filter.SetSource(source, row.source()); });
      return Tell(&TimelineVisitor::OnSource, source);
    }
    case v1::Row::kPlayerCount: {
      Source& source = SourceOf(row.player_count().source());
      source.players = row.player_count().players();
      EachFilter(
          [&](CallFilter& filter) { filter.SetPlayers(source, row.player_count().players()); });
      return Tell(&TimelineVisitor::OnSource, source);
    }
    case v1::Row::kLimits:
      return Tell(&TimelineVisitor::OnLimits,
                  LimitsOf(row.limits(), time, SourceOf(row.limits().source())));
    case v1::Row::kStepBegin:
      return BeginStep(row.step_begin(), time);
    case v1::Row::kStepEnd:
      return EndStep(row.step_end(), time);
    case v1::Row::kBudgetSample:
      for (const v1::Budget& budget : row.budget_sample().budgets()) {
        Tell(&TimelineVisitor::OnBudget,
             BudgetReading{.source = &SourceOf(row.budget_sample().source()),
                           .time = time,
                           .type = TypeOf(budget.type()),
                           .visible = budget.visible(),
                           .asked = row.budget_sample().asked()});
      }
      return;
    case v1::Row::kClockSnapshot:
      return Tell(&TimelineVisitor::OnClock,
                  ClockReading{.source = &SourceOf(row.clock_snapshot().source()),
                               .time = time,
                               .on_source = Time(row.clock_snapshot().source_ns()),
                               .since_1970 = Time(row.clock_snapshot().unix_ns())});
    case v1::Row::kNotice:
      return Tell(&TimelineVisitor::OnNotice,
                  Notice{.source = OptionalSourceOf(row.notice().source()),
                         .time = time,
                         .kind = KindOf(row.notice().kind()),
                         .text = row.notice().text(),
                         .call = row.notice().call()});
    case v1::Row::kInjectedFault:
      return Tell(&TimelineVisitor::OnFault,
                  Fault{.source = OptionalSourceOf(row.injected_fault().source()),
                        .time = time,
                        .id = row.injected_fault().id(),
                        .kind = KindOf(row.injected_fault().kind()),
                        .rule = row.injected_fault().rule(),
                        .call = row.injected_fault().call()});
    case v1::Row::kLoss:
      recording_.calls_lost += row.loss().calls();
      recording_.rows_lost += row.loss().rows();
      return Tell(&TimelineVisitor::OnLoss, Loss{.time = time,
                                                 .reason = ReasonOf(row.loss().reason()),
                                                 .calls = row.loss().calls(),
                                                 .rows = row.loss().rows(),
                                                 .text = row.loss().text()});
    case v1::Row::kProvenance:
      recording_.provenance.push_back({.command = row.provenance().command(),
                                       .calls_dropped = row.provenance().calls_dropped(),
                                       .text = row.provenance().text()});
      return;
    case v1::Row::kEnd:
      return AddEnd(row.end());
    default:
      return;  // No view is about the others yet.
  }
}

// The totals of the end record include what the rows Loss told, and what could not even be told.
void TimelineBuilder::AddEnd(const v1::End& row) {
  recording_.end = ReasonOf(row.reason());
  recording_.end_text = row.text();
  recording_.calls_lost = std::max(recording_.calls_lost, row.calls_lost());
  recording_.rows_lost = std::max(recording_.rows_lost, row.rows_lost());
}

void TimelineBuilder::BeginStep(const v1::StepBegin& row, Time time) {
  if (LiveStep* open = steps_.Open(row.id())) {
    Tell(&TimelineVisitor::OnDefect, Defect::kStepIdAgain, fmt::format("step {}", row.id()));
    // Its calls in flight lose their step: they can no longer be told from the new step's.
    for (auto& [id, held] : held_) {
      if (held->step != open) continue;
      held->step = nullptr;
      steps_.Release(*open);
    }
    Leave(*open);
  }
  LiveStep& live = steps_.Begin(StepOf(row, time, SourceOf(row.source())));
  EachFilter([&](CallFilter& filter) { filter.SetStep(live, row); });
  Tell(&TimelineVisitor::OnStepBegin, live.step);
}

void TimelineBuilder::EndStep(const v1::StepEnd& row, Time time) {
  LiveStep* live = steps_.Open(row.id());
  if (live == nullptr) {
    return Tell(&TimelineVisitor::OnDefect, Defect::kStepEndWithoutBegin,
                fmt::format("step {}", row.id()));
  }
  Step& step = live->step;
  step.end = time;
  step.ok = row.ok();
  step.text = row.text();
  step.observed = row.observed();
  if (time < step.begin) {
    Tell(&TimelineVisitor::OnDefect, Defect::kTimeWentBack,
         fmt::format("step {} \"{}\"", step.id, step.name));
  }
  steps_.End(*live);
  while (LiveStep* overdue = steps_.Overdue(kWaitingStepsMax)) Leave(*overdue);
}

}  // namespace dstap::analyzer
