// Where the commands that rewrite captures write to.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "proto/base/byte_sink.h"
#include "proto/base/command.h"
#include "proto/base/whole_file.h"
#include "proto/capture/recording_reader.h"

namespace dstap::analyzer {

// A file that is there only when it is whole, or standard output ("-").
//
// Errors:    kUsage when the file exists and `may_replace` is not said, and when it is an input;
//            otherwise as WholeFile.
// Ownership: refers to the stream.
class RewriteOutput {
 public:
  static Result<RewriteOutput> Create(const std::string& path, bool may_replace,
                                      std::span<const std::string> inputs, Streams streams);

  ByteSink& sink() { return file_ ? file_->sink() : *stream_; }
  // Where remarks go: not into the capture.
  std::ostream& remarks() { return file_ ? streams_.out : streams_.notes; }
  // Gives a file its name. Without it nothing is left.
  Status Finish();

 private:
  explicit RewriteOutput(Streams streams) : streams_(streams) {}

  Streams streams_;
  std::optional<WholeFile> file_;
  std::unique_ptr<ByteSink> stream_;
};

// A capture that is read in two passes: a regular file.
//
// Errors: kNotFound, kRead; kUsage for a pipe.
Result<capture::OpenSource> OpenTwice(const std::string& path);

// An error about the capture `file`, which it names unless it is about what is written.
Status NamedInput(const std::string& file, Status status);

// "1 call", "2 calls".
std::string Counted(uint64_t n, std::string_view one, std::string_view many);

}  // namespace dstap::analyzer
