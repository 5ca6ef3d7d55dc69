#include "control_line.hpp"

#include <cstddef>

#include "rt_core/limits.hpp"

namespace rtecho::pair {

namespace {

// Deepest nesting of brackets outside strings. Counted on the text, because a parser that builds values has already
// spent what the limit should save.
std::size_t depth_of(std::string_view line) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = ++depth > deepest ? depth : deepest;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

std::optional<nlohmann::json> parse_control_line(std::string_view line) {
  if (depth_of(line) > limits::control_depth) {
    return std::nullopt;
  }
  nlohmann::json message = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!message.is_object()) {
    return std::nullopt;
  }
  const auto type = message.find("type");
  if (type == message.end() || !type->is_string()) {
    return std::nullopt;
  }
  return message;
}

std::string control_line(const nlohmann::json& message) {
  // Host facts may hold bytes that are no UTF-8; a replacement character is better than no line.
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace rtecho::pair
