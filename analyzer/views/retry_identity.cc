#include "analyzer/views/retry_identity.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace dstap::analyzer {
namespace {

// With its length, so that no two different lists of parts become the same text.
void AppendPart(std::string_view part, std::string& out) {
  const auto size = static_cast<uint32_t>(part.size());
  for (uint32_t shift = 0; shift < 32; shift += 8) out += static_cast<char>(size >> shift);
  out += part;
}

void AppendPart(int64_t number, std::string& out) { AppendPart(std::to_string(number), out); }

template <typename T>
void AppendPart(const std::optional<T>& part, std::string& out) {
  out += part ? '+' : '-';
  if (part) AppendPart(*part, out);
}

// The next page of a list, or another version, is not the same thing tried again.
void AppendList(const ListArguments& list, std::string& out) {
  AppendPart(list.prefix, out);
  AppendPart(list.cursor, out);
  AppendPart(list.version, out);
  AppendPart(list.page, out);
  AppendPart(list.at_ms, out);
  AppendPart(list.min_date_ms, out);
  AppendPart(list.max_date_ms, out);
  AppendPart(list.min_value, out);
  AppendPart(list.max_value, out);
  for (const std::string& key : list.keys) AppendPart(key, out);
}

}  // namespace

Method TriedAs(Method method) {
  return method == Method::kGetAsync ? Method::kUpdateAsync : method;
}

bool IsTriedAgain(Method method) {
  switch (method) {
    case Method::kUnknown:
    case Method::kMemoryQueueAdd:
    case Method::kMemoryQueueRead:
    case Method::kMemoryQueueRemove:
    case Method::kPublishAsync:
      return false;
    default:
      return true;
  }
}

void IdentityOf(const Call& call, std::string& out) {
  out.clear();
  out += static_cast<char>(TriedAs(call.method));
  out += static_cast<char>(call.store_kind);
  out += call.all_scopes ? '*' : '.';
  AppendPart(call.store, out);
  AppendPart(call.scope.empty() ? "global" : call.scope, out);
  AppendPart(call.key, out);
  if (call.list != nullptr) AppendList(*call.list, out);
}

}  // namespace dstap::analyzer
