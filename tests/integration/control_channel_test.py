#!/usr/bin/env python3
"""Whatever strangers say on the control port: nobody is reflected at, everything is bounded in time and number, and the
client that measures meanwhile notices nothing. Over loopback: this needs no privilege."""

import contextlib
import os
import signal
import socket
import time

from fake_peers import FakeClient, Lines, request, sequence_of
from pair_harness import PairTest, RTECHO_GPOS, main

GOOD = ("--for", "60s", "--warmup", "0", "--resume", "0", "--timeout-ms", "2000", "--wait", "block")


class Strangers(PairTest):
    """Beside a client that measures for the whole time."""

    def setUp(self):
        super().setUp()
        self.server = self.start_server(program=RTECHO_GPOS)
        self.out = self.path("good.json")
        self.good = self.start_client(self.server.target, *GOOD, "--out", self.out, program=RTECHO_GPOS)
        self.wait_until_measuring(self.good)

    def finish(self):
        self.assertIsNone(self.good.process.poll(), "the good client ended too early to prove anything")
        self.good.send(signal.SIGINT)
        outcome = self.good.wait()
        self.assertEqual(outcome.code, 130, str(outcome))
        run = self.load(self.out)
        self.assertGreater(run["series"][0]["service"]["n"], 0)
        client = run["series"][0]["accounting"]["client"]
        self.assertEqual((client["lost"], client["stray"], client["malformed"], client["corrupt"]), (0, 0, 0, 0))
        self.assertEqual(run["series"][0]["accounting"]["server"]["unarmed"], 0)
        self.stop_cleanly(self.server)

    def connect(self):
        return Lines(socket.create_connection(("127.0.0.1", self.server.port), timeout=10))

    def test_what_is_no_message_is_closed_at_once(self):
        for name, data in (
                ("garbage", bytes(range(256)) * 4 + b"\n"), ("http", b"GET / HTTP/1.1\r\n\r\n"), ("empty line", b"\n"),
                ("no object", b"[]\n"), ("no type", b"{}\n"), ("type is a number", b'{"type":1}\n'),
                ("deep", b'{"type":"hello","x":' + b"[" * 4000 + b"]" * 4000 + b"}\n"),
                ("half json", b'{"type":"hel\n'), ("broken utf-8", b'{"type":"\xff\xfe"}\n'),
                ("too long", b'{"type":"' + b"x" * 20_000), ("two values", b'{"type":"hello","version":1} {}\n'),
                ("huge number", b'{"type":"hello","version":1e999}\n'), ("nul", b"\0" * 100 + b"\n")):
            with self.subTest(line=name):
                lines = self.connect()
                with contextlib.suppress(ConnectionError):
                    lines.send_raw(data)
                self.assertTrue(lines.is_closed_within(1.9), "not closed")
                lines.close()
        self.finish()

    def test_messages_that_are_not_expected(self):
        for name, message in (("arm first", {"type": "arm"}), ("end first", {"type": "end"}),
                              ("unknown", {"type": "surprise"}), ("hello without version", {"type": "hello"}),
                              ("hello of a text", {"type": "hello", "version": "1"}),
                              ("negative version", {"type": "hello", "version": -1})):
            with self.subTest(message=name):
                lines = self.connect()
                lines.send(**message)
                answer = lines.receive()
                self.assertEqual(answer["type"], "error")
                self.assertTrue(lines.is_closed_within(1))
                lines.close()
        self.finish()

    def test_another_version(self):
        lines = self.connect()
        lines.send(type="hello", version=99)
        answer = lines.receive()
        self.assertEqual((answer["type"], answer["reason"], answer["version"]), ("error", "version", 1))
        self.assertTrue(lines.is_closed_within(1))
        lines.close()
        self.finish()

    def test_four_connections_and_no_more(self):
        held = [self.connect() for _ in range(3)]  # the good client holds one
        time.sleep(0.2)
        fifth = self.connect()
        answer = fifth.receive()
        self.assertTrue(answer is None or (answer["type"] == "error" and "too many" in answer["reason"]), answer)
        self.assertTrue(fifth.is_closed_within(1))
        fifth.close()
        for lines in held:
            lines.close()
        time.sleep(0.2)
        with FakeClient(self.server.port) as client:
            self.assertEqual(client.answer["type"], "busy")
        self.finish()

    def test_a_crowd_that_comes_and_goes(self):
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.connect().close()
        time.sleep(0.2)
        with FakeClient(self.server.port) as client:
            self.assertEqual(client.answer["type"], "busy")
        self.finish()


class Deadlines(PairTest):
    def setUp(self):
        super().setUp()
        self.server = self.start_server(program=RTECHO_GPOS)

    def test_silence_and_half_lines(self):
        began = time.monotonic()
        silent = Lines(socket.create_connection(("127.0.0.1", self.server.port)))
        half = Lines(socket.create_connection(("127.0.0.1", self.server.port)))
        half.send_raw(b'{"type":"hello"')
        idle = FakeClient(self.server.port)
        self.assertEqual(idle.answer["type"], "welcome")
        # "alive" keeps no turn: whoever has it must arm within 5 s.
        for _ in range(3):
            time.sleep(1)
            idle.lines.send(type="alive")
        for lines in (silent, half, idle.lines):
            self.assertTrue(lines.is_closed_within(8), "not closed within its 5 s")
            lines.close()
        self.assertGreater(time.monotonic() - began, 4.5)
        self.assertLess(time.monotonic() - began, 10)
        self.run_client(self.server.target, "--count", "20", program=RTECHO_GPOS)
        self.stop_cleanly(self.server)

    def test_silence_in_a_series(self):
        with FakeClient(self.server.port) as client:
            data, session, _ = client.arm_udp()
            with data:
                data.send(request(64, session, 0))
                self.assertEqual(len(data.recv(100)), 64)
                began = time.monotonic()
                self.assertTrue(client.lines.is_closed_within(6))
                self.assertGreater(time.monotonic() - began, 1.0)
        self.run_client(self.server.target, "--count", "20", program=RTECHO_GPOS)
        self.stop_cleanly(self.server)

    def test_no_answer_to_the_probe(self):
        with FakeClient(self.server.port) as client, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as data:
            data.bind(("127.0.0.1", 0))
            data.settimeout(5)
            connect = client.arm("udp", 64, data.getsockname()[1])
            self.assertEqual(connect["type"], "connect")
            probes = [data.recv(2000) for _ in range(5)]
            self.assertEqual([len(probe) for probe in probes], [64] * 5)
            self.assertEqual(len(set(probes)), 1)
            data.settimeout(0.6)
            with self.assertRaises(TimeoutError):
                data.recv(2000)  # five tries, no more
            self.assertTrue(client.lines.is_closed_within(4))
        self.run_client(self.server.target, "--count", "20", program=RTECHO_GPOS)
        self.stop_cleanly(self.server)


class Arming(PairTest):
    def setUp(self):
        super().setUp()
        self.server = self.start_server("--wait", "block", program=RTECHO_GPOS)

    def check_refused(self, answer, says=""):
        self.assertEqual(answer["type"], "error", answer)
        self.assertIn(says, answer["reason"])

    def check_serves(self):
        self.run_client(self.server.target, "--count", "20", program=RTECHO_GPOS)
        self.stop_cleanly(self.server)

    def test_fields_that_lie(self):
        good = {"type": "arm", "protocol": "udp", "message_bytes": 64, "data_port": 40000, "spacing_ns": 0,
                "rests": True}
        for field, values in (("protocol", ("sctp", 7, None)), ("message_bytes", (0, -1, 65508, 2**32 + 64, "64", 64.5)),
                              ("data_port", (0, 65536, -1, "x")), ("spacing_ns", (-1, 2**63, "0")),
                              ("rests", (1, "true", None))):
            for value in values:
                with self.subTest(field=field, value=value), FakeClient(self.server.port) as client:
                    self.check_refused(client.ask(**dict(good, **{field: value})), "arm was expected")
        for field in ("protocol", "message_bytes", "data_port", "spacing_ns", "rests"):
            with self.subTest(missing=field), FakeClient(self.server.port) as client:
                self.check_refused(client.ask(**{key: value for key, value in good.items() if key != field}))
        self.check_serves()

    def test_somebody_else_s_address_is_refused(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as victim:
            victim.bind(("127.0.0.2", 0))
            victim.settimeout(0.8)
            for address in ("127.0.0.2", "10.1.2.3", "255.255.255.255", "224.0.0.1", "::1", "nonsense", "0.0.0.0"):
                with self.subTest(address=address), FakeClient(self.server.port) as client:
                    answer = client.arm("udp", 64, victim.getsockname()[1], data_address=address)
                    self.check_refused(answer, "--allow")
            with self.assertRaises(TimeoutError):
                victim.recv(2000)
        outcome = self.run_client(self.server.target, "--data-address", "127.0.0.2", code=5, program=RTECHO_GPOS)
        self.assertIn("--allow", outcome.err)
        self.check_serves()

    def test_one_s_own_address_may_be_named(self):
        with FakeClient(self.server.port) as client:
            data, _, _ = client.arm_udp(data_address="127.0.0.1")
            data.close()
            self.assertEqual(client.end()["frames"], 0)
        self.check_serves()

    def test_an_allowed_address(self):
        server = self.start_server("--allow", "127.0.0.2", "--allow", "127.0.0.3", "--wait", "block",
                                   program=RTECHO_GPOS)
        for address in ("127.0.0.2", "127.0.0.3"):
            with FakeClient(server.port) as client:
                data, session, _ = client.arm_udp(address=address, data_address=address)
                with data:
                    data.send(request(64, session, 0))
                    self.assertEqual(sequence_of(data.recv(100)), 0)
                self.assertEqual(client.end()["replies"], 1)
        with FakeClient(server.port) as client:
            self.check_refused(client.arm("udp", 64, 40000, data_address="127.0.0.4"), "--allow")
        self.stop_cleanly(server)

    def test_a_wrong_nonce(self):
        for nonce in ("0000000000000000", "zz", "", "00000000000000000"):
            with self.subTest(nonce=nonce), FakeClient(self.server.port) as client:
                self.assertEqual(client.arm("udp", 64, 40000)["type"], "connect")
                self.check_refused(client.ask(type="probe", nonce=nonce), "nonce")
                self.assertTrue(client.lines.is_closed_within(1))
        with FakeClient(self.server.port) as client:
            self.assertEqual(client.arm("udp", 64, 40000)["type"], "connect")
            self.check_refused(client.ask(type="end"))
        self.check_serves()

    def test_sessions_and_nonces_do_not_repeat(self):
        seen = set()
        for _ in range(4):
            with FakeClient(self.server.port) as client:
                data, session, _ = client.arm_udp()
                data.close()
                seen.add(session)
        self.assertEqual(len(seen), 4)
        self.check_serves()

    def test_only_end_ends_a_series(self):
        with FakeClient(self.server.port) as client:
            data, _, _ = client.arm_udp()
            data.close()
            self.check_refused(client.arm("udp", 64, 40000), "end was expected")
        self.check_serves()

    def test_series_after_series_on_one_connection(self):
        with FakeClient(self.server.port) as client:
            for size in (64, 20, 3):
                data, session, _ = client.arm_udp(size)
                with data:
                    for sequence in range(5):
                        data.send(request(size, session, sequence))
                        reply = data.recv(2000)
                        self.assertEqual((len(reply), sequence_of(reply)), (size, sequence))
                self.assertEqual(client.end()["replies"], 5)
        self.check_serves()


class Keys(PairTest):
    def key(self, name, content="0123456789abcdef0123456789abcdef\n", mode=0o600):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def setUp(self):
        super().setUp()
        key = self.key("key")
        probe = self.run_program(RTECHO_GPOS, "client", "127.0.0.1:1", "--key-file", key)
        if "no OpenSSL" in probe.err:
            self.skipTest("this build has no OpenSSL")
        self.server = self.start_server("--key-file", key, program=RTECHO_GPOS)

    def client(self, *options, code):
        return self.run_client(self.server.target, "--count", "20", *options, code=code, program=RTECHO_GPOS)

    def test_keys(self):
        self.client("--key-file", self.path("key"), code=0)
        # A newline at the end does not belong to the key.
        self.client("--key-file", self.key("same", "0123456789abcdef0123456789abcdef"), code=0)
        self.assertIn("another key", self.client("--key-file", self.key("wrong", "x" * 32), code=5).err)
        self.assertIn("--key-file", self.client(code=5).err)
        self.stop_cleanly(self.server)

    def test_a_server_without_a_key_serves_whoever_has_one(self):
        server = self.start_server(program=RTECHO_GPOS)
        self.run_client(server.target, "--count", "20", "--key-file", self.path("key"), program=RTECHO_GPOS)
        self.stop_cleanly(server)

    def test_files_that_are_no_keys(self):
        for name, content, mode, says in (("open", "k" * 32, 0o644, "chmod"), ("group", "k" * 32, 0o640, "chmod"),
                                          ("small", "k" * 15, 0o600, "16"), ("empty", "", 0o600, "16"),
                                          ("large", "k" * 5000, 0o600, "4096")):
            with self.subTest(name=name):
                path = self.key(name, content, mode)
                self.assertIn(says, self.client("--key-file", path, code=2).err)
                outcome = self.run_program(RTECHO_GPOS, "server", "--port", "0", "--key-file", path)
                self.assertEqual(outcome.code, 2, str(outcome))

    def test_no_proof_no_turn(self):
        for answer in ({"type": "response", "proof": "0" * 64}, {"type": "response"}, {"type": "arm"},
                       {"type": "response", "proof": ""}):
            with self.subTest(answer=answer), FakeClient(self.server.port) as client:
                self.assertEqual(client.answer["type"], "challenge")
                self.assertEqual(len(client.answer["nonce"]), 32)
                self.assertEqual(client.ask(**answer), {"type": "error", "reason": "key"})
        with FakeClient(self.server.port) as one, FakeClient(self.server.port) as two:
            self.assertNotEqual(one.answer["nonce"], two.answer["nonce"])
        self.client("--key-file", self.path("key"), code=0)
        self.stop_cleanly(self.server)


if __name__ == "__main__":
    main()
