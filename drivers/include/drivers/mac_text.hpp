// MAC addresses as people write them: six pairs of hexadecimal digits with colons between.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rt_core/ethernet.hpp"

namespace rtecho::drivers {

// "02:00:00:00:00:0a", in capitals too. Absent for everything else, also for the dashes and dots of other systems:
// one spelling in every command line and every report.
[[nodiscard]] std::optional<MacAddress> parse_mac(std::string_view text);

// What parse_mac() reads, in small letters.
[[nodiscard]] std::string mac_text(const MacAddress& address);

}  // namespace rtecho::drivers
