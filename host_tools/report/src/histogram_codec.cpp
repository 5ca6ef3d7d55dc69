#include "report/histogram_codec.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "base64.hpp"

namespace rtecho::report {
namespace {

constexpr std::uint32_t payload_cookie = 0x1c84'9313;
constexpr std::uint32_t compressed_cookie = 0x1c84'9314;
constexpr std::size_t payload_header_bytes = 40;
constexpr std::size_t outer_header_bytes = 8;
constexpr std::size_t varint_bytes_max = 9;
constexpr std::size_t payload_bytes_max = payload_header_bytes + Histogram::bucket_count * varint_bytes_max;
// zlib's worst case adds less than 1 % to bytes that do not compress, base64 a third.
constexpr std::size_t text_bytes_max = payload_bytes_max * 3 / 2;

void put_big_endian(std::vector<std::uint8_t>& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = bytes; i > 0; --i) {
    out.push_back(static_cast<std::uint8_t>(value >> (8 * (i - 1))));
  }
}

std::uint64_t big_endian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) {
    value = (value << 8U) | byte;
  }
  return value;
}

// LEB128-64b9B: seven bits per byte, but the ninth byte carries eight, so that 64 bits fit into nine.
void put_varint(std::vector<std::uint8_t>& out, std::int64_t number) {
  std::uint64_t rest = (static_cast<std::uint64_t>(number) << 1U) ^ (number < 0 ? ~std::uint64_t{0} : 0U);
  for (std::size_t i = 1; i < varint_bytes_max && rest > 0x7F; ++i) {
    out.push_back(static_cast<std::uint8_t>(rest | 0x80U));
    rest >>= 7U;
  }
  out.push_back(static_cast<std::uint8_t>(rest));
}

// Takes one number off the front. Absent where the bytes end inside it, or where it is longer than it need be.
std::optional<std::int64_t> take_varint(std::span<const std::uint8_t>& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < varint_bytes_max; ++i) {
    const bool last_possible = i + 1 == varint_bytes_max;
    const std::uint64_t byte = bytes[i];
    value |= (last_possible ? byte : byte & 0x7FU) << (7 * i);
    if (last_possible || byte < 0x80) {
      if (byte == 0 && i > 0) {
        return std::nullopt;
      }
      bytes = bytes.subspan(i + 1);
      return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1));
    }
  }
  return std::nullopt;
}

std::vector<std::uint8_t> payload_header(std::size_t count_bytes) {
  std::vector<std::uint8_t> header;
  put_big_endian(header, payload_cookie, 4);
  put_big_endian(header, count_bytes, 4);
  put_big_endian(header, 0, 4);  // normalizing index offset
  put_big_endian(header, Histogram::significant_digits, 4);
  put_big_endian(header, 1, 8);  // lowest discernible value
  put_big_endian(header, static_cast<std::uint64_t>(Histogram::highest_ns), 8);
  put_big_endian(header, std::bit_cast<std::uint64_t>(1.0), 8);  // integer to double conversion ratio
  return header;
}

std::vector<std::uint8_t> encode_counts(const Histogram& histogram) {
  std::size_t used = Histogram::bucket_count;
  while (used > 1 && histogram.count_at(used - 1) == 0) {
    --used;
  }
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < used;) {
    std::size_t zeros = 0;
    while (i + zeros < used && histogram.count_at(i + zeros) == 0) {
      ++zeros;
    }
    // A single empty bucket is the count 0, as the Java library writes it.
    if (zeros > 1) {
      put_varint(out, -static_cast<std::int64_t>(zeros));
      i += zeros;
    } else {
      put_varint(out, static_cast<std::int64_t>(histogram.count_at(i)));
      ++i;
    }
  }
  return out;
}

Failure nonsense(const char* what) {
  return {FailureKind::content, std::string("no histogram in the HdrHistogram V2 compressed form: ") + what};
}

Outcome<std::vector<std::uint8_t>> inflate_bounded(std::span<const std::uint8_t> compressed) {
  std::vector<std::uint8_t> payload(payload_bytes_max);
  uLongf payload_bytes = static_cast<uLongf>(payload.size());
  uLong consumed = static_cast<uLong>(compressed.size());
  // uncompress2 stops at the end of the buffer: the text cannot make us take more memory than the layout needs.
  if (uncompress2(payload.data(), &payload_bytes, compressed.data(), &consumed) != Z_OK) {
    return nonsense("its zlib stream is damaged, cut off or too long");
  }
  if (consumed != compressed.size()) {
    return nonsense("bytes follow its zlib stream");
  }
  payload.resize(payload_bytes);
  return payload;
}

Outcome<std::vector<std::uint64_t>> decode_counts(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint64_t> counts;
  std::uint64_t total = 0;
  while (!bytes.empty()) {
    const std::optional<std::int64_t> number = take_varint(bytes);
    if (!number) {
      return nonsense("a count is cut off or longer than it need be");
    }
    const std::size_t room = Histogram::bucket_count - counts.size();
    // -(number + 1) + 1 cannot overflow, -number could.
    const std::uint64_t buckets = *number < 0 ? static_cast<std::uint64_t>(-(*number + 1)) + 1 : 1;
    if (buckets > room) {
      return nonsense("it has more buckets than 100 s take");
    }
    if (*number < 0) {
      counts.resize(counts.size() + buckets, 0);
      continue;
    }
    const auto count = static_cast<std::uint64_t>(*number);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - total) {
      return nonsense("its counts add up to more than 64 bits hold");
    }
    total += count;
    counts.push_back(count);
  }
  while (!counts.empty() && counts.back() == 0) {
    counts.pop_back();
  }
  return counts;
}

}  // namespace

std::string encode_histogram(const Histogram& histogram) {
  const std::vector<std::uint8_t> counts = encode_counts(histogram);
  std::vector<std::uint8_t> payload = payload_header(counts.size());
  payload.insert(payload.end(), counts.begin(), counts.end());
  std::vector<std::uint8_t> compressed(compressBound(static_cast<uLong>(payload.size())));
  uLongf compressed_bytes = static_cast<uLongf>(compressed.size());
  const int code = compress2(compressed.data(), &compressed_bytes, payload.data(), static_cast<uLong>(payload.size()),
                             Z_DEFAULT_COMPRESSION);
  // With room for the worst case only a lack of memory is left to fail, and that ends the program anyway.
  RTECHO_ASSERT(code == Z_OK);
  std::vector<std::uint8_t> out;
  put_big_endian(out, compressed_cookie, 4);
  put_big_endian(out, compressed_bytes, 4);
  out.insert(out.end(), compressed.data(), compressed.data() + compressed_bytes);
  return base64_encode(out);
}

Outcome<std::vector<std::uint64_t>> decode_histogram(std::string_view text) {
  if (text.size() > text_bytes_max) {
    return nonsense("it is too long");
  }
  const std::optional<std::vector<std::uint8_t>> outer = base64_decode(text);
  if (!outer) {
    return nonsense("it is not base64");
  }
  const std::span<const std::uint8_t> bytes(*outer);
  if (bytes.size() < outer_header_bytes || big_endian(bytes.first(4)) != compressed_cookie) {
    return nonsense("it does not begin with the cookie");
  }
  if (big_endian(bytes.subspan(4, 4)) != bytes.size() - outer_header_bytes) {
    return nonsense("its length does not agree with its header");
  }
  const Outcome<std::vector<std::uint8_t>> inflated = inflate_bounded(bytes.subspan(outer_header_bytes));
  if (!inflated) {
    return inflated.failure();
  }
  const std::span<const std::uint8_t> payload(inflated.value());
  if (payload.size() < payload_header_bytes) {
    return nonsense("its header is cut off");
  }
  const std::span<const std::uint8_t> counts = payload.subspan(payload_header_bytes);
  const std::vector<std::uint8_t> expected = payload_header(counts.size());
  if (!std::equal(expected.begin(), expected.end(), payload.begin())) {
    return nonsense("its header is not that of 1 ns to 100 s with 3 digits, or its length does not agree");
  }
  return decode_counts(counts);
}

}  // namespace rtecho::report
