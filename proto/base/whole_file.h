// A file that is under its name only when it is whole.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "proto/base/file_sink.h"

namespace dstap {

// The bytes go to "PATH.part" beside it, which takes the name with Publish(). A sibling that a
// killed run left is overwritten; a file that somebody made at the path meanwhile is not. A
// symbolic link stays one, and its target is replaced. A file that is replaced gives the new one
// its permissions.
//
// Errors:    kUsage when the file exists and may not be replaced; kWrite with the path and errno's
//            text, also when another process is writing the file, and when it is read-only or not a
//            regular file. In each case what stands at the path is untouched.
// Ownership: owns sink and lock.
// Threads:   not thread-safe.
class WholeFile {
 public:
  struct Options {
    FileSink::IfExists if_exists = FileSink::IfExists::kRefuse;
    // The caller has the lock of the file that is replaced (a FileSink of his is open).
    bool is_locked = false;
    // Of the sibling. Another than ".part" where that may be what is read.
    std::string_view suffix = ".part";
  };
  static Result<WholeFile> Create(const std::string& path, const Options& options);

  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  // Without Publish() nothing is left.
  ~WholeFile();

  // What the sibling of `path` is called.
  static std::string SiblingOf(const std::string& path, std::string_view suffix);

  ByteSink& sink() { return *sink_; }
  // Where the bytes are until Publish().
  const std::string& sibling() const { return sibling_; }

  // Syncs, and gives the bytes their name.
  Status Publish();

 private:
  WholeFile(std::string shown, std::string target, const Options& options)
      : shown_(std::move(shown)),
        target_(std::move(target)),
        sibling_(target_ + std::string(options.suffix)),
        may_replace_(options.if_exists == FileSink::IfExists::kReplace || options.is_locked) {}

  // What stands at the target already.
  Status Lock(const Options& options);
  // What a killed run left.
  Status RemoveSibling() const;

  std::string shown_;   // As the user named it.
  std::string target_;  // What links lead to.
  std::string sibling_;
  bool may_replace_;
  std::unique_ptr<FileSink> sink_;
  int replaced_fd_ = -1;   // Locked until the end.
  unsigned int mode_ = 0;  // Of what is replaced.
};

}  // namespace dstap
