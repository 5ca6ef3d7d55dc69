#include "drivers/tcp_stream_port.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <iterator>
#include <utility>

#include "rt_core/assert.hpp"
#include "socket_calls.hpp"

namespace rtecho::drivers {

TcpStreamPort::TcpStreamPort(TcpConnection connection, std::span<std::byte> memory, std::uint32_t message_bytes,
                             Duration write_deadline) noexcept
    : connection_(std::move(connection)),
      socket_(connection_.descriptor()),
      message_bytes_(message_bytes),
      write_deadline_(write_deadline),
      cut_(memory.first(memory.size() / 2), message_bytes),
      frames_{memory.subspan(memory.size() / 2, memory.size() / 4), memory.last(memory.size() / 4)} {
  RTECHO_ASSERT(message_bytes <= memory.size() / 4);
}

std::size_t TcpStreamPort::receive(std::span<Arrival> arrivals) noexcept {
  if (has_outgoing()) {
    push_outgoing();
    if (is_reply_pending()) {
      return 0;
    }
  }
  const std::size_t count = take_messages(arrivals);
  if (count > 0) {
    return count;
  }
  read(MSG_DONTWAIT);
  return take_messages(arrivals);
}

std::size_t TcpStreamPort::take_messages(std::span<Arrival> arrivals) noexcept {
  const std::size_t batch = arrivals.size() < limits::receive_batch ? arrivals.size() : limits::receive_batch;
  for (std::size_t count = 0; count < batch; ++count) {
    const std::span<std::byte> message = cut_.next();
    if (message.empty()) {
      if (has_fresh_bytes_ && cut_.pending() > 0) {
        ++counters_.partial_receives;
      }
      has_fresh_bytes_ = false;
      return count;
    }
    arrivals[count] = Arrival{.bytes = message};
  }
  return batch;
}

// Only while no complete message is left in the cut, so that there is always room.
void TcpStreamPort::read(int flags) noexcept {
  if (health_ != PortHealth::open || cut_.pending() >= message_bytes_) {
    return;
  }
  const std::span<std::byte> room = cut_.writable();
  const ssize_t bytes = ::recv(socket_, room.data(), room.size(), flags);
  if (bytes > 0) {
    cut_.commit(static_cast<std::size_t>(bytes));
    has_fresh_bytes_ = true;
  } else if (bytes == 0) {
    health_ = PortHealth::peer_closed;
  } else if (errno != EAGAIN && errno != EINTR) {
    note_failure(errno, counters_.receive_failed);
  }
}

SendOutcome TcpStreamPort::reply(const Arrival& arrival) noexcept {
  std::size_t taken = 0;
  if (!has_outgoing()) {
    taken = write(arrival.bytes);
    if (taken == arrival.bytes.size()) {
      return SendOutcome::sent;
    }
  }
  if (health_ != PortHealth::open) {
    return SendOutcome::failed;
  }
  if (taken == 0) {
    ++counters_.send_would_block;
  }
  enqueue(arrival.bytes.subspan(taken));
  return SendOutcome::sent;
}

std::span<std::byte> TcpStreamPort::acquire(std::size_t bytes) noexcept {
  return bytes <= message_bytes_ ? frames_[free_frame_].first(bytes) : std::span<std::byte>{};
}

SendOutcome TcpStreamPort::send(std::span<std::byte> frame) noexcept {
  std::size_t taken = 0;
  if (!has_outgoing()) {
    taken = write(frame);
    if (taken == frame.size()) {
      return SendOutcome::sent;
    }
  }
  if (health_ != PortHealth::open) {
    return SendOutcome::failed;
  }
  if (taken == 0) {
    ++counters_.send_would_block;
    return SendOutcome::would_block;
  }
  enqueue(frame.subspan(taken));
  is_send_pending_ = true;
  free_frame_ = 1 - free_frame_;
  return SendOutcome::sent;
}

std::size_t TcpStreamPort::write(std::span<const std::byte> bytes) noexcept {
  if (health_ != PortHealth::open) {
    return 0;
  }
  const ssize_t taken = ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (taken == std::ssize(bytes)) {
    is_blocked_ = false;
    return bytes.size();
  }
  if (taken >= 0) {
    ++counters_.partial_sends;
  } else if (errno == ENOBUFS || errno == ENOMEM) {
    ++counters_.send_no_buffer;
  } else if (errno != EAGAIN && errno != EINTR) {
    note_failure(errno, counters_.send_failed);
    return 0;
  }
  note_blocked(taken > 0);
  return taken > 0 ? static_cast<std::size_t>(taken) : 0;
}

void TcpStreamPort::note_blocked(bool is_progress) noexcept {
  const Instant time = now();
  if (is_progress || !is_blocked_) {
    is_blocked_ = true;
    blocked_since_ = time;
  } else if (time - blocked_since_ > write_deadline_) {
    health_ = PortHealth::stalled;
  }
}

void TcpStreamPort::enqueue(std::span<const std::byte> rest) noexcept {
  RTECHO_ASSERT(outgoing_first_ + outgoing_count_ < outgoing_max);
  outgoing_[outgoing_first_ + outgoing_count_++] = rest;
}

void TcpStreamPort::push_outgoing() noexcept {
  while (has_outgoing()) {
    std::span<const std::byte>& front = outgoing_[outgoing_first_];
    const std::size_t taken = write(front);
    if (taken < front.size()) {
      front = front.subspan(taken);
      return;  // the kernel is full: at the next look again
    }
    ++outgoing_first_;
    --outgoing_count_;
    is_send_pending_ = false;
  }
  outgoing_first_ = 0;
}

// A peer that is gone is no fault of the socket; ETIMEDOUT is what keepalive and TCP_USER_TIMEOUT say of one that
// vanished without a word (tcp(7)).
void TcpStreamPort::note_failure(int os_code, std::uint64_t& counter) noexcept {
  if (os_code == EPIPE || os_code == ECONNRESET) {
    health_ = PortHealth::peer_closed;
  } else if (os_code == ETIMEDOUT || is_unreachable(os_code)) {
    ++counters_.peer_unreachable;
    health_ = PortHealth::peer_closed;
  } else {
    ++counter;
    health_ = PortHealth::failed;
  }
}

void TcpStreamPort::wait(Instant until) noexcept {
  if (has_outgoing()) {
    push_outgoing();
  }
  const bool is_reading = !is_reply_pending();
  if (health_ != PortHealth::open || (is_reading && cut_.pending() >= message_bytes_)) {
    return;  // there is something to see already
  }
  const Duration left = until - now();
  if (left <= Duration{}) {
    return;
  }
  if (!has_outgoing() && left >= blocking_receive_from) {
    read(0);
    return;
  }
  const int events = (is_reading ? POLLIN : 0) | (has_outgoing() ? POLLOUT : 0);
  wait_ready(socket_, static_cast<short>(events), left < wait_longest ? left : wait_longest);
}

PortCapabilities TcpStreamPort::capabilities() const noexcept {
  return {.message_bytes_max = message_bytes_, .receive_batch_max = limits::receive_batch, .stream = true};
}

}  // namespace rtecho::drivers
