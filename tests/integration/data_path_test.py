#!/usr/bin/env python3
"""The data port: what a scripted client sends there is counted by cause and answered only where it is a request; what
strangers send reaches nobody; a stream that is reset, half-closed or never read frees the server."""

import contextlib
import socket
import struct
import time

from fake_peers import (ECHO, PREAMBLE_MAGIC, PROBE, REPLY, FakeClient, changed, full, receive_exactly, request,
                        sequence_of, short, tag)
from pair_harness import LinkTest, PairTest, RTECHO, RTECHO_GPOS, inside, main


class Datagrams(PairTest):
    """A scripted client against the server. Over loopback: this needs no privilege."""

    def setUp(self):
        super().setUp()
        self.server = self.start_server("--wait", "block", program=RTECHO_GPOS)

    def serve(self, size, script, **expected):
        """Sends what `script(session)` lists, each with whether it is answered; compares the server's counters."""
        with FakeClient(self.server.port) as client:
            data, session, _ = client.arm_udp(size)
            with data:
                for name, message, is_answered in script(session):
                    with self.subTest(message=name):
                        data.send(message)
                        if is_answered:
                            reply = data.recv(70000)
                            self.assertEqual(len(reply), len(message))
                            self.assertEqual(sequence_of(reply), sequence_of(message))
                # Whatever was not to be answered would have been answered by now.
                data.send(request(size, session, 77))
                self.assertEqual(sequence_of(data.recv(70000)), 77)
                data.settimeout(0.1)
                with self.assertRaises(TimeoutError):
                    data.recv(70000)
            accounting = client.end()
        seen = {name: value for name, value in accounting.items() if value}
        frames = sum(value for name, value in expected.items()) + 1
        expected = {name: value for name, value in expected.items() if value}
        expected["requests"] = expected.get("requests", 0) + 1
        replies = expected["requests"] + expected.get("repeated", 0)
        self.assertEqual(seen, dict(expected, frames=frames, replies=replies))

    def test_requests_in_any_order_and_again(self):
        for size in (64, 100, 16, 63, 2, 9, 15):
            self.serve(size, lambda session, size=size: [
                (f"{sequence} of {size} B", request(size, session, sequence), True)
                for sequence in (0, 1, 3, 2, 1, 3, 9, 0)], requests=5, repeated=3)

    def test_full_messages_that_are_none(self):
        good = lambda session: full(100, session, 1)
        fields = [("magic", 0), ("version", 2), ("flags", 4), ("header bytes", 6), ("message bytes", 54), ("check", 60),
                  ("sequence without its check", 20), ("reserved", 58)]
        self.serve(100, lambda session: [(name, changed(good(session), offset), False) for name, offset in fields] + [
            ("empty", b"", False), ("one byte", b"R", False), ("cut", good(session)[:99], False),
            ("only a header", good(session)[:64], False), ("longer", good(session) + b"x", False),
            ("largest", good(session) + bytes(65407), False)], malformed=14)

    def test_full_messages_that_ask_for_nothing(self):
        self.serve(64, lambda session: [
            ("reply", full(64, session, 1, ECHO | REPLY), False), ("probe", full(64, session, 1, PROBE), False),
            ("reply of a probe", full(64, session, 1, PROBE | REPLY), False),
            ("other session", full(64, session ^ 1, 1), False)], unarmed=4)

    def test_a_reply_is_right(self):
        with FakeClient(self.server.port) as client:
            data, session, armed = client.arm_udp(80)
            with data:
                message = full(80, session, 5, send_ns=123456789)
                before = time.monotonic_ns()
                data.send(message)
                reply = data.recv(2000)
                after = time.monotonic_ns()
        fields = struct.unpack(">HBBHHQQqqqIII", reply[:60])
        self.assertEqual(fields[:8], (0x5245, 1, ECHO | REPLY, 0, 64, session, 5, 123456789))
        self.assertTrue(before <= fields[8] <= fields[9] <= after)
        self.assertEqual(fields[11:], (80, 0))
        self.assertEqual(struct.unpack(">I", reply[60:64])[0], sum(struct.unpack(">15I", reply[:60])) & 0xFFFFFFFF)
        self.assertEqual(reply[64:], message[64:])

    def test_the_fill_is_returned_as_it_came(self):
        # Comparing it is the client's business.
        with FakeClient(self.server.port) as client:
            data, session, _ = client.arm_udp(100)
            with data:
                message = full(100, session, 0)[:64] + b"z" * 36
                data.send(message)
                self.assertEqual(data.recv(2000)[64:], b"z" * 36)

    def test_short_messages_that_are_none(self):
        self.serve(20, lambda session: [
            ("magic", changed(short(20, session, 1), 0), False), ("version", changed(short(20, session, 1), 2), False),
            ("cut", short(20, session, 1)[:19], False), ("longer", short(21, session, 1), False),
            ("session", short(20, session ^ 1, 1), False), ("reply", short(20, session, 1, ECHO | REPLY), False),
            ("probe", short(20, session, 1, PROBE), False)], malformed=4, unarmed=3)

    def test_tags_that_are_none(self):
        self.serve(3, lambda session: [("cut", b"\0\1", False), ("longer", b"\0\0\0\1", False), ("empty", b"", False),
                                       ("reply", tag(3, 1, reply=True), False)], malformed=3, unarmed=1)

    def test_two_servers_that_are_pointed_at_each_other_stay_silent(self):
        # What one server says, the other never answers.
        with FakeClient(self.server.port) as client:
            data, session, _ = client.arm_udp(64)
            with data:
                data.send(request(64, session, 0))
                reply = data.recv(2000)
                for _ in range(50):
                    data.send(reply)
                data.settimeout(0.3)
                with self.assertRaises(TimeoutError):
                    data.recv(2000)
            self.assertEqual(client.end()["unarmed"], 50)

    def test_a_flood_of_garbage_from_the_client_s_own_port(self):
        with FakeClient(self.server.port) as client:
            data, session, _ = client.arm_udp(64)
            with data:
                for i in range(2000):
                    data.send((b"", b"x" * 64, bytes(3000), full(64, session ^ 1, i))[i % 4])
                    if i % 100 == 99:
                        data.send(request(64, session, i))
                        self.assertEqual(sequence_of(data.recv(2000)), i)
            accounting = client.end()
        self.assertEqual((accounting["requests"], accounting["replies"]), (20, 20))
        self.assertEqual((accounting["malformed"], accounting["unarmed"]), (1500, 500))

    def test_a_client_whose_socket_is_gone(self):
        # Replies then meet ICMP errors: counted, and the server serves on.
        with FakeClient(self.server.port) as client:
            data, session, _ = client.arm_udp(64)
            for sequence in range(20):
                data.send(request(64, session, sequence))
            data.close()
            time.sleep(0.2)
            accounting = client.end()
        self.assertEqual(accounting["requests"], 20)
        self.assertEqual(accounting["replies"] + accounting["reply_refused"], 20)
        self.run_client(self.server.target, "--count", "20", program=RTECHO_GPOS)
        self.stop_cleanly(self.server)


class Strangers(LinkTest):
    """Floods while the real client measures over the link."""

    def flood(self, program, send, options=(), server_options=()):
        """The run of a client, beside which `send(server port, client port)` is called again and again."""
        server = self.link_server("--data-port", "7100", *server_options, program=program)
        path = self.path("run.json")
        client = self.start_client(server.target, "--netns", self.link.b, "--for", "2s", "--resume", "0", "--timeout-ms", "2000",
                                   "--out", path, *options, program=program)
        client_port, _ = self.swap(self.wait_for_data_path(self.link.a))
        time.sleep(0.3)
        sent = 0
        while client.process.poll() is None and sent < 40:
            send(7100, client_port)
            sent += 1
            time.sleep(0.02)
        outcome = client.wait()
        self.assertEqual(outcome.code, 0, str(outcome))
        run = self.load(path)
        accounting = run["series"][0]["accounting"]
        self.assertEqual(accounting["client"]["lost"], 0)
        self.assertGreater(run["series"][0]["service"]["n"], 0)
        self.stop_cleanly(server)
        return accounting

    @staticmethod
    def swap(ports):
        local, remote = ports
        return remote, local

    def datagrams(self):
        return (b"", b"x", b"x" * 64, bytes(1400), bytes(9000), full(64, 0x1234, 1), tag(1, 1))

    def test_from_another_port_of_the_client_s_host(self):
        with inside(self.link.b):
            stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with stranger:
            def send(port, client_port):
                for data in self.datagrams() * 5:
                    with contextlib.suppress(OSError):
                        stranger.sendto(data, (self.link.address_a, port))
            for program in (RTECHO, RTECHO_GPOS):
                accounting = self.flood(program, send)
                # A connected socket never sees them.
                self.assertEqual((accounting["server"]["malformed"], accounting["server"]["unarmed"]), (0, 0))
            stranger.settimeout(0.1)
            with self.assertRaises((TimeoutError, ConnectionRefusedError)):
                stranger.recv(100)

    def raw_socket(self, namespace):
        with inside(namespace):
            return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)

    @staticmethod
    def udp(source_port, target_port, data):
        return struct.pack(">HHHH", source_port, target_port, 8 + len(data), 0) + data

    def test_with_the_client_s_own_address_and_port(self):
        with self.raw_socket(self.link.b) as spoofer:
            def send(port, client_port):
                for data in self.datagrams():
                    with contextlib.suppress(OSError):
                        spoofer.sendto(self.udp(client_port, port, data), (self.link.address_a, 0))
            accounting = self.flood(RTECHO_GPOS, send)
        server = accounting["server"]
        self.assertGreater(server["malformed"], 0)
        self.assertGreater(server["unarmed"], 0)
        self.assertEqual(server["requests"], accounting["client"]["sent"])
        self.assertEqual(accounting["client"]["stray"] + accounting["client"]["malformed"], 0)

    def test_with_the_server_s_own_address_and_port(self):
        # As if another machine replied in the server's place.
        with self.raw_socket(self.link.a) as spoofer:
            def send(port, client_port):
                for data in self.datagrams():
                    with contextlib.suppress(OSError):
                        spoofer.sendto(self.udp(port, client_port, data), (self.link.address_b, 0))
            accounting = self.flood(RTECHO_GPOS, send)
        client = accounting["client"]
        self.assertGreater(client["malformed"] + client["stray"] + client["corrupt"], 0)
        self.assertEqual(client["corrupt"], 0)
        self.assertEqual(client["answered"] + client["late"], client["sent"])

    def test_real_time_ends_keep_their_promises_in_a_flood(self):
        with self.raw_socket(self.link.b) as spoofer:
            def send(port, client_port):
                for data in self.datagrams():
                    with contextlib.suppress(OSError):
                        spoofer.sendto(self.udp(client_port, port, data), (self.link.address_a, 0))
            self.flood(RTECHO, send, options=("--cpu", "1"), server_options=("--cpu", "0"))
        run = self.load(self.path("run.json"))
        for end in ("client", "server"):
            self.assertEqual(run["series"][0]["determinism"][end]["heap_allocations"], 0)


class Streams(PairTest):
    """A scripted client's TCP connection. Over loopback: this needs no privilege."""

    def setUp(self):
        super().setUp()
        self.server = self.start_server("--wait", "block", program=RTECHO_GPOS)

    def check_serves(self):
        self.run_client(self.server.target, "--count", "20", "--protocol", "tcp", program=RTECHO_GPOS)
        self.stop_cleanly(self.server)

    @staticmethod
    def preamble(session):
        return struct.pack(">QQ", PREAMBLE_MAGIC, session)

    def connect(self, port):
        data = socket.create_connection(("127.0.0.1", port), timeout=10)
        data.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return data

    def closed_within(self, connection, seconds):
        connection.settimeout(seconds)
        try:
            return not connection.recv(100)
        except ConnectionError:
            return True
        except TimeoutError:
            return False

    def test_wrong_half_and_silent_strangers_keep_nobody_out(self):
        with FakeClient(self.server.port) as client:
            port, session = client.connect_tcp(64)
            wrong, half, silent, http = (self.connect(port) for _ in range(4))
            with wrong, half, silent, http:
                wrong.sendall(self.preamble(session ^ 1))
                half.sendall(self.preamble(session)[:7])
                http.sendall(b"GET / HTTP/1.0\r\n\r\n")
                self.assertTrue(self.closed_within(wrong, 1.5))
                self.assertTrue(self.closed_within(http, 1.5))
                with self.connect(port) as right:
                    right.sendall(self.preamble(session))
                    self.assertEqual(client.lines.receive()["type"], "armed")
                    for connection in (half, silent):
                        self.assertTrue(self.closed_within(connection, 2), "not closed within its second")
                    right.sendall(request(64, session, 0))
                    self.assertEqual(sequence_of(receive_exactly(right, 64)), 0)
            self.assertEqual(client.end()["replies"], 1)
        self.check_serves()

    def test_a_preamble_in_pieces(self):
        with FakeClient(self.server.port) as client:
            port, session = client.connect_tcp(64)
            with self.connect(port) as data:
                # The whole of it within 0.9 s: few pieces, for a machine that is busy.
                for piece in (slice(0, 1), slice(1, 9), slice(9, 15), slice(15, 16)):
                    data.sendall(self.preamble(session)[piece])
                    time.sleep(0.005)
                self.assertEqual(client.lines.receive()["type"], "armed")
            client.end()
        self.check_serves()

    def test_nobody_connects(self):
        with FakeClient(self.server.port) as client:
            client.connect_tcp(64)
            self.assertTrue(client.lines.is_closed_within(4))
        self.check_serves()

    def test_a_client_that_goes_while_its_connection_is_awaited(self):
        for _ in range(3):
            with FakeClient(self.server.port) as client:
                client.connect_tcp(64)
            time.sleep(0.3)
        self.check_serves()

    def test_requests_at_every_byte_and_many_at_once(self):
        for size in (1, 3, 20, 64, 100):
            with self.subTest(size=size), FakeClient(self.server.port) as client:
                data, session = client.arm_tcp(size)
                with data:
                    for byte in request(size, session, 0):
                        data.sendall(bytes([byte]))
                    self.assertEqual(sequence_of(receive_exactly(data, size)), 0)
                    data.sendall(b"".join(request(size, session, sequence) for sequence in range(1, 11)))
                    for sequence in range(1, 11):
                        self.assertEqual(sequence_of(receive_exactly(data, size)), sequence)
                accounting = client.end()
                self.assertEqual((accounting["requests"], accounting["replies"], accounting["frames"]), (11, 11, 11))
        self.check_serves()

    def test_a_header_that_does_not_match_closes_the_stream(self):
        for name, bad in (("shifted", b"x"), ("zeros", bytes(64))):
            with self.subTest(name=name), FakeClient(self.server.port) as client:
                data, session = client.arm_tcp(64)
                with data:
                    data.sendall(request(64, session, 0))
                    receive_exactly(data, 64)
                    data.sendall(bad + request(64, session, 1))
                    time.sleep(0.3)
                    accounting = client.end()
                    self.assertEqual((accounting["requests"], accounting["malformed"]), (1, 1))
                    self.assertTrue(self.closed_within(data, 2))
        self.check_serves()

    def test_half_close_drains(self):
        with FakeClient(self.server.port) as client:
            data, session = client.arm_tcp(64)
            with data:
                data.sendall(b"".join(request(64, session, sequence) for sequence in range(20)) + b"half")
                data.shutdown(socket.SHUT_WR)
                for sequence in range(20):
                    self.assertEqual(sequence_of(receive_exactly(data, 64)), sequence)
            self.assertEqual(client.end()["replies"], 20)
        self.check_serves()

    def test_reset(self):
        with FakeClient(self.server.port) as client:
            data, session = client.arm_tcp(64)
            data.sendall(request(64, session, 0))
            receive_exactly(data, 64)
            data.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            data.close()
            time.sleep(0.2)
            self.assertEqual(client.end()["replies"], 1)
        self.check_serves()

    def test_a_client_that_never_reads(self):
        with FakeClient(self.server.port) as client:
            data, session = client.arm_tcp(65535)
            with data:
                message = request(65535, session, 0)
                data.settimeout(0.5)
                with self.assertRaises((TimeoutError, ConnectionError)):
                    for _ in range(2000):
                        data.sendall(message)
                        client.lines.send(type="alive")
                client.lines.send(type="alive")
                accounting = client.end()
        self.assertGreater(accounting["frames"], 0)
        self.check_serves()

    def test_silence_on_the_stream(self):
        with FakeClient(self.server.port) as client:
            data, session = client.arm_tcp(64)
            with data:
                data.sendall(request(64, session, 0)[:10])
                for _ in range(5):
                    time.sleep(0.5)
                    client.lines.send(type="alive")
                data.sendall(request(64, session, 0)[10:])
                self.assertEqual(sequence_of(receive_exactly(data, 64)), 0)
            self.assertEqual(client.end()["replies"], 1)
        self.check_serves()


if __name__ == "__main__":
    main()
