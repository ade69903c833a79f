// GetAsync, GetSortedAsync, BatchGetAsync.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "proxy/backend/simulator/simulator.h"
#include "proxy/backend/simulator/validate.h"

namespace dstap::proxy {

void Simulator::StartGet(Call& call) {
  const Request& request = call.request;
  if (ReadsTheCopy(request) && !HasFault(call, ServiceFault::Kind::kFail)) {
    if (const auto copy = call.server->cache().Find(request.store, request.key, now_)) {
      return Answer(call, ReadAnswer(call, *copy, v1::SERVED_BY_LOCAL_COPY));
    }
  }
  Acquire(call, 0);
}

void Simulator::ServeGet(Call& call) {
  VersionPtr latest = store_.Latest(call.place);
  call.server->cache().Put(call.request.store, call.request.key, now_, latest);
  Answer(call, ReadAnswer(call, latest, v1::SERVED_BY_BACKEND));
}

// Neither the local copy nor the keys' throughput knows of it (U, D). A key that is asked for twice
// comes once.
void Simulator::ServeBatch(Call& call) {
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_OK;
  answer.served_by = v1::SERVED_BY_BACKEND;
  std::set<std::string> given;
  for (const std::string& key : call.request.list.keys()) {
    const VersionPtr latest = store_.Latest(PlaceOf(call.request.store, key));
    if (!HasValue(latest) || !given.insert(key).second) continue;
    ListedItem item;
    item.key = key;
    item.value = latest->value;
    answer.items.push_back(std::move(item));
  }
  Answer(call, std::move(answer));
}

// By value; U: among equal values by key, upwards in both directions. Each page reads what is
// stored then, or was a while before (U).
void Simulator::ServeSorted(Call& call) {
  const v1::ListArguments& list = call.request.list;
  const bool up = list.ascending();
  struct Item {
    int64_t value;
    std::string_view key;
  };
  const bool ties_up = up || rules_.sorted_ties_up != 0;
  const auto before = [up, ties_up](const Item& a, const Item& b) {
    if (a.value != b.value) return up ? a.value < b.value : a.value > b.value;
    return ties_up ? a.key < b.key : a.key > b.key;
  };
  const std::optional<SortedCursor> cursor = SortedCursorOf(list.cursor());
  std::vector<Item> items;
  const auto entries = store_.Listed(call.place, UnixUs());
  for (const auto& [key, version] : entries) {
    const Item item{IntegerOf(version->value).value_or(0), key};
    if (list.has_min_value() && item.value < list.min_value()) continue;
    if (list.has_max_value() && item.value > list.max_value()) continue;
    if (cursor && !before({cursor->value, cursor->key}, item)) continue;
    items.push_back(item);
  }
  std::sort(items.begin(), items.end(), before);

  const size_t page_size = list.has_page_size() ? list.page_size() : kSortedPageSize;
  BackendAnswer answer;
  answer.outcome = v1::OUTCOME_OK;
  answer.served_by = v1::SERVED_BY_BACKEND;
  for (size_t i = 0; i < items.size() && i < page_size; ++i) {
    ListedItem item;
    item.key = items[i].key;
    item.value = fmt::format("{}", items[i].value);
    answer.items.push_back(std::move(item));
  }
  if (items.size() > page_size) {
    answer.cursor = fmt::format("{} {}", items[page_size - 1].value, items[page_size - 1].key);
  }
  Answer(call, std::move(answer));
}

}  // namespace dstap::proxy
