// Big-endian loads and stores on byte spans. memcpy and the shifts become one load or store and a byte swap.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "rt_core/assert.hpp"

namespace rtecho {

namespace detail {

constexpr std::uint8_t reverse_bytes(std::uint8_t v) {
  return v;
}
constexpr std::uint16_t reverse_bytes(std::uint16_t v) {
  return static_cast<std::uint16_t>((v << 8U) | (v >> 8U));
}
constexpr std::uint32_t reverse_bytes(std::uint32_t v) {
  return (v << 24U) | ((v & 0xFF00U) << 8U) | ((v >> 8U) & 0xFF00U) | (v >> 24U);
}
constexpr std::uint64_t reverse_bytes(std::uint64_t v) {
  return (static_cast<std::uint64_t>(reverse_bytes(static_cast<std::uint32_t>(v))) << 32U) |
         reverse_bytes(static_cast<std::uint32_t>(v >> 32U));
}

template <typename T>
constexpr T to_or_from_big_endian(T value) {
  return std::endian::native == std::endian::big ? value : reverse_bytes(value);
}

}  // namespace detail

// A value as `load_unswapped` sees it on the wire.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T in_wire_order(T value) {
  return detail::to_or_from_big_endian(value);
}

// The bytes as they stand: to be compared with what was brought into wire order once, without a swap per message.
template <std::unsigned_integral T>
[[nodiscard]] inline T load_unswapped(std::span<const std::byte> bytes, std::size_t offset) {
  RTECHO_ASSERT(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset);
  T value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <std::unsigned_integral T>
[[nodiscard]] inline T load_big_endian(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::to_or_from_big_endian(load_unswapped<T>(bytes, offset));
}

template <std::unsigned_integral T>
inline void store_big_endian(std::span<std::byte> bytes, std::size_t offset, T value) {
  RTECHO_ASSERT(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset);
  const T wire = detail::to_or_from_big_endian(value);
  std::memcpy(bytes.data() + offset, &wire, sizeof(T));
}

}  // namespace rtecho
