// Any text as a value, as metadata and as a cursor: what is stored comes back as it was, and equal
// values have equal hashes.
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "proto/base/check.h"
#include "proxy/backend/backend_table.h"
#include "proxy/session/value_hash.h"
#include "tests/fuzz/target.h"

namespace dstap::fuzz {
namespace {

// Of the first byte of an input.
enum Option : uint8_t {
  kOrdered = 1 << 0,
  kByUpdate = 1 << 1,  // UpdateAsync writes; else SetAsync.
  kTwice = 1 << 2,     // ... twice.
  kOldRules = 1 << 3,
};
// Between value, metadata and cursor.
constexpr char kSeparator = '\x1F';
// docs/capture-format.md: deeper values are hashed as they stand.
constexpr int kDepthMax = 256;
constexpr int kEventsMax = 100;

class Listener final : public proxy::BackendListener {
 public:
  explicit Listener(proxy::Backend& backend) : backend_(backend) {}

  // What UpdateAsync's function gives.
  proxy::TransformOutput output;
  std::optional<proxy::BackendAnswer> answer;

  void RunToAnswer(Time& now) {
    answer.reset();
    for (int i = 0; i < kEventsMax && !answer; ++i) {
      now = std::max(now, backend_.NextEvent().value_or(now));
      backend_.AdvanceTo(now, *this);
    }
    DSTAP_CHECK(answer.has_value());
  }

  void OnTransform(proxy::CallId call, Time now, proxy::TransformInput /*input*/) override {
    backend_.TransformDone(call, now, output);
  }
  void OnAnswer(proxy::CallId /*call*/, Time /*now*/, proxy::BackendAnswer given) override {
    answer = std::move(given);
  }
  void OnQueued(proxy::CallId, Time, v1::RequestType, std::string_view) override {}
  void OnAdmitted(proxy::CallId, Time) override {}
  void OnNotice(proxy::SourceId, Time, v1::NoticeKind, std::string_view) override {}
  void OnLimits(proxy::SourceId, Time, const v1::Limits&) override {}

 private:
  proxy::Backend& backend_;
};

struct Parts {
  uint8_t options = 0;
  std::string value, metadata, cursor;
};

Parts PartsOf(std::string_view input) {
  Parts parts;
  if (input.empty()) return parts;
  parts.options = static_cast<uint8_t>(input[0]);
  input.remove_prefix(1);
  for (std::string* part : {&parts.value, &parts.metadata}) {
    const size_t end = std::min(input.find(kSeparator), input.size());
    *part = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  parts.cursor = input;
  return parts;
}

// The library takes a NUL for the end of the text.
bool IsJson(const std::string& text) {
  return text.find('\0') == std::string::npos && nlohmann::json::accept(text);
}

void StoreAndRead(const Parts& parts) {
  auto made = proxy::MakeBackend(
      "simulator", {.rule_profile = (parts.options & kOldRules) != 0 ? "2020" : "2026"});
  DSTAP_CHECK(made.ok());
  proxy::Backend& backend = **made;
  Listener listener(backend);
  Time now{0};
  backend.AddSource(1, now, 1);
  proxy::Request request;
  request.source = 1;
  request.store = {.name = "store", .scope = "global"};
  if ((parts.options & kOrdered) != 0) request.store.kind = v1::STORE_KIND_ORDERED;
  request.key = "key";
  proxy::CallId call = 0;
  const bool by_update = (parts.options & kByUpdate) != 0;
  for (int i = 0; i < ((parts.options & kTwice) != 0 ? 2 : 1); ++i) {
    proxy::Request write = request;
    write.method = by_update ? v1::METHOD_UPDATE_ASYNC : v1::METHOD_SET_ASYNC;
    listener.output = {.outcome = v1::TRANSFORM_OUTCOME_VALUE, .value = parts.value};
    if (!parts.metadata.empty()) listener.output.metadata = parts.metadata;
    if (!by_update) {
      write.value = parts.value;
      write.metadata = listener.output.metadata;
    }
    backend.Submit(++call, now, write);
    listener.RunToAnswer(now);
  }
  const bool stored = listener.answer->outcome == v1::OUTCOME_OK;
  DSTAP_CHECK(!stored || IsJson(parts.value));

  proxy::Request read = request;
  read.method = v1::METHOD_GET_ASYNC;
  read.use_cache = v1::USE_CACHE_FALSE;
  backend.Submit(++call, now, read);
  listener.RunToAnswer(now);
  // An ordered store keeps the number, not its text.
  if (stored && (parts.options & kOrdered) == 0) DSTAP_CHECK(listener.answer->value == parts.value);
  if (!stored) DSTAP_CHECK(!listener.answer->value.has_value());

  for (const auto method : {v1::METHOD_GET_SORTED_ASYNC, v1::METHOD_LIST_KEYS_ASYNC,
                            v1::METHOD_LIST_VERSIONS_ASYNC, v1::METHOD_LIST_DATA_STORES_ASYNC,
                            v1::METHOD_GET_VERSION_ASYNC, v1::METHOD_INCREMENT_ASYNC}) {
    proxy::Request other = request;
    other.method = method;
    other.list.set_cursor(parts.cursor);
    other.list.set_version(parts.cursor);
    other.delta = 1;
    backend.Submit(++call, now, other);
    listener.RunToAnswer(now);
  }
}

// How deep lists and objects stand in each other.
int DepthOf(const std::string& json) {
  int depth = 0;
  const auto note = [&depth](int at, nlohmann::json::parse_event_t event, nlohmann::json&) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start)
      depth = std::max(depth, at + 1);
    return false;  // Keeps nothing.
  };
  std::ignore = nlohmann::json::parse(json, note, false);
  return depth;
}

// The page's words once more, by a library: XXH3 of the text with sorted keys and no white space.
void CheckHash(const std::string& json) {
  const auto xxh3 = [](std::string_view text) {
    const uint64_t hash = XXH3_64bits(text.data(), text.size());
    return hash == 0 ? uint64_t{1} : hash;
  };
  const uint64_t hash = proxy::HashOfValue(json);
  if (json.size() < 3 || !IsJson(json) || DepthOf(json) > kDepthMax) {
    DSTAP_CHECK(hash == xxh3(json));
    return;
  }
  const auto value = nlohmann::json::parse(json);
  DSTAP_CHECK(hash == xxh3(value.dump()));
  DSTAP_CHECK(hash == proxy::HashOfValue(value.dump(2) + "   "));
}

}  // namespace

void RunInput(std::string_view input) {
  const Parts parts = PartsOf(input);
  for (const std::string* text : {&parts.value, &parts.metadata}) CheckHash(*text);
  StoreAndRead(parts);
}

std::vector<std::string> Seeds() {
  const std::array values = {
      R"({"coins":1,"name":"a","list":[1,2.5,-3e2,true,false,null],"o":{"z":1,"a":{}}})",
      R"({"b":1,"a":2,"b":3})",
      R"({ "spaced" : [ 1 , 2 ] })",
      R"("\u00e9 \ud83d\ude00 \\ \" \/ text")",
      "12",
      "12.0",
      "-0",
      "-0.0",
      "9223372036854775807",
      "18446744073709551615",
      "1e308",
      "1e400",
      "[[[[[[]]]]]]",
      R"({"m":null,"t":"buffer","zbase64":"KLUv/SAAAQAA"})",
      "null",
      "[1,",
      "",
  };
  std::vector<std::string> seeds;
  uint8_t options = 0;
  for (const char* value : values) {
    std::string seed(1, static_cast<char>(options++ & 0xF));
    seed += value;
    seed += kSeparator;
    seed += R"({"tag":1})";
    seed += kSeparator;
    seed += "12 key";
    seeds.push_back(seed);
  }
  // At the depth to which values are sorted, and past it.
  for (const size_t depth : {kDepthMax, kDepthMax + 1}) {
    seeds.push_back('\0' + std::string(depth, '[') + std::string(depth, ']'));
  }
  return seeds;
}

std::string MutateInput(std::string_view input, Prng& random, const ByteMutator& mutate) {
  static constexpr std::array kPieces = {"{",    "}",    "[",        "]",    ",",    ":",
                                         "\"",   "\\",   "\\u",      "null", "true", "1e",
                                         "\xFF", "-0.0", "\xC3\xA9", "9",    " ",    "\x1F"};
  std::string out(input);
  const uint64_t what = random.Below(4);
  const size_t at = random.Below(out.size() + 1);
  if (what == 0) {
    out.insert(at, kPieces[random.Below(kPieces.size())]);
  } else if (what == 1) {
    const size_t from = random.Below(out.size() + 1);
    out.insert(at, out.substr(from, random.Below(64)));
  } else {
    mutate(out);
  }
  return out;
}

}  // namespace dstap::fuzz
