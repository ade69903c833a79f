#include "analyzer/commands/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/capture_command.h"

namespace dstap::analyzer {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(OutputFileTest, ReplacesAFile) {
  const test::TemporaryFolder folder("replaces");
  const std::string path = folder.File("a", "a longer text than the next one");
  EXPECT_TRUE(WriteWhole(path, "new").ok());
  EXPECT_EQ(folder.Read("a"), "new");
  EXPECT_THAT(folder.Names(), ElementsAre("a"));
}

TEST(OutputFileTest, AnOldPartIsNotInTheWay) {
  const test::TemporaryFolder folder("old-part");
  folder.File("a.part", "what a killed run left, longer than the text");
  EXPECT_TRUE(WriteWhole(folder.Path("a"), "new").ok());
  EXPECT_EQ(folder.Read("a"), "new");
  EXPECT_THAT(folder.Names(), ElementsAre("a"));
}

TEST(OutputFileTest, ASymbolicLinkStaysOne) {
  const test::TemporaryFolder folder("link");
  folder.File("target", "old");
  fs::create_symlink("target", folder.Path("link"));
  EXPECT_TRUE(WriteWhole(folder.Path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder.Path("link")));
  EXPECT_EQ(folder.Read("target"), "new");
}

TEST(OutputFileTest, WhatIsNoRegularFileIsLeftAlone) {
  const test::TemporaryFolder folder("no-file");
  for (const std::string& path : {std::string("/dev/null"), folder.Path("")}) {
    const Status status = WriteWhole(path, "new");
    EXPECT_EQ(status.code(), ErrorCode::kWrite);
    EXPECT_EQ(status.message(), path + ": is not a regular file; name another");
  }
}

TEST(OutputFileTest, NamesTheFolderThatIsNotThere) {
  const test::TemporaryFolder folder("no-folder");
  const Status status = WriteWhole(folder.Path("no/a"), "new");
  EXPECT_EQ(status.code(), ErrorCode::kWrite);
  EXPECT_THAT(status.message(), testing::HasSubstr("No such file or directory"));
}

TEST(OutputFileTest, TellsWhetherTwoPathsAreOneFile) {
  const test::TemporaryFolder folder("same");
  const std::string a = folder.File("a", "");
  const std::string b = folder.File("b", "");
  fs::create_symlink("a", folder.Path("link"));
  EXPECT_TRUE(IsSameFile(a, folder.Path("./a")));
  EXPECT_TRUE(IsSameFile(a, folder.Path("link")));
  EXPECT_FALSE(IsSameFile(a, b));
  EXPECT_FALSE(IsSameFile(a, folder.Path("missing")));
}

}  // namespace
}  // namespace dstap::analyzer
