"""What tests of the frame drivers need besides pair_harness: frames made by hand, a socket that sends them, and one that
sees everything that arrives at an end of the link, whoever it was for.

Nothing here shares code with the programs. What a ring sends is seen at the other end of the link only: it passes the
place by where the sender's own namespace could look.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import time
import unittest

from fake_peers import REPLY, request, sequence_of
from pair_harness import PATIENCE_S, RTECHO, RTECHO_GPOS, Link, LinkTest, inside, namespaces_refused

IFACE = "veth0"
ETH_ALL, ETH_IPV4, ETH_ARP, ETH_VLAN, ETH_ECHO = 0x0003, 0x0800, 0x0806, 0x8100, 0x88B5
ICMP, UDP = 1, 17
BROADCAST = b"\xff" * 6
QUICK = ("--count", "150", "--warmup", "20", "--timeout-ms", "2000")

SOL_PACKET, PACKET_STATISTICS, PACKET_AUXDATA = 263, 6, 8
SO_ATTACH_FILTER, SO_RCVBUFFORCE = 26, 33
PACKET_OUTGOING = 4
TAG_IS_BESIDE = 0x10  # TP_STATUS_VLAN_VALID


# --- frames ---------------------------------------------------------------------------------------------------------


def mac_bytes(text):
    return bytes.fromhex(text.replace(":", ""))


def address_bytes(text):
    return socket.inet_aton(text)


def internet_checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ethernet(target, source, kind, payload, tags=()):
    """`tags`: (id, priority), or (id, priority, TPID), outermost first. Padded to the shortest frame."""
    header = target + source
    for tag in tags:
        header += struct.pack(">HH", tag[2] if len(tag) > 2 else ETH_VLAN, tag[1] << 13 | tag[0])
    return (header + struct.pack(">H", kind) + payload).ljust(60, b"\0")


def ipv4(source, target, payload, protocol=UDP, fragment=0x4000, options=b"", first=None, total=None, checksum=None):
    words = 5 + len(options) // 4
    header = struct.pack(">BBHHHBBH", first if first is not None else 0x40 | words, 0,
                         total if total is not None else words * 4 + len(payload), 0, fragment, 64, protocol, 0)
    header += address_bytes(source) + address_bytes(target) + options
    right = internet_checksum(header)
    return header[:10] + struct.pack(">H", right if checksum is None else checksum(right)) + header[12:] + payload


def pseudo_header(source, target, size):
    return address_bytes(source) + address_bytes(target) + struct.pack(">HH", UDP, size)


def udp(source, source_port, target, target_port, data, size=None, checksum=None):
    """`checksum`: makes the field out of the right one."""
    size = 8 + len(data) if size is None else size
    header = struct.pack(">HHH", source_port, target_port, size)
    right = internet_checksum(pseudo_header(source, target, 8 + len(data)) + header + b"\0\0" + data) or 0xFFFF
    return header + struct.pack(">H", right if checksum is None else checksum(right)) + data


def arp(operation, sender_mac, sender, target_mac, target):
    return struct.pack(">HHBBH", 1, ETH_IPV4, 6, 4, operation) + sender_mac + address_bytes(sender) + target_mac + \
        address_bytes(target)


def ping(identifier=0x7E57, sequence=1, data=b"are you there?", kind=8):
    body = struct.pack(">HH", identifier, sequence) + data
    return struct.pack(">BBH", kind, 0, internet_checksum(struct.pack(">BBH", kind, 0, 0) + body)) + body


def echo_payload(message, size=None):
    """Of a raw Ethernet frame: how long the message is, and the message."""
    return struct.pack(">H", len(message) if size is None else size) + message


# --- sockets that see and send frames -------------------------------------------------------------------------------


def conditions_as_filter(conditions):
    """A classic BPF program that takes frames for which all of (offset, bytes, value) hold."""
    load = {1: 0x30, 2: 0x28, 4: 0x20}
    code = []
    for i, (offset, size, value) in enumerate(conditions):
        code.append((load[size], 0, 0, offset))
        code.append((0x15, 0, 2 * (len(conditions) - i) - 1, value))
    return code + [(0x06, 0, 0, 0xFFFFFFFF), (0x06, 0, 0, 0)]


class Sniffer:
    """Everything that arrives at the interface of a namespace from now on, in order, tags put back. The kernel keeps
    it until it is read."""

    def __init__(self, namespace, *conditions, interface=IFACE):
        with inside(namespace):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        code = b"".join(struct.pack("HBBI", *instruction) for instruction in conditions_as_filter(conditions))
        memory = ctypes.create_string_buffer(code)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                               struct.pack("HP", len(code) // 8, ctypes.addressof(memory)))
        self.socket.bind((interface, ETH_ALL))
        self.socket.setblocking(False)
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.socket.close()

    def frames(self):
        """All so far."""
        while True:
            try:
                frame, beside, _, address = self.socket.recvmsg(65536 + 18, 256)
            except (BlockingIOError, OSError) as error:
                if isinstance(error, BlockingIOError):
                    break
                continue  # the interface went down: said once
            if address[2] == PACKET_OUTGOING:
                continue
            for level, kind, data in beside:
                if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                    status, _, _, _, _, control, tpid = struct.unpack("IIIHHHH", data[:20])
                    if status & TAG_IS_BESIDE:
                        frame = frame[:12] + struct.pack(">HH", tpid or ETH_VLAN, control) + frame[12:]
            self.seen.append(frame)
        return self.seen

    def dropped(self):
        return struct.unpack("II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]

    def wait_for(self, count, test=lambda frame: True, patience_s=PATIENCE_S):
        """The first `count` frames that pass the test."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            found = [frame for frame in self.frames() if test(frame)]
            if len(found) >= count:
                return found[:count]
            time.sleep(0.01)
        raise AssertionError(f"only {len(found)} of {count} frames were seen")


class Injector:
    """Sends frames as they are from a namespace's interface."""

    def __init__(self, namespace, interface=IFACE):
        with inside(namespace):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.bind((interface, 0))
        self.sent = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.socket.close()

    def send(self, frame):
        """False where this kernel does not let it out: below a header, or above the MTU."""
        for _ in range(100):
            try:
                self.socket.send(frame)
            except BlockingIOError:
                time.sleep(0.001)
                continue
            except OSError:
                return False
            self.sent += 1
            return True
        raise AssertionError("the injector's own queue stays full")


def message_in(frame):
    """The echo message that a frame carries, or nothing."""
    at = 12
    while frame[at:at + 2] == b"\x81\x00":
        at += 4
    kind = struct.unpack_from(">H", frame, at)[0]
    if kind == ETH_ECHO:
        size = struct.unpack_from(">H", frame, at + 2)[0]
        return frame[at + 4:at + 4 + size]
    if kind == ETH_IPV4 and frame[at + 11] == UDP:
        size = struct.unpack_from(">H", frame, at + 26)[0]
        return frame[at + 30:at + 22 + size]
    return b""


# --- a test ---------------------------------------------------------------------------------------------------------


class FrameTest(LinkTest):
    """Tests of ends that move frames."""

    program = RTECHO

    def mac(self, namespace):
        with inside(namespace), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as probe:
            probe.bind((IFACE, 0))
            return probe.getsockname()[4]

    def mac_text(self, namespace):
        return ":".join(f"{byte:02x}" for byte in self.mac(namespace))

    @staticmethod
    def over(driver, *options):
        return ("--driver", driver, "--iface", IFACE, *options)

    def run_inside(self, namespace, *command, check=True):
        return subprocess.run(["ip", "netns", "exec", namespace, *command], capture_output=True, text=True, check=check,
                              timeout=PATIENCE_S)

    def frame_server(self, driver, *options, **named):
        options = options if driver == "socket" else self.over(driver, *options)
        return self.link_server(*options, program=named.pop("program", self.program), **named)

    def frame_measure(self, server, driver, *options, **named):
        options = options if driver == "socket" else self.over(driver, *options)
        return self.link_measure(server, *options, program=named.pop("program", self.program), **named)

    def begin(self, server, *options, name="run.json", driver="ring", **named):
        """A client that runs beside the test; its first message was sent before this returns."""
        options = options if driver == "socket" else self.over(driver, *options)
        path = self.path(name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        client = self.start_client(server.target, "--netns", self.link.b, "--out", path, *options,
                                   program=named.pop("program", self.program), **named)
        self.wait_until_measuring(client, 0.2)
        return client, path

    def finish(self, client, path, code=0):
        outcome = client.wait()
        self.assertEqual(outcome.code, code, str(outcome))
        self.check_talk(outcome)
        return self.load(path), outcome

    def check_clean(self, series):
        """Nothing was lost, nothing came that was not ours, nobody's driver complained."""
        client = {name: value for name, value in series["accounting"]["client"].items() if value}
        server = {name: value for name, value in series["accounting"]["server"].items() if value}
        self.assertEqual(set(client) - {"attempted", "sent", "answered", "frames", "warmup", "resume"}, set(), client)
        self.assertEqual(set(server) - {"frames", "requests", "replies"}, set(), server)
        for end in ("client", "server"):
            port = {name: value for name, value in series["port"][end].items() if value}
            self.assertEqual(set(port) - {"checksum_partial", "receive_buffer_bytes", "send_buffer_bytes", "ring_frames",
                                         "transmit", "time_stamp_type",
                                          "requests_answered"}, set(), (end, port))

    # --- without control

    def lone_server(self, session, *options, driver="ring", program=None, **named):
        """A server without a control channel, in namespace a."""
        return self.link_server(*self.over(driver, "--no-control", "--session", session, *options),
                                program=program or self.program, **named)

    def lone_options(self, session, *options, driver="ring", peer=None):
        return ("--netns", self.link.b, *self.over(driver), "--protocol", "eth", "--no-control", "--session", session,
                "--peer-mac", peer or self.mac_text(self.link.a), *options)

    def counts_of(self, server):
        """What a server without control says that it counted, when it is stopped."""
        outcome = server.stop()
        self.assertEqual(outcome.code, 0, str(outcome))
        return self.read_counts(outcome)

    @staticmethod
    def read_counts(outcome):
        parts = (part.rsplit(" ", 1) for part in outcome.out.strip().split(", "))
        return {name: int(value) for name, value in parts}

    # --- by hand

    def raw_request(self, session, sequence, size=64, target=None, source=None, tags=(), mangle=lambda message: message):
        """An echo request as an Ethernet frame, from b to a where nothing else is said."""
        message = mangle(request(size, int(session, 16), sequence))
        return ethernet(target or self.mac(self.link.a), source or self.mac(self.link.b), ETH_ECHO,
                        echo_payload(message), tags)

    @staticmethod
    def is_reply(frame):
        message = message_in(frame)
        if len(message) >= 16:
            return bool(message[3] & REPLY)
        return bool(message) and bool(message[0] & REPLY)

    def replies_among(self, frames):
        return [sequence_of(message_in(frame)) for frame in frames if self.is_reply(frame)]

    def packet_sockets(self, namespace):
        return len(self.run_inside(namespace, "cat", "/proc/net/packet").stdout.splitlines()) - 1

    def kernel_counters(self, namespace, protocol):
        lines = [line.split() for line in self.run_inside(namespace, "cat", "/proc/net/snmp").stdout.splitlines()
                 if line.startswith(f"{protocol}: ")]
        return dict(zip(lines[0][1:], map(int, lines[1][1:])))


class OwnLinkTest(FrameTest):
    """Each test has a link of its own, because it breaks it."""

    program = RTECHO_GPOS

    @classmethod
    def setUpClass(cls):
        reason = namespaces_refused()
        if reason:
            raise unittest.SkipTest(reason)

    def setUp(self):
        super().setUp()
        self.link = Link()
        self.addCleanup(self.remove_link)

    def remove_link(self):
        self.end_programs()
        left = self.link.processes()
        self.link.remove()
        self.assertEqual(left, [], "processes were left in the namespaces")

    def renew_link(self):
        self.remove_link()
        self.link = Link()


def interrupt(program):
    with contextlib.suppress(ProcessLookupError):
        program.send(signal.SIGINT)


def tool_is_missing(*names):
    """The first of these programs that is not installed."""
    for name in names:
        if not any(os.access(os.path.join(folder, name), os.X_OK) for folder in os.environ["PATH"].split(":")):
            return name
    return None


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
