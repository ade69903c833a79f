// docs/report-json.md describes what is written here.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analyzer/render/call_writer.h"
#include "analyzer/render/utf8.h"
#include "analyzer/timeline/names.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

using Json = nlohmann::ordered_json;

// An object in the making. What is absent is left out; what is no UTF-8 is escaped, and its field
// named in "escaped".
class Fields {
 public:
  void Text(const char* name, std::string_view bytes) {
    if (!bytes.empty()) json_[name] = Printable(name, bytes);
  }
  template <typename T>
  void Number(const char* name, T value) {
    if (value != 0) json_[name] = value;
  }
  template <typename Enum>
  void Name(const char* name, Enum value) {
    if (value != Enum::kUnknown) json_[name] = NameOf(value);
  }
  void Ns(const char* name, const std::optional<Time>& time) {
    if (time) json_[name] = time->count();
  }
  void Value(const std::string& prefix, const std::optional<ValueInfo>& value) {
    if (!value) return;
    json_[prefix + "_bytes"] = value->bytes;
    if (value->hash != 0) json_[prefix + "_hash"] = fmt::format("{:016x}", value->hash);
    if (!value->value) return;
    json_[prefix + "_value"] = Printable(prefix + "_value", *value->value);
    json_[prefix + "_encoding"] = NameOf(value->encoding);
  }
  std::string Printable(const std::string& name, std::string_view bytes) {
    if (IsUtf8(bytes)) return std::string(bytes);
    if (escaped_.empty() || escaped_.back() != name) escaped_.push_back(name);
    return Escape(bytes);
  }
  Json& operator[](const char* name) { return json_[name]; }
  Json Take() {
    if (!escaped_.empty()) json_["escaped"] = std::move(escaped_);
    return std::move(json_);
  }

 private:
  Json json_ = Json::object();
  std::vector<std::string> escaped_;
};

Json ListOf(const ListArguments& list, Fields& fields) {
  Json json = Json::object();
  const auto text = [&](const char* name, const std::optional<std::string>& value) {
    if (value) json[name] = fields.Printable(std::string("list.") + name, *value);
  };
  const auto plain = [&](const char* name, const auto& value) {
    if (value) json[name] = *value;
  };
  text("prefix", list.prefix);
  plain("page_size", list.page_size);
  text("cursor", list.cursor);
  plain("exclude_deleted", list.exclude_deleted);
  plain("ascending", list.ascending);
  plain("min_date_ms", list.min_date_ms);
  plain("max_date_ms", list.max_date_ms);
  plain("min_value", list.min_value);
  plain("max_value", list.max_value);
  text("version", list.version);
  plain("at_ms", list.at_ms);
  for (const std::string& key : list.keys) {
    json["keys"].push_back(fields.Printable("list.keys", key));
  }
  plain("page", list.page);
  plain("items", list.items);
  return json;
}

void AddBudgets(const Call& call, Fields& fields) {
  for (const BudgetUse& use : call.budgets) {
    if (use.type == RequestType::kUnknown) continue;
    Json json = {{"type", NameOf(use.type)}};
    if (use.before) json["before"] = *use.before;
    if (use.after) json["after"] = *use.after;
    json["taken"] = use.taken;
    fields["budgets"].push_back(std::move(json));
  }
}

void AddStep(const Step& step, Fields& fields) {
  fields["step_id"] = step.id;
  fields.Text("step", step.name);
  fields.Text("subject", step.subject);
  fields.Number("sample", step.sample);
}

}  // namespace

void AppendCallJson(const CallLine& line, std::string& out) {
  const Call& call = line.call;
  Fields fields;
  fields.Text("file", line.recording.file);
  fields["recording"] = line.recording.number;
  fields["id"] = call.id;
  fields["source"] = call.source->id;
  fields.Text("source_name", call.source->name);
  fields.Text("caller", call.caller);
  if (line.step != nullptr) AddStep(*line.step, fields);
  fields["method"] = NameOf(call.method);
  fields.Text("store", call.store);
  fields.Text("scope", call.scope);
  fields.Name("store_kind", call.store_kind);
  if (call.all_scopes) fields["all_scopes"] = true;
  fields.Text("key", call.key);
  if (call.use_cache != UseCache::kUnset) fields["use_cache"] = call.use_cache == UseCache::kTrue;
  if (call.list != nullptr) fields["list"] = ListOf(*call.list, fields);
  fields["issued_ns"] = call.issued.count();
  fields.Ns("admitted_ns", call.admitted);
  fields.Ns("completed_ns", call.completed);
  fields.Number("times_queued", call.times_queued);
  fields.Number("queued_ns", call.queued.count());
  fields.Name("served_by", call.served_by);
  for (const TransformRun& run : call.transform_runs) {
    fields["transform_runs"].push_back({{"outcome", NameOf(run.outcome)},
                                        {"started_ns", run.started.count()},
                                        {"took_ns", run.took.count()}});
  }
  fields["outcome"] = NameOf(call.outcome);
  fields.Number("error_code", call.error_code);
  fields.Text("error_name", call.error_name);
  fields.Text("error_text", call.error_text);
  fields.Value("read", call.read);
  fields.Value("written", call.written);
  fields.Text("version", call.version);
  AddBudgets(call, fields);
  fields.Number("fault", call.fault);
  // ASCII: control characters, and what turns the direction of text, stay escaped.
  out += fields.Take().dump(-1, ' ', true);
  out += '\n';
}

}  // namespace dstap::analyzer
