// Files of unknown origin: a run file, or the text of a histogram in one, by the first byte. What was read is read
// again from what is written of it, as the same; a histogram has no more buckets than the layout.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_input.hpp"
#include "report/histogram_codec.hpp"
#include "report/run_file.hpp"
#include "rt_core/histogram.hpp"

namespace {

using rtecho::fuzz::require;

void run_file(std::string_view text) {
  const auto run = rtecho::report::run_file_from_text(text, "fuzz");
  if (!run) {
    require(!run.failure().sentence.empty());
    return;
  }
  const auto again = rtecho::report::run_file_from_json(rtecho::report::to_json(run.value()), "fuzz");
  require(again.has_value() && again.value() == run.value());
}

void histogram(std::string_view text) {
  const auto counts = rtecho::report::decode_histogram(text);
  if (counts) {
    require(counts.value().size() <= rtecho::Histogram::bucket_count);
    require(counts.value().empty() || counts.value().back() != 0);
  } else {
    require(!counts.failure().sentence.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rtecho::fuzz::FuzzInput input(data, size);
  if (input.byte() == 'H') {
    histogram(input.text());
  } else {
    run_file(input.text());
  }
  return 0;
}
