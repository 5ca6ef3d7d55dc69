#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace rtecho::report {
namespace {

// Bytes of the UTF-8 sequence that `text` begins with, 0 where it begins with none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  // Overlong forms, surrogates, beyond U+10FFFF: all show in the second byte.
  const bool wrong = length > 2 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                                    (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F));
  return wrong ? 0 : length;
}

std::string_view entity_for(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&apos;";
    default:
      return {};
  }
}

// Also removes what XML 1.0 cannot carry: control characters, U+FFFE and U+FFFF. Bytes that are no UTF-8 become '?'.
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    const auto code = static_cast<unsigned char>(character.front());
    const bool forbidden = (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0x7F ||
                           character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
    if (length == 0) {
      out += '?';
    } else if (const std::string_view entity = entity_for(character.front()); !entity.empty()) {
      out += entity;
    } else if (!forbidden) {
      out += character;
    }
  }
  return out;
}

std::string suite_name(const Verdict& verdict) {
  return fmt::format("{}: {}", verdict.source, verdict.series);
}

std::string test_case(const Verdict& verdict) {
  const std::string facts = fmt::format("{}, {}{}{}", limit_text(verdict), measured_text(verdict),
                                        verdict.remarks.empty() ? "" : "; ", fmt::join(verdict.remarks, "; "));
  std::string xml = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\">\n",
                                escaped(limit_text(verdict)), escaped(verdict.series));
  if (verdict.kind == VerdictKind::pass) {
    xml += fmt::format("      <system-out>{}</system-out>\n", escaped(facts));
  } else {
    xml += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                       verdict.kind == VerdictKind::fail ? "bound" : "inconclusive", escaped(facts),
                       escaped(verdict.rule));
  }
  return xml + "    </testcase>\n";
}

std::string counts_of(std::span<const Verdict> verdicts) {
  const auto failures = std::count_if(verdicts.begin(), verdicts.end(),
                                      [](const Verdict& verdict) { return verdict.kind != VerdictKind::pass; });
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\" time=\"0\"", verdicts.size(), failures);
}

}  // namespace

std::string junit_xml(std::span<const Verdict> verdicts) {
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rtecho-host check\" {}>\n", counts_of(verdicts));
  while (!verdicts.empty()) {
    const std::string name = suite_name(verdicts.front());
    const auto end = std::find_if(verdicts.begin(), verdicts.end(),
                                  [&](const Verdict& verdict) { return suite_name(verdict) != name; });
    const auto suite = verdicts.first(static_cast<std::size_t>(end - verdicts.begin()));
    xml += fmt::format("  <testsuite name=\"{}\" {}>\n", escaped(name), counts_of(suite));
    for (const Verdict& verdict : suite) {
      xml += test_case(verdict);
    }
    xml += "  </testsuite>\n";
    verdicts = verdicts.subspan(suite.size());
  }
  return xml + "</testsuites>\n";
}

}  // namespace rtecho::report
