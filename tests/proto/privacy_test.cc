// Each leaf field of a capture says what it may give away.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include "dstap/v1/capture.pb.h"
#include "dstap/v1/privacy.pb.h"

namespace dstap::test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Calls `check` for each field of each message of capture.proto.
template <typename F>
void ForEachField(F check) {
  const auto* file = v1::Capture::descriptor()->file();
  for (int m = 0; m < file->message_type_count(); ++m) {
    const Descriptor* message = file->message_type(m);
    EXPECT_EQ(message->nested_type_count(), 0) << message->name() << " would escape this test";
    for (int f = 0; f < message->field_count(); ++f) check(*message->field(f));
  }
}

v1::Privacy ClassOf(const FieldDescriptor& field) {
  return field.options().GetExtension(v1::privacy);
}

TEST(PrivacyTest, EveryLeafFieldHasAClass) {
  int leaves = 0;
  ForEachField([&](const FieldDescriptor& field) {
    if (field.message_type() != nullptr) return;
    ++leaves;
    EXPECT_NE(ClassOf(field), v1::PRIVACY_UNKNOWN) << field.full_name();
  });
  EXPECT_GT(leaves, 100);
}

TEST(PrivacyTest, AFieldThatHoldsAMessageHasNoneOfItsOwn) {
  // Or redaction would have two answers for what is inside.
  ForEachField([](const FieldDescriptor& field) {
    if (field.message_type() == nullptr) return;
    EXPECT_EQ(ClassOf(field), v1::PRIVACY_UNKNOWN) << field.full_name();
  });
}

TEST(PrivacyTest, TextThatAUserWroteIsNeverAProtobufString) {
  // protobuf refuses a whole message over one string that is not UTF-8.
  ForEachField([](const FieldDescriptor& field) {
    if (field.type() != FieldDescriptor::TYPE_STRING) return;
    EXPECT_EQ(ClassOf(field), v1::PRIVACY_PUBLIC) << field.full_name();
  });
}

TEST(PrivacyTest, AColumnOfIndexesHasTheClassOfItsTable) {
  const std::pair<const char*, v1::Privacy> columns[] = {
      {"caller", v1::PRIVACY_NAME},      {"store", v1::PRIVACY_NAME},
      {"scope", v1::PRIVACY_NAME},       {"key", v1::PRIVACY_KEY},
      {"error_name", v1::PRIVACY_TEXT},  {"error_text", v1::PRIVACY_TEXT},
      {"read_value", v1::PRIVACY_VALUE}, {"written_value", v1::PRIVACY_VALUE},
      {"version", v1::PRIVACY_IDENTITY},
  };
  for (const auto& [name, privacy] : columns) {
    EXPECT_EQ(ClassOf(*v1::Calls::descriptor()->FindFieldByName(name)), privacy) << name;
  }
}

}  // namespace
}  // namespace dstap::test
