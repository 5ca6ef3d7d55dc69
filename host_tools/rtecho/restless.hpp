// Real-time threads that spin without rests (--batch 0). One on every core would leave the machine to nobody: no
// shell could stop it. They carry a name of their own, so that the next one can see them.
#pragma once

#include <optional>
#include <string>

#include "options.hpp"

namespace rtecho::pair {

// The name of a measuring thread, at most 15 characters.
[[nodiscard]] const char* loop_name(const ThreadOptions& options, bool rests);

// Why such a thread must not be started now; absent where it may.
[[nodiscard]] std::optional<std::string> freeze_risk(const ThreadOptions& options, bool rests);

}  // namespace rtecho::pair
