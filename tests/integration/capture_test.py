#!/usr/bin/env python3
"""Captures: the frames of the first and of the slowest messages of each series, at either end, in files that the usual
tools read."""

import os
import struct
import subprocess
import unittest

from fake_peers import sequence_of
from frame_harness import ETH_ECHO, FrameTest, interrupt, message_in, tool_is_missing
from pair_harness import PATIENCE_S, RTECHO, RTECHO_GPOS, main

SESSION = "5eed5eed5eed0001"
RUN = ("--count", "300", "--warmup", "20", "--timeout-ms", "2000")
OWN_A, OWN_B = "10.78.0.101", "10.78.0.102"
NANOSECONDS, ETHERNET = 0xA1B23C4D, 1
FIRST, SLOWEST = 16, 16


class Captures(FrameTest):
    def read_pcap(self, path):
        """(time in ns, frame, its whole length), whatever the file's byte order."""
        with open(path, "rb") as file:
            data = file.read()
        order = "<" if struct.unpack_from("<I", data)[0] == NANOSECONDS else ">"
        magic, major, minor, _, _, _, link = struct.unpack_from(f"{order}IHHiIII", data)
        self.assertEqual((magic, major, minor, link), (NANOSECONDS, 2, 4, ETHERNET))
        records, at = [], 24
        while at < len(data):
            seconds, nanoseconds, kept, length = struct.unpack_from(f"{order}IIII", data, at)
            self.assertLess(nanoseconds, 1_000_000_000)
            self.assertLessEqual(kept, length)
            records.append((seconds * 1_000_000_000 + nanoseconds, data[at + 16:at + 16 + kept], length))
            at += 16 + kept
        self.assertEqual(at, len(data), "the last record is cut")
        return records

    def check_capture(self, path, end, size, frame_bytes, source_of_requests):
        """Pairs of request and reply, in order of time; the first 16 messages are among them."""
        records = self.read_pcap(path)
        self.assertEqual(len(records), 2 * (FIRST + SLOWEST))
        times = [time for time, _, _ in records]
        self.assertEqual(times, sorted(times))
        asked, answered = {}, {}
        for time, frame, length in records:
            self.assertEqual(length, frame_bytes)
            reply = frame[6:12] != source_of_requests
            if length == len(frame):
                self.assertEqual(len(message_in(frame)), size)
                self.assertEqual(self.is_reply(frame), reply)
            sequence = sequence_of(message_in(frame)[:size])
            (answered if reply else asked)[sequence] = time
        self.assertEqual(set(asked), set(answered), end)
        self.assertEqual(sorted(asked)[:FIRST], list(range(FIRST)), end)
        for sequence, time in asked.items():
            self.assertLess(time, answered[sequence])
        return asked, answered

    def read_with_tools(self, path, records):
        """How tshark and tcpdump see it."""
        if not tool_is_missing("tcpdump"):
            done = subprocess.run(["tcpdump", "-e", "-nn", "-vv", "-r", path], capture_output=True, text=True,
                                  check=True, timeout=PATIENCE_S)
            self.assertNotIn("bad udp cksum", done.stdout)
            self.assertNotIn("bad cksum", done.stdout)
        if tool_is_missing("tshark"):
            print("not read by tshark: it is not installed")
            return []
        done = subprocess.run(["tshark", "-r", path, "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
                               "-T", "fields", "-e", "frame.len", "-e", "eth.type", "-e", "ip.checksum.status", "-e",
                               "udp.checksum.status", "-e", "vlan.id"], capture_output=True, text=True, check=True,
                              timeout=PATIENCE_S, env={**os.environ, "HOME": self.folder})
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), records)
        return lines

    def both_ends(self, protocol, sizes, driver="ring", at_server=(), at_client=(), program=RTECHO_GPOS):
        """The paths of both ends' captures after a run with control."""
        at_a, at_b = self.path("server.pcap"), self.path("client.pcap")
        server = self.frame_server(driver, "--capture", at_a, *at_server, program=program)
        run, _ = self.frame_measure(server, driver, "--capture", at_b, "--protocol", protocol, "--sizes", sizes, *RUN,
                                    *at_client, program=program)
        self.stop_cleanly(server)
        for series in run["series"]:
            self.check_clean(series)
        self.assertEqual(run["warnings"], [])
        return run, at_a, at_b

    def test_raw_ethernet_of_several_sizes(self):
        for driver, program in (("ring", RTECHO), ("pcap", RTECHO_GPOS)):
            with self.subTest(driver=driver, program=program):
                run, at_a, at_b = self.both_ends("eth", "1,16,64,128", driver, program=program)
                for i, size in enumerate((1, 16, 64, 128)):
                    for path, end in ((at_a, "server"), (at_b, "client")):
                        name = path if i == 0 else path.replace(".pcap", f"-{i + 1}.pcap")
                        if size >= 16:
                            self.check_capture(name, end, size, max(60, 16 + size), self.mac(self.link.b))
                        # The tools are slow, and the files of a driver are alike.
                        is_new = size in (1, 128)
                        for line in self.read_with_tools(name, 2 * (FIRST + SLOWEST)) if is_new else ():
                            self.assertEqual((line[0], int(line[1], 16)), (str(max(60, 16 + size)), ETH_ECHO))
                        os.unlink(name)
                self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".pcap")], [])

    def test_the_slowest_of_the_run_file_is_among_them(self):
        run, _, at_b = self.both_ends("eth", "64")
        asked, answered = self.check_capture(at_b, "client", 64, 80, self.mac(self.link.b))
        slowest = run["series"][0]["slowest"][0]
        # Unless it is a message of the warm-up or of a resumption, which the run file does not list.
        self.assertIn(slowest["sequence"], asked)
        lengths = [answered[sequence] - asked[sequence] for sequence in asked]
        self.assertGreater(max(lengths), 0)

    def test_datagrams(self):
        for driver in ("ring", "pcap"):
            for at_server, at_client in (((), ()), (("--address", OWN_A, "--allow", OWN_B), ("--address", OWN_B))):
                with self.subTest(driver=driver, at_client=at_client):
                    _, at_a, at_b = self.both_ends("udp", "64,200", driver, at_server, at_client)
                    for path in (at_a, at_b, at_a.replace(".", "-2."), at_b.replace(".", "-2.")):
                        size = 200 if "-2" in path else 64
                        self.check_capture(path, path, size, 42 + size, self.mac(self.link.b))
                        if size == 200:
                            continue
                        for line in self.read_with_tools(path, 2 * (FIRST + SLOWEST)):
                            self.assertEqual((int(line[1], 16), line[2:4]), (0x0800, ["1", "1"]), line)

    def test_long_frames_are_kept_in_part(self):
        _, at_a, at_b = self.both_ends("udp", "1472")
        for path in (at_a, at_b):
            for _, frame, length in self.read_pcap(path):
                self.assertEqual((length, len(frame)), (1514, 256))

    def test_tags_are_in_the_file(self):
        vlan = ("--vlan", "5:3")
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                _, at_a, at_b = self.both_ends("udp", "64", driver, vlan, vlan)
                for path in (at_a, at_b):
                    for line in self.read_with_tools(path, 2 * (FIRST + SLOWEST)):
                        self.assertIn(line[4], ("5", ""))
                    frames = [frame for _, frame, _ in self.read_pcap(path)]
                    sent = self.mac(self.link.a if path == at_a else self.link.b)
                    for frame in frames:
                        if frame[6:12] == sent:  # of what came in, the kernel may have taken the tag out
                            self.assertEqual(frame[12:16], b"\x81\x00\x60\x05")

    def test_without_control(self):
        at_a, at_b = self.path("server.pcap"), self.path("client.pcap")
        for driver in ("ring", "pcap"):
            server = self.lone_server(SESSION, "--capture", at_a, driver=driver)
            self.run_client(*self.lone_options(SESSION, "--capture", at_b, *RUN, driver=driver))
            self.counts_of(server)
            for path, end in ((at_a, "server"), (at_b, "client")):
                self.check_capture(path, end, 64, 80, self.mac(self.link.b))
                self.read_with_tools(path, 2 * (FIRST + SLOWEST))
                os.unlink(path)

    def test_an_interrupted_run_leaves_its_captures(self):
        at_a, at_b = self.path("server.pcap"), self.path("client.pcap")
        server = self.frame_server("ring", "--capture", at_a)
        client, path = self.begin(server, "--capture", at_b, "--protocol", "eth", "--for", "60s", "--warmup", "0")
        interrupt(client)
        self.assertEqual(client.wait(20).code, 130)
        self.load(path)
        self.stop_cleanly(server)
        for name in (at_a, at_b):
            self.assertGreater(len(self.read_pcap(name)), 20)

    def test_places_that_cannot_be_written_are_said_before_the_run(self):
        for path in ("/nonexistent/x.pcap", self.folder, "/proc/x.pcap"):
            for command, namespace in ((("server", "--bind", self.link.address_a, "--port", "0"), self.link.a),
                                       (("client", f"{self.link.address_a}:1"), self.link.b)):
                outcome = self.run_program(RTECHO_GPOS, *command, "--netns", namespace, *self.over("ring"), "--capture",
                                           path)
                self.assertEqual(outcome.code, 3, str(outcome))
                self.check_talk(outcome)
                self.assertIn(path, outcome.err)

    def test_a_full_disk(self):
        server = self.frame_server("ring", "--capture", "/dev/full")
        run, outcome = self.frame_measure(server, "ring", "--capture", "/dev/full", *RUN, code=None)
        self.assertNotEqual(outcome.code, 0, "a capture that was not written is no success")
        self.assertIn("/dev/full", outcome.err + outcome.out + str(run["notes"]) + str(run["warnings"]) +
                      str(run["series"][0]["notes"]))
        self.assertEqual(run["series"][0]["accounting"]["client"]["lost"], 0)
        self.stop_cleanly(server)


if __name__ == "__main__":
    main()
