#include "platform/latency_hold.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "platform/os_error.hpp"

namespace rtecho::platform {

LatencyHold LatencyHold::acquire(std::vector<std::string>& degraded) {
  Descriptor device(open("/dev/cpu_dma_latency", O_RDWR | O_CLOEXEC));
  if (!device.is_open()) {
    degraded.push_back("idle states stay deep: /dev/cpu_dma_latency cannot be opened (" + os_error_text(errno) +
                       "); run as root or give the user access to it");
    return LatencyHold(Descriptor());
  }
  // Documentation/power/pm_qos_interface.rst: a binary s32 in microseconds; reading gives the value in force.
  const std::int32_t asked_us = 0;
  std::int32_t granted_us = -1;
  if (write(device.number(), &asked_us, sizeof asked_us) != sizeof asked_us ||
      pread(device.number(), &granted_us, sizeof granted_us, 0) != sizeof granted_us || granted_us != asked_us) {
    degraded.emplace_back(
        "idle states stay deep: /dev/cpu_dma_latency did not take 0 us; cap them at boot "
        "(processor.max_cstate=1)");
    return LatencyHold(Descriptor());
  }
  return LatencyHold(std::move(device));
}

}  // namespace rtecho::platform
