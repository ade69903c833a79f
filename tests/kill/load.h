// Client processes that keep a recorder busy, and log what they saw.
//
// Each process writes calls-NUMBER.log into the working folder: a line a call that was answered,
// with one write() before the process does anything else: when it was sent, its key, its outcome's
// number. The keys are those of no other call. The first process also leaves a call open, whose key
// is kIdleKey, and logs it once something that it sent behind it was answered, with that instant:
// the call had arrived by then.
#pragma once

#include <cstdint>
#include <string>

namespace dstap::test {

inline constexpr const char* kIdleKey = "idle";

// `processes` processes over the wall clock, each with a few calls underway at any moment, `calls`
// in all. Times are the machine's monotonic clock. Exit status; each process ends by itself when
// the proxy is gone.
int Load(const std::string& address, uint64_t processes, uint64_t calls);

// One process over virtual time, one call after the other. Times are virtual.
int LoadVirtual(const std::string& address, uint64_t calls);

}  // namespace dstap::test
