#!/usr/bin/env python3
"""Two machines, one cable, no IP: both ends are told what they would else agree on. Over interfaces without a single
address."""

import os
import signal
import struct
import subprocess
import time

from fake_peers import sequence_of
from frame_harness import ETH_ECHO, IFACE, FrameTest, Injector, Sniffer, interrupt, message_in, read_json
from pair_harness import RTECHO, RTECHO_GPOS, ip, main

SESSION, OTHER = "5eed5eed5eed0001", "5eed5eed5eed0002"
SHORT = ("--count", "200", "--warmup", "20", "--timeout-ms", "2000")
STRANGER = "02:00:00:00:00:77"


class NoControl(FrameTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for namespace in (cls.link.a, cls.link.b):
            subprocess.run(["ip", "netns", "exec", namespace, "sh", "-c",
                            f"echo 1 > /proc/sys/net/ipv6/conf/{IFACE}/disable_ipv6"], check=False)
            ip("-n", namespace, "address", "flush", "dev", IFACE)

    def lone_measure(self, *options, session=SESSION, code=0, driver="ring", peer=None, program=None, name="run.json"):
        path = self.path(name)
        outcome = self.run_client(*self.lone_options(session, "--out", path, *options, driver=driver, peer=peer),
                                  code=code, program=program or self.program)
        return (self.load(path) if os.path.exists(path) else None), outcome

    def all_lost(self, *options, **named):
        """A client that nobody answers: it gives up by itself, and says so."""
        run, outcome = self.lone_measure("--warmup", "0", "--resume", "0", "--timeout-ms", "50", *options, code=5,
                                         name="lost.json", **named)
        self.assertIn("does not answer", outcome.err)
        self.assertFalse(run["complete"])
        client = run["series"][0]["accounting"]["client"]
        self.assertEqual((client["answered"], client["frames"]), (0, 0))
        self.assertGreaterEqual(client["sent"], 10)
        os.unlink(self.path("lost.json"))
        return client


class WithoutAddresses(NoControl):
    def test_there_are_no_addresses(self):
        for namespace in (self.link.a, self.link.b):
            shown = subprocess.run(["ip", "-n", namespace, "-brief", "address", "show", "dev", IFACE],
                                   capture_output=True, text=True, check=True).stdout
            self.assertEqual(len(shown.split()), 2, shown)  # its name and its state

    def pair(self, driver, program, size):
        server = self.lone_server(SESSION, "--message-bytes", str(size), driver=driver, program=program)
        self.assertEqual(server.ready_line.split(), ["ready", self.mac_text(self.link.a), "0"])
        run, _ = self.lone_measure("--sizes", str(size), *SHORT, driver=driver, program=program)
        counts = self.counts_of(server)
        self.assertTrue(run["complete"])
        self.assertFalse(run["realtime"])
        self.assertIsNone(run["server"])
        for note in ("server", "realtime"):
            self.assertIn("--no-control", run["notes"][note])
        series = run["series"][0]
        client = series["accounting"]["client"]
        self.assertIsNone(series["accounting"]["server"])
        self.assertIn("accounting.server", series["notes"])
        self.assertEqual(series["client_driver"], driver)
        self.assertEqual((client["lost"], client["sent"]), (0, client["answered"]))
        self.assertEqual((counts["frames"], counts["requests"], counts["replies"]), (client["sent"],) * 3)
        self.assertEqual(sum(counts.values()), 3 * client["sent"], counts)

    def test_every_driver_and_build_and_form(self):
        for driver in ("ring", "pcap"):
            for program in (RTECHO, RTECHO_GPOS):
                for size in (1, 15, 16, 64, 1498):
                    with self.subTest(driver=driver, program=program, size=size):
                        self.pair(driver, program, size)

    def test_only_our_own_ethertype_is_on_the_wire(self):
        with Sniffer(self.link.a) as up, Sniffer(self.link.b) as down:
            self.pair("ring", RTECHO_GPOS, 64)
            for sniffer in (up, down):
                frames = sniffer.frames()
                self.assertGreater(len(frames), 200)
                self.assertEqual({frame[12:14] for frame in frames}, {ETH_ECHO.to_bytes(2, "big")})

    def test_pinned_real_time_ends_do_not_call_it_real_time(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")
        server = self.lone_server(SESSION, "--cpu", "0", program=RTECHO)
        run, _ = self.lone_measure("--cpu", "1", *SHORT, program=RTECHO)
        self.assertFalse(run["realtime"])
        self.counts_of(server)

    def test_a_vlan(self):
        server = self.lone_server(SESSION, "--vlan", "7")
        self.lone_measure("--vlan", "7", *SHORT)
        self.all_lost("--vlan", "8")
        self.all_lost()
        self.counts_of(server)

    def test_the_report_of_the_server(self):
        report = self.path("server.json")
        for driver in ("ring", "pcap"):
            server = self.lone_server(SESSION, "--report", report, driver=driver)
            run, _ = self.lone_measure(*SHORT, driver=driver)
            counts = self.counts_of(server)
            half = read_json(report)
            self.assertEqual((half["schema"], half["complete"]), ("rtecho.run/1", False))
            series = half["series"][0]
            self.assertEqual((series["protocol"], series["server_driver"], series["message_bytes"]), ("eth", driver, 64))
            self.assertEqual(series["accounting"]["server"]["requests"], counts["requests"])
            self.assertEqual(counts["requests"], run["series"][0]["accounting"]["client"]["sent"])

    def test_for_a_time(self):
        report = self.path("server.json")
        server = self.lone_server(SESSION, "--for", "1s", "--report", report)
        outcome = server.wait(20)
        self.assertEqual(outcome.code, 0, str(outcome))
        self.assertGreaterEqual(outcome.seconds, 1)
        self.assertEqual(self.read_counts(outcome)["frames"], 0)
        self.assertEqual(read_json(report)["series"][0]["accounting"]["server"]["frames"], 0)

    def test_for_a_time_at_the_client(self):
        server = self.lone_server(SESSION)
        run, outcome = self.lone_measure("--for", "1s", "--warmup", "0")
        self.assertGreaterEqual(outcome.seconds, 1)
        self.assertEqual(self.counts_of(server)["requests"], run["series"][0]["accounting"]["client"]["sent"])


class Strangers(NoControl):
    program = RTECHO_GPOS

    def test_another_session(self):
        for driver in ("ring", "pcap"):
            for size in ("16", "64"):
                with self.subTest(driver=driver, size=size):
                    server = self.lone_server(SESSION, "--message-bytes", size, driver=driver)
                    lost = self.all_lost("--sizes", size, session=OTHER, driver=driver)
                    counts = self.counts_of(server)
                    self.assertEqual((counts["frames"], counts["of other sessions"], counts["replies"]),
                                     (lost["sent"], lost["sent"], 0))

    def test_another_size(self):
        server = self.lone_server(SESSION)
        lost = self.all_lost("--sizes", "100")
        counts = self.counts_of(server)
        self.assertEqual((counts["frames"], counts["malformed"], counts["replies"]), (lost["sent"], lost["sent"], 0))

    def test_a_station_that_is_not_there(self):
        server = self.lone_server(SESSION)
        self.all_lost(peer=STRANGER)
        self.assertEqual(self.counts_of(server)["frames"], 0)

    def test_stations_that_nobody_can_be(self):
        for peer in ("00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "33:33:00:00:00:01",
                     self.mac_text(self.link.b), "02:00:00:00:00", "02:00:00:00:00:0g", "02-00-00-00-00-0a-0b", "x", ""):
            with self.subTest(peer=peer):
                path = self.path("none.json")
                outcome = self.run_client(*self.lone_options(SESSION, "--out", path, peer=peer or "x"), code=2,
                                          program=RTECHO_GPOS)
                self.assertIn("--peer-mac", outcome.err)
                self.assertFalse(os.path.exists(path))
        for peer in ("00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", self.mac_text(self.link.a)):
            outcome = self.run_program(RTECHO_GPOS, "server", "--netns", self.link.a, *self.over("ring"),
                                       "--no-control", "--session", SESSION, "--peer-mac", peer)
            self.assertEqual(outcome.code, 2, str(outcome))
            self.assertIn("--peer-mac", outcome.err)

    def test_a_server_that_serves_one_station(self):
        report = self.path("server.json")
        server = self.lone_server(SESSION, "--peer-mac", self.mac_text(self.link.b))
        run, _ = self.lone_measure(*SHORT)
        self.assertEqual(self.counts_of(server)["requests"], run["series"][0]["accounting"]["client"]["sent"])
        for driver in ("ring", "pcap"):
            server = self.lone_server(SESSION, "--peer-mac", STRANGER, "--report", report, driver=driver)
            lost = self.all_lost(driver=driver)
            self.assertEqual(self.counts_of(server)["frames"], 0)
            port = read_json(report)["series"][0]["port"]["server"]
            self.assertEqual(port["foreign_frames"], lost["sent"])

    def test_every_station_is_answered_where_it_asked_from(self):
        server = self.lone_server(SESSION)
        stations = [bytes((2, 0, 0, 0, 1, i)) for i in range(20)]
        with Sniffer(self.link.b, (12, 2, ETH_ECHO)) as sniffer, Injector(self.link.b) as injector:
            for i, station in enumerate(stations):
                injector.send(self.raw_request(SESSION, i, source=station))
            # Who can be nobody gets nothing: groups, everybody, nobody, the server itself.
            for source in (b"\x01\0\x5e\0\0\1", b"\xff" * 6, bytes(6), self.mac(self.link.a)):
                injector.send(self.raw_request(SESSION, 50, source=source))
            injector.send(self.raw_request(SESSION, 60))
            sniffer.wait_for(21, self.is_reply)
            time.sleep(0.1)
            replies = [(frame[:6], sequence_of(message_in(frame))) for frame in sniffer.frames()]
        self.assertEqual(replies, list(zip(stations, range(20))) + [(self.mac(self.link.b), 60)])
        self.assertEqual({frame[6:12] for frame in sniffer.seen}, {self.mac(self.link.a)})
        self.assertEqual(self.counts_of(server)["requests"], 21)

    def test_a_second_client_with_the_same_session(self):
        server = self.lone_server(SESSION)
        first, _ = self.lone_measure(*SHORT)
        second, _ = self.lone_measure(*SHORT)
        counts = self.counts_of(server)
        sent = [run["series"][0]["accounting"]["client"]["sent"] for run in (first, second)]
        self.assertEqual((counts["requests"], counts["repeated"]), (max(sent), min(sent)))
        self.assertEqual(counts["replies"], sum(sent))

    def test_a_client_after_a_long_one_with_the_same_session(self):
        # So old that the server's window has forgotten its sequences: still answered.
        server = self.lone_server(SESSION)
        first, _ = self.lone_measure("--count", "70000", "--timeout-ms", "2000", "--window", "32", "--burst", "32")
        second, _ = self.lone_measure(*SHORT)
        counts = self.counts_of(server)
        sent = [run["series"][0]["accounting"]["client"]["sent"] for run in (first, second)]
        self.assertEqual(counts["replies"], sum(sent))
        self.assertEqual((counts["requests"], counts["repeated"]), tuple(sent))

    def test_two_servers_with_sessions_of_their_own_on_one_interface(self):
        one, two = self.lone_server(SESSION), self.lone_server(OTHER)
        run, _ = self.lone_measure(*SHORT)
        self.assertEqual(run["series"][0]["accounting"]["client"]["duplicate"], 0)
        counts = self.counts_of(one), self.counts_of(two)
        sent = run["series"][0]["accounting"]["client"]["sent"]
        self.assertEqual((counts[0]["requests"], counts[1]["requests"], counts[1]["of other sessions"]), (sent, 0, sent))

    def test_two_servers_with_the_same_session(self):
        one, two = self.lone_server(SESSION), self.lone_server(SESSION)
        run, _ = self.lone_measure("--count", "100", "--warmup", "0", "--resume", "0", "--timeout-ms", "2000")
        client = run["series"][0]["accounting"]["client"]
        self.assertEqual((client["lost"], client["answered"], client["stray"]), (0, 100, 0))
        self.assertGreaterEqual(client["duplicate"], 90)  # the last ones may come after the end
        self.counts_of(one)
        self.counts_of(two)


class Usage(NoControl):
    def refused(self, command, *options, says, code=2):
        with self.subTest(command=command, options=options):
            outcome = self.run_program(RTECHO_GPOS, command, "--netns",
                                       self.link.a if command == "server" else self.link.b, *options)
            self.assertEqual(outcome.code, code, str(outcome))
            self.check_talk(outcome)
            self.assertIn(says, outcome.err)

    def test_what_does_not_belong_together(self):
        ring = self.over("ring")
        for command in ("server", "client"):
            peer = () if command == "server" else ("--peer-mac", STRANGER, "--protocol", "eth")
            self.refused(command, *ring, *peer, "--no-control", says="--session")
            self.refused(command, *ring, *peer, "--session", SESSION, says="--no-control")
            for session in ("x", "5eed", "5eed5eed5eed00011", "5eed5eed5eed000g", "0x5eed5eed5eed00", "-1"):
                self.refused(command, *ring, *peer, "--no-control", "--session", session, says="--session")
            self.refused(command, "--no-control", "--session", SESSION, *peer, says="frame driver")
            self.refused(command, "--driver", "ring", "--no-control", "--session", SESSION, *peer, says="--iface")
        lone = (*ring, "--no-control", "--session", SESSION)
        self.refused("client", *lone, "--peer-mac", STRANGER, says="--protocol eth")
        self.refused("client", *lone, "--protocol", "eth", says="--peer-mac")
        self.refused("client", *lone, "--protocol", "eth", "--peer-mac", STRANGER, "--sizes", "64,65", says="one size")
        self.refused("client", *lone, "--protocol", "eth", "--peer-mac", STRANGER, "10.0.0.1", says="no server address")
        self.refused("server", *lone, "--message-bytes", "0", says="--message-bytes")
        self.refused("server", *lone, "--message-bytes", "1499", says="MTU 1500")
        self.refused("client", "--driver", "socket", "--capture", self.path("x.pcap"), "10.0.0.1", says="--capture")

    def test_a_size_that_the_client_s_interface_cannot_carry(self):
        run, _ = self.lone_measure("--sizes", "1499")
        self.assertEqual((run["series"], run["complete"]), ([], True))
        self.assertIn("MTU 1500", run["notes"]["series.eth.1499"])

    def test_the_interfaces_are_listed(self):
        outcome = self.run_program(RTECHO_GPOS, "server", "--netns", self.link.a, "--list-interfaces")
        self.assertEqual((outcome.code, outcome.err), (0, ""), str(outcome))
        line = next(line for line in outcome.out.splitlines() if line.startswith(IFACE))
        self.assertIn(self.mac_text(self.link.a), line)
        self.assertTrue(any(line.startswith("lo ") and "loopback" in line for line in outcome.out.splitlines()))


class Stops(NoControl):
    program = RTECHO_GPOS
    LONG = ("--for", "60s", "--warmup", "0", "--resume", "0")

    def begin_lone(self, *options, driver="ring"):
        path = self.path("partial.json")
        client = self.start_client(*self.lone_options(SESSION, *self.LONG, "--out", path, *options, driver=driver),
                                   program=self.program)
        self.wait_until_measuring(client)
        return client, path

    def test_the_interrupt_of_a_client(self):
        for driver in ("ring", "pcap"):
            server = self.lone_server(SESSION, driver=driver)
            client, path = self.begin_lone(driver=driver)
            interrupt(client)
            self.assertEqual(client.wait(20).code, 130)
            run = self.load(path)
            self.assertFalse(run["complete"])
            accounting = run["series"][0]["accounting"]["client"]
            self.assertLessEqual(accounting["unresolved"], 1)
            self.assertGreater(accounting["answered"], 0)
            self.assertEqual(accounting["lost"], 0)
            counts = self.counts_of(server)
            self.assertEqual(counts["requests"], accounting["sent"])

    def test_the_interrupt_of_a_server(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = self.lone_server(SESSION)
            client, path = self.begin_lone()
            server.send(number)
            outcome = server.wait(20)
            self.assertEqual(outcome.code, 0, str(outcome))
            self.assertGreater(self.read_counts(outcome)["requests"], 0)
            gone = client.wait(20)
            self.assertEqual(gone.code, 5, str(gone))
            self.check_talk(gone)
            run = self.load(path)
            self.assertFalse(run["complete"])
            self.assertGreater(run["series"][0]["service"]["n"], 0)

    def test_a_server_that_comes_back_with_the_session(self):
        server = self.lone_server(SESSION)
        client, path = self.begin_lone("--timeout-ms", "500")
        server.send(signal.SIGKILL)
        server.wait()
        server = self.lone_server(SESSION)  # within the 3 s that the client waits
        time.sleep(1.5)
        self.assertIsNone(client.process.poll())
        interrupt(client)
        self.assertEqual(client.wait(20).code, 130)
        accounting = self.load(path)["series"][0]["accounting"]["client"]
        self.assertLessEqual(accounting["lost"], 2)
        self.assertGreater(self.counts_of(server)["requests"], 0)


if __name__ == "__main__":
    main()
