// Whether somebody watches.
#pragma once

namespace rtecho::platform {

[[nodiscard]] bool standard_error_is_terminal() noexcept;

}  // namespace rtecho::platform
