"""One run of the pair over the link of rtecho-host, as the scripts that compare runs need it."""
import json
import os
import subprocess
import sys
import tempfile

OWN_ADDRESSES = ("10.77.0.101", "10.77.0.102")  # of --address, at the server and at the client


class Case:
    """One way of running the pair, and which of sockperf's runs stands beside it."""

    def __init__(self, name, protocol="udp", peer="udp", blocking=False, driver=None, own_address=False):
        self.name, self.protocol, self.peer, self.blocking = name, protocol, peer, blocking
        self.driver, self.own_address = driver, own_address

    def link_options(self, end, options):
        if not self.driver:
            return []
        interface = options.server_interface if end == 0 else options.client_interface
        own = ["--address", OWN_ADDRESSES[end]] if self.own_address else []
        allow = ["--allow", OWN_ADDRESSES[1]] if self.own_address and end == 0 else []
        return ["--driver", self.driver, "--iface", interface, *own, *allow]


CASES = {case[0]: Case(*case[1:-1], **case[-1]) for case in (
    ("udp", "udp, both spinning", {}),
    ("tcp", "tcp, both spinning", {"protocol": "tcp", "peer": "tcp"}),
    ("blocking", "udp, both blocking, normal build", {"blocking": True}),
    ("eth-ring", "eth over rings", {"protocol": "eth", "driver": "ring"}),
    ("udp-ring", "udp over rings, the kernel's address", {"driver": "ring"}),
    ("udp-ring-address", "udp over rings, own addresses", {"driver": "ring", "own_address": True}),
    ("eth-pcap", "eth over libpcap", {"protocol": "eth", "driver": "pcap"}),
)}


def add_link_options(parser):
    parser.add_argument("--programs", default="build/release/bin", help="folder of rtecho and rtecho-gpos")
    parser.add_argument("--server-namespace", default="rtecho-a")
    parser.add_argument("--client-namespace", default="rtecho-b")
    parser.add_argument("--server-interface", default="rtecho-a0")
    parser.add_argument("--client-interface", default="rtecho-b0")
    parser.add_argument("--address", default="10.77.0.1")
    parser.add_argument("--bytes", type=int, default=64, help="message size [64]")


def stop(process):
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def started_server(options, case, command, more):
    read_end, write_end = os.pipe()
    server = subprocess.Popen([*command, "server", "--netns", options.server_namespace, "--bind", options.address,
                               "--ready-fd", str(write_end), *case.link_options(0, options), *more],
                              pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(read_end) as ready:
        if not ready.readline().startswith("ready"):
            sys.exit("the rtecho server did not start")
    return server


def measure(options, case, load, limit_s, pinned=True):
    """The series of one run. The normal build knows no cores: where it shall be pinned, taskset does it."""
    program = os.path.join(options.programs, "rtecho-gpos" if case.blocking else "rtecho")
    before = [["taskset", "-c", str(cpu)] if case.blocking and pinned else [] for cpu in (0, 1)]
    after = [["--cpu", str(cpu)] if not case.blocking else [] for cpu in (0, 1)]

    server = started_server(options, case, [*before[0], program], after[0])
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        client = [*before[1], program, "client", options.address, "--netns", options.client_namespace, "--protocol",
                  case.protocol, "--sizes", str(options.bytes), "--out", out.name, *load,
                  *case.link_options(1, options), *after[1]]
        try:
            subprocess.run(client, stdout=subprocess.DEVNULL, timeout=limit_s, check=True)
        finally:
            stop(server)
        with open(out.name, encoding="utf-8") as file:
            return json.load(file)["series"][0]
