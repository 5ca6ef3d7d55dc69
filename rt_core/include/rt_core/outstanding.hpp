// What a client knows of each of its last 65,536 messages: a ring, indexed by the low bits of the sequence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rt_core/event_log.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

enum class MessageState : std::uint8_t {
  unsent,       // no such message, or the driver refused it
  outstanding,  // sent, no answer yet
  overdue,      // no answer within the timeout; one may still come
  answered,
};

struct Outstanding {
  Instant intended;
  Instant send;
  MessageState state = MessageState::unsent;
  MessageClass message_class = MessageClass::recorded;
};

class OutstandingRing {
 public:
  [[nodiscard]] Outstanding& at(std::uint64_t sequence) { return entries_[sequence % entries_.size()]; }
  [[nodiscard]] static constexpr std::uint64_t size() { return limits::outstanding_ring; }

 private:
  std::array<Outstanding, limits::outstanding_ring> entries_{};
};

}  // namespace rtecho
