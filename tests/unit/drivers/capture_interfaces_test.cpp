#include "drivers/capture_interfaces.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "capture_veth.hpp"

namespace rtecho::drivers {
namespace {

const CaptureInterface* find(const std::vector<CaptureInterface>& interfaces, const char* name) {
  const auto found =
      std::find_if(interfaces.begin(), interfaces.end(), [&](const auto& one) { return one.name == name; });
  return found == interfaces.end() ? nullptr : &*found;
}

class CaptureInterfaces : public testing::Test {
 protected:
  void SetUp() override {
    if (!veth_.is_made()) {
      GTEST_SKIP() << "cannot make a veth pair here (needs root and iproute2)";
    }
  }
  CaptureVeth veth_;
  std::string wording_ = "of before";
};

TEST_F(CaptureInterfaces, AreListedWithTheirAddresses) {
  ASSERT_TRUE(CaptureVeth::run("ip address add 10.9.8.7/24 dev rtecho_a"));
  ASSERT_TRUE(CaptureVeth::run("ip address add fd00::7/64 dev rtecho_a nodad"));
  const auto interfaces = list_capture_interfaces(wording_);
  ASSERT_TRUE(interfaces) << wording_;
  EXPECT_EQ(wording_, "");
  const CaptureInterface* const near = find(interfaces.value(), CaptureVeth::near_name);
  ASSERT_NE(near, nullptr);
  EXPECT_EQ(near->mac, CaptureVeth::near_mac);
  EXPECT_EQ(near->addresses, (std::vector<std::string>{"10.9.8.7", "fd00::7"}));
  EXPECT_TRUE(near->is_up && near->is_running);
  EXPECT_FALSE(near->is_wireless || near->is_loopback);
}

TEST_F(CaptureInterfaces, AreListedAlsoWhereTheyAreDown) {
  ASSERT_TRUE(CaptureVeth::run("ip link set rtecho_a down"));
  const auto interfaces = list_capture_interfaces(wording_);
  ASSERT_TRUE(interfaces) << wording_;
  const CaptureInterface* const near = find(interfaces.value(), CaptureVeth::near_name);
  ASSERT_NE(near, nullptr);
  EXPECT_FALSE(near->is_up || near->is_running);
  // It is up still, but has lost its link.
  const CaptureInterface* const far = find(interfaces.value(), CaptureVeth::far_name);
  ASSERT_NE(far, nullptr);
  EXPECT_TRUE(far->is_up);
  EXPECT_FALSE(far->is_running);
}

TEST_F(CaptureInterfaces, SayWhichIsTheLoopbackAndWhichIsNone) {
  const auto interfaces = list_capture_interfaces(wording_);
  ASSERT_TRUE(interfaces) << wording_;
  const CaptureInterface* const loopback = find(interfaces.value(), "lo");
  ASSERT_NE(loopback, nullptr);
  EXPECT_TRUE(loopback->is_loopback);
  const CaptureInterface* const any = find(interfaces.value(), "any");
  ASSERT_NE(any, nullptr);
  EXPECT_FALSE(any->mac);
  EXPECT_NE(any->description, "");
}

}  // namespace
}  // namespace rtecho::drivers
