// A UDP socket before the run: opened, connected and tried out by ordinary code. UdpSocketPort then takes it over.
//
// Connected at both ends, because the kernel then drops strangers by itself, reports ICMP errors, and needs no route
// look-up per message (a connected server socket measured 10 % faster than an unconnected one).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "drivers/address.hpp"
#include "drivers/socket_marking.hpp"
#include "platform/descriptor.hpp"
#include "rt_core/result.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

class UdpEndpoint {
 public:
  // Port 0 takes a free one; local() knows it afterwards. Messages that fit the path's MTU leave with "don't
  // fragment" set, larger ones as fragments (fragments.hpp). IPv6 sockets carry IPv6 only.
  static Result<UdpEndpoint> bind(const Address& local, const SocketMarking& marking = {}) noexcept;

  // From now on only datagrams of `peer` arrive. Everything that arrived before is thrown away, also what the peer
  // itself sent: a probe is repeated by its sender.
  [[nodiscard]] Result<void> connect(const Address& peer) noexcept;

  // One datagram, for the probe that precedes the run. Both block, `receive` for at most `timeout`. ICMP errors of
  // earlier sends are passed over: the peer may not have opened its port yet.
  [[nodiscard]] Result<void> send(std::span<const std::byte> datagram) noexcept;
  [[nodiscard]] Result<std::size_t> receive(std::span<std::byte> buffer, Duration timeout) noexcept;

  [[nodiscard]] const Address& local() const noexcept { return local_; }
  [[nodiscard]] bool is_connected() const noexcept { return is_connected_; }
  // What the kernel granted of the 8 MiB that were asked for, its own bookkeeping included (socket(7)): less where
  // net.core.rmem_max and wmem_max are small and CAP_NET_ADMIN is missing.
  [[nodiscard]] std::uint32_t receive_buffer_bytes() const noexcept { return receive_buffer_bytes_; }
  [[nodiscard]] std::uint32_t send_buffer_bytes() const noexcept { return send_buffer_bytes_; }

  [[nodiscard]] int descriptor() const noexcept { return socket_.number(); }

 private:
  explicit UdpEndpoint(platform::Descriptor socket) noexcept : socket_(std::move(socket)) {}
  [[nodiscard]] Result<void> set_options(IpVersion version) noexcept;

  platform::Descriptor socket_;
  Address local_;
  bool is_connected_ = false;
  std::uint32_t receive_buffer_bytes_ = 0;
  std::uint32_t send_buffer_bytes_ = 0;
};

}  // namespace rtecho::drivers
