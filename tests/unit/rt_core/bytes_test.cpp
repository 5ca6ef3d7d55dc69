#include "rt_core/bytes.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rtecho {
namespace {

constexpr std::array<std::byte, 9> nine_bytes{std::byte{0x01}, std::byte{0x23}, std::byte{0x45},
                                              std::byte{0x67}, std::byte{0x89}, std::byte{0xAB},
                                              std::byte{0xCD}, std::byte{0xEF}, std::byte{0xF0}};

TEST(Bytes, LoadsTheFirstByteAsTheHighest) {
  EXPECT_EQ(load_big_endian<std::uint16_t>(nine_bytes, 0), 0x0123U);
  EXPECT_EQ(load_big_endian<std::uint32_t>(nine_bytes, 0), 0x01234567U);
  EXPECT_EQ(load_big_endian<std::uint64_t>(nine_bytes, 0), 0x0123'4567'89AB'CDEFU);
}

TEST(Bytes, LoadsFromAnyAlignment) {
  EXPECT_EQ(load_big_endian<std::uint64_t>(nine_bytes, 1), 0x2345'6789'ABCD'EFF0U);
  EXPECT_EQ(load_big_endian<std::uint32_t>(nine_bytes, 3), 0x6789'ABCDU);
  EXPECT_EQ(load_big_endian<std::uint16_t>(nine_bytes, 7), 0xEFF0U);
}

TEST(Bytes, ComparesInWireOrderWithoutASwap) {
  EXPECT_EQ(load_unswapped<std::uint32_t>(nine_bytes, 1), in_wire_order(std::uint32_t{0x2345'6789}));
  EXPECT_EQ(load_unswapped<std::uint64_t>(nine_bytes, 1), in_wire_order(std::uint64_t{0x2345'6789'ABCD'EFF0}));
  EXPECT_NE(load_unswapped<std::uint16_t>(nine_bytes, 0), in_wire_order(std::uint16_t{0x0124}));
}

TEST(Bytes, StoresOnlyItsOwnBytes) {
  std::array<std::byte, 6> bytes{};
  bytes.fill(std::byte{0xEE});
  store_big_endian(std::span<std::byte>(bytes), 1, std::uint32_t{0x01020304});
  EXPECT_EQ(bytes,
            (std::array{std::byte{0xEE}, std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{0xEE}}));
  store_big_endian(std::span<std::byte>(bytes), 4, std::uint16_t{0xA1B2});
  EXPECT_EQ(bytes[3], std::byte{3});
  EXPECT_EQ(bytes[4], std::byte{0xA1});
  EXPECT_EQ(bytes[5], std::byte{0xB2});
}

TEST(Bytes, TrapsBeyondTheEnd) {
  EXPECT_DEATH_IF_SUPPORTED((void)load_big_endian<std::uint64_t>(nine_bytes, 2), "");
  EXPECT_DEATH_IF_SUPPORTED((void)load_unswapped<std::uint64_t>(nine_bytes, 2), "");
  EXPECT_DEATH_IF_SUPPORTED((void)load_big_endian<std::uint16_t>(nine_bytes, ~std::size_t{0}), "");
  EXPECT_DEATH_IF_SUPPORTED((void)load_big_endian<std::uint16_t>(std::span<const std::byte>{}, 0), "");
  std::array<std::byte, 3> three{};
  EXPECT_DEATH_IF_SUPPORTED(store_big_endian(std::span<std::byte>(three), 0, std::uint32_t{1}), "");
}

}  // namespace
}  // namespace rtecho
