#include "tests/bench/json_lines.h"

namespace dstap::bench {
namespace {

using capture::BudgetUse;
using capture::CallRecord;
using capture::TransformRun;
using capture::ValueInfo;
using nlohmann::json;

json JsonOf(const ValueInfo& value) {
  json out = {{"bytes", value.bytes}};
  if (value.hash != 0) out["hash"] = value.hash;
  return out;
}

json JsonOf(const BudgetUse& use) {
  json out = {{"type", use.type}, {"taken", use.taken}};
  if (use.before) out["before"] = *use.before;
  if (use.after) out["after"] = *use.after;
  return out;
}

ValueInfo ValueOf(const json& from) {
  return {.bytes = from["bytes"].get<uint64_t>(), .hash = from.value("hash", uint64_t{0})};
}

BudgetUse UseOf(const json& from) {
  BudgetUse use{.type = from["type"].get<v1::RequestType>(),
                .taken = from["taken"].get<uint32_t>()};
  if (const auto at = from.find("before"); at != from.end()) use.before = at->get<uint64_t>();
  if (const auto at = from.find("after"); at != from.end()) use.after = at->get<uint64_t>();
  return use;
}

}  // namespace

std::string JsonLineOf(const CallRecord& call, std::string_view step) {
  json out = {{"id", call.id},
              {"source", call.source},
              {"method", call.method},
              {"issued", call.issued.count()},
              {"outcome", call.outcome}};
  const auto text = [&out](const char* name, std::string_view value) {
    if (!value.empty()) out[name] = value;
  };
  const auto number = [&out](const char* name, auto value) {
    if (value != decltype(value){}) out[name] = value;
  };
  text("step", step);
  text("caller", call.caller);
  text("store", call.store);
  text("scope", call.scope);
  number("store_kind", call.store_kind);
  number("all_scopes", call.all_scopes);
  text("key", call.key);
  number("use_cache", call.use_cache);
  if (call.list != nullptr) {
    out["list"] = {{"page_size", call.list->page_size()}, {"items", call.list->items()}};
  }
  if (call.admitted) out["admitted"] = call.admitted->count();
  if (call.completed) out["completed"] = call.completed->count();
  number("times_queued", call.times_queued);
  number("queued", call.queued.count());
  number("served_by", call.served_by);
  for (const TransformRun& run : call.transform_runs) {
    out["transform_runs"].push_back(
        {{"outcome", run.outcome}, {"started", run.started.count()}, {"took", run.took.count()}});
  }
  number("error_code", call.error_code);
  text("error_name", call.error_name);
  text("error_text", call.error_text);
  if (call.read) out["read"] = JsonOf(*call.read);
  if (call.written) out["written"] = JsonOf(*call.written);
  text("version", call.version);
  for (const BudgetUse& use : call.budgets) {
    if (use.type != v1::REQUEST_TYPE_UNKNOWN) out["budgets"].push_back(JsonOf(use));
  }
  number("fault", call.fault);
  return out.dump() + '\n';
}

std::string_view JsonCall::Text(const char* name) const {
  const auto at = json_.find(name);
  return at == json_.end() ? std::string_view() : at->get_ref<const std::string&>();
}

template <typename T>
T JsonCall::Number(const char* name) const {
  const auto at = json_.find(name);
  return at == json_.end() ? T{} : at->get<T>();
}

JsonCall::JsonCall(std::string_view line) : json_(json::parse(line)) {
  call_.id = Number<uint64_t>("id");
  call_.source = Number<uint32_t>("source");
  call_.caller = Text("caller");
  call_.method = Number<v1::Method>("method");
  call_.store = Text("store");
  call_.scope = Text("scope");
  call_.store_kind = Number<v1::StoreKind>("store_kind");
  call_.all_scopes = Number<bool>("all_scopes");
  call_.key = Text("key");
  call_.use_cache = Number<v1::UseCache>("use_cache");
  if (const auto at = json_.find("list"); at != json_.end()) {
    list_.set_page_size((*at)["page_size"].get<uint32_t>());
    list_.set_items((*at)["items"].get<uint32_t>());
    call_.list = &list_;
  }
  call_.issued = Time(Number<int64_t>("issued"));
  if (json_.contains("admitted")) call_.admitted = Time(Number<int64_t>("admitted"));
  if (json_.contains("completed")) call_.completed = Time(Number<int64_t>("completed"));
  call_.times_queued = Number<uint32_t>("times_queued");
  call_.queued = Time(Number<int64_t>("queued"));
  call_.served_by = Number<v1::ServedBy>("served_by");
  if (const auto at = json_.find("transform_runs"); at != json_.end()) {
    for (const json& run : *at) {
      runs_.push_back({.outcome = run["outcome"].get<v1::TransformOutcome>(),
                       .started = Time(run["started"].get<int64_t>()),
                       .took = Time(run["took"].get<int64_t>())});
    }
    call_.transform_runs = runs_;
  }
  call_.outcome = Number<v1::Outcome>("outcome");
  call_.error_code = Number<uint32_t>("error_code");
  call_.error_name = Text("error_name");
  call_.error_text = Text("error_text");
  if (const auto at = json_.find("read"); at != json_.end()) call_.read = ValueOf(*at);
  if (const auto at = json_.find("written"); at != json_.end()) call_.written = ValueOf(*at);
  call_.version = Text("version");
  if (const auto at = json_.find("budgets"); at != json_.end()) {
    for (size_t i = 0; i < at->size(); ++i) call_.budgets[i] = UseOf((*at)[i]);
  }
  call_.fault = Number<uint64_t>("fault");
}

}  // namespace dstap::bench
