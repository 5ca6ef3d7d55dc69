// The published measurement that rtecho is set beside: UDP and TCP echo times of RTX, a real-time extension of
// Windows, and of plain Windows XP, over two 82545GM gigabit cards joined point to point. 10,000 messages per
// result. The source does not say that the times are full round trips; its procedure suggests it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rtecho::report {

struct PublishedResult {
  std::string_view protocol;  // "tcp" or "udp"
  std::uint32_t message_bytes;
  std::string_view system;  // "rtx" or "windows"
  std::uint32_t messages;
  std::uint32_t min_us;
  std::uint32_t max_us;
  std::uint32_t errors;
  std::uint32_t lost;
};

[[nodiscard]] std::span<const PublishedResult> published_results();

// Null where the source has no such result: its cell holds a dash, or it did not measure that size.
[[nodiscard]] const PublishedResult* published_result(std::string_view protocol, std::uint64_t message_bytes,
                                                      std::string_view system);

// Windows maximum / RTX maximum. Absent where either result is.
[[nodiscard]] std::optional<double> published_max_ratio(std::string_view protocol, std::uint64_t message_bytes);

}  // namespace rtecho::report
