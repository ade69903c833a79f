// A capture needs nothing of ours to be read: protoc does it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "tests/support/captures.h"
#include "tests/support/temp_file.h"

namespace dstap::test {
namespace {

using ::testing::HasSubstr;

// What `command` prints, and nothing when it fails.
std::string OutputOf(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 4096> buffer{};
  for (size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) {
    out.append(buffer.data(), n);
  }
  return pclose(pipe.release()) == 0 ? out : std::string();
}

TEST(ProtocTest, DecodesACaptureWithItsKeysAndMethods) {
  const TempFile file(AClosedCapture(3) + AClosedCapture(1));
  const std::string out = OutputOf("protoc --decode=dstap.v1.Capture -I " DSTAP_SOURCE_DIR
                                   "/proto dstap/v1/capture.proto < " +
                                   file.path());
  EXPECT_THAT(out, HasSubstr("keys: \"Player_1\""));
  EXPECT_THAT(out, HasSubstr("method: METHOD_UPDATE_ASYNC"));
  EXPECT_THAT(out, HasSubstr("reason: END_REASON_CLOSED"));
}

TEST(ProtocTest, DecodesACaptureWithTheSchemaThatIsInIt) {
  const std::string bytes = AClosedCapture(3);
  const TempFile file(bytes);
  const TempFile schema(ReadCapture(bytes).records.at(0).row.header().descriptor_set(), "schema");
  const std::string out =
      OutputOf("protoc --decode=dstap.v1.Capture --descriptor_set_in=" + schema.path() + " < " +
               file.path());
  EXPECT_THAT(out, HasSubstr("keys: \"Player_1\""));
}

}  // namespace
}  // namespace dstap::test
