#include "proxy/backend/simulator/store.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

namespace dstap::proxy {
namespace {

constexpr int64_t kHourUs = 3'600'000'000;
constexpr int64_t kUnixEpochTicks = 621'355'968'000'000'000;
constexpr int64_t kTicksPerUs = 10;

// Rounds down, also before 1970.
int64_t HourOf(int64_t unix_us) { return unix_us / kHourUs - (unix_us % kHourUs < 0 ? 1 : 0); }

// Of a version that is there to be read.
int64_t BytesOf(const VersionPtr& version) {
  return HasValue(version) ? static_cast<int64_t>(version->value.size()) : 0;
}

}  // namespace

Place PlaceOf(const StoreName& store, const std::string& key) {
  if (!store.all_scopes) return {store.kind, store.name, store.scope, key};
  const size_t slash = key.find('/');
  if (slash == std::string::npos) return {store.kind, store.name, "", key};
  return {store.kind, store.name, key.substr(0, slash), key.substr(slash + 1)};
}

std::string VersionId(int64_t entry_created_us, int64_t sequence, int64_t version_created_us,
                      bool number_is_hex) {
  return fmt::format(
      "{:016X}.{}.{:016X}.01", entry_created_us * kTicksPerUs + kUnixEpochTicks,
      number_is_hex ? fmt::format("{:010X}", sequence) : fmt::format("{:010}", sequence),
      version_created_us * kTicksPerUs + kUnixEpochTicks);
}

int64_t Store::BytesWith(const Place& place, int64_t value_bytes) const {
  return bytes_ - BytesOf(Latest(place)) + value_bytes;
}

void Store::SetLatest(Entry& entry, VersionPtr latest) {
  bytes_ += BytesOf(latest) - BytesOf(entry.latest);
  entry.latest = std::move(latest);
}

VersionPtr Store::Latest(const Place& place) const {
  const auto found = entries_.find(place);
  return found == entries_.end() ? nullptr : found->second.latest;
}

void Store::NoteOrdered(const Place& place, int64_t now_us) {
  if (lag_us_ == 0 || place.kind != v1::STORE_KIND_ORDERED) return;
  while (!changes_.empty() && changes_.front().at_us + lag_us_ <= now_us) changes_.pop_front();
  changes_.push_back({now_us, place, Latest(place)});
}

std::vector<Store::ListedEntry> Store::Listed(const Place& place, int64_t now_us) const {
  const auto is_here = [&](const Place& other) {
    return std::tie(other.kind, other.store, other.scope) ==
           std::tie(place.kind, place.store, place.scope);
  };
  // From the newest to the oldest, so that a key's first change in this time decides.
  std::map<std::string_view, VersionPtr> before;
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    if (change->at_us + lag_us_ <= now_us) break;
    if (is_here(change->place)) before[change->place.key] = change->before;
  }
  std::vector<ListedEntry> listed;
  const Place first{place.kind, place.store, place.scope, ""};
  for (auto at = entries_.lower_bound(first); at != entries_.end() && is_here(at->first); ++at) {
    if (!before.contains(at->first.key)) listed.emplace_back(at->first.key, at->second.latest);
  }
  for (const auto& [key, version] : before) {
    if (HasValue(version)) listed.emplace_back(key, version);
  }
  return listed;
}

VersionPtr Store::Write(const Place& place, int64_t now_us, std::string value,
                        Attributes attributes) {
  NoteOrdered(place, now_us);
  auto next = std::make_shared<Version>();
  next->value = std::move(value);
  next->info.user_ids = std::move(attributes.user_ids);
  next->info.metadata = std::move(attributes.metadata);
  Entry& entry = entries_[place];
  Replace(entry, now_us, std::move(next));
  return entry.latest;
}

VersionPtr Store::Remove(const Place& place, int64_t now_us) {
  const auto found = entries_.find(place);
  if (found == entries_.end() || !HasValue(found->second.latest)) return nullptr;
  NoteOrdered(place, now_us);
  VersionPtr removed = found->second.latest;
  if (place.kind == v1::STORE_KIND_ORDERED) {
    SetLatest(found->second, nullptr);
    entries_.erase(found);  // D: at once and for good
    return removed;
  }
  auto tombstone = std::make_shared<Version>();
  tombstone->deleted = true;
  tombstone->info.metadata = "{}";
  Replace(found->second, now_us, std::move(tombstone));
  return removed;
}

std::vector<VersionPtr> Store::Versions(const Place& place, int64_t now_us) const {
  std::vector<VersionPtr> versions;
  const auto found = entries_.find(place);
  if (found == entries_.end()) return versions;
  for (const Entry::Backup& backup : found->second.backups) {
    if (backup.expires_us > now_us) versions.push_back(backup.version);
  }
  const VersionPtr& latest = found->second.latest;
  const bool expired = latest->deleted && latest->created_us + backup_us_ <= now_us;
  if (!expired && !latest->info.version.empty()) versions.push_back(latest);
  return versions;
}

void Store::RemoveVersion(const Place& place, const std::string& version) {
  const auto found = entries_.find(place);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  std::erase_if(entry.backups, [&](const Entry::Backup& backup) {
    return backup.version->info.version == version;
  });
  if (entry.latest->info.version != version) return;
  if (promotes_ && !entry.backups.empty()) {
    SetLatest(entry, std::move(entry.backups.back().version));
    entry.backups.pop_back();
    return;
  }
  // What is left says only that nothing is there, and which number comes next.
  auto nothing = std::make_shared<Version>();
  nothing->created_us = entry.latest->created_us;
  nothing->sequence = entry.latest->sequence;
  nothing->deleted = true;
  SetLatest(entry, std::move(nothing));
}

void Store::Replace(Entry& entry, int64_t now_us, std::shared_ptr<Version> next) {
  std::erase_if(entry.backups,
                [&](const Entry::Backup& backup) { return backup.expires_us <= now_us; });
  // D: the first write in a UTC hour keeps what it replaces; later ones overwrite for good.
  const bool keeps = entry.latest != nullptr &&
                     HourOf(entry.latest->created_us) != HourOf(now_us) &&
                     !entry.latest->info.version.empty();
  if (keeps) entry.backups.push_back({entry.latest, now_us + backup_us_});
  const bool is_new = entry.latest == nullptr || (restarts_ && entry.latest->deleted);
  if (is_new) entry.created_us = now_us;
  next->created_us = now_us;
  next->sequence = is_new ? 1 : entry.latest->sequence + (keeps || counts_all_ ? 1 : 0);
  next->info.created_ms = entry.created_us / 1000;
  next->info.updated_ms = now_us / 1000;
  next->info.version = VersionId(entry.created_us, next->sequence, now_us, number_is_hex_);
  SetLatest(entry, std::move(next));
}

}  // namespace dstap::proxy
