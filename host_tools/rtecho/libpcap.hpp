// What the pair does with libpcap. A build without it has libpcap_absent.cpp in place of libpcap_present.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "drivers/trace_port.hpp"
#include "frame_ports.hpp"

namespace rtecho::pair::libpcap {

[[nodiscard]] bool is_present();

// The rest only where it is present.
[[nodiscard]] const FrameDriver& frame_driver();
// The sentence of what went wrong.
[[nodiscard]] std::optional<std::string> write_capture(const std::string& path,
                                                       std::span<const drivers::TraceRecord> records);
// One line per interface: name, flags, station, addresses, description. Throws ProgramFailure.
[[nodiscard]] std::string interface_list();

}  // namespace rtecho::pair::libpcap
