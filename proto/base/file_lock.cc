#include "proto/base/file_lock.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

namespace dstap {
namespace {

// The process that holds the lock, or 0. The kernel lists locks by the file's number; the device
// beside it is another on some file systems, so it is not asked for.
int HolderOf(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return 0;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    // 1: FLOCK  ADVISORY  WRITE 4711 fe:01:131077 0 EOF
    int pid = 0;
    uint64_t inode = 0;
    if (std::sscanf(line.c_str(), "%*d: FLOCK %*s WRITE %d %*x:%*x:%" SCNu64, &pid, &inode) == 2 &&
        inode == info.st_ino) {
      return pid;
    }
  }
  return 0;
}

}  // namespace

Status LockForWriting(int fd, const std::string& shown) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return {};
  const int holder = HolderOf(fd);
  return {ErrorCode::kWrite,
          fmt::format("{}: {} is writing it; name another file, or wait until it is done", shown,
                      holder > 0 ? fmt::format("process {}", holder) : "another process")};
}

}  // namespace dstap
