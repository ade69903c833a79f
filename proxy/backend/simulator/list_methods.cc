// ListDataStoresAsync, ListKeysAsync, ListVersionsAsync: a page a call, read from what is stored
// then. A cursor is the last item of the page before.
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "proxy/backend/simulator/simulator.h"
#include "proxy/backend/simulator/validate.h"

namespace dstap::proxy {
namespace {

// Collects one page: takes items until it is full, and then the cursor.
class Page {
 public:
  Page(const v1::ListArguments& list, uint32_t default_size)
      : size_(list.page_size() == 0 ? default_size : list.page_size()) {
    answer_.outcome = v1::OUTCOME_OK;
    answer_.served_by = v1::SERVED_BY_BACKEND;
  }

  // False: there was no more room, and the page is done.
  bool Add(ListedItem item, std::string cursor) {
    if (answer_.items.size() == size_) {
      answer_.cursor = last_;
      return false;
    }
    answer_.items.push_back(std::move(item));
    last_ = std::move(cursor);
    return true;
  }

  // Ends the page behind something that it did not take.
  void EndBehind(std::string cursor) { answer_.cursor = std::move(cursor); }

  BackendAnswer Take() { return std::move(answer_); }

 private:
  size_t size_;
  std::string last_;
  BackendAnswer answer_;
};

}  // namespace

void Simulator::ServeListVersions(Call& call) {
  const v1::ListArguments& list = call.request.list;
  const bool up = !list.has_ascending() || list.ascending();
  std::vector<VersionPtr> versions = store_.Versions(call.place, UnixUs());
  if (!up) std::reverse(versions.begin(), versions.end());
  Page page(list, kVersionsPageSize);
  for (const VersionPtr& version : versions) {
    const std::string& id = version->info.version;
    const int64_t created_ms = version->created_us / 1000;
    if (created_ms < list.min_date_ms()) continue;
    if (list.max_date_ms() != 0 && created_ms > list.max_date_ms()) continue;
    // Ids of one key sort by time.
    if (!list.cursor().empty() && (up ? id <= list.cursor() : id >= list.cursor())) continue;
    ListedItem item;
    item.version = id;
    item.created_ms = created_ms;
    item.deleted = version->deleted;
    if (!page.Add(std::move(item), id)) break;
  }
  Answer(call, page.Take());
}

// U: keys come in the order of their bytes, those of "scope/key" where all scopes are listed: not
// that of places, as "/" is more than "!" and "-". Or downwards.
void Simulator::ServeListKeys(Call& call) {
  const v1::ListArguments& list = call.request.list;
  const StoreName& store = call.request.store;
  const Place first{store.kind, store.name, store.scope, ""};
  const bool up = rules_.list_keys_up != 0;
  std::vector<std::pair<std::string, const Place*>> keys;
  for (auto entry = store_.entries().lower_bound(first); entry != store_.entries().end(); ++entry) {
    const Place& place = entry->first;
    if (std::tie(place.kind, place.store) != std::tie(first.kind, first.store)) break;
    if (!store.all_scopes && place.scope != store.scope) break;
    std::string name = store.all_scopes ? place.scope + "/" + place.key : place.key;
    if (!name.starts_with(list.prefix())) continue;
    const bool behind = up ? name > list.cursor() : name < list.cursor();
    if (!list.cursor().empty() && !behind) continue;
    keys.emplace_back(std::move(name), &place);
  }
  if (store.all_scopes) std::ranges::sort(keys);
  if (!up) std::ranges::reverse(keys);
  Page page(list, kKeysPageSize);
  int64_t checked = 0;
  std::string last_checked;
  for (const auto& [name, place] : keys) {
    // D: a call that leaves out removed keys looks at so many and gives what it found, if anything.
    if (list.exclude_deleted() && ++checked > rules_.list_keys_checked_max) {
      page.EndBehind(std::move(last_checked));
      break;
    }
    last_checked = name;
    if (list.exclude_deleted() && store_.Latest(*place)->deleted) continue;
    if (store_.Versions(*place, UnixUs()).empty()) continue;  // Nothing of it is left.
    ListedItem item;
    item.key = name;
    if (!page.Add(std::move(item), name)) break;
  }
  Answer(call, page.Take());
}

void Simulator::ServeListStores(Call& call) {
  const v1::ListArguments& list = call.request.list;
  // Names of standard stores, with when the first and the last thing in them was written.
  std::map<std::string, ListedItem> stores;
  for (const auto& [place, entry] : store_.entries()) {
    if (place.kind != v1::STORE_KIND_STANDARD || entry.latest->deleted) continue;
    const auto [found, is_new] = stores.try_emplace(place.store);
    ListedItem& item = found->second;
    const int64_t created_ms = entry.created_us / 1000;
    item.created_ms = is_new ? created_ms : std::min(item.created_ms, created_ms);
    item.updated_ms = std::max(item.updated_ms, entry.latest->created_us / 1000);
  }
  Page page(list, kStoresPageSize);
  for (auto& [name, item] : stores) {
    if (!name.starts_with(list.prefix()) || name <= list.cursor()) continue;
    item.key = name;
    if (!page.Add(std::move(item), name)) break;
  }
  Answer(call, page.Take());
}

}  // namespace dstap::proxy
