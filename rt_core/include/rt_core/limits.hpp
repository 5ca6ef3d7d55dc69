// All limits of rtecho in one place, with the relations between them asserted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtecho::limits {

// GCC's and clang's std::hardware_destructive_interference_size differ or are missing; x86-64 and aarch64
// servers have lines of 64 bytes.
inline constexpr std::size_t cache_line_bytes = 64;

// --- messages -------------------------------------------------------------------------------------------------
inline constexpr std::size_t message_bytes_max_udp_ipv4 = 65'507;  // 65,535 - 20 (IPv4) - 8 (UDP)
inline constexpr std::size_t message_bytes_max_tcp = 65'535;       // the largest published size
inline constexpr std::size_t message_bytes_max_eth = 65'533;       // the largest MTU, 65,535, less its length field
inline constexpr std::size_t message_bytes_max = 65'535;
// One byte more than the largest message, so that an oversize datagram shows itself as such.
inline constexpr std::size_t message_buffer_bytes = 65'536;

// --- a run ----------------------------------------------------------------------------------------------------
inline constexpr std::size_t outstanding_ring = 65'536;  // per-message state of a client
inline constexpr std::size_t window_max = outstanding_ring / 2;
inline constexpr std::size_t slowest_kept = 16;
inline constexpr std::size_t gaps_kept = 32;
inline constexpr std::size_t batch_records = 4'096;    // older ones are merged in pairs when the table is full
inline constexpr std::size_t event_log_capacity = 64;  // events of one step, drained after it
inline constexpr std::size_t channel_capacity = 65'536;
inline constexpr std::size_t receive_batch = 16;  // most messages of one look at a port

// --- histogram ------------------------------------------------------------------------------------------------
inline constexpr std::int64_t histogram_highest_ns = 100'000'000'000;  // 100 s

// --- control --------------------------------------------------------------------------------------------------
inline constexpr std::size_t control_connections = 4;
inline constexpr std::size_t control_line_bytes = 8 * 1024;
inline constexpr std::size_t control_depth = 8;

static_assert(message_bytes_max_udp_ipv4 <= message_bytes_max && message_bytes_max_tcp <= message_bytes_max);
static_assert(message_buffer_bytes > message_bytes_max);
static_assert((outstanding_ring & (outstanding_ring - 1)) == 0, "indexed by a mask");
static_assert(window_max < outstanding_ring, "a late reply must still find its message");

}  // namespace rtecho::limits
