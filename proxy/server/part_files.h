// The files of a recording that is written as several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/file_sink.h"
#include "proto/base/status.h"
#include "proto/capture/capture_file.h"
#include "proto/capture/standing_rows.h"

namespace dstap::proxy {

// Each file is a whole capture: the header, with the part's number, and the rows that stood when it
// began. Steps that were open then are marked as partial.
//
// Errors:  kUsage when a file exists and may not be replaced, kWrite; each names the file.
// Threads: not thread-safe.
class PartFiles {
 public:
  struct Options {
    // "run.dstap" makes run.0001.dstap, run.0002.dstap and so on.
    std::string path;
    FileSink::IfExists if_exists = FileSink::IfExists::kRefuse;
    bool packs = true;  // What is finished.
  };
  PartFiles(Options options, v1::Header header);

  struct Part {
    std::string name;
    std::unique_ptr<capture::CaptureFile> file;
  };

  // The next one. When it fails the next call tries the same number again.
  Result<Part> Open(const std::vector<capture::StandingRow>& standing);

  // Ends `part`, and packs it. That it cannot be packed is no error: it is as good, only larger.
  Status Finish(Part& part, Time time, v1::EndReason reason, std::string_view text);

  // Of all that are finished, and of `part` if it has a file.
  uint64_t calls(const Part& part) const;
  uint64_t calls_lost(const Part& part) const;
  uint64_t rows_lost(const Part& part) const;

  // Those that were opened, in order.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string NameOf(size_t part) const;

  const Options options_;
  const v1::Header header_;
  std::vector<std::string> names_;
  // Of what is finished.
  uint64_t calls_ = 0;
  uint64_t calls_lost_ = 0;
  uint64_t rows_lost_ = 0;
};

}  // namespace dstap::proxy
