// A file that is there only once it is whole.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "proto/base/file_sink.h"

namespace dstap::analyzer {

// Writes to a sibling, "PATH.recovering" for the suffix ".recovering", which gets the name at last.
//
// Errors:    kUsage when PATH exists and may not be replaced, kWrite with the system's words.
// Ownership: the destructor removes the sibling unless Finish() gave it the name.
// Threads:   not thread-safe.
class NewFile {
 public:
  // A symbolic link stays one, and its target is replaced. What another run left as sibling is
  // overwritten.
  static Result<NewFile> Create(const std::string& path, std::string_view suffix, bool may_replace);

  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  ByteSink& sink() { return *sink_; }
  // Syncs what was written. From here on it can be read at sibling().
  Status Sync();
  const std::string& sibling() const { return sibling_; }
  // Gives it the name.
  Status Finish();

 private:
  NewFile(std::string path, std::string sibling, bool may_replace, std::unique_ptr<FileSink> sink);

  std::string path_;
  std::string sibling_;
  bool may_replace_;
  std::unique_ptr<FileSink> sink_;
  bool is_mine_ = true;  // The sibling is still to be removed.
};

// What the sibling of `path` is called.
std::string SiblingOf(const std::string& path, std::string_view suffix);

}  // namespace dstap::analyzer
