#!/usr/bin/env python3
"""The client against a server whose stream breaks or whose control channel says something else than expected. Over
loopback: this needs no privilege."""

import signal
import socket
import struct
import time

from fake_peers import FakeServer, changed, receive_exactly, reply_to
from pair_harness import main
from scripted_server_case import PLAIN, FaultyServer


class FaultyStream(FaultyServer):
    def stream_against(self, stream, *options, code=5, size=64, count=200, wait="block"):
        with FakeServer(stream=stream, report=False) as server:
            began = time.monotonic()
            run, outcome = self.measure(server.target, "--protocol", "tcp", "--sizes", str(size), "--count",
                                        str(count), *PLAIN, "--wait", wait, *options, code=code,
                                        program=self.program, limit_s=25)
            self.seconds = time.monotonic() - began
        self.assertEqual(run["complete"], code in (0, 1))
        return run["series"][0], outcome

    @staticmethod
    def echo(data, size, times, session=0x1122_3344_5566_7788):
        for _ in range(times):
            message = receive_exactly(data, size)
            if not message:
                return
            data.sendall(reply_to(message, session))

    def test_reset(self):
        def reset(data, size, ended):
            self.echo(data, size, 20)
            data.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            data.close()
        series, outcome = self.stream_against(reset)
        self.assertEqual(series["service"]["n"], 20)
        self.assertIn("tcp 64 B", outcome.err)
        # What was never sent because the connection is gone is no refusal of the driver.
        self.assertLessEqual(series["accounting"]["client"]["refused"], 1)

    def test_reset_ends_a_run_without_rests_too(self):
        def reset(data, size, ended):
            self.echo(data, size, 20)
            data.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            data.close()
        for wait in ("block", "spin"):
            self.stream_against(reset, "--batch", "0", count=2_000_000_000, wait=wait)
            self.assertLess(self.seconds, 5)

    def test_closed(self):
        def close(data, size, ended):
            self.echo(data, size, 20)
            data.close()
        series, _ = self.stream_against(close)
        self.assertEqual(series["service"]["n"], 20)

    def test_half_closed(self):
        def half(data, size, ended):
            self.echo(data, size, 20)
            data.shutdown(socket.SHUT_WR)
            ended.wait(20)
        series, _ = self.stream_against(half)
        self.assertEqual(series["service"]["n"], 20)

    def test_half_closed_in_the_middle_of_a_message(self):
        def half(data, size, ended):
            self.echo(data, size, 5)
            message = receive_exactly(data, size)
            data.sendall(reply_to(message, 0x1122_3344_5566_7788)[:30])
            data.shutdown(socket.SHUT_WR)
            ended.wait(20)
        series, _ = self.stream_against(half)
        self.assertEqual(series["accounting"]["client"]["answered"], 5)

    def test_peer_that_never_reads(self):
        series, _ = self.stream_against(lambda data, size, ended: ended.wait(30), "--window", "64", size=65535)
        self.assertEqual(series["accounting"]["client"]["answered"], 0)

    def test_header_that_does_not_match(self):
        def shifted(data, size, ended):
            self.echo(data, size, 10)
            message = receive_exactly(data, size)
            data.sendall(b"x" + reply_to(message, 0x1122_3344_5566_7788))
            ended.wait(20)
        series, outcome = self.stream_against(shifted)
        self.assertIn("message boundaries", outcome.err)
        client = series["accounting"]["client"]
        self.assertEqual((client["answered"], client["stray"] + client["corrupt"]), (10, 1))

    def test_altered_fill_is_one_corrupt_message(self):
        self_at = self.at({4}, lambda reply, deliver: deliver(changed(reply, 90)))
        with FakeServer(self_at) as server:
            run, _ = self.measure(server.target, "--protocol", "tcp", "--sizes", "100", "--count", "30", *PLAIN,
                                  code=1, program=self.program)
        client = run["series"][0]["accounting"]["client"]
        self.assertEqual((client["answered"], client["corrupt"], client["lost"]), (29, 1, 1))

    def test_reply_split_at_every_byte(self):
        def split(sequence, reply, deliver):
            cut = sequence % len(reply)
            if cut:
                deliver(reply[:cut])
                time.sleep(0.001)
            deliver(reply[cut:])
        with FakeServer(split) as server:
            run, _ = self.measure(server.target, "--protocol", "tcp", "--count", "64", *PLAIN, program=self.program)
        series = run["series"][0]
        self.assertEqual(series["accounting"]["client"]["answered"], 64)
        self.assertGreater(series["port"]["client"]["partial_receives"], 0)

    def test_many_replies_in_one_segment(self):
        kept = []

        def gather(sequence, reply, deliver):
            kept.append(reply)
            if len(kept) == 4:
                deliver(b"".join(kept))
                kept.clear()
        with FakeServer(gather) as server:
            run, _ = self.measure(server.target, "--protocol", "tcp", "--count", "80", "--burst", "4", *PLAIN,
                                  program=self.program)
        self.assertEqual(run["series"][0]["accounting"]["client"]["answered"], 80)


class FaultyHandshake(FaultyServer):
    def refused(self, hello, *options, code=5, limit_s=20):
        with FakeServer(hello=hello) as server:
            return self.run_client(server.target, "--count", "10", *options, code=code, limit_s=limit_s,
                                   program=self.program)

    def test_another_version(self):
        def version(lines):
            lines.send(type="error", reason="version", version=9, tool="9.9")
        outcome = self.refused(version)
        self.assertIn("9.9", outcome.err)
        self.assertIn("same release", outcome.err)

    def test_another_version_is_not_waited_for(self):
        def version(lines):
            lines.send(type="error", reason="version", version=9, tool="9.9")
        self.assertLess(self.refused(version, "--wait-for-server", "15").seconds, 10)

    def test_no_rtecho_server(self):
        for name, data in (("http", b"HTTP/1.1 400 Bad Request\r\n\r\n"), ("binary", bytes(range(256)) + b"\n"),
                           ("other json", b'{"type":"surprise"}\n'), ("no object", b"[1,2]\n"),
                           ("deep", b'{"type":' + b"[" * 50 + b"]" * 50 + b"}\n"),
                           ("endless line", b"x" * 100_000)):
            with self.subTest(answer=name):
                self.refused(lambda lines, data=data: lines.send_raw(data))

    def test_silence(self):
        outcome = self.refused(lambda lines: time.sleep(6))
        self.assertLess(outcome.seconds, 8)
        self.assertIn("no answer", outcome.err)

    def test_interrupted_while_the_server_is_silent(self):
        with FakeServer(hello=lambda lines: time.sleep(4)) as server:
            client = self.start_client(server.target, program=self.program)
            self.assert_ends_at_once(client)

    def test_interrupted_while_no_probe_comes(self):
        with FakeServer() as server:
            server.series = lambda lines, arm: (
                lines.send(type="connect", session="00000000000000aa", data_port=9), time.sleep(3))
            client = self.start_client(server.target, program=self.program)
            self.assert_ends_at_once(client)

    def assert_ends_at_once(self, client):
        time.sleep(0.6)
        interrupted = time.monotonic()
        client.send(signal.SIGINT)
        outcome = client.wait(20)
        self.assertEqual(outcome.code, 130, str(outcome))
        self.assertLess(time.monotonic() - interrupted, 0.2 + 0.5, "a stop within 200 ms, and an allowance")

    def test_no_probe(self):
        with FakeServer() as server:
            server.series = lambda lines, arm: (
                lines.send(type="connect", session="00000000000000aa", data_port=9), time.sleep(3))
            outcome = self.run_client(server.target, code=5, program=self.program)
        self.assertIn("probe", outcome.err)

    def test_refusals_of_arm(self):
        with FakeServer() as server:
            server.series = lambda lines, arm: lines.send(type="error", reason="because")
            outcome = self.run_client(server.target, code=5, program=self.program)
        self.assertIn("because", outcome.err)

    def test_silence_after_armed_ends_with_the_connection(self):
        with FakeServer() as server:
            server.series = lambda lines, arm: lines.close()
            outcome = self.run_client(server.target, code=5, program=self.program)
        self.assertIn("went away", outcome.err)


if __name__ == "__main__":
    main()
