#include "platform/random.hpp"

#include <sys/random.h>

#include <cerrno>

#include "rt_core/assert.hpp"

namespace rtecho::platform {

std::uint64_t random_u64() noexcept {
  std::uint64_t number = 0;
  // getrandom(2): requests of up to 256 bytes come whole; only the wait for the seed can be interrupted.
  ssize_t got = getrandom(&number, sizeof number, 0);
  while (got < 0 && errno == EINTR) {
    got = getrandom(&number, sizeof number, 0);
  }
  RTECHO_ASSERT(got == static_cast<ssize_t>(sizeof number));
  return number;
}

}  // namespace rtecho::platform
