"""Where a rule does not hold, and why. A file that no longer breaks its rule must leave this list: lint.py says so."""

EXCEPTIONS = {
    "conditional": {
        "rt_core/include/rt_core/assert.hpp":
            "the trap is a compiler's intrinsic; there is no file per compiler",
        "host_tools/rtecho/key_file.cpp":
            "OpenSSL is optional, and both halves are a few lines",
        "tests/unit/platform/bootstrap_test.cpp":
            "sanitizers change what the test measures (page faults of their shadow memory)",
        "tests/unit/platform/capabilities_test.cpp":
            "the thread sanitizer runs a thread of its own, which keeps its capabilities",
        "tests/unit/platform/memory_test.cpp":
            "sanitizers change what the test measures (locked shadow memory)",
        "tests/unit/platform/network_namespace_test.cpp":
            "the thread sanitizer runs a thread of its own, so that the process is never single-threaded",
    },
    "file-length": {
        "rt_core/include/rt_core/echo_client.hpp":
            "one loop that is read from top to bottom; its parts with a state of their own are classes already",
    },
    "file-name": {
        "tests/unit/host/stand_ins/rtecho-gpos":
            "stands in for the program of that name",
    },
}
