#include "cpu_set.hpp"

#include <cstring>

#include "platform/bootstrap.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::platform {

CpuSet CpuSet::current() noexcept {
  CpuSet set;
  if (sched_getaffinity(0, byte_count, set.parts_.data()) != 0) {
    return {};
  }
  return set;
}

CpuSet CpuSet::reachable() noexcept {
  const CpuSet own = current();
  CpuSet every;
  std::memset(every.parts_.data(), 0xff, byte_count);
  if (sched_setaffinity(0, byte_count, every.data()) != 0) {
    return own;  // forbidden by seccomp: then the current set is all that can be had
  }
  const CpuSet widest = current();
  // Goes back to what the kernel itself reported, so it is not refused.
  sched_setaffinity(0, byte_count, own.data());
  return widest;
}

CpuSet CpuSet::only(int cpu) noexcept {
  RTECHO_ASSERT(cpu >= 0 && cpu < cpus_max);
  CpuSet set;
  CPU_SET_S(static_cast<std::size_t>(cpu), byte_count, set.parts_.data());
  return set;
}

bool CpuSet::contains(int cpu) const noexcept {
  return cpu >= 0 && cpu < cpus_max && CPU_ISSET_S(static_cast<std::size_t>(cpu), byte_count, parts_.data());
}

std::vector<int> CpuSet::ids() const {
  std::vector<int> found;
  for (int cpu = 0; cpu < cpus_max; ++cpu) {
    if (contains(cpu)) {
      found.push_back(cpu);
    }
  }
  return found;
}

std::string cpu_list_text(const std::vector<int>& ids) {
  if (ids.empty()) {
    return "none";
  }
  std::string text;
  for (std::size_t first = 0; first < ids.size();) {
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) {
      ++last;
    }
    text += text.empty() ? "" : ",";
    text += std::to_string(ids[first]);
    if (last > first) {
      text += "-" + std::to_string(ids[last]);
    }
    first = last + 1;
  }
  return text;
}

Result<void> check_cpu(int cpu) noexcept {
  if (!CpuSet::reachable().contains(cpu)) {
    return Error{Status::invalid, 0, "cpu does not exist or is outside the cpuset of this process"};
  }
  return {};
}

std::string allowed_cpus_text() {
  return cpu_list_text(CpuSet::reachable().ids());
}

}  // namespace rtecho::platform
