#!/usr/bin/env python3
"""VLAN tags, code points and priorities: what was asked for is on the wire, seen by a socket of the test at the other
end; frames of another VLAN, or with another number of tags, belong to nobody."""

import subprocess
import time

from fake_peers import sequence_of
from frame_harness import (BROADCAST, ETH_ARP, ETH_ECHO, ETH_IPV4, IFACE, QUICK, UDP, FrameTest, Injector, Sniffer, arp,
                           ethernet, message_in, tool_is_missing)
from pair_harness import RTECHO_GPOS, ip, main

OWN_A, OWN_B = "10.78.0.101", "10.78.0.102"
SESSION = "5eed5eed5eed0001"
TAGGED, IPV6 = b"\x81\x00", 0x86DD
ECHO_FRAMES = ((12, 2, ETH_ECHO),)
UDP_FRAMES = ((12, 2, ETH_IPV4), (23, 1, UDP))


class Tags(FrameTest):
    program = RTECHO_GPOS

    def tags_of(self, sniffer):
        """(id, priority) of all frames that carry an echo message; None of those without a tag."""
        tags = set()
        for frame in sniffer.frames():
            if not message_in(frame):
                continue
            control = int.from_bytes(frame[14:16], "big")
            tags.add((control & 0xFFF, control >> 13) if frame[12:14] == TAGGED else None)
        self.assertEqual(sniffer.dropped(), 0)
        return tags

    def measured(self, drivers, at_client, at_server, protocol, size):
        conditions = ECHO_FRAMES if protocol == "eth" else UDP_FRAMES
        server = self.frame_server(drivers[1], *at_server)
        with Sniffer(self.link.a, *conditions) as up, Sniffer(self.link.b, *conditions) as down:
            run, _ = self.frame_measure(server, drivers[0], "--protocol", protocol, "--sizes", f"1,64,{size}", *QUICK,
                                        *at_client)
            seen = self.tags_of(up), self.tags_of(down)
        self.stop_cleanly(server)
        self.assertEqual([series["message_bytes"] for series in run["series"]], [1, 64, size])
        for series in run["series"]:
            self.check_clean(series)
        return seen

    def test_identity_and_priority_are_on_the_wire(self):
        for drivers in (("ring", "ring"), ("pcap", "pcap"), ("ring", "pcap")):
            for protocol, most in (("eth", 1498), ("udp", 1472)):
                with self.subTest(drivers=drivers, protocol=protocol):
                    self.assertEqual(self.measured(drivers, ("--vlan", "5:6"), ("--vlan", "5:3"), protocol, most),
                                     ({(5, 6)}, {(5, 3)}))

    def test_the_ends_of_the_ranges(self):
        for at_client, at_server, tags in (("1", "1:7", ((1, 0), (1, 7))), ("4094:7", "4094:0", ((4094, 7), (4094, 0)))):
            seen = self.measured(("ring", "ring"), ("--vlan", at_client), ("--vlan", at_server), "eth", 1498)
            self.assertEqual(seen, ({tags[0]}, {tags[1]}))

    def test_with_a_transmit_ring(self):
        more = ("--transmit", "ring")
        self.assertEqual(self.measured(("ring", "ring"), ("--vlan", "9:1", *more), ("--vlan", "9:2", *more), "udp", 1472),
                         ({(9, 1)}, {(9, 2)}))

    def test_without_the_option_there_are_no_tags(self):
        self.assertEqual(self.measured(("ring", "ring"), (), (), "udp", 1472), ({None}, {None}))

    def test_ends_of_different_vlans_do_not_meet(self):
        for at_server, at_client in ((("--vlan", "5"), ("--vlan", "6")), (("--vlan", "5"), ()), ((), ("--vlan", "5")),
                                     (("--vlan", "5"), ("--vlan", "4093"))):
            server = self.frame_server("ring", *at_server)
            for driver in ("ring", "pcap"):
                for protocol in ("eth", "udp"):
                    with self.subTest(server=at_server, client=at_client, driver=driver, protocol=protocol):
                        outcome = self.run_client(server.target, "--netns", self.link.b, *self.over(driver, *at_client),
                                                  "--protocol", protocol, code=5, program=RTECHO_GPOS)
                        self.assertIn("no probe", outcome.err)
                        self.assertIn("same VLAN?", outcome.err)
            run, _ = self.frame_measure(server, "ring", *at_server, *QUICK)  # the right one is still served
            self.check_clean(run["series"][0])
            self.stop_cleanly(server)

    def by_hand(self, driver, options, cases):
        """`cases`: (tags of the request, tags of the reply or None where there is none)."""
        server = self.lone_server(SESSION, *options, driver=driver)
        with Sniffer(self.link.b, *ECHO_FRAMES) as sniffer, Injector(self.link.b) as injector:
            for i, (tags, _) in enumerate(cases):
                injector.send(self.raw_request(SESSION, i, tags=tags))
            expected = [i for i, (_, answer) in enumerate(cases) if answer is not None]
            sniffer.wait_for(len(expected), self.is_reply)
            time.sleep(0.1)
            replies = [frame for frame in sniffer.frames() if self.is_reply(frame)]
        self.assertEqual([sequence_of(message_in(frame)) for frame in replies], expected)
        for i, frame in zip(expected, replies):
            answer = cases[i][1]
            at = 12
            for tag in answer:
                self.assertEqual(frame[at:at + 4], TAGGED + (tag[1] << 13 | tag[0]).to_bytes(2, "big"))
                at += 4
            self.assertEqual(frame[at:at + 2], ETH_ECHO.to_bytes(2, "big"))
        counts = self.counts_of(server)
        self.assertEqual((counts["frames"], counts["requests"], counts["replies"]), (len(expected),) * 3)

    def test_tags_by_hand(self):
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver, vlan=5):
                self.by_hand(driver, ("--vlan", "5:4"), [
                    (((5, 0),), ((5, 4),)), (((5, 7),), ((5, 4),)), ((), None), (((6, 0),), None), (((0, 5),), None),
                    (((4095, 0),), None), (((5, 0), (5, 0)), None), (((6, 0), (5, 0)), None), (((5, 0), (6, 0)), None),
                    (((5, 0, 0x88A8),), None), (((5, 0, 0x9100),), None), (((5, 0, 0x88A8), (5, 0)), None),
                    (((0, 0), (5, 0)), None), (((5, 0), (0, 0)), None), (((5, 0),), ((5, 4),))])
            with self.subTest(driver=driver, vlan=None):
                self.by_hand(driver, (), [
                    ((), ()), (((5, 0),), None), (((4095, 0),), None), (((5, 0), (5, 0)), None),
                    (((5, 0, 0x88A8),), None), (((5, 0, 0x9100),), None), ((), ())])

    def test_an_own_address_exists_in_its_vlan_only(self):
        server = self.frame_server("ring", "--vlan", "5", "--address", OWN_A, "--allow", OWN_B)
        client, path = self.begin(server, "--vlan", "5", "--address", OWN_B, "--for", "3s", "--rate", "200",
                                  "--timeout-ms", "2000")
        mac = self.mac(self.link.b)
        with Sniffer(self.link.b, (12, 2, ETH_ARP)) as sniffer, Injector(self.link.b) as injector:
            for tags in ((), ((6, 0),), ((5, 0), (5, 0)), ((5, 3),)):
                injector.send(ethernet(BROADCAST, mac, ETH_ARP, arp(1, mac, "10.78.0.77", bytes(6), OWN_A), tags))
            sniffer.wait_for(1)
            time.sleep(0.2)
            frames = sniffer.frames()
        self.assertEqual(len(frames), 1)
        self.assertEqual(frames[0][:18], mac + self.mac(self.link.a) + TAGGED + b"\x00\x05" +
                         ETH_ARP.to_bytes(2, "big"))
        self.assertEqual(frames[0][18:].rstrip(b"\0"),
                         arp(2, self.mac(self.link.a), OWN_A, mac, "10.78.0.77"))
        run, _ = self.finish(client, path)
        self.assertEqual(run["series"][0]["port"]["server"]["requests_answered"], 1)
        self.assertEqual(run["series"][0]["accounting"]["client"]["lost"], 0)
        self.stop_cleanly(server)


class Devices(FrameTest):
    """VLAN devices of the kernel."""

    program = RTECHO_GPOS

    def test_sockets_say_how_to_make_a_missing_device(self):
        for namespace, command in ((self.link.a, ("server", "--bind", self.link.address_a, "--port", "0")),
                                   (self.link.b, ("client", f"{self.link.address_a}:1"))):
            outcome = self.run_program(RTECHO_GPOS, *command, "--netns", namespace, "--vlan", "12", "--iface", IFACE)
            self.assertEqual(outcome.code, 3, str(outcome))
            self.check_talk(outcome)
            self.assertIn("ip link add link veth0 name veth0.12 type vlan id 12", outcome.err)

    def test_options_that_make_no_sense(self):
        for options, word in ((("--vlan", "0"), "--vlan 0"), (("--vlan", "4095"), "4095"), (("--vlan", "5:8"), "5:8"),
                              (("--vlan", "5:"), "5:"), (("--vlan", ":3"), ":3"), (("--vlan", "x"), "x"),
                              (("--vlan", "5:3:1"), "5:3:1"), (("--vlan", "-5"), "--vlan"), (("--dscp", "64"), "--dscp"),
                              (("--dscp", "-1"), "--dscp"), (("--socket-priority", "16"), "--socket-priority")):
            for command in (("server",), ("client", "127.0.0.1")):
                with self.subTest(options=options, command=command[0]):
                    outcome = self.run_program(RTECHO_GPOS, *command, "--driver", "ring", "--iface", IFACE, *options)
                    self.assertEqual(outcome.code, 2, str(outcome))
                    self.check_talk(outcome)
                    self.assertIn(word, outcome.err)
        for options, word in ((("--vlan", "5"), "--iface"), (("--vlan", "5:3", "--iface", IFACE), "egress-qos-map")):
            outcome = self.run_program(RTECHO_GPOS, "client", "127.0.0.1", *options)
            self.assertEqual(outcome.code, 2, str(outcome))
            self.assertIn(word, outcome.err)

    def make_devices(self):
        """veth0.5 at both ends, with addresses of their own."""
        for i, namespace in enumerate((self.link.a, self.link.b)):
            made = subprocess.run(["ip", "-n", namespace, "link", "add", "link", IFACE, "name", "veth0.5", "type", "vlan",
                                   "id", "5", "egress-qos-map", "3:5"], capture_output=True, text=True, check=False)
            if made.returncode:
                self.skipTest(f"this kernel makes no VLAN devices: {made.stderr.strip()}")
            self.addCleanup(ip, "-n", namespace, "link", "delete", "veth0.5")
            ip("-n", namespace, "address", "add", f"10.79.5.{i + 1}/24", "dev", "veth0.5")
            ip("-n", namespace, "link", "set", "veth0.5", "up")

    def test_sockets_over_devices(self):
        self.make_devices()
        server = self.link_server("--vlan", "5", "--iface", IFACE, "--socket-priority", "3", bind="10.79.5.1",
                                  program=RTECHO_GPOS)
        for protocol in ("udp", "tcp"):
            self.link_measure(server, "--vlan", "5", "--iface", IFACE, "--protocol", protocol, *QUICK,
                              program=RTECHO_GPOS)
        with Sniffer(self.link.b, *UDP_FRAMES) as sniffer:
            self.link_measure(server, "--vlan", "5", "--iface", IFACE, *QUICK, program=RTECHO_GPOS)
            self.assertEqual({frame[12:16] for frame in sniffer.frames()}, {TAGGED + b"\xa0\x05"})
        self.stop_cleanly(server)

    def test_a_ring_on_a_device_meets_tags_on_the_link_below(self):
        self.make_devices()
        server = self.link_server("--driver", "ring", "--iface", "veth0.5", bind="10.79.5.1", program=RTECHO_GPOS)
        for protocol in ("eth", "udp"):
            run, _ = self.link_measure(server, "--driver", "ring", "--iface", IFACE, "--vlan", "5", "--protocol",
                                       protocol, "--sizes", "1,64,1400", *QUICK, program=RTECHO_GPOS)
            for series in run["series"]:
                self.check_clean(series)
        self.stop_cleanly(server)


class Marks(FrameTest):
    program = RTECHO_GPOS

    def classes_of(self, sniffer, version):
        if version == 4:
            return {frame[15] for frame in sniffer.frames()}
        return {(frame[14] & 0x0F) << 4 | frame[15] >> 4 for frame in sniffer.frames()}

    def marked(self, drivers, protocol=17, server_bind=None, version=4):
        conditions = ((12, 2, ETH_IPV4), (23, 1, protocol)) if version == 4 else ((12, 2, IPV6), (20, 1, protocol))
        server = self.frame_server(drivers[1], "--dscp", "10", bind=server_bind)
        with Sniffer(self.link.a, *conditions) as up, Sniffer(self.link.b, *conditions) as down:
            self.frame_measure(server, drivers[0], "--dscp", "46", "--protocol", "udp" if protocol == 17 else "tcp",
                               *QUICK)
            seen = self.classes_of(up, version), self.classes_of(down, version)
        self.stop_cleanly(server)
        return seen

    def test_code_points_of_datagrams(self):
        for drivers in (("socket", "socket"), ("ring", "ring"), ("pcap", "pcap"), ("ring", "socket"),
                        ("socket", "pcap")):
            with self.subTest(drivers=drivers):
                self.assertEqual(self.marked(drivers), ({46 << 2}, {10 << 2}))

    def test_code_points_of_datagrams_over_ipv6(self):
        self.assertEqual(self.marked(("socket", "socket"), server_bind=self.link.ipv6_a, version=6),
                         ({46 << 2}, {10 << 2}))

    def test_code_points_of_streams(self):
        up, down = self.marked(("socket", "socket"), protocol=6)
        self.assertIn(46 << 2, up)  # the control connection is not marked
        self.assertIn(10 << 2, down)
        up, down = self.marked(("socket", "socket"), protocol=6, server_bind=self.link.ipv6_a, version=6)
        self.assertIn(46 << 2, up)
        self.assertIn(10 << 2, down)

    def test_unmarked(self):
        server = self.frame_server("ring")
        with Sniffer(self.link.a, *UDP_FRAMES) as up, Sniffer(self.link.b, *UDP_FRAMES) as down:
            self.frame_measure(server, "ring", *QUICK)
            self.assertEqual((self.classes_of(up, 4), self.classes_of(down, 4)), ({0}, {0}))
        self.stop_cleanly(server)

    def test_priorities(self):
        for driver in ("socket", "ring", "pcap"):
            for priority in ("0", "6", "15"):
                with self.subTest(driver=driver, priority=priority):
                    server = self.frame_server(driver, "--socket-priority", priority)
                    run, _ = self.frame_measure(server, driver, "--socket-priority", priority, "--dscp", "46", *QUICK)
                    self.check_clean(run["series"][0])
                    self.stop_cleanly(server)

    def test_a_high_priority_without_the_right_to_it(self):
        if tool_is_missing("setpriv"):
            self.skipTest("setpriv is not installed")
        prefix = ("ip", "netns", "exec", self.link.b, "setpriv", "--bounding-set", "-net_admin", "--inh-caps",
                  "-net_admin")
        server = self.frame_server("ring")
        # With CAP_NET_RAW, which a ring needs anyway, newer kernels grant it.
        outcome = self.run_client(server.target, "--socket-priority", "7", code=3, prefix=prefix, program=RTECHO_GPOS)
        self.assertIn("CAP_NET_ADMIN", outcome.err)
        self.run_client(server.target, "--socket-priority", "6", *QUICK, prefix=prefix, program=RTECHO_GPOS)
        self.frame_measure(server, "ring", *QUICK)
        self.stop_cleanly(server)


if __name__ == "__main__":
    main()
