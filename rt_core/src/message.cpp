#include "rt_core/message.hpp"

#include <bit>
#include <cstring>

namespace rtecho {

namespace {

constexpr std::uint64_t fill_multiplier = 0x9E37'79B9'7F4A'7C15;
constexpr std::uint64_t every_byte_7f = 0x7F7F'7F7F'7F7F'7F7F;
constexpr std::uint64_t every_byte_08 = 0x0808'0808'0808'0808;
constexpr std::uint64_t count_up = 0x0706'0504'0302'0100;

// Adds eight bytes to eight bytes without a carry from one into the next.
constexpr std::uint64_t add_bytes(std::uint64_t a, std::uint64_t b) {
  return ((a & every_byte_7f) + (b & every_byte_7f)) ^ ((a ^ b) & ~every_byte_7f);
}

// Memory order: the byte at the lower address is the low byte.
constexpr std::uint64_t to_memory_order(std::uint64_t value) {
  return std::endian::native == std::endian::little ? value : detail::reverse_bytes(value);
}

// Eight fill bytes at a time, for offsets that are a multiple of eight.
class FillWords {
 public:
  FillWords(std::uint64_t sequence, std::size_t first)
      : product_(sequence * fill_multiplier),
        offsets_(add_bytes(count_up, static_cast<std::uint64_t>(first & 0xFFU) * 0x0101'0101'0101'0101U)) {}

  std::uint64_t next() {
    const std::uint64_t word = add_bytes(product_, offsets_);
    offsets_ = add_bytes(offsets_, every_byte_08);
    return to_memory_order(word);
  }

 private:
  std::uint64_t product_;
  std::uint64_t offsets_;
};

}  // namespace

namespace detail {

void write_fill_bytes(std::span<std::byte> message, std::size_t first, std::uint64_t sequence) {
  RTECHO_ASSERT(first % 8 == 0 || first >= message.size());
  FillWords words(sequence, first);
  std::size_t at = first;
  for (; at + 8 <= message.size(); at += 8) {
    const std::uint64_t word = words.next();
    std::memcpy(message.data() + at, &word, 8);
  }
  if (at < message.size()) {
    const std::uint64_t word = words.next();
    std::memcpy(message.data() + at, &word, message.size() - at);
  }
}

bool fill_bytes_match(std::span<const std::byte> message, std::size_t first, std::uint64_t sequence) {
  RTECHO_ASSERT(first % 8 == 0 || first >= message.size());
  FillWords words(sequence, first);
  std::size_t at = first;
  std::uint64_t difference = 0;
  for (; at + 8 <= message.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, message.data() + at, 8);
    difference |= word ^ words.next();
  }
  if (at < message.size()) {
    const std::uint64_t word = words.next();
    difference |= std::memcmp(message.data() + at, &word, message.size() - at) != 0 ? 1U : 0U;
  }
  return difference == 0;
}

}  // namespace detail

FullHeaderReader::FullHeaderReader(const MessageShape& shape, std::uint8_t kind)
    : shape_(shape),
      message_bytes_(shape.message_bytes),
      bytes_word_(in_wire_order(shape.message_bytes)),
      no_gap_and_bytes_(in_wire_order(std::uint64_t{shape.message_bytes})),
      session_(in_wire_order(shape.session)) {
  const std::uint64_t first_words = (std::uint64_t{message_magic} << 48U) | (std::uint64_t{message_version} << 40U) |
                                    (std::uint64_t{kind} << 32U) | full_header_bytes;
  first_words_ = in_wire_order(first_words);
  sum_ = word_sum(first_words) + word_sum(shape.session) + shape.message_bytes;
}

MessageFault FullHeaderReader::fault_of(std::span<const std::byte> message) const {
  const MessageFault fault = FullMessage::check(message, shape_);
  return fault == MessageFault::none ? MessageFault::kind : fault;
}

FullHeaderTemplate::FullHeaderTemplate(const MessageShape& shape, MessageKind kind) {
  const std::span<std::byte> header(header_);
  store_big_endian(header, full_offset::magic, message_magic);
  header[full_offset::version] = std::byte{message_version};
  header[full_offset::kind] = static_cast<std::byte>(kind);
  store_big_endian(header, full_offset::header_bytes, static_cast<std::uint16_t>(full_header_bytes));
  store_big_endian(header, full_offset::session, shape.session);
  store_big_endian(header, full_offset::message_bytes, shape.message_bytes);
  sum_ = full_header_sum(header);
}

}  // namespace rtecho
