// How many bits it takes to say something: what descriptions of waits are compared by.
#pragma once

#include <cstdint>
#include <vector>

namespace dstap::analyzer {

// Units: seconds and bits. A frame is the resolution of all waits.
inline constexpr double kFrameSeconds = 1.0 / 60;
// How far recorded times are off what a caller's clock said: it is written down a moment later.
inline constexpr double kSlackSeconds = 0.002;
// A wait ends with a frame, and some callers send in the frame after that.
inline constexpr double kBandSeconds = 2 * kFrameSeconds;

inline constexpr double kBandBits = 1;     // Which frame of the band.
inline constexpr double kOutlierBits = 5;  // That a gap is not as the law says.

// A wait of which nothing is known but that waits of all magnitudes up to a day are as likely.
double AnyWaitBits(double seconds);

// The number with the fewest digits in [low, high]; of several, the highest.
double RoundestIn(double low, double high);

// Shorter delays are counted in frames, not in digits.
inline constexpr double kShortSeconds = 0.1;

// A parameter, by its digits.
double NumberBits(double value);

// Waits that follow some smooth distribution, and nothing else: the best of three families, each
// at least as wide as what would still be called regular.
double DistributionBits(const std::vector<double>& waits);

}  // namespace dstap::analyzer
