// What this program is called, and which version it is. The two builds are told apart at link time.
#pragma once

#include <string>

#include "platform/bootstrap.hpp"

namespace rtecho::pair {

inline const char* program_name() {
  return platform::build_is_realtime() ? "rtecho" : "rtecho-gpos";
}
inline const char* program_version() {
  return RTECHO_VERSION;
}
inline std::string compiler_text() {
  return RTECHO_COMPILER;
}

}  // namespace rtecho::pair
