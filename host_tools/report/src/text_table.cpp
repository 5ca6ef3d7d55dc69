#include "text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rt_core/assert.hpp"

namespace rtecho::report {
namespace {

// Code points, which for the text that occurs here is columns: the µ of a heading is two bytes.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width, TextTable::Alignment alignment) {
  const std::size_t columns = columns_of(text);
  const std::string blanks(width > columns ? width - columns : 0, ' ');
  return alignment == TextTable::Alignment::left ? text + blanks : blanks + text;
}

std::string escaped_for_markdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '\\') {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

void drop_trailing_blanks(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

void TextTable::add_row(std::vector<std::string> cells) {
  RTECHO_ASSERT(cells.size() == columns_.size());
  for (std::string& cell : cells) {
    cell = printable(cell);
  }
  rows_.push_back(std::move(cells));
}

void TextTable::add_gap() {
  rows_.emplace_back();
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_of(columns_[i].heading);
    for (const std::vector<std::string>& row : rows_) {
      width = row.empty() ? width : std::max(width, columns_of(row[i]));
    }
    widths.push_back(width);
  }
  return widths;
}

std::string TextTable::text(TableStyle style) const {
  const std::vector<std::size_t> width = widths();
  const bool markdown = style == TableStyle::markdown;
  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    std::string line = markdown ? "|" : "";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = markdown ? escaped_for_markdown(cell_of(i)) : cell_of(i);
      line += markdown ? " " : (i == 0 ? "" : "  ");
      line += padded(cell, width[i], columns_[i].alignment);
      line += markdown ? " |" : "";
    }
    drop_trailing_blanks(line);
    out += line + "\n";
  };
  add_line([&](std::size_t i) { return columns_[i].heading; });
  if (markdown) {
    add_line([&](std::size_t i) { return columns_[i].alignment == Alignment::left ? ":---" : "---:"; });
  }
  for (const std::vector<std::string>& row : rows_) {
    if (!row.empty()) {
      add_line([&](std::size_t i) { return row[i]; });
    } else if (!markdown) {
      out += "\n";
    }
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string safe(text);
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return safe;
}

std::string microseconds(std::optional<std::int64_t> ns, int decimals) {
  return ns ? fmt::format("{:.{}f}", static_cast<double>(*ns) / 1000.0, decimals) : "-";
}

}  // namespace rtecho::report
