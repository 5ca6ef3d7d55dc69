#include "drivers/address.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace rtecho::drivers {
namespace {

std::string round_trip(std::string_view text, std::uint16_t port = 0) {
  const Result<Address> address = Address::parse(text, port);
  return address ? address.value().text() : "refused";
}

TEST(Address, ReadsIpv4) {
  const Address address = Address::parse("10.0.0.1", 7'007).value();
  EXPECT_EQ(address.version(), IpVersion::ipv4);
  EXPECT_EQ(address.bytes()[0], std::byte{10});
  EXPECT_EQ(address.bytes()[3], std::byte{1});
  EXPECT_EQ(address.port(), 7'007);
  EXPECT_EQ(address.host_text(), "10.0.0.1");
  EXPECT_EQ(round_trip("10.0.0.1:65535", 7'007), "10.0.0.1:65535");
  EXPECT_EQ(round_trip("0.0.0.0"), "0.0.0.0:0");
}

TEST(Address, ReadsIpv6) {
  const Address address = Address::parse("2001:db8::17", 7'007).value();
  EXPECT_EQ(address.version(), IpVersion::ipv6);
  EXPECT_EQ(address.bytes()[0], std::byte{0x20});
  EXPECT_EQ(address.bytes()[15], std::byte{0x17});
  EXPECT_EQ(address.host_text(), "2001:db8::17");
  EXPECT_EQ(round_trip("::1", 5), "[::1]:5");
  EXPECT_EQ(round_trip("[::1]", 5), "[::1]:5");
  EXPECT_EQ(round_trip("[::1]:7007", 5), "[::1]:7007");
  EXPECT_EQ(round_trip("0:0:0:0:0:0:0:1", 5), "[::1]:5");
}

// The loopback interface has index 1 in every network namespace.
TEST(Address, ReadsTheScopeOfALinkLocalAddress) {
  const Address address = Address::parse("fe80::1%lo").value();
  EXPECT_EQ(address.scope_id(), 1U);
  EXPECT_EQ(address.host_text(), "fe80::1%lo");
  EXPECT_EQ(round_trip("[fe80::1%lo]:7007"), "[fe80::1%lo]:7007");
  EXPECT_EQ(round_trip("fe80::1%1", 9), "[fe80::1%lo]:9");
}

TEST(Address, RefusesAScopeThatIsMissingUnknownOrOutOfPlace) {
  EXPECT_EQ(Address::parse("fe80::1").error().status, Status::invalid);
  EXPECT_EQ(Address::parse("::1%lo").error().status, Status::invalid);
  EXPECT_EQ(Address::parse("fe80::1%no-such-interface").error().status, Status::not_found);
  EXPECT_EQ(Address::parse("fe80::1%4000000000").error().status, Status::not_found);
  EXPECT_EQ(Address::parse("fe80::1%").error().status, Status::not_found);
}

TEST(Address, ReadsAMappedAddressAsTheIpv4OneItIs) {
  EXPECT_EQ(Address::parse("::ffff:10.0.0.1").value(), Address::parse("10.0.0.1").value());
}

TEST(Address, RefusesWhatIsNoAddress) {
  const std::vector<std::string_view> texts{
      "",          " ",          "localhost",   "10.0.0",         "10.0.0.256",   "10.0.0.1 ",
      "10.0.0.1:", "10.0.0.1:x", "10.0.0.1:-1", "10.0.0.1:65536", "10.0.0.1:7 ",  ":7007",
      "[::1",      "::1]",       "[::1]7007",   "[::1]:",         "[10.0.0.1]:1", "[]",
      "[]:1",      "1:2:3",      ":::",         "::1::",          "12345::",      "%lo"};
  for (const std::string_view text : texts) {
    const Result<Address> address = Address::parse(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().status, Status::invalid) << text;
  }
}

TEST(Address, ComparesHostsWhateverThePort) {
  const Address address = Address::parse("10.0.0.1:1").value();
  EXPECT_TRUE(address.same_host(address.with_port(2)));
  EXPECT_FALSE(address == address.with_port(2));
  EXPECT_FALSE(address.same_host(Address::parse("10.0.0.2:1").value()));
  EXPECT_FALSE(Address::any(IpVersion::ipv4).same_host(Address::any(IpVersion::ipv6)));
}

}  // namespace
}  // namespace rtecho::drivers
