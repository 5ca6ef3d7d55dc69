// How many threads of this machine carry a name, whoever started them.
#pragma once

namespace rtecho::platform {

// As far as this process may look: threads of other process-id namespaces are not seen. Names have at most 15
// characters.
[[nodiscard]] int threads_named(const char* name);

// Cores that are online now.
[[nodiscard]] int online_cpu_count() noexcept;

}  // namespace rtecho::platform
