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

// Reads the replies of one series.
class ReplyReader {
 public:
  explicit ReplyReader(const MessageShape& shape) : shape_(shape), form_(shape.form()), full_(shape, echo_reply) {}

  // `expected` is a sequence near the one that should come: small tags carry only low bits. `reply` is complete only
  // where the result is `none`.
  [[nodiscard]] MessageFault read(std::span<const std::byte> bytes, std::uint64_t expected, Reply& reply) const {
    return form_ == MessageForm::full ? read_full(bytes, reply) : read_small(bytes, expected, reply);
  }

  // For a caller that knows the form.
  [[nodiscard]] MessageFault read_full(std::span<const std::byte> bytes, Reply& reply) const {
    FullFields fields;
    const MessageFault fault = full_.read(bytes, fields);
    if (fault != MessageFault::none) [[unlikely]] {
      return fault;
    }
    reply = Reply{fields.sequence, fields.client_send, fields.server_receive, fields.server_send};
    return fill_fault(bytes, full_header_bytes, reply.sequence);
  }
  [[nodiscard]] MessageFault read_small(std::span<const std::byte> bytes, std::uint64_t expected, Reply& reply) const {
    return form_ == MessageForm::short_header ? read_short(bytes, reply) : read_tag(bytes, expected, reply);
  }

 private:
  static constexpr std::uint8_t echo_reply = static_cast<std::uint8_t>(MessageKind::echo) | reply_bit;

  static MessageFault fill_fault(std::span<const std::byte> bytes, std::size_t first, std::uint64_t sequence) {
    return fill_matches(bytes, first, sequence) ? MessageFault::none : MessageFault::fill;
  }

  MessageFault read_short(std::span<const std::byte> bytes, Reply& reply) const {
    const MessageFault fault = ShortMessage::check(bytes, shape_);
    if (fault != MessageFault::none) {
      return fault;
    }
    if (ShortMessage::kind(bytes) != echo_reply) {
      return MessageFault::kind;
    }
    reply.sequence = ShortMessage::sequence(bytes);
    return fill_fault(bytes, short_header_bytes, reply.sequence);
  }

  MessageFault read_tag(std::span<const std::byte> bytes, std::uint64_t expected, Reply& reply) const {
    if (bytes.size() != shape_.message_bytes) {
      return MessageFault::length;
    }
    if (!TagMessage::is_reply(bytes)) {
      return MessageFault::kind;
    }
    if (TagMessage::has_unused_bits_set(bytes)) {
      return MessageFault::fill;
    }
    reply.sequence = extend_sequence(TagMessage::sequence(bytes), sequence_bits(bytes.size()), expected);
    return MessageFault::none;
  }

  MessageShape shape_;
  MessageForm form_;
  FullHeaderReader full_;
};

}  // namespace rtecho
