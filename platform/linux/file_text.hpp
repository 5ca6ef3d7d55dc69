// Reading the small text files of /proc and /sys before a run, for the sources of this folder.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rtecho::platform {

// The whole file without its last newline; absent where it cannot be read.
[[nodiscard]] std::optional<std::string> read_file_text(const std::string& path);

// A file that holds one number.
[[nodiscard]] std::optional<std::int64_t> read_file_number(const std::string& path);

// The text behind "name:" or "name :" at the start of a line, without surrounding blanks.
[[nodiscard]] std::optional<std::string_view> line_value(std::string_view text, std::string_view name) noexcept;

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

// Takes the text up to the separator off the front of `text`, and the separator with it.
[[nodiscard]] std::string_view take_until(std::string_view& text, char separator) noexcept;

// The number at the start of the text; what follows it (a unit) is not looked at.
template <typename Number>
[[nodiscard]] std::optional<Number> leading_number(std::string_view text) noexcept {
  Number number{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace rtecho::platform
