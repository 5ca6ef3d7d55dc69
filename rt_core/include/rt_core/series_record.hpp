// What one client observed in one series: plain numbers in fixed memory, the same for every target. Ordinary code
// turns it into a run file.
#pragma once

#include <cstdint>

#include "rt_core/accounting.hpp"
#include "rt_core/batch_table.hpp"
#include "rt_core/histogram.hpp"
#include "rt_core/largest_keeper.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

// A message with all its stamps. The server's two are on the server's clock, and 0 where the form carries none.
struct SlowMessage {
  Duration length;  // service time
  std::uint64_t sequence = 0;
  Instant intended{};  // 0 in a run without a schedule
  Instant send{};
  Instant server_receive{};
  Instant server_send{};
  Instant receive{};
};

enum class SeriesEnd : std::uint8_t {
  running,
  complete,
  interrupted,
  peer_lost,       // ten timeouts in a row, or 3 s without a valid reply
  desynchronised,  // a stream's cuts do not fall on messages any more
};

struct SeriesRecord {
  SeriesEnd end = SeriesEnd::running;
  ClientAccounting accounting;
  Duration elapsed;  // first attempt to the end of the series, rests included
  std::uint64_t rests = 0;
  std::uint64_t drain_waits = 0;  // 1-byte messages: how often a timeout was waited out before the next message
  BatchTable batches;
  LargestKeeper<SlowMessage, limits::slowest_kept> slowest;
  Histogram service;
  Histogram response;    // scheduled runs only
  Histogram slip;        // scheduled runs only
  Histogram turnaround;  // runs without a schedule only
  Histogram residence;   // full form only
  Histogram resume;      // service times of the resume group
};

}  // namespace rtecho
