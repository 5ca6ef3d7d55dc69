#include "drivers/tcp_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "platform/clock.hpp"
#include "platform/os_error.hpp"
#include "rt_core/bytes.hpp"
#include "socket_calls.hpp"

namespace rtecho::drivers {

namespace {

using Preamble = std::array<std::byte, tcp_preamble_bytes>;

Preamble make_preamble(std::uint64_t session) noexcept {
  constexpr std::uint64_t magic = 0x5254'4543'484F'0001;  // "RTECHO", 0, 1
  Preamble preamble{};
  store_big_endian(preamble, 0, magic);
  store_big_endian(preamble, 8, session);
  return preamble;
}

// A connection that has not said yet whose it is.
struct Candidate {
  platform::Descriptor socket;
  Preamble bytes{};
  std::size_t received = 0;
  Instant deadline;
};

// All connections whose preamble is awaited, side by side: one that is silent keeps nobody waiting.
class Candidates {
 public:
  static constexpr std::size_t capacity = 8;

  explicit Candidates(std::uint64_t session) noexcept : expected_(make_preamble(session)) {}

  // The slot that may take the next connection, or none.
  [[nodiscard]] Candidate* free_slot() noexcept {
    const auto found =
        std::find_if(table_.begin(), table_.end(), [](const Candidate& c) { return !c.socket.is_open(); });
    return found == table_.end() ? nullptr : &*found;
  }

  // Until the listener (where there is room for a connection) or a candidate has something, or it is time to look at
  // the deadlines.
  void wait(int listener) noexcept {
    constexpr int longest_ms = 20;
    std::array<pollfd, 1 + capacity> entries{};
    entries[0].fd = free_slot() != nullptr ? listener : -1;  // poll(2) passes negative descriptors over
    entries[0].events = POLLIN;
    for (std::size_t i = 0; i < capacity; ++i) {
      entries[1 + i].fd = table_[i].socket.number();
      entries[1 + i].events = POLLIN;
    }
    // Interrupted or not, the caller looks at everything and at the time.
    (void)::poll(entries.data(), entries.size(), longest_ms);
  }

  // Reads on, drops who is wrong, gone or late, and returns the socket of who is right, if any.
  [[nodiscard]] platform::Descriptor advance(Instant now) noexcept {
    for (Candidate& candidate : table_) {
      if (!candidate.socket.is_open()) {
        continue;
      }
      if (!read(candidate) || candidate.deadline <= now) {
        candidate.socket.close();
      } else if (candidate.received == expected_.size()) {
        return std::move(candidate.socket);
      }
    }
    return {};
  }

 private:
  // False when the connection is over, or says something else than the expected.
  [[nodiscard]] bool read(Candidate& candidate) const noexcept {
    const std::span<std::byte> rest = std::span(candidate.bytes).subspan(candidate.received);
    const ssize_t taken = ::recv(candidate.socket.number(), rest.data(), rest.size(), MSG_DONTWAIT);
    if (taken < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    candidate.received += static_cast<std::size_t>(taken);
    return taken > 0 &&
           std::equal(candidate.bytes.begin(),
                      candidate.bytes.begin() + static_cast<std::ptrdiff_t>(candidate.received), expected_.begin());
  }

  Preamble expected_;
  std::array<Candidate, capacity> table_{};
};

// These belong to a connection that broke before it was accepted (accept(2)); the next one may be well.
bool concerns_one_connection(int os_code) noexcept {
  return os_code == EAGAIN || os_code == EINTR || os_code == ECONNABORTED || os_code == EPROTO ||
         is_unreachable(os_code);
}

}  // namespace

Result<TcpConnection> TcpConnection::connect(const Address& server, std::uint64_t session, Duration timeout,
                                             const SocketMarking& marking) noexcept {
  Result<platform::Descriptor> socket = open_socket(server.version(), SOCK_STREAM);
  if (!socket) {
    return socket.error();
  }
  TcpConnection connection(std::move(socket).value());
  if (const Result<void> done = connection.set_options(); !done) {
    return done.error();
  }
  if (const Result<void> done = mark_socket(connection.descriptor(), server.version(), marking); !done) {
    return done.error();
  }
  // Also bounds connect(2), which then ends with EINPROGRESS (socket(7)). The run itself never blocks in a send.
  const Result<void> bounded = set_timeout(connection.descriptor(), SO_SNDTIMEO, timeout, "bounding a TCP connect");
  if (!bounded) {
    return bounded.error();
  }
  const SocketAddress address = to_socket_address(server);
  if (::connect(connection.descriptor(), address.get(), address.length) != 0) {
    if (errno == EINPROGRESS) {
      return Error{Status::timed_out, ETIMEDOUT, "connecting by TCP"};
    }
    return platform::os_error(errno, "connecting by TCP");
  }
  const Preamble preamble = make_preamble(session);
  // A new connection has room for 16 bytes: they are taken as a whole or not at all.
  if (::send(connection.descriptor(), preamble.data(), preamble.size(), MSG_NOSIGNAL) < 0) {
    return platform::os_error(errno, "sending the preamble of a TCP data connection");
  }
  return connection;
}

Result<void> TcpConnection::set_options() noexcept {
  struct Option {
    int level;
    int name;
    int value;
    const char* context;
  };
  // A peer that lost power says nothing: after 1 s without traffic it is asked every second, and what it does not
  // acknowledge for 3 s, data or question, ends the connection. TCP_QUICKACK is left to the kernel: re-arming it after
  // each receive measured 1.5 to 3 us dearer.
  constexpr std::array<Option, 6> options{{
      {IPPROTO_TCP, TCP_NODELAY, 1, "sending TCP messages without delay"},
      {SOL_SOCKET, SO_KEEPALIVE, 1, "watching for a TCP peer that vanished"},
      {IPPROTO_TCP, TCP_KEEPIDLE, 1, "watching for a TCP peer that vanished"},
      {IPPROTO_TCP, TCP_KEEPINTVL, 1, "watching for a TCP peer that vanished"},
      {IPPROTO_TCP, TCP_KEEPCNT, 3, "watching for a TCP peer that vanished"},
      {IPPROTO_TCP, TCP_USER_TIMEOUT, 3'000, "bounding the wait for a TCP peer that vanished"},
  }};
  for (const Option& option : options) {
    const Result<void> done = set_option(descriptor(), option.level, option.name, option.value, option.context);
    if (!done) {
      return done.error();
    }
  }
  return set_timeout(descriptor(), SO_RCVTIMEO, receive_timeout, "bounding a receive");
}

void TcpConnection::shut_down() noexcept {
  // ENOTCONN: the peer was faster.
  (void)::shutdown(socket_.number(), SHUT_RDWR);
}

std::optional<std::uint32_t> TcpConnection::retransmits() const noexcept {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (::getsockopt(descriptor(), IPPROTO_TCP, TCP_INFO, &info, &length) != 0) {
    return std::nullopt;
  }
  return info.tcpi_total_retrans;
}

Result<TcpListener> TcpListener::listen(const Address& local, const SocketMarking& marking) noexcept {
  // Not blocking, because a connection can vanish between poll(2) and accept(2).
  Result<platform::Descriptor> socket = open_socket(local.version(), SOCK_STREAM | SOCK_NONBLOCK);
  if (!socket) {
    return socket.error();
  }
  TcpListener listener(std::move(socket).value());
  const int number = listener.socket_.number();
  // A data port given by number must be free again for the next series, whatever lingers in TIME_WAIT.
  if (const Result<void> done = set_option(number, SOL_SOCKET, SO_REUSEADDR, 1, "reusing a TCP port"); !done) {
    return done.error();
  }
  if (const Result<void> done = mark_socket(number, local.version(), marking); !done) {
    return done.error();
  }
  const SocketAddress address = to_socket_address(local);
  if (::bind(number, address.get(), address.length) != 0) {
    return platform::os_error(errno, "binding a TCP socket");
  }
  constexpr int backlog = static_cast<int>(Candidates::capacity);
  if (::listen(number, backlog) != 0) {
    return platform::os_error(errno, "listening for a TCP data connection");
  }
  const Result<Address> bound = local_address(number);
  if (!bound) {
    return bound.error();
  }
  listener.local_ = bound.value();
  listener.marking_ = marking;
  listener.marking_.device.clear();  // which every connection inherits
  return listener;
}

Result<TcpConnection> TcpListener::accept(const Address& client, std::uint64_t session, Duration timeout,
                                          const std::atomic<bool>* cancelled) noexcept {
  constexpr Duration preamble_patience = Duration::from_ms(900);
  Candidates candidates(session);
  Instant now = platform::MonotonicClock::now();
  const Instant deadline = now + timeout;
  for (; now < deadline && (cancelled == nullptr || !cancelled->load()); now = platform::MonotonicClock::now()) {
    candidates.wait(socket_.number());
    if (Candidate* const slot = candidates.free_slot(); slot != nullptr) {
      SocketAddress from;
      platform::Descriptor accepted(::accept4(socket_.number(), from.get(), &from.length, SOCK_CLOEXEC));
      if (!accepted.is_open() && !concerns_one_connection(errno)) {
        return platform::os_error(errno, "accepting a TCP data connection");
      }
      if (accepted.is_open() && from_socket_address(from).same_host(client)) {
        *slot = Candidate{.socket = std::move(accepted), .deadline = now + preamble_patience};
      }
    }
    platform::Descriptor right = candidates.advance(now);
    if (right.is_open()) {
      TcpConnection connection(std::move(right));
      if (const Result<void> done = connection.set_options(); !done) {
        return done.error();
      }
      if (const Result<void> done = mark_socket(connection.descriptor(), local_.version(), marking_); !done) {
        return done.error();
      }
      return connection;
    }
  }
  return Error{Status::timed_out, 0, "waiting for the client's TCP data connection"};
}

}  // namespace rtecho::drivers
