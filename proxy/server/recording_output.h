// The file or files that a recording is written to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/file_sink.h"
#include "proto/base/status.h"
#include "proto/capture/chunk_sink.h"
#include "proxy/server/flight_recorder.h"
#include "proxy/server/rotating_file.h"

namespace dstap::proxy {

// A larger capture is not packed when it is closed.
inline constexpr uint64_t kPackBytesMax = uint64_t{1} << 30;

struct OutputOptions {
  std::string path;
  FileSink::IfExists if_exists = FileSink::IfExists::kRefuse;
  // Put the new file in an existing one's place only at the end.
  bool replace_at_end = false;
  // Make the file small when it is closed.
  bool packs = true;
  // At most one of these: the recording is written as numbered files.
  std::optional<RotatingFile::Limits> rotate;
  std::optional<FlightRecorder::Limits> flight;
};

// Ownership: the sink that TakeSink() gives must outlive Publish(), Discard() and Finish().
// Threads:   not thread-safe. The sink may be used on another thread between TakeSink() and its
//            Close().
class RecordingOutput {
 public:
  // Creates the first file and writes `header` into it. A file that is appended to loses its torn
  // tail.
  //
  // Errors: kUsage, kWrite, and kDamaged where nothing can be appended. What stood at the path is
  //         untouched.
  static Result<RecordingOutput> Open(OutputOptions options, v1::Header header);

  std::unique_ptr<capture::ChunkSink> TakeSink() { return std::move(sink_); }

  // The recording goes on: an existing file is replaced now.
  Status Publish();
  // There is no recording: what stood at the path is there again.
  void Discard();
  // The sink is closed: replaces an existing file if that was to be done now, and packs. A capture
  // that cannot be packed is whole all the same: `packed` then says why.
  struct Finished {
    Status published;
    Status packed;
  };
  Finished Finish();

  // There was no file at the path.
  bool is_new() const { return is_new_; }
  // Those that were made.
  std::vector<std::string> names() const;

 private:
  explicit RecordingOutput(OutputOptions options) : options_(std::move(options)) {}
  Status OpenOne(v1::Header header);
  Status OpenParts(v1::Header header);

  OutputOptions options_;
  bool is_new_ = false;
  std::unique_ptr<capture::ChunkSink> sink_;
  FileSink* file_ = nullptr;          // Of the one file; within the sink.
  std::shared_ptr<PartFiles> parts_;  // Of several.
};

}  // namespace dstap::proxy
