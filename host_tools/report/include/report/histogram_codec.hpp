// The HdrHistogram V2 compressed encoding in base64, which every HdrHistogram library and plotter reads.
// Knows the layout of rt_core's histogram and no other: 1 ns to 100 s, 3 significant digits.
//
// Source: the format of HdrHistogram (Java) 2.x. Big endian: cookie, length, then zlib of cookie, length,
// index offset, digits, lowest, highest, ratio, and the counts as ZigZag LEB128-64b9B, where a negative number
// is a run of empty buckets. The counts stop at the bucket of the maximum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/outcome.hpp"
#include "rt_core/histogram.hpp"

namespace rtecho::report {

// Saturated and negative samples have no bucket and are left out; the run file counts them beside it.
[[nodiscard]] std::string encode_histogram(const Histogram& histogram);

// Counts by bucket of rt_core's histogram, up to the last one that is not empty. The text may come from a peer
// or a file of unknown origin: memory is bounded by the layout, whatever the text says, and what is malformed,
// overlong or of another layout is refused.
[[nodiscard]] Outcome<std::vector<std::uint64_t>> decode_histogram(std::string_view text);

}  // namespace rtecho::report
