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
        full_(plan.shape, static_cast<std::uint8_t>(MessageKind::echo)),
        stream_(port.capabilities().stream),
        serving_(serving_of(plan.shape.form())),
        gaps_(plan.gap_threshold) {}

  [[gnu::flatten]] ServerStep step() noexcept {
    const std::size_t count = port_.receive(arrivals_);
    const Instant now = port_.now();  // the receive stamp of everything that this look brought
    gaps_.look(now);
    if (count == 1) [[likely]] {
      serve(arrivals_[0], now);
    } else {
      serve_all(count, now);
    }
    return ServerStep{now, count};
  }

  // The time until the next step is spent waiting on purpose.
  void pause() noexcept { gaps_.pause(); }

  [[nodiscard]] const ServerAccounting& accounting() const { return accounting_; }
  [[nodiscard]] const GapWatch& gaps() const { return gaps_; }
  // A stream's cuts do not fall on messages any more: nothing that follows can be trusted.
  [[nodiscard]] bool desynchronised() const { return serving_ == Serving::nothing; }

 private:
  // What is made of an arrival: an echo of the one form of the series, or nothing any more.
  enum class Serving : std::uint8_t { full, short_header, tag, nothing };

  static Serving serving_of(MessageForm form) {
    switch (form) {
      case MessageForm::full:
        return Serving::full;
      case MessageForm::short_header:
        return Serving::short_header;
      case MessageForm::tag:
        break;
    }
    return Serving::tag;
  }

  // Most looks bring one message, and a loop around it costs more than it seems: what it keeps for a next turn.
  [[gnu::noinline]] void serve_all(std::size_t count, Instant now) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      serve(arrivals_[i], now);
    }
  }

  void serve(const Arrival& arrival, Instant now) noexcept {
    if (serving_ == Serving::full) [[likely]] {
      serve_full(arrival, now);
    } else {
      serve_other(arrival);
    }
  }

  [[gnu::noinline]] void serve_other(const Arrival& arrival) noexcept {
    switch (serving_) {
      case Serving::full:
        break;
      case Serving::short_header:
        serve_short(arrival);
        break;
      case Serving::tag:
        serve_tag(arrival);
        break;
      case Serving::nothing:
        port_.release(arrival);  // behind a cut that does not hold
        break;
    }
  }

  void serve_full(const Arrival& arrival, Instant now) noexcept {
    ++accounting_.frames;
    FullFields request;
    if (!arrival.truncated && full_.read_unstamped(arrival.bytes, request)) [[likely]] {
      answer_full(arrival, request, now);
    } else {
      serve_unusual_full(arrival, now);
    }
  }

  [[gnu::noinline, gnu::cold]] void serve_unusual_full(const Arrival& arrival, Instant now) noexcept {
    FullFields request;
    const MessageFault fault = arrival.truncated ? MessageFault::length : full_.read(arrival.bytes, request);
    if (fault == MessageFault::none) {
      answer_full(arrival, request, now);  // the fields of the server are not 0: of another client, but good
    } else {
      drop(arrival, fault);  // a reply and a probe are well formed, but nothing to answer
    }
  }

  void answer_full(const Arrival& arrival, const FullFields& request, Instant now) noexcept {
    if (!count_request(request.sequence)) [[unlikely]] {
      drop(arrival, MessageFault::length);
      return;
    }
    const Instant send = port_.now();
    turn_full_message(arrival.bytes, request, now, send, gaps_.take_longest_ns());
    send_reply(arrival);
  }

  void serve_short(const Arrival& arrival) noexcept {
    ++accounting_.frames;
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
    ++accounting_.frames;
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
    if (sighting == Sighting::fresh) [[likely]] {
      ++accounting_.requests;
      return true;
    }
    if (sighting == Sighting::repeated) {
      ++accounting_.repeated;
      return true;
    }
    return false;
  }

  void send_reply(const Arrival& arrival) noexcept {
    if (port_.reply(arrival) == SendOutcome::sent) [[likely]] {
      ++accounting_.replies;
    } else {
      ++accounting_.reply_refused;
    }
  }

  [[gnu::noinline, gnu::cold]] void drop(const Arrival& arrival, MessageFault fault) noexcept {
    if (fault == MessageFault::session || fault == MessageFault::kind) {
      ++accounting_.unarmed;
    } else {
      ++accounting_.malformed;
      serving_ = stream_ ? Serving::nothing : serving_;
    }
    port_.release(arrival);
  }

  Port& port_;
  MessageShape shape_;
  FullHeaderReader full_;
  bool stream_;
  Serving serving_;
  ServerAccounting accounting_;
  GapWatch gaps_;
  SequenceWindow seen_;
  std::array<Arrival, limits::receive_batch> arrivals_{};
};

}  // namespace rtecho
