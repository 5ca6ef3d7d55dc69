#!/usr/bin/env python3
"""Whoever stops, however: the other end notices, the file is valid, and the next run works at once."""

import os
import signal
import socket
import time

from pair_harness import LinkTest, PairTest, RTECHO, RTECHO_GPOS, SCHEDULING_ALLOWANCE_S, main

LONG = ("--for", "60s", "--warmup", "0", "--resume", "0")
QUICK = ("--count", "100", "--warmup", "0", "--timeout-ms", "2000")


class Stops(LinkTest):
    def begin(self, server, *options, program=RTECHO_GPOS, name="partial.json", sizes="64"):
        """A client in the middle of its measurement."""
        path = self.path(name)
        client = self.start_client(server.target, "--netns", self.link.b, *LONG, "--sizes", sizes, "--out", path,
                                   *options, program=program)
        self.wait_until_measuring(client)
        self.assertIsNone(client.process.poll())
        return client, path

    def check_partial(self, path, sizes=1):
        run = self.load(path)
        self.assertFalse(run["complete"])
        self.assertLessEqual(len(run["series"]), sizes)
        series = run["series"][-1]
        client = series["accounting"]["client"]
        self.assertLessEqual(client["unresolved"], run["plan"]["window"])
        self.assertEqual(client["lost"], 0)
        self.assertGreater(series["service"]["n"], 0)
        return run

    def check_serves(self, server, program=RTECHO_GPOS, *options):
        self.link_measure(server, *QUICK, *options, program=program, name="after.json")

    def interrupt(self, number, program, *options, server_options=()):
        server = self.link_server(*server_options, program=program)
        client, path = self.begin(server, *options, program=program)
        stopped = time.monotonic()
        client.send(number)
        outcome = client.wait(20)
        seconds = time.monotonic() - stopped
        self.assertEqual(outcome.code, 130, str(outcome))
        self.assertLess(seconds, 0.2 + SCHEDULING_ALLOWANCE_S)
        self.check_talk(outcome)
        run = self.check_partial(path)
        self.check_serves(server, program)
        self.stop_cleanly(server)
        return run

    def test_interrupt_of_a_client(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for program in (RTECHO, RTECHO_GPOS):
                with self.subTest(signal=number, program=program):
                    self.interrupt(number, program)

    def test_interrupt_of_a_paced_client(self):
        self.interrupt(signal.SIGINT, RTECHO_GPOS, "--rate", "5000", "--window", "16")

    def test_interrupt_of_a_client_between_far_slots(self):
        # The next message is due after seconds; the stop does not wait for it.
        server = self.link_server(program=RTECHO_GPOS)
        client, path = self.begin(server, "--interval", "5000000")
        stopped = time.monotonic()
        client.send(signal.SIGINT)
        self.assertEqual(client.wait(20).code, 130)
        self.assertLess(time.monotonic() - stopped, 0.2 + SCHEDULING_ALLOWANCE_S)
        self.load(path)
        self.stop_cleanly(server)

    def test_interrupt_in_a_long_rest(self):
        self.interrupt(signal.SIGINT, RTECHO_GPOS, "--rest-ms", "30000")

    def test_interrupt_in_a_later_series_keeps_the_earlier_one(self):
        server = self.link_server(program=RTECHO_GPOS)
        path = self.path("partial.json")
        client = self.start_client(server.target, "--netns", self.link.b, "--for", "1s", "--sizes", "64,128,256",
                                   "--out", path, program=RTECHO_GPOS)
        time.sleep(2.0)
        client.send(signal.SIGINT)
        self.assertIn(client.wait(20).code, (130,))
        run = self.load(path)
        self.assertFalse(run["complete"])
        self.assertEqual([series["message_bytes"] for series in run["series"]], [64, 128, 256][:len(run["series"])])
        self.stop_cleanly(server)

    def test_the_stop_of_a_server_in_the_middle(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                server = self.link_server(program=RTECHO_GPOS)
                client, path = self.begin(server)
                stopped = time.monotonic()
                server.send(number)
                self.assertEqual(server.wait(20).code, 0)
                self.assertLess(time.monotonic() - stopped, 0.2 + SCHEDULING_ALLOWANCE_S)
                outcome = client.wait(20)
                self.assertEqual(outcome.code, 5, str(outcome))
                self.check_talk(outcome)
                self.check_gone(path)

    def check_gone(self, path):
        run = self.load(path)
        self.assertFalse(run["complete"])
        self.assertGreater(run["series"][0]["service"]["n"], 0)

    def test_the_death_of_a_server_and_its_successor_on_the_same_port(self):
        for protocol in ("udp", "tcp"):
            with self.subTest(protocol=protocol):
                server = self.link_server(program=RTECHO_GPOS)
                path = self.path("partial.json")
                client = self.start_client(server.target, "--netns", self.link.b, *LONG, "--protocol", protocol,
                                           "--out", path, program=RTECHO_GPOS)
                self.wait_until_measuring(client)
                server.send(signal.SIGKILL)
                server.wait()
                outcome = client.wait(20)
                self.assertEqual(outcome.code, 5, str(outcome))
                self.check_gone(path)
                successor = self.link_server(program=RTECHO_GPOS, port=server.port)
                self.assertEqual(successor.port, server.port)
                self.check_serves(successor, RTECHO_GPOS, "--protocol", protocol)
                self.stop_cleanly(successor)

    def test_the_death_of_a_client_frees_the_server_at_once(self):
        for program in (RTECHO, RTECHO_GPOS):
            with self.subTest(program=program):
                server = self.link_server(program=program)
                client, path = self.begin(server, program=program)
                client.send(signal.SIGKILL)
                client.wait()
                self.assertFalse(os.path.exists(path), "half a file")
                self.check_serves(server, program, "--wait-for-server", "2")
                self.stop_cleanly(server)

    def test_a_client_that_stands_still_loses_its_server(self):
        server = self.link_server(program=RTECHO_GPOS)
        client, path = self.begin(server)
        client.send(signal.SIGSTOP)
        try:
            busy = self.run_client(server.target, "--netns", self.link.b, *QUICK, code=5, program=RTECHO_GPOS)
            self.assertIn("busy", busy.err)
            began = time.monotonic()
            self.check_serves(server, RTECHO_GPOS, "--wait-for-server", "20")
            self.assertLess(time.monotonic() - began, 2 + 2 * SCHEDULING_ALLOWANCE_S)
        finally:
            client.send(signal.SIGCONT)
        outcome = client.wait(20)
        self.assertEqual(outcome.code, 5, str(outcome))
        self.check_gone(path)
        self.stop_cleanly(server)

    def test_a_server_that_stands_still_loses_its_client(self):
        server = self.link_server(program=RTECHO_GPOS)
        client, path = self.begin(server)
        server.send(signal.SIGSTOP)
        try:
            outcome = client.wait(30)
        finally:
            server.send(signal.SIGCONT)
        self.assertEqual(outcome.code, 5, str(outcome))
        run = self.load(path)
        self.assertEqual(run["series"][0]["accounting"]["client"]["lost"], 10)
        self.check_serves(server, RTECHO_GPOS, "--wait-for-server", "10")
        self.stop_cleanly(server)

    def test_other_signals_do_no_harm(self):
        server = self.link_server(program=RTECHO_GPOS)
        client, path = self.begin(server)
        for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGURG, signal.SIGPIPE):
            client.send(number)
            server.send(number)
            time.sleep(0.02)
        self.assertIsNone(client.process.poll())
        self.assertIsNone(server.process.poll())
        client.send(signal.SIGINT)
        self.assertEqual(client.wait(20).code, 130)
        self.check_partial(path)
        self.stop_cleanly(server)


class IdleServers(PairTest):
    def test_stop(self):
        for program in (RTECHO, RTECHO_GPOS):
            for number in (signal.SIGTERM, signal.SIGINT):
                server = self.start_server(program=program)
                stopped = time.monotonic()
                server.send(number)
                self.assertEqual(server.wait(20).code, 0)
                self.assertLess(time.monotonic() - stopped, 0.2 + SCHEDULING_ALLOWANCE_S)

    def test_an_idle_server_uses_no_time_and_no_thread(self):
        server = self.start_server()
        time.sleep(0.3)
        folder = f"/proc/{server.process.pid}"
        self.assertEqual(len(os.listdir(f"{folder}/task")), 1)
        self.run_client(server.target, *QUICK, code=None)  # degraded where nobody may lock memory
        time.sleep(0.3)
        self.assertEqual(len(os.listdir(f"{folder}/task")), 1)

        def ticks():
            with open(f"{folder}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])
        before = ticks()
        time.sleep(1)
        self.assertLessEqual(ticks() - before, 1)
        self.stop_cleanly(server)

    def test_for_a_time(self):
        server = self.start_server("--for", "500ms", program=RTECHO_GPOS)
        outcome = server.wait(20)
        self.assertEqual(outcome.code, 0)
        self.assertGreaterEqual(outcome.seconds, 0.5)

    def test_no_descriptor_is_left_by_many_runs(self):
        server = self.start_server(program=RTECHO_GPOS)
        folder = f"/proc/{server.process.pid}/fd"
        self.run_client(server.target, *QUICK, program=RTECHO_GPOS)
        time.sleep(0.2)
        before = len(os.listdir(folder))
        for protocol in ("udp", "tcp", "tcp", "udp"):
            self.run_client(server.target, *QUICK, "--protocol", protocol, "--sizes", "1,64", program=RTECHO_GPOS)
        for _ in range(3):
            socket.create_connection(("127.0.0.1", server.port)).close()
        time.sleep(0.3)
        self.assertEqual(len(os.listdir(folder)), before)
        self.stop_cleanly(server)

    def test_a_client_that_waits_for_a_server_can_be_stopped(self):
        with socket.socket() as held:
            held.bind(("127.0.0.1", 0))  # bound, not listening: refused
            client = self.start_client(f"127.0.0.1:{held.getsockname()[1]}", "--wait-for-server", "60",
                                       program=RTECHO_GPOS)
            time.sleep(0.6)
            stopped = time.monotonic()
            client.send(signal.SIGINT)
            outcome = client.wait(20)
        self.assertEqual(outcome.code, 130, str(outcome))
        self.assertLess(time.monotonic() - stopped, 0.2 + SCHEDULING_ALLOWANCE_S)


if __name__ == "__main__":
    main()
