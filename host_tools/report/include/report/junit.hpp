// Verdicts as a JUnit XML file, which every CI service shows. One test case per verdict, one suite per run file and
// series. An inconclusive verdict is a <failure type="inconclusive">: readers show <skipped> as green, and
// a gate that could not check must not look as if it had.
#pragma once

#include <span>
#include <string>

#include "report/verdict.hpp"

namespace rtecho::report {

[[nodiscard]] std::string junit_xml(std::span<const Verdict> verdicts);

}  // namespace rtecho::report
