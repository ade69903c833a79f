#include "proto/capture/names.h"

#include <array>

namespace dstap::capture {
namespace {

template <size_t kSize>
using Names = std::array<std::string_view, kSize>;

constexpr auto kMethod = [] {
  Names<v1::Method_ARRAYSIZE> names;
  names[v1::METHOD_UNKNOWN] = "unknown";
  names[v1::METHOD_GET_ASYNC] = "GetAsync";
  names[v1::METHOD_SET_ASYNC] = "SetAsync";
  names[v1::METHOD_UPDATE_ASYNC] = "UpdateAsync";
  names[v1::METHOD_INCREMENT_ASYNC] = "IncrementAsync";
  names[v1::METHOD_REMOVE_ASYNC] = "RemoveAsync";
  names[v1::METHOD_GET_VERSION_ASYNC] = "GetVersionAsync";
  names[v1::METHOD_GET_VERSION_AT_TIME_ASYNC] = "GetVersionAtTimeAsync";
  names[v1::METHOD_REMOVE_VERSION_ASYNC] = "RemoveVersionAsync";
  names[v1::METHOD_LIST_DATA_STORES_ASYNC] = "ListDataStoresAsync";
  names[v1::METHOD_LIST_KEYS_ASYNC] = "ListKeysAsync";
  names[v1::METHOD_LIST_VERSIONS_ASYNC] = "ListVersionsAsync";
  names[v1::METHOD_GET_SORTED_ASYNC] = "GetSortedAsync";
  names[v1::METHOD_BATCH_GET_ASYNC] = "BatchGetAsync";
  names[v1::METHOD_ON_UPDATE] = "OnUpdate";
  names[v1::METHOD_DELETE_DATA_STORE] = "DeleteDataStore";
  names[v1::METHOD_UNDELETE_DATA_STORE] = "UndeleteDataStore";
  names[v1::METHOD_SNAPSHOT_DATA_STORES] = "SnapshotDataStores";
  names[v1::METHOD_CREATE_ENTRY] = "CreateEntry";
  names[v1::METHOD_MEMORY_MAP_GET] = "MemoryMap.GetAsync";
  names[v1::METHOD_MEMORY_MAP_SET] = "MemoryMap.SetAsync";
  names[v1::METHOD_MEMORY_MAP_UPDATE] = "MemoryMap.UpdateAsync";
  names[v1::METHOD_MEMORY_MAP_REMOVE] = "MemoryMap.RemoveAsync";
  names[v1::METHOD_MEMORY_MAP_LIST] = "MemoryMap.ListItemsAsync";
  names[v1::METHOD_MEMORY_SORTED_MAP_GET] = "MemorySortedMap.GetAsync";
  names[v1::METHOD_MEMORY_SORTED_MAP_SET] = "MemorySortedMap.SetAsync";
  names[v1::METHOD_MEMORY_SORTED_MAP_UPDATE] = "MemorySortedMap.UpdateAsync";
  names[v1::METHOD_MEMORY_SORTED_MAP_REMOVE] = "MemorySortedMap.RemoveAsync";
  names[v1::METHOD_MEMORY_SORTED_MAP_RANGE] = "MemorySortedMap.GetRangeAsync";
  names[v1::METHOD_MEMORY_QUEUE_ADD] = "MemoryQueue.AddAsync";
  names[v1::METHOD_MEMORY_QUEUE_READ] = "MemoryQueue.ReadAsync";
  names[v1::METHOD_MEMORY_QUEUE_REMOVE] = "MemoryQueue.RemoveAsync";
  names[v1::METHOD_PUBLISH_ASYNC] = "PublishAsync";
  names[v1::METHOD_SUBSCRIBE_ASYNC] = "SubscribeAsync";
  return names;
}();

constexpr auto kStoreKind = [] {
  Names<v1::StoreKind_ARRAYSIZE> names;
  names[v1::STORE_KIND_UNKNOWN] = "unknown";
  names[v1::STORE_KIND_STANDARD] = "standard";
  names[v1::STORE_KIND_ORDERED] = "ordered";
  names[v1::STORE_KIND_MEMORY_HASH_MAP] = "memory_hash_map";
  names[v1::STORE_KIND_MEMORY_SORTED_MAP] = "memory_sorted_map";
  names[v1::STORE_KIND_MEMORY_QUEUE] = "memory_queue";
  names[v1::STORE_KIND_TOPIC] = "topic";
  return names;
}();

constexpr auto kUseCache = [] {
  Names<v1::UseCache_ARRAYSIZE> names;
  names[v1::USE_CACHE_UNSET] = "unset";
  names[v1::USE_CACHE_TRUE] = "true";
  names[v1::USE_CACHE_FALSE] = "false";
  return names;
}();

constexpr auto kServedBy = [] {
  Names<v1::ServedBy_ARRAYSIZE> names;
  names[v1::SERVED_BY_UNKNOWN] = "unknown";
  names[v1::SERVED_BY_BACKEND] = "backend";
  names[v1::SERVED_BY_LOCAL_COPY] = "local_copy";
  return names;
}();

constexpr auto kOutcome = [] {
  Names<v1::Outcome_ARRAYSIZE> names;
  names[v1::OUTCOME_UNKNOWN] = "unknown";
  names[v1::OUTCOME_OK] = "ok";
  names[v1::OUTCOME_CANCELLED] = "cancelled";
  names[v1::OUTCOME_DROPPED] = "dropped";
  names[v1::OUTCOME_REJECTED] = "rejected";
  names[v1::OUTCOME_FAILED] = "failed";
  names[v1::OUTCOME_IN_FLIGHT] = "in_flight";
  return names;
}();

constexpr auto kTransformOutcome = [] {
  Names<v1::TransformOutcome_ARRAYSIZE> names;
  names[v1::TRANSFORM_OUTCOME_UNKNOWN] = "unknown";
  names[v1::TRANSFORM_OUTCOME_VALUE] = "value";
  names[v1::TRANSFORM_OUTCOME_NIL] = "nil";
  names[v1::TRANSFORM_OUTCOME_RAISED] = "raised";
  names[v1::TRANSFORM_OUTCOME_NONE] = "none";
  return names;
}();

constexpr auto kRequestType = [] {
  Names<v1::RequestType_ARRAYSIZE> names;
  names[v1::REQUEST_TYPE_UNKNOWN] = "unknown";
  names[v1::REQUEST_TYPE_GET_ASYNC] = "GetAsync";
  names[v1::REQUEST_TYPE_SET_INCREMENT_ASYNC] = "SetIncrementAsync";
  names[v1::REQUEST_TYPE_UPDATE_ASYNC] = "UpdateAsync";
  names[v1::REQUEST_TYPE_GET_SORTED_ASYNC] = "GetSortedAsync";
  names[v1::REQUEST_TYPE_SET_INCREMENT_SORTED_ASYNC] = "SetIncrementSortedAsync";
  names[v1::REQUEST_TYPE_ON_UPDATE] = "OnUpdate";
  names[v1::REQUEST_TYPE_LIST_ASYNC] = "ListAsync";
  names[v1::REQUEST_TYPE_GET_VERSION_ASYNC] = "GetVersionAsync";
  names[v1::REQUEST_TYPE_REMOVE_VERSION_ASYNC] = "RemoveVersionAsync";
  names[v1::REQUEST_TYPE_STANDARD_READ] = "StandardRead";
  names[v1::REQUEST_TYPE_STANDARD_WRITE] = "StandardWrite";
  names[v1::REQUEST_TYPE_STANDARD_LIST] = "StandardList";
  names[v1::REQUEST_TYPE_STANDARD_REMOVE] = "StandardRemove";
  names[v1::REQUEST_TYPE_ORDERED_READ] = "OrderedRead";
  names[v1::REQUEST_TYPE_ORDERED_WRITE] = "OrderedWrite";
  names[v1::REQUEST_TYPE_ORDERED_LIST] = "OrderedList";
  names[v1::REQUEST_TYPE_ORDERED_REMOVE] = "OrderedRemove";
  return names;
}();

constexpr auto kValueEncoding = [] {
  Names<v1::ValueEncoding_ARRAYSIZE> names;
  names[v1::VALUE_ENCODING_UNKNOWN] = "unknown";
  names[v1::VALUE_ENCODING_JSON] = "json";
  names[v1::VALUE_ENCODING_RAW] = "raw";
  return names;
}();

constexpr auto kClockKind = [] {
  Names<v1::ClockKind_ARRAYSIZE> names;
  names[v1::CLOCK_KIND_UNKNOWN] = "unknown";
  names[v1::CLOCK_KIND_VIRTUAL] = "virtual";
  names[v1::CLOCK_KIND_WALL] = "wall";
  return names;
}();

constexpr auto kNoticeKind = [] {
  Names<v1::NoticeKind_ARRAYSIZE> names;
  names[v1::NOTICE_KIND_UNKNOWN] = "unknown";
  names[v1::NOTICE_KIND_QUEUE_WARNING] = "queue_warning";
  names[v1::NOTICE_KIND_OUTPUT] = "output";
  names[v1::NOTICE_KIND_WARNING] = "warning";
  names[v1::NOTICE_KIND_ERROR] = "error";
  names[v1::NOTICE_KIND_RECORDER] = "recorder";
  return names;
}();

constexpr auto kFaultKind = [] {
  Names<v1::FaultKind_ARRAYSIZE> names;
  names[v1::FAULT_KIND_UNKNOWN] = "unknown";
  names[v1::FAULT_KIND_DROP] = "drop";
  names[v1::FAULT_KIND_QUEUE] = "queue";
  names[v1::FAULT_KIND_ERROR] = "error";
  names[v1::FAULT_KIND_LATENCY] = "latency";
  names[v1::FAULT_KIND_NEVER_ANSWER] = "never_answer";
  names[v1::FAULT_KIND_AMBIGUOUS_APPLIED] = "ambiguous_applied";
  names[v1::FAULT_KIND_AMBIGUOUS_NOT_APPLIED] = "ambiguous_not_applied";
  names[v1::FAULT_KIND_CONFLICT] = "conflict";
  names[v1::FAULT_KIND_SERVER_CRASH] = "server_crash";
  return names;
}();

constexpr auto kLossReason = [] {
  Names<v1::LossReason_ARRAYSIZE> names;
  names[v1::LOSS_REASON_UNKNOWN] = "unknown";
  names[v1::LOSS_REASON_WRITE] = "write";
  names[v1::LOSS_REASON_OVERFLOW] = "overflow";
  names[v1::LOSS_REASON_CLIENT] = "client";
  names[v1::LOSS_REASON_DAMAGE] = "damage";
  return names;
}();

constexpr auto kEndReason = [] {
  Names<v1::EndReason_ARRAYSIZE> names;
  names[v1::END_REASON_UNKNOWN] = "unknown";
  names[v1::END_REASON_CLOSED] = "closed";
  names[v1::END_REASON_SIGNAL] = "signal";
  names[v1::END_REASON_DISK_FULL] = "disk_full";
  names[v1::END_REASON_LIMIT] = "limit";
  names[v1::END_REASON_COMMAND_FAILED] = "command_failed";
  names[v1::END_REASON_RECOVERED] = "recovered";
  names[v1::END_REASON_CONTINUED] = "continued";
  return names;
}();

}  // namespace

template <>
std::span<const std::string_view> NamesOf<v1::Method>() {
  return kMethod;
}

template <>
std::span<const std::string_view> NamesOf<v1::StoreKind>() {
  return kStoreKind;
}

template <>
std::span<const std::string_view> NamesOf<v1::UseCache>() {
  return kUseCache;
}

template <>
std::span<const std::string_view> NamesOf<v1::ServedBy>() {
  return kServedBy;
}

template <>
std::span<const std::string_view> NamesOf<v1::Outcome>() {
  return kOutcome;
}

template <>
std::span<const std::string_view> NamesOf<v1::TransformOutcome>() {
  return kTransformOutcome;
}

template <>
std::span<const std::string_view> NamesOf<v1::RequestType>() {
  return kRequestType;
}

template <>
std::span<const std::string_view> NamesOf<v1::ValueEncoding>() {
  return kValueEncoding;
}

template <>
std::span<const std::string_view> NamesOf<v1::ClockKind>() {
  return kClockKind;
}

template <>
std::span<const std::string_view> NamesOf<v1::NoticeKind>() {
  return kNoticeKind;
}

template <>
std::span<const std::string_view> NamesOf<v1::FaultKind>() {
  return kFaultKind;
}

template <>
std::span<const std::string_view> NamesOf<v1::LossReason>() {
  return kLossReason;
}

template <>
std::span<const std::string_view> NamesOf<v1::EndReason>() {
  return kEndReason;
}

}  // namespace dstap::capture
