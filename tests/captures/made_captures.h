// How the captures in captures/damaged and captures/padded are made.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/capture/capture_writer.h"
#include "proto/capture/defects.h"

namespace dstap::test {

// From the project's root. Empty, and a failure of the test, when there is no such file.
std::string ReadProjectFile(const std::string& path);
// With DSTAP_UPDATE_GOLDEN the file is written first.
void ExpectProjectFile(const std::string& path, const std::string& bytes);

// A capture of uncompressed chunks, taken apart. What it is put together to has right checksums and
// sequences, and the index points where the chunks are.
struct Parts {
  std::vector<v1::Records> chunks;
  // Put behind the body of each chunk, as a newer dstap might.
  std::string behind_body;

  explicit Parts(const std::string& bytes);
  std::string Bytes() const;
};

// Where each chunk begins, and last where the capture ends.
std::vector<size_t> ChunkBegins(const std::string& bytes);

// One capture of captures/damaged.
struct DamagedSample {
  capture::DefectId id;  // The file is named after it.
  // What `dstap verify` finds, in this order, the id among it.
  std::vector<std::string> finds;
  // Where: a chunk of the file, and for a rule the record.
  uint64_t chunk;
  uint64_t record;
  const char* made;  // For a person: what was done to base.txtpb.
  // Both may be null. What is added becomes a chunk of its own in front of the End.
  std::function<void(capture::CaptureWriter&)> add;
  std::function<std::string(std::string)> damage;
};

// For messages of tests.
inline void PrintTo(const DamagedSample& sample, std::ostream* out) {
  *out << capture::InfoOf(sample.id).name;
}

// One a row of the table of defects.
std::vector<DamagedSample> DamagedSamples();
std::string BytesOf(const DamagedSample& sample);

// `golden` as a newer dstap might write it: unknown fields wherever there may be some, rows of an
// unknown kind, and rows of known kinds with unknown numbers in their enums.
std::string Padded(const std::string& golden);
// A row that Padded() added.
bool IsPadding(const v1::Row& row);

}  // namespace dstap::test
