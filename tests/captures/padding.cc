// A capture as a newer dstap might write it.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include "tests/captures/made_captures.h"

namespace dstap::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kFuture = 2000;  // Field numbers from here on are not used yet.
constexpr int kFutureKind = 999;

// A field of each wire type.
void AddUnknown(Message& message) {
  auto* fields = message.GetReflection()->MutableUnknownFields(&message);
  fields->AddVarint(kFuture, 7);
  fields->AddFixed32(kFuture + 1, 32);
  fields->AddFixed64(kFuture + 2, 64);
  fields->AddLengthDelimited(kFuture + 3, "from the future");
}

// And to all messages inside.
void Pad(Message& message) {
  AddUnknown(message);
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      Pad(*reflection.MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      Pad(*reflection.MutableRepeatedMessage(&message, field, i));
    }
  }
}

// Rows that no dstap of version 1 writes, behind the others of a chunk.
void AddRows(v1::Records& records) {
  v1::Row strange;
  strange.set_after_calls(records.calls().count());
  auto& unknown = *strange.GetReflection()->MutableUnknownFields(&strange);
  unknown.AddLengthDelimited(kFuture, "a row of a kind of the future");
  *records.add_row() = strange;
  v1::Row numbers;
  numbers.set_after_calls(records.calls().count());
  numbers.mutable_message_event()->set_kind(static_cast<v1::MessageEventKind>(kFutureKind));
  *records.add_row() = numbers;
}

}  // namespace

bool IsPadding(const v1::Row& row) {
  return row.kind_case() == v1::Row::KIND_NOT_SET || row.message_event().kind() == kFutureKind;
}

std::string Padded(const std::string& golden) {
  Parts parts(golden);
  uint64_t added = 0;
  for (v1::Records& records : parts.chunks) {
    const bool is_last = &records == &parts.chunks.back();
    if (!is_last) {
      AddRows(records);
      added += 2;
    }
    for (v1::Row& row : *records.mutable_row()) {
      if (row.has_end()) row.mutable_end()->set_rows(row.end().rows() + added);
    }
    Pad(records);
  }
  // Fields 1007 (varint) and 1008 (bytes).
  parts.behind_body = std::string("\xF8\x3E\x01\xC2\x3F\x03xyz");
  return parts.Bytes();
}

}  // namespace dstap::test
