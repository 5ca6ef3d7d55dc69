#!/usr/bin/env python3
"""The frame drivers measure: each at either end, against each other and against sockets, over links of several MTUs, up
to the largest message; and what is larger is said to be not testable, at whichever end it does not fit."""

import socket
import unittest

from frame_harness import IFACE, QUICK, FrameTest
from pair_harness import RTECHO, RTECHO_GPOS, inside, ip, main

OWN_A, OWN_B = "10.78.0.101", "10.78.0.102"
ETH_MOST, UDP_MOST = 1498, 1472
SIZES = "1,15,16,64,100"
PATHS = {
    "eth": ("eth", (), ()),
    "udp, the kernel's addresses": ("udp", (), ()),
    "udp, the server's own address": ("udp", ("--address", OWN_A), ()),
    "udp, the client's own address": ("udp", ("--allow", OWN_B), ("--address", OWN_B)),
    "udp, own addresses": ("udp", ("--address", OWN_A, "--allow", OWN_B), ("--address", OWN_B)),
}


class DriverTest(FrameTest):
    def check(self, run, protocol, drivers, sizes):
        """Drivers: of the client and of the server."""
        self.assertTrue(run["complete"])
        self.assertEqual([series["message_bytes"] for series in run["series"]], sizes)
        self.assertEqual(run["plan"]["driver"], drivers[0])
        for series in run["series"]:
            self.assertEqual((series["protocol"], series["client_driver"], series["server_driver"]),
                             (protocol, *drivers))
            self.assertEqual(series["accounting"]["server"]["requests"], series["accounting"]["client"]["sent"])
            self.check_clean(series)


class Matrix(DriverTest):
    def drive(self, driver, program, *more):
        for name, (protocol, at_server, at_client) in PATHS.items():
            with self.subTest(path=name):
                most = ETH_MOST if protocol == "eth" else UDP_MOST
                server = self.frame_server(driver, *at_server, *more, program=program)
                run, _ = self.frame_measure(server, driver, "--protocol", protocol, "--sizes", f"{SIZES},{most}",
                                            *QUICK, *at_client, *more, program=program)
                self.check(run, protocol, (driver, driver), [1, 15, 16, 64, 100, most])
                # Both ends make whole checksums, and veth leaves them alone.
                for series in run["series"]:
                    self.assertEqual([series["port"][end]["checksum_partial"] for end in ("client", "server")], [0, 0])
                self.stop_cleanly(server)

    def test_rings_of_the_realtime_build(self):
        self.drive("ring", RTECHO)

    def test_rings_of_the_normal_build(self):
        self.drive("ring", RTECHO_GPOS)

    def test_libpcap_of_the_realtime_build(self):
        self.drive("pcap", RTECHO)

    def test_libpcap_of_the_normal_build(self):
        self.drive("pcap", RTECHO_GPOS)

    def test_transmit_rings(self):
        self.drive("ring", RTECHO, "--transmit", "ring")

    def test_each_way_of_waiting(self):
        for driver in ("ring", "pcap"):
            for waits in (("spin", "block"), ("block", "spin"), ("block", "block")):
                with self.subTest(driver=driver, waits=waits):
                    server = self.frame_server(driver, "--wait", waits[1])
                    for protocol in ("eth", "udp"):
                        run, _ = self.frame_measure(server, driver, "--protocol", protocol, "--wait", waits[0], *QUICK)
                        self.check(run, protocol, (driver, driver), [64])
                        for end, wait in zip(("client", "server"), waits):
                            self.assertEqual(run["series"][0]["wait"][end].rstrip("*"), wait)
                    self.stop_cleanly(server)

    def test_paced_and_bursting(self):
        for driver in ("ring", "pcap"):
            server = self.frame_server(driver)
            for options in (("--rate", "2000"), ("--rate", "200", "--burst", "32"), ("--window", "64", "--burst", "64")):
                for protocol in ("eth", "udp"):
                    with self.subTest(driver=driver, options=options, protocol=protocol):
                        run, _ = self.frame_measure(server, driver, "--protocol", protocol, "--sizes", "64,1024", *QUICK,
                                                    *options, program=RTECHO_GPOS)
                        self.check(run, protocol, (driver, driver), [64, 1024])
            self.stop_cleanly(server)


class Mixed(DriverTest):
    def test_every_pair_of_drivers_over_udp(self):
        for at_server in ("socket", "ring", "pcap"):
            server = self.frame_server(at_server)
            for at_client in ("socket", "ring", "pcap"):
                if at_server == at_client:
                    continue
                with self.subTest(client=at_client, server=at_server):
                    run, _ = self.frame_measure(server, at_client, "--sizes", f"{SIZES},{UDP_MOST}", *QUICK)
                    self.check(run, "udp", (at_client, at_server), [1, 15, 16, 64, 100, UDP_MOST])
                    for series in run["series"]:
                        for end, own, other in (("client", at_client, at_server), ("server", at_server, at_client)):
                            # A kernel leaves its checksums to the NIC, and a veth is none. Probes come on top.
                            frames = series["accounting"][end]["frames"] if "socket" == other != own else 0
                            partial = series["port"][end]["checksum_partial"]
                            self.assertTrue(frames <= partial <= frames + 5 * bool(frames), (end, series["port"]))
            self.stop_cleanly(server)

    def test_every_pair_of_frame_drivers_over_eth(self):
        for at_server, at_client in (("ring", "pcap"), ("pcap", "ring")):
            server = self.frame_server(at_server)
            run, _ = self.frame_measure(server, at_client, "--protocol", "eth", "--sizes", f"{SIZES},{ETH_MOST}", *QUICK)
            self.check(run, "eth", (at_client, at_server), [1, 15, 16, 64, 100, ETH_MOST])
            self.stop_cleanly(server)

    def test_sockets_against_an_own_address(self):
        # The kernel at the other end asks for it by ARP, and a ring answers.
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver, end="server"):
                ip("-n", self.link.b, "neigh", "flush", "all")
                server = self.frame_server(driver, "--address", OWN_A)
                run, _ = self.frame_measure(server, "socket", "--sizes", f"64,{UDP_MOST}", *QUICK)
                self.check(run, "udp", ("socket", driver), [64, UDP_MOST])
                self.stop_cleanly(server)
            with self.subTest(driver=driver, end="client"):
                ip("-n", self.link.a, "neigh", "flush", "all")
                server = self.frame_server("socket", "--allow", OWN_B)
                run, _ = self.frame_measure(server, driver, "--address", OWN_B, "--sizes", f"64,{UDP_MOST}", *QUICK)
                self.check(run, "udp", (driver, "socket"), [64, UDP_MOST])
                self.stop_cleanly(server)

    def test_tcp_always_goes_over_sockets(self):
        server = self.frame_server("ring")
        run, _ = self.frame_measure(server, "pcap", "--protocol", "tcp", "--sizes", "1,64,9000", *QUICK)
        for series in run["series"]:
            self.assertEqual((series["client_driver"], series["server_driver"]), ("socket", "socket"))
        self.stop_cleanly(server)

    def test_ipv6_carries_control_and_eth_but_no_frames_of_udp(self):
        server = self.frame_server("ring", bind=self.link.ipv6_a)
        run, _ = self.frame_measure(server, "ring", "--protocol", "eth", *QUICK)
        self.check(run, "eth", ("ring", "ring"), [64])
        outcome = self.run_client(server.target, "--netns", self.link.b, *self.over("ring"), *QUICK, code=3)
        self.assertIn("IPv4 only", outcome.err)
        outcome = self.run_client(server.target, "--netns", self.link.b, *QUICK, code=5)  # ours are sockets
        self.assertIn("IPv4 only", outcome.err)
        self.stop_cleanly(server)

    def test_ipv6_control_and_own_ipv4_addresses(self):
        server = self.frame_server("ring", "--address", OWN_A, "--allow", OWN_B, bind=self.link.ipv6_a)
        run, _ = self.frame_measure(server, "ring", "--address", OWN_B, *QUICK)
        self.check(run, "udp", ("ring", "ring"), [64])
        self.stop_cleanly(server)

    def test_a_fixed_data_port(self):
        for own in ((), ("--address", OWN_A)):
            server = self.frame_server("ring", "--data-port", "7123", *own)
            run, _ = self.frame_measure(server, "ring", "--sizes", "64,128", *QUICK)
            self.check(run, "udp", ("ring", "ring"), [64, 128])
            self.stop_cleanly(server)

    def test_a_data_port_that_somebody_has(self):
        with self.socket_at_a() as holder:
            port = holder.getsockname()[1]
            server = self.frame_server("ring", "--data-port", str(port))
            outcome = self.run_client(server.target, "--netns", self.link.b, *self.over("ring"), *QUICK, code=5)
            self.assertIn("in use", outcome.err)
        self.stop_cleanly(server)

    def socket_at_a(self):
        with inside(self.link.a):
            holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        holder.bind((self.link.address_a, 0))
        return holder

    def test_eth_against_a_server_of_sockets(self):
        server = self.frame_server("socket")
        outcome = self.run_client(server.target, "--netns", self.link.b, *self.over("ring"), "--protocol", "eth",
                                  code=5)
        self.assertIn("--driver ring", outcome.err)
        self.frame_measure(server, "ring", *QUICK)  # still serves
        self.stop_cleanly(server)

    def test_an_own_address_that_the_server_does_not_allow(self):
        server = self.frame_server("ring")
        outcome = self.run_client(server.target, "--netns", self.link.b, *self.over("ring"), "--address", OWN_B, code=5)
        self.assertIn("--allow", outcome.err)
        self.frame_measure(server, "ring", *QUICK)
        self.stop_cleanly(server)


class Mtu1400(FrameTest):
    mtu = 1400
    too_large = 5000

    def check_sizes(self, server, protocol, driver, most):
        run, outcome = self.frame_measure(server, driver, "--protocol", protocol, "--sizes",
                                          f"64,{most},{most + 1},12000,65,{most - 1}", *QUICK)
        self.assertTrue(run["complete"])
        self.assertEqual([series["message_bytes"] for series in run["series"]], [64, most, 65, most - 1])
        for size in (most + 1, 12000):
            note = run["notes"][f"series.{protocol}.{size}"]
            self.assertTrue(note.startswith("not testable on this path"), note)
            self.assertIn(f"MTU {self.mtu}", note)
            self.assertIn(f"{size} B: not testable", outcome.err)
        for series in run["series"]:
            self.check_clean(series)

    def test_up_to_the_largest_message(self):
        for driver in ("ring", "pcap"):
            server = self.frame_server(driver)
            for protocol, in_front in (("eth", 2), ("udp", 28)):
                with self.subTest(driver=driver, protocol=protocol):
                    self.check_sizes(server, protocol, driver, self.mtu - in_front)
            self.stop_cleanly(server)

    def test_with_a_transmit_ring(self):
        server = self.frame_server("ring", "--transmit", "ring")
        for protocol, in_front in (("eth", 2), ("udp", 28)):
            run, _ = self.frame_measure(server, "ring", "--transmit", "ring", "--protocol", protocol, "--sizes",
                                        str(self.mtu - in_front), *QUICK)
            self.check_clean(run["series"][0])
        self.stop_cleanly(server)

    def test_a_run_of_nothing_but_too_large_sizes(self):
        server = self.frame_server("ring")
        run, _ = self.frame_measure(server, "ring", "--sizes", str(self.too_large), *QUICK)
        self.assertEqual((run["series"], run["complete"]), ([], True))
        self.assertIn(f"series.udp.{self.too_large}", run["notes"])
        self.stop_cleanly(server)


class Mtu9000(Mtu1400):
    mtu = 9000
    too_large = 10000


class EndsOfDifferentMtus(FrameTest):
    """The client's frames may be larger than the server's."""

    mtu = 3000

    def setUp(self):
        super().setUp()
        ip("-n", self.link.a, "link", "set", IFACE, "mtu", "1400")

    def check(self, at_client, at_server, most, where):
        for protocol, in_front in (("eth", 2), ("udp", 28)):
            if protocol == "eth" and "socket" in (at_client, at_server):
                continue
            with self.subTest(client=at_client, server=at_server, protocol=protocol):
                fits = most - in_front
                server = self.frame_server(at_server)
                run, _ = self.frame_measure(server, at_client, "--protocol", protocol, "--sizes",
                                            f"{fits + 1},64,{fits},2000,65", *QUICK)
                self.assertEqual([series["message_bytes"] for series in run["series"]], [64, fits, 65])
                self.assertTrue(run["complete"])
                for size in (fits + 1, 2000):
                    self.assertIn("MTU 1400", run["notes"][f"series.{protocol}.{size}"])
                    self.assertEqual("server" in run["notes"][f"series.{protocol}.{size}"], where == "server")
                for series in run["series"]:
                    self.check_clean(series)
                self.stop_cleanly(server)

    def test_a_size_that_only_the_server_cannot_carry(self):
        for pair in (("ring", "ring"), ("pcap", "pcap"), ("socket", "ring"), ("ring", "pcap")):
            self.check(*pair, 1400, "server")

    def test_a_size_that_only_the_client_cannot_carry(self):
        ip("-n", self.link.a, "link", "set", IFACE, "mtu", "3000")
        ip("-n", self.link.b, "link", "set", IFACE, "mtu", "1400")
        try:
            for pair in (("ring", "ring"), ("pcap", "pcap"), ("ring", "socket")):
                self.check(*pair, 1400, "client")
        finally:
            ip("-n", self.link.b, "link", "set", IFACE, "mtu", "3000")

    def test_an_mtu_that_shrank_while_the_server_waited(self):
        ip("-n", self.link.a, "link", "set", IFACE, "mtu", "3000")
        server = self.frame_server("ring")
        ip("-n", self.link.a, "link", "set", IFACE, "mtu", "1400")
        run, _ = self.frame_measure(server, "ring", "--protocol", "eth", "--sizes", "64,2000", "--count", "5",
                                    "--warmup", "0", "--resume", "0", "--timeout-ms", "200", code=None)
        self.assertEqual([series["message_bytes"] for series in run["series"]], [64])
        self.assertIn("series.eth.2000", run["notes"])
        self.stop_cleanly(server)


if __name__ == "__main__":
    main()
