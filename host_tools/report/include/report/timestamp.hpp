// RFC 3339 times, as the run file writes them. Files are ordered by them, and text does not order: a fraction of
// a second or another offset would put a run in the wrong place of an interleaved series.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rtecho::report {

// Nanoseconds since 1970-01-01T00:00:00Z. Absent where the text is no RFC 3339 time, or lies outside the years
// 1970 to 2261, which 64 bits of nanoseconds hold. A leap second counts as the second after it.
[[nodiscard]] std::optional<std::int64_t> unix_ns_from_rfc3339(std::string_view text);

}  // namespace rtecho::report
