#include "proxy/backend/simulator/validate.h"

#include <gtest/gtest.h>

namespace dstap::proxy {
namespace {

const RuleProfile& Rules() { return RuleProfiles().back(); }
const StoreName kStore{"PlayerData", "global", v1::STORE_KIND_STANDARD, false};
const StoreName kAllScopes{"PlayerData", "", v1::STORE_KIND_STANDARD, true};

std::string TextOf(const std::optional<CallError>& error) { return error ? error->text : ""; }

std::string KeyError(const StoreName& store, const std::string& key) {
  return TextOf(CheckKey(store, key, Rules()));
}

std::string StoreError(const StoreName& store) { return TextOf(CheckStore(store, Rules())); }

std::string ValueError(const std::string& json, v1::StoreKind kind = v1::STORE_KIND_STANDARD) {
  const std::vector<int64_t> no_ids;
  const std::optional<std::string> no_metadata;
  return TextOf(CheckValue({kind, &json, no_ids, no_metadata}, Rules()));
}

std::string AttributeError(const std::vector<int64_t>& ids,
                           const std::optional<std::string>& metadata,
                           v1::StoreKind kind = v1::STORE_KIND_STANDARD) {
  const std::string json = "1";
  return TextOf(CheckValue({kind, &json, ids, metadata}, Rules()));
}

TEST(ValidateTest, AKeyHasOneToFiftyBytes) {
  EXPECT_EQ(KeyError(kStore, ""), "101: Key name can't be empty.");
  EXPECT_EQ(KeyError(kStore, "k"), "");
  EXPECT_EQ(KeyError(kStore, std::string(50, 'k')), "");
  EXPECT_EQ(KeyError(kStore, std::string(51, 'k')),
            "102: Key name exceeds the 50 character limit.");
  EXPECT_EQ(CheckKey(kStore, "", Rules())->code, 101U);
  EXPECT_EQ(CheckKey(kStore, "", Rules())->name, "KeyNameEmpty");
}

TEST(ValidateTest, AnAllScopesKeyNamesItsScopeAndEachPartIsLimited) {
  EXPECT_EQ(KeyError(kAllScopes, "global/" + std::string(50, 'k')), "");
  EXPECT_EQ(KeyError(kAllScopes, "global"), "102: Invalid key name.");
  EXPECT_EQ(KeyError(kAllScopes, "/key"), "102: Invalid key name.");
  EXPECT_EQ(KeyError(kAllScopes, "global/"), "101: Key name can't be empty.");
  EXPECT_EQ(KeyError(kAllScopes, std::string(51, 's') + "/k"),
            "102: Key name exceeds the 50 character limit.");
  EXPECT_EQ(KeyError(kAllScopes, "s/" + std::string(51, 'k')),
            "102: Key name exceeds the 50 character limit.");
}

TEST(ValidateTest, AStoreAndItsScopeHaveOneToFiftyBytes) {
  EXPECT_EQ(StoreError(kStore), "");
  EXPECT_EQ(StoreError(kAllScopes), "");
  EXPECT_EQ(StoreError({"", "u", v1::STORE_KIND_STANDARD, false}), "");
  EXPECT_EQ(StoreError({"", "global", v1::STORE_KIND_STANDARD, false}),
            "101: DataStore name can't be empty.");
  EXPECT_EQ(StoreError({std::string(50, 'n'), "global", v1::STORE_KIND_STANDARD, false}), "");
  EXPECT_EQ(StoreError({std::string(51, 'n'), "global", v1::STORE_KIND_STANDARD, false}),
            "102: DataStore name exceeds the 50 character limit.");
  EXPECT_EQ(StoreError({"n", "", v1::STORE_KIND_STANDARD, false}),
            "101: DataStore scope can't be empty.");
  EXPECT_EQ(StoreError({"n", std::string(51, 's'), v1::STORE_KIND_STANDARD, false}),
            "102: DataStore scope exceeds the 50 character limit.");
  EXPECT_NE(StoreError({"n", "s", v1::STORE_KIND_STANDARD, true}), "");
}

TEST(ValidateTest, AValueIsJsonOfUpToFourMegabytes) {
  EXPECT_EQ(ValueError("{\"coins\":10,\"items\":[1,\"a\",true,null]}"), "");
  EXPECT_EQ(ValueError("[]"), "");
  EXPECT_EQ(ValueError(" -1.5e300 "), "");
  const size_t limit = 4'194'304;
  EXPECT_EQ(ValueError('"' + std::string(limit - 2, 'a') + '"'), "");
  EXPECT_EQ(ValueError('"' + std::string(limit - 1, 'a') + '"'),
            "105: Serialized value exceeds 4MB limit.");
}

TEST(ValidateTest, NilCannotBeStored) {
  EXPECT_EQ(TextOf(CheckValue({v1::STORE_KIND_STANDARD, nullptr, {}, {}}, Rules())),
            "103: nil is not allowed in data stores.");
  EXPECT_EQ(ValueError("null"), "103: nil is not allowed in data stores.");
}

TEST(ValidateTest, WhatIsNotJsonIsNamedByItsContainer) {
  const std::string tail = " in data store. Data stores can only accept valid UTF-8 characters.";
  EXPECT_EQ(ValueError("\"\xff\""), "104: Cannot store string" + tail);
  EXPECT_EQ(ValueError("[\"\xff\"]"), "104: Cannot store Array" + tail);
  EXPECT_EQ(ValueError("{\"a\":\"\xff\"}"), "104: Cannot store Dictionary" + tail);
  EXPECT_EQ(ValueError("{\"a\":"), "104: Cannot store Dictionary" + tail);
  EXPECT_EQ(ValueError(""), "104: Cannot store string" + tail);
}

// To the JSON library a NUL is the end of the text.
TEST(ValidateTest, WhatStandsBehindANulIsPartOfTheText) {
  using std::string_literals::operator""s;
  EXPECT_NE(ValueError("[1]\0"s), "");
  EXPECT_NE(ValueError("[1]\0]]"s), "");
  EXPECT_EQ(ValueError("[1]"), "");
  EXPECT_NE(AttributeError({}, "{}\0}"s), "");
  EXPECT_EQ(AttributeError({}, "{}"), "");
}

TEST(ValidateTest, AnOrderedStoreTakesWholeNumbersOnly) {
  const auto ordered = v1::STORE_KIND_ORDERED;
  EXPECT_EQ(ValueError("5", ordered), "");
  EXPECT_EQ(ValueError("-5", ordered), "");
  // math.huge, as the engine writes it.
  EXPECT_EQ(ValueError(R"({"m":null,"t":"numeric","v":"inf"})", ordered),
            "103: double is not allowed in data stores.");
  EXPECT_EQ(ValueError("9223372036854775807", ordered), "");
  EXPECT_EQ(ValueError("9223372036854775808", ordered),
            "103: double is not allowed in data stores.");
  EXPECT_EQ(ValueError("5.5", ordered), "103: double is not allowed in data stores.");
  EXPECT_EQ(ValueError("[5]", ordered), "103: Array is not allowed in data stores.");
  EXPECT_EQ(ValueError("{}", ordered), "103: Dictionary is not allowed in data stores.");
  EXPECT_EQ(ValueError("\"5\"", ordered), "103: string is not allowed in data stores.");
  EXPECT_EQ(ValueError("true", ordered), "103: bool is not allowed in data stores.");
  EXPECT_EQ(AttributeError({1}, std::nullopt, ordered),
            "517: Additional parameter UserIds not allowed");
  EXPECT_EQ(AttributeError({}, "{\"a\":1}", ordered),
            "517: Additional parameter Options not allowed");
  EXPECT_EQ(AttributeError({}, "{}", ordered), "");
}

TEST(ValidateTest, FourUserIdsAndThreeHundredBytesOfMetadata) {
  EXPECT_EQ(AttributeError({1, 2, 3, 4}, std::nullopt), "");
  EXPECT_EQ(AttributeError({1, 2, 3, 4, 5}, std::nullopt), "512: UserID size exceeds limit of 4");
  const auto metadata = [](size_t bytes) {
    return "{\"a\":\"" + std::string(bytes - 8, 'x') + "\"}";
  };
  ASSERT_EQ(metadata(300).size(), 300U);
  EXPECT_EQ(AttributeError({}, metadata(300)), "");
  EXPECT_EQ(AttributeError({}, metadata(301)),
            "511: Metadata attribute size exceeds 300 bytes limit.");
  EXPECT_EQ(AttributeError({}, "[]"), "");
  EXPECT_EQ(AttributeError({}, "[1]"), "513: Attribute metadata format is invalid");
  EXPECT_EQ(AttributeError({}, "{"), "513: Attribute metadata format is invalid");
}

TEST(ValidateTest, AValueInMetadataIsLimitedByTheWholeOnly) {
  // Documented as at most 250 characters; what was seen is the limit of the whole.
  for (const size_t length : {250, 251, 292}) {
    EXPECT_EQ(AttributeError({}, "{\"a\":\"" + std::string(length, 'x') + "\"}"), "") << length;
  }
  EXPECT_EQ(AttributeError({}, "{\"a\":\"" + std::string(293, 'x') + "\"}"),
            "511: Metadata attribute size exceeds 300 bytes limit.");
}

TEST(ValidateTest, ALongNameInMetadataIsNotRefused) {
  EXPECT_EQ(AttributeError({}, "{\"" + std::string(200, 'n') + "\":1}"), "");
  EXPECT_EQ(AttributeError({}, R"({"nested":{"list":[1,{"deep":true}]}})"), "");
}

TEST(ValidateTest, IntegersAreReadExactly) {
  EXPECT_EQ(IntegerOf("0"), 0);
  EXPECT_EQ(IntegerOf(" -9223372036854775808 "), INT64_MIN);
  EXPECT_EQ(IntegerOf("5.0"), 5);
  for (const char* bad : {"", "-", "5.5", "\"5\"", "5e3", "9223372036854775808", "true", "[]"}) {
    EXPECT_EQ(IntegerOf(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace dstap::proxy
