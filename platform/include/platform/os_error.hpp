// From the system's error numbers to the project's one-word vocabulary, in one place.
#pragma once

#include <string>

#include "rt_core/result.hpp"

namespace rtecho::platform {

// `context` must have static storage. Which number a call left in errno and which it returned is the caller's
// business: pthread functions return theirs.
[[nodiscard]] Error os_error(int os_code, const char* context) noexcept;

// "EPERM: Operation not permitted".
[[nodiscard]] std::string os_error_text(int os_code);

}  // namespace rtecho::platform
