// How many IP packets one UDP message takes. A lost fragment is a lost message, so a series says how many it has.
#pragma once

#include <cstdint>

#include "rt_core/assert.hpp"

namespace rtecho::drivers {

enum class IpVersion : std::uint8_t { ipv4, ipv6 };

// Every fragment but the last carries a multiple of eight bytes (RFC 791, 3.2; RFC 8200, 4.5). The UDP header
// travels in the first one. `mtu` is the interface's, in bytes, without the link header.
[[nodiscard]] constexpr std::uint32_t fragments_of(std::uint32_t message_bytes, std::uint32_t mtu, IpVersion version) {
  constexpr std::uint32_t udp_header_bytes = 8;
  constexpr std::uint32_t ipv6_fragment_header_bytes = 8;
  const bool is_ipv6 = version == IpVersion::ipv6;
  const std::uint32_t ip_header_bytes = is_ipv6 ? 40 : 20;
  RTECHO_ASSERT(mtu >= (is_ipv6 ? 1'280U : 68U));  // the least that IP allows a link to have

  const std::uint32_t datagram_bytes = udp_header_bytes + message_bytes;
  if (ip_header_bytes + datagram_bytes <= mtu) {
    return 1;
  }
  const std::uint32_t last_bytes_max = mtu - ip_header_bytes - (is_ipv6 ? ipv6_fragment_header_bytes : 0);
  const std::uint32_t other_bytes = last_bytes_max / 8 * 8;
  const std::uint32_t before_last = datagram_bytes - last_bytes_max;
  return 1 + (before_last + other_bytes - 1) / other_bytes;
}

}  // namespace rtecho::drivers
