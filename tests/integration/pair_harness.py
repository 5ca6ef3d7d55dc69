"""What every integration test of the pair needs: a link of two namespaces, programs with time limits, run files whose
sums are checked on loading, and the proof that nothing is left behind.

The programs are found by the environment: RTECHO, RTECHO_GPOS, and RTECHO_HOST where a test uses it. Waits here are
upper bounds for a busy machine of two cores; nothing is measured by them.
"""

import atexit
import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from run_file_checks import check_accounting

SKIPPED = 77
PATIENCE_S = 60
# How long after its due time something may happen on a machine that other programs use too.
SCHEDULING_ALLOWANCE_S = 1.5

RTECHO = os.environ.get("RTECHO", "rtecho")
RTECHO_GPOS = os.environ.get("RTECHO_GPOS", "rtecho-gpos")
RTECHO_HOST = os.environ.get("RTECHO_HOST", "rtecho-host")


def namespaces_refused():
    """Why namespaces cannot be made here, or an empty text."""
    if os.geteuid() != 0:
        return "network namespaces need CAP_NET_ADMIN and CAP_SYS_ADMIN: run as root"
    try:
        tried = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True, timeout=PATIENCE_S)
    except OSError as error:
        return f"unshare: {error}"
    return f"ip netns is impossible: {tried.stderr.strip()}" if tried.returncode else ""


def main():
    """Runs the caller's tests. Exit code 77, with the reason, where all of them were skipped."""
    # A test that is stopped from outside, by CTest too, still removes what it made.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    outcome = unittest.main(module="__main__", exit=False, verbosity=2).result
    sys.stderr.flush()
    if outcome.testsRun == 0 or (outcome.wasSuccessful() and len(outcome.skipped) >= outcome.testsRun):
        print(f"skipped: {outcome.skipped[0][1] if outcome.skipped else 'there is no test'}")
        sys.exit(SKIPPED)
    for test, reason in outcome.skipped:
        print(f"one was skipped: {test}: {reason}")
    sys.exit(not outcome.wasSuccessful())


# --- namespaces -----------------------------------------------------------------------------------------------------


class Link:
    """Two namespaces joined by a veth pair, named after this process. IPv4, IPv6 and link-local addresses."""

    counter = 0

    def __init__(self, mtu=1500):
        Link.counter += 1
        tag = f"{os.getpid()}x{Link.counter}"
        self.a = f"ita{tag}"
        self.b = f"itb{tag}"
        self.address_a, self.address_b = "10.78.0.1", "10.78.0.2"
        self.ipv6_a, self.ipv6_b = "fd00::1", "fd00::2"
        atexit.register(self.remove)
        try:
            self.make(mtu)
        except BaseException:
            self.remove()
            raise

    def make(self, mtu):
        ip("netns", "add", self.a)
        ip("netns", "add", self.b)
        ip("link", "add", "veth0", "mtu", str(mtu), "netns", self.a, "type", "veth",
           "peer", "name", "veth0", "mtu", str(mtu), "netns", self.b)
        for name, address, address6 in ((self.a, self.address_a, self.ipv6_a), (self.b, self.address_b, self.ipv6_b)):
            ip("-n", name, "link", "set", "lo", "up")
            # Without duplicate address detection an address can be used at once, the link-local one too.
            subprocess.run(["ip", "netns", "exec", name, "sh", "-c",
                            "echo 0 > /proc/sys/net/ipv6/conf/veth0/accept_dad"], check=False,
                           stderr=subprocess.DEVNULL)
            ip("-n", name, "address", "add", f"{address}/24", "dev", "veth0")
            ip("-n", name, "link", "set", "veth0", "up")
            if os.path.exists("/proc/net/if_inet6"):
                ip("-n", name, "address", "add", f"{address6}/64", "dev", "veth0", "nodad")

    def link_local_a(self):
        shown = subprocess.run(["ip", "-n", self.a, "-j", "address", "show", "dev", "veth0"], capture_output=True,
                               text=True, check=True).stdout
        for entry in json.loads(shown)[0]["addr_info"]:
            if entry.get("local", "").startswith("fe80"):
                return entry["local"]
        return None

    def processes(self):
        found = []
        for name in (self.a, self.b):
            listed = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout
            found += listed.split()
        return found

    def remove(self):
        for name in (self.a, self.b):
            if os.path.exists(f"/run/netns/{name}"):
                subprocess.run(["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL)

    def is_left(self):
        return any(os.path.exists(f"/run/netns/{name}") for name in (self.a, self.b))


def ip(*arguments):
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=PATIENCE_S)
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


@contextlib.contextmanager
def inside(namespace):
    """Sockets that this thread makes in the block belong to the namespace. (os.setns came with Python 3.12.)"""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    away = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        if libc.setns(away, 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        yield
    finally:
        libc.setns(home, 0)
        os.close(home)
        os.close(away)


# --- programs -------------------------------------------------------------------------------------------------------


class Outcome:
    """How a program ended and what it said."""

    def __init__(self, arguments, code, out, err, seconds):
        self.arguments, self.code, self.out, self.err, self.seconds = arguments, code, out, err, seconds

    def __str__(self):
        return (f"{' '.join(self.arguments)}\nexit code {self.code} after {self.seconds:.2f} s\nstdout: {self.out[-3000:]}"
                f"\nstderr: {self.err[-3000:]}")


class Program:
    """A started program. It never outlives its test."""

    def __init__(self, arguments, pass_fds=(), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, **options):
        self.arguments = [str(argument) for argument in arguments]
        self.began = time.monotonic()
        self.process = subprocess.Popen(self.arguments, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                                        pass_fds=pass_fds, start_new_session=True, **options)
        self.outcome = None

    def send(self, number):
        self.process.send_signal(number)

    def wait(self, limit_s=PATIENCE_S):
        """The outcome. A program that does not end in time is killed, and its test fails."""
        if self.outcome:
            return self.outcome
        try:
            out, err = self.process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            raise AssertionError(f"still running after {limit_s} s: {' '.join(self.arguments)}\n"
                                 f"{(err or b'').decode(errors='replace')[-2000:]}") from None
        self.outcome = Outcome(self.arguments, self.process.returncode, (out or b"").decode(errors="replace"),
                               (err or b"").decode(errors="replace"), time.monotonic() - self.began)
        return self.outcome

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        if not self.outcome:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.communicate(timeout=10)


class Server(Program):
    """A server that has said on --ready-fd that it listens."""

    def __init__(self, *options, program=RTECHO, prefix=(), bind="127.0.0.1", port=0):
        reader, writer = os.pipe()
        try:
            super().__init__([*prefix, program, "server", "--bind", bind, "--port", port, "--ready-fd", writer,
                              *options], pass_fds=(writer,))
        finally:
            os.close(writer)
        self.ready_line = self.read_ready(reader)
        os.close(reader)
        if not self.ready_line.endswith("\n"):
            self.process.kill()
            raise AssertionError(f"the server did not become ready: {self.wait()}")
        word, self.address, self.port = self.ready_line.split()
        assert word == "ready", self.ready_line
        self.port = int(self.port)

    @staticmethod
    def read_ready(reader):
        text, deadline = b"", time.monotonic() + PATIENCE_S
        while not text.endswith(b"\n") and select.select([reader], [], [], max(0, deadline - time.monotonic()))[0]:
            more = os.read(reader, 256)
            if not more:
                break
            text += more
        return text.decode()

    @property
    def target(self):
        """As a client names it."""
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"

    def stop(self):
        self.send(signal.SIGTERM)
        return self.wait()


# --- a test ---------------------------------------------------------------------------------------------------------


class PairTest(unittest.TestCase):
    """Programs end with their test; whatever else is left is a failure."""

    def setUp(self):
        self.programs = []
        folder = tempfile.TemporaryDirectory(prefix="rtecho-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(self.end_programs)

    def end_programs(self):
        for program in self.programs:
            program.end()

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, program):
        self.programs.append(program)
        return program

    def start_server(self, *options, **named):
        return self.start(Server(*options, **named))

    def start_client(self, *options, program=RTECHO, prefix=(), **named):
        return self.start(Program([*prefix, program, "client", *options], **named))

    def run_program(self, *arguments, limit_s=PATIENCE_S, **named):
        return self.start(Program(arguments, **named)).wait(limit_s)

    def wait_until_measuring(self, client, seconds=0.5):
        """Until the client's measuring thread is there, and a while more for its first messages."""
        folder = f"/proc/{client.process.pid}/task"
        deadline = time.monotonic() + PATIENCE_S
        names = set()
        while not names & {"rtecho-loop", "rtecho-restless"}:
            if client.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the client does not measure: {client.wait()}")
            time.sleep(0.02)
            names.clear()
            with contextlib.suppress(OSError):
                for task in os.listdir(folder):
                    with open(f"{folder}/{task}/comm", encoding="ascii") as file:
                        names.add(file.read().strip())
        time.sleep(seconds)

    def run_client(self, *options, code=0, limit_s=PATIENCE_S, **named):
        outcome = self.start_client(*options, **named).wait(limit_s)
        if code is not None:
            self.assertEqual(outcome.code, code, str(outcome))
        self.check_talk(outcome)
        return outcome

    def measure(self, target, *options, code=0, name="run.json", **named):
        """A client's run file, and how the client ended."""
        path = self.path(name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        outcome = self.run_client(target, "--out", path, *options, code=code, **named)
        return self.load(path), outcome

    def load(self, path):
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        self.check_run(run)
        left = [name for name in os.listdir(os.path.dirname(path)) if name.endswith(".tmp")]
        self.assertEqual(left, [], "a temporary file was left")
        return run

    def check_run(self, run):
        self.assertEqual(run["schema"], "rtecho.run/1")
        if run["realtime"]:
            self.assertEqual(run["tool"]["build"], "realtime")
            self.assertEqual(run["client"]["degraded"] + run["server"]["degraded"], [])
        check_accounting(self, run)

    def check_talk(self, outcome):
        """Not on a terminal: no colours, no carriage returns; an error is one line that names the program."""
        for text in (outcome.out, outcome.err):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\r", text)
        if outcome.code in (2, 3, 5):
            lines = outcome.err.strip().splitlines()
            errors = [line for line in lines if line.startswith(("rtecho: ", "rtecho-gpos: "))]
            self.assertEqual(len(errors), 1, f"one line of error: {outcome}")
        self.assertNotIn("terminate called", outcome.err)
        self.assertNotIn("assert", outcome.err.lower())

    def stop_cleanly(self, server):
        outcome = server.stop()
        self.assertEqual(outcome.code, 0, str(outcome))
        self.check_talk(outcome)
        return outcome


class LinkTest(PairTest):
    """Tests over a link of their own, made once per class."""

    link = None
    mtu = 1500

    @classmethod
    def setUpClass(cls):
        reason = namespaces_refused()
        if reason:
            raise unittest.SkipTest(reason)
        cls.link = Link(cls.mtu)

    @classmethod
    def tearDownClass(cls):
        if cls.link:
            deadline = time.monotonic() + 5
            while cls.link.processes() and time.monotonic() < deadline:
                time.sleep(0.05)
            left = cls.link.processes()
            cls.link.remove()
            assert not left, f"processes were left in the namespaces: {left}"
            assert not cls.link.is_left(), "a namespace was left"

    def link_server(self, *options, bind=None, **named):
        return self.start_server("--netns", self.link.a, *options, bind=bind or self.link.address_a, **named)

    def link_measure(self, server, *options, **named):
        return self.measure(server.target, "--netns", self.link.b, *options, **named)

    def udp_sockets(self, namespace):
        """(local port, remote port) of the connected UDP sockets of a namespace."""
        text = subprocess.run(["ip", "netns", "exec", namespace, "cat", "/proc/net/udp"], capture_output=True,
                              text=True, check=True).stdout
        found = []
        for line in text.splitlines()[1:]:
            fields = line.split()
            local, remote = (int(field.split(":")[1], 16) for field in fields[1:3])
            if remote:
                found.append((local, remote))
        return found

    def wait_for_data_path(self, namespace):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            found = self.udp_sockets(namespace)
            if found:
                return found[0]
            time.sleep(0.02)
        raise AssertionError("no UDP data path came up")


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
