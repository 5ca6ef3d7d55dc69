#include "platform/capabilities.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "platform/os_error.hpp"
#include "process_status.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::platform {

namespace {

int number_of(Capability capability) noexcept {
  switch (capability) {
    case Capability::sys_nice:
      return CAP_SYS_NICE;
    case Capability::ipc_lock:
      return CAP_IPC_LOCK;
    case Capability::net_admin:
      return CAP_NET_ADMIN;
    case Capability::net_raw:
      return CAP_NET_RAW;
    case Capability::dac_override:
      return CAP_DAC_OVERRIDE;
  }
  RTECHO_ASSERT(false);
  return 0;
}

std::uint64_t mask_of(std::span<const Capability> capabilities) noexcept {
  std::uint64_t mask = 0;
  for (const Capability capability : capabilities) {
    mask |= std::uint64_t{1} << number_of(capability);
  }
  return mask;
}

using Sets = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

// capget(2) and capset(2) as system calls: glibc has no wrapper, and libcap would be a dependency for two calls.
int call(long number, Sets& sets) noexcept {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  return static_cast<int>(syscall(number, &header, sets.data()));
}

// Must come before CAP_SETPCAP goes. Without it EPERM: the set then stays, which matters only to a program with file
// capabilities that this process would execute. EINVAL ends the list of the kernel's capabilities.
void drop_from_bounding_set(std::uint64_t kept_mask) noexcept {
  for (unsigned number = 0; number < 64; ++number) {
    const bool kept = ((kept_mask >> number) & 1U) != 0;
    if (!kept && prctl(PR_CAPBSET_DROP, static_cast<unsigned long>(number), 0UL, 0UL, 0UL) != 0) {
      return;
    }
  }
}

}  // namespace

Result<void> keep_only_capabilities(std::span<const Capability> kept) noexcept {
  RTECHO_ASSERT(is_only_thread());
  const std::uint64_t kept_mask = mask_of(kept);
  drop_from_bounding_set(kept_mask);
  Sets sets{};
  if (call(SYS_capget, sets) != 0) {
    return os_error(errno, "read the capabilities");
  }
  for (std::size_t word = 0; word < sets.size(); ++word) {
    const auto mask = static_cast<std::uint32_t>(word == 0 ? kept_mask : kept_mask >> 32);
    sets.at(word).permitted &= mask;
    sets.at(word).effective &= mask;
    sets.at(word).inheritable &= mask;
  }
  if (call(SYS_capset, sets) != 0) {
    return os_error(errno, "drop capabilities");
  }
  Sets after{};
  if (call(SYS_capget, after) != 0) {
    return os_error(errno, "read the capabilities back");
  }
  for (std::size_t word = 0; word < sets.size(); ++word) {
    if ((after.at(word).permitted & ~sets.at(word).permitted) != 0) {
      return Error{Status::failed, 0, "capabilities are still there after they were dropped"};
    }
  }
  return {};
}

}  // namespace rtecho::platform
