#include "rtecho_host/link_options.hpp"

#include <gtest/gtest.h>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

ExitCode exit_code_of(const LinkOptions& options) {
  try {
    validate(options);
    return ExitCode::clean;
  } catch (const ProgramFailure& failure) {
    return failure.exit_code();
  }
}

TEST(LinkOptions, DefaultsAreValid) {
  EXPECT_EQ(exit_code_of({}), ExitCode::clean);
}

TEST(LinkOptions, RefuseNamesThatTheSystemWouldMisread) {
  for (const char* name : {"", "1234567890123456", "a/b", "..", ".", ".a", "a..b", "-a", "a b", "a\n", "ä", "a:b"}) {
    LinkOptions options;
    options.a.network_namespace = name;
    EXPECT_EQ(exit_code_of(options), ExitCode::usage) << '\'' << name << '\'';
    options = {};
    options.b.interface = name;
    EXPECT_EQ(exit_code_of(options), ExitCode::usage) << '\'' << name << '\'';
  }
}

TEST(LinkOptions, AcceptNamesOfFifteenCharacters) {
  LinkOptions options;
  options.a.interface = "abcdefghijk.1_-";
  EXPECT_EQ(exit_code_of(options), ExitCode::clean);
}

TEST(LinkOptions, RefuseOneNamespaceForBothEnds) {
  LinkOptions options;
  options.b.network_namespace = options.a.network_namespace;
  EXPECT_EQ(exit_code_of(options), ExitCode::usage);
}

TEST(LinkOptions, RefuseAddressesThatAreNone) {
  for (const char* address :
       {"", "10.77.0.1", "10.77.0.1/", "10.77.0.1/0", "10.77.0.1/024", "10.77.0.1/31", "10.77.0.1/24x", "10.77.0/24",
        "10.77.0.256/24", "10.77.0.1.1/24", "10.077.0.1/24", "10..0.1/24", "-1.77.0.1/24", "fd77::1/64", "/24"}) {
    LinkOptions options;
    options.a.address = address;
    EXPECT_EQ(exit_code_of(options), ExitCode::usage) << '\'' << address << '\'';
  }
}

TEST(LinkOptions, RefuseEndsThatCannotReachEachOther) {
  LinkOptions options;
  options.b.address = "10.78.0.2/24";
  EXPECT_EQ(exit_code_of(options), ExitCode::usage);
  options.b.address = "10.77.0.2/16";
  EXPECT_EQ(exit_code_of(options), ExitCode::usage);
  options.b.address = options.a.address;
  EXPECT_EQ(exit_code_of(options), ExitCode::usage);
}

TEST(LinkOptions, MtuHasItsRange) {
  LinkOptions options;
  for (const int mtu : {-1, 0, 67, 65'536}) {
    options.mtu = mtu;
    EXPECT_EQ(exit_code_of(options), ExitCode::usage) << mtu;
  }
  for (const int mtu : {68, 65'535}) {
    options.mtu = mtu;
    EXPECT_EQ(exit_code_of(options), ExitCode::clean) << mtu;
  }
}

TEST(LinkOptions, AddressWithoutPrefix) {
  EXPECT_EQ(without_prefix("10.77.0.1/24"), "10.77.0.1");
  EXPECT_EQ(without_prefix("10.77.0.1"), "10.77.0.1");
}

}  // namespace
}  // namespace rtecho::host
