#include "analyzer/timeline/names.h"

#include <gtest/gtest.h>

#include <set>

#include "dstap/v1/capture.pb.h"

namespace dstap::analyzer {
namespace {

// Each number of the schema's enum has a name of its own here.
template <typename Ours>
void ExpectNamesFor(const google::protobuf::EnumDescriptor* theirs) {
  std::set<std::string_view> names;
  for (int i = 0; i < theirs->value_count(); ++i) {
    const auto* value = theirs->value(i);
    const std::string_view name = NameOf(static_cast<Ours>(value->number()));
    EXPECT_EQ(name == "unknown", value->number() == 0) << value->name();
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(NamesTest, EveryNumberOfTheSchemaHasAName) {
  ExpectNamesFor<Method>(v1::Method_descriptor());
  ExpectNamesFor<StoreKind>(v1::StoreKind_descriptor());
  ExpectNamesFor<ServedBy>(v1::ServedBy_descriptor());
  ExpectNamesFor<Outcome>(v1::Outcome_descriptor());
  ExpectNamesFor<TransformOutcome>(v1::TransformOutcome_descriptor());
  ExpectNamesFor<RequestType>(v1::RequestType_descriptor());
  ExpectNamesFor<ValueEncoding>(v1::ValueEncoding_descriptor());
  ExpectNamesFor<ClockKind>(v1::ClockKind_descriptor());
  ExpectNamesFor<NoticeKind>(v1::NoticeKind_descriptor());
  ExpectNamesFor<FaultKind>(v1::FaultKind_descriptor());
  ExpectNamesFor<LossReason>(v1::LossReason_descriptor());
  ExpectNamesFor<EndReason>(v1::EndReason_descriptor());
}

TEST(NamesTest, NamesAreOfTheSameThingAsInTheSchema) {
  EXPECT_EQ(NameOf(static_cast<Method>(v1::METHOD_UPDATE_ASYNC)), "UpdateAsync");
  EXPECT_EQ(NameOf(static_cast<Method>(v1::METHOD_MEMORY_QUEUE_READ)), "MemoryQueue.ReadAsync");
  EXPECT_EQ(NameOf(static_cast<Outcome>(v1::OUTCOME_IN_FLIGHT)), "in_flight");
  EXPECT_EQ(NameOf(static_cast<RequestType>(v1::REQUEST_TYPE_STANDARD_READ)), "StandardRead");
  EXPECT_EQ(NameOf(static_cast<FaultKind>(v1::FAULT_KIND_NEVER_ANSWER)), "never_answer");
}

TEST(NamesTest, ACacheIsAskedForOrNotOrNothingIsSaid) {
  EXPECT_EQ(NameOf(UseCache::kUnset), "unset");
  EXPECT_EQ(NameOf(UseCache::kTrue), "true");
  EXPECT_EQ(NameOf(static_cast<UseCache>(v1::USE_CACHE_FALSE)), "false");
}

TEST(NamesTest, NumbersOfANewerSchemaAreUnknown) {
  EXPECT_EQ(NameOf(static_cast<Method>(15)), "unknown");
  EXPECT_EQ(NameOf(static_cast<Method>(200)), "unknown");
  EXPECT_EQ(NameOf(static_cast<Outcome>(7)), "unknown");
}

TEST(NamesTest, AllMethodsHaveAColumn) {
  EXPECT_EQ(kMethodCount, static_cast<size_t>(v1::Method_MAX) + 1);
}

TEST(NamesTest, OnlyDataStoreMethodsSpendBudgets) {
  EXPECT_FALSE(IsDataStore(Method::kUnknown));
  EXPECT_TRUE(IsDataStore(Method::kGetAsync));
  EXPECT_TRUE(IsDataStore(Method::kCreateEntry));
  EXPECT_FALSE(IsDataStore(Method::kMemoryMapGet));
  EXPECT_FALSE(IsDataStore(Method::kSubscribeAsync));
}

}  // namespace
}  // namespace dstap::analyzer
