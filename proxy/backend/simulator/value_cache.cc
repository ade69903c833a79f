#include "proxy/backend/simulator/value_cache.h"

namespace dstap::proxy {

std::optional<VersionPtr> ValueCache::Find(const StoreName& store, const std::string& key,
                                           Time now) const {
  const auto found = copies_.find({store, key});
  if (found == copies_.end() || found->second.until <= now) return std::nullopt;
  return found->second.version;
}

void ValueCache::Put(const StoreName& store, const std::string& key, Time now, VersionPtr version) {
  while (!ends_.empty() && ends_.front().first <= now) {
    const auto ended = copies_.find(ends_.front().second);
    if (ended != copies_.end() && ended->second.until <= now) copies_.erase(ended);
    ends_.pop_front();
  }
  Name name{store, key};
  const bool keep = version == nullptr ? keep_missing_ : !version->deleted || keep_removed_;
  const bool keep_kind = name.first.kind != v1::STORE_KIND_ORDERED || keep_ordered_;
  if (!keep || !keep_kind || kept_for_ == Time(0)) {
    copies_.erase(name);
    return;
  }
  ends_.emplace_back(now + kept_for_, name);
  copies_.insert_or_assign(std::move(name), Copy{std::move(version), now + kept_for_});
}

}  // namespace dstap::proxy
