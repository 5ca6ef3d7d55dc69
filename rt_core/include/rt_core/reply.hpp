// A reply as the client reads it: one function for the three forms, so that the loop does not care which it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/message.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

struct Reply {
  std::uint64_t sequence = 0;
  // Full form only; the server's are on the server's clock.
  Instant client_send{};
  Instant server_receive{};
  Instant server_send{};
};

namespace detail {

inline constexpr std::uint8_t echo_reply = static_cast<std::uint8_t>(MessageKind::echo) | reply_bit;

inline MessageFault fill_fault(std::span<const std::byte> bytes, std::size_t first, std::uint64_t sequence) {
  return fill_matches(bytes, first, sequence) ? MessageFault::none : MessageFault::fill;
}

inline MessageFault read_full_reply(std::span<const std::byte> bytes, const MessageShape& shape, Reply& reply) {
  const MessageFault fault = FullMessage::check(bytes, shape);
  if (fault != MessageFault::none) {
    return fault;
  }
  if (FullMessage::kind(bytes) != echo_reply) {
    return MessageFault::kind;
  }
  reply = Reply{FullMessage::sequence(bytes), FullMessage::client_send(bytes), FullMessage::server_receive(bytes),
                FullMessage::server_send(bytes)};
  return fill_fault(bytes, full_header_bytes, reply.sequence);
}

inline MessageFault read_short_reply(std::span<const std::byte> bytes, const MessageShape& shape, Reply& reply) {
  const MessageFault fault = ShortMessage::check(bytes, shape);
  if (fault != MessageFault::none) {
    return fault;
  }
  if (ShortMessage::kind(bytes) != echo_reply) {
    return MessageFault::kind;
  }
  reply.sequence = ShortMessage::sequence(bytes);
  return fill_fault(bytes, short_header_bytes, reply.sequence);
}

inline MessageFault read_tag_reply(std::span<const std::byte> bytes, const MessageShape& shape, std::uint64_t expected,
                                   Reply& reply) {
  if (bytes.size() != shape.message_bytes) {
    return MessageFault::length;
  }
  if (!TagMessage::is_reply(bytes)) {
    return MessageFault::kind;
  }
  reply.sequence = extend_sequence(TagMessage::sequence(bytes), sequence_bits(bytes.size()), expected);
  return MessageFault::none;
}

}  // namespace detail

// `expected` is a sequence near the one that should come: small tags carry only low bits. `reply` is complete only
// where the result is `none`.
inline MessageFault read_reply(std::span<const std::byte> bytes, const MessageShape& shape, std::uint64_t expected,
                               Reply& reply) {
  switch (shape.form()) {
    case MessageForm::full:
      return detail::read_full_reply(bytes, shape, reply);
    case MessageForm::short_header:
      return detail::read_short_reply(bytes, shape, reply);
    case MessageForm::tag:
      break;
  }
  return detail::read_tag_reply(bytes, shape, expected, reply);
}

}  // namespace rtecho
