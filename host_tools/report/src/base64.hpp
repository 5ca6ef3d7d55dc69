// Base64 with padding (RFC 4648, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtecho::report {

[[nodiscard]] std::string base64_encode(std::span<const std::uint8_t> bytes);

// Absent for anything but the canonical form: no blanks, padding complete, unused bits zero.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> base64_decode(std::string_view text);

}  // namespace rtecho::report
