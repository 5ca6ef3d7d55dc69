// Makes, looks at and removes a local link. Ownership is written into each namespace, as the alias of its loopback
// interface: whatever does not carry it belongs to somebody else and is never touched. All of it needs
// CAP_NET_ADMIN and CAP_SYS_ADMIN, and must be called while the process has one thread (setns is per thread).
#pragma once

#include <string>
#include <vector>

#include "platform/stop_flag.hpp"
#include "rtecho_host/link_options.hpp"

namespace rtecho::host {

enum class LinkState {
  down,
  half,     // ours, but not whole: an `up` was killed, or somebody removed a part
  up,       // ours and whole
  foreign,  // a namespace of that name belongs to somebody else
};

struct LinkReport {
  LinkState state = LinkState::down;
  // What differs from the options, one sentence each; which namespace is foreign, which end is not whole.
  std::vector<std::string> remarks;
};

// All throw ProgramFailure (machine_refused) where the machine says no.

[[nodiscard]] LinkReport look_at_link(const LinkOptions& options);

// True when it made the link, false when a link as asked for was up. A half-made link is removed and made again. A
// step that fails, or a request to stop (ProgramFailure, interrupted), undoes the earlier ones.
bool bring_link_up(const LinkOptions& options, const platform::StopFlag& stop);

// True when it removed something, false when there was nothing.
bool take_link_down(const LinkOptions& options);

}  // namespace rtecho::host
