#include "rt_core/internet_checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "wire_samples.hpp"

namespace rtecho {
namespace {

using test::AnyBytes;
using test::Bytes;
using test::from_hex;
using test::plain_checksum;
using test::plain_sum;
using test::put_word;

std::uint16_t sum_of(std::span<const std::byte> bytes) {
  InternetSum sum;
  sum.add(bytes);
  return sum.folded();
}

TEST(InternetSum, IsThatOfTheStandardsExample) {
  const Bytes example = from_hex("0001 f203 f4f5 f6f7");  // RFC 1071, 3
  InternetSum sum;
  sum.add(example);
  EXPECT_EQ(sum.folded(), 0xDDF2U);
  EXPECT_EQ(sum.checksum(), 0x220DU);
}

TEST(InternetSum, OfNothingIsZero) {
  EXPECT_EQ(InternetSum{}.folded(), 0U);
  EXPECT_EQ(InternetSum{}.checksum(), 0xFFFFU);
  EXPECT_FALSE(InternetSum{}.is_right()) << "zeros are no checksum of zeros";
}

TEST(InternetSum, CountsAMissingLastByteAsZero) {
  EXPECT_EQ(sum_of(from_hex("ab")), 0xAB00U);
  EXPECT_EQ(sum_of(from_hex("0102 03")), 0x0402U);
}

TEST(InternetSum, AgreesWithThePlainOneAtEveryLengthAndAlignment) {
  AnyBytes any(1);
  const Bytes bytes = any.bytes(700);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t length = 0; begin + length <= bytes.size(); ++length) {
      const auto part = std::span(bytes).subspan(begin, length);
      ASSERT_EQ(sum_of(part), plain_sum(part)) << begin << " + " << length;
    }
  }
}

TEST(InternetSum, CarriesRoundHoweverOften) {
  for (const std::size_t length : {2U, 3U, 8U, 9U, 16U, 1'500U, 65'535U}) {
    const Bytes ones(length, std::byte{0xFF});
    ASSERT_EQ(sum_of(ones), plain_sum(ones)) << length;
    const Bytes halves(length, std::byte{0x80});
    ASSERT_EQ(sum_of(halves), plain_sum(halves)) << length;
  }
}

TEST(InternetSum, OfPiecesIsThatOfTheWhole) {
  AnyBytes any(2);
  const Bytes bytes = any.bytes(41);
  for (std::size_t cut = 0; cut <= bytes.size(); cut += 2) {
    InternetSum sum;
    sum.add(std::span(bytes).first(cut));
    sum.add(std::span(bytes).subspan(cut));
    ASSERT_EQ(sum.folded(), plain_sum(bytes)) << cut;
    InternetSum first;
    first.add(std::span(bytes).first(cut));
    InternetSum rest;
    rest.add(std::span(bytes).subspan(cut));
    rest.add(first);
    ASSERT_EQ(rest.folded(), plain_sum(bytes)) << cut;
  }
}

TEST(InternetSum, TakesValuesAsTheirBytes) {
  InternetSum values;
  values.add_word(0x0102);
  values.add_words(0xA0B0'C0D0);
  values.add_word(0xFFFF);
  EXPECT_EQ(values.folded(), sum_of(from_hex("0102 a0b0 c0d0 ffff")));
  EXPECT_EQ(values.folded(), 0x6283U);
}

TEST(InternetSum, IsRightWhereTheChecksumIsAmongTheBytes) {
  AnyBytes any(3);
  for (std::size_t length = 2; length < 100; ++length) {
    Bytes bytes = any.bytes(length);
    put_word(bytes, 0, 0);
    put_word(bytes, 0, plain_checksum(bytes));
    InternetSum sum;
    sum.add(bytes);
    ASSERT_TRUE(sum.is_right());
    for (std::size_t bit = 0; bit < length * 8; ++bit) {
      Bytes altered = bytes;
      altered[bit / 8] ^= std::byte{1} << (bit % 8);
      InternetSum of_altered;
      of_altered.add(altered);
      ASSERT_FALSE(of_altered.is_right()) << length << " bytes, bit " << bit;
    }
  }
}

// Recomputed and adjusted may differ in the spelling of zero only, and that only where nothing but zeros is covered.
TEST(AdjustedChecksum, IsWhatIsComputedAnew) {
  AnyBytes any(4);
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = any.bytes(12);
    if (i % 3 == 0) {  // sums around the corner
      std::fill(bytes.begin() + 4, bytes.end(), std::byte{0});
    }
    const auto old_word = static_cast<std::uint16_t>(i % 5 == 0 ? 0xFFFF * (any.next() & 1U) : any.next());
    const auto new_word = static_cast<std::uint16_t>(i % 7 == 0 ? 0xFFFF * (any.next() & 1U) : any.next());
    put_word(bytes, 2, old_word);
    const std::uint16_t before = plain_checksum(bytes);
    put_word(bytes, 2, new_word);
    const bool is_all_zero = std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
    if (!is_all_zero) {
      ASSERT_EQ(adjusted_checksum(before, old_word, new_word), plain_checksum(bytes)) << i;
    }
  }
}

TEST(AdjustedChecksum, ReachesZeroAsTheStandardsExampleDoes) {
  static_assert(adjusted_checksum(0xDD2F, 0x5555, 0x3285) == 0x0000);  // RFC 1624, 4
  EXPECT_EQ(adjusted_checksum(0x0000, 0x3285, 0x5555), 0xDD2FU);
  EXPECT_EQ(adjusted_checksum(0x1234, 0x4321, 0x4321), 0x1234U) << "nothing has changed";
}

TEST(AdjustedChecksum, OfZerosAloneIsSpelledDifferently) {
  const Bytes zeros(8);
  EXPECT_EQ(plain_checksum(zeros), 0xFFFFU);
  EXPECT_EQ(adjusted_checksum(0xF7FF, 0x0800, 0x0000), 0x0000U);
}

}  // namespace
}  // namespace rtecho
