// A server's own copies of values: four seconds, per store object and key.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "proto/base/clock.h"
#include "proxy/backend/backend.h"
#include "proxy/backend/simulator/rule_profile.h"
#include "proxy/backend/simulator/store.h"

namespace dstap::proxy {

// Threads: not thread-safe. Times must not go back.
// Limits:  holds nothing longer than it is valid: each Put() drops what has ended.
class ValueCache {
 public:
  explicit ValueCache(const RuleProfile& rules)
      : kept_for_(Time(rules.cache_ms * 1'000'000)),
        keep_missing_(rules.cache_missing != 0),
        keep_removed_(rules.cache_removed != 0),
        keep_ordered_(rules.cache_ordered != 0) {}

  // The copy that a read at `now` gets, if any. It may be null or a tombstone: nil. A hit does not
  // make the copy live longer.
  std::optional<VersionPtr> Find(const StoreName& store, const std::string& key, Time now) const;

  // After a read of the service, or a write by this server: replaces the copy and restarts its
  // time. What must not be kept (nil, by the rules) removes the copy instead.
  void Put(const StoreName& store, const std::string& key, Time now, VersionPtr version);

  size_t size() const { return copies_.size(); }

 private:
  using Name = std::pair<StoreName, std::string>;
  struct Copy {
    VersionPtr version;
    Time until{0};
  };

  Time kept_for_;
  bool keep_missing_;
  bool keep_removed_;
  bool keep_ordered_;
  std::map<Name, Copy> copies_;
  // Every end ever set, soonest first; one that is no longer its copy's is passed over.
  std::deque<std::pair<Time, std::map<Name, Copy>::key_type>> ends_;
};

}  // namespace dstap::proxy
