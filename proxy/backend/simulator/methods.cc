#include "proxy/backend/simulator/methods.h"

#include "proxy/backend/simulator/errors.h"

namespace dstap::proxy {
namespace {

using Latency = MethodRow::Latency;
using Counts = MethodRow::Counts;
using Cost = MethodRow::Cost;
using Types = std::array<v1::RequestType, 2>;

constexpr auto kNone = v1::REQUEST_TYPE_UNKNOWN;
constexpr auto kStandard = v1::STORE_KIND_STANDARD;
constexpr auto kOrdered = v1::STORE_KIND_ORDERED;
constexpr auto kAnyKind = v1::STORE_KIND_UNKNOWN;

constexpr Types kRead{v1::REQUEST_TYPE_STANDARD_READ, kNone};
constexpr Types kWrite{v1::REQUEST_TYPE_STANDARD_WRITE, kNone};
constexpr Types kReadWrite{v1::REQUEST_TYPE_STANDARD_READ, v1::REQUEST_TYPE_STANDARD_WRITE};
constexpr Types kRemove{v1::REQUEST_TYPE_STANDARD_REMOVE, kNone};
constexpr Types kList{v1::REQUEST_TYPE_STANDARD_LIST, kNone};
constexpr Types kRemoveVersion{v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC, kNone};
constexpr Types kOrderedRead{v1::REQUEST_TYPE_ORDERED_READ, kNone};
constexpr Types kOrderedWrite{v1::REQUEST_TYPE_ORDERED_WRITE, kNone};
constexpr Types kOrderedReadWrite{v1::REQUEST_TYPE_ORDERED_READ, v1::REQUEST_TYPE_ORDERED_WRITE};
constexpr Types kOrderedRemove{v1::REQUEST_TYPE_ORDERED_REMOVE, kNone};
constexpr Types kOrderedList{v1::REQUEST_TYPE_ORDERED_LIST, kNone};

constexpr Types kGet{v1::REQUEST_TYPE_GET_ASYNC, kNone};
constexpr Types kSet{v1::REQUEST_TYPE_SET_INCREMENT_ASYNC, kNone};
constexpr Types kGetSet{v1::REQUEST_TYPE_GET_ASYNC, v1::REQUEST_TYPE_SET_INCREMENT_ASYNC};
constexpr Types kSetSorted{v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC, kNone};
constexpr Types kGetSetSorted{v1::REQUEST_TYPE_GET_ASYNC,
                              v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC};
constexpr Types kGetSorted{v1::REQUEST_TYPE_GET_SORTED_ASYNC, kNone};
constexpr Types kGetVersion{v1::REQUEST_TYPE_GET_VERSION_ASYNC, kNone};
constexpr Types kOnUpdate{v1::REQUEST_TYPE_ON_UPDATE, kNone};
constexpr Types kNoType{kNone, kNone};
constexpr Types kListAsync{v1::REQUEST_TYPE_LIST_ASYNC, kNone};

constexpr Cost kReads{Latency::kRead, Counts::kRead};
constexpr Cost kWrites{Latency::kWrite, Counts::kWrite};
constexpr Cost kReadsOld{Latency::kList, Counts::kRead};  // Versions.
constexpr Cost kDropsOld{Latency::kWrite, Counts::kNothing};
constexpr Cost kLists{Latency::kList, Counts::kNothing};
constexpr Cost kConnects{Latency::kNone, Counts::kNothing};

// clang-format off
constexpr MethodRow kMethods[] = {
    {v1::METHOD_GET_ASYNC,       kStandard, kRead,      kGet,    kReads},
    {v1::METHOD_SET_ASYNC,       kStandard, kWrite,     kSet,    kWrites},
    {v1::METHOD_INCREMENT_ASYNC, kStandard, kWrite,     kSet,    kWrites},
    {v1::METHOD_UPDATE_ASYNC,    kStandard, kReadWrite, kGetSet, kReads},
    {v1::METHOD_REMOVE_ASYNC,    kStandard, kRemove,    kSet,    kWrites},

    {v1::METHOD_GET_ASYNC,       kOrdered, kOrderedRead,      kGet,          kReads},
    {v1::METHOD_SET_ASYNC,       kOrdered, kOrderedWrite,     kSetSorted,    kWrites},
    {v1::METHOD_INCREMENT_ASYNC, kOrdered, kOrderedWrite,     kSetSorted,    kWrites},
    {v1::METHOD_UPDATE_ASYNC,    kOrdered, kOrderedReadWrite, kGetSetSorted, kReads},
    {v1::METHOD_REMOVE_ASYNC,    kOrdered, kOrderedRemove,    kSetSorted,    kWrites},
    {v1::METHOD_GET_SORTED_ASYNC, kOrdered, kOrderedList,     kGetSorted,    kLists},
    {v1::METHOD_BATCH_GET_ASYNC,  kOrdered, kOrderedRead,     kNoType,       kLists},
    {v1::METHOD_ON_UPDATE,        kAnyKind, kOnUpdate,        kOnUpdate,     kConnects},

    {v1::METHOD_GET_VERSION_ASYNC,         kStandard, kRead, kGetVersion, kReadsOld, true},
    {v1::METHOD_GET_VERSION_AT_TIME_ASYNC, kStandard, kRead, kGetVersion, kReadsOld, true},
    {v1::METHOD_REMOVE_VERSION_ASYNC, kStandard, kRemoveVersion, kRemoveVersion, kDropsOld, true},
    {v1::METHOD_LIST_VERSIONS_ASYNC,    kStandard, kList, kListAsync, kReadsOld, true},
    {v1::METHOD_LIST_KEYS_ASYNC,        kStandard, kList, kListAsync, kLists, true},
    {v1::METHOD_LIST_DATA_STORES_ASYNC, kAnyKind,  kList, kListAsync, kLists, true},
};
// clang-format on

}  // namespace

std::span<const MethodRow> Methods() { return kMethods; }

const MethodRow* FindMethod(v1::Method method, v1::StoreKind kind, const RuleProfile& rules) {
  for (const MethodRow& row : kMethods) {
    if (row.method != method || (row.kind != kAnyKind && row.kind != kind)) continue;
    const bool too_young = (row.needs_versions && rules.versions == 0) ||
                           (row.legacy[0] == kNone && rules.current_types == 0);
    return too_young ? nullptr : &row;
  }
  return nullptr;
}

CallError NoMethodError(v1::Method method, v1::StoreKind kind) {
  bool is_known = false;
  for (const MethodRow& row : kMethods) is_known = is_known || row.method == method;
  const std::string name = MethodName(method);
  if (!is_known) return MakeError(ErrorId::kNotSimulated, name);
  if (method == v1::METHOD_LIST_DATA_STORES_ASYNC) return MakeError(ErrorId::kNotInService, name);
  if (kind == v1::STORE_KIND_ORDERED) return MakeError(ErrorId::kNotInOrdered, name);
  if (method == v1::METHOD_BATCH_GET_ASYNC) return MakeError(ErrorId::kBatchOfStandard);
  return MakeError(ErrorId::kNotInStandard, name);
}

}  // namespace dstap::proxy
