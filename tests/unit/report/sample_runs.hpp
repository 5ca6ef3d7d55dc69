// Run files as a run would leave them, made from a list of latencies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/run_file.hpp"
#include "report/series_key.hpp"

namespace rtecho::report::sample {

// `count` latencies of `usual_us`, and one of `max_us` as message number `count`.
std::vector<std::int64_t> latencies_us(std::uint64_t count, std::int64_t usual_us, std::int64_t max_us);

// A sound ping-pong series over sockets: spins on both ends, nothing lost, all counters of the windows 0.
SeriesRecord series(const std::string& protocol, std::uint64_t message_bytes, const std::vector<std::int64_t>& us);

// A sound and complete run; `minute` orders runs in time.
NamedRun run(const std::string& build, int minute, std::vector<SeriesRecord> all_series);

// A run of one udp series of 64 bytes: 10,000 messages of 20 µs, the last one of `max_us`.
NamedRun udp_run(const std::string& build, int minute, std::int64_t max_us);

}  // namespace rtecho::report::sample
