// The interfaces that a capture could be opened on, as libpcap sees them: for a user who has to choose one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rt_core/ethernet.hpp"
#include "rt_core/result.hpp"

namespace rtecho::drivers {

struct CaptureInterface {
  std::string name;
  std::string description;             // what the system calls it; empty where it has no words for it
  std::vector<std::string> addresses;  // IPv4 and IPv6, without the prefix length
  std::optional<MacAddress> mac;       // absent: no Ethernet interface, so none of ours
  bool is_up = false;
  bool is_running = false;  // it has a link
  bool is_wireless = false;
  bool is_loopback = false;
};

// In libpcap's order, the likeliest first. Without the privilege to capture an interface may be missing. `wording` gets
// what libpcap says about an error. Error: `failed`.
[[nodiscard]] Result<std::vector<CaptureInterface>> list_capture_interfaces(std::string& wording);

}  // namespace rtecho::drivers
