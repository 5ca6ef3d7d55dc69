// What the socket drivers share: addresses as the system wants them, options, and the bounded waits.
#pragma once

#include <sys/socket.h>

#include <cstdint>

#include "drivers/address.hpp"
#include "drivers/socket_marking.hpp"
#include "platform/descriptor.hpp"
#include "rt_core/result.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

// How long a blocking receive waits (SO_RCVTIMEO, set once). The kernel counts it in its ticks and rounds up: at
// 250 Hz 10 ms end after 12 to 16 ms. So a wait uses it only where it may last 16 ms, and ppoll, whose time is
// exact, where it may not.
inline constexpr Duration receive_timeout = Duration::from_ms(10);
inline constexpr Duration blocking_receive_from = Duration::from_ms(16);
// No wait is longer, so that the loop sees its stop flag.
inline constexpr Duration wait_longest = Duration::from_ms(20);

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);

  [[nodiscard]] sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};

[[nodiscard]] SocketAddress to_socket_address(const Address& address) noexcept;
// Of a socket that open_socket() made.
[[nodiscard]] Address from_socket_address(const SocketAddress& address) noexcept;
[[nodiscard]] Result<Address> local_address(int socket) noexcept;

// `type` as in socket(2). IPv6 sockets carry IPv6 only, so that no address has two spellings.
[[nodiscard]] Result<platform::Descriptor> open_socket(IpVersion version, int type) noexcept;
[[nodiscard]] Result<void> set_option(int socket, int level, int option, int value, const char* context) noexcept;
// Before the socket is bound or connected.
[[nodiscard]] Result<void> mark_socket(int socket, IpVersion version, const SocketMarking& marking) noexcept;
[[nodiscard]] Result<void> set_timeout(int socket, int option, Duration timeout, const char* context) noexcept;

// Waits for poll(2) `events`, at most until `longest` has passed; true when there is something to look at.
bool wait_ready(int socket, short events, Duration longest) noexcept;

// ICMP said that an earlier datagram did not reach its receiver.
[[nodiscard]] bool is_unreachable(int os_code) noexcept;

}  // namespace rtecho::drivers
