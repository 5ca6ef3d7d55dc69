#!/usr/bin/env python3
"""What a run may call itself, and what the real-time program promises in its measured windows."""

import os

from pair_harness import LinkTest, RTECHO, RTECHO_GPOS, main

RUN = ("--count", "2000", "--timeout-ms", "2000")


class Granted(LinkTest):
    """Both ends pinned to cores of their own, SCHED_FIFO, memory locked."""

    def require_two_cores(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")

    def measured(self, *client, server_options=("--cpu", "0"), server_program=RTECHO, code=0, **named):
        server = self.link_server(*server_options, program=server_program)
        try:
            return self.link_measure(server, *RUN, *client, code=code, **named)
        finally:
            self.stop_cleanly(server)

    def test_what_was_asked_is_granted_and_read_back(self):
        self.require_two_cores()
        run, _ = self.measured("--cpu", "1", "--priority", "70")
        self.assertTrue(run["realtime"], run["client"]["degraded"] + run["server"]["degraded"])
        for end, cpu, priority in (("client", 1, 70), ("server", 0, 80)):
            granted = run[end]["granted"]
            self.assertEqual((granted["policy"], granted["priority"], granted["cpus"], granted["memory_locked"]),
                             ("fifo", priority, [cpu], True))
            self.assertGreater(granted["locked_bytes"], 1_000_000)
            for fact in ("kernel_release", "cpu_model", "clocksource"):
                self.assertTrue(run[end]["host"][fact])
            self.assertEqual(run[end]["host"]["nic"]["driver"], "veth")

    def test_no_allocation_no_fault_no_voluntary_switch_when_spinning(self):
        self.require_two_cores()
        for protocol in ("udp", "tcp"):
            run, _ = self.measured("--cpu", "1", "--protocol", protocol, "--sizes", "1,64,1472", "--strict",
                                   server_options=("--cpu", "0", "--strict"))
            for series in run["series"]:
                for end in ("client", "server"):
                    with self.subTest(protocol=protocol, size=series["message_bytes"], end=end):
                        window = series["determinism"][end]
                        for promise in ("heap_allocations", "minor_faults", "major_faults"):
                            self.assertEqual(window[promise], 0, (promise, window))
                        self.assertEqual(window["migrations"], 0, window)
                        if series["wait"][end] == "spin":
                            self.assertEqual(window["voluntary_switches"], 0, window)

    def test_a_server_blocks_once_a_rest(self):
        self.require_two_cores()
        run, _ = self.measured("--cpu", "1", "--batch", "200")
        series = run["series"][0]
        self.assertGreaterEqual(series["rests"], len(series["batches"]))
        # Each rest lasts longer than the idle limit; one more before the first message, one after the last.
        self.assertGreaterEqual(series["blocked_waits"]["server"], series["rests"])
        if series["wait"] == {"client": "spin", "server": "spin"}:
            self.assertLessEqual(series["blocked_waits"]["server"], series["rests"] + 2)
            self.assertEqual(series["blocked_waits"]["client"], 0)

    def test_blocking_ends_promise_no_heap_and_no_fault_either(self):
        self.require_two_cores()
        run, _ = self.measured("--cpu", "1", "--wait", "block", server_options=("--cpu", "0", "--wait", "block"))
        self.assertTrue(run["realtime"])
        series = run["series"][0]
        self.assertEqual(series["wait"], {"client": "block", "server": "block"})
        for end in ("client", "server"):
            window = series["determinism"][end]
            self.assertEqual((window["heap_allocations"], window["major_faults"]), (0, 0), window)
            self.assertEqual(window["minor_faults"], 0, window)
        self.assertGreater(series["determinism"]["client"]["voluntary_switches"], 0)


class NotRealTime(LinkTest):
    """A run that asked for less says so, and exits 0: it got what it asked for."""

    def check(self, client, server, program=RTECHO, server_program=RTECHO):
        running = self.link_server(*server, program=server_program)
        run, _ = self.link_measure(running, "--count", "300", "--timeout-ms", "2000", *client, program=program)
        self.assertFalse(run["realtime"])
        self.assertTrue(run["complete"])
        self.assertEqual(run["client"]["degraded"] + run["server"]["degraded"], [])
        self.stop_cleanly(running)
        return run

    def test_an_end_that_is_not_pinned(self):
        pinned, free = ("--cpu", "0"), ()
        for client, server in ((pinned, free), (free, pinned), (free, free)):
            with self.subTest(client=client, server=server):
                self.check(client, server)

    def test_policy_other(self):
        run = self.check(("--cpu", "0", "--policy", "other"), ("--cpu", "0"))
        self.assertEqual(run["client"]["granted"]["policy"], "other")
        self.check(("--cpu", "0"), ("--cpu", "0", "--policy", "other"))

    def test_no_memory_lock(self):
        run = self.check(("--cpu", "0", "--no-memory-lock"), ("--cpu", "0"))
        self.assertFalse(run["client"]["granted"]["memory_locked"])
        self.check(("--cpu", "0"), ("--cpu", "0", "--no-memory-lock"))

    def test_the_normal_build_at_either_end(self):
        self.check((), ("--cpu", "0"), program=RTECHO_GPOS)
        self.check(("--cpu", "0"), (), server_program=RTECHO_GPOS)

    def test_the_normal_build_has_the_same_windows(self):
        run = self.check((), (), program=RTECHO_GPOS, server_program=RTECHO_GPOS)
        self.assertEqual(run["tool"]["build"], "normal")
        for end in ("client", "server"):
            self.assertEqual(run["series"][0]["determinism"][end]["heap_allocations"], 0)
        self.assertEqual(run["series"][0]["wait"], {"client": "block", "server": "block"})


class OptionsOfTheNormalBuild(LinkTest):
    def test_ingredients_of_a_real_time_run_are_refused(self):
        for options in (("--cpu", "0"), ("--priority", "10"), ("--policy", "fifo"), ("--policy", "other"),
                        ("--no-memory-lock",), ("--strict",)):
            for command in (("client", "127.0.0.1"), ("server",)):
                with self.subTest(options=options, command=command[0]):
                    outcome = self.run_program(RTECHO_GPOS, *command, *options)
                    self.assertEqual(outcome.code, 2, str(outcome))
                    self.check_talk(outcome)
                    self.assertIn(options[0], outcome.err)

    def test_help_names_none_of_them(self):
        outcome = self.run_program(RTECHO_GPOS, "client", "--help")
        self.assertEqual(outcome.code, 0)
        for option in ("--cpu", "--priority", "--policy", "--strict", "--no-memory-lock"):
            self.assertNotIn(option, outcome.out)


if __name__ == "__main__":
    main()
