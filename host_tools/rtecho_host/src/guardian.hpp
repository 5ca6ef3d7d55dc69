// A small process that takes a campaign's link down when the campaign is killed so hard that it cannot do it itself
// (SIGKILL, out of memory). It does nothing else.
#pragma once

#include "platform/descriptor.hpp"
#include "rtecho_host/link_options.hpp"

namespace rtecho::host {

// Exists: the link is guarded. To be made before the link, while the process has one thread, and to be destroyed
// after the link was taken down.
class Guardian {
 public:
  // Throws ProgramFailure (machine_refused).
  explicit Guardian(const LinkOptions& options);
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  // Sends it away and waits for its end.
  ~Guardian();

 private:
  platform::Descriptor lifeline_;  // it sees the end of this pipe when we die
  int process_ = -1;
};

}  // namespace rtecho::host
