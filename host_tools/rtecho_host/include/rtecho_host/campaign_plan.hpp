// The runs of a campaign in their order, and how long each may take.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "rtecho_host/campaign_file.hpp"

namespace rtecho::host {

// One start of server and client: one variant, one protocol, all sizes.
struct PlannedRun {
  std::size_t variant = 0;  // index into Campaign::variants
  Protocol protocol = Protocol::udp;
  std::uint32_t repetition = 1;
  std::string name;  // VARIANT-PROTOCOL-REPETITION, unique in the campaign
};

// Interleaved: the variants take turns within a protocol (A B A B …), so that what the machine does in the
// meantime strikes all of them, and `compare` finds neighbours to pair.
[[nodiscard]] std::vector<PlannedRun> plan_runs(const Campaign& campaign);

// After which time a client is considered stuck. Generous: it must never strike a run that is merely slow.
[[nodiscard]] std::chrono::seconds run_limit(const Campaign& campaign);

}  // namespace rtecho::host
