#!/usr/bin/env python3
"""Without privilege: the run says what was missing and how to get it, calls itself degraded, and never real-time."""

import os
import shutil
import subprocess

from pair_harness import PairTest, RTECHO, RTECHO_GPOS, main

USER = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
SHORT = ("--count", "300", "--warmup", "50", "--timeout-ms", "2000")


class Unprivileged(PairTest):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("prlimit"):
            self.skipTest("becoming another user needs root, setpriv and prlimit")
        os.chmod(self.folder, 0o777)

    def limited(self, rtprio="0", memlock="65536"):
        return ("prlimit", f"--rtprio={rtprio}", f"--memlock={memlock}", *USER)

    def raised(self, rtprio):
        """A user who was given limits. Raising them needs CAP_SYS_RESOURCE, which a container may not have."""
        prefix = self.limited(rtprio, "unlimited")
        tried = subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False)
        if tried.returncode:
            self.skipTest(f"limits cannot be raised here: {tried.stderr.strip()}")
        return prefix

    def run_degraded(self, *options, prefix, code=4, server_options=(), server_prefix=()):
        server = self.start_server(*server_options, prefix=server_prefix)
        path = self.path("run.json")
        outcome = self.run_client(server.target, *SHORT, "--out", path, *options, prefix=prefix, code=code)
        self.stop_cleanly(server)
        return (self.load(path) if os.path.exists(path) else None), outcome

    def test_a_client_without_privilege(self):
        run, outcome = self.run_degraded("--cpu", "0", prefix=self.limited(), server_options=("--cpu", "0"))
        self.assertFalse(run["realtime"])
        self.assertTrue(run["complete"])
        reasons = "\n".join(run["client"]["degraded"])
        for words in (("CAP_SYS_NICE", "rtprio"), ("CAP_IPC_LOCK", "memlock")):
            for word in words:
                self.assertIn(word.lower(), reasons.lower())
        self.assertEqual(run["client"]["granted"]["policy"], "other")
        self.assertFalse(run["client"]["granted"]["memory_locked"])
        self.assertEqual(run["server"]["degraded"], [])
        self.assertIn("degraded", (outcome.out + outcome.err).lower())

    def test_a_server_without_privilege(self):
        run, _ = self.run_degraded("--cpu", "0", prefix=(), server_options=("--cpu", "0"),
                                   server_prefix=self.limited())
        self.assertFalse(run["realtime"])
        self.assertIn("CAP_SYS_NICE", "\n".join(run["server"]["degraded"]))
        self.assertIn("CAP_IPC_LOCK", "\n".join(run["server"]["degraded"]))
        self.assertEqual(run["server"]["granted"]["policy"], "other")

    def test_strict_refuses_at_the_client(self):
        run, outcome = self.run_degraded("--cpu", "0", "--strict", prefix=self.limited(), code=3)
        self.assertIn("--strict", outcome.err)
        self.assertIn("CAP_SYS_NICE", outcome.err)

    def test_strict_refuses_at_the_server(self):
        _, outcome = self.run_degraded(prefix=(), code=5, server_options=("--strict", "--cpu", "0"),
                                       server_prefix=self.limited())
        self.assertIn("CAP_SYS_NICE", outcome.err)

    def test_a_memory_limit_alone(self):
        # Root keeps CAP_SYS_NICE; without CAP_IPC_LOCK only the limit counts.
        prefix = ("prlimit", "--memlock=65536", "setpriv", "--bounding-set", "-ipc_lock")
        run, _ = self.run_degraded("--cpu", "0", prefix=prefix)
        reasons = run["client"]["degraded"]
        self.assertTrue(reasons)
        for reason in reasons:
            self.assertIn("memlock", reason)
        self.assertEqual(run["client"]["granted"]["policy"], "fifo")

    def test_limits_are_enough(self):
        # No capability at all, but the limits of a user who was given them.
        prefix = self.raised("90")
        run, _ = self.run_degraded("--cpu", "0", prefix=prefix, code=None, server_options=("--cpu", "0"))
        self.assertEqual(run["client"]["granted"]["policy"], "fifo", run["client"]["degraded"])
        self.assertTrue(run["client"]["granted"]["memory_locked"])

    def test_a_priority_above_the_limit(self):
        prefix = self.raised("50")
        run, _ = self.run_degraded("--cpu", "0", "--priority", "80", prefix=prefix)
        self.assertIn("rtprio", "\n".join(run["client"]["degraded"]).lower())

    def test_what_was_not_asked_for_is_not_missed(self):
        run, _ = self.run_degraded("--policy", "other", "--no-memory-lock", prefix=self.limited(), code=None)
        reasons = "\n".join(run["client"]["degraded"])
        self.assertNotIn("CAP_SYS_NICE", reasons)
        self.assertNotIn("CAP_IPC_LOCK", reasons)

    def test_the_normal_build_needs_nothing(self):
        server = self.start_server(program=RTECHO_GPOS, prefix=self.limited())
        path = self.path("run.json")
        self.run_client(server.target, *SHORT, "--out", path, program=RTECHO_GPOS, prefix=self.limited())
        self.assertEqual(self.load(path)["client"]["degraded"], [])
        self.stop_cleanly(server)

    def test_capabilities_are_dropped(self):
        server = self.start_server("--cpu", "0")
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            effective = next(int(line.split()[1], 16) for line in file if line.startswith("CapEff"))
        # net_admin 12, ipc_lock 14, sys_nice 23
        self.assertEqual(effective & ~((1 << 12) | (1 << 14) | (1 << 23)), 0, hex(effective))
        self.stop_cleanly(server)


if __name__ == "__main__":
    main()
