#include "rtecho_host/campaign_plan.hpp"

#include <fmt/format.h>

namespace rtecho::host {
namespace {

constexpr std::size_t published_sizes_max = 13;  // tcp has one more than udp
constexpr std::chrono::seconds start_and_end{60};
// Set-up, warm-up and drain of one size.
constexpr std::chrono::seconds per_size{30};
// Of a message with its share of the rests. Under load the mean of the normal build stays below 1 ms; a client whose
// replies fail to come gives up by itself after 3 s.
constexpr std::chrono::milliseconds per_message{10};

}  // namespace

std::vector<PlannedRun> plan_runs(const Campaign& campaign) {
  std::vector<PlannedRun> runs;
  for (std::uint32_t repetition = 1; repetition <= campaign.repetitions; ++repetition) {
    for (const Protocol protocol : campaign.protocols) {
      for (std::size_t variant = 0; variant < campaign.variants.size(); ++variant) {
        runs.push_back({variant, protocol, repetition,
                        fmt::format("{}-{}-{}", campaign.variants[variant].name, name_of(protocol), repetition)});
      }
    }
  }
  return runs;
}

std::chrono::seconds run_limit(const Campaign& campaign) {
  if (campaign.run_limit) {
    return *campaign.run_limit;
  }
  const std::size_t sizes = campaign.sizes.empty() ? published_sizes_max : campaign.sizes.size();
  const auto messages =
      std::chrono::ceil<std::chrono::seconds>(per_message * static_cast<std::int64_t>(campaign.count));
  return start_and_end + static_cast<std::int64_t>(sizes) * (per_size + messages);
}

}  // namespace rtecho::host
