// A comparison for people (aligned table, Markdown) and for programs (JSON).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "report/comparison.hpp"

namespace rtecho::report {

enum class TextFormat : std::uint8_t { table, markdown };

// Whether the published RTX and Windows results stand below each size.
enum class Reference : std::uint8_t { none, rtx };

// Heading, table in µs, what is not in both, and one line in plain words.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, TextFormat format, Reference reference);

[[nodiscard]] nlohmann::json comparison_json(const Comparison& comparison, Reference reference);

// The one line: how many times lower the maximum is, over which sizes, and the largest one with its n.
[[nodiscard]] std::string summary_sentence(const Comparison& comparison);

}  // namespace rtecho::report
