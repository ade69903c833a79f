#include "proto/capture/unknown_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

namespace dstap::capture {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

uint64_t CountInside(const Message& message, const Reflection& reflection,
                     const FieldDescriptor* field) {
  if (!field->is_repeated()) {
    return CountUnknownFields(reflection.GetMessage(message, field));
  }
  uint64_t count = 0;
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    count += CountUnknownFields(reflection.GetRepeatedMessage(message, field, i));
  }
  return count;
}

}  // namespace

// Reflection::ListFields() looks at every field of every row; only the messages among them matter,
// and of a row's kinds only the one it has.
uint64_t CountUnknownFields(const Message& message) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  const Reflection& reflection = *message.GetReflection();
  auto count = static_cast<uint64_t>(reflection.GetUnknownFields(message).field_count());
  for (int i = 0; i < type.real_oneof_decl_count(); ++i) {
    const FieldDescriptor* field = reflection.GetOneofFieldDescriptor(message, type.oneof_decl(i));
    if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      count += CountInside(message, reflection, field);
    }
  }
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->real_containing_oneof() != nullptr) continue;
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated() && !reflection.HasField(message, field)) continue;
    count += CountInside(message, reflection, field);
  }
  return count;
}

}  // namespace dstap::capture
