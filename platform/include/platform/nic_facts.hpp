// What an interface says about itself. Asked through a socket and not through /sys, because /sys shows the
// network namespace that it was mounted in and not the calling thread's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rt_core/result.hpp"

namespace rtecho::platform {

struct NicOffloads {
  std::optional<bool> tcp_segmentation;
  std::optional<bool> generic_segmentation;
  std::optional<bool> generic_receive;
  std::optional<bool> large_receive;
  std::optional<bool> rx_checksum;
  std::optional<bool> tx_checksum;
};

struct NicCoalescing {
  std::uint32_t rx_usecs = 0;
  std::uint32_t rx_frames = 0;
  bool adaptive_rx = false;
};

struct NicFacts {
  std::string name;
  int mtu = 0;
  std::string mac;  // "02:00:00:00:00:01"
  std::optional<std::string> driver;
  std::optional<std::uint32_t> speed_mbps;  // absent without a link and on most virtual interfaces
  std::optional<NicCoalescing> coalescing;
  NicOffloads offloads;
  std::optional<std::string> irq_cpus;  // "38 on 1, 39 on 0": interrupt and the cores that serve it
};

// Errors: `invalid` name, `not_found` in this thread's namespace.
Result<NicFacts> read_nic_facts(const std::string& interface);

// The interface that holds this local IPv4 or IPv6 address, the loopback interface included.
[[nodiscard]] std::optional<std::string> interface_towards(const std::string& local_address);

}  // namespace rtecho::platform
