#include "rtecho_host/exit_codes.hpp"

#include <algorithm>
#include <array>

namespace rtecho::host {
namespace {

// DESIGN's order of the others; a mistake of the user's comes before what followed from it.
constexpr std::array gravest_first{ExitCode::usage,       ExitCode::machine_refused,  ExitCode::peer_absent,
                                   ExitCode::interrupted, ExitCode::verdict_negative, ExitCode::not_reliable,
                                   ExitCode::clean};

}  // namespace

ExitCode graver(ExitCode first, ExitCode second) noexcept {
  return *std::find_if(gravest_first.begin(), gravest_first.end(),
                       [&](ExitCode code) { return code == first || code == second; });
}

ExitCode exit_code_of_child(int code) noexcept {
  const auto* const found = std::find_if(gravest_first.begin(), gravest_first.end(),
                                         [&](ExitCode known) { return static_cast<int>(known) == code; });
  return found == gravest_first.end() ? ExitCode::peer_absent : *found;
}

}  // namespace rtecho::host
