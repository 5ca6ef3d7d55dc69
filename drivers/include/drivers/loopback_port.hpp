// Two message ports joined in process: what one end sends, the other receives. A message is never copied; its slot
// of the shared block changes hands, and a reply sends the same slot back. One thread drives both ends.
//
// The port of the simulation (with FakeClock) and of the measurement of rtecho's own cost (with a real clock).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
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
      const std::uint32_t waiting = queued_ - taken_;
      if (waiting != 1 || arrivals.empty()) {
        return receive_several(arrivals);
      }
      arrivals[0] = queue_[taken_++ & (Slots - 1)].message;
      return 1;
    }

    SendOutcome reply(const Arrival& arrival) noexcept {
      peer_.enqueue(arrival);
      return SendOutcome::sent;
    }

    // Every arrival is answered or released once: its slot is lost to the link otherwise.
    void release(const Arrival& arrival) noexcept { link_.pool_.give_back(arrival.slot); }

    // One frame at a time: until it is sent, the same memory is handed out again.
    [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
      if (bytes > link_.message_bytes_max_) [[unlikely]] {
        return {};
      }
      if (acquired_ == nullptr) [[likely]] {
        if (link_.pool_.free() == 0) [[unlikely]] {
          return {};
        }
        acquired_slot_ = *link_.pool_.take();
        acquired_ = link_.frames_[acquired_slot_];
      }
      return {acquired_, bytes};
    }

    SendOutcome send(std::span<std::byte> frame) noexcept {
      RTECHO_ASSERT(frame.data() != nullptr && frame.data() == acquired_);
      peer_.enqueue(Arrival{.bytes = frame, .slot = acquired_slot_});
      acquired_ = nullptr;
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
      return {.message_bytes_max = static_cast<std::uint32_t>(link_.message_bytes_max_), .receive_batch_max = Slots};
    }
    [[nodiscard]] PortHealth health() const noexcept { return PortHealth::open; }
    [[nodiscard]] PortCounters counters() const noexcept { return {}; }

   private:
    friend class LoopbackLink;

    // None lies in two cache lines, and its place is a shift away.
    struct alignas(32) Queued {
      Arrival message;
    };

    Port(LoopbackLink& link, Port& peer) : link_(link), peer_(peer) {}

    // Several or none; kept apart, because most looks bring one message.
    [[gnu::noinline]] std::size_t receive_several(std::span<Arrival> arrivals) noexcept {
      std::size_t count = 0;
      while (count < arrivals.size() && taken_ != queued_) {
        arrivals[count++] = queue_[taken_++ & (Slots - 1)].message;
      }
      return count;
    }

    // Never full: it has room for every slot of the block.
    void enqueue(const Arrival& message) noexcept { queue_[queued_++ & (Slots - 1)].message = message; }

    std::array<Queued, Slots> queue_{};  // messages on their way to this end; first, where its address costs nothing
    LoopbackLink& link_;
    Port& peer_;
    std::uint32_t queued_ = 0;  // both count on and wrap; their difference is what waits
    std::uint32_t taken_ = 0;
    std::byte* acquired_ = nullptr;  // the slot of the frame that was handed out and not sent; null: none
    std::uint32_t acquired_slot_ = 0;
  };

  static constexpr std::size_t memory_bytes(std::uint32_t message_bytes_max) {
    return FrameBlock::bytes_for(Slots, message_bytes_max);
  }

  // `clock` and `memory` (aligned to a cache line, memory_bytes long) must outlive the link.
  LoopbackLink(Clock& clock, std::span<std::byte> memory, std::uint32_t message_bytes_max)
      : clock_(clock), message_bytes_max_(message_bytes_max) {
    const FrameBlock block(memory, Slots, message_bytes_max);
    for (std::uint32_t slot = 0; slot < Slots; ++slot) {
      frames_[slot] = block.slot(slot).data();
    }
  }

  [[nodiscard]] Port& client() { return client_; }
  [[nodiscard]] Port& server() { return server_; }
  // Slots that are neither queued nor in anybody's hands.
  [[nodiscard]] std::uint32_t free_slots() const { return pool_.free(); }

 private:
  Clock& clock_;
  std::array<std::byte*, Slots> frames_{};  // by slot: an address costs less to look up than to compute
  FramePool<Slots> pool_{Slots};
  std::size_t message_bytes_max_;
  Port client_{*this, server_};
  Port server_{*this, client_};
};

template <typename Clock, std::uint32_t Slots>
using LoopbackPort = typename LoopbackLink<Clock, Slots>::Port;

}  // namespace rtecho::drivers
