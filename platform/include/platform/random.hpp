// Numbers that nobody can guess, for session ids and nonces.
#pragma once

#include <cstdint>

namespace rtecho::platform {

// From the system's random source. Blocks only in the first moments after boot, until that source is seeded.
[[nodiscard]] std::uint64_t random_u64() noexcept;

}  // namespace rtecho::platform
