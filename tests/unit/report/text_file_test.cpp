#include "report/text_file.hpp"

#include <gtest/gtest.h>

#include <random>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace rtecho::report {
namespace {

class TextFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("rtecho_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() +
               std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

}  // namespace

TEST_F(TextFile, ReadsWhatItWroteAndLeavesNothingElse) {
  ASSERT_TRUE(write_text_file(path("a"), std::string("one\0two", 7)));
  EXPECT_EQ(read_text_file(path("a")).value(), std::string("one\0two", 7));
  ASSERT_TRUE(write_text_file(path("a"), ""));
  EXPECT_EQ(read_text_file(path("a")).value(), "");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(TextFile, WritesThroughALinkInsteadOfReplacingIt) {
  ASSERT_TRUE(write_text_file(path("target"), "old"));
  std::filesystem::create_symlink(path("target"), path("link"));
  ASSERT_TRUE(write_text_file(path("link"), "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_text_file(path("target")).value(), "new");
}

TEST_F(TextFile, NoticesAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "this system has no /dev/full";
  }
  const auto written = write_text_file("/dev/full", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.failure().kind, FailureKind::system);
  EXPECT_NE(written.failure().sentence.find("cannot write /dev/full: No space left on device"), std::string::npos);
}

TEST_F(TextFile, DoesNotReplaceADevice) {
  if (!std::filesystem::exists("/dev/null")) {
    GTEST_SKIP() << "this system has no /dev/null";
  }
  EXPECT_TRUE(check_writable("/dev/null"));
  EXPECT_TRUE(write_text_file("/dev/null", "text"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(TextFile, SaysWhichFileCouldNotBeWritten) {
  const auto written = write_text_file(path("no/such"), "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.failure().kind, FailureKind::system);
  EXPECT_NE(written.failure().sentence.find("cannot create " + path("no/such") + ": No such file or directory"),
            std::string::npos);
  EXPECT_FALSE(write_text_file(folder_.string(), "text"));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(TextFile, KnowsBeforehandWhatCannotBeWritten) {
  EXPECT_TRUE(check_writable(path("a")));
  EXPECT_TRUE(check_writable("-"));
  EXPECT_FALSE(check_writable(path("no/such")));
  EXPECT_FALSE(check_writable(folder_.string()));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(TextFile, SaysWhichFileCouldNotBeRead) {
  const auto read = read_text_file(path("none"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.failure().kind, FailureKind::system);
  EXPECT_EQ(read.failure().sentence, "cannot open " + path("none") + ": No such file or directory");
  EXPECT_EQ(read_text_file(folder_.string()).failure().kind, FailureKind::system);
}

TEST_F(TextFile, RefusesAFileOfAbsurdSize) {
  std::ofstream(path("huge")).put('x');
  std::filesystem::resize_file(path("huge"), std::uintmax_t{65} * 1024 * 1024);
  const auto read = read_text_file(path("huge"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.failure().kind, FailureKind::content);
}

}  // namespace rtecho::report
