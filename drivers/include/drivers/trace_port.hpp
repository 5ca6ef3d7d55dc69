// A frame port that wraps another one and remembers what went by: the frames of the first and of the slowest exchanges,
// with this end's own stamps. Kept for a file that a network analyser reads (capture_file.hpp); nothing is written
// while messages travel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "drivers/message_of_frame.hpp"
#include "rt_core/assert.hpp"
#include "rt_core/frame_block.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/largest_keeper.hpp"
#include "rt_core/message.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

enum class TraceDirection : std::uint8_t { in, out };

struct TraceRecord {
  Instant stamp;  // just behind the look that brought the frame, just before the call that sent it
  TraceDirection direction = TraceDirection::in;
  std::span<const std::byte> bytes;  // the frame's beginning, as much as the slots of the trace hold
  std::uint32_t frame_bytes = 0;     // of the whole frame
};

// requests = exchanges + pending_dropped + what is pending still.
struct TraceCounters {
  std::uint64_t requests = 0;
  std::uint64_t exchanges = 0;        // a request whose reply went by
  std::uint64_t pending_dropped = 0;  // requests that gave their place to a later one: unanswered, or answered too late
  std::uint64_t unpaired_replies = 0;
};

// An exchange is a request and its reply as this end saw them: at a client what it sent and what came back, at a server
// what came and what it sent back. Of one that is among the first, it is not asked whether it is slow too.
//
// Each frame costs a look at its headers, a clock reading and, a request, the copy of one slot; a kept exchange costs
// three. Both ways of one exchange took 200 to 300 ns together, half of it before the send, so a traced run measures a
// little longer times. Frames that carry no message of the series pass unseen.
template <FramePort Port, std::size_t Kept = 16>
class TracePort {
 public:
  // Requests that wait for their reply. The place of one is given by the low bits of its sequence, so the request that
  // gives way when all places are taken is the oldest. In small tags the sequence itself has fewer bits, and there are
  // as many places.
  static constexpr std::uint32_t pending_max = 512;
  static constexpr std::uint32_t slots = pending_max + 2 * (2 * Kept + 1);
  static constexpr std::size_t records_max = 4 * Kept;

  // `memory` has `slots` slots of as many bytes as are wanted of each frame, 256 for instance. Port and memory must
  // outlive this.
  TracePort(Port& inner, const MessageShape& shape, const FrameBlock& memory)
      : inner_(inner), shape_(shape), block_(memory) {
    RTECHO_ASSERT(memory.slots() >= slots);
  }

  [[nodiscard]] Instant now() noexcept { return inner_.now(); }

  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept {
    const std::size_t count = inner_.receive(arrivals);
    if (count == 0) {
      return 0;
    }
    const Instant stamp = now();
    for (const FrameArrival& arrival : arrivals.first(count)) {
      if (!arrival.truncated) {
        settle(note(arrival.bytes, stamp, TraceDirection::in), true);
      }
    }
    return count;
  }

  // A frame is copied before it is sent: afterwards its memory may be somebody else's.
  SendOutcome reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept {
    const Noted noted = note(frame, now(), TraceDirection::out);
    const SendOutcome outcome = inner_.reply(arrival, frame);
    settle(noted, outcome == SendOutcome::sent);
    return outcome;
  }
  SendOutcome send(std::span<std::byte> frame) noexcept {
    const Noted noted = note(frame, now(), TraceDirection::out);
    const SendOutcome outcome = inner_.send(frame);
    settle(noted, outcome == SendOutcome::sent);
    return outcome;
  }

  void release(const FrameArrival& arrival) noexcept { inner_.release(arrival); }
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept { return inner_.acquire(bytes); }
  void wait(Instant until) noexcept { inner_.wait(until); }
  [[nodiscard]] FrameCapabilities capabilities() const noexcept { return inner_.capabilities(); }
  [[nodiscard]] PortHealth health() const noexcept { return inner_.health(); }
  [[nodiscard]] PortCounters counters() const noexcept { return inner_.counters(); }

  [[nodiscard]] const TraceCounters& trace() const { return counters_; }
  // In the order of their stamps; valid until the next frame goes by.
  [[nodiscard]] std::span<const TraceRecord> kept() {
    std::size_t count = 0;
    const std::uint64_t first = counters_.exchanges < Kept ? counters_.exchanges : Kept;
    for (std::uint32_t pair = 0; pair < first; ++pair) {
      count = insert(pair, count);
    }
    for (const Slow& slow : slowest_.entries()) {
      count = insert(slow.pair, count);
    }
    return std::span(records_).first(count);
  }

 private:
  struct Place {
    std::uint64_t sequence = 0;
    TraceRecord request;
    bool is_taken = false;
  };
  struct Pair {
    TraceRecord request;
    TraceRecord reply;
  };
  struct Slow {
    Duration length{};
    std::uint32_t pair = 0;
  };
  struct Message {
    std::uint64_t sequence = 0;  // or as many low bits of it as a tag carries
    bool is_reply = false;
  };
  // What a frame is to the trace, once it is certain that it went out.
  struct Noted {
    enum class Kind : std::uint8_t { nothing, request, unpaired_reply, exchange } kind = Kind::nothing;
    std::uint32_t place = 0;
    bool is_kept = false;
    std::uint32_t pair = 0;
    Duration length{};
  };

  [[nodiscard]] Noted note(std::span<const std::byte> frame, Instant stamp, TraceDirection direction) noexcept {
    const std::optional<Message> message = message_in(frame);
    if (!message) {
      return {};
    }
    const auto index = static_cast<std::uint32_t>(message->sequence & (pending_max - 1));
    Place& place = places_[index];
    TraceRecord record{.stamp = stamp,
                       .direction = direction,
                       .bytes = frame.first(frame.size() < block_.slot_bytes() ? frame.size() : block_.slot_bytes()),
                       .frame_bytes = static_cast<std::uint32_t>(frame.size())};
    if (!message->is_reply) {
      counters_.pending_dropped += place.is_taken ? 1 : 0;
      place = Place{.sequence = message->sequence, .request = copied(record, index), .is_taken = false};
      return {.kind = Noted::Kind::request, .place = index};
    }
    if (!place.is_taken || place.sequence != message->sequence) {
      return {.kind = Noted::Kind::unpaired_reply};
    }
    const Duration length = stamp - place.request.stamp;
    Noted noted{.kind = Noted::Kind::exchange, .place = index, .length = length};
    noted.is_kept = counters_.exchanges < Kept || slowest_.admits(length);
    if (noted.is_kept) {
      noted.pair = free_pair();
      const std::uint32_t slot = pending_max + 2 * noted.pair;
      pairs_[noted.pair] = Pair{.request = copied(place.request, slot), .reply = copied(record, slot + 1)};
    }
    return noted;
  }

  void settle(const Noted& noted, bool is_sent) noexcept {
    if (!is_sent) {
      return;
    }
    switch (noted.kind) {
      case Noted::Kind::nothing:
        return;
      case Noted::Kind::request:
        ++counters_.requests;
        places_[noted.place].is_taken = true;
        return;
      case Noted::Kind::unpaired_reply:
        ++counters_.unpaired_replies;
        return;
      case Noted::Kind::exchange:
        places_[noted.place].is_taken = false;
        if (noted.is_kept && counters_.exchanges >= Kept) {
          slowest_.offer(Slow{noted.length, noted.pair});
        }
        ++counters_.exchanges;
        return;
    }
  }

  [[nodiscard]] std::optional<Message> message_in(std::span<const std::byte> frame) const noexcept {
    const std::span<const std::byte> message = message_of_frame(frame);
    if (message.size() != shape_.message_bytes || message.empty()) {
      return std::nullopt;
    }
    switch (shape_.form()) {
      case MessageForm::full:
        return FullMessage::check(message, shape_) == MessageFault::none
                   ? echo(FullMessage::kind(message), FullMessage::sequence(message))
                   : std::nullopt;
      case MessageForm::short_header:
        return ShortMessage::check(message, shape_) == MessageFault::none
                   ? echo(ShortMessage::kind(message), ShortMessage::sequence(message))
                   : std::nullopt;
      case MessageForm::tag:
        break;
    }
    return Message{TagMessage::sequence(message), TagMessage::is_reply(message)};
  }
  [[nodiscard]] static std::optional<Message> echo(std::uint8_t kind, std::uint64_t sequence) noexcept {
    if ((kind & ~unsigned{reply_bit}) != static_cast<unsigned>(MessageKind::echo)) {
      return std::nullopt;
    }
    return Message{sequence, (kind & reply_bit) != 0};
  }

  [[nodiscard]] TraceRecord copied(const TraceRecord& record, std::uint32_t slot) noexcept {
    TraceRecord result = record;
    const std::span<std::byte> copy = block_.slot(slot).first(record.bytes.size());
    std::memcpy(copy.data(), record.bytes.data(), copy.size());
    result.bytes = copy;
    return result;
  }

  // The pairs of the first exchanges, then those of the slowest and one more, in which the next one is put together.
  [[nodiscard]] std::uint32_t free_pair() const noexcept {
    if (counters_.exchanges < Kept) {
      return static_cast<std::uint32_t>(counters_.exchanges);
    }
    std::array<bool, Kept + 1> is_used{};
    for (const Slow& slow : slowest_.entries()) {
      is_used[slow.pair - Kept] = true;
    }
    std::uint32_t free = 0;
    while (is_used[free]) {
      ++free;  // at most Kept of the Kept + 1 are used
    }
    return static_cast<std::uint32_t>(Kept) + free;
  }

  // A pair into the first `count` records, which are in order; returns how many there are then.
  [[nodiscard]] std::size_t insert(std::uint32_t pair, std::size_t count) noexcept {
    for (const TraceRecord& record : std::array{pairs_[pair].request, pairs_[pair].reply}) {
      std::size_t at = count++;
      for (; at > 0 && record.stamp < records_[at - 1].stamp; --at) {
        records_[at] = records_[at - 1];
      }
      records_[at] = record;
    }
    return count;
  }

  Port& inner_;
  MessageShape shape_;
  FrameBlock block_;
  std::array<Place, pending_max> places_{};
  std::array<Pair, 2 * Kept + 1> pairs_{};
  LargestKeeper<Slow, Kept> slowest_;
  std::array<TraceRecord, records_max> records_{};
  TraceCounters counters_;
};

}  // namespace rtecho::drivers
