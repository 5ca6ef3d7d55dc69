#include "key_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "report/program_failure.hpp"

namespace rtecho::pair {
namespace {

class KeyFile : public testing::Test {
 protected:
  void write(const std::string& content, mode_t mode) {
    std::ofstream(path_, std::ios::binary) << content;
    chmod(path_.c_str(), mode);
  }
  void TearDown() override { std::remove(path_.c_str()); }
  std::string path_ = testing::TempDir() + "rtecho_key_" + std::to_string(getpid());
};

TEST_F(KeyFile, IsReadWithoutTheNewlineAtItsEnd) {
  write("0123456789abcdef\r\n", 0600);
  EXPECT_EQ(read_key_file(path_), "0123456789abcdef");
}

TEST_F(KeyFile, IsRefusedWhenOthersCanReadIt) {
  write("0123456789abcdef", 0640);
  EXPECT_THROW((void)read_key_file(path_), report::ProgramFailure);
}

TEST_F(KeyFile, IsRefusedWhenItIsTooShortOrMissing) {
  write("0123456789abcde\n", 0600);
  EXPECT_THROW((void)read_key_file(path_), report::ProgramFailure);
  EXPECT_THROW((void)read_key_file(path_ + "-not-there"), report::ProgramFailure);
}

// RFC 4231, test case 2.
TEST(ProofOf, IsTheHmacOfTheStandard) {
  EXPECT_EQ(proof_of("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(SameProof, ComparesWholeTexts) {
  EXPECT_TRUE(same_proof("abc", "abc"));
  EXPECT_FALSE(same_proof("abc", "abd"));
  EXPECT_FALSE(same_proof("abc", "ab"));
  EXPECT_FALSE(same_proof("", "a"));
}

}  // namespace
}  // namespace rtecho::pair
