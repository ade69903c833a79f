#include "tests/captures/made_captures.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "proto/capture/capture_text.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {

std::string ReadProjectFile(const std::string& path) {
  std::ifstream in(std::string(DSTAP_SOURCE_DIR "/") + path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

void ExpectProjectFile(const std::string& path, const std::string& bytes) {
  if (std::getenv("DSTAP_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(std::string(DSTAP_SOURCE_DIR "/") + path, std::ios::binary) << bytes;
  }
  // Not EXPECT_EQ, which would print both.
  EXPECT_TRUE(ReadProjectFile(path) == bytes) << path << " is not what it is made to";
}

Parts::Parts(const std::string& bytes) {
  v1::Capture capture;
  EXPECT_TRUE(capture.ParseFromString(bytes));
  for (const v1::Chunk& chunk : capture.chunk()) {
    EXPECT_EQ(chunk.codec(), v1::CODEC_NONE);
    chunks.push_back(chunk.records());
  }
}

std::string Parts::Bytes() const {
  std::string out(capture::MagicBytes());
  v1::Index index;
  for (size_t i = 0; i < chunks.size(); ++i) {
    v1::Records records = chunks[i];
    for (v1::Row& row : *records.mutable_row()) {
      if (!row.has_index()) continue;
      for (int e = 0; e < index.entry_size() && e < row.index().entry_size(); ++e) {
        v1::IndexEntry& entry = *row.mutable_index()->mutable_entry(e);
        entry.set_offset(index.entry(e).offset());
        entry.set_rows(index.entry(e).rows());
      }
    }
    v1::IndexEntry& entry = *index.add_entry();
    entry.set_offset(out.size());
    entry.set_rows(static_cast<uint32_t>(records.row_size()));
    const std::string chunk = AChunk(i, records.SerializeAsString());
    v1::Capture framed;
    EXPECT_TRUE(framed.ParseFromString(chunk));
    const std::string inside = framed.chunk(0).SerializeAsString() + behind_body;
    // The length in front counts what stands behind the body.
    std::string length;
    for (size_t n = inside.size(); length.empty() || n != 0; n >>= 7) {
      length += static_cast<char>((n & 0x7F) | (n > 0x7F ? 0x80 : 0));
    }
    out += "\x12" + length + inside;
  }
  return out;
}

std::vector<size_t> ChunkBegins(const std::string& bytes) {
  std::vector<size_t> begins;
  for (const OwnedRecord& record : ReadCapture(bytes).records) {
    const auto at = static_cast<size_t>(record.chunk_offset);
    if (begins.empty() || begins.back() != at) begins.push_back(at);
  }
  begins.push_back(bytes.size());
  return begins;
}

}  // namespace dstap::test
