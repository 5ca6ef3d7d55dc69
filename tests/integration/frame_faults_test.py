#!/usr/bin/env python3
"""Frames that lie, frames that ask in somebody else's name, and floods of them: each is counted or never arrives, none is
answered, and the good client is served."""

import contextlib
import socket
import struct
import time

from fake_peers import ECHO, PROBE, REPLY, FakeClient, changed, full, request, sequence_of, tag, with_check
from frame_harness import (BROADCAST, ETH_ARP, ETH_ECHO, ETH_IPV4, ICMP, FrameTest, Injector, Sniffer, arp,
                           echo_payload, ethernet, ipv4, message_in, ping, pseudo_header, udp)
from pair_harness import RTECHO_GPOS, inside, main

OWN_A = "10.78.0.101"
STRANGER = b"\x02\0\0\0\0\x77"
FLAWS = ("malformed_frames", "checksum_wrong", "checksum_partial", "foreign_frames", "requests_answered")


class Armed:
    """A scripted client on b, whose data path is what its test injects."""

    def __init__(self, test, server, protocol, size=64):
        self.test, self.protocol, self.size = test, protocol, size
        self.a, self.b = test.mac(test.link.a), test.mac(test.link.b)
        kind = ETH_ECHO if protocol == "eth" else ETH_IPV4
        self.stack = contextlib.ExitStack()
        self.sniffer = self.stack.enter_context(Sniffer(test.link.b, (12, 2, kind)))
        self.injector = self.stack.enter_context(Injector(test.link.b))
        with inside(test.link.b):
            self.client = self.stack.enter_context(FakeClient(server.port, host=test.link.address_a))
            self.data = self.stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.data.bind((test.link.address_b, 0))
        self.port = self.data.getsockname()[1]
        mac = ":".join(f"{byte:02x}" for byte in self.b)
        path = self.client.arm(protocol, size, 0 if protocol == "eth" else self.port, data_mac=mac)
        assert path["type"] == "connect", path
        self.session, self.server_port = int(path["session"], 16), path["data_port"]
        probe = self.sniffer.wait_for(1, lambda frame: message_in(frame)[3:4] == bytes([PROBE]))[0]
        self.armed = self.client.ask(type="probe", nonce=f"{sequence_of(message_in(probe)):016x}")
        assert self.armed["type"] == "armed", self.armed

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stack.close()

    def eth(self, message, target=None, source=None, kind=ETH_ECHO, tags=(), size=None):
        return ethernet(target or self.a, source or self.b, kind, echo_payload(message, size), tags)

    def datagram(self, message, target=None, source=None, tags=(), header=None, **fields):
        """`header`: arguments for ipv4(); `fields`: for udp(), and addresses and ports."""
        addresses = (fields.pop("source_address", self.test.link.address_b), fields.pop("source_port", self.port),
                     fields.pop("target_address", self.test.link.address_a), fields.pop("target_port", self.server_port))
        inner = udp(addresses[0], addresses[1], addresses[2], addresses[3], message, **fields)
        return ethernet(target or self.a, source or self.b, ETH_IPV4, ipv4(addresses[0], addresses[2], inner,
                                                                           **(header or {})), tags)

    def good(self, sequence):
        message = request(self.size, self.session, sequence)
        return self.eth(message) if self.protocol == "eth" else self.datagram(message)

    def catch_up(self, sequence):
        """Until a good request that is sent now was answered, and so everything before it."""
        self.injector.send(self.good(sequence))
        self.sniffer.wait_for(1, lambda frame: self.test.is_reply(frame) and sequence_of(message_in(frame)) == sequence)

    def serve(self, cases):
        """`cases`: (name, function that makes a frame of a request with the given sequence, is it answered). Each has
        its own sequence. Returns the server's accounting and port counters of the series."""
        for i, (_, make, _) in enumerate(cases):
            self.injector.send(make(request(self.size, self.session, i)))
            if i % 50 == 49:
                self.client.lines.send(type="alive")
                self.catch_up(len(cases) + i)  # a ring holds some hundred frames
        self.catch_up(2 * len(cases))
        marks = [len(cases) + i for i in range(49, len(cases), 50)] + [2 * len(cases)]
        wanted = [i for i, case in enumerate(cases) if case[2]] + marks
        time.sleep(0.1)
        replies = self.test.replies_among(self.sniffer.frames())
        names = [cases[i][0] if i < len(cases) else f"mark {i}" for i in set(replies) ^ set(wanted)]
        self.test.assertEqual((names, len(replies)), ([], len(wanted)))
        report = self.client.ask(type="end")
        seen = report["accounting"]
        self.test.assertEqual(seen["frames"], sum(seen[name] for name in ("requests", "repeated", "malformed",
                                                                          "unarmed")), seen)
        self.test.assertEqual(seen["requests"], len(wanted), seen)
        self.test.assertEqual(seen["replies"], len(wanted), seen)
        return seen, {name: report["port"][name] for name in FLAWS}


class RawEthernet(FrameTest):
    program = RTECHO_GPOS

    def serve(self, driver, script, size=64):
        server = self.frame_server(driver)
        with Armed(self, server, "eth", size) as armed:
            outcome = armed.serve(script(armed))
        self.stop_cleanly(server)
        return outcome

    def test_headers_that_lie(self):
        # In each byte of the message's header, the length field, the addresses, the type.
        def script(armed):
            flipped = [(f"byte {k}", lambda message, k=k: armed.eth(changed(message, k)), False) for k in range(64)]
            kinds = [(f"kind {kind:#x}", lambda message, kind=kind: armed.eth(
                with_check(message[:3] + bytes([kind]) + message[4:60])), False)
                for kind in (0, PROBE, 3, 0x7F, ECHO | REPLY, PROBE | REPLY, 0xFF)]
            others = [("other session", lambda message: armed.eth(full(64, armed.session ^ 1, sequence_of(message))),
                       False)]
            return flipped + kinds + others
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                seen, port = self.serve(driver, script)
                self.assertEqual((seen["malformed"], seen["unarmed"]), (64, 8))
                self.assertEqual(port, dict.fromkeys(FLAWS, 0))

    def test_lengths_that_lie(self):
        def script(armed):
            return [(f"says {size}", lambda message, size=size: armed.eth(message, size=size), False)
                    for size in (0, 1, 63, 65, 66, 80, 1498, 1499, 32768, 65535)]
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                seen, port = self.serve(driver, script)
                # What does not fit into the frame is the frame's fault, what fits is the message's.
                self.assertEqual((seen["malformed"], port["malformed_frames"]), (3, 7))

    def test_a_length_that_takes_the_padding_for_a_message(self):
        def script(armed):
            return [(f"says {size}", lambda message, size=size: armed.eth(message, size=size), False)
                    for size in (0, 3, 5, 44, 45)]
        seen, port = self.serve("ring", script, size=4)
        self.assertEqual((seen["malformed"], port["malformed_frames"]), (4, 1))

    def test_requests_for_others_and_from_others(self):
        def script(armed):
            def to(mac):
                return lambda message: armed.eth(message, target=mac)

            def of(mac):
                return lambda message: armed.eth(message, source=mac)
            return [("to a stranger", to(STRANGER), False), ("to everybody", to(BROADCAST), False),
                    ("to a group", to(b"\x01\0\x5e\0\0\1"), False), ("to the asker", to(armed.b), False),
                    ("to nobody", to(bytes(6)), False), ("of a stranger", of(STRANGER), False),
                    ("of the server", of(armed.a), False), ("of everybody", of(BROADCAST), False),
                    ("of nobody", of(bytes(6)), False), ("of a group", of(b"\x03" + armed.b[1:]), False),
                    ("another type", lambda message: armed.eth(message, kind=0x88B6), False),
                    ("a length as type", lambda message: armed.eth(message, kind=66), False)]
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                seen, port = self.serve(driver, script)
                self.assertEqual((seen["malformed"], seen["unarmed"]), (0, 0))
                self.assertEqual(port, dict(dict.fromkeys(FLAWS, 0), foreign_frames=5))

    def test_frames_of_every_length(self):
        # Cut, and lengthened behind the message: 80 bytes are the frame of a message of 64.
        def script(armed):
            return [(f"{length} bytes", lambda message, length=length: (
                armed.eth(message) + bytes(1600))[:length], 80 <= length <= 1514) for length in range(1601)]
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                seen, port = self.serve(driver, script)
                # Below 14 no kernel sends it, from 14 on there is a type, from 16 on a length.
                self.assertEqual((seen["malformed"], port["malformed_frames"]), (0, 80 - 14))


class Datagrams(FrameTest):
    program = RTECHO_GPOS

    def serve(self, driver, script):
        server = self.frame_server(driver)
        with Armed(self, server, "udp") as armed:
            outcome = armed.serve(script(armed))
        self.stop_cleanly(server)
        return outcome

    def test_ip_headers_that_lie(self):
        def script(armed):
            def with_header(**header):
                return lambda message: armed.datagram(message, header=header)
            cases = [(f"byte {k} of IP", lambda message, k=k: changed(armed.datagram(message), 14 + k), False)
                     for k in range(20)]
            return cases + [
                ("version 6", with_header(first=0x65), False), ("no options but says so", with_header(first=0x46), False),
                ("header of 16 bytes", with_header(first=0x44), False), ("header of 0 bytes", with_header(first=0x40), False),
                ("options", with_header(options=b"\1\1\1\0"), False), ("40 bytes of options", with_header(
                    options=b"\1" * 39 + b"\0"), False),
                ("longer than the frame", with_header(total=1400), False), ("total 0", with_header(total=0), False),
                ("total 19", with_header(total=19), False), ("total 27", with_header(total=27), False),
                ("more fragments", with_header(fragment=0x2000), False), ("an offset", with_header(fragment=1), False),
                ("the last fragment", with_header(fragment=0x00B9), False),
                ("may be fragmented", with_header(fragment=0), True), ("evil bit", with_header(fragment=0xC000), True),
                ("TCP", with_header(protocol=6), False), ("UDP-Lite", with_header(protocol=136), False)]
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                seen, port = self.serve(driver, script)
                self.assertEqual((seen["malformed"], seen["unarmed"]), (0, 0))
                # Whatever the filter did not keep away is counted.
                self.assertGreaterEqual(port["malformed_frames"] + port["checksum_wrong"], 12, port)
                self.assertGreaterEqual(port["checksum_wrong"], 5, port)

    def test_udp_headers_that_lie(self):
        def script(armed):
            def with_fields(**fields):
                return lambda message: armed.datagram(message, **fields)
            partial = lambda right: struct.unpack(">H", pseudo_sum(armed, 72))[0]
            return [
                ("says 0", with_fields(size=0), False), ("says 7", with_fields(size=7), False),
                ("says 73", with_fields(size=73), False), ("says 65535", with_fields(size=65535), False),
                ("checksum one off", with_fields(checksum=lambda right: right ^ 1), False),
                ("checksum of ones", with_fields(checksum=lambda right: 0xFFFF), False),
                ("no checksum", with_fields(checksum=lambda right: 0), True),
                ("partial checksum", with_fields(checksum=partial), True),
                ("partial checksum, one off", with_fields(checksum=lambda right: partial(right) ^ 1), False),
                ("payload changed", lambda message: changed(armed.datagram(message), 60), False),
                ("other source port", with_fields(source_port=armed.port ^ 1), False),
                ("source port 0", with_fields(source_port=0), False), ("source port 7", with_fields(source_port=7), False),
                ("the server's own port", with_fields(source_port=armed.server_port), False),
                ("other target port", with_fields(target_port=armed.server_port ^ 1), False),
                ("other source address", with_fields(source_address="10.78.0.77"), False),
                ("the server's own address", with_fields(source_address=self.link.address_a), False),
                ("everybody's address", with_fields(source_address="255.255.255.255"), False),
                ("loopback address", with_fields(source_address="127.0.0.1"), False),
                ("other target address", with_fields(target_address="10.78.0.77"), False),
                ("to everybody", with_fields(target_address="255.255.255.255"), False),
                ("to the subnet", with_fields(target_address="10.78.0.255"), False),
                ("to a group", with_fields(target_address="224.0.0.1"), False),
                ("to a stranger's station", with_fields(target=STRANGER), False),
                ("to everybody's station", with_fields(target=BROADCAST), False),
                ("from a stranger's station", with_fields(source=STRANGER), False),
                ("from the server's station", with_fields(source=armed.a), False),
                ("tagged", with_fields(tags=((5, 0),)), False), ("tagged twice", with_fields(tags=((5, 0), (5, 0))), False),
                ("tagged by a provider", with_fields(tags=((5, 0, 0x88A8),)), False)]
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                seen, port = self.serve(driver, script)
                self.assertEqual((seen["malformed"], seen["unarmed"]), (0, 0))
                self.assertEqual((port["malformed_frames"], port["checksum_wrong"], port["checksum_partial"]), (4, 4, 1))
                self.assertEqual(port["requests_answered"], 0)

    def test_messages_that_lie(self):
        def script(armed):
            def sent(change):
                return lambda message: armed.datagram(change(message))
            return [("empty", sent(lambda message: b""), False), ("cut", sent(lambda message: message[:63]), False),
                    ("longer", sent(lambda message: message + b"x"), False),
                    ("largest", sent(lambda message: message + bytes(1408)), False),
                    ("a reply", sent(lambda message: full(64, armed.session, 5, ECHO | REPLY)), False),
                    ("a probe", sent(lambda message: full(64, armed.session, 5, PROBE)), False),
                    ("other session", sent(lambda message: full(64, 5, 5)), False), ("a tag", sent(lambda _: tag(4, 1)),
                                                                                    False)]
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                seen, _ = self.serve(driver, script)
                self.assertEqual((seen["malformed"], seen["unarmed"]), (5, 3))


def pseudo_sum(armed, size):
    """The field of a checksum that was left to a NIC."""
    words = struct.unpack(">6H", pseudo_header(armed.test.link.address_b, armed.test.link.address_a, size))
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", total)


class Hosts(FrameTest):
    """With an address of its own an end answers what a host must, and only that."""

    program = RTECHO_GPOS

    def ask(self, driver, own, ask):
        """What is answered by a server in mid-run; `ask(a, b)` lists (name, frame, number of answers)."""
        server = self.frame_server(driver, *(("--address", OWN_A) if own else ()))
        client, path = self.begin(server, "--for", "3s", "--rate", "100", "--timeout-ms", "2000", driver="socket")
        a, b = self.mac(self.link.a), self.mac(self.link.b)
        cases = ask(a, b)
        with Sniffer(self.link.b) as sniffer, Injector(self.link.b) as injector:
            for i, (name, frame, answers) in enumerate(cases):
                injector.send(frame)
                mark = ethernet(a, b, ETH_ARP, arp(1, b, f"10.78.9.{i}", bytes(6), OWN_A if own else self.link.address_a))
                injector.send(mark)  # answered behind it, so that nothing has to be waited for
                answer = struct.pack(">H", 2) + a + socket.inet_aton(OWN_A if own else self.link.address_a) + b + \
                    socket.inet_aton(f"10.78.9.{i}")
                sniffer.wait_for(1, lambda frame, answer=answer: answer in frame)
                seen = [frame for frame in sniffer.frames() if self.answers(frame) and answer not in frame]
                sniffer.seen = []
                self.assertEqual(len(seen), answers, (name, [frame.hex() for frame in seen]))
        run, _ = self.finish(client, path)
        self.assertEqual(run["series"][0]["accounting"]["client"]["lost"], 0)
        self.stop_cleanly(server)
        return run["series"][0]["port"]["server"]["requests_answered"], len(cases)

    @staticmethod
    def answers(frame):
        """ARP replies, and ICMP of any kind."""
        kind = frame[12:14]
        return kind == b"\x08\x06" and frame[20:22] == b"\0\2" or kind == b"\x08\0" and frame[23] == ICMP

    def pings(self, a, b, address):
        def asked(source="10.78.0.2", target=address, body=ping(), to=a, protocol=ICMP, of=b, **header):
            return ethernet(to, of, ETH_IPV4, ipv4(source, target, body, protocol, **header))
        return asked, [
            ("ping", asked(), 1), ("large ping", asked(body=ping(data=bytes(1400))), 1), ("empty", asked(body=ping(data=b"")), 1),
            ("ping for another", asked(target="10.78.0.103"), 0), ("ping for everybody", asked(target="10.78.0.255"), 0),
            ("ping to a stranger's station", asked(to=STRANGER), 0), ("reply", asked(body=ping(kind=0)), 0),
            ("wrong ICMP checksum", asked(body=changed(ping(), 2)), 0), ("cut", asked(body=ping()[:7]), 0),
            ("wrong IP checksum", asked(checksum=lambda right: right ^ 1), 0), ("from a group", asked("224.0.0.1"), 0),
            ("from beyond", asked("240.0.0.1"), 0), ("in our own name", asked(address), 0),
            ("unreachable", asked(body=ping(kind=3)), 0)]

    def test_pings_and_questions_for_an_own_address(self):
        def ask(a, b):
            asked, cases = self.pings(a, b, OWN_A)

            def question(operation=1, sender=b, address="10.78.0.77", target=OWN_A, to=BROADCAST, of=b):
                return ethernet(to, of, ETH_ARP, arp(operation, sender, address, bytes(6), target))
            return cases + [
                ("fragment", asked(fragment=0x2000), 0), ("options", asked(options=b"\1\1\1\0"), 0),
                ("question", question(), 1), ("probe", question(address="0.0.0.0"), 1), ("to us", question(to=a), 1),
                ("for another", question(target="10.78.0.103"), 0), ("reply", question(operation=2), 0),
                ("in our name", question(address=OWN_A), 0), ("from our station", question(of=a), 0),
                ("from a group", question(of=b"\1" + b[1:]), 0), ("to a stranger", question(to=STRANGER), 0), ("reverse", question(operation=3), 0),
                ("cut", ethernet(BROADCAST, b, ETH_ARP, arp(1, b, "10.78.0.77", bytes(6), OWN_A)[:20]), 0)]
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                answered, marks = self.ask(driver, True, ask)
                self.assertGreaterEqual(answered, marks + 6)  # the client's kernel may ask as well

    def test_what_has_nobody_who_could_be_answered(self):
        def ask(a, b):
            def question(sender=b, address="10.78.0.77"):
                return ethernet(BROADCAST, b, ETH_ARP, arp(1, sender, address, bytes(6), OWN_A))
            asked, _ = self.pings(a, b, OWN_A)
            return [(f"ping from {source}", asked(source), 0)
                    for source in ("127.0.0.1", "127.5.5.5", "0.0.0.0", "0.1.2.3")] + [
                ("of a group", question(sender=b"\1" + b[1:]), 0), ("of our station", question(sender=a), 0),
                ("of nobody", question(sender=bytes(6)), 0), ("address of a group", question(address="224.0.0.9"), 0),
                ("address of loopback", question(address="127.0.0.1"), 0)]
        self.ask("ring", True, ask)

    def test_pings_for_the_kernel_s_address_are_the_kernel_s(self):
        answered, _ = self.ask("ring", False, lambda a, b: self.pings(a, b, self.link.address_a)[1][:7])
        self.assertEqual(answered, 0)

    def test_the_address_is_gone_with_the_series(self):
        server = self.frame_server("ring", "--address", OWN_A)
        self.frame_measure(server, "socket", "--count", "50", "--timeout-ms", "2000")
        a, b = self.mac(self.link.a), self.mac(self.link.b)
        with Sniffer(self.link.b, (12, 2, ETH_ARP)) as sniffer, Injector(self.link.b) as injector:
            injector.send(ethernet(BROADCAST, b, ETH_ARP, arp(1, b, "10.78.0.77", bytes(6), OWN_A)))
            injector.send(ethernet(BROADCAST, b, ETH_ARP, arp(1, b, "10.78.0.78", bytes(6), self.link.address_a)))
            sniffer.wait_for(1)
            self.assertEqual([frame[22:32] for frame in sniffer.frames()], [a + socket.inet_aton(self.link.address_a)])
        self.stop_cleanly(server)


if __name__ == "__main__":
    main()
