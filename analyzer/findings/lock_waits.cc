#include "analyzer/findings/lock_waits.h"

#include <algorithm>
#include <utility>

#include "analyzer/findings/words.h"

namespace dstap::analyzer {
namespace {

constexpr Time kGapMax = std::chrono::seconds(15);

const LockWait::Foreign& OtherThan(const Source* source, const LockWait::Foreign& last,
                                   const LockWait::Foreign& other) {
  return last.source != source ? last : other;
}

}  // namespace

std::string StartsOf(const LockWait& wait) {
  std::string text;
  for (const Time start : wait.starts) {
    std::string at = Seconds(start - wait.first);
    at.resize(at.size() - 2);  // Without the unit.
    text += (text.empty() ? "" : ", ") + at;
  }
  return text + (wait.tries > wait.starts.size() ? ", ... s" : " s");
}

void LockWaits::Note(const SeenCall& seen, LockWait::Foreign& last, LockWait::Foreign& other) {
  if (last.source != nullptr && last.source != seen.call.source) other = last;
  last = {seen.call.source, seen.completed(), seen.call.id};
}

void LockWaits::Add(const SeenCall& seen) {
  if (!(seen.reads || seen.writes) || !seen.call.completed) return;
  Key& key = keys_[seen.key];
  if (seen.call.method == Method::kUpdateAsync && !seen.failed) {
    Lane& lane = lanes_[seen.lane];
    const uint64_t step = seen.step == nullptr ? 0 : seen.step->id;
    LockWait& wait = lane.wait;
    if (wait.tries > 0 &&
        (step != lane.step || (step == 0 && seen.issued() - wait.last > kGapMax))) {
      End(lane);
    }
    const Source* source = seen.call.source;
    if (wait.tries == 0) {
      lane.step = step;
      lane.has_foreign_before = key.write.source != nullptr && key.write.source != source;
      wait.source = source;
      wait.step = seen.step_name;
      wait.family = seen.family;
      wait.first = seen.issued();
    }
    ++wait.tries;
    wait.last = seen.issued();
    if (wait.starts.size() < LockWait::kStartsMax) wait.starts.push_back(seen.issued());
    wait.evidence.Add(seen.call.id);
    lane.last_stored = seen.stored;
    lane.stored += seen.stored ? 1 : 0;
    const LockWait::Foreign& write = OtherThan(source, key.write, key.other_write);
    if (write.source != nullptr && write.time > wait.first && write.time <= seen.issued()) {
      wait.write = write;
    }
    const LockWait::Foreign& use = OtherThan(source, key.use, key.other_use);
    if (use.source != nullptr && use.time > wait.first) wait.was_answered = true;
  }
  Note(seen, key.use, key.other_use);
  if (seen.stored) Note(seen, key.write, key.other_write);
}

void LockWaits::End(Lane& lane) {
  const bool is_wait =
      lane.wait.tries >= 2 && lane.last_stored && (lane.has_foreign_before || lane.stored == 1);
  if (is_wait) found_(lane.wait);
  lane = Lane();
}

void LockWaits::EndRecording() {
  for (size_t lane = 0; lane < lanes_.size(); ++lane) End(lanes_[lane]);
}

}  // namespace dstap::analyzer
