// One line of the control channel: a JSON object on a line of its own, bounded in length and depth before anything
// is built from it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rtecho::pair {

// Without the newline. Absent where it is too deep, no JSON, no object, or has no text "type". Its length is limited
// by whoever reads it.
[[nodiscard]] std::optional<nlohmann::json> parse_control_line(std::string_view line);

// With the newline.
[[nodiscard]] std::string control_line(const nlohmann::json& message);

}  // namespace rtecho::pair
