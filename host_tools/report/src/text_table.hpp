// A table of text, plain and aligned or as Markdown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtecho::report {

enum class TableStyle : std::uint8_t { plain, markdown };

class TextTable {
 public:
  enum class Alignment : std::uint8_t { left, right };
  struct Column {
    std::string heading;
    Alignment alignment = Alignment::right;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add_row(std::vector<std::string> cells);
  // An empty line in plain style; Markdown has none inside a table.
  void add_gap();
  [[nodiscard]] std::string text(TableStyle style) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a gap
};

// Text from a file, safe to show: control characters, which could steer a terminal, become '?'.
[[nodiscard]] std::string printable(std::string_view text);

// Nanoseconds as microseconds with `decimals`, "-" for what was not measured.
[[nodiscard]] std::string microseconds(std::optional<std::int64_t> ns, int decimals);

}  // namespace rtecho::report
