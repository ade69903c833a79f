#include "proxy/backend/simulator/errors.h"

#include <gmock/gmock.h>

#include <set>

#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {
namespace {

TEST(ErrorsTest, EveryCodedErrorBeginsWithItsCode) {
  for (const ErrorRow& row : ErrorTable()) {
    EXPECT_FALSE(row.text.empty());
    if (row.code != 0) {
      EXPECT_THAT(std::string(row.text), testing::StartsWith(std::to_string(row.code) + ": "));
    } else if (!row.name.empty()) {
      EXPECT_THAT(std::string(row.text), testing::StartsWith(std::string(row.name) + ": "));
    }
    EXPECT_NE(std::string_view("DOIU-").find(row.mark), std::string_view::npos) << row.text;
  }
}

TEST(ErrorsTest, EachIdHasOneRow) {
  std::set<ErrorId> ids;
  for (const ErrorRow& row : ErrorTable()) EXPECT_TRUE(ids.insert(row.id).second) << row.text;
  EXPECT_EQ(ids.size(), static_cast<size_t>(ErrorId::kNotSimulated) + 1);
}

TEST(ErrorsTest, ADropIsNamedAfterItsTypeOrNumberedAfterItsMethod) {
  EXPECT_EQ(DroppedError(v1::METHOD_REMOVE_ASYNC, v1::REQUEST_TYPE_STANDARD_REMOVE, false).text,
            "StandardRemoveGameServerThrottled: StandardRemove request was throttled by game "
            "server limits or the request queue was full");
  const std::string tail =
      " request dropped. Request was throttled, but throttled request queue was full.";
  const auto legacy = [](v1::Method method) {
    return DroppedError(method, v1::REQUEST_TYPE_GET_ASYNC, true).text;
  };
  EXPECT_EQ(legacy(v1::METHOD_GET_ASYNC), "301: GetAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_SET_ASYNC), "302: SetAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_INCREMENT_ASYNC), "303: IncrementAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_UPDATE_ASYNC), "304: UpdateAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_GET_SORTED_ASYNC), "305: GetSorted" + tail);
  EXPECT_EQ(legacy(v1::METHOD_REMOVE_ASYNC), "306: RemoveAsync" + tail);
  EXPECT_EQ(legacy(v1::METHOD_LIST_KEYS_ASYNC),
            "ListKeysAsyncThrottle: ListKeysAsync request dropped. Request was throttled.");
}

TEST(ErrorsTest, DetailsStandWhereTheServicePutsThem) {
  EXPECT_EQ(MakeError(ErrorId::kKindNotAllowed, "Array").text,
            "103: Array is not allowed in data stores.");
  EXPECT_EQ(ExperienceError(v1::REQUEST_TYPE_ORDERED_LIST).text,
            "OrderedListExperienceThrottled: OrderedList request was throttled by experience "
            "limits");
}

}  // namespace
}  // namespace dstap::proxy
