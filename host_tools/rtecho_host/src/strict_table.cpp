#include "strict_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {

StrictTable::StrictTable(const toml::table& table, std::string title, const std::string& file)
    : table_(table), title_(std::move(title)), file_(file) {}

const toml::node* StrictTable::any(std::string_view key) {
  known_.emplace_back(key);
  return table_.get(key);
}

std::optional<std::string> StrictTable::text(std::string_view key) {
  const toml::node* node = any(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  if (!node->is_string()) {
    refuse(*node, fmt::format("{} must be a text in quotes", key));
  }
  return node->value<std::string>();
}

std::int64_t StrictTable::checked_integer(const toml::node& node, std::string_view key, std::int64_t lowest,
                                          std::int64_t highest) const {
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value < lowest || *value > highest) {
    refuse(node, fmt::format("{} must be a whole number from {} to {}", key, lowest, highest));
  }
  return *value;
}

std::optional<std::int64_t> StrictTable::integer(std::string_view key, std::int64_t lowest, std::int64_t highest) {
  const toml::node* node = any(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  return checked_integer(*node, key, lowest, highest);
}

std::optional<bool> StrictTable::boolean(std::string_view key) {
  const toml::node* node = any(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  if (!node->is_boolean()) {
    refuse(*node, fmt::format("{} must be true or false", key));
  }
  return node->value<bool>();
}

const toml::array* StrictTable::array(std::string_view key, std::string_view wanted) {
  const toml::node* node = any(key);
  if (node != nullptr && !node->is_array()) {
    refuse(*node, fmt::format("{} must be a list of {}", key, wanted));
  }
  return node == nullptr ? nullptr : node->as_array();
}

std::optional<std::vector<std::string>> StrictTable::texts(std::string_view key) {
  const toml::array* list = array(key, "texts");
  if (list == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> values;
  for (const toml::node& node : *list) {
    if (!node.is_string()) {
      refuse(node, fmt::format("{} must be a list of texts", key));
    }
    values.push_back(*node.value<std::string>());
  }
  return values;
}

std::optional<std::vector<std::int64_t>> StrictTable::integers(std::string_view key, std::int64_t lowest,
                                                               std::int64_t highest) {
  const toml::array* list = array(key, "whole numbers");
  if (list == nullptr) {
    return std::nullopt;
  }
  std::vector<std::int64_t> values;
  for (const toml::node& node : *list) {
    values.push_back(checked_integer(node, key, lowest, highest));
  }
  return values;
}

void StrictTable::refuse_unknown_keys() const {
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) {
      refuse(key.source().begin.line,
             fmt::format("unknown key '{}' in {}; known are {}", key.str(), title_, fmt::join(known_, ", ")));
    }
  }
}

void StrictTable::refuse(const toml::node& where, const std::string& sentence) const {
  refuse(where.source().begin.line, sentence);
}

void StrictTable::refuse(std::string_view key, const std::string& sentence) const {
  const toml::node* node = table_.get(key);
  refuse(node == nullptr ? fallback_line() : node->source().begin.line, sentence);
}

void StrictTable::refuse(toml::source_index line, const std::string& sentence) const {
  throw ProgramFailure(ExitCode::usage, fmt::format("{}:{}: {}", file_, line, sentence));
}

toml::source_index StrictTable::fallback_line() const {
  return table_.source().begin.line;
}

std::string StrictTable::missing(std::string_view key) const {
  return fmt::format("{} needs {}", title_, key);
}

}  // namespace rtecho::host
