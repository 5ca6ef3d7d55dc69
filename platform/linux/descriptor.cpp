#include "platform/descriptor.hpp"

#include <unistd.h>

namespace rtecho::platform {

void Descriptor::close() noexcept {
  if (number_ >= 0) {
    // Linux frees the number whatever close() returns, and nothing that is only read or held has an error to tell.
    ::close(std::exchange(number_, -1));
  }
}

}  // namespace rtecho::platform
