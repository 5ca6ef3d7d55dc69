// Reads one table of a TOML file strictly: each key by its type and range, and every key that nobody asked for is an
// error. Errors are ProgramFailure (usage), "FILE:LINE: sentence".
#pragma once

#include <toml++/toml.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtecho::host {

class StrictTable {
 public:
  // Both must outlive the reader. `title` is how messages call the table: "[link]", "the campaign".
  StrictTable(const toml::table& table, std::string title, const std::string& file);

  // Nothing where the key is absent; refuses where it has another type or lies outside its range.
  std::optional<std::string> text(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t lowest, std::int64_t highest);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::vector<std::string>> texts(std::string_view key);
  std::optional<std::vector<std::int64_t>> integers(std::string_view key, std::int64_t lowest, std::int64_t highest);
  // A value whose type the caller decides; null where it is absent.
  const toml::node* any(std::string_view key);

  // The value, or a refusal that names the missing key.
  template <typename Value>
  Value required(std::string_view key, std::optional<Value> value) const {
    if (!value) {
      refuse(fallback_line(), missing(key));
    }
    return *std::move(value);
  }

  // To be called after the last read.
  void refuse_unknown_keys() const;

  [[noreturn]] void refuse(const toml::node& where, const std::string& sentence) const;
  // At the line of `key`, which must have been read, or of the table where it is absent.
  [[noreturn]] void refuse(std::string_view key, const std::string& sentence) const;

 private:
  [[noreturn]] void refuse(toml::source_index line, const std::string& sentence) const;
  [[nodiscard]] toml::source_index fallback_line() const;
  [[nodiscard]] std::string missing(std::string_view key) const;
  std::int64_t checked_integer(const toml::node& node, std::string_view key, std::int64_t lowest,
                               std::int64_t highest) const;
  const toml::array* array(std::string_view key, std::string_view wanted);

  const toml::table& table_;
  std::string title_;
  const std::string& file_;
  std::vector<std::string> known_;
};

}  // namespace rtecho::host
