// A TCP data connection before the run: opened by ordinary code. TcpStreamPort then takes it over.
//
// The client's first 16 bytes are the preamble: 8 bytes of magic and the session. The server closes a connection
// that says anything else, or nothing, within a second.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "drivers/address.hpp"
#include "drivers/socket_marking.hpp"
#include "platform/descriptor.hpp"
#include "rt_core/result.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

inline constexpr std::size_t tcp_preamble_bytes = 16;

// Messages leave without delay (TCP_NODELAY). A peer that vanished without a word is given up after 3 s.
class TcpConnection {
 public:
  // Connects and sends the preamble. `refused`, `timed_out`, or what the system says.
  static Result<TcpConnection> connect(const Address& server, std::uint64_t session, Duration timeout,
                                       const SocketMarking& marking = {}) noexcept;

  [[nodiscard]] int descriptor() const noexcept { return socket_.number(); }
  // Segments sent again since the connection was made. For after the run: it is a system call.
  [[nodiscard]] std::optional<std::uint32_t> retransmits() const noexcept;
  // Tells the peer that nothing more will be read or written. The descriptor stays open.
  void shut_down() noexcept;

 private:
  friend class TcpListener;
  explicit TcpConnection(platform::Descriptor socket) noexcept : socket_(std::move(socket)) {}
  [[nodiscard]] Result<void> set_options() noexcept;

  platform::Descriptor socket_;
};

class TcpListener {
 public:
  // Port 0 takes a free one; local() knows it afterwards. The accepted connection is marked as its listener is.
  static Result<TcpListener> listen(const Address& local, const SocketMarking& marking = {}) noexcept;

  // The connection of the one client that comes from `client` (its port does not matter) and whose preamble names
  // the session. Everyone else is turned away meanwhile: another host at once, a wrong preamble at its first wrong
  // byte, silence after 0.9 s. At most 8 preambles are awaited at a time; whoever comes then waits in the kernel's
  // backlog. `timed_out` when the right client has not come, or when `cancelled` was set meanwhile; that is looked at
  // every 20 ms.
  [[nodiscard]] Result<TcpConnection> accept(const Address& client, std::uint64_t session, Duration timeout,
                                             const std::atomic<bool>* cancelled = nullptr) noexcept;

  [[nodiscard]] const Address& local() const noexcept { return local_; }

 private:
  explicit TcpListener(platform::Descriptor socket) noexcept : socket_(std::move(socket)) {}

  platform::Descriptor socket_;
  Address local_;
  SocketMarking marking_;
};

}  // namespace rtecho::drivers
