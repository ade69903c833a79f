// What an audit has to say.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "proto/base/clock.h"

namespace dstap::analyzer {

struct RuleEntry;

// In rising order.
enum class Severity : uint8_t {
  kNote,     // Works, and costs more than it must; or worth knowing before a change.
  kWarning,  // Goes wrong when the load, the number of players or the timing changes.
  kError,    // Data was lost or is at stake, or something that was asked for did not happen.
};
inline constexpr std::array<std::string_view, 3> kSeverityNames = {"note", "warning", "error"};
constexpr std::string_view NameOf(Severity severity) {
  return kSeverityNames[static_cast<size_t>(severity)];
}

enum class Confidence : uint8_t {
  kInferred,  // Fits the records best; something else might too.
  kObserved,  // The records say so.
};
constexpr std::string_view NameOf(Confidence confidence) {
  return confidence == Confidence::kObserved ? "observed" : "inferred";
}

// Calls of one finding that are named by their id; all are counted.
inline constexpr size_t kEvidenceMax = 5;

// The calls that a finding rests on.
class Evidence {
 public:
  uint64_t count = 0;  // Of all.

  void Add(uint64_t call) {
    if (count < kEvidenceMax) first_[count] = call;
    ++count;
  }
  void Clear() { count = 0; }
  std::span<const uint64_t> calls() const {
    return {first_.data(), std::min<size_t>(count, kEvidenceMax)};
  }

 private:
  std::array<uint64_t, kEvidenceMax> first_{};
};

// One thing that went wrong in one way at one place: occurrences of a rule with the same source,
// step, store and key family are one finding.
struct Finding {
  const RuleEntry* rule = nullptr;
  Severity severity = Severity::kNote;
  Confidence confidence = Confidence::kInferred;
  std::string file;
  uint32_t recording = 1;
  uint32_t source = 0;  // 0: of no one source.
  std::string source_name;
  std::string step;   // Name; empty: of no step.
  std::string store;  // As families; empty: of no one store.
  std::string keys;
  std::string text;          // Of the worst occurrence: one sentence with numbers and units.
  uint64_t occurrences = 1;  // How often.
  Evidence evidence;         // Of the worst occurrence.
  Time first{};              // When the first one began.
  // Why it is accepted, by the suppressions file. Absent: it is not.
  std::optional<std::string> accepted;

  // The same for the same trouble in another recording: rule, step, store and key family.
  std::string Fingerprint() const;
};

}  // namespace dstap::analyzer
