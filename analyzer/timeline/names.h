// What the values of timeline.h are called, in text and in JSON alike. Names are never changed.
#pragma once

#include <cstddef>
#include <string_view>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// One past the highest Method.
inline constexpr size_t kMethodCount = 62;

// "UpdateAsync", "MemoryQueue.ReadAsync". "unknown" for numbers that this program does not know.
std::string_view NameOf(Method method);
std::string_view NameOf(StoreKind kind);
std::string_view NameOf(UseCache use_cache);
std::string_view NameOf(ServedBy served_by);
std::string_view NameOf(Outcome outcome);
std::string_view NameOf(TransformOutcome outcome);
std::string_view NameOf(RequestType type);
std::string_view NameOf(ValueEncoding encoding);
std::string_view NameOf(ClockKind clock);
std::string_view NameOf(NoticeKind kind);
std::string_view NameOf(FaultKind kind);
std::string_view NameOf(LossReason reason);
std::string_view NameOf(EndReason reason);
std::string_view NameOf(FileState state);

// Methods that spend a DataStore budget. MemoryStoreService and MessagingService have none.
constexpr bool IsDataStore(Method method) {
  return method != Method::kUnknown && method < Method::kMemoryMapGet;
}

}  // namespace dstap::analyzer
