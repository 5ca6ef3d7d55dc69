// Traced frames as a file that tcpdump and Wireshark read: pcap with nanoseconds, link type Ethernet.
#pragma once

#include <span>
#include <string>

#include "drivers/trace_port.hpp"
#include "rt_core/result.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

// Writes a temporary file beside `path` and renames it, so that `path` is either the old content or all of the new. A
// link is followed. What exists and is no regular file (a pipe, /dev/null) is written directly: a rename would replace
// it. A full disk is noticed, and the temporary file removed.
//
// A frame is dated stamp + `wall_clock_offset`: the wall clock less the monotonic one, read together once. It must
// bring every stamp behind 1970, else `invalid`. Other errors are those of creating and writing a file, with the
// system's code.
[[nodiscard]] Result<void> write_capture_file(const std::string& path, std::span<const TraceRecord> records,
                                              Duration wall_clock_offset);

}  // namespace rtecho::drivers
