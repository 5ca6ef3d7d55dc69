// What one series is asked to do: a validated, immutable value. Sizes, session and pacing are the same at both
// ends; the rest is each end's own.
#pragma once

#include <array>
#include <cstdint>

#include "rt_core/idle_watch.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message.hpp"
#include "rt_core/pacer.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

enum class Protocol : std::uint8_t { udp, tcp, eth };
inline constexpr std::array all_protocols{Protocol::udp, Protocol::tcp, Protocol::eth};

// In command lines, campaign files and run files.
[[nodiscard]] constexpr const char* name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::udp:
      return "udp";
    case Protocol::tcp:
      return "tcp";
    case Protocol::eth:
      break;
  }
  return "eth";
}

// Batches and rests (docs/measurement.md, "Batches and rests"): what keeps a spinning real-time thread from
// starving its core.
struct BatchPlan {
  std::uint64_t messages = 500;  // 0: one batch without end, for isolated cores
  Duration longest = Duration::from_ms(100);
  Duration rest = Duration::from_ms(5);
  std::uint64_t resume = 16;  // first messages after a rest, in a group of their own; see effective_resume()

  [[nodiscard]] constexpr bool rests() const { return messages != 0; }
  // How long to rest after a batch of this length. The peer spins into the rest for its idle limit, which must not
  // eat it.
  [[nodiscard]] constexpr Duration rest_after(Duration batch, Duration peer_idle_limit) const {
    return longer(rest, Duration::from_ns(batch.ns() / 10)) + peer_idle_limit;
  }
};

struct ClientPlan {
  MessageShape shape;
  PacingPlan pacing;
  BatchPlan batch;
  WaitPlan wait;
  std::uint64_t count = 10'000;  // recorded messages
  Duration run_for;              // > 0: a time limit instead of the count
  std::uint64_t warmup = 1'000;
  bool warmup_on_schedule = false;
  Duration timeout = Duration::from_ms(100);
  Duration gap_threshold = Duration::from_us(50);
  bool log_samples = false;
};

// The resume group that this plan really has: none without rests, and none where a schedule is so slow that a batch
// would hold little else. There every message is as cold as the next.
[[nodiscard]] constexpr std::uint64_t effective_resume(const ClientPlan& plan) {
  if (!plan.batch.rests()) {
    return 0;
  }
  const Duration group = plan.pacing.spacing() * static_cast<std::int64_t>(2 * plan.batch.resume / plan.pacing.burst);
  return group > plan.batch.longest ? 0 : plan.batch.resume;
}

struct ServerPlan {
  MessageShape shape;
  WaitPlan wait;
  Duration gap_threshold = Duration::from_us(50);
};

// Why a plan cannot be run; none: it can.
enum class PlanFault : std::uint8_t {
  none,
  message_bytes,  // 0, or more than the protocol carries
  window,         // 0, or more than the ring of per-message state allows
  window_of_tag,  // more outstanding than the sequence bits of so small a message can tell apart
  count,          // nothing to do
  pacing,         // spacing that is negative or longer than an hour
  burst,          // 0, or a burst larger than the window
  timeout,        // 0, or beyond the histogram
  rest,           // batches with rests shorter than the peer's idle limit needs
};

// What the protocol carries. Over frames the interface's MTU allows less.
[[nodiscard]] constexpr std::uint32_t message_bytes_max(Protocol protocol) {
  switch (protocol) {
    case Protocol::udp:
      return static_cast<std::uint32_t>(limits::message_bytes_max_udp_ipv4);
    case Protocol::tcp:
      return static_cast<std::uint32_t>(limits::message_bytes_max_tcp);
    case Protocol::eth:
      break;
  }
  return static_cast<std::uint32_t>(limits::message_bytes_max_eth);
}

// Most messages outstanding that a message of this size can tell apart: half the numbers that it carries, and 1
// for a single byte, whose 7 bits a late reply would soon match by chance.
[[nodiscard]] constexpr std::uint64_t window_max_of(std::uint32_t message_bytes) {
  if (message_bytes == 1) {
    return 1;
  }
  const unsigned bits = sequence_bits(message_bytes);
  const std::uint64_t distinct = bits > 16 ? limits::window_max : (std::uint64_t{1} << bits) / 2;
  return distinct < limits::window_max ? distinct : limits::window_max;
}

[[nodiscard]] PlanFault validate(const ClientPlan& plan, Protocol protocol);

}  // namespace rtecho
