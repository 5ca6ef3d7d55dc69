// A line of the control channel, and every message that it could be. A line that was accepted says the same after it
// was written and read again, and so does each message.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "control_line.hpp"
#include "control_messages.hpp"
#include "fuzz_input.hpp"

namespace {

using nlohmann::json;
using rtecho::fuzz::require;

std::optional<json> read_again(const json& message) {
  std::string line = rtecho::pair::control_line(message);
  require(!line.empty() && line.find('\n') == line.size() - 1);
  line.pop_back();
  return rtecho::pair::parse_control_line(line);
}

template <typename Read>
void round_trip(const json& message, Read read) {
  const auto value = read(message);
  if (!value) {
    return;
  }
  const json written = rtecho::pair::to_json(*value);
  const auto line = read_again(written);
  require(line.has_value());
  const auto again = read(*line);
  require(again.has_value() && rtecho::pair::to_json(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto message = rtecho::pair::parse_control_line(rtecho::fuzz::FuzzInput(data, size).text());
  if (!message) {
    return 0;
  }
  require(message->is_object());
  require(read_again(*message) == message);
  round_trip(*message, rtecho::pair::read_hello);
  round_trip(*message, rtecho::pair::read_arm);
  round_trip(*message, rtecho::pair::read_connect);
  round_trip(*message, rtecho::pair::read_armed);
  round_trip(*message, rtecho::pair::read_report);
  (void)rtecho::pair::read_nonce(*message);
  return 0;
}
