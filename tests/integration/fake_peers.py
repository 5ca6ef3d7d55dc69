"""Peers that follow a script: a server whose replies suffer chosen faults, and a client that says what it likes.

Both speak the control channel and the bytes on the wire (docs/wire_protocol.md) written anew from the description, so
that a mistake in the programs is not repeated here.
"""

import contextlib
import json
import socket
import struct
import threading
import time

MAGIC = 0x5245
ECHO, PROBE, REPLY = 1, 2, 0x80
PREAMBLE_MAGIC = 0x5254_4543_484F_0001
FULL_BYTES, SHORT_BYTES = 64, 16


# --- messages -------------------------------------------------------------------------------------------------------


def fill(size, first, sequence):
    product = (sequence * 0x9E37_79B9_7F4A_7C15) & 0xFFFF_FFFF_FFFF_FFFF
    return bytes(((product >> (8 * (k % 8))) + k) & 0xFF for k in range(first, size))


def with_check(header):
    """The 60 bytes before the check, and the check."""
    return header + struct.pack(">I", sum(struct.unpack(">15I", header)) & 0xFFFF_FFFF)


def full(size, session, sequence, kind=ECHO, send_ns=1, receive_ns=0, reply_ns=0, version=1, gap_ns=0):
    header = struct.pack(">HBBHHQQqqqIII", MAGIC, version, kind, 0, FULL_BYTES, session, sequence, send_ns, receive_ns,
                         reply_ns, gap_ns, size, 0)
    return with_check(header) + fill(size, FULL_BYTES, sequence)


def short(size, session, sequence, kind=ECHO):
    return struct.pack(">HBBIQ", MAGIC, 1, kind, session & 0xFFFF_FFFF, sequence) + fill(size, SHORT_BYTES, sequence)


def tag(size, sequence, reply=False):
    value = bytearray((sequence & ((1 << (8 * size - 1)) - 1)).to_bytes(size, "big"))
    value[0] |= 0x80 if reply else 0
    return bytes(value)


def request(size, session, sequence):
    if size >= FULL_BYTES:
        return full(size, session, sequence)
    return short(size, session, sequence) if size >= SHORT_BYTES else tag(size, sequence)


def sequence_of(message):
    if len(message) >= FULL_BYTES:
        return struct.unpack_from(">Q", message, 16)[0]
    if len(message) >= SHORT_BYTES:
        return struct.unpack_from(">Q", message, 8)[0]
    return int.from_bytes(message, "big") & ((1 << (8 * len(message) - 1)) - 1)


def reply_to(message, session):
    sequence = sequence_of(message)
    if len(message) >= FULL_BYTES:
        now = time.monotonic_ns()
        send_ns = struct.unpack_from(">q", message, 24)[0]
        return full(len(message), session, sequence, ECHO | REPLY, send_ns, now, now)
    if len(message) >= SHORT_BYTES:
        return short(len(message), session, sequence, ECHO | REPLY)
    return tag(len(message), sequence, reply=True)


def changed(message, offset, mask=0xFF):
    damaged = bytearray(message)
    damaged[offset] ^= mask
    return bytes(damaged)


# --- control lines --------------------------------------------------------------------------------------------------


class Lines:
    """JSON lines over a socket."""

    def __init__(self, connection):
        self.socket = connection
        self.buffer = b""

    def send(self, **message):
        self.send_raw(json.dumps(message).encode() + b"\n")

    def send_raw(self, data):
        self.socket.sendall(data)

    def receive(self, timeout_s=20):
        """The next message; None where the peer closed."""
        self.socket.settimeout(timeout_s)
        while b"\n" not in self.buffer:
            try:
                more = self.socket.recv(65536)
            except ConnectionError:
                return None
            if not more:
                return None
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def is_closed_within(self, seconds):
        """Reads on until the peer closes."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                if not self.socket.recv(65536):
                    return True
            except ConnectionError:
                return True
            except TimeoutError:
                return False
        return False

    def close(self):
        self.socket.close()


WINDOW = {"gap_count": 0, "gaps": [], "heap_allocations": 0, "interrupts": 0, "involuntary_switches": 0,
          "longest_gap_ns": 0, "major_faults": 0, "migrations": 0, "minor_faults": 0, "steal_ns": 0,
          "voluntary_switches": 0}
END = {"host": {}, "granted": {}, "degraded": []}


class FakeServer:
    """Serves one client on loopback. For each request, `fault(sequence, reply, deliver)` decides what is delivered:
    deliver(bytes) sends at once, deliver(bytes, delay_s) later. Without a fault every request is answered."""

    def __init__(self, fault=None, hello=None, report=True, stream=None):
        self.fault = fault or (lambda sequence, reply, deliver: deliver(reply))
        self.hello = hello  # replaces the answer to hello
        self.report = report
        self.stream = stream  # replaces the service of a TCP data connection: stream(connection, session, size)
        self.session = 0x1122_3344_5566_7788
        self.counts = {"frames": 0, "requests": 0, "replies": 0}
        self.arms = []
        self.timers = []
        self.stopping = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(0.1)
        self.port = self.listener.getsockname()[1]
        self.target = f"127.0.0.1:{self.port}"
        self.failure = None
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stopping.set()
        self.thread.join(10)
        for timer in self.timers:
            timer.cancel()
        self.listener.close()
        if self.failure and not exception[0]:
            raise self.failure

    def serve(self):
        while not self.stopping.is_set():
            try:
                connection, _ = self.listener.accept()
            except TimeoutError:
                continue
            with connection:
                try:
                    self.talk(Lines(connection))
                except OSError:
                    pass  # the client went away, or the test closed the connection
                except Exception as failure:  # shown by the test's own thread
                    self.failure = failure

    def talk(self, lines):
        while not self.stopping.is_set():
            message = lines.receive()
            if message is None or message["type"] == "bye":
                return
            if message["type"] == "hello":
                if self.hello is not None:
                    self.hello(lines)
                    continue
                lines.send(type="welcome", tool="fake")
            elif message["type"] == "arm":
                self.arms.append(message)
                self.series(lines, message)

    def series(self, lines, arm):
        self.counts = {"frames": 0, "requests": 0, "replies": 0}
        if arm["protocol"] == "udp":
            data = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            data.bind(("127.0.0.1", 0))
            data.connect(("127.0.0.1", arm["data_port"]))
            lines.send(type="connect", session=f"{self.session:016x}", data_port=data.getsockname()[1])
            # The client throws away what came before it connected its socket, so once is not enough.
            probe = None
            for _ in range(10):
                data.send(full(FULL_BYTES, self.session, 0xABCD, kind=PROBE))
                with contextlib.suppress(TimeoutError):
                    probe = lines.receive(0.05)
                    break
            assert probe == {"type": "probe", "nonce": f"{0xABCD:016x}"}, probe
            serve = self.serve_datagrams
        else:
            listener = socket.create_server(("127.0.0.1", 0))
            lines.send(type="connect", session=f"{self.session:016x}", data_port=listener.getsockname()[1])
            listener.settimeout(20)
            data, _ = listener.accept()
            listener.close()
            data.settimeout(20)
            preamble = receive_exactly(data, 16)
            assert preamble == struct.pack(">QQ", PREAMBLE_MAGIC, self.session), preamble
            serve = self.stream or self.serve_stream
        ended = threading.Event()
        server = threading.Thread(target=self.guard, args=(serve, data, arm["message_bytes"], ended), daemon=True)
        server.start()
        lines.send(type="armed", end=END, driver="socket", wait="block", realtime=False)
        try:
            message = lines.receive()
            while message is not None and message["type"] == "alive":
                message = lines.receive()
        finally:
            ended.set()
            server.join(10)
            data.close()
        if message is not None and message["type"] == "end" and self.report:
            accounting = dict(self.counts, malformed=0, repeated=0, reply_refused=0, unarmed=0)
            lines.send(type="report", accounting=accounting, window=WINDOW, port={}, blocked_waits=0, notes={})

    def guard(self, serve, data, size, ended):
        try:
            serve(data, size, ended)
        except (OSError, ValueError):
            pass  # the client went away
        except Exception as failure:
            self.failure = failure

    def answer(self, message, send):
        def deliver(data, delay_s=0):
            if delay_s:
                timer = threading.Timer(delay_s, lambda: self.send_late(send, data))
                timer.daemon = True
                timer.start()
                self.timers.append(timer)
            else:
                send(data)

        for count in self.counts:
            self.counts[count] += 1
        self.fault(sequence_of(message), reply_to(message, self.session), deliver)

    @staticmethod
    def send_late(send, data):
        with contextlib.suppress(OSError):
            send(data)

    def serve_datagrams(self, data, size, ended):
        data.settimeout(0.02)
        while not ended.is_set():
            try:
                message = data.recv(65536)
            except TimeoutError:
                continue
            except ConnectionRefusedError:
                continue
            self.answer(message, data.send)

    def serve_stream(self, data, size, ended):
        data.settimeout(20)
        data.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not ended.is_set():
            message = receive_exactly(data, size)
            if not message:
                return
            self.answer(message, data.sendall)


def receive_exactly(connection, size):
    """`size` bytes, or nothing where the peer closed before."""
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            return b""
        data += more
    return data


class FakeClient:
    """The client's side of the control channel, step by step."""

    def __init__(self, port, host="127.0.0.1", hello=True, version=1):
        self.host = host
        self.lines = Lines(socket.create_connection((host, port), timeout=20))
        self.answer = None
        if hello:
            self.lines.send(type="hello", version=version)
            self.answer = self.lines.receive()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self.lines.close()

    def ask(self, **message):
        self.lines.send(**message)
        return self.lines.receive()

    def arm(self, protocol="udp", size=64, data_port=0, **more):
        return self.ask(type="arm", protocol=protocol, message_bytes=size, data_port=data_port, spacing_ns=0,
                        rests=True, **more)

    def arm_udp(self, size=64, address="127.0.0.1", **more):
        """A connected data socket, the session, and the answer to the nonce."""
        data = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        data.bind((address, 0))
        data.settimeout(10)
        connect = self.arm("udp", size, data.getsockname()[1], **more)
        assert connect["type"] == "connect", connect
        data.connect((self.host, connect["data_port"]))
        probe = data.recv(65536)
        assert len(probe) == FULL_BYTES and probe[3] == PROBE, probe
        session = int(connect["session"], 16)
        armed = self.ask(type="probe", nonce=f"{sequence_of(probe):016x}")
        assert armed["type"] == "armed", armed
        time.sleep(0.05)
        data.setblocking(False)
        with contextlib.suppress(BlockingIOError):  # the probe's repetitions
            while True:
                data.recv(65536)
        data.settimeout(10)
        return data, session, armed

    def connect_tcp(self, size=64):
        """(data port, session) of a TCP series that awaits its connection."""
        connect = self.arm("tcp", size)
        assert connect["type"] == "connect", connect
        return connect["data_port"], int(connect["session"], 16)

    def arm_tcp(self, size=64):
        port, session = self.connect_tcp(size)
        data = socket.create_connection((self.host, port), timeout=10)
        data.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data.sendall(struct.pack(">QQ", PREAMBLE_MAGIC, session))
        armed = self.lines.receive()
        assert armed["type"] == "armed", armed
        return data, session

    def end(self):
        """The server's accounting of the series."""
        report = self.ask(type="end")
        assert report["type"] == "report", report
        return report["accounting"]
