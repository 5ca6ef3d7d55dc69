// What /proc/self/status and capget(2) say about this process, for the sources of this folder.
#pragma once

#include <cstdint>

namespace rtecho::platform {

struct LockedMemory {
  std::uint64_t locked_bytes = 0;            // VmLck
  std::uint64_t private_writable_bytes = 0;  // VmData: heap, stacks, anonymous mappings
  std::uint64_t mapped_bytes = 0;            // VmSize

  // mlockall covers every private writable mapping; single mlock calls (a BPF map, a ring) cannot come that far.
  [[nodiscard]] bool covers_everything() const noexcept {
    return locked_bytes > 0 && locked_bytes >= private_writable_bytes;
  }
};

// All zero where /proc is not mounted.
[[nodiscard]] LockedMemory read_locked_memory();

[[nodiscard]] bool is_only_thread();

// `number` is one of linux/capability.h.
[[nodiscard]] bool has_effective_capability(int number) noexcept;

}  // namespace rtecho::platform
