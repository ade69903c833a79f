// What a live benchmark measured, step by step: the figures that the lab must repeat.
//
// Source: the project's live benchmark (October 2026) of five runs, each with five fresh profiles a
// library, on live servers without players; steps on one key 8 s apart, those under throttling back
// to back. Requests are exact; where two numbers stand, samples differed and both ends are right.
// Seconds are the lowest and highest seen, printed with two decimals.
//
// The benchmark could not measure kDerived: those are worked out from the library's constants, and
// were observed in an earlier run of the same source over a service of fixed latencies.
#pragma once

namespace dstap::test {

struct BenchStep {
  const char* library;
  const char* step;
  const char* method;
  int requests_min, requests_max;
  int failed;  // Requests that failed, of each sample.
  double seconds_min, seconds_max;
  const char* seen;  // Coins that the step saw, or "": it sees none.
  // Times that the build in npm waits for MessagingService where the measured commit does not: it
  // is older, and subscribes before a load returns.
  int message_waits = 0;
};

// What a stand-in's MessagingService takes, in seconds: the bounds of the messages in the live
// benchmark.
inline constexpr double kMessageMin = 0.03, kMessageMax = 0.30;

inline constexpr const char* kUpdate = "UpdateAsync";
inline constexpr const char* kGet = "GetAsync";

// The live hop began as "hop-keeps" does, 9.2 s after the old server's save; "hop-keeps-early"
// begins 8.0 s after it. Only a library that saves by itself in between can tell one from the
// other.
inline constexpr BenchStep kMeasured[] = {
    {"profile-store", "load-new", kUpdate, 1, 1, 0, 0.22, 0.37, "0", 1},
    {"profile-store", "load-stored", kUpdate, 1, 1, 0, 0.20, 0.35, "888", 1},
    {"profile-store", "save", kUpdate, 1, 1, 0, 0.13, 0.30, ""},
    {"profile-store", "release", kUpdate, 1, 1, 0, 0.18, 0.35, ""},
    {"profile-store", "hop-releases", kUpdate, 1, 2, 0, 0.63, 5.63, "888", 1},
    {"profile-store", "hop-keeps", kUpdate, 2, 2, 0, 5.43, 5.63, "999", 1},
    {"profile-store", "hop-keeps-early", kUpdate, 2, 2, 0, 5.43, 5.63, "999", 1},
    {"profile-store", "throttle-load", kUpdate, 2, 2, 1, 31.20, 31.35, "0", 1},
    {"profile-store", "throttle-save", kUpdate, 1, 1, 0, 0.18, 0.28, ""},
    {"profile-store", "throttle-release", kUpdate, 1, 1, 0, 0.17, 0.28, ""},

    {"profile-service", "load-new", kUpdate, 1, 1, 0, 0.18, 0.40, "0"},
    {"profile-service", "load-stored", kUpdate, 1, 1, 0, 0.20, 0.35, "888"},
    {"profile-service", "save", kUpdate, 1, 1, 0, 0.15, 0.32, ""},
    {"profile-service", "release", kUpdate, 1, 1, 0, 0.20, 0.35, ""},
    {"profile-service", "hop-releases", kUpdate, 1, 2, 0, 0.68, 7.42, "888"},
    {"profile-service", "hop-keeps", kUpdate, 4, 4, 0, 21.28, 21.36, "999"},
    {"profile-service", "throttle-load", kUpdate, 1, 1, 0, 31.17, 31.59, "0"},
    {"profile-service", "throttle-save", kUpdate, 1, 1, 0, 0.13, 0.35, ""},
    {"profile-service", "throttle-release", kUpdate, 1, 1, 0, 6.98, 7.28, ""},

    {"datastore2", "load-new", kGet, 1, 1, 0, 0.07, 0.12, "0"},
    {"datastore2", "load-stored", kGet, 1, 1, 0, 0.02, 0.08, "888"},
    {"datastore2", "save", kUpdate, 1, 1, 0, 0.20, 0.42, ""},
    {"datastore2", "release", kUpdate, 1, 1, 0, 0.20, 0.35, ""},
    {"datastore2", "hop-releases", kGet, 1, 1, 0, 0.02, 0.05, "777"},
    {"datastore2", "hop-keeps", kGet, 1, 1, 0, 0.02, 0.03, "777"},
    {"datastore2", "hop-keeps-early", kGet, 1, 1, 0, 0.02, 0.03, "777"},
    {"datastore2", "throttle-load", kGet, 61, 61, 60, 31.04, 31.10, "0"},
    {"datastore2", "throttle-save", kUpdate, 1, 1, 0, 1.08, 1.28, ""},
    {"datastore2", "throttle-release", kUpdate, 1, 1, 0, 0.12, 0.20, ""},
};

// One UpdateAsync took 0.12 to 0.42 s live.
inline constexpr double kUpdateMin = 0.12, kUpdateMax = 0.42;

inline constexpr BenchStep kDerived[] = {
    // A try each 7 s, the first frame after that. The old server hands over when it saves by
    // itself, 30 s after its last save: 20.8 s into the later hop, before the try at 21.05 s, and
    // 22 s into the early one, before the try at 28.07 s.
    {"profile-service", "hop-keeps-early", kUpdate, 5, 5, 0, 28.07 + kUpdateMin, 28.07 + kUpdateMax,
     "999"},

    // It sends at the end of a frame, so the longest request may take one frame more.
    {"lapis", "load-new", kUpdate, 1, 1, 0, kUpdateMin, kUpdateMax + 0.02, "0"},
    {"lapis", "load-stored", kUpdate, 1, 1, 0, kUpdateMin, kUpdateMax + 0.02, "888"},
    {"lapis", "save", kUpdate, 1, 1, 0, kUpdateMin, kUpdateMax + 0.02, ""},
    {"lapis", "release", kUpdate, 1, 1, 0, kUpdateMin, kUpdateMax + 0.02, ""},
    // Tries a second apart. A server answers from its own copy of a key for 4 s, so of those that
    // follow the first, three see what it saw and never reach the service; the one at 4.07 s does.
    {"lapis", "hop-releases", kUpdate, 5, 5, 0, 4.07 + kUpdateMin, 4.15 + kUpdateMax, "888"},
    // It waits until the budget shows a request: the queue's 30 go first, one a second, and the
    // first request that nobody waits for shows at 32.0 s. The save waits for the next, a second
    // later.
    {"lapis", "throttle-load", kUpdate, 1, 1, 0, 32.00, 32.00 + kUpdateMax, "0"},
    {"lapis", "throttle-save", kUpdate, 1, 1, 0, kUpdateMin, 1.00 + kUpdateMax, ""},
    {"lapis", "throttle-release", kUpdate, 1, 1, 0, kUpdateMin, 1.00 + kUpdateMax, ""},
};

// The burst: 40 UpdateAsync more than the budget of 120 that a new server sees, in one frame. One
// request goes through beyond what a budget shows.
inline constexpr int kBurstSent = 160, kBurstAtOnce = 121, kBurstQueued = 30, kBurstDropped = 9;

inline constexpr const char* kBurstError =
    "StandardReadGameServerThrottled: StandardRead request was throttled by game server limits or "
    "the request queue was full";
inline constexpr const char* kQueueWarning = "DataStore request was added to queue";

}  // namespace dstap::test
