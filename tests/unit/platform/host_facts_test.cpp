#include "platform/host_facts.hpp"

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include "fake_root.hpp"

namespace rtecho::platform {
namespace {

TEST(HostFacts, AreAllAbsentOnAnEmptyTree) {
  const FakeRoot root;
  const HostFacts facts = read_host_facts(0, root.path());
  EXPECT_FALSE(facts.kernel_release || facts.kernel_version || facts.command_line || facts.preemption_model);
  EXPECT_FALSE(facts.cpu_model || facts.cpus_online || facts.governor || facts.isolated_cpus || facts.nohz_full_cpus);
  EXPECT_FALSE(facts.rt_runtime_us || facts.rt_period_us || facts.fair_server_runtime_ns || facts.clocksource);
  EXPECT_FALSE(facts.transparent_huge_pages || facts.hypervisor_present || facts.smt_active);
}

TEST(HostFacts, AreReadFromTheTree) {
  const FakeRoot root;
  root.write("proc/sys/kernel/osrelease", "6.12.8-rt\n");
  root.write("proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n");
  root.write("proc/cmdline", "isolcpus=3 quiet\n");
  root.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Example CPU @ 3.00GHz\nflags\t\t: fpu hypervisor lahf_lm\n");
  root.write("sys/devices/system/cpu/online", "0-2,4,6-7\n");
  root.write("sys/devices/system/cpu/isolated", "\n");
  root.write("sys/devices/system/cpu/nohz_full", "(null)\n");
  root.write("sys/devices/system/cpu/smt/active", "1\n");
  root.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance\n");
  root.write("sys/kernel/debug/sched/fair_server/cpu3/runtime", "50000000\n");
  root.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  root.write("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
  root.write("proc/sys/kernel/sched_rt_period_us", "1000000\n");
  const HostFacts facts = read_host_facts(3, root.path() + "/");
  EXPECT_EQ(facts.kernel_release, "6.12.8-rt");
  EXPECT_EQ(facts.kernel_version, "#1 SMP PREEMPT_RT Debian");
  EXPECT_EQ(facts.command_line, "isolcpus=3 quiet");
  EXPECT_EQ(facts.preemption_model, "rt");
  EXPECT_EQ(facts.cpu_model, "Example CPU @ 3.00GHz");
  EXPECT_EQ(facts.cpus_online, 6);
  EXPECT_EQ(facts.isolated_cpus, "");
  EXPECT_EQ(facts.nohz_full_cpus, "");
  EXPECT_EQ(facts.smt_active, true);
  EXPECT_EQ(facts.governor, "performance");
  EXPECT_EQ(facts.fair_server_runtime_ns, 50'000'000);
  EXPECT_EQ(facts.transparent_huge_pages, "madvise");
  EXPECT_EQ(facts.clocksource, "tsc");
  EXPECT_EQ(facts.rt_runtime_us, -1);
  EXPECT_EQ(facts.rt_period_us, 1'000'000);
  EXPECT_EQ(facts.hypervisor_present, true);
}

TEST(HostFacts, SayNothingOfACoreWithoutOne) {
  const FakeRoot root;
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  EXPECT_FALSE(read_host_facts(std::nullopt, root.path()).governor);
}

TEST(HostFacts, SeeBareMetalAsSuch) {
  const FakeRoot root;
  root.write("proc/cpuinfo", "flags\t\t: fpu hypervisor_like lahf_lm\n");
  EXPECT_EQ(read_host_facts({}, root.path()).hypervisor_present, false);
}

struct PreemptionCase {
  const char* version;
  const char* debug_file;
  const char* command_line;
  std::optional<std::string> expected;
};

TEST(HostFacts, TellThePreemptionModelsApart) {
  const PreemptionCase cases[] = {
      {"#1 SMP PREEMPT_DYNAMIC", "none voluntary (full) lazy\n", "", "full"},
      {"#1 SMP PREEMPT_DYNAMIC", "none voluntary full (lazy)\n", "preempt=full", "lazy"},
      {"#1 SMP PREEMPT_DYNAMIC", nullptr, "quiet preempt=voluntary ro", "voluntary"},
      {"#1 SMP PREEMPT_DYNAMIC", nullptr, "quiet", std::nullopt},
      {"#1 SMP PREEMPT", nullptr, "", "full"},
      {"#1 SMP", nullptr, "", "none or voluntary"},
      {"#1 SMP PREEMPT_RT", "none (full)\n", "", "rt"},
  };
  for (const PreemptionCase& example : cases) {
    const FakeRoot root;
    root.write("proc/sys/kernel/version", example.version);
    root.write("proc/cmdline", example.command_line);
    if (example.debug_file != nullptr) {
      root.write("sys/kernel/debug/sched/preempt", example.debug_file);
    }
    EXPECT_EQ(read_host_facts({}, root.path()).preemption_model, example.expected)
        << example.version << ' ' << example.command_line;
  }
}

TEST(HostFacts, AgreeWithTheRunningSystem) {
  const HostFacts facts = read_host_facts(0);
  utsname name{};
  ASSERT_EQ(uname(&name), 0);
  EXPECT_EQ(facts.kernel_release, name.release);
  EXPECT_EQ(facts.kernel_version, name.version);
}

}  // namespace
}  // namespace rtecho::platform
