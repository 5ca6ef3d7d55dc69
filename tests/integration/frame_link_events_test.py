#!/usr/bin/env python3
"""Interfaces that go down, vanish, are renamed or moved in the middle of a run: it goes on or ends as documented, with a
run file that says what was measured until then."""

import subprocess
import time
import unittest

from frame_harness import IFACE, QUICK, OwnLinkTest, read_json
from pair_harness import ip, main

SESSION = "5eed5eed5eed0001"
FRAME_DRIVERS = ("ring", "pcap")
LONG = ("--for", "60s", "--rate", "200", "--warmup", "0", "--resume", "0")


class InTheMiddle(OwnLinkTest):
    def set_link(self, namespace, *what):
        ip("-n", namespace, "link", "set", IFACE, *what)

    def test_down_and_up_again(self):
        for driver in FRAME_DRIVERS:
            for protocol in ("eth", "udp"):
                for end in (self.link.a, self.link.b) if protocol == "eth" else (self.link.b,):
                    with self.subTest(driver=driver, protocol=protocol, end=end[:3]):
                        self.down_and_up(driver, protocol, end)

    def down_and_up(self, driver, protocol, end):
        server = self.frame_server(driver)
        client, path = self.begin(server, "--protocol", protocol, "--for", "2s", "--rate", "20", "--timeout-ms", "100",
                                  "--warmup", "0", "--resume", "0", driver=driver)
        self.set_link(end, "down")
        time.sleep(0.3)
        self.set_link(end, "up")
        outcome = client.wait()
        # What was refused was never sent: only what was lost makes the exit code 1.
        self.assertIn(outcome.code, (0, 1), str(outcome))
        run = self.load(path)
        self.assertTrue(run["complete"])
        series = run["series"][0]
        accounting = series["accounting"]["client"]
        self.assertGreater(accounting["lost"] + accounting["refused"], 0)
        self.assertGreater(accounting["answered"], 5)
        self.assertEqual(outcome.code, 1 if accounting["lost"] else 0)
        if end == self.link.b:
            self.assertGreater(series["port"]["client"]["link_down"], 0, series["port"])
        self.link_measure(server, *QUICK, program=self.program)  # the next run works at once
        self.stop_cleanly(server)

    def test_down_and_up_of_ends_without_control(self):
        for driver in FRAME_DRIVERS:
            with self.subTest(driver=driver):
                report = self.path("server.json")
                server = self.lone_server(SESSION, "--report", report, driver=driver)
                path = self.path("run.json")
                client = self.start_client(*self.lone_options(SESSION, "--out", path, "--for", "2s", "--rate", "20",
                                                              "--timeout-ms", "100", driver=driver), program=self.program)
                self.wait_until_measuring(client)
                self.set_link(self.link.a, "down")
                time.sleep(0.3)
                self.set_link(self.link.a, "up")
                outcome = client.wait()
                self.assertIn(outcome.code, (0, 1), str(outcome))
                client_counts = self.load(path)["series"][0]["accounting"]["client"]
                self.assertGreater(client_counts["answered"], 5)
                self.assertGreater(client_counts["lost"] + client_counts["refused"], 0)
                counts = self.counts_of(server)
                self.assertLessEqual(counts["requests"], client_counts["sent"])

    def begin_lone(self, driver="ring", *options):
        server = self.lone_server(SESSION, "--report", self.path("server.json"), driver=driver)
        path = self.path("lone.json")
        client = self.start_client(*self.lone_options(SESSION, "--out", path, *LONG, *options, driver=driver),
                                   program=self.program)
        self.wait_until_measuring(client)
        return server, client, path

    # Bug 1: sends that are refused are no timeouts, so nothing ends the run; with --for it even exits 0.
    def test_down_for_good(self):
        for driver in FRAME_DRIVERS:
            server, client, path = self.begin_lone(driver, "--timeout-ms", "100")
            self.set_link(self.link.b, "down")
            outcome = client.wait(7)  # 3 s without a valid reply end a run (docs/measurement.md)
            self.assertEqual(outcome.code, 5, str(outcome))
            self.assertFalse(self.load(path)["complete"])
            self.set_link(self.link.b, "up")
            self.counts_of(server)

    def gone(self, server, client, path, lone):
        outcome = client.wait(15)
        self.assertEqual(outcome.code, 5, str(outcome))
        self.check_talk(outcome)
        run = self.load(path)
        self.assertFalse(run["complete"])
        self.assertGreater(run["series"][0]["service"]["n"], 0)
        if lone:
            outcome = server.wait(15)
            self.assertEqual(outcome.code, 3, str(outcome))
            self.assertIn("went away", outcome.err)
            self.assertGreater(self.read_counts(outcome)["requests"], 0)
            self.assertGreater(read_json(self.path("server.json"))["series"][0]["accounting"]["server"]["requests"], 0)
        else:
            self.stop_cleanly(server)

    def vanish(self, act, alone=(True, False)):
        """Over every driver, with and without control."""
        for driver in FRAME_DRIVERS:
            for lone in alone:
                with self.subTest(driver=driver, lone=lone):
                    if lone:
                        server, client, path = self.begin_lone(driver)
                    else:
                        server = self.frame_server(driver)
                        client, path = self.begin(server, *LONG, "--protocol", "eth", driver=driver)
                    act()
                    self.gone(server, client, path, lone)
                    self.renew_link()

    def test_deleted(self):
        self.vanish(lambda: ip("-n", self.link.a, "link", "delete", IFACE))

    def test_moved_to_another_namespace(self):
        def move():
            for end, other in ((self.link.a, self.link.b), (self.link.b, self.link.a)):
                ip("-n", end, "link", "set", IFACE, "down")
                ip("-n", end, "link", "set", "dev", IFACE, "netns", other, "name", f"moved_{end[2]}")
        self.vanish(move)

    def test_deleted_while_it_is_down(self):
        def delete():
            self.set_link(self.link.a, "down")
            time.sleep(0.1)
            ip("-n", self.link.a, "link", "delete", IFACE)
        self.vanish(delete, alone=(True,))

    def rename(self):
        for end in (self.link.a, self.link.b):
            done = subprocess.run(["ip", "-n", end, "link", "set", IFACE, "name", "other0"], capture_output=True,
                                  text=True, check=False)
            if done.returncode:
                self.skipTest(f"this kernel renames no interface that is up: {done.stderr.strip()}")

    def renamed(self, driver, protocol, sizes):
        server = self.frame_server(driver)
        client, path = self.begin(server, "--protocol", protocol, "--sizes", sizes, "--for", "1s", "--rate", "200",
                                  "--timeout-ms", "2000", driver=driver)
        self.rename()
        run, _ = self.finish(client, path)
        self.assertEqual(len(run["series"]), len(sizes.split(",")))
        for series in run["series"]:
            self.check_clean(series)
        self.stop_cleanly(server)
        for end in (self.link.a, self.link.b):
            ip("-n", end, "link", "set", "other0", "name", IFACE)

    def test_renamed(self):
        for driver in FRAME_DRIVERS:
            for protocol in ("eth", "udp"):
                with self.subTest(driver=driver, protocol=protocol):
                    self.renamed(driver, protocol, "64")

    def test_renamed_before_further_series(self):
        self.renamed("ring", "eth", "64,128")
        self.renamed("ring", "udp", "64,128")

    def test_renamed_before_further_series_over_libpcap(self):
        self.renamed("pcap", "eth", "64,128")


if __name__ == "__main__":
    main()
