#!/usr/bin/env python3
"""Tests lint.py: a good tree passes, and each rule fires on a tree that breaks it and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import code_rules
import lint
import tree_rules

GOOD_HEADER = """\
// A paragraph of purpose: "new" and 'virtual' in a comment are words, and so is printf(.
#pragma once

#include <cstdint>

#include "rt_core/limits.hpp"

namespace rtecho {
inline constexpr std::uint64_t million = 1'000'000;
struct Pinned {
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  void take() { new (memory) int(7); }
  [[nodiscard]] std::uint32_t free() const;
  const char* text = "throw new std::regex; rand() #if";
  void* memory;
};
}  // namespace rtecho
"""

GOOD_TREE = {
    "CMakeLists.txt": "project(good)\n",
    "README.md": "# Good\n",
    ".gitignore": "/build/\n",
    "rt_core/include/rt_core/limits.hpp": "#pragma once\n",
    "rt_core/include/rt_core/pinned.hpp": GOOD_HEADER,
    "platform/linux/clock.cpp": "#include <time.h>\n#if defined(__linux__)\n#endif\n",
    "platform/linux/realtime/bootstrap.cpp": '#include "../thread_launch.hpp"\n',
    "drivers/include/drivers/address.hpp": '#pragma once\n#include <string>\n#include "platform/clock.hpp"\n',
    "drivers/pcap/pcap_port.cpp": "#include <pcap/pcap.h>\n",
    "host_tools/rtecho/server.cpp": "#include <boost/asio/posix/stream_descriptor.hpp>\nvoid f() { throw 1; }\n",
    "tests/unit/rt_core/limits_test.cpp": "",
    "tests/unit/rt_core/pinned_test.cpp": "",
    "tests/unit/drivers/address_test.cpp": "#include <sys/socket.h>\n",
    "tests/unit/drivers/fragments_test.cpp": "",
    "tests/fuzz/corpus/messages/Any-Name": "\t\x00 \n",
    "toolchains/aarch64-linux-gnu.cmake": "set(x 1)\n",
    "build/left over.cpp": "#include <regex>\n",
}

HEADER = "rt_core/include/rt_core/limits.hpp"
SOURCE = "rt_core/src/limits.cpp"

# (rule, file, content): each of them breaks its rule once or more, and no other one.
BAD_FILES = [
    ("os-header", "host_tools/rtecho/client.cpp", "#include <unistd.h>\n"),
    ("os-header", "drivers/include/drivers/address.hpp", "#pragma once\n#include <netinet/in.h>\n"),
    ("os-header", "host_tools/report/src/junit.cpp", "#  include <sys/stat.h>\n"),
    ("os-header", "platform/include/platform/x.cpp", "#include <boost/asio/posix/descriptor.hpp>\n"),
    ("os-header", "tests/simulation/loss_test.cpp", "#include <sched.h>\n"),
    ("os-header", "drivers/pcap/pcap_port.cpp", "#include <poll.h>\n"),
    ("os-header", "host_tools/rtecho/client.cpp", "#include <pcap/pcap.h>\n"),
    ("os-macro", "host_tools/rtecho/client.cpp", "constexpr bool here = _WIN32;\n"),
    ("os-macro", "host_tools/rtecho/client.cpp", "#define _GNU_SOURCE 1\n"),
    ("standard-header", SOURCE, "#include <functional>\n"),
    ("standard-header", SOURCE, "#include <memory>\n"),
    ("standard-header", "drivers/include/drivers/fragments.hpp", "#pragma once\n#include <vector>\n"),
    ("printing", "platform/linux/clock.cpp", "#include <iostream>\n"),
    ("printing", "drivers/linux/address.cpp", 'void f(char* p) { std::snprintf(p, 3, "%d", 1); }\n'),
    ("printing", SOURCE, 'void f() { printf ("x"); }\n'),
    ("printing", "platform/linux/clock.cpp", "void f() { std::cerr << 1; }\n"),
    ("printing", "platform/linux/clock.cpp", "#include <fmt/core.h>\n"),
    ("banned-call", "host_tools/rtecho/client.cpp", "int f() { return std::rand(); }\n"),
    ("banned-call", "tests/unit/pair/client_test.cpp", "int f() { return rand(); }\n"),
    ("banned-call", "host_tools/rtecho/client.cpp", "void f(char* a) { strcpy(a, a); }\n"),
    ("banned-call", "host_tools/rtecho/client.cpp", 'void f(char* a) { sprintf(a, ""); }\n'),
    ("banned-call", "host_tools/rtecho/client.cpp", 'int f() { return std::system("ls"); }\n'),
    ("banned-call", "host_tools/rtecho/client.cpp", "#include <regex>\nstd::regex r;\n"),
    ("heap", SOURCE, "int* f() { return new int; }\n"),
    ("heap", SOURCE, "void f(int* p) { delete p; }\n"),
    ("heap", SOURCE, "void f(int* p) { delete[] p; }\n"),
    ("heap", SOURCE, "void* f() { return std::malloc(3); }\n"),
    ("heap", SOURCE, "void f(void* p) { free(p); }\n"),
    ("heap", SOURCE, "void* f() { return ::operator new(3); }\n"),
    ("heap", "drivers/include/drivers/address.hpp", "#pragma once\nauto f() { return std::make_unique<int>(3); }\n"),
    ("exception", SOURCE, "void f() { throw 1; }\n"),
    ("exception", "platform/linux/clock.cpp", "void f() { try { g(); } catch (...) { } }\n"),
    ("dynamic", "drivers/linux/address.cpp", "struct Port { virtual void send(); };\n"),
    ("conditional", SOURCE, "#if defined(NDEBUG)\n#endif\n"),
    ("conditional", "tests/simulation/loss_test.cpp", "  #  ifdef SOMETHING\n#endif\n"),
    ("pragma-once", HEADER, "// No guard.\nnamespace rtecho {}\n"),
    ("pragma-once", HEADER, "#include <array>\n#pragma once\n"),
    ("pragma-once", HEADER, "// Nothing.\n"),
    ("include-direction", SOURCE, '#include "platform/clock.hpp"\n'),
    ("include-direction", "platform/linux/clock.cpp", '#include "drivers/address.hpp"\n'),
    ("include-direction", "drivers/linux/address.cpp", '#include "report/run_file.hpp"\n'),
    ("include-direction", "host_tools/report/src/junit.cpp", '#include "platform/clock.hpp"\n'),
    ("include-direction", "host_tools/rtecho/client.cpp", '#include "rtecho_host/link.hpp"\n'),
    ("include-direction", SOURCE, '#include "../limits.hpp"\n'),
    ("include-direction", "platform/linux/clock.cpp", '#include "../../rt_core/include/rt_core/limits.hpp"\n'),
    ("blanks", "docs/guide.md", "text \n"),
    ("blanks", "tests/run", "#!/bin/sh\n\tls\n"),
    ("blanks", SOURCE, "int a;\r\n"),
    ("blanks", SOURCE, "int a;"),
    ("blanks", SOURCE, "int a;\n\n"),
    ("file-length", SOURCE, "int a;\n" * 401),
    ("unfinished", SOURCE, "// TO" "DO: everything\n"),
    ("unfinished", "docs/guide.md", "FIX" "ME\n"),
    ("file-name", "rt_core/src/frameBlock.cpp", ""),
    ("file-name", "rt_core/src/frame-block.cpp", ""),
    ("file-name", "tests/my-tests/data.bin", "x"),
    ("top-level", "scripts/release", "#!/bin/sh\n"),
    ("top-level", "notes.md", "# Notes\n"),
    ("header-test", "platform/include/platform/clock.hpp", "#pragma once\n"),
    ("header-test", "host_tools/report/include/report/junit.hpp", "#pragma once\n"),
]


def write_tree(root, files):
    for name, content in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")


class Lint(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = self._folder.name
        subprocess.run(["git", "init", "--quiet", self.root], check=True)

    def findings(self, files, exceptions=None):
        write_tree(self.root, {**GOOD_TREE, **files})
        return lint.check_tree(self.root, exceptions or {})[0]

    def test_a_good_tree_passes(self):
        self.assertEqual(self.findings({}), [])

    def test_each_rule_fires_and_no_other(self):
        for rule, name, content in BAD_FILES:
            with self.subTest(rule=rule, file=name, content=content[:60]):
                found = {(path, fired) for path, _, fired, _ in self.findings({name: content})}
                self.assertEqual(found, {(name, rule)})
            pathlib.Path(self.root, name).unlink()

    def test_no_rule_is_without_a_bad_file(self):
        rules = {**code_rules.RULES, **tree_rules.FILE_RULES, **tree_rules.TREE_RULES}
        self.assertEqual(set(rules), {rule for rule, _, _ in BAD_FILES})

    def test_the_line_is_right_behind_comments_and_raw_texts(self):
        found = self.findings({SOURCE: '/* a\n b */\nauto t = R"(\nnew\n)";\nint* p = new int;\n'})
        self.assertEqual([(path, line, rule) for path, line, rule, _ in found], [(SOURCE, 6, "heap")])

    def test_an_exception_is_used_or_reported(self):
        bad = {SOURCE: "#if X\n#endif\n"}
        self.assertEqual(self.findings(bad, {"conditional": {SOURCE: "a reason"}}), [])
        found = self.findings({SOURCE: ""}, {"conditional": {SOURCE: "a reason"}})
        self.assertEqual([(path, rule) for path, _, rule, _ in found], [(SOURCE, "exception")])

    def test_ignored_files_are_not_looked_at_without_git_either(self):
        files = lint.listed_files(self.root)
        write_tree(self.root, GOOD_TREE)
        with_git = lint.listed_files(self.root)
        pathlib.Path(self.root, ".git").rename(pathlib.Path(self.root, "build", "git"))
        self.assertEqual(files, [])
        self.assertEqual(with_git, lint.listed_files(self.root))

    def test_a_badly_formatted_file_is_found(self):
        write_tree(self.root, {".clang-format": "BasedOnStyle: Google\n", "a.cpp": "int   a;\n"})
        bad = lint.check_format(self.root)
        if bad == lint.SKIPPED:
            self.skipTest("no clang-format of the right version")
        write_tree(self.root, {"a.cpp": "int a;\n"})
        self.assertEqual((bad, lint.check_format(self.root)), (1, 0))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
