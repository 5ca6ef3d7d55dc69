// Echo messages of one fixed length as a TCP stream without a length prefix. Reads and writes that take only a part
// keep their place; nothing is lost while the connection is open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "drivers/tcp_connection.hpp"
#include "platform/clock.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/stream_cut.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

class TcpStreamPort {
 public:
  // What messages of every size need: the cut wants room for two messages, and so does sending, one of which the
  // kernel may have taken in part.
  static constexpr std::size_t memory_bytes = 4 * limits::message_buffer_bytes;
  static constexpr Duration write_deadline_default = Duration::from_s(2);

  // `memory` holds at least four messages (best page aligned, locked and touched) and must outlive the port.
  TcpStreamPort(TcpConnection connection, std::span<std::byte> memory, std::uint32_t message_bytes,
                Duration write_deadline = write_deadline_default) noexcept;

  [[nodiscard]] Instant now() noexcept { return platform::MonotonicClock::now(); }

  // Up to limits::receive_batch messages a look; all of a segment share its stamp. While a reply is still on its way
  // out, nothing is read: its bytes are where the next ones would go, and a peer that does not read shall not be read
  // from. A pending `send` does not stop reading, or two ends with full buffers would wait for each other for ever.
  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept;

  // Always taken while the connection is open: what the kernel does not take now is pushed on at later looks.
  SendOutcome reply(const Arrival& arrival) noexcept;
  void release(const Arrival&) noexcept {}  // the cut takes the memory back at the next look

  // While a message is still on its way out, `send` takes no other, but there is a frame to keep one in.
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept;
  SendOutcome send(std::span<std::byte> frame) noexcept;

  // Blocks until bytes come, or pending ones can leave, but never longer than about 20 ms, so that the loop sees its
  // stop flag. Counts as a look at the port: where nothing is pending and `until` is 16 ms away or more, the bytes
  // are read here already; the next `receive` hands them out without a system call.
  void wait(Instant until) noexcept;

  [[nodiscard]] PortCapabilities capabilities() const noexcept;
  [[nodiscard]] PortHealth health() const noexcept { return health_; }
  [[nodiscard]] PortCounters counters() const noexcept { return counters_; }
  // For after the run: a system call.
  [[nodiscard]] std::optional<std::uint32_t> retransmits() const noexcept { return connection_.retransmits(); }
  // After the last step: the peer learns at once that nobody serves it any more.
  void shut_down() noexcept { connection_.shut_down(); }

 private:
  // One message of `send`, then the replies of one look: reading stops while a reply is pending.
  static constexpr std::size_t outgoing_max = 1 + limits::receive_batch;

  [[nodiscard]] std::size_t take_messages(std::span<Arrival> arrivals) noexcept;
  void read(int flags) noexcept;
  [[nodiscard]] std::size_t write(std::span<const std::byte> bytes) noexcept;
  void enqueue(std::span<const std::byte> rest) noexcept;
  void push_outgoing() noexcept;
  void note_blocked(bool is_progress) noexcept;
  void note_failure(int os_code, std::uint64_t& counter) noexcept;
  [[nodiscard]] bool has_outgoing() const noexcept { return outgoing_count_ > 0; }
  [[nodiscard]] bool is_reply_pending() const noexcept { return outgoing_count_ > (is_send_pending_ ? 1U : 0U); }

  TcpConnection connection_;
  int socket_;  // the connection's
  std::uint32_t message_bytes_;
  Duration write_deadline_;
  StreamCut cut_;
  std::array<std::span<std::byte>, 2> frames_;
  std::size_t free_frame_ = 0;  // the other one may be pending
  PortHealth health_ = PortHealth::open;
  bool has_fresh_bytes_ = false;  // something was read since the cut last came to an incomplete message

  // What the kernel did not take yet, oldest first. Refilled only after it ran empty, so it needs no ring.
  std::array<std::span<const std::byte>, outgoing_max> outgoing_{};
  std::size_t outgoing_first_ = 0;
  std::size_t outgoing_count_ = 0;
  bool is_send_pending_ = false;  // then it is the first of them

  bool is_blocked_ = false;  // the kernel did not take all of the last write
  Instant blocked_since_;    // when it last took something

  PortCounters counters_;
};

static_assert(MessagePort<TcpStreamPort>);

}  // namespace rtecho::drivers
