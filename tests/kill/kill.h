// Kills a recorder at one moment and looks at what is left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dstap::test {

// When, and while what, a recorder is killed.
struct KillPlan {
  enum class When : uint8_t {
    kSyscall,     // At the entry of its `at`-th system call since it made the capture.
    kTornWrite,   // Behind its `at`-th write to the capture, of which a part was written.
    kEndSyscall,  // At the entry of its `at`-th system call since its command had ended.
    kTime,        // `at` milliseconds after its start; nothing traces it.
  };
  When when = When::kTime;
  uint64_t at = 0;
  bool is_virtual = false;  // One client over virtual time; else several over the wall clock.
  bool replaces = false;    // A capture of that name is there before.
  uint64_t calls = 0;       // That the clients make, if they live to.

  std::string Text() const;
};

// The n-th plan of a seed. Kinds come in turn, moments are drawn.
KillPlan PlanOf(uint64_t seed, uint64_t n);

struct KillResult {
  std::string broken;       // What does not hold, one line; empty: all does.
  std::string verdict;      // What `dstap verify` says.
  bool was_killed = false;  // False: it had ended by itself before.
  uint64_t answered = 0;    // Calls that clients saw answered.
  uint64_t torn_bytes = 0;
  bool idle_was_due = false;  // The open call had to be in the file.
};

// Threads: one at a time in a process. It becomes the reaper of its descendants' orphans.
class Killer {
 public:
  // `program` is dstap, `client` is dstap_test_client; `folder` is an empty one of the caller's.
  Killer(std::string program, std::string client, std::string folder);

  // Leaves the files of a run that broke something in `folder`, and no others.
  KillResult Run(const KillPlan& plan);

 private:
  struct Answer {
    int64_t sent_ns = 0;
    std::string key;
    int outcome = 0;
  };
  struct Ended {
    std::string error;
    bool was_killed = false;
    int64_t at_ns = 0;  // Monotonic.
  };

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  int Start(const std::vector<std::string>& arguments, bool traced, const std::string& output);
  int RunToEnd(const std::vector<std::string>& arguments, std::string& output);
  std::vector<std::string> RecordArguments(const KillPlan& plan) const;
  Ended KillAtTime(const KillPlan& plan);
  Ended KillTraced(const KillPlan& plan);
  std::string WaitForOrphans();
  std::vector<Answer> Answers(std::string& error) const;
  void Check(const KillPlan& plan, const Ended& ended, KillResult& result);

  std::string program_, client_, folder_;
};

}  // namespace dstap::test
