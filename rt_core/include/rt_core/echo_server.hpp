// The server's step: look at the port, stamp, check, turn round in place, send. One session, one message size;
// whoever is not of this session gets no answer, only a counter.
//
// A step does a bounded amount of work (one look's arrivals). It allocates, locks, prints and waits for nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/accounting.hpp"
#include "rt_core/gap_watch.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/sequence_window.hpp"

namespace rtecho {

struct ServerStep {
  Instant now;               // when the port was looked at
  std::size_t arrivals = 0;  // what the look brought
};

template <MessagePort Port>
class EchoServer {
 public:
  // The port must outlive the server.
  EchoServer(Port& port, const ServerPlan& plan)
      : port_(port),
        shape_(plan.shape),
        form_(plan.shape.form()),
        full_(plan.shape, static_cast<std::uint8_t>(MessageKind::echo)),
        stream_(port.capabilities().stream),
        gaps_(plan.gap_threshold) {}

  [[gnu::flatten]] ServerStep step() noexcept {
    const std::size_t count = port_.receive(arrivals_);
    const Instant now = port_.now();  // the receive stamp of everything that this look brought
    gaps_.look(now);
    for (std::size_t i = 0; i < count; ++i) {
      if (desynchronised()) {
        port_.release(arrivals_[i]);  // behind a cut that does not hold
      } else {
        serve(arrivals_[i], now);
      }
    }
    return ServerStep{now, count};
  }

  // The time until the next step is spent waiting on purpose.
  void pause() noexcept { gaps_.pause(); }

  [[nodiscard]] const ServerAccounting& accounting() const { return accounting_; }
  [[nodiscard]] const GapWatch& gaps() const { return gaps_; }
  // A stream's cuts do not fall on messages any more: nothing that follows can be trusted.
  [[nodiscard]] bool desynchronised() const { return stream_ && accounting_.malformed > 0; }

 private:
  void serve(const Arrival& arrival, Instant now) noexcept {
    ++accounting_.frames;
    switch (form_) {
      case MessageForm::full:
        serve_full(arrival, now);
        break;
      case MessageForm::short_header:
        serve_short(arrival);
        break;
      case MessageForm::tag:
        serve_tag(arrival);
        break;
    }
  }

  void serve_full(const Arrival& arrival, Instant now) noexcept {
    FullFields request;
    const MessageFault fault = arrival.truncated ? MessageFault::length : full_.read(arrival.bytes, request);
    if (fault != MessageFault::none) {
      drop(arrival, fault);  // a reply and a probe are well formed, but nothing to answer
      return;
    }
    if (!count_request(request.sequence)) {
      drop(arrival, MessageFault::length);
      return;
    }
    const std::uint32_t gap_ns = gaps_.take_longest_ns();
    turn_full_message(arrival.bytes, request, now, port_.now(), gap_ns);
    send_reply(arrival);
  }

  void serve_short(const Arrival& arrival) noexcept {
    const MessageFault fault = arrival.truncated ? MessageFault::length : ShortMessage::check(arrival.bytes, shape_);
    if (fault != MessageFault::none) {
      drop(arrival, fault);
      return;
    }
    if (ShortMessage::kind(arrival.bytes) != static_cast<std::uint8_t>(MessageKind::echo)) {
      drop(arrival, MessageFault::kind);
      return;
    }
    if (!count_request(ShortMessage::sequence(arrival.bytes))) {
      drop(arrival, MessageFault::length);
      return;
    }
    arrival.bytes[short_offset::kind] |= std::byte{reply_bit};
    send_reply(arrival);
  }

  void serve_tag(const Arrival& arrival) noexcept {
    if (arrival.truncated || arrival.bytes.size() != shape_.message_bytes) {
      drop(arrival, MessageFault::length);
      return;
    }
    if (TagMessage::is_reply(arrival.bytes)) {
      drop(arrival, MessageFault::kind);
      return;
    }
    const std::uint64_t sequence =
        extend_sequence(TagMessage::sequence(arrival.bytes), sequence_bits(shape_.message_bytes), seen_.next());
    if (TagMessage::has_unused_bits_set(arrival.bytes) || !count_request(sequence)) {
      drop(arrival, MessageFault::length);
      return;
    }
    arrival.bytes[0] |= std::byte{reply_bit};
    send_reply(arrival);
  }

  // False for a number that is altered, in the forms that have no check: counting it would make repetitions of all
  // that follow.
  bool count_request(std::uint64_t sequence) noexcept {
    const Sighting sighting = seen_.mark(sequence);
    if (sighting == Sighting::too_far_ahead) {
      return false;
    }
    ++(sighting == Sighting::fresh ? accounting_.requests : accounting_.repeated);
    return true;
  }

  void send_reply(const Arrival& arrival) noexcept {
    if (port_.reply(arrival) == SendOutcome::sent) {
      ++accounting_.replies;
    } else {
      ++accounting_.reply_refused;
    }
  }

  void drop(const Arrival& arrival, MessageFault fault) noexcept {
    if (fault == MessageFault::session || fault == MessageFault::kind) {
      ++accounting_.unarmed;
    } else {
      ++accounting_.malformed;
    }
    port_.release(arrival);
  }

  Port& port_;
  MessageShape shape_;
  MessageForm form_;
  FullHeaderReader full_;
  bool stream_;
  ServerAccounting accounting_;
  GapWatch gaps_;
  SequenceWindow seen_;
  std::array<Arrival, limits::receive_batch> arrivals_{};
};

}  // namespace rtecho
