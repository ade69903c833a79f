#include "analyzer/findings/failure_chains.h"

#include <algorithm>

namespace dstap::analyzer {

void FailureChains::Add(const SeenCall& seen) {
  FailureChain& chain = chains_[seen.lane];
  if (seen.call.outcome == Outcome::kInFlight) return;
  if (!seen.failed) {
    if (chain.tries > 0) End(chain, FailureChain::End::kSucceeded);
    return;
  }
  if (chain.tries > 0 && seen.issued() - chain.answered > FailureChain::kGap) {
    End(chain, FailureChain::End::kGaveUp);
  }
  if (chain.tries == 0) {
    chain.source = seen.call.source;
    chain.lane = seen.lane;
    chain.family = seen.family;
    chain.caller = seen.caller;
    chain.step = seen.step_name;
    chain.first = seen.issued();
    chain.error = seen.error;
    chain.error_shape = ShapeOf(seen.call);
  } else {
    const Time wait = std::max(seen.issued() - chain.answered, Time(0));
    if (chain.tries > 1) {
      const bool is_longer = wait * 2 >= chain.last_wait * 3 && wait > FailureChain::kImmediate;
      if (is_longer) chain.grows = true;
    }
    chain.last_wait = wait;
    chain.shortest = std::min(chain.shortest, wait);
    chain.longest = std::max(chain.longest, wait);
    if (wait <= FailureChain::kImmediate) ++chain.immediate;
  }
  ++chain.tries;
  chain.last = std::max(chain.last, seen.issued());
  chain.answered = std::max(chain.answered, seen.call.completed.value_or(seen.issued()));
  chain.evidence.Add(seen.call.id);
}

void FailureChains::End(FailureChain& chain, FailureChain::End end) {
  chain.end = end;
  ended_(chain);
  chain = FailureChain();
}

void FailureChains::Forget(size_t lane) {
  if (lane < chains_.size() && chains_[lane].tries > 0) {
    End(chains_[lane], FailureChain::End::kGaveUp);
  }
}

void FailureChains::EndRecording(Time last) {
  for (size_t lane = 0; lane < chains_.size(); ++lane) {
    FailureChain& chain = chains_[lane];
    if (chain.tries == 0) continue;
    const Time patience = std::max<Time>(std::chrono::seconds(5), chain.longest * 2);
    End(chain,
        last - chain.answered >= patience ? FailureChain::End::kGaveUp : FailureChain::End::kOpen);
  }
}

}  // namespace dstap::analyzer
