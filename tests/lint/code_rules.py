"""Rules about what C++ code says. Each takes a SourceFile and yields (line, sentence)."""

import posixpath
import re

OS_FOLDERS = {"linux", "windows", "bare_metal"}
# Rooms that end in the measuring thread: bounded, silent, without exceptions.
REALTIME_ROOMS = {"rt_core", "platform", "drivers"}
# Compile without an operating system beside rt_core (tests/freestanding).
PORTABLE_DRIVERS = {f"drivers/include/drivers/{stem}.hpp"
                    for stem in ("address_resolution", "ethernet_raw_port", "ethernet_udp_port", "fake_clock", "fault_port", "fragments",
                                 "frame_checks", "frame_selection", "frames_over", "loopback_port", "message_of_frame",
                                 "trace_port")}
# Hosted headers compile under -ffreestanding with the distribution's library, so the compiler does not hold this.
FREESTANDING_HEADERS = {
    "array", "atomic", "bit", "charconv", "compare", "concepts", "cstddef", "cstdint", "cstring", "limits", "new",
    "optional", "source_location", "span", "string_view", "type_traits", "utility"}

# Tests of what has to do with the system use it; all others are as portable as what they test.
OS_TESTS = [("tests", "unit", "platform"), ("tests", "unit", "drivers"), ("tests", "unit", "host"),
            ("tests", "unit", "pair"), ("tests", "contract"), ("tests", "integration"), ("tests", "acceptance")]

OS_HEADER = re.compile(
    r"(arpa|asm|bpf|linux|mach|net|netinet|netpacket|pcap|sys|xdp|boost/asio/posix|boost/asio/windows)/.*"
    r"|(aio|dirent|dlfcn|endian|execinfo|fcntl|fts|ftw|getopt|glob|grp|ifaddrs|langinfo|libgen|malloc|mqueue|netdb"
    r"|poll|pthread|pwd|sched|semaphore|signal|spawn|strings|syslog|termios|time|ucontext|unistd|utime|wait|errno"
    r"|windows|winsock2?|ws2tcpip|iphlpapi|mswsock|processthreadsapi|synchapi|io|pcap)\.h")
OS_MACRO = re.compile(
    r"\b(__linux__|__linux|__unix__|__APPLE__|__FreeBSD__|__ANDROID__|_WIN32|_WIN64|WIN32|__MINGW32__|__MINGW64__"
    r"|__CYGWIN__|_GNU_SOURCE|_POSIX_C_SOURCE|_DEFAULT_SOURCE)\b")


def is_os_file(file):
    return any(part in OS_FOLDERS for part in file.parts[:-1]) or any(file.is_in(*test) for test in OS_TESTS)


def os_header(file):
    """OS headers only in OS folders and in tests of what has to do with the system."""
    if not file.is_code or is_os_file(file):
        return
    for line, _, name in file.includes():
        if name.startswith("boost/asio/posix/") and file.is_in("host_tools"):
            continue  # asio's own adapter; the event loop is its user's
        if name.startswith("pcap/") and file.is_in("drivers", "pcap"):
            continue  # one source for libpcap and Npcap
        if OS_HEADER.fullmatch(name):
            yield line, f"<{name}> is an OS header: it belongs into an OS folder (linux/, …)"


def os_macro(file):
    """OS macros only in OS folders."""
    if file.is_code and not is_os_file(file):
        for line, code in file.code_lines():
            match = OS_MACRO.search(code)
            if match:
                yield line, f"{match.group(0)} tells systems apart: that is done by one source per OS"


def standard_header(file):
    """rt_core and the portable drivers include headers of the freestanding list only."""
    if not file.is_code or not (file.is_in("rt_core") or file.path in PORTABLE_DRIVERS):
        return
    for line, bracket, name in file.includes():
        if bracket == "<" and name not in FREESTANDING_HEADERS:
            yield line, f"<{name}> is not on the list of freestanding headers"


_PRINTING = re.compile(r"(?<![\w.])(?:std::)?(v?(?:f|s|sn|d|as)?printf|f?puts|f?putc|putchar|perror)\s*\("
                       r"|\bstd::(cout|cerr|clog|format|print)\b|\bfmt::\w+")
_BANNED = [
    (re.compile(r"(?<![\w.>])(?:std::)?(s?rand|rand_r)\s*\("), "{} has hidden state and no seed in the report"),
    (re.compile(r"(?<![\w.>])(?:std::)?(strcpy|strcat|v?sprintf|gets|strtok|wcscpy)\s*\("), "{} knows no bounds"),
]
# What a test hands to these is a literal of its own.
_BANNED_IN_PRODUCT = [
    (re.compile(r"(?<![\w.>])(?:std::|::)?(system|popen)\s*\(\s*[^)\s]"), "{} runs a shell"),
    (re.compile(r"\bstd::(w?regex\w*)\b"), "std::{} recurses as deep as its input is long"),
]
_HEAP = re.compile(r"\bnew\b(?!\s*\()|\boperator\s+new\b|(?<!=)(?<!= )\bdelete\b"
                   r"|(?<![\w.>])(?:std::|::)?\b(malloc|calloc|realloc|aligned_alloc|strdup|make_unique|make_shared)\s*[(<]"
                   r"|(?<![\w.>])(?:std::|::)?\bfree\s*\(\s*[^)\s]")
_EXCEPTION = re.compile(r"\b(throw|try|catch)\b")
_DYNAMIC = re.compile(r"\b(virtual|dynamic_cast|typeid)\b")


def printing(file):
    """No printing or text formatting in rt_core, platform, drivers."""
    if not file.is_code or file.parts[0] not in REALTIME_ROOMS:
        return
    for line, _, name in file.includes():
        if name in {"iostream", "ostream", "sstream", "iomanip", "print", "format", "cstdio",
                    "stdio.h"} or name.startswith("fmt/"):
            yield line, f"<{name}> prints: only programs do"
    for line, code in file.code_lines():
        match = _PRINTING.search(code)
        if match:
            yield line, f"{match.group(0).rstrip('( ')} prints or formats: only programs do"


def banned_call(file):
    """Calls that have no place in any room: rand, strcpy, sprintf; outside tests also system and std::regex."""
    if not file.is_code:
        return
    banned = _BANNED if file.is_in("tests") else _BANNED + _BANNED_IN_PRODUCT
    for line, code in file.code_lines():
        for pattern, sentence in banned:
            match = pattern.search(code)
            if match:
                yield line, sentence.format(match.group(1))


def heap(file):
    """No heap in rt_core and the drivers' headers; placement new is none."""
    if file.is_code and (file.is_in("rt_core") or file.is_in("drivers", "include")):
        for line, code in file.code_lines():
            match = _HEAP.search(code)
            if match:
                yield line, f"{match.group(0).rstrip('(< ')}: memory comes from the caller, before the run"


def exception(file):
    """No throw, try, catch in rt_core, platform, drivers."""
    if file.is_code and file.parts[0] in REALTIME_ROOMS:
        for line, code in file.code_lines():
            match = _EXCEPTION.search(code)
            if match:
                yield line, f"{match.group(0)}: this room returns Result or counts"


def dynamic(file):
    """No virtual call and no run-time type in rt_core, platform, drivers."""
    if file.is_code and file.parts[0] in REALTIME_ROOMS:
        for line, code in file.code_lines():
            match = _DYNAMIC.search(code)
            if match:
                yield line, f"{match.group(0)}: the port is a template parameter"


def conditional(file):
    """Preprocessor conditionals only in OS folders."""
    if file.is_code and not any(part in OS_FOLDERS for part in file.parts[:-1]):
        for line, code in file.code_lines():
            if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", code):
                yield line, "a conditional: differences live in one source each, chosen by the build"


def pragma_once(file):
    """The first line of a header that is no comment is #pragma once."""
    if file.suffix != ".hpp":
        return
    for line, code in enumerate(file.code.split("\n"), 1):
        if code.strip():
            if code.strip() != "#pragma once":
                yield line, "the first line that is no comment must be #pragma once"
            return
    yield 1, "no #pragma once"


_ROOMS_BELOW = {
    "rt_core": {"rt_core"},
    "platform": {"platform", "rt_core"},
    "drivers": {"drivers", "platform", "rt_core"},
    "report": {"report", "rt_core"},
    "rtecho": {"report", "drivers", "platform", "rt_core"},
    "rtecho_host": {"rtecho_host", "report", "drivers", "platform", "rt_core"},
}
_ROOMS = {room for rooms in _ROOMS_BELOW.values() for room in rooms} | {"rtecho", "tests"}


def stays_in_os_folder(file, name):
    """platform/linux/realtime/ may use the private headers of platform/linux/."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(file.path), name)).split("/")
    return len(target) > 2 and target[1] in OS_FOLDERS and tuple(target[:2]) == file.parts[:2]


def include_direction(file):
    """Includes point down only, and never up a folder."""
    if not file.is_code:
        return
    room = file.parts[1] if file.is_in("host_tools") and len(file.parts) > 2 else file.parts[0]
    below = _ROOMS_BELOW.get(room)
    for line, _, name in file.includes():
        target = name.split("/")[0] if "/" in name else None
        if ".." in name.split("/") and not stays_in_os_folder(file, name):
            yield line, f"{name} goes up a folder: a header is found by the include root of its room"
        elif below is not None and target in _ROOMS and target not in below:
            yield line, f"{room} must not include {target}: arrows point down only"


RULES = {
    "os-header": os_header,
    "os-macro": os_macro,
    "standard-header": standard_header,
    "printing": printing,
    "banned-call": banned_call,
    "heap": heap,
    "exception": exception,
    "dynamic": dynamic,
    "conditional": conditional,
    "pragma-once": pragma_once,
    "include-direction": include_direction,
}
