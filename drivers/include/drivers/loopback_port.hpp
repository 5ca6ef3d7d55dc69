// Two message ports joined in process: what one end sends, the other receives. A message is never copied; its slot
// of the shared block changes hands, and a reply sends the same slot back. One thread drives both ends.
//
// The port of the simulation (with FakeClock) and of the measurement of rtecho's own cost (with a real clock).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rt_core/assert.hpp"
#include "rt_core/frame_block.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

// `Clock` has `Instant now() noexcept`. A clock of the simulation also has `void advance_to(Instant) noexcept`:
// waiting for a message that is not there then moves it. With a real clock `wait` returns at once, because only
// the calling thread itself could bring a message.
template <typename Clock, std::uint32_t Slots>
class LoopbackLink {
  static_assert(std::has_single_bit(Slots), "the queues are indexed by a mask");

 public:
  class Port {
   public:
    // Pinned: the other end points at it.
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    [[nodiscard]] Instant now() noexcept { return link_.clock_.now(); }

    [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept {
      std::size_t count = 0;
      while (count < arrivals.size() && taken_ != queued_) {
        arrivals[count++] = queue_[taken_++ & (Slots - 1)];
      }
      return count;
    }

    SendOutcome reply(const Arrival& arrival) noexcept {
      peer_.enqueue(arrival.slot, arrival.bytes);
      return SendOutcome::sent;
    }

    // Every arrival is answered or released once: its slot is lost to the link otherwise.
    void release(const Arrival& arrival) noexcept { link_.pool_.give_back(arrival.slot); }

    // One frame at a time: until it is sent, the same memory is handed out again.
    [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
      if (bytes > link_.message_bytes_max_) {
        return {};
      }
      if (acquired_.empty()) {
        const std::optional<std::uint32_t> slot = link_.pool_.take();
        if (!slot) {
          return {};
        }
        acquired_slot_ = *slot;
        acquired_ = link_.block_.slot(*slot);
      }
      return acquired_.first(bytes);
    }

    SendOutcome send(std::span<std::byte> frame) noexcept {
      RTECHO_ASSERT(!acquired_.empty() && frame.data() == acquired_.data());
      peer_.enqueue(acquired_slot_, frame);
      acquired_ = {};
      return SendOutcome::sent;
    }

    void wait(Instant until) noexcept {
      if constexpr (requires(Clock & clock) { clock.advance_to(until); }) {
        if (taken_ == queued_) {
          link_.clock_.advance_to(until);
        }
      }
    }

    [[nodiscard]] PortCapabilities capabilities() const noexcept {
      return {.message_bytes_max = link_.message_bytes_max_, .receive_batch_max = Slots};
    }
    [[nodiscard]] PortHealth health() const noexcept { return PortHealth::open; }
    [[nodiscard]] PortCounters counters() const noexcept { return {}; }

   private:
    friend class LoopbackLink;
    Port(LoopbackLink& link, Port& peer) : link_(link), peer_(peer) {}

    // Never full: it has room for every slot of the block.
    void enqueue(std::uint32_t slot, std::span<std::byte> bytes) noexcept {
      queue_[queued_++ & (Slots - 1)] = Arrival{.bytes = bytes, .slot = slot};
    }

    LoopbackLink& link_;
    Port& peer_;
    std::array<Arrival, Slots> queue_{};  // messages on their way to this end
    std::uint32_t queued_ = 0;            // both count on and wrap; their difference is what waits
    std::uint32_t taken_ = 0;
    std::span<std::byte> acquired_;  // the whole slot; empty: none
    std::uint32_t acquired_slot_ = 0;
  };

  static constexpr std::size_t memory_bytes(std::uint32_t message_bytes_max) {
    return FrameBlock::bytes_for(Slots, message_bytes_max);
  }

  // `clock` and `memory` (aligned to a cache line, memory_bytes long) must outlive the link.
  LoopbackLink(Clock& clock, std::span<std::byte> memory, std::uint32_t message_bytes_max)
      : clock_(clock), block_(memory, Slots, message_bytes_max), message_bytes_max_(message_bytes_max) {}

  [[nodiscard]] Port& client() { return client_; }
  [[nodiscard]] Port& server() { return server_; }
  // Slots that are neither queued nor in anybody's hands.
  [[nodiscard]] std::uint32_t free_slots() const { return pool_.free(); }

 private:
  Clock& clock_;
  FrameBlock block_;
  FramePool<Slots> pool_{Slots};
  std::uint32_t message_bytes_max_;
  Port client_{*this, server_};
  Port server_{*this, client_};
};

template <typename Clock, std::uint32_t Slots>
using LoopbackPort = typename LoopbackLink<Clock, Slots>::Port;

}  // namespace rtecho::drivers
