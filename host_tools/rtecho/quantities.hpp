// Quantities as a user writes them: lengths of time, lists of message sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "link_options.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/time.hpp"

namespace rtecho::pair {

// "250us", "500ms", "60s", "5m", "1h"; a bare number is seconds. Decimals are allowed. Absent for anything else, for
// 0, and for more than a year.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

// "64", "64,1024" in the order given; "rtx": the published sizes of the protocol (eth: udp's). Absent for an empty or
// malformed list, a size of 0, or one above 65,535; whether the protocol carries it is the plan's question.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> parse_sizes(std::string_view text, Protocol protocol);

// 16 hexadecimal digits: sessions and nonces in control lines, whose JSON numbers other readers round.
[[nodiscard]] std::string hex_text(std::uint64_t value);
[[nodiscard]] std::optional<std::uint64_t> parse_hex(std::string_view text);

[[nodiscard]] std::optional<Protocol> parse_protocol(std::string_view text);
[[nodiscard]] std::optional<Driver> parse_driver(std::string_view text);
// "5", "5:3": id 1 to 4094, priority 0 to 7.
[[nodiscard]] std::optional<VlanTag> parse_vlan(std::string_view text);
// Not this host, nobody, a group, or everybody.
[[nodiscard]] bool is_host_address(std::uint32_t ipv4);
[[nodiscard]] const char* name_of(WaitMode mode);
[[nodiscard]] std::optional<WaitMode> parse_wait(std::string_view text);

}  // namespace rtecho::pair
