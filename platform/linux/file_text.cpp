#include "file_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "platform/descriptor.hpp"

namespace rtecho::platform {

std::optional<std::string> read_file_text(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return std::nullopt;
  }
  std::string text;
  std::array<char, 4096> piece{};
  ssize_t got = read(file.number(), piece.data(), piece.size());
  while (got > 0) {
    text.append(piece.data(), static_cast<std::size_t>(got));
    got = read(file.number(), piece.data(), piece.size());
  }
  if (got < 0) {
    return std::nullopt;
  }
  if (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

std::optional<std::int64_t> read_file_number(const std::string& path) {
  const std::optional<std::string> text = read_file_text(path);
  return text ? leading_number<std::int64_t>(*text) : std::nullopt;
}

std::optional<std::string_view> line_value(std::string_view text, std::string_view name) noexcept {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (!line.starts_with(name)) {
      continue;
    }
    line = trimmed(line.substr(name.size()));
    if (line.starts_with(':')) {
      return trimmed(line.substr(1));
    }
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view take_until(std::string_view& text, char separator) noexcept {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

}  // namespace rtecho::platform
