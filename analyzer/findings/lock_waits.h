// Series of updates with which a server tries to get a key that another one has.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/rule.h"

namespace dstap::analyzer {

// Several UpdateAsync of one key by one source in one step (outside of steps: each at most 15 s
// after the one before), the last of which wrote. Before the first another source had written the
// key, or all but the last wrote nothing.
struct LockWait {
  struct Foreign {
    const Source* source = nullptr;
    Time time{};
    uint64_t call = 0;
  };

  const Source* source = nullptr;
  size_t step = 0;
  size_t family = 0;
  std::vector<Time> starts;  // Of the first kStartsMax.
  static constexpr size_t kStartsMax = 32;
  uint64_t tries = 0;
  Time first{};   // Issued.
  Time last{};    // Issued.
  Foreign write;  // The last write of another source between the first try and the last.
  bool was_answered = false;  // Another source used the key between the first try and the last.
  Evidence evidence;
};

// "0, 5, 15, 25 s": the starts, from the first one.
std::string StartsOf(const LockWait& wait);

// Limits: one series a key and source, the last two users of each key.
class LockWaits {
 public:
  explicit LockWaits(std::function<void(LockWait&)> found) : found_(std::move(found)) {}

  void Add(const SeenCall& seen);
  void ForgetKey(size_t key) { keys_.Forget(key); }
  void ForgetLane(size_t lane) { End(lanes_[lane]); }
  void EndRecording();

 private:
  struct Lane {
    LockWait wait;
    uint64_t step = 0;
    bool has_foreign_before = false;
    bool last_stored = false;
    uint64_t stored = 0;
  };
  struct Key {
    LockWait::Foreign write;        // The last.
    LockWait::Foreign other_write;  // The last of another source than that.
    LockWait::Foreign use;
    LockWait::Foreign other_use;
  };

  static void Note(const SeenCall& seen, LockWait::Foreign& last, LockWait::Foreign& other);
  void End(Lane& lane);

  std::function<void(LockWait&)> found_;
  Slots<Lane> lanes_;
  Slots<Key> keys_;
};

}  // namespace dstap::analyzer
