// Client and server of one series in one process: the loops, the loopback link between them and the real clock, so
// that one turn of the rig is one whole echo with everything that is recorded of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "drivers/loopback_port.hpp"
#include "platform/clock.hpp"
#include "rt_core/echo_client.hpp"
#include "rt_core/echo_server.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/time.hpp"

namespace rtecho::bench {

inline constexpr std::uint64_t without_end = std::numeric_limits<std::uint64_t>::max();

// About 4 MiB: not for a stack.
class EchoRig {
 public:
  // One batch without rests or warm-up: every message is a recorded one.
  EchoRig(std::uint32_t message_bytes, std::uint64_t count)
      : client_(link_.client(), client_plan(message_bytes, count)),
        server_(link_.server(), server_plan(message_bytes)) {
    client_.step();  // out of the rest that a series begins with
    client_.step();  // sends the first message
  }

  // The server answers the message on its way; the client records the answer and sends the next message.
  void turn() noexcept {
    server_.step();
    client_.step();
  }

  [[nodiscard]] const EchoClient<drivers::LoopbackPort<platform::MonotonicClock, 64>>& client() const {
    return client_;
  }
  [[nodiscard]] const EchoServer<drivers::LoopbackPort<platform::MonotonicClock, 64>>& server() const {
    return server_;
  }

 private:
  using Link = drivers::LoopbackLink<platform::MonotonicClock, 64>;
  static constexpr std::uint32_t message_bytes_max = 1'500;

  static MessageShape shape(std::uint32_t message_bytes) { return {message_bytes, 0x0123'4567'89AB'CDEF}; }
  static ClientPlan client_plan(std::uint32_t message_bytes, std::uint64_t count) {
    ClientPlan plan;
    plan.shape = shape(message_bytes);
    plan.batch.messages = 0;
    plan.count = count;
    plan.warmup = 0;
    plan.timeout = Duration::from_s(60);  // callgrind on a busy machine is slow, and a late answer is counted elsewhere
    return plan;
  }
  static ServerPlan server_plan(std::uint32_t message_bytes) {
    ServerPlan plan;
    plan.shape = shape(message_bytes);
    return plan;
  }

  alignas(limits::cache_line_bytes) std::array<std::byte, Link::memory_bytes(message_bytes_max)> memory_{};
  platform::MonotonicClock clock_;
  Link link_{clock_, memory_, message_bytes_max};
  EchoClient<Link::Port> client_;
  EchoServer<Link::Port> server_;
};

}  // namespace rtecho::bench
