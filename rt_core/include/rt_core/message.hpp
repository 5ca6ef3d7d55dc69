// The bytes of an echo message (docs/wire_protocol.md). Big-endian. Three forms; the largest that fits the
// message size is used, and the size is fixed within a series, so that a 1-byte message is 1 byte on the wire:
//
//   full    64 bytes and more   header of 64 bytes, then fill
//   short   16 … 63 bytes       header of 16 bytes, then fill
//   tag     1 … 15 bytes        a reply bit and low bits of the sequence
//
// A form is parsed by a view over bytes that is checked once, and emitted from a small value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rt_core/bytes.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

inline constexpr std::uint16_t message_magic = 0x5245;  // "RE"
inline constexpr std::uint8_t message_version = 1;
inline constexpr std::size_t full_header_bytes = 64;
inline constexpr std::size_t short_header_bytes = 16;
inline constexpr std::uint32_t gap_not_watched = 0xFFFF'FFFF;

enum class MessageForm : std::uint8_t { tag, short_header, full };
enum class MessageKind : std::uint8_t { echo = 1, probe = 2 };
inline constexpr std::uint8_t reply_bit = 0x80;

[[nodiscard]] constexpr MessageForm form_of(std::size_t message_bytes) {
  if (message_bytes >= full_header_bytes) {
    return MessageForm::full;
  }
  return message_bytes >= short_header_bytes ? MessageForm::short_header : MessageForm::tag;
}

// What the two ends agreed on for one series.
struct MessageShape {
  std::uint32_t message_bytes = full_header_bytes;
  std::uint64_t session = 0;
  [[nodiscard]] constexpr MessageForm form() const { return form_of(message_bytes); }
};

// How many low bits of the sequence a message of this size carries: 64 but for small tags.
[[nodiscard]] constexpr unsigned sequence_bits(std::size_t message_bytes) {
  return message_bytes >= 9 ? 64U : static_cast<unsigned>(8 * message_bytes - 1);
}

// The whole sequence whose low bits were carried: the one nearest to `expected`.
[[nodiscard]] constexpr std::uint64_t extend_sequence(std::uint64_t low, unsigned bits, std::uint64_t expected) {
  if (bits >= 64) {
    return low;
  }
  const std::uint64_t span = std::uint64_t{1} << bits;
  const std::uint64_t candidate = (expected & ~(span - 1)) | low;
  if (candidate > expected && candidate - expected > span / 2 && candidate >= span) {
    return candidate - span;
  }
  if (candidate < expected && expected - candidate > span / 2) {
    return candidate + span;
  }
  return candidate;
}

// --- fill -----------------------------------------------------------------------------------------------------
// The byte at offset k of a message: low byte of ((sequence · 0x9E3779B97F4A7C15) >> (8·(k mod 8))) + k.
// `first` is the offset where the header ends; both work eight bytes at a time.
namespace detail {
void write_fill_bytes(std::span<std::byte> message, std::size_t first, std::uint64_t sequence);
[[nodiscard]] bool fill_bytes_match(std::span<const std::byte> message, std::size_t first, std::uint64_t sequence);
}  // namespace detail

inline void write_fill(std::span<std::byte> message, std::size_t first, std::uint64_t sequence) {
  if (message.size() > first) {
    detail::write_fill_bytes(message, first, sequence);
  }
}
[[nodiscard]] inline bool fill_matches(std::span<const std::byte> message, std::size_t first, std::uint64_t sequence) {
  return message.size() <= first || detail::fill_bytes_match(message, first, sequence);
}

[[nodiscard]] constexpr std::size_t header_bytes_of(std::size_t message_bytes) {
  switch (form_of(message_bytes)) {
    case MessageForm::full:
      return full_header_bytes;
    case MessageForm::short_header:
      return short_header_bytes;
    case MessageForm::tag:
      break;
  }
  return message_bytes;
}

// --- full form ------------------------------------------------------------------------------------------------
namespace full_offset {
inline constexpr std::size_t magic = 0;
inline constexpr std::size_t version = 2;
inline constexpr std::size_t kind = 3;
inline constexpr std::size_t flags = 4;
inline constexpr std::size_t header_bytes = 6;
inline constexpr std::size_t session = 8;
inline constexpr std::size_t sequence = 16;
inline constexpr std::size_t client_send = 24;
inline constexpr std::size_t server_receive = 32;
inline constexpr std::size_t server_send = 40;
inline constexpr std::size_t server_gap = 48;
inline constexpr std::size_t message_bytes = 52;
inline constexpr std::size_t reserved = 56;
inline constexpr std::size_t check = 60;
}  // namespace full_offset

// Sum modulo 2^32 of the fifteen 32-bit words before the check: cheap in a BPF program and on bare metal, and
// whoever changes a field adjusts it by the difference.
[[nodiscard]] inline std::uint32_t full_header_sum(std::span<const std::byte> message) {
  std::uint64_t sum = 0;
  for (std::size_t offset = 0; offset < full_offset::reserved; offset += 8) {
    const auto words = load_big_endian<std::uint64_t>(message, offset);
    sum += (words >> 32U) + (words & 0xFFFF'FFFFU);
  }
  return static_cast<std::uint32_t>(sum + load_big_endian<std::uint32_t>(message, full_offset::reserved));
}

// Why bytes are not the message that was expected; in the order in which it is looked at.
enum class MessageFault : std::uint8_t {
  none,
  length,   // shorter or longer than the series' messages
  foreign,  // magic, version, kind, or a field that is fixed by the form
  check,    // full form: the header check does not fit
  session,  // another session's
  kind,     // of our session, but not what is answered or waited for here
  fill,     // the bytes behind the header are not those that were sent
};

// A checked view of a full message.
class FullMessage {
 public:
  // Bounds first, then what a header must say, then its check; the session last, because only then it is true.
  [[nodiscard]] static MessageFault check(std::span<const std::byte> message, const MessageShape& shape) {
    if (message.size() != shape.message_bytes || message.size() < full_header_bytes) {
      return MessageFault::length;
    }
    if (load_big_endian<std::uint16_t>(message, full_offset::magic) != message_magic ||
        std::to_integer<std::uint8_t>(message[full_offset::version]) != message_version ||
        load_big_endian<std::uint32_t>(message, full_offset::flags) != full_header_bytes ||
        load_big_endian<std::uint64_t>(message, full_offset::message_bytes) >> 32U != message.size()) {
      return MessageFault::foreign;
    }
    if (full_header_sum(message) != load_big_endian<std::uint32_t>(message, full_offset::check)) {
      return MessageFault::check;
    }
    return load_big_endian<std::uint64_t>(message, full_offset::session) == shape.session ? MessageFault::none
                                                                                          : MessageFault::session;
  }

  [[nodiscard]] static std::uint8_t kind(std::span<const std::byte> message) {
    return std::to_integer<std::uint8_t>(message[full_offset::kind]);
  }
  [[nodiscard]] static std::uint64_t sequence(std::span<const std::byte> message) {
    return load_big_endian<std::uint64_t>(message, full_offset::sequence);
  }
  [[nodiscard]] static Instant client_send(std::span<const std::byte> message) {
    return instant_at(message, full_offset::client_send);
  }
  [[nodiscard]] static Instant server_receive(std::span<const std::byte> message) {
    return instant_at(message, full_offset::server_receive);
  }
  [[nodiscard]] static Instant server_send(std::span<const std::byte> message) {
    return instant_at(message, full_offset::server_send);
  }
  [[nodiscard]] static std::uint32_t server_gap_ns(std::span<const std::byte> message) {
    return load_big_endian<std::uint32_t>(message, full_offset::server_gap);
  }

 private:
  static Instant instant_at(std::span<const std::byte> message, std::size_t offset) {
    return Instant::from_ns(static_cast<std::int64_t>(load_big_endian<std::uint64_t>(message, offset)));
  }
};

// What a full header carries besides the fields that are the same for a whole series.
struct FullFields {
  std::uint64_t sequence = 0;
  Instant client_send{};
  Instant server_receive{};
  Instant server_send{};
  std::uint32_t server_gap_ns = 0;
  std::uint32_t check = 0;
};

// Reads the header of the one series and kind that is expected here. The common case, a good message, loads each
// field once, for its value and for the sum, and is decided by one test; only a message that is not good is looked at
// word by word.
class FullHeaderReader {
 public:
  FullHeaderReader(const MessageShape& shape, std::uint8_t kind);

  // `fields` is complete only where the result is `none`.
  [[nodiscard]] MessageFault read(std::span<const std::byte> message, FullFields& fields) const {
    if (message.size() != message_bytes_) [[unlikely]] {
      return MessageFault::length;
    }
    const std::span<const std::byte> header = message.first<full_header_bytes>();
    const auto sequence = load_big_endian<std::uint64_t>(header, full_offset::sequence);
    const auto client_send = load_big_endian<std::uint64_t>(header, full_offset::client_send);
    const auto server_receive = load_big_endian<std::uint64_t>(header, full_offset::server_receive);
    const auto server_send = load_big_endian<std::uint64_t>(header, full_offset::server_send);
    const auto gap_ns = load_big_endian<std::uint32_t>(header, full_offset::server_gap);
    const std::uint32_t sum =
        sum_ + word_sum(sequence) + word_sum(client_send) + word_sum(server_receive) + word_sum(server_send) + gap_ns;
    const std::uint64_t difference = series_difference(header) |
                                     (load_unswapped<std::uint32_t>(header, full_offset::message_bytes) ^ bytes_word_) |
                                     check_difference(header, sum);
    if (difference != 0) [[unlikely]] {
      return fault_of(message);
    }
    fields = FullFields{sequence, instant(client_send), instant(server_receive), instant(server_send), gap_ns, sum};
    return MessageFault::none;
  }

  // The same for a good message whose fields of the server are 0, as a client writes them: fewer sums. False: it is
  // another one, and `read` says which.
  [[nodiscard]] bool read_unstamped(std::span<const std::byte> message, FullFields& fields) const {
    if (message.size() != message_bytes_) [[unlikely]] {
      return false;
    }
    const std::span<const std::byte> header = message.first<full_header_bytes>();
    const auto sequence = load_big_endian<std::uint64_t>(header, full_offset::sequence);
    const auto client_send = load_big_endian<std::uint64_t>(header, full_offset::client_send);
    const std::uint32_t sum = sum_ + word_sum(sequence) + word_sum(client_send);
    const std::uint64_t stamps = load_unswapped<std::uint64_t>(header, full_offset::server_receive) |
                                 load_unswapped<std::uint64_t>(header, full_offset::server_send);
    const std::uint64_t gap_and_bytes = load_unswapped<std::uint64_t>(header, full_offset::server_gap);
    const std::uint64_t difference =
        series_difference(header) | stamps | (gap_and_bytes ^ no_gap_and_bytes_) | check_difference(header, sum);
    fields = FullFields{sequence, instant(client_send), Instant{}, Instant{}, 0, sum};
    return difference == 0;
  }

  [[nodiscard]] static constexpr std::uint32_t word_sum(std::uint64_t words) {
    return static_cast<std::uint32_t>(words >> 32U) + static_cast<std::uint32_t>(words);
  }

 private:
  [[nodiscard]] std::uint64_t series_difference(std::span<const std::byte> header) const {
    return (load_unswapped<std::uint64_t>(header, full_offset::magic) ^ first_words_) |
           (load_unswapped<std::uint64_t>(header, full_offset::session) ^ session_);
  }
  // The reserved word, which is 0, and the check.
  [[nodiscard]] static std::uint64_t check_difference(std::span<const std::byte> header, std::uint32_t sum) {
    return load_big_endian<std::uint64_t>(header, full_offset::reserved) ^ sum;
  }
  [[nodiscard]] MessageFault fault_of(std::span<const std::byte> message) const;
  static Instant instant(std::uint64_t ns) { return Instant::from_ns(static_cast<std::int64_t>(ns)); }

  MessageShape shape_;
  std::size_t message_bytes_;
  std::uint32_t sum_;  // of everything that is the same for the series
  // In wire order:
  std::uint32_t bytes_word_;
  std::uint64_t no_gap_and_bytes_;
  std::uint64_t first_words_;  // magic, version, kind, flags, header bytes
  std::uint64_t session_;
};

// Everything of a request's header that is the same for a whole series, with its sum, so that a send only adds
// what changes.
class FullHeaderTemplate {
 public:
  FullHeaderTemplate(const MessageShape& shape, MessageKind kind);

  void emit(std::span<std::byte, full_header_bytes> header, std::uint64_t sequence, Instant client_send) const {
    std::memcpy(header.data(), header_, full_offset::sequence);
    std::memcpy(header.data() + full_offset::server_receive, header_ + full_offset::server_receive,
                full_header_bytes - full_offset::server_receive);
    const auto stamp = static_cast<std::uint64_t>(client_send.ns());
    store_big_endian(header, full_offset::sequence, sequence);
    store_big_endian(header, full_offset::client_send, stamp);
    store_big_endian(header, full_offset::check,
                     sum_ + FullHeaderReader::word_sum(sequence) + FullHeaderReader::word_sum(stamp));
  }

 private:
  std::byte header_[full_header_bytes]{};
  std::uint32_t sum_ = 0;
};

// Turns a request that was read into its reply in place: reply bit, the server's stamps and gap, the check adjusted
// by what changed.
inline void turn_full_message(std::span<std::byte> message, const FullFields& request, Instant receive, Instant send,
                              std::uint32_t gap_ns) {
  const auto sum_of = [](Instant receive_stamp, Instant send_stamp, std::uint32_t gap) {
    return FullHeaderReader::word_sum(static_cast<std::uint64_t>(receive_stamp.ns())) +
           FullHeaderReader::word_sum(static_cast<std::uint64_t>(send_stamp.ns())) + gap;
  };
  const std::span<std::byte> header = message.first<full_header_bytes>();
  const std::uint32_t check = request.check + sum_of(receive, send, gap_ns) + reply_bit -
                              sum_of(request.server_receive, request.server_send, request.server_gap_ns);
  header[full_offset::kind] |= std::byte{reply_bit};
  store_big_endian(header, full_offset::server_receive, static_cast<std::uint64_t>(receive.ns()));
  store_big_endian(header, full_offset::server_send, static_cast<std::uint64_t>(send.ns()));
  store_big_endian(header, full_offset::server_gap, gap_ns);
  store_big_endian(header, full_offset::check, check);
}

// --- short form -----------------------------------------------------------------------------------------------
namespace short_offset {
inline constexpr std::size_t magic = 0;
inline constexpr std::size_t version = 2;
inline constexpr std::size_t kind = 3;
inline constexpr std::size_t session = 4;
inline constexpr std::size_t sequence = 8;
}  // namespace short_offset

class ShortMessage {
 public:
  [[nodiscard]] static MessageFault check(std::span<const std::byte> message, const MessageShape& shape) {
    if (message.size() != shape.message_bytes || message.size() < short_header_bytes) {
      return MessageFault::length;
    }
    if (load_big_endian<std::uint16_t>(message, short_offset::magic) != message_magic ||
        std::to_integer<std::uint8_t>(message[short_offset::version]) != message_version) {
      return MessageFault::foreign;
    }
    return load_big_endian<std::uint32_t>(message, short_offset::session) == static_cast<std::uint32_t>(shape.session)
               ? MessageFault::none
               : MessageFault::session;
  }
  [[nodiscard]] static std::uint8_t kind(std::span<const std::byte> message) {
    return std::to_integer<std::uint8_t>(message[short_offset::kind]);
  }
  [[nodiscard]] static std::uint64_t sequence(std::span<const std::byte> message) {
    return load_big_endian<std::uint64_t>(message, short_offset::sequence);
  }
  static void emit(std::span<std::byte> message, const MessageShape& shape, std::uint64_t sequence) {
    store_big_endian(message, short_offset::magic, message_magic);
    message[short_offset::version] = std::byte{message_version};
    message[short_offset::kind] = std::byte{static_cast<std::uint8_t>(MessageKind::echo)};
    store_big_endian(message, short_offset::session, static_cast<std::uint32_t>(shape.session));
    store_big_endian(message, short_offset::sequence, sequence);
  }
};

// --- tag form -------------------------------------------------------------------------------------------------
class TagMessage {
 public:
  [[nodiscard]] static bool is_reply(std::span<const std::byte> message) {
    return (message[0] & std::byte{reply_bit}) != std::byte{0};
  }
  // Bits above the 64 of a sequence: 0 in every message that was not altered.
  [[nodiscard]] static bool has_unused_bits_set(std::span<const std::byte> message) {
    std::byte bits{0};
    for (std::size_t i = 0; i + 8 < message.size(); ++i) {
      bits |= i == 0 ? message[0] & std::byte{0x7F} : message[i];
    }
    return bits != std::byte{0};
  }
  // The low sequence_bits(message.size()) bits, at most 64.
  [[nodiscard]] static std::uint64_t sequence(std::span<const std::byte> message) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < message.size(); ++i) {
      const std::byte b = i == 0 ? message[0] & std::byte{0x7F} : message[i];
      value = (value << 8U) | std::to_integer<std::uint64_t>(b);
    }
    return value;
  }
  static void emit(std::span<std::byte> message, std::uint64_t sequence) {
    for (std::size_t i = message.size(); i-- > 0;) {
      message[i] = static_cast<std::byte>(sequence & 0xFFU);
      sequence >>= 8U;
    }
    message[0] &= std::byte{0x7F};
  }
};

}  // namespace rtecho
