#include "analyzer/render/policy_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/render/format.h"
#include "analyzer/timeline/names.h"

namespace dstap::analyzer {
namespace {

std::string Seconds(double seconds) {
  constexpr double kMost = 9e9;  // What a Time holds.
  seconds = std::clamp(seconds, -kMost, kMost);
  return FormatShortSeconds(Time(static_cast<int64_t>(std::llround(seconds * 1e9)))) + " s";
}

// "2", "1.5", "1.37".
std::string Number(double value) { return fmt::format("{:g}", std::round(value * 1000) / 1000); }

std::string Percent(double share) { return fmt::format("{:g} %", std::round(share * 1000) / 10); }

std::string JitterOf(const Law& law) {
  const std::string range = fmt::format("{:.0f} to {:.0f} % of it", law.low * 100, law.high * 100);
  switch (law.jitter) {
    case Jitter::kAbsent:
      return "";
    case Jitter::kFull:
      return " with full jitter (" + range + ")";
    case Jitter::kEqual:
      return " with equal jitter (" + range + ")";
    case Jitter::kProportional:
      return fmt::format(" with proportional jitter ({})", range);
  }
  return "";
}

std::string CapOf(const Law& law) {
  return law.cap ? fmt::format(", at most {}", Seconds(*law.cap)) : "";
}

// Without what it is measured from.
std::string Bare(const Law& law) {
  switch (law.kind) {
    case PolicyKind::kIrregular:
      return fmt::format("irregular, {} to {}", Seconds(law.low), Seconds(law.high));
    case PolicyKind::kImmediate:
      return law.from == WaitFrom::kStart ? "at the same time" : "immediate";
    case PolicyKind::kEachFrame:
      return law.from == WaitFrom::kStart ? "once a frame" : "in the next frame";
    case PolicyKind::kFixed:
      return fmt::format("fixed {}{}", Seconds(law.delay), JitterOf(law));
    case PolicyKind::kCooldown:
      return fmt::format("cooldown {}{}", Seconds(law.delay), JitterOf(law));
    case PolicyKind::kLinear:
      return fmt::format("linear {} + {} each time{}{}", Seconds(law.delay), Seconds(law.increment),
                         CapOf(law), JitterOf(law));
    case PolicyKind::kExponential:
      return fmt::format("exponential {} x {}{}{}", Seconds(law.delay), Number(law.factor),
                         CapOf(law), JitterOf(law));
    case PolicyKind::kBudget:
      return "waits for budget";
  }
  return "";
}

std::string FromOf(const Law& law) {
  if (law.kind == PolicyKind::kBudget) return "";
  if (law.kind == PolicyKind::kImmediate && law.from == WaitFrom::kStart) return "";
  const std::string_view text =
      law.from == WaitFrom::kAnswer ? "after the answer" : "from start to start";
  // Behind a comma of its own, when it belongs to more than the last words.
  return fmt::format("{}{}", law.cap || law.kind == PolicyKind::kExponential ? ", " : " ", text);
}

}  // namespace

std::string_view NameOf(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kIrregular:
      return "irregular";
    case PolicyKind::kImmediate:
      return "immediate";
    case PolicyKind::kEachFrame:
      return "each_frame";
    case PolicyKind::kFixed:
      return "fixed";
    case PolicyKind::kCooldown:
      return "cooldown";
    case PolicyKind::kLinear:
      return "linear";
    case PolicyKind::kExponential:
      return "exponential";
    case PolicyKind::kBudget:
      return "budget";
  }
  return "irregular";
}

std::string_view NameOf(Jitter jitter) {
  switch (jitter) {
    case Jitter::kAbsent:
      return "none";
    case Jitter::kFull:
      return "full";
    case Jitter::kEqual:
      return "equal";
    case Jitter::kProportional:
      return "proportional";
  }
  return "none";
}

std::string_view NameOf(WaitFrom from) { return from == WaitFrom::kAnswer ? "answer" : "start"; }

std::string_view NameOf(FitConfidence confidence) {
  switch (confidence) {
    case FitConfidence::kLow:
      return "low";
    case FitConfidence::kFair:
      return "fair";
    case FitConfidence::kHigh:
      return "high";
  }
  return "low";
}

std::string FormatLaw(const Law& law) { return Bare(law) + FromOf(law); }

std::string FormatPolicy(const Policy& policy) {
  if (policy.parts.empty()) return "not known";
  if (policy.parts.front().after) {
    std::string text;
    for (const PolicyPart& part : policy.parts) {
      text += fmt::format("{}after {}: {}", text.empty() ? "" : "; ",
                          NameOf(static_cast<Outcome>(*part.after)), FormatLaw(part.law));
    }
    return text;
  }
  const WaitFrom from = policy.parts.front().law.from;
  const bool is_one_base = std::ranges::all_of(
      policy.parts, [from](const PolicyPart& part) { return part.law.from == from; });
  std::string text;
  for (const PolicyPart& part : policy.parts) {
    if (!text.empty()) text += fmt::format(", from gap {} on ", part.first_place);
    const bool is_last = &part == &policy.parts.back();
    text += is_one_base && !is_last ? Bare(part.law) : FormatLaw(part.law);
  }
  return text;
}

std::string FormatFit(const Policy& policy) {
  std::string text = policy.gaps == 1 ? "one gap" : fmt::format("{} gaps", policy.gaps);
  if (policy.explained > 0 && policy.explained < policy.gaps) {
    text = fmt::format("{} of {} gaps", policy.explained, policy.gaps);
  }
  if (policy.explained > 0) {
    const std::string mean = Percent(policy.error_rms);
    const std::string worst = Percent(policy.error_worst);
    if (worst == Percent(0)) {
      text += ", exact";
    } else if (mean == worst) {
      text += fmt::format(", off by {}", worst);
    } else {
      text += fmt::format(", off by {} (at most {})", mean, worst);
    }
  }
  return fmt::format("{}; confidence {}", text, NameOf(policy.confidence));
}

}  // namespace dstap::analyzer
