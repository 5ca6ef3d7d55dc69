#!/usr/bin/env python3
"""The promise, under load: the real-time pair and the normal pair, interleaved three times beside stress-ng, judged with
rtecho-host and tests/acceptance/bounds.toml; and runs beside a busy loop on the same core, where RT throttling or the
kernel's fair server would take 40 to 60 ms at once if the rests did not keep them away."""

import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "integration"))

from fake_peers import FakeServer
from pair_harness import LinkTest, RTECHO, RTECHO_GPOS, RTECHO_HOST, main

ROUNDS = 3
LOAD = ("stress-ng", "--cpu", "2", "--switch", "2", "--sock", "1", "--timeout", "200s", "--quiet")
THROTTLED_NS = (40_000_000, 60_000_000)


@contextlib.contextmanager
def running(arguments):
    """A load in a session of its own, which ends with the block, children too."""
    load = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield load
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(load.pid, signal.SIGTERM)
        try:
            load.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(load.pid, signal.SIGKILL)
            load.wait()


def busy_loop(cpu):
    # It ends by itself, should nobody be left to end it.
    return ("timeout", "60", "taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done")


class Acceptance(LinkTest):
    def setUp(self):
        super().setUp()
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")

    def check_promises(self, run):
        self.assertTrue(run["realtime"], run["client"]["degraded"] + run["server"]["degraded"])
        for series in run["series"]:
            self.assertEqual(series["accounting"]["client"]["lost"], 0)
            for end in ("client", "server"):
                window = series["determinism"][end]
                for promise in ("heap_allocations", "minor_faults", "major_faults", "voluntary_switches"):
                    # A spinner that saw nothing for its idle limit blocks: its series is marked "spin*".
                    if promise != "voluntary_switches" or series["wait"][end] == "spin":
                        self.assertEqual(window[promise], 0, f"{end}: {promise}")

    def host(self, *arguments, code=0):
        outcome = self.run_program(RTECHO_HOST, *arguments)
        print(outcome.out, end="")
        self.assertEqual(outcome.code, code, str(outcome))
        return outcome

    def test_real_time_beside_normal_under_load(self):
        if not shutil.which("stress-ng"):
            self.skipTest("stress-ng is not installed")
        servers = {RTECHO: self.link_server("--cpu", "0"), RTECHO_GPOS: self.link_server(program=RTECHO_GPOS)}
        runs = {RTECHO: [], RTECHO_GPOS: []}
        files = {RTECHO: [], RTECHO_GPOS: []}
        with running(LOAD) as load:
            time.sleep(1)
            for number in range(ROUNDS):
                for program, options in ((RTECHO, ("--cpu", "1")), (RTECHO_GPOS, ("--timeout-ms", "1000"))):
                    name = f"{'rt' if program == RTECHO else 'normal'}{number}.json"
                    # The normal pair may lose a message to its timeout; what it is judged by is its maximum.
                    run, _ = self.link_measure(servers[program], "--count", "10000", "--batch", "500", *options,
                                               program=program, name=name, limit_s=100,
                                               code=0 if program == RTECHO else None)
                    runs[program].append(run)
                    files[program].append(self.path(name))
            self.assertIsNone(load.poll(), "the load ended before the runs")
        for server in servers.values():
            self.stop_cleanly(server)
        for run in runs[RTECHO]:
            self.check_promises(run)
        maxima = {program: [run["series"][0]["service"]["max_ns"] / 1000 for run in runs[program]] for program in runs}
        print(f"\nmaxima in us: real-time {maxima[RTECHO]}, normal {maxima[RTECHO_GPOS]}")
        self.host("compare", *files[RTECHO], *files[RTECHO_GPOS])
        junit = self.path("out.xml")
        self.host("check", *files[RTECHO], "--bounds", os.path.join(HERE, "bounds.toml"), "--junit", junit)
        root = xml.parse(junit).getroot()
        cases = list(root.iter("testcase"))
        self.assertTrue(cases)
        self.assertEqual([case.get("name") for case in cases if case.find("failure") is not None], [])
        ratios = [normal / real_time for real_time, normal in zip(maxima[RTECHO], maxima[RTECHO_GPOS])]
        print(f"normal / real-time of neighbouring pairs: {', '.join(f'{ratio:.1f}' for ratio in ratios)}")
        self.assertGreater(statistics.median(ratios), 1)

    def check_no_throttling(self, name, series, ends):
        for end in ends:
            gaps = series["determinism"][end]
            print(f"{name}, {end}: longest gap {gaps['longest_gap_ns'] / 1000:.0f} us of {gaps['gap_count']}")
            lengths = [gap["length_ns"] for gap in gaps["gaps"]] + [gaps["longest_gap_ns"]]
            found = [length for length in lengths if THROTTLED_NS[0] <= length <= THROTTLED_NS[1]]
            self.assertEqual(found, [], f"{name}, {end}: a hole of the length that throttling takes")

    def test_no_throttling_beside_a_busy_loop_on_each_core(self):
        server = self.link_server("--cpu", "0")
        with running(busy_loop(0)), running(busy_loop(1)):
            run, _ = self.link_measure(server, "--cpu", "1", "--for", "6s", "--sizes", "8192")
        self.stop_cleanly(server)
        series = run["series"][0]
        self.check_promises(run)
        self.check_no_throttling("large messages", series, ("client", "server"))
        maxima = [batch["max_ns"] for batch in series["batches"] if batch["n"]]
        print(f"batches {len(maxima)}, n {series['service']['n']}, longest of a batch {max(maxima) / 1000:.0f} us")
        self.assertEqual([length for length in maxima if THROTTLED_NS[0] <= length <= THROTTLED_NS[1]], [])

    def test_no_throttling_of_a_client_that_waits_for_a_slow_peer(self):
        def slow(sequence, reply, deliver):
            until = time.perf_counter() + 0.0003
            while time.perf_counter() < until:
                pass
            deliver(reply)
        with FakeServer(slow) as server, running(busy_loop(1)):
            # The scripted peer is an ordinary process: only what the client itself saw counts here.
            run, _ = self.measure(server.target, "--cpu", "1", "--for", "10s", "--timeout-ms", "2000", code=None)
        self.assertIn(run["series"][0]["accounting"]["client"]["lost"], (0,))
        self.assertGreater(run["series"][0]["service"]["n"], 500)
        self.check_no_throttling("slow peer", run["series"][0], ("client",))


if __name__ == "__main__":
    main()
