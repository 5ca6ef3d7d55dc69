// A campaign file: a campaign, or a ProgramFailure that names the file; no other exception.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz_input.hpp"
#include "report/program_failure.hpp"
#include "rtecho_host/campaign_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(rtecho::fuzz::FuzzInput(data, size).text());
    const rtecho::host::Campaign campaign = rtecho::host::parse_campaign(text, "fuzz.toml");
    rtecho::fuzz::require(!campaign.variants.empty());
  } catch (const rtecho::report::ProgramFailure& failure) {
    rtecho::fuzz::require(std::string(failure.what()).find("fuzz.toml") == 0);
  }
  return 0;
}
