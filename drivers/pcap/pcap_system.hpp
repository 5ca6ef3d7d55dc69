// What libpcap and Npcap do not have in common: each operating system has a pcap_system.cpp.
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <optional>
#include <string>

#include "drivers/pcap_glance.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

enum class PcapSendFault : std::uint8_t { would_block, no_buffer, link_down, interface_gone, other };

// Before pcap_activate: a frame is handed over when it comes, not when a buffer is full or a timeout is over.
void deliver_at_once(pcap_t* handle) noexcept;

// After pcap_activate: what this end sends does not come back to its own capture and does not queue before the device.
// A saving only: pcap_setdirection keeps our own frames out, too, but after each was copied into the capture.
void send_directly(pcap_t* handle) noexcept;

// The ring that an activated capture reads, where the system tells; ordinary code.
[[nodiscard]] std::optional<PcapGlance::Ring> mapped_ring(pcap_t* handle);

// Blocks until a frame may have come, at most `longest`.
void wait_for_frame(pcap_t* handle, Duration longest) noexcept;

// pcap_inject says what went wrong in words only. Called before and after it.
void forget_send_fault() noexcept;
[[nodiscard]] PcapSendFault last_send_fault() noexcept;

// Whether the error that pcap_dispatch has just returned means that the interface no longer exists.
[[nodiscard]] bool interface_is_gone(pcap_t* handle) noexcept;

// Of an interface's address list: an IP address as text, or the MAC address; absent for any other kind.
[[nodiscard]] std::optional<std::string> ip_address_text(const sockaddr& address);
[[nodiscard]] std::optional<MacAddress> mac_address(const sockaddr& address) noexcept;

}  // namespace rtecho::drivers
