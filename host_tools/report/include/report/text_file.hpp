// Whole small files, read and written so that a reader never meets half of one. Knows nothing of their content.
#pragma once

#include <string>
#include <string_view>

#include "report/outcome.hpp"

namespace rtecho::report {

// Refuses more than 64 MiB: a run file of all published sizes has about 2.
[[nodiscard]] Outcome<std::string> read_text_file(const std::string& path);

// Writes a temporary file beside `path` and renames it, so that `path` is either the old content or all of the
// new. "-" is standard output. What exists and is no regular file (a pipe, /dev/null) is written directly: a rename
// would replace it. A full disk is noticed, and the temporary file removed.
[[nodiscard]] Outcome<Done> write_text_file(const std::string& path, std::string_view text);

// Whether write_text_file has a chance, for a program that wants to know before an hour of measuring. Leaves nothing
// behind.
[[nodiscard]] Outcome<Done> check_writable(const std::string& path);

}  // namespace rtecho::report
