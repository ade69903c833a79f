#include "proto/capture/capture_text.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "dstap/v1/capture_text.pb.h"
#include "proto/base/byte_sink.h"
#include "proto/capture/capture_writer.h"
#include "proto/capture/format.h"

namespace dstap::capture {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

void SetValue(const std::optional<ValueInfo>& value, v1::ValueText* (v1::CallText::*field)(),
              v1::CallText& out) {
  if (!value) return;
  v1::ValueText& text = *(out.*field)();
  text.set_bytes(value->bytes);
  text.set_hash(value->hash);
  if (value->value) text.set_value(std::string(*value->value));
  text.set_encoding(value->encoding);
}

void SetBudget(const BudgetUse& use, v1::BudgetText* (v1::CallText::*field)(), v1::CallText& out) {
  if (use == BudgetUse()) return;
  v1::BudgetText& text = *(out.*field)();
  text.set_type(use.type);
  if (use.before) text.set_before(*use.before);
  if (use.after) text.set_after(*use.after);
  text.set_taken(use.taken);
}

v1::CallText TextOf(const CallRecord& call) {
  v1::CallText out;
  out.set_id(call.id);
  out.set_source(call.source);
  out.set_caller(std::string(call.caller));
  out.set_method(call.method);
  out.set_store(std::string(call.store));
  out.set_scope(std::string(call.scope));
  out.set_store_kind(call.store_kind);
  out.set_all_scopes(call.all_scopes);
  out.set_key(std::string(call.key));
  out.set_use_cache(call.use_cache);
  if (call.list != nullptr) *out.mutable_list() = *call.list;
  out.set_issued_ns(call.issued.count());
  if (call.admitted) out.set_admitted_ns(call.admitted->count());
  if (call.completed) out.set_completed_ns(call.completed->count());
  out.set_times_queued(call.times_queued);
  out.set_queued_ns(call.queued.count());
  out.set_served_by(call.served_by);
  for (const TransformRun& run : call.transform_runs) {
    v1::TransformRunText& text = *out.add_transform_run();
    text.set_outcome(run.outcome);
    text.set_started_ns(run.started.count());
    text.set_took_ns(run.took.count());
  }
  out.set_outcome(call.outcome);
  out.set_error_code(call.error_code);
  out.set_error_name(std::string(call.error_name));
  out.set_error_text(std::string(call.error_text));
  SetValue(call.read, &v1::CallText::mutable_read, out);
  SetValue(call.written, &v1::CallText::mutable_written, out);
  out.set_version(std::string(call.version));
  SetBudget(call.budgets[0], &v1::CallText::mutable_first_budget, out);
  SetBudget(call.budgets[1], &v1::CallText::mutable_second_budget, out);
  out.set_fault(call.fault);
  return out;
}

std::optional<ValueInfo> ValueOf(bool has, const v1::ValueText& text) {
  if (!has) return std::nullopt;
  ValueInfo value{text.bytes(), text.hash(), std::nullopt, text.encoding()};
  if (text.has_value()) value.value = text.value();
  return value;
}

BudgetUse BudgetOf(const v1::BudgetText& text) {
  BudgetUse use;
  use.type = text.type();
  if (text.has_before()) use.before = text.before();
  if (text.has_after()) use.after = text.after();
  use.taken = text.taken();
  return use;
}

// Refers to `text` and `runs`.
CallRecord CallOf(const v1::CallText& text, std::vector<TransformRun>& runs) {
  CallRecord call;
  call.id = text.id();
  call.source = text.source();
  call.caller = text.caller();
  call.method = text.method();
  call.store = text.store();
  call.scope = text.scope();
  call.store_kind = text.store_kind();
  call.all_scopes = text.all_scopes();
  call.key = text.key();
  call.use_cache = text.use_cache();
  call.list = text.has_list() ? &text.list() : nullptr;
  call.issued = Time(text.issued_ns());
  if (text.has_admitted_ns()) call.admitted = Time(text.admitted_ns());
  if (text.has_completed_ns()) call.completed = Time(text.completed_ns());
  call.times_queued = text.times_queued();
  call.queued = Time(text.queued_ns());
  call.served_by = text.served_by();
  runs.clear();
  for (const v1::TransformRunText& run : text.transform_run()) {
    runs.push_back({run.outcome(), Time(run.started_ns()), Time(run.took_ns())});
  }
  call.transform_runs = runs;
  call.outcome = text.outcome();
  call.error_code = text.error_code();
  call.error_name = text.error_name();
  call.error_text = text.error_text();
  call.read = ValueOf(text.has_read(), text.read());
  call.written = ValueOf(text.has_written(), text.written());
  call.version = text.version();
  call.budgets = {BudgetOf(text.first_budget()), BudgetOf(text.second_budget())};
  call.fault = text.fault();
  return call;
}

// Copies what is set of `from`'s oneof into the field of the same number of `to`. False when `to`
// has none.
bool CopyKind(const Message& from, const FieldDescriptor& field, Message& to) {
  const FieldDescriptor* target = to.GetDescriptor()->FindFieldByNumber(field.number());
  if (target == nullptr || target->message_type() != field.message_type()) return false;
  const Message& value = from.GetReflection()->GetMessage(from, &field);
  to.GetReflection()->MutableMessage(&to, target)->CopyFrom(value);
  return true;
}

const FieldDescriptor* KindOf(const Message& message) {
  return message.GetReflection()->GetOneofFieldDescriptor(
      message, message.GetDescriptor()->FindOneofByName("kind"));
}

class Errors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (first.empty()) {
      first = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
    }
  }
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

  std::string first;
};

// Microseconds if no time in the text is finer, else nanoseconds: nothing is rounded away.
int64_t TickOf(const v1::CaptureText& text) {
  for (const v1::RecordText& record : text.record()) {
    const v1::CallText& call = record.call();
    bool whole = record.time_ns() % kTickNs == 0 && call.issued_ns() % kTickNs == 0 &&
                 call.admitted_ns() % kTickNs == 0 && call.completed_ns() % kTickNs == 0 &&
                 call.queued_ns() % kTickNs == 0;
    for (const v1::TransformRunText& run : call.transform_run()) {
      whole &= run.started_ns() % kTickNs == 0 && run.took_ns() % kTickNs == 0;
    }
    if (!whole) return 1;
  }
  return kTickNs;
}

// The recording that begins at `at`; moves `at` behind it.
Result<std::string> OneRecording(const v1::CaptureText& text, int64_t tick_ns, int& at) {
  const auto error = [&](std::string_view what) {
    return Status(ErrorCode::kUsage, fmt::format("record {}: {}", at + 1, what));
  };
  if (!text.record(at).has_header()) {
    return error("a recording must begin with a header");
  }
  auto sink = std::make_unique<MemorySink>();
  const MemorySink& bytes = *sink;
  CaptureWriter::Options options;
  options.tick_ns = tick_ns;
  DSTAP_TRY_ASSIGN(CaptureWriter writer,
                   CaptureWriter::Create(std::move(sink), text.record(at).header(), options));
  std::vector<TransformRun> runs;
  for (++at; at < text.record_size() && !text.record(at).has_header(); ++at) {
    const v1::RecordText& record = text.record(at);
    if (record.has_call()) {
      writer.Add(CallOf(record.call(), runs));
      continue;
    }
    if (record.has_end()) {
      const v1::End& end = record.end();
      DSTAP_TRY(writer.Close(Time(record.time_ns()), end.reason(), end.text()));
      ++at;
      if (at < text.record_size() && !text.record(at).has_header()) {
        return error("only a header may follow an end");
      }
      return bytes.bytes();
    }
    const FieldDescriptor* kind = KindOf(record);
    v1::Row row;
    if (kind == nullptr || !CopyKind(record, *kind, row)) return error("says neither call nor row");
    writer.AddRow(Time(record.time_ns()), std::move(row));
  }
  DSTAP_TRY(writer.Commit());
  return bytes.bytes();
}

}  // namespace

Result<std::string> ToText(CaptureReader& reader) {
  TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string out;
  std::optional<uint64_t> offset;
  for (;;) {
    DSTAP_TRY_ASSIGN(const std::optional<Record> record, reader.Next());
    if (!record) return out;
    if (offset != reader.chunk_offset()) {
      offset = reader.chunk_offset();
      out += fmt::format("# chunk {}, byte {}\n", reader.chunk_sequence(), *offset);
    }
    v1::CaptureText text;
    v1::RecordText& one = *text.add_record();
    if (record->call != nullptr) {
      *one.mutable_call() = TextOf(*record->call);
    } else {
      const FieldDescriptor* kind = KindOf(*record->row);
      if (kind == nullptr || !CopyKind(*record->row, *kind, one)) {
        out += record->row->has_index()
                   ? fmt::format("# index of {} entries\n", record->row->index().entry_size())
                   : "# a row that this dstap does not know\n";
        continue;
      }
      one.set_time_ns(record->time.count());
      if (one.has_header()) {
        out += fmt::format("# descriptor set of {} bytes\n", one.header().descriptor_set().size());
        one.mutable_header()->clear_descriptor_set();
      }
    }
    std::string block;
    printer.PrintToString(text, &block);
    out += block;
  }
}

Result<std::string> FromText(std::string_view text) {
  v1::CaptureText parsed;
  Errors errors;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&input, &parsed)) {
    return Status(ErrorCode::kUsage, fmt::format("is not a capture's text: {}", errors.first));
  }
  const int64_t tick_ns = TickOf(parsed);
  std::string out;
  for (int at = 0; at < parsed.record_size();) {
    DSTAP_TRY_ASSIGN(const std::string recording, OneRecording(parsed, tick_ns, at));
    out += recording;
  }
  return out;
}

}  // namespace dstap::capture
