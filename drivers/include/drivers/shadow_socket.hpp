// A UDP socket that receives nothing, beside a ring that receives everything. The kernel sees the ring's datagrams too:
// without a socket on their port it would answer each with "port unreachable" (ICMP), and another program could take
// the port. The socket's filter drops them, which the kernel counts as Udp InErrors: harmless, but visible. An address
// that the kernel does not hold needs none of this, and is no quicker (tests/bench/ring_ways_bench.cpp).
#pragma once

#include <cstdint>
#include <utility>

#include "drivers/frame_selection.hpp"
#include "platform/descriptor.hpp"
#include "rt_core/result.hpp"

namespace rtecho::drivers {

class ShadowSocket {
 public:
  // Port 0 takes a free one. Errors: `in_use` for a port that somebody holds, `not_found` for an address that the
  // kernel does not hold, `denied` for a port below 1024 without privilege.
  static Result<ShadowSocket> bind(const Ipv4Endpoint& local) noexcept;
  // Connected, so that the kernel finds it without a look at every socket of the port.
  [[nodiscard]] Result<void> connect(const Ipv4Endpoint& peer) noexcept;

  [[nodiscard]] std::uint16_t local_port() const noexcept { return local_port_; }

 private:
  ShadowSocket(platform::Descriptor socket, std::uint16_t local_port) noexcept
      : socket_(std::move(socket)), local_port_(local_port) {}

  platform::Descriptor socket_;
  std::uint16_t local_port_;
};

}  // namespace rtecho::drivers
