#include "analyzer/timeline/convert.h"

#include <array>

namespace dstap::analyzer {

using C = v1::Calls;

namespace {

// Numbers that this program does not know (a newer capture's) become kUnknown.
template <typename To, typename From>
To Mirror(From value, bool is_known) {
  return is_known ? static_cast<To>(value) : To::kUnknown;
}

// The same as a table, by number.
template <typename To, int kMax>
std::array<To, static_cast<size_t>(kMax) + 1> Known(bool (*is_known)(int)) {
  std::array<To, static_cast<size_t>(kMax) + 1> known{};
  for (size_t i = 0; i < known.size(); ++i) {
    if (is_known(static_cast<int>(i))) known[i] = static_cast<To>(i);
  }
  return known;
}

TransformRun RunOf(const capture::TransformRun& run) {
  return {
      .outcome = Mirror<TransformOutcome>(run.outcome, v1::TransformOutcome_IsValid(run.outcome)),
      .started = run.started,
      .took = run.took};
}

// In place, field by field: copying a whole one that was just made costs a quarter of a report.
void Fill(const capture::BudgetUse& use, BudgetUse& to) {
  to.type = Mirror<RequestType>(use.type, v1::RequestType_IsValid(use.type));
  to.before = use.before;
  to.after = use.after;
  to.taken = use.taken;
}

void Fill(const capture::ValueInfo& value, ValueInfo& to) {
  to.bytes = value.bytes;
  to.hash = value.hash;
  to.value = value.value;
  to.encoding = Mirror<ValueEncoding>(value.encoding, v1::ValueEncoding_IsValid(value.encoding));
}

ListArguments ListOf(const v1::ListArguments& row) {
  ListArguments list;
  if (row.has_prefix()) list.prefix = row.prefix();
  if (row.has_page_size()) list.page_size = row.page_size();
  if (row.has_cursor()) list.cursor = row.cursor();
  if (row.has_exclude_deleted()) list.exclude_deleted = row.exclude_deleted();
  if (row.has_ascending()) list.ascending = row.ascending();
  if (row.has_min_date_ms()) list.min_date_ms = row.min_date_ms();
  if (row.has_max_date_ms()) list.max_date_ms = row.max_date_ms();
  if (row.has_min_value()) list.min_value = row.min_value();
  if (row.has_max_value()) list.max_value = row.max_value();
  if (row.has_version()) list.version = row.version();
  if (row.has_at_ms()) list.at_ms = row.at_ms();
  list.keys.assign(row.keys().begin(), row.keys().end());
  if (row.has_page()) list.page = row.page();
  if (row.has_items()) list.items = row.items();
  return list;
}

template <typename Rows>
std::vector<Option> OptionsOf(const Rows& rows) {
  std::vector<Option> options;
  for (const v1::Option& row : rows) options.push_back({row.name(), row.value()});
  return options;
}

}  // namespace

Call CallOf(const capture::CallRecord& record, const Source& source, CallParts& parts) {
  Call call;
  call.id = record.id;
  call.source = &source;
  call.caller = record.caller;
  call.method = Mirror<Method>(record.method, v1::Method_IsValid(record.method));
  call.store = record.store;
  call.scope = record.scope;
  call.store_kind = Mirror<StoreKind>(record.store_kind, v1::StoreKind_IsValid(record.store_kind));
  call.all_scopes = record.all_scopes;
  call.key = record.key;
  call.use_cache = v1::UseCache_IsValid(record.use_cache) ? static_cast<UseCache>(record.use_cache)
                                                          : UseCache::kUnset;
  if (record.list != nullptr) call.list = &parts.list.emplace(ListOf(*record.list));
  call.issued = record.issued;
  call.admitted = record.admitted;
  call.completed = record.completed;
  call.times_queued = record.times_queued;
  call.queued = record.queued;
  call.served_by = Mirror<ServedBy>(record.served_by, v1::ServedBy_IsValid(record.served_by));
  if (!record.transform_runs.empty()) {
    parts.runs.clear();
    for (const capture::TransformRun& run : record.transform_runs) parts.runs.push_back(RunOf(run));
    call.transform_runs = parts.runs;
  }
  call.outcome = Mirror<Outcome>(record.outcome, v1::Outcome_IsValid(record.outcome));
  call.error_code = record.error_code;
  call.error_name = record.error_name;
  call.error_text = record.error_text;
  if (record.read) Fill(*record.read, call.read.emplace());
  if (record.written) Fill(*record.written, call.written.emplace());
  call.version = record.version;
  for (size_t i = 0; i < call.budgets.size(); ++i) Fill(record.budgets[i], call.budgets[i]);
  call.fault = record.fault;
  return call;
}

SummaryColumns::SummaryColumns(const capture::ChunkColumns& chunk)
    : id_(chunk.column(C::kIdDeltaFieldNumber)),
      source_(chunk.column(C::kSourceFieldNumber)),
      method_(chunk.column(C::kMethodFieldNumber)),
      use_cache_(chunk.column(C::kUseCacheFieldNumber)),
      outcome_(chunk.column(C::kOutcomeFieldNumber)),
      served_by_(chunk.column(C::kServedByFieldNumber)),
      issued_(chunk.column(C::kIssuedDeltaFieldNumber)),
      admitted_(chunk.column(C::kAdmittedAfterFieldNumber)),
      completed_(chunk.column(C::kCompletedAfterFieldNumber)),
      times_queued_(chunk.column(C::kTimesQueuedFieldNumber)),
      first_taken_(chunk.column(C::kFirstTakenFieldNumber)),
      second_taken_(chunk.column(C::kSecondTakenFieldNumber)),
      tick_ns_(chunk.tick_ns()) {}

CallSummary SummaryColumns::Summary(size_t call, const Source& source) const {
  static const auto methods = Known<Method, v1::Method_MAX>(v1::Method_IsValid);
  static const auto caches = Known<UseCache, v1::UseCache_MAX>(v1::UseCache_IsValid);
  static const auto servers = Known<ServedBy, v1::ServedBy_MAX>(v1::ServedBy_IsValid);
  const auto mirror = [](const auto& known, uint64_t number) {
    return number < known.size() ? known[static_cast<size_t>(number)] : known[0];
  };
  return {.source = &source,
          .method = mirror(methods, At(method_, call)),
          .use_cache = mirror(caches, At(use_cache_, call)),
          .outcome = static_cast<Outcome>(At(outcome_, call)),
          .served_by = mirror(servers, At(served_by_, call)),
          .is_admitted = At(admitted_, call) != 0,
          .was_queued = At(times_queued_, call) != 0,
          .has_spent = (At(first_taken_, call) | At(second_taken_, call)) != 0,
          .has_written = false};
}

HeldCall::HeldCall(const capture::CallRecord& record, const Source& source)
    : call_(CallOf(record, source, parts_)) {
  std::vector<std::string_view*> views = {&call_.caller, &call_.store,      &call_.scope,
                                          &call_.key,    &call_.error_name, &call_.error_text,
                                          &call_.version};
  for (std::optional<ValueInfo>* info : {&call_.read, &call_.written}) {
    if (*info && (*info)->value) views.push_back(&*(*info)->value);
  }
  size_t size = 0;
  for (const std::string_view* view : views) size += view->size();
  bytes_.reserve(size);  // Nothing moves below.
  for (std::string_view* view : views) {
    const size_t at = bytes_.size();
    bytes_.append(*view);
    *view = std::string_view(bytes_).substr(at);
  }
}

void Update(const v1::Source& row, Source& source) {
  source.introduced = true;
  source.name = row.name();
  source.role = row.role();
  source.job_id = row.job_id();
  source.place_id = row.place_id();
  source.universe_id = row.universe_id();
  source.players = row.has_players() ? std::optional(row.players()) : std::nullopt;
  source.options = OptionsOf(row.options());
  source.library.reset();
  if (row.has_library()) {
    const v1::Library& library = row.library();
    source.library = Library{.name = library.name(),
                             .version = library.version(),
                             .commit = library.commit(),
                             .licence = library.licence(),
                             .origin = library.origin(),
                             .is_model = library.is_model()};
  }
}

Step StepOf(const v1::StepBegin& row, Time time, const Source& source) {
  Step step;
  step.id = row.id();
  step.source = &source;
  step.name = row.name();
  step.subject = row.subject();
  step.scenario = row.scenario();
  step.expected = row.expected();
  step.partial = row.partial();
  step.sample = row.sample();
  step.about.reserve(static_cast<size_t>(row.about_size()));
  for (const v1::StoreKey& about : row.about()) {
    step.about.push_back({about.store(), about.scope(), about.key()});
  }
  step.begin = time;
  return step;
}

LimitsInForce LimitsOf(const v1::Limits& row, Time time, const Source& source) {
  LimitsInForce limits{.source = &source, .time = time, .reason = row.reason()};
  limits.limits.reserve(static_cast<size_t>(row.limits_size()));
  for (const v1::Limit& limit : row.limits()) {
    limits.limits.push_back({.type = TypeOf(limit.type()),
                             .base = limit.base_per_minute(),
                             .per_player = limit.per_player_per_minute()});
  }
  return limits;
}

void Update(const v1::Header& row, Recording& recording) {
  recording.has_header = true;
  recording.tool = row.tool();
  recording.tool_version = row.tool_version();
  recording.clock = Mirror<ClockKind>(row.clock(), v1::ClockKind_IsValid(row.clock()));
  recording.title = row.title();
  recording.rule_profile = row.rule_profile();
  recording.seed = row.has_seed() ? std::optional(row.seed()) : std::nullopt;
  recording.options = OptionsOf(row.options());
  recording.backend = row.backend();
  recording.values_recorded = row.values_recorded();
}

RequestType TypeOf(v1::RequestType type) {
  return Mirror<RequestType>(type, v1::RequestType_IsValid(type));
}

NoticeKind KindOf(v1::NoticeKind kind) {
  return Mirror<NoticeKind>(kind, v1::NoticeKind_IsValid(kind));
}

FaultKind KindOf(v1::FaultKind kind) {
  return Mirror<FaultKind>(kind, v1::FaultKind_IsValid(kind));
}

LossReason ReasonOf(v1::LossReason reason) {
  return Mirror<LossReason>(reason, v1::LossReason_IsValid(reason));
}

EndReason ReasonOf(v1::EndReason reason) {
  return Mirror<EndReason>(reason, v1::EndReason_IsValid(reason));
}

}  // namespace dstap::analyzer
