#include "drivers/pcap_handle.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture_veth.hpp"

namespace rtecho::drivers {
namespace {

constexpr std::uint32_t snap_bytes = 1'518;

FrameSelection echo_selection(std::optional<std::uint16_t> vlan_id = {}) {
  return {.local = CaptureVeth::near_mac, .vlan_id = vlan_id, .udp = {}};
}

FrameSelection udp_selection() {
  FrameSelection selection = echo_selection();
  selection.udp = UdpSelection{.local = {0x0A000001, 7'000}, .peer = {0x0A0000FE, 65'535}};
  return selection;
}

TEST(FilterText, LooksForTheTagLastWhereThereMustBeNone) {
  EXPECT_EQ(filter_text(echo_selection()), "ether dst 02:00:00:00:00:0a and ether proto 0x88b5 and not vlan");
}

TEST(FilterText, LooksForTheTagFirstWhereThereMustBeOne) {
  EXPECT_EQ(filter_text(echo_selection(4'094)), "vlan 4094 and ether dst 02:00:00:00:00:0a and ether proto 0x88b5");
  EXPECT_EQ(filter_text(echo_selection(0)), "vlan 0 and ether dst 02:00:00:00:00:0a and ether proto 0x88b5");
}

TEST(FilterText, NamesBothEndsOfADatagram) {
  EXPECT_EQ(filter_text(udp_selection()),
            "ether dst 02:00:00:00:00:0a and udp and src host 10.0.0.254 and src port 65535 and dst host 10.0.0.1 and "
            "dst port 7000 and ip[6:2] & 0x3fff = 0 and not vlan");
}

TEST(FilterText, AddsWhatWeAnswerForAnAddressOfOurOwn) {
  FrameSelection selection = udp_selection();
  selection.udp->own_address = true;
  selection.vlan_id = 5;
  EXPECT_EQ(filter_text(selection),
            "vlan 5 and ((ether dst 02:00:00:00:00:0a and udp and src host 10.0.0.254 and src port 65535 and dst host "
            "10.0.0.1 and dst port 7000 and ip[6:2] & 0x3fff = 0) or (ether dst 02:00:00:00:00:0a and icmp[icmptype] = "
            "icmp-echo and dst host 10.0.0.1 and ip[6:2] & 0x3fff = 0) or ((ether dst 02:00:00:00:00:0a or ether "
            "broadcast) and arp host 10.0.0.1))");
}

class PcapHandleTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!veth_.is_made()) {
      GTEST_SKIP() << "cannot make a veth pair here (needs root and iproute2)";
    }
  }
  Result<PcapHandle> open(const char* interface) {
    return PcapHandle::open({.interface = interface, .selection = echo_selection(), .snap_bytes = snap_bytes},
                            wording_);
  }

  CaptureVeth veth_;
  std::string wording_ = "of before";
};

TEST_F(PcapHandleTest, SaysWhatItWasOpenedWith) {
  const Result<PcapHandle> handle = open(CaptureVeth::near_name);
  ASSERT_TRUE(handle) << wording_;
  EXPECT_EQ(wording_, "");
  EXPECT_EQ(handle.value().wording(), "");
  EXPECT_EQ(handle.value().time_stamp_type_text(), "host, nanoseconds");
  EXPECT_EQ(handle.value().filter(), "ether dst 02:00:00:00:00:0a and ether proto 0x88b5 and not vlan");
  EXPECT_EQ(handle.value().snap_bytes(), 1'518U);
}

TEST_F(PcapHandleTest, DoesNotFindAnInterface) {
  const Result<PcapHandle> handle = open("rtecho_c");
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().status, Status::not_found);
  EXPECT_NE(wording_.find("No such device"), std::string::npos) << wording_;
}

TEST_F(PcapHandleTest, RefusesAnInterfaceThatIsDown) {
  ASSERT_TRUE(CaptureVeth::run("ip link set rtecho_a down"));
  const Result<PcapHandle> handle = open(CaptureVeth::near_name);
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().status, Status::failed);
  EXPECT_STREQ(handle.error().context, "opening a capture: the interface is down");
  EXPECT_NE(wording_, "");
}

TEST_F(PcapHandleTest, RefusesWhatIsNoEthernet) {
  if (!CaptureVeth::run("ip tuntap add rtecho_tun mode tun 2>/dev/null") ||
      !CaptureVeth::run("ip link set rtecho_tun up")) {
    GTEST_SKIP() << "cannot make a tun interface here";
  }
  const Result<PcapHandle> handle = open("rtecho_tun");
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().status, Status::unsupported);
}

TEST_F(PcapHandleTest, NeedsThePrivilege) {
  const pid_t child = fork();
  if (child == 0) {
    const bool is_plain = setresuid(65'534, 65'534, 65'534) == 0;
    const Result<PcapHandle> handle = open(CaptureVeth::near_name);
    _exit(is_plain && !handle && handle.error().status == Status::denied && !wording_.empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace rtecho::drivers
