#include "platform/terminal.hpp"

#include <unistd.h>

namespace rtecho::platform {

bool standard_error_is_terminal() noexcept {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace rtecho::platform
