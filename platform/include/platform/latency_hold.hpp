// Asks the kernel's power management for a wake-up latency of 0 us, which keeps cores out of deep idle states:
// waking from those costs an AF_XDP receiver 47 to 56 us instead of 3 to 10. For the real-time build only; the
// normal build must meet the machine as it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/descriptor.hpp"

namespace rtecho::platform {

// The request lasts as long as the object.
class LatencyHold {
 public:
  // A refusal is one sentence added to `degraded`; the hold is then not held.
  static LatencyHold acquire(std::vector<std::string>& degraded);

  [[nodiscard]] bool held() const noexcept { return device_.is_open(); }

 private:
  explicit LatencyHold(Descriptor device) noexcept : device_(std::move(device)) {}

  Descriptor device_;
};

}  // namespace rtecho::platform
