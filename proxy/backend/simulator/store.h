// What the experience has stored: entries with their versions, shared by all servers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/rule_profile.h"

namespace dstap::proxy {

// One version of an entry; never changed once made.
struct Version {
  int64_t created_us = 0;  // Unix microseconds.
  int64_t sequence = 0;    // From 1; counts every write of the entry, kept or not (U).
  bool deleted = false;    // A tombstone: reads as nil.
  std::string value;       // JSON.
  KeyInfo info;
};
// Null: the key was never written.
using VersionPtr = std::shared_ptr<const Version>;

// Reads as a value, that is: neither missing nor removed.
inline bool HasValue(const VersionPtr& version) { return version != nullptr && !version->deleted; }

// Where an entry lives. Two StoreNames can lead to one place (an AllScopes store names the scope
// in the key).
struct Place {
  v1::StoreKind kind = v1::STORE_KIND_STANDARD;
  std::string store;
  std::string scope;
  std::string key;

  friend auto operator<=>(const Place&, const Place&) = default;
};

// "scope/key" of an AllScopes store is taken apart.
Place PlaceOf(const StoreName& store, const std::string& key);

// What a write stores beside the value. Left out means cleared.
struct Attributes {
  std::vector<int64_t> user_ids;
  std::string metadata = "{}";
};

// Units:   Unix microseconds.
// Threads: not thread-safe. Times must not go back.
// Limits:  holds each entry's latest version and one replaced version an hour for backup_days;
//          older ones go at the entry's next write.
class Store {
 public:
  explicit Store(const RuleProfile& rules)
      : backup_us_(rules.backup_days * 86'400'000'000),
        number_is_hex_(rules.version_number_hex != 0),
        counts_all_(rules.version_counts_all != 0),
        restarts_(rules.version_restarts != 0),
        promotes_(rules.remove_latest_promotes != 0),
        lag_us_(rules.sorted_lag_ms * 1000) {}

  VersionPtr Latest(const Place& place) const;

  VersionPtr Write(const Place& place, int64_t now_us, std::string value, Attributes attributes);

  // A standard entry gets a tombstone; an ordered one is gone. Returns what was current. A missing
  // or removed entry stays as it is.
  VersionPtr Remove(const Place& place, int64_t now_us);

  // Deletes one version for good, without a tombstone. Of the latest: the entry reads as nil, and
  // no earlier version takes its place (U: remove_latest_promotes).
  void RemoveVersion(const Place& place, const std::string& version);

  // Oldest first, the latest included, expired ones not: those replaced, and a tombstone, after
  // backup_days.
  std::vector<VersionPtr> Versions(const Place& place, int64_t now_us) const;

  // Entries by place, so all of one store and scope stand together in the order of keys.
  struct Entry {
    struct Backup {
      VersionPtr version;
      int64_t expires_us = 0;
    };
    int64_t created_us = 0;
    VersionPtr latest;
    std::deque<Backup> backups;  // Oldest first.
  };
  const std::map<Place, Entry>& entries() const { return entries_; }

  // The values of the ordered store and scope of `place` as a listing of them sees them now: those
  // of sorted_lag_ms ago. The keys are valid until the next write.
  using ListedEntry = std::pair<std::string_view, VersionPtr>;
  std::vector<ListedEntry> Listed(const Place& place, int64_t now_us) const;

  // Bytes of JSON of all entries' latest versions: what the storage limit is about.
  int64_t bytes() const { return bytes_; }
  // What they would be with a value of so many bytes at `place`.
  int64_t BytesWith(const Place& place, int64_t value_bytes) const;

 private:
  void Replace(Entry& entry, int64_t now_us, std::shared_ptr<Version> next);
  void SetLatest(Entry& entry, VersionPtr latest);
  void NoteOrdered(const Place& place, int64_t now_us);

  int64_t backup_us_;
  bool number_is_hex_;
  bool counts_all_;
  bool restarts_;
  bool promotes_;
  int64_t lag_us_;
  // What ordered entries were before they changed, for as long as a listing shows it. Oldest first.
  struct Change {
    int64_t at_us = 0;
    Place place;
    VersionPtr before;
  };
  std::deque<Change> changes_;
  int64_t bytes_ = 0;
  std::map<Place, Entry> entries_;
};

// "08D9E6A3F2188CFF.0000000001.08D9E6A3F2188CFF.01": the entry's creation and the version's in .NET
// ticks (100 ns since year 1), the sequence number between them, decimal unless told (U).
std::string VersionId(int64_t entry_created_us, int64_t sequence, int64_t version_created_us,
                      bool number_is_hex = false);

}  // namespace dstap::proxy
