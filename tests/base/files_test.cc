#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "proto/base/file_sink.h"
#include "proto/base/file_source.h"

namespace dstap {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FilesTest : public testing::Test {
 protected:
  FilesTest() {
    std::string path = (fs::temp_directory_path() / "dstap-files-XXXXXX").string();
    folder_ = ::mkdtemp(path.data());
  }
  ~FilesTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  static std::string Slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  std::string folder_;
};

TEST_F(FilesTest, ASinkAppendsCutsBackAndGoesOnFromThere) {
  auto sink = FileSink::Create(Path("a"), FileSink::IfExists::kRefuse);
  ASSERT_TRUE(sink.ok());
  ASSERT_TRUE((*sink)->Append("abcdef").ok());
  ASSERT_TRUE((*sink)->Truncate(2).ok());
  ASSERT_TRUE((*sink)->Append("XY").ok());
  EXPECT_EQ((*sink)->size(), 4U);
  EXPECT_TRUE((*sink)->Sync().ok());
  EXPECT_EQ(Slurp(Path("a")), "abXY");
}

TEST_F(FilesTest, AnExistingFileIsRefusedOrReplacedAsAsked) {
  std::ofstream(Path("a")) << "old and longer";
  const auto refused = FileSink::Create(Path("a"), FileSink::IfExists::kRefuse);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ErrorCode::kUsage);
  EXPECT_EQ(Slurp(Path("a")), "old and longer");
  auto replaced = FileSink::Create(Path("a"), FileSink::IfExists::kReplace);
  ASSERT_TRUE(replaced.ok());
  ASSERT_TRUE((*replaced)->Append("new").ok());
  EXPECT_EQ(Slurp(Path("a")), "old and longer");
  ASSERT_TRUE((*replaced)->Publish().ok());
  EXPECT_EQ(Slurp(Path("a")), "new");
  EXPECT_FALSE(fs::exists(Path("a.part")));
}

TEST_F(FilesTest, ADiscardedFileLeavesWhatWasThere) {
  std::ofstream(Path("a")) << "old";
  auto replacing = FileSink::Create(Path("a"), FileSink::IfExists::kReplace);
  (*replacing)->Discard();
  EXPECT_EQ(Slurp(Path("a")), "old");
  EXPECT_FALSE(fs::exists(Path("a.part")));
  auto is_new = FileSink::Create(Path("b"), FileSink::IfExists::kReplace);
  (*is_new)->Discard();
  EXPECT_FALSE(fs::exists(Path("b")));
}

TEST_F(FilesTest, ANewFileHasItsNameWithItsFirstBytes) {
  auto sink = FileSink::Create(Path("a"), FileSink::IfExists::kRefuse);
  ASSERT_TRUE(sink.ok());
  EXPECT_FALSE(fs::exists(Path("a")));
  ASSERT_TRUE((*sink)->Append("first").ok());
  EXPECT_EQ(Slurp(Path("a")), "first");
  // And a file without bytes when it is synced.
  auto empty = FileSink::Create(Path("b"), FileSink::IfExists::kRefuse);
  ASSERT_TRUE((*empty)->Sync().ok());
  EXPECT_TRUE(fs::exists(Path("b")));
}

TEST_F(FilesTest, AFileThatSomebodyMadeMeanwhileIsNotReplaced) {
  auto sink = FileSink::Create(Path("a"), FileSink::IfExists::kRefuse);
  std::ofstream(Path("a")) << "another's";
  const Status status = (*sink)->Append("first");
  EXPECT_EQ(status.code(), ErrorCode::kUsage);
  EXPECT_EQ(status.message(), Path("a") + ": the file exists; name another or add --force");
  (*sink)->Discard();
  EXPECT_EQ(Slurp(Path("a")), "another's");
}

TEST_F(FilesTest, ASecondWriterIsRefusedAndTheFirstOnesBytesStay) {
  auto first = FileSink::Create(Path("a"), FileSink::IfExists::kRefuse);
  ASSERT_TRUE((*first)->Append("first").ok());
  const auto second = FileSink::Create(Path("a"), FileSink::IfExists::kReplace);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.status().message(),
              HasSubstr(fmt::format(": process {} is writing it", ::getpid())));
  EXPECT_EQ(Slurp(Path("a")), "first");
}

TEST_F(FilesTest, AFolderAndADeviceAreNoFilesToRecordInto) {
  EXPECT_FALSE(FileSink::Create(folder_, FileSink::IfExists::kReplace).ok());
  const auto device = FileSink::Create("/dev/null", FileSink::IfExists::kReplace);
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().message(), "/dev/null: is not a regular file");
}

TEST_F(FilesTest, AWriteThatTheSystemRefusesIsAnErrorWithItsWords) {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto sink = FileSink::Create(Path("a"), FileSink::IfExists::kRefuse);
  const rlimit limit{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Status at_limit = (*sink)->Append("0123456789");
  const Status past_limit = (*sink)->Append("x");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(at_limit.ok());
  EXPECT_EQ(past_limit.code(), ErrorCode::kWrite);
  EXPECT_EQ(past_limit.message(), Path("a") + ": cannot be written: File too large");
}

TEST_F(FilesTest, ASourceGivesAllBytesAndThenNothing) {
  std::ofstream(Path("a")) << "hello";
  auto source = FileSource::Open(Path("a"));
  ASSERT_TRUE(source.ok());
  std::array<char, 3> buffer{};
  std::string read;
  for (;;) {
    const auto n = (*source)->Read(buffer);
    ASSERT_TRUE(n.ok());
    if (*n == 0) break;
    read.append(buffer.data(), *n);
  }
  EXPECT_EQ(read, "hello");
}

TEST_F(FilesTest, WhatCannotBeReadIsAnErrorWithThePath) {
  const auto missing = FileSource::Open(Path("missing"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), ErrorCode::kNotFound);
  EXPECT_EQ(missing.status().message(),
            Path("missing") + ": cannot be opened: No such file or directory");
  const auto folder = FileSource::Open(folder_);
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.status().code(), ErrorCode::kRead);
  EXPECT_EQ(folder.status().message(), folder_ + ": is a directory; name the capture files in it");
}

}  // namespace
}  // namespace dstap
