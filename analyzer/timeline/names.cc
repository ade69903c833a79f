#include "analyzer/timeline/names.h"

namespace dstap::analyzer {

std::string_view NameOf(Method method) {
  switch (method) {
    case Method::kUnknown:
      return "unknown";
    case Method::kGetAsync:
      return "GetAsync";
    case Method::kSetAsync:
      return "SetAsync";
    case Method::kUpdateAsync:
      return "UpdateAsync";
    case Method::kIncrementAsync:
      return "IncrementAsync";
    case Method::kRemoveAsync:
      return "RemoveAsync";
    case Method::kGetVersionAsync:
      return "GetVersionAsync";
    case Method::kGetVersionAtTimeAsync:
      return "GetVersionAtTimeAsync";
    case Method::kRemoveVersionAsync:
      return "RemoveVersionAsync";
    case Method::kListDataStoresAsync:
      return "ListDataStoresAsync";
    case Method::kListKeysAsync:
      return "ListKeysAsync";
    case Method::kListVersionsAsync:
      return "ListVersionsAsync";
    case Method::kGetSortedAsync:
      return "GetSortedAsync";
    case Method::kBatchGetAsync:
      return "BatchGetAsync";
    case Method::kOnUpdate:
      return "OnUpdate";
    case Method::kDeleteDataStore:
      return "DeleteDataStore";
    case Method::kUndeleteDataStore:
      return "UndeleteDataStore";
    case Method::kSnapshotDataStores:
      return "SnapshotDataStores";
    case Method::kCreateEntry:
      return "CreateEntry";
    case Method::kMemoryMapGet:
      return "MemoryMap.GetAsync";
    case Method::kMemoryMapSet:
      return "MemoryMap.SetAsync";
    case Method::kMemoryMapUpdate:
      return "MemoryMap.UpdateAsync";
    case Method::kMemoryMapRemove:
      return "MemoryMap.RemoveAsync";
    case Method::kMemoryMapList:
      return "MemoryMap.ListItemsAsync";
    case Method::kMemorySortedMapGet:
      return "MemorySortedMap.GetAsync";
    case Method::kMemorySortedMapSet:
      return "MemorySortedMap.SetAsync";
    case Method::kMemorySortedMapUpdate:
      return "MemorySortedMap.UpdateAsync";
    case Method::kMemorySortedMapRemove:
      return "MemorySortedMap.RemoveAsync";
    case Method::kMemorySortedMapRange:
      return "MemorySortedMap.GetRangeAsync";
    case Method::kMemoryQueueAdd:
      return "MemoryQueue.AddAsync";
    case Method::kMemoryQueueRead:
      return "MemoryQueue.ReadAsync";
    case Method::kMemoryQueueRemove:
      return "MemoryQueue.RemoveAsync";
    case Method::kPublishAsync:
      return "PublishAsync";
    case Method::kSubscribeAsync:
      return "SubscribeAsync";
  }
  return "unknown";
}

std::string_view NameOf(StoreKind kind) {
  switch (kind) {
    case StoreKind::kUnknown:
      return "unknown";
    case StoreKind::kStandard:
      return "standard";
    case StoreKind::kOrdered:
      return "ordered";
    case StoreKind::kMemoryHashMap:
      return "memory_hash_map";
    case StoreKind::kMemorySortedMap:
      return "memory_sorted_map";
    case StoreKind::kMemoryQueue:
      return "memory_queue";
    case StoreKind::kTopic:
      return "topic";
  }
  return "unknown";
}

std::string_view NameOf(ServedBy served_by) {
  switch (served_by) {
    case ServedBy::kUnknown:
      return "unknown";
    case ServedBy::kBackend:
      return "backend";
    case ServedBy::kLocalCopy:
      return "local_copy";
  }
  return "unknown";
}

std::string_view NameOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnknown:
      return "unknown";
    case Outcome::kOk:
      return "ok";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kDropped:
      return "dropped";
    case Outcome::kRejected:
      return "rejected";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kInFlight:
      return "in_flight";
  }
  return "unknown";
}

std::string_view NameOf(TransformOutcome outcome) {
  switch (outcome) {
    case TransformOutcome::kUnknown:
      return "unknown";
    case TransformOutcome::kValue:
      return "value";
    case TransformOutcome::kNil:
      return "nil";
    case TransformOutcome::kRaised:
      return "raised";
    case TransformOutcome::kNone:
      return "none";
  }
  return "unknown";
}

std::string_view NameOf(RequestType type) {
  switch (type) {
    case RequestType::kUnknown:
      return "unknown";
    case RequestType::kGetAsync:
      return "GetAsync";
    case RequestType::kSetIncrementAsync:
      return "SetIncrementAsync";
    case RequestType::kUpdateAsync:
      return "UpdateAsync";
    case RequestType::kGetSortedAsync:
      return "GetSortedAsync";
    case RequestType::kSetIncrementSortedAsync:
      return "SetIncrementSortedAsync";
    case RequestType::kOnUpdate:
      return "OnUpdate";
    case RequestType::kListAsync:
      return "ListAsync";
    case RequestType::kGetVersionAsync:
      return "GetVersionAsync";
    case RequestType::kRemoveVersionAsync:
      return "RemoveVersionAsync";
    case RequestType::kStandardRead:
      return "StandardRead";
    case RequestType::kStandardWrite:
      return "StandardWrite";
    case RequestType::kStandardList:
      return "StandardList";
    case RequestType::kStandardRemove:
      return "StandardRemove";
    case RequestType::kOrderedRead:
      return "OrderedRead";
    case RequestType::kOrderedWrite:
      return "OrderedWrite";
    case RequestType::kOrderedList:
      return "OrderedList";
    case RequestType::kOrderedRemove:
      return "OrderedRemove";
  }
  return "unknown";
}

std::string_view NameOf(ValueEncoding encoding) {
  switch (encoding) {
    case ValueEncoding::kUnknown:
      return "unknown";
    case ValueEncoding::kJson:
      return "json";
    case ValueEncoding::kRaw:
      return "raw";
  }
  return "unknown";
}

std::string_view NameOf(ClockKind clock) {
  switch (clock) {
    case ClockKind::kUnknown:
      return "unknown";
    case ClockKind::kVirtual:
      return "virtual";
    case ClockKind::kWall:
      return "wall";
  }
  return "unknown";
}

std::string_view NameOf(NoticeKind kind) {
  switch (kind) {
    case NoticeKind::kUnknown:
      return "unknown";
    case NoticeKind::kQueueWarning:
      return "queue_warning";
    case NoticeKind::kOutput:
      return "output";
    case NoticeKind::kWarning:
      return "warning";
    case NoticeKind::kError:
      return "error";
    case NoticeKind::kRecorder:
      return "recorder";
  }
  return "unknown";
}

std::string_view NameOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kUnknown:
      return "unknown";
    case FaultKind::kDrop:
      return "drop";
    case FaultKind::kQueue:
      return "queue";
    case FaultKind::kError:
      return "error";
    case FaultKind::kLatency:
      return "latency";
    case FaultKind::kNeverAnswer:
      return "never_answer";
    case FaultKind::kAmbiguousApplied:
      return "ambiguous_applied";
    case FaultKind::kAmbiguousNotApplied:
      return "ambiguous_not_applied";
    case FaultKind::kConflict:
      return "conflict";
    case FaultKind::kServerCrash:
      return "server_crash";
  }
  return "unknown";
}

std::string_view NameOf(LossReason reason) {
  switch (reason) {
    case LossReason::kUnknown:
      return "unknown";
    case LossReason::kWrite:
      return "write";
    case LossReason::kOverflow:
      return "overflow";
    case LossReason::kClient:
      return "client";
    case LossReason::kDamage:
      return "damage";
  }
  return "unknown";
}

std::string_view NameOf(EndReason reason) {
  switch (reason) {
    case EndReason::kUnknown:
      return "unknown";
    case EndReason::kClosed:
      return "closed";
    case EndReason::kSignal:
      return "signal";
    case EndReason::kDiskFull:
      return "disk_full";
    case EndReason::kLimit:
      return "limit";
    case EndReason::kCommandFailed:
      return "command_failed";
    case EndReason::kRecovered:
      return "recovered";
  }
  return "unknown";
}

std::string_view NameOf(FileState state) {
  switch (state) {
    case FileState::kClosed:
      return "closed";
    case FileState::kUnfinished:
      return "unfinished";
    case FileState::kDamaged:
      return "damaged";
    case FileState::kUnreadable:
      return "unreadable";
  }
  return "unknown";
}

}  // namespace dstap::analyzer
