// Giving up the privileges that a run does not need, after set-up.
#pragma once

#include <cstdint>
#include <span>

#include "rt_core/result.hpp"

namespace rtecho::platform {

enum class Capability : std::uint8_t {
  sys_nice,      // SCHED_FIFO
  ipc_lock,      // memory above the memlock limit, also for mappings made later under a MemoryLock
  net_admin,     // socket options and settings of interfaces
  net_raw,       // packet sockets
  dac_override,  // root only: files of other users, for example where the report is written
};

// Drops every other capability from the permitted, effective and inheritable set, and from the bounding set where
// the process may change it. Gains nothing: what the process does not have stays missing. Capabilities are kept
// per thread and inherited, so calling it while a second thread exists is a bug and is asserted.
// Error: `failed` when the system still shows another capability afterwards.
Result<void> keep_only_capabilities(std::span<const Capability> kept) noexcept;

}  // namespace rtecho::platform
