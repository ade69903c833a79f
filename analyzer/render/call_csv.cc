// RFC 4180: commas, CRLF, and quotes around a field that has any of these in it.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "analyzer/render/call_writer.h"
#include "analyzer/timeline/names.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

class Row {
 public:
  explicit Row(std::string& out) : out_(out) {}

  void Text(std::string_view bytes) {
    const std::string text = Escape(bytes);
    if (text.find_first_of(",\"\r\n") == std::string::npos) return Field(text);
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    Field(quoted + '"');
  }
  template <typename T>
  void Number(T value) {
    Field(fmt::format("{}", value));
  }
  template <typename T>
  void Number(const std::optional<T>& value) {
    value ? Number(*value) : Field("");
  }
  void Ns(const std::optional<Time>& time) { time ? Number(time->count()) : Field(""); }
  template <typename Enum>
  void Name(Enum value) {
    Field(value == Enum::kUnknown ? std::string_view() : NameOf(value));
  }
  void Value(const std::optional<ValueInfo>& value) {
    value ? Number(value->bytes) : Field("");
    Field(value && value->hash != 0 ? fmt::format("{:016x}", value->hash) : "");
  }
  void Budget(const BudgetUse& use) {
    Name(use.type);
    Number(use.before);
    Number(use.after);
    use.type == RequestType::kUnknown ? Field("") : Number(use.taken);
  }
  void Field(std::string_view text) {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    out_ += text;
  }
  void End() { out_ += "\r\n"; }

 private:
  std::string& out_;
  bool is_first_ = true;
};

}  // namespace

void AppendCallCsv(const CallLine& line, std::string& out) {
  const Call& call = line.call;
  Row row(out);
  row.Text(line.recording.file);
  row.Number(line.recording.number);
  row.Number(call.id);
  row.Number(call.source->id);
  row.Text(call.source->name);
  row.Text(call.caller);
  line.step == nullptr ? row.Field("") : row.Number(line.step->id);
  row.Text(line.step == nullptr ? std::string_view() : line.step->name);
  row.Text(line.step == nullptr ? std::string_view() : line.step->subject);
  line.step == nullptr ? row.Field("") : row.Number(line.step->sample);
  row.Field(NameOf(call.method));
  row.Text(call.store);
  row.Text(call.scope);
  row.Name(call.store_kind);
  row.Field(call.all_scopes ? "true" : "");
  row.Text(call.key);
  row.Field(call.use_cache == UseCache::kUnset ? std::string_view() : NameOf(call.use_cache));
  row.Number(call.issued.count());
  row.Ns(call.admitted);
  row.Ns(call.completed);
  row.Number(call.times_queued);
  row.Number(call.queued.count());
  row.Name(call.served_by);
  row.Number(call.transform_runs.size());
  row.Field(NameOf(call.outcome));
  row.Number(call.error_code);
  row.Text(call.error_name);
  row.Text(call.error_text);
  row.Value(call.read);
  row.Value(call.written);
  row.Text(call.version);
  row.Budget(call.budgets[0]);
  row.Budget(call.budgets[1]);
  row.Number(call.fault);
  row.End();
}

}  // namespace dstap::analyzer
