// One recording of one command: a proxy on a private socket, the command with its address, a
// capture that ends when the command does.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/status.h"
#include "proxy/server/recording_output.h"
#include "proxy/server/write_behind.h"

namespace dstap::proxy {

struct RecordingOptions {
  // With replace_at_end the new file only takes an existing one's place if it has a call or the
  // command ended well. Of a command that ended with status 2 (wrong usage) without a call no file
  // is left in any case.
  OutputOptions output;
  v1::ClockKind clock = v1::CLOCK_KIND_VIRTUAL;
  uint64_t seed = 1;
  std::string backend = "simulator";
  std::string rules = "2026";
  std::string latency = "default";
  std::vector<std::string> rule_changes;  // "queue_length=10"
  // What is to go wrong, as docs/faults.md has it: single rules, then files. Earlier rules come
  // first.
  std::vector<std::string> faults;
  std::vector<std::string> fault_plans;
  bool values = false;
  // With output.flight: the calls that make it write, in the filter language.
  std::string dump_on;
  // Over the wall clock: what may wait for a slow disk, and what happens past it. Over virtual time
  // the command waits, and no time passes for it.
  WriteBehind::Options buffer;
  std::string title;
  // Written into the header: what changes results.
  std::vector<std::pair<std::string, std::string>> header_options;
  std::string listen;  // Empty: a private Unix socket.
  std::vector<std::string> command;
  // Whether the command gets the files that are open here, or only the three standard ones.
  bool inherits_files = true;
  std::vector<std::pair<std::string, std::string>> variables;
};

struct RecordingResult {
  int command_status = 0;  // As a shell gives it.
  bool interrupted = false;
  bool discarded = false;  // See replace_at_end: no new file is there.
  uint64_t calls = 0;
  uint64_t calls_lost = 0;
  uint64_t rows_lost = 0;
  Status file_error;  // The first one; the command went on.
  Status not_packed;  // Why the capture is whole and larger than it could be.
  std::vector<std::string> files;
  uint64_t clients_refused = 0;
  std::string first_refusal;
  // Lines about rules of faults that asked for a step or a server and have struck nothing.
  std::vector<std::string> faults_unused;
};

// Runs the command to its end. SIGINT, SIGTERM and SIGHUP are passed on to the command; one that
// does not end within two seconds is killed; the capture is closed all the same.
//
// Errors:  anything that keeps the command from being started. The output is then as it was before.
// Threads: uses the calling thread; several may run in one process, each on its own.
Result<RecordingResult> RunRecording(const RecordingOptions& options);

}  // namespace dstap::proxy
