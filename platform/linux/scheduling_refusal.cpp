#include "scheduling_refusal.hpp"

#include <linux/capability.h>
#include <sys/resource.h>

#include <cstdint>
#include <optional>

#include "file_text.hpp"
#include "process_status.hpp"

namespace rtecho::platform {

namespace {

// The path of this process in the cgroup v1 hierarchy that has the cpu controller, where there is one, else in v2.
struct CpuGroup {
  bool version_1 = false;
  std::string path;
};

std::optional<CpuGroup> find_cpu_group() {
  // Lines are "hierarchy:controller,controller:path"; v2 has no controllers. cgroups(7).
  const std::string groups = read_file_text("/proc/self/cgroup").value_or("");
  std::optional<CpuGroup> found;
  for (std::string_view rest = groups; !rest.empty();) {
    std::string_view path = take_until(rest, '\n');
    static_cast<void>(take_until(path, ':'));
    std::string_view controllers = take_until(path, ':');
    if (controllers.empty()) {
      found = CpuGroup{false, std::string(path)};
    }
    while (!controllers.empty()) {
      if (take_until(controllers, ',') == "cpu") {
        return CpuGroup{true, std::string(path)};
      }
    }
  }
  return found;
}

std::optional<std::int64_t> read_group_budget_us(const std::string& group_path) {
  for (const char* const mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
    const auto budget = read_file_number(mount + group_path + "/cpu.rt_runtime_us");
    if (budget) {
      return budget;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string explain_fifo_refusal(int priority) {
  const std::string refused = "SCHED_FIFO " + std::to_string(priority) + " refused (EPERM): ";
  rlimit limit{};
  // Fails only for a wrong resource or pointer.
  getrlimit(RLIMIT_RTPRIO, &limit);
  if (!has_effective_capability(CAP_SYS_NICE) && limit.rlim_cur < static_cast<rlim_t>(priority)) {
    return refused + "needs CAP_SYS_NICE or an rtprio limit of at least " + std::to_string(priority) +
           " (ulimit -r is " + std::to_string(limit.rlim_cur) + ")";
  }
  const std::optional<CpuGroup> group = find_cpu_group();
  if (group && group->version_1 && read_group_budget_us(group->path) == 0) {
    return refused + "cgroup " + group->path +
           " has no real-time budget; write one to cpu.rt_runtime_us at each level (Docker: --cpu-rt-runtime)";
  }
  if (group && !group->version_1 && group->path != "/") {
    return refused + "privilege is there, so a kernel with RT_GROUP_SCHED gives cgroup " + group->path +
           " no real-time budget, or seccomp forbids it; start from the root cgroup or boot with rt_group_sched=0";
  }
  return refused +
         "privilege is there and no cgroup without a budget was found, so seccomp or a security module forbids it";
}

}  // namespace rtecho::platform
