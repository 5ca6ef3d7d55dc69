// A bounds file: rules that bound something, or one sentence that names the file.
#include <cstddef>
#include <cstdint>

#include "fuzz_input.hpp"
#include "report/bounds.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bounds = rtecho::report::bounds_from_text(rtecho::fuzz::FuzzInput(data, size).text(), "fuzz.toml");
  if (bounds) {
    for (const rtecho::report::BoundRule& rule : bounds.value().rules) {
      rtecho::fuzz::require(!rule.limits.empty());
    }
  } else {
    rtecho::fuzz::require(bounds.failure().sentence.find("fuzz.toml") != std::string::npos);
  }
  return 0;
}
