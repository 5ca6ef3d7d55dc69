// Sets of cores that may be larger than glibc's cpu_set_t, for the sources of this folder.
#pragma once

#include <sched.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace rtecho::platform {

// sched_getaffinity(2) refuses a mask smaller than the kernel's own, and CONFIG_NR_CPUS may be 8192.
class CpuSet {
 public:
  static constexpr int cpus_max = 8192;

  // Where the calling thread may run now; empty when the system refuses to tell.
  static CpuSet current() noexcept;
  // Where it could be pinned to. That is more than the current set: cores isolated at boot are in no thread's set
  // until it asks for them, and they are the very ones a measuring thread wants. Found by widening the calling
  // thread's own set, which the kernel cuts down to its cpuset, and putting it back.
  static CpuSet reachable() noexcept;
  static CpuSet only(int cpu) noexcept;

  [[nodiscard]] bool contains(int cpu) const noexcept;
  [[nodiscard]] std::vector<int> ids() const;
  [[nodiscard]] const cpu_set_t* data() const noexcept { return parts_.data(); }
  static constexpr std::size_t byte_count = cpus_max / 8;

 private:
  std::array<cpu_set_t, byte_count / sizeof(cpu_set_t)> parts_{};
};

// As in "0-3,6"; "none" for an empty list. The ids must be in ascending order.
[[nodiscard]] std::string cpu_list_text(const std::vector<int>& ids);

}  // namespace rtecho::platform
