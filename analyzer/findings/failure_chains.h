// Follows tries that fail one after the other.
#pragma once

#include <functional>

#include "analyzer/findings/rule.h"

namespace dstap::analyzer {

// Limits: one chain a lane.
class FailureChains {
 public:
  // `ended` is called for each chain, in the order in which they end.
  explicit FailureChains(std::function<void(const FailureChain&)> ended)
      : ended_(std::move(ended)) {}

  void Add(const SeenCall& seen);
  void Forget(size_t lane);
  void EndRecording(Time last);

  // Failures in a row of the lane so far.
  uint64_t FailuresOf(size_t lane) { return chains_[lane].tries; }

 private:
  void End(FailureChain& chain, FailureChain::End end);

  std::function<void(const FailureChain&)> ended_;
  Slots<FailureChain> chains_;
};

}  // namespace dstap::analyzer
