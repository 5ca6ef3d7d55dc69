#include "report/histogram_codec.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>

#include "base64.hpp"

namespace rtecho::report {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The counts as hdr-histogram-js 3.0.1 wrote them: 1, three of 2, 2047, two of 2048, 2050, 100,000 of 50,000, and
// one of 100 s. (Its header says offset 1 and an integer ratio where the Java library has 0 and 1.0.)
const Bytes counts_of_hdr_histogram_js = {0x00, 0x02, 0x06, 0xf7, 0x1f, 0x02, 0x04, 0x02, 0xaf,
                                          0x48, 0xc0, 0x9a, 0x0c, 0xed, 0xce, 0x02, 0x02};

// The header of the payload, byte by byte from the specification, without the length.
Bytes payload_with(const Bytes& counts) {
  Bytes bytes = {0x1c, 0x84, 0x93, 0x13,  // cookie
                 0,    0,    0,    static_cast<std::uint8_t>(counts.size()),
                 0,    0,    0,    0,  // normalizing index offset
                 0,    0,    0,    3,  // significant digits
                 0,    0,    0,    0,
                 0,    0,    0,    1,  // lowest
                 0,    0,    0,    0x17,
                 0x48, 0x76, 0xe8, 0x00,  // highest: 100,000,000,000
                 0x3f, 0xf0, 0,    0,
                 0,    0,    0,    0};  // ratio 1.0
  std::copy(counts.begin(), counts.end(), std::back_inserter(bytes));
  return bytes;
}

Bytes inflate_text(const std::string& text) {
  const Bytes outer = base64_decode(text).value();
  Bytes payload(1'000'000);
  uLongf size = payload.size();
  EXPECT_EQ(uncompress(payload.data(), &size, outer.data() + 8, outer.size() - 8), Z_OK);
  payload.resize(size);
  return payload;
}

std::string deflate_payload(const Bytes& payload) {
  Bytes compressed(compressBound(payload.size()));
  uLongf size = compressed.size();
  EXPECT_EQ(compress(compressed.data(), &size, payload.data(), payload.size()), Z_OK);
  Bytes outer = {0x1c, 0x84, 0x93, 0x14, 0, 0, static_cast<std::uint8_t>(size >> 8U), static_cast<std::uint8_t>(size)};
  outer.insert(outer.end(), compressed.data(), compressed.data() + size);
  return base64_encode(outer);
}

std::vector<std::uint64_t> bucket_counts(const Histogram& histogram) {
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
    counts.push_back(histogram.count_at(i));
  }
  while (!counts.empty() && counts.back() == 0) {
    counts.pop_back();
  }
  return counts;
}

void record(Histogram& histogram, std::int64_t ns, unsigned times) {
  for (unsigned i = 0; i < times; ++i) {
    histogram.record(Duration::from_ns(ns), i);
  }
}

// The samples behind counts_of_hdr_histogram_js.
std::unique_ptr<Histogram> same_samples() {
  auto histogram = std::make_unique<Histogram>();
  record(*histogram, 1, 1);
  record(*histogram, 2, 3);
  record(*histogram, 2'047, 1);
  record(*histogram, 2'048, 2);
  record(*histogram, 2'050, 1);
  record(*histogram, 50'000, 100'000);
  record(*histogram, 100'000'000'000, 1);
  return histogram;
}

}  // namespace

TEST(HistogramCodec, WritesThePayloadOfTheSpecification) {
  const auto histogram = std::make_unique<Histogram>();
  record(*histogram, 1, 1);
  record(*histogram, 3, 64);
  record(*histogram, 7, 300);
  // 0: one empty bucket is 0; 1: count 1 is 2; 2: empty; 3: 64 is 128 = 80 01; 4 to 6: -3 is 5; 7: 300 is 600 = d8 04.
  EXPECT_EQ(inflate_text(encode_histogram(*histogram)), payload_with({0, 2, 0, 0x80, 0x01, 5, 0xd8, 0x04}));
}

TEST(HistogramCodec, WritesAnEmptyHistogramAsOneEmptyBucket) {
  EXPECT_EQ(inflate_text(encode_histogram(*std::make_unique<Histogram>())), payload_with({0}));
}

TEST(HistogramCodec, LeavesSaturatedAndNegativeOnesOut) {
  const auto histogram = std::make_unique<Histogram>();
  record(*histogram, 100'000'000'001, 5);
  record(*histogram, -1, 5);
  EXPECT_EQ(inflate_text(encode_histogram(*histogram)), payload_with({0}));
  EXPECT_TRUE(decode_histogram(encode_histogram(*histogram)).value().empty());
}

TEST(HistogramCodec, BeginsAsPlottersExpect) {
  EXPECT_TRUE(encode_histogram(*std::make_unique<Histogram>()).starts_with("HISTFA"));
}

TEST(HistogramCodec, AgreesWithAnotherImplementation) {
  const std::unique_ptr<Histogram> histogram = same_samples();
  EXPECT_EQ(inflate_text(encode_histogram(*histogram)), payload_with(counts_of_hdr_histogram_js));
  const auto counts = decode_histogram(deflate_payload(payload_with(counts_of_hdr_histogram_js)));
  ASSERT_TRUE(counts) << counts.failure().sentence;
  EXPECT_EQ(counts.value(), bucket_counts(*histogram));
}

TEST(HistogramCodec, ReadsItsOwnTextOfRandomHistograms) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 50; ++round) {
    const auto histogram = std::make_unique<Histogram>();
    const std::uint64_t samples = random() % 2'000;
    for (std::uint64_t i = 0; i < samples; ++i) {
      histogram->record(Duration::from_ns(static_cast<std::int64_t>(random() >> (27 + random() % 37))), i);
    }
    const auto counts = decode_histogram(encode_histogram(*histogram));
    ASSERT_TRUE(counts) << counts.failure().sentence;
    EXPECT_EQ(counts.value(), bucket_counts(*histogram));
  }
}

TEST(HistogramCodec, ReadsCountsOfUpToNineBytes) {
  // ZigZag of 2^62 is 2^63: nine bytes, of which the last carries eight bits.
  const auto counts =
      decode_histogram(deflate_payload(payload_with({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80})));
  ASSERT_TRUE(counts) << counts.failure().sentence;
  EXPECT_EQ(counts.value(), std::vector<std::uint64_t>{std::uint64_t{1} << 62U});
}

TEST(HistogramCodec, RefusesEveryTruncation) {
  const std::string text = encode_histogram(*same_samples());
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(decode_histogram(text.substr(0, length))) << length;
  }
}

TEST(HistogramCodec, SurvivesEveryFlippedBit) {
  const std::string text = encode_histogram(*same_samples());
  const Bytes bytes = base64_decode(text).value();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    // The checksum of zlib catches a flip of the content; three bits of zlib's own header mean nothing to a reader.
    const auto counts = decode_histogram(base64_encode(flipped));
    EXPECT_TRUE(!counts || counts.value() == decode_histogram(text).value()) << bit;
  }
}

TEST(HistogramCodec, RefusesHostileCounts) {
  const Bytes too_many_zeros = {0xff, 0xff, 0xff, 0x7f};
  const Bytes lowest_number = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  const Bytes overlong = {0x82, 0x00};
  const Bytes overlong_ninth = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
  const Bytes cut_off = {0x80};
  Bytes sum_overflows;
  for (int i = 0; i < 2; ++i) {
    sum_overflows.insert(sum_overflows.end(), {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80});
  }
  for (const Bytes& counts : {too_many_zeros, lowest_number, overlong, overlong_ninth, cut_off, sum_overflows}) {
    EXPECT_FALSE(decode_histogram(deflate_payload(payload_with(counts))));
  }
}

TEST(HistogramCodec, TakesAsManyBucketsAsThereAreAndNoMore) {
  // -28,672 is ZigZag 57,343; then one more bucket does not fit.
  EXPECT_TRUE(decode_histogram(deflate_payload(payload_with({0xff, 0xbf, 0x03}))));
  EXPECT_FALSE(decode_histogram(deflate_payload(payload_with({0xff, 0xbf, 0x03, 0x02}))));
}

TEST(HistogramCodec, RefusesAnotherLayout) {
  for (const std::size_t at : {0U, 7U, 11U, 15U, 23U, 31U, 33U}) {
    Bytes payload = payload_with({0, 2});
    payload[at] ^= 1U;
    EXPECT_FALSE(decode_histogram(deflate_payload(payload))) << at;
  }
  EXPECT_FALSE(decode_histogram(deflate_payload({0x1c, 0x84, 0x93, 0x13})));
}

TEST(HistogramCodec, IsNotBlownUpByASmallText) {
  const std::string bomb = deflate_payload(Bytes(10'000'000, 0));
  ASSERT_LT(bomb.size(), 20'000U);
  EXPECT_FALSE(decode_histogram(bomb));
  EXPECT_FALSE(decode_histogram(std::string(10'000'000, 'A')));
}

TEST(HistogramCodec, RefusesBytesBehindTheStream) {
  Bytes bytes = base64_decode(encode_histogram(*same_samples())).value();
  bytes.push_back(0);
  bytes[7] = static_cast<std::uint8_t>(bytes[7] + 1);
  EXPECT_FALSE(decode_histogram(base64_encode(bytes)));
}

}  // namespace rtecho::report
