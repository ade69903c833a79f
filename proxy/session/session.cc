#include "proxy/session/session.h"

#include <fmt/format.h>

#include <initializer_list>

#include "proto/base/check.h"
#include "proxy/session/convert.h"

namespace dstap::proxy {
namespace {

Status Broken(std::string what) { return {ErrorCode::kDamaged, std::move(what)}; }

Status CheckName(const char* what, std::string_view name) {
  if (name.size() <= kNameBytesMax) return {};
  return {ErrorCode::kLimit,
          fmt::format("a {} of {} bytes is longer than {}", what, name.size(), kNameBytesMax)};
}

Status CheckType(v1::RequestType type) {
  if (type != v1::REQUEST_TYPE_UNKNOWN && v1::RequestType_IsValid(type)) return {};
  return Broken("a query for a request type that this proxy does not know");
}

// Calls that the proxy only records.
bool IsAnsweredByClient(v1::Method method) {
  return method >= v1::METHOD_MEMORY_MAP_GET && method <= v1::METHOD_SUBSCRIBE_ASYNC;
}

const char* ClockName(v1::ClockKind clock) {
  switch (clock) {
    case v1::CLOCK_KIND_VIRTUAL:
      return "virtual";
    case v1::CLOCK_KIND_WALL:
      return "wall";
    default:
      return "unknown";
  }
}

}  // namespace

Status Session::OnFrame(Time now, const v1::ClientFrame& frame) {
  using Kind = v1::ClientFrame;
  if (!welcomed_) {
    if (!frame.has_hello()) return Broken("the first frame is not hello");
    return OnHello(now, frame.hello());
  }
  switch (frame.kind_case()) {
    case Kind::kHello:
      return Broken("a second hello");
    case Kind::kSourceInfo:
      return OnSource(now, frame.source(), frame.source_info());
    case Kind::kTransformResult:
      return OnTransformResult(now, frame.transform_result());
    case Kind::kStepEnd:
      return OnStepEnd(now, frame.step_end());
    case Kind::kIdle:
      return Broken("idle is not for the wall clock");
    case Kind::KIND_NOT_SET:
      return Broken("a frame of a kind that this proxy does not know");
    case Kind::kComment: {
      v1::Row row;
      *row.mutable_comment() = frame.comment();
      exchange_.recorder.AddRow(now, std::move(row));
      return {};
    }
    default:
      break;
  }
  const auto found = sources_.find(frame.source());
  if (found == sources_.end()) {
    return Broken(fmt::format("source {} was not introduced by source_info", frame.source()));
  }
  Source& source = found->second;
  v1::Row row;
  switch (frame.kind_case()) {
    case Kind::kCall:
      return OnCall(now, source, frame.call());
    case Kind::kOwnReply:
      return OnOwnReply(now, source, frame.own_reply());
    case Kind::kStepBegin:
      return OnStepBegin(now, source, frame.step_begin());
    case Kind::kOpenStore:
      return OnOpenStore(now, source, frame.open_store());
    case Kind::kBudgetQuery:
      return OnBudgetQuery(now, source, frame.budget_query());
    case Kind::kSetRateLimit:
      return OnSetRateLimit(now, source, frame.set_rate_limit());
    case Kind::kPlayers:
      exchange_.backend.SetPlayers(source.id, now, frame.players().players());
      *row.mutable_player_count() = frame.players();
      row.mutable_player_count()->set_source(source.id);
      break;
    case Kind::kNotice: {
      const auto call = calls_.find(frame.notice().call());
      exchange_.recorder.AddNotice(now, source.id, frame.notice().kind(), frame.notice().text(),
                                   call == calls_.end() ? 0 : call->second);
      return {};
    }
    case Kind::kMessageEvent:
      *row.mutable_message_event() = frame.message_event();
      row.mutable_message_event()->set_source(source.id);
      break;
    case Kind::kLoss:
      *row.mutable_loss() = frame.loss();
      row.mutable_loss()->set_reason(v1::LOSS_REASON_CLIENT);
      break;
    case Kind::kServerClosing:
      exchange_.backend.CloseSource(source.id, now);
      return {};
    case Kind::kServerGone:
      Abandon(source);
      exchange_.backend.SetPlayers(source.id, now, 0);  // They count for the experience.
      return {};
    default:
      return Broken("a frame of a kind that this proxy does not know");
  }
  exchange_.recorder.AddRow(now, std::move(row));
  return {};
}

Status Session::OnHello(Time now, const v1::Hello& hello) {
  if (hello.protocol() != kProtocolVersion) {
    return Broken(fmt::format("the client speaks protocol {}, this proxy {}", hello.protocol(),
                              kProtocolVersion));
  }
  if (hello.clock() != exchange_.welcome.clock()) {
    const bool wall = hello.clock() == v1::CLOCK_KIND_WALL;
    return Broken(fmt::format(
        "the client keeps {} time and this recording {} time; {}", ClockName(hello.clock()),
        ClockName(exchange_.welcome.clock()),
        wall ? "start \"dstap record --wall\"" : "start \"dstap record\" without --wall"));
  }
  welcomed_ = true;
  v1::ServerFrame frame = FrameFor(0, now);
  *frame.mutable_welcome() = exchange_.welcome;
  frame.mutable_welcome()->set_mixed_tables_fail(exchange_.backend.MixedTablesFail());
  Send(frame);
  return {};
}

Status Session::OnSource(Time now, uint32_t client_id, const v1::Source& info) {
  if (client_id == 0) return Broken("a source's id is 0");
  if (sources_.size() == kSourcesMax && !sources_.contains(client_id)) {
    return {ErrorCode::kLimit, fmt::format("more than {} sources on one connection", kSourcesMax)};
  }
  Source& source = sources_[client_id];
  v1::Row row;
  v1::Source& recorded = *row.mutable_source();
  recorded = info;
  const bool is_new = source.id == 0;
  if (is_new) {
    source.id = ++exchange_.last_source;
    client_sources_[source.id] = client_id;
  }
  recorded.set_id(source.id);
  exchange_.recorder.AddRow(now, std::move(row));
  // Behind the row: what the backend says of a source stands after the source itself.
  exchange_.backend.NameSource(source.id, info.name());
  if (is_new) {
    exchange_.backend.AddSource(source.id, now, info.players());
  } else if (info.has_players()) {
    exchange_.backend.SetPlayers(source.id, now, info.players());
  }
  return {};
}

Status Session::OnCall(Time now, Source& source, const v1::Call& call) {
  if (call.id() == 0) return Broken("a call's id is 0");
  if (calls_.contains(call.id())) {
    return Broken(fmt::format("call {} is open already", call.id()));
  }
  if (calls_.size() == kCallsOpenMax) {
    return {ErrorCode::kLimit,
            fmt::format("more than {} calls are open on one connection", kCallsOpenMax)};
  }
  // Numbers that no enum has are kept by protobuf, and would reach tables that have no such row.
  if (call.method() == v1::METHOD_UNKNOWN || !v1::Method_IsValid(call.method())) {
    return Broken("a call without a method that this proxy knows");
  }
  if (!v1::StoreKind_IsValid(call.store().kind()) || !v1::UseCache_IsValid(call.use_cache())) {
    return Broken(fmt::format(
        "call {} has a store kind or a UseCache that this proxy does not know", call.id()));
  }
  DSTAP_TRY(CheckName("store name", call.store().name()));
  DSTAP_TRY(CheckName("scope", call.store().scope()));
  DSTAP_TRY(CheckName("key", call.key()));
  DSTAP_TRY(CheckName("caller", call.caller()));
  if (!call.refused().empty() && call.method() != v1::METHOD_SET_ASYNC &&
      call.method() != v1::METHOD_INCREMENT_ASYNC) {
    return Broken(fmt::format(
        "call {} is refused for what it stores, and stores nothing of its own", call.id()));
  }
  Request request = RequestOf(call, source.id);
  const bool is_own = IsAnsweredByClient(request.method);
  std::array<v1::RequestType, 2> spends{};
  if (!is_own) spends = exchange_.backend.Spends(request);
  std::array<capture::BudgetUse, 2> before;
  for (size_t i = 0; i < spends.size(); ++i) {
    if (spends[i] == v1::REQUEST_TYPE_UNKNOWN) continue;
    before[i].type = spends[i];
    before[i].before = static_cast<uint64_t>(exchange_.backend.Budget(source.id, now, spends[i]));
  }
  const CallId id = exchange_.recorder.Begin(now, request, call.caller(), before);
  calls_[call.id()] = id;
  source.open_calls.insert(id);
  exchange_.calls[id] = {.session = this,
                         .client_call = call.id(),
                         .source = source.id,
                         .spends = spends,
                         .is_own = is_own};
  if (!is_own) exchange_.backend.Submit(id, now, std::move(request));
  return {};
}

Status Session::OnStepBegin(Time now, Source& source, const v1::StepBegin& step) {
  if (step.id() == 0) return Broken("a step's id is 0");
  const auto [at, is_new] = steps_.try_emplace(step.id(), exchange_.last_step + 1);
  if (!is_new) return Broken(fmt::format("step {} is open already", step.id()));
  ++exchange_.last_step;
  v1::Row row;
  v1::StepBegin& recorded = *row.mutable_step_begin();
  recorded = step;
  recorded.set_id(at->second);
  recorded.set_source(source.id);
  exchange_.backend.BeginStep(recorded);
  exchange_.recorder.AddRow(now, std::move(row));
  return {};
}

Status Session::OnStepEnd(Time now, const v1::StepEnd& step) {
  const auto found = steps_.find(step.id());
  if (found == steps_.end()) {
    return Broken(fmt::format("step {} ends and is not open", step.id()));
  }
  v1::Row row;
  *row.mutable_step_end() = step;
  row.mutable_step_end()->set_id(found->second);
  exchange_.backend.EndStep(found->second);
  steps_.erase(found);
  exchange_.recorder.AddRow(now, std::move(row));
  return {};
}

void Session::SendAnswer(Time now, SourceId source, uint64_t query, int64_t value,
                         const CallError& error, std::optional<Time> unchanged_until) {
  v1::ServerFrame frame = FrameFor(source, now);
  v1::Answer& answer = *frame.mutable_answer();
  answer.set_query(query);
  answer.set_value(value);
  if (!error.text.empty()) Fill(error, *answer.mutable_error());
  if (unchanged_until) answer.set_unchanged_until_ns(unchanged_until->count());
  Send(frame);
}

Status Session::OnOpenStore(Time now, Source& source, const v1::OpenStore& query) {
  if (!v1::StoreKind_IsValid(query.store().kind())) {
    return Broken("a store of a kind that this proxy does not know");
  }
  DSTAP_TRY(CheckName("store name", query.store().name()));
  DSTAP_TRY(CheckName("scope", query.store().scope()));
  const CallError error = exchange_.backend.OpenStore(source.id, now, StoreOf(query.store()));
  SendAnswer(now, source.id, query.query(), 0, error);
  return {};
}

Status Session::OnBudgetQuery(Time now, Source& source, const v1::BudgetQuery& query) {
  DSTAP_TRY(CheckType(query.type()));
  const int64_t visible = exchange_.backend.Budget(source.id, now, query.type());
  v1::Row row;
  v1::BudgetSample& sample = *row.mutable_budget_sample();
  sample.set_source(source.id);
  sample.set_asked(true);
  v1::Budget& budget = *sample.add_budgets();
  budget.set_type(query.type());
  budget.set_visible(static_cast<uint64_t>(visible));
  exchange_.recorder.AddRow(now, std::move(row));
  const Time change = exchange_.backend.BudgetChange(source.id, now, query.type());
  SendAnswer(now, source.id, query.query(), visible, {},
             change > now ? std::optional(change) : std::nullopt);
  return {};
}

Status Session::OnSetRateLimit(Time now, Source& source, const v1::SetRateLimit& query) {
  DSTAP_TRY(CheckType(query.type()));
  const CallError error = exchange_.backend.SetRateLimit(
      source.id, now, query.type(), query.base_per_minute(), query.per_player_per_minute());
  SendAnswer(now, source.id, query.query(), 0, error);
  return {};
}

v1::ServerFrame Session::FrameFor(SourceId source, Time now) const {
  v1::ServerFrame frame;
  const auto found = client_sources_.find(source);
  if (found != client_sources_.end()) frame.set_source(found->second);
  frame.set_now_ns(now.count());
  return frame;
}

void Session::OnQueued(CallId call, Time now, std::string_view warning) {
  const Exchange::OpenCall& open = exchange_.calls.at(call);
  exchange_.recorder.Queued(call, now);
  if (warning.empty()) return;
  exchange_.recorder.AddNotice(now, open.source, v1::NOTICE_KIND_QUEUE_WARNING, warning, call);
  v1::ServerFrame frame = FrameFor(open.source, now);
  v1::Notice& notice = *frame.mutable_notice();
  notice.set_kind(v1::NOTICE_KIND_QUEUE_WARNING);
  notice.set_text(std::string(warning));
  notice.set_call(open.client_call);
  Send(frame);
}

void Session::OnTransform(CallId call, Time now, const TransformInput& input) {
  Exchange::OpenCall& open = exchange_.calls.at(call);
  open.run = input.run;
  exchange_.recorder.TransformAsked(call, now, input);
  v1::ServerFrame frame = FrameFor(open.source, now);
  v1::TransformRequest& request = *frame.mutable_transform_request();
  request.set_call(open.client_call);
  request.set_run(input.run);
  if (input.value) request.set_value(*input.value);
  if (input.key_info) Fill(*input.key_info, *request.mutable_key_info());
  Send(frame);
}

void Session::OnAnswer(CallId call, Time now, const BackendAnswer& answer) {
  const auto found = exchange_.calls.find(call);
  DSTAP_CHECK(found != exchange_.calls.end());
  const Exchange::OpenCall open = found->second;
  std::array<std::optional<uint64_t>, 2> after;
  for (size_t i = 0; i < after.size(); ++i) {
    if (open.spends[i] == v1::REQUEST_TYPE_UNKNOWN) continue;
    after[i] = static_cast<uint64_t>(exchange_.backend.Budget(open.source, now, open.spends[i]));
  }
  exchange_.recorder.Answered(call, now, answer, after);
  exchange_.calls.erase(found);
  calls_.erase(open.client_call);
  const auto source = sources_.find(client_sources_.at(open.source));
  source->second.open_calls.erase(call);
  v1::ServerFrame frame = FrameFor(open.source, now);
  v1::Reply& reply = *frame.mutable_reply();
  reply.set_call(open.client_call);
  Fill(answer, reply);
  Send(frame);
}

void Session::OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text) {
  exchange_.recorder.AddNotice(now, source, kind, text, 0);
  v1::ServerFrame frame = FrameFor(source, now);
  frame.mutable_notice()->set_kind(kind);
  frame.mutable_notice()->set_text(std::string(text));
  Send(frame);
}

void Session::Abandon(Source& source) {
  for (const CallId call : source.open_calls) {
    const auto found = exchange_.calls.find(call);
    if (!found->second.is_own) exchange_.backend.Cancel(call);
    exchange_.recorder.Abandoned(call);
    calls_.erase(found->second.client_call);
    exchange_.calls.erase(found);
  }
  source.open_calls.clear();
}

void Session::Close() {
  for (auto& [id, source] : sources_) Abandon(source);
}

}  // namespace dstap::proxy
