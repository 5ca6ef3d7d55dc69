#include "platform/capabilities.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "child_process.hpp"

namespace rtecho::platform {
namespace {

class Capabilities : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the thread sanitizer has a thread of its own";
#endif
  }
};

// The hexadecimal sets of /proc/self/status, as in "CapPrm 0000000000800000".
std::string capability_sets() {
  std::ifstream status("/proc/self/status");
  std::ostringstream sets;
  for (std::string name, value; status >> name;) {
    if (name.starts_with("Cap") && name != "CapAmb:") {
      status >> value;
      sets << name << value << ' ';
    }
  }
  return sets.str();
}

TEST_F(Capabilities, AreDroppedFromEverySet) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "has no capabilities to drop (needs root)";
  }
  const ChildOutcome outcome = run_in_child([] {
    const std::array kept{Capability::sys_nice, Capability::net_raw};
    return keep_only_capabilities(kept) ? capability_sets() : std::string("failed");
  });
  // CAP_NET_RAW is 13, CAP_SYS_NICE is 23.
  EXPECT_EQ(outcome.text,
            "CapInh:0000000000000000 CapPrm:0000000000802000 CapEff:0000000000802000 CapBnd:0000000000802000 ");
}

TEST_F(Capabilities, CanAllBeDropped) {
  const ChildOutcome outcome =
      run_in_child([] { return keep_only_capabilities({}) ? capability_sets() : std::string("failed"); });
  EXPECT_NE(outcome.text.find("CapPrm:0000000000000000 CapEff:0000000000000000"), std::string::npos) << outcome.text;
}

TEST_F(Capabilities, GainNothingForAnOrdinaryUser) {
  const ChildOutcome outcome = run_in_child([] {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) {
      return std::string("cannot give up root");
    }
    const std::array kept{Capability::sys_nice, Capability::ipc_lock, Capability::net_admin};
    return keep_only_capabilities(kept) ? capability_sets() : std::string("failed");
  });
  EXPECT_NE(outcome.text.find("CapPrm:0000000000000000 CapEff:0000000000000000"), std::string::npos) << outcome.text;
}

}  // namespace
}  // namespace rtecho::platform
