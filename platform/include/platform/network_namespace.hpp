// Entering a network namespace made by `ip netns add`.
#pragma once

#include <string>

#include "rt_core/result.hpp"

namespace rtecho::platform {

// Moves the calling thread into the namespace. Threads started later inherit it, earlier ones would stay behind:
// calling it while a second thread exists is a bug and is asserted. /sys still shows the interfaces of the
// namespace that it was mounted in; ask sockets instead.
// Errors: `invalid` name, `not_found`, `denied` (needs CAP_SYS_ADMIN), `unexpected` when the file is no network
// namespace.
Result<void> enter_network_namespace(const std::string& name) noexcept;

}  // namespace rtecho::platform
