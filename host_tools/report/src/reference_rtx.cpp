#include "report/reference_rtx.hpp"

#include <algorithm>
#include <array>

namespace rtecho::report {
namespace {

// Dashes of the source have no row: Windows tcp 1 and 1462, Windows udp 1462, RTX udp 40960.
constexpr std::array<PublishedResult, 46> results{{
    {"tcp", 1, "rtx", 10'000, 35, 54, 0, 0},          {"tcp", 16, "rtx", 10'000, 36, 55, 0, 0},
    {"tcp", 16, "windows", 10'000, 55, 199, 0, 0},    {"tcp", 32, "rtx", 10'000, 37, 54, 0, 0},
    {"tcp", 32, "windows", 10'000, 58, 196, 0, 0},    {"tcp", 64, "rtx", 10'000, 39, 51, 0, 0},
    {"tcp", 64, "windows", 10'000, 58, 3400, 0, 0},   {"tcp", 128, "rtx", 10'000, 42, 59, 0, 0},
    {"tcp", 128, "windows", 10'000, 55, 166, 0, 0},   {"tcp", 256, "rtx", 10'000, 50, 71, 0, 0},
    {"tcp", 256, "windows", 10'000, 79, 653, 0, 0},   {"tcp", 512, "rtx", 10'000, 64, 92, 0, 0},
    {"tcp", 512, "windows", 10'000, 122, 495, 0, 0},  {"tcp", 1024, "rtx", 10'000, 92, 111, 0, 0},
    {"tcp", 1024, "windows", 10'000, 212, 716, 0, 0}, {"tcp", 1462, "rtx", 10'000, 117, 633, 0, 0},
    {"tcp", 2048, "rtx", 10'000, 124, 632, 0, 0},     {"tcp", 2048, "windows", 10'000, 165, 709, 0, 0},
    {"tcp", 4096, "rtx", 10'000, 188, 695, 0, 0},     {"tcp", 4096, "windows", 10'000, 232, 565, 0, 0},
    {"tcp", 8192, "rtx", 10'000, 289, 1083, 0, 0},    {"tcp", 8192, "windows", 10'000, 348, 946, 0, 0},
    {"tcp", 65'535, "rtx", 10'000, 1643, 2707, 0, 0}, {"tcp", 65'535, "windows", 10'000, 2244, 2591, 0, 0},
    {"udp", 1, "rtx", 10'000, 32, 48, 0, 0},          {"udp", 1, "windows", 10'000, 56, 128, 0, 0},
    {"udp", 16, "rtx", 10'000, 32, 50, 0, 0},         {"udp", 16, "windows", 10'000, 53, 958, 0, 0},
    {"udp", 64, "rtx", 10'000, 35, 52, 0, 0},         {"udp", 64, "windows", 10'000, 54, 575, 0, 0},
    {"udp", 128, "rtx", 10'000, 38, 55, 0, 0},        {"udp", 128, "windows", 10'000, 56, 637, 0, 0},
    {"udp", 256, "rtx", 10'000, 46, 66, 0, 0},        {"udp", 256, "windows", 10'000, 77, 326, 0, 0},
    {"udp", 512, "rtx", 10'000, 60, 78, 0, 0},        {"udp", 512, "windows", 10'000, 93, 535, 0, 0},
    {"udp", 1024, "rtx", 10'000, 88, 105, 0, 0},      {"udp", 1024, "windows", 10'000, 119, 742, 0, 0},
    {"udp", 1462, "rtx", 10'000, 111, 124, 0, 0},     {"udp", 2048, "rtx", 10'000, 126, 149, 0, 0},
    {"udp", 2048, "windows", 10'000, 176, 960, 0, 0}, {"udp", 4096, "rtx", 10'000, 186, 213, 0, 0},
    {"udp", 4096, "windows", 10'000, 243, 946, 0, 0}, {"udp", 8192, "rtx", 10'000, 313, 357, 0, 0},
    {"udp", 8192, "windows", 10'000, 408, 759, 0, 0}, {"udp", 40'960, "windows", 10'000, 1407, 159'874, 0, 0},
}};

}  // namespace

std::span<const PublishedResult> published_results() {
  return results;
}

const PublishedResult* published_result(std::string_view protocol, std::uint64_t message_bytes,
                                        std::string_view system) {
  const auto* const found = std::find_if(results.begin(), results.end(), [&](const PublishedResult& result) {
    return result.protocol == protocol && result.message_bytes == message_bytes && result.system == system;
  });
  return found == results.end() ? nullptr : found;
}

std::optional<double> published_max_ratio(std::string_view protocol, std::uint64_t message_bytes) {
  const PublishedResult* rtx = published_result(protocol, message_bytes, "rtx");
  const PublishedResult* windows = published_result(protocol, message_bytes, "windows");
  if (rtx == nullptr || windows == nullptr) {
    return std::nullopt;
  }
  return static_cast<double>(windows->max_us) / static_cast<double>(rtx->max_us);
}

}  // namespace rtecho::report
