#!/usr/bin/env python3
"""Interfaces that frame drivers cannot use are refused with the reason, and so are users without the right to them; and
who is killed leaves nothing behind."""

import os
import signal
import subprocess
import time
import unittest

from frame_harness import IFACE, QUICK, OwnLinkTest, interrupt, tool_is_missing
from pair_harness import RTECHO, RTECHO_GPOS, SCHEDULING_ALLOWANCE_S, ip, main

SESSION = "5eed5eed5eed0001"
LONE = ("--no-control", "--session", SESSION)
OWN = "10.78.0.101"
FRAME_DRIVERS = ("ring", "pcap")
LONG = ("--for", "60s", "--rate", "200", "--warmup", "0", "--resume", "0")


class Refused(OwnLinkTest):
    def refused(self, interface, says, *options, drivers=FRAME_DRIVERS, code=3):
        for driver in drivers:
            frames = ("--driver", driver, "--iface", interface, *options)
            for namespace, command in ((self.link.a, ("server", "--bind", self.link.address_a, "--port", "0", *frames)),
                                       (self.link.a, ("server", *frames, *LONE)),
                                       (self.link.a, ("client", "10.78.0.2:1", *frames))):
                with self.subTest(command=command):
                    outcome = self.run_program(self.program, *command, "--netns", namespace, limit_s=10)
                    self.assertEqual(outcome.code, code, str(outcome))
                    self.check_talk(outcome)
                    self.assertIn(says, outcome.err)

    def test_unknown(self):
        self.refused("nosuch", "there is no such interface")
        self.refused("x" * 40, "--iface")
        self.refused("../veth0", "--iface")

    def test_down(self):
        ip("-n", self.link.a, "link", "set", IFACE, "down")
        self.refused(IFACE, "is down; sudo ip link set veth0 up")

    def test_without_carrier(self):
        ip("-n", self.link.b, "link", "set", IFACE, "down")
        self.refused(IFACE, "has no carrier")

    def test_loopback(self):
        self.refused("lo", "a loopback interface has no stations")

    def make_tunnel(self):
        made = self.run_inside(self.link.a, "ip", "tuntap", "add", "dev", "tun9", "mode", "tun", check=False)
        if made.returncode:
            self.skipTest(f"no tunnel can be made: {made.stderr.strip()}")
        ip("-n", self.link.a, "link", "set", "tun9", "up")

    def test_tunnel(self):
        self.make_tunnel()
        self.refused("tun9", "no Ethernet interface (a tunnel?)", drivers=("ring",))

    def test_a_tunnel_is_refused_one_way_or_another(self):
        self.make_tunnel()
        self.refused("tun9", "--iface tun9")

    def test_the_name_of_no_interface(self):
        self.refused("", "--iface", code=2)

    def test_an_address_that_this_kernel_holds(self):
        self.refused(IFACE, "this host's kernel holds it", "--address", self.link.address_a)

    def third_host(self):
        """Somebody beyond the link who has the address already."""
        ip("-n", self.link.b, "address", "add", f"{OWN}/24", "dev", IFACE)

    def test_an_address_that_another_host_answers_for(self):
        self.third_host()
        self.refused(IFACE, f"the host {self.mac_text(self.link.b)} answers for it already", "--address", OWN,
                     drivers=("ring",))

    def test_an_address_that_another_host_answers_for_over_libpcap(self):
        self.third_host()
        outcome = self.run_program(self.program, "client", "10.78.0.2:1", "--netns", self.link.a, "--driver", "pcap",
                                   "--iface", IFACE, "--address", OWN)
        self.assertIn("answers for it already", outcome.err)
        self.assertEqual(outcome.code, 3, str(outcome))

    def test_addresses_that_nobody_can_have(self):
        for address in ("0.0.0.0", "255.255.255.255", "224.0.0.1", "127.0.0.1", "10.78.0", "x", "fd00::9", "10.78.0.9:7"):
            outcome = self.run_program(self.program, "client", "10.78.0.1", "--driver", "ring", "--iface", IFACE,
                                       "--address", address)
            self.assertEqual(outcome.code, 2, str(outcome))
            self.assertIn("--address", outcome.err)


class Unprivileged(OwnLinkTest):
    """Without CAP_NET_RAW, which a frame driver needs."""

    NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")

    def setUp(self):
        super().setUp()
        if tool_is_missing("setpriv"):
            self.skipTest("setpriv is not installed")

    def started(self, namespace, *command):
        outcome = self.start_and_wait("ip", "netns", "exec", namespace, *self.NOBODY, *command)
        self.assertEqual(outcome.code, 3, str(outcome))
        self.assertIn("CAP_NET_RAW", outcome.err)
        return outcome

    def start_and_wait(self, *command):
        return self.run_program(*command, limit_s=5)

    def test_a_server_without_control(self):
        for program in (RTECHO, RTECHO_GPOS):
            self.check_talk(self.started(self.link.a, program, "server", *self.over("ring"), *LONE))
            self.started(self.link.a, program, "server", *self.over("pcap"), *LONE)

    def test_libpcap_s_error_is_one_line(self):
        self.check_talk(self.started(self.link.a, RTECHO_GPOS, "server", *self.over("pcap"), *LONE))

    def test_clients(self):
        server = self.frame_server("ring")
        for driver in FRAME_DRIVERS:
            for protocol in ("eth", "udp"):
                with self.subTest(driver=driver, protocol=protocol):
                    self.started(self.link.b, RTECHO_GPOS, "client", server.target, *self.over(driver), "--protocol",
                                 protocol)
        self.started(self.link.b, RTECHO_GPOS, "client", *self.over("ring"), *LONE, "--protocol", "eth", "--peer-mac",
                     self.mac_text(self.link.a))
        self.frame_measure(server, "ring", *QUICK)
        self.stop_cleanly(server)

    def test_a_server_with_control(self):
        for driver in FRAME_DRIVERS:
            self.started(self.link.a, RTECHO_GPOS, "server", "--bind", self.link.address_a, "--port", "0",
                         *self.over(driver))

    def test_a_server_with_an_own_address(self):
        self.started(self.link.a, RTECHO_GPOS, "server", "--bind", self.link.address_a, "--port", "0",
                     *self.over("ring", "--address", OWN))


class Killed(OwnLinkTest):
    def test_both_ends_at_once(self):
        for driver, at_server in (("ring", ()), ("pcap", ()), ("ring", ("--address", OWN))):
            for protocol in ("eth", "udp"):
                with self.subTest(driver=driver, protocol=protocol, at_server=at_server):
                    before = [self.packet_sockets(end) for end in (self.link.a, self.link.b)]
                    addresses = self.addresses()
                    server = self.frame_server(driver, *at_server)
                    client, path = self.begin(server, "--protocol", protocol, *LONG, driver=driver)
                    self.assertGreater(self.packet_sockets(self.link.a), before[0])
                    for program in (server, client):
                        program.send(signal.SIGKILL)
                    for program in (server, client):
                        program.wait()
                    self.assertFalse(os.path.exists(path), "half a file")
                    began = time.monotonic()
                    again = self.frame_server(driver, *at_server, port=server.port)
                    self.frame_measure(again, driver, "--protocol", protocol, *QUICK)
                    self.assertLess(time.monotonic() - began, 4 + 4 * SCHEDULING_ALLOWANCE_S)
                    self.stop_cleanly(again)
                    self.assertEqual([self.packet_sockets(end) for end in (self.link.a, self.link.b)], before)
                    self.assertEqual(self.addresses(), addresses)
                    self.assertEqual(self.link.processes(), [])

    def addresses(self):
        return [subprocess.run(["ip", "-n", end, "-brief", "address"], capture_output=True, text=True, check=True).stdout
                for end in (self.link.a, self.link.b)]

    def test_ends_without_control(self):
        for driver in FRAME_DRIVERS:
            server = self.lone_server(SESSION, driver=driver)
            path = self.path("run.json")
            client = self.start_client(*self.lone_options(SESSION, "--out", path, *LONG, driver=driver),
                                       program=self.program)
            self.wait_until_measuring(client)
            for program in (server, client):
                program.send(signal.SIGKILL)
                program.wait()
            self.assertEqual([self.packet_sockets(end) for end in (self.link.a, self.link.b)], [0, 0])
            again = self.lone_server(SESSION, driver=driver)
            self.run_client(*self.lone_options(SESSION, *QUICK, driver=driver), program=self.program)
            self.assertGreater(self.counts_of(again)["requests"], 150)

    def test_a_series_that_ends_leaves_no_socket(self):
        server = self.frame_server("ring", "--address", OWN)
        for protocol in ("eth", "udp", "tcp"):
            for driver in FRAME_DRIVERS:
                self.frame_measure(server, driver, "--protocol", protocol, "--sizes", "64,1", *QUICK)
        deadline = time.monotonic() + 5
        while self.packet_sockets(self.link.a) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.packet_sockets(self.link.a), 0)
        self.assertEqual(self.udp_sockets(self.link.a), [])
        self.stop_cleanly(server)

    def test_an_interface_that_went_and_came_back_between_clients(self):
        # The server was started before the interface that is there now.
        server = self.frame_server("ring")
        self.frame_measure(server, "ring", "--protocol", "eth", *QUICK)
        for end in (self.link.a, self.link.b):
            ip("-n", end, "link", "set", IFACE, "down")
            ip("-n", end, "link", "set", IFACE, "up")
        self.frame_measure(server, "ring", "--protocol", "eth", *QUICK)
        interrupt(server)
        self.assertEqual(server.wait(20).code, 0)


if __name__ == "__main__":
    main()
