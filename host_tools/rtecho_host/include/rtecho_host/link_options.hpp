// What a local link is made of: two network namespaces joined by a pair of virtual Ethernet interfaces. Values only;
// link.hpp makes it.
#pragma once

#include <string>
#include <string_view>

namespace rtecho::host {

struct LinkEnd {
  std::string network_namespace;
  std::string interface;
  std::string address;       // IPv4 with prefix length
  std::string address_ipv6;  // with prefix length; not an option: unique local addresses disturb nobody
};

struct LinkOptions {
  LinkEnd a{"rtecho-a", "rtecho-a0", "10.77.0.1/24", "fd77::1/64"};
  LinkEnd b{"rtecho-b", "rtecho-b0", "10.77.0.2/24", "fd77::2/64"};
  int mtu = 1500;
};

// Throws ProgramFailure (usage) with the first thing that cannot be.
void validate(const LinkOptions& options);

// "10.77.0.1/24" to "10.77.0.1".
[[nodiscard]] std::string_view without_prefix(std::string_view address);

}  // namespace rtecho::host
