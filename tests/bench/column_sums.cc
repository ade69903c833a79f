// Sums::Add() of whole columns: the numbers are those of the record-wise one in sums.cc.
#include <vector>

#include "tests/bench/sums.h"

namespace dstap::bench {
namespace {

using capture::ChunkColumns;
using capture::Column;
using C = v1::Calls;

uint64_t OfText(std::string_view text) {
  if (text.empty()) return 0;
  return text.size() << 16 | static_cast<uint64_t>(static_cast<unsigned char>(text.front())) << 8 |
         static_cast<unsigned char>(text.back());
}

// Of texts by their index: each string is looked at once, each call's index too.
uint64_t TextSum(const Column& column, std::span<const std::string_view> strings) {
  if (column.empty()) return 0;
  static thread_local std::vector<uint64_t> of;
  of.assign(1, 0);
  for (const std::string_view text : strings) of.push_back(OfText(text));
  return column.Visit([](auto numbers) {
    uint64_t sum = 0;
    for (const auto number : numbers) sum += of[number];
    return sum;
  });
}

// Absolute times of what is stored as ticks after the call was issued, plus 1.
uint64_t TimeSum(const Column& after, const Column& issued, uint64_t tick) {
  const auto starts =
      issued.Visit([](auto numbers) { return static_cast<const void*>(numbers.data()); });
  const auto* const start = static_cast<const uint64_t*>(starts);
  return after.Visit([&](auto numbers) {
    uint64_t ticks = 0;
    uint64_t seen = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      const uint64_t is_there = numbers[i] != 0 ? 1 : 0;
      ticks += (start[i] + numbers[i] - 1) & (0 - is_there);
      seen += is_there;
    }
    return ticks * tick + seen;
  });
}

}  // namespace

void Sums::Add(const ChunkColumns& chunk) {
  calls_ += chunk.calls();
  const auto tick = static_cast<uint64_t>(chunk.tick_ns());
  const auto column = [&chunk](int field) -> const Column& { return chunk.column(field); };
  uint64_t* sum = sums_.data();
  const auto add = [&sum](uint64_t number) { *sum++ += number; };
  const auto plain = [&](int field) { add(column(field).Sum()); };
  const auto text = [&](int field, ChunkColumns::Table table) {
    add(TextSum(column(field), chunk.table(table)));
  };
  plain(C::kIdDeltaFieldNumber);
  plain(C::kSourceFieldNumber);
  text(C::kCallerFieldNumber, ChunkColumns::kNames);
  plain(C::kMethodFieldNumber);
  text(C::kStoreFieldNumber, ChunkColumns::kNames);
  text(C::kScopeFieldNumber, ChunkColumns::kNames);
  plain(C::kStoreKindFieldNumber);
  plain(C::kAllScopesFieldNumber);
  text(C::kKeyFieldNumber, ChunkColumns::kKeys);
  plain(C::kUseCacheFieldNumber);
  uint64_t lists = 0;
  const Column& list = column(C::kListFieldNumber);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == 0) continue;
    v1::ListArguments arguments;
    const std::string_view bytes = chunk.ListAt(list[i]);
    arguments.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    lists += 1 + arguments.page_size() + arguments.items();
  }
  add(lists);
  const Column& issued = column(C::kIssuedDeltaFieldNumber);
  add(issued.Sum() * tick);
  add(TimeSum(column(C::kAdmittedAfterFieldNumber), issued, tick));
  add(TimeSum(column(C::kCompletedAfterFieldNumber), issued, tick));
  plain(C::kTimesQueuedFieldNumber);
  add(column(C::kQueuedTicksFieldNumber).Sum() * tick);
  plain(C::kServedByFieldNumber);
  const Column& runs = column(C::kTransformRunsFieldNumber);
  plain(C::kTransformRunsFieldNumber);
  plain(C::kRunOutcomeFieldNumber);
  uint64_t started = column(C::kRunStartedAfterFieldNumber).Sum();
  for (size_t i = 0; i < runs.size(); ++i) started += issued[i] * runs[i];
  add(started * tick);
  add(column(C::kRunTicksFieldNumber).Sum() * tick);
  plain(C::kOutcomeFieldNumber);
  plain(C::kErrorCodeFieldNumber);
  text(C::kErrorNameFieldNumber, ChunkColumns::kTexts);
  text(C::kErrorTextFieldNumber, ChunkColumns::kTexts);
  plain(C::kReadBytesFieldNumber);
  plain(C::kReadHashFieldNumber);
  plain(C::kWrittenBytesFieldNumber);
  plain(C::kWrittenHashFieldNumber);
  text(C::kVersionFieldNumber, ChunkColumns::kIdentities);
  for (const int first : {C::kFirstTypeFieldNumber, C::kSecondTypeFieldNumber}) {
    for (int field = first; field < first + 4; ++field) plain(field);
  }
  plain(C::kFaultFieldNumber);
}

}  // namespace dstap::bench
