#!/usr/bin/env python3
"""The good client is served beside floods of lying frames at either end; what is lost, is counted; and whoever else uses
the interface, or the kernel itself, does not notice the frame drivers."""

import contextlib
import random
import signal
import socket
import threading
import time

from fake_peers import ECHO, REPLY, changed, full, sequence_of
from frame_harness import (ETH_ECHO, ETH_IPV4, ICMP, FrameTest, Injector, Sniffer, echo_payload, ethernet, ipv4,
                           message_in, ping, read_json, udp)
from pair_harness import RTECHO, RTECHO_GPOS, inside, main

SESSION = "5eed5eed5eed0001"
OWN_A, OWN_B = "10.78.0.101", "10.78.0.102"
PACED = ("--for", "3s", "--rate", "200", "--warmup", "0", "--resume", "0", "--timeout-ms", "2000")


class Floods(FrameTest):
    program = RTECHO_GPOS

    def garbage(self, target, source, addresses):
        """Frames of every length with random bytes, of both types, some with the real addresses of the run."""
        dice = random.Random(7)
        for length in range(0, 1601):
            body = dice.randbytes(length)
            yield ethernet(target, source, dice.choice((ETH_ECHO, ETH_IPV4, 0x0806, 0x86DD, 0x88B6)), body)[:length]
            yield ethernet(target, source, ETH_ECHO, echo_payload(body[:1498], dice.choice((None, 0, 64, length + 1))))
            yield ethernet(target, source, ETH_IPV4, ipv4(*addresses, udp(addresses[0], dice.randrange(65536),
                                                                         addresses[1], dice.randrange(65536),
                                                                         body[:1400])))

    def run_beside_garbage(self, driver, protocol, at_server=(), at_client=(), addresses=None):
        server = self.frame_server(driver, *at_server)
        client, path = self.begin(server, "--protocol", protocol, *PACED, *at_client, driver=driver)
        a, b = self.mac(self.link.a), self.mac(self.link.b)
        one, other = addresses or (self.link.address_a, self.link.address_b)
        with Injector(self.link.a) as at_a, Injector(self.link.b) as at_b:
            for i, (down, up) in enumerate(zip(self.garbage(b, a, (one, other)), self.garbage(a, b, (other, one)))):
                at_a.send(down)
                at_b.send(up)
                if i % 20 == 19:
                    time.sleep(0.002)  # a flood, but none that a ring cannot hold
            self.assertGreater(min(at_a.sent, at_b.sent), 4000)
        run, _ = self.finish(client, path)
        accounting = run["series"][0]["accounting"]
        self.assertEqual((accounting["client"]["lost"], accounting["client"]["duplicate"]), (0, 0), accounting)
        self.assertEqual(accounting["client"]["corrupt"], 0)
        self.assertEqual(accounting["server"]["requests"], accounting["client"]["sent"])
        self.stop_cleanly(server)
        return run["series"][0]

    def test_garbage_beside_raw_ethernet(self):
        for driver in ("ring", "pcap"):
            with self.subTest(driver=driver):
                series = self.run_beside_garbage(driver, "eth")
                for end in ("client", "server"):
                    self.assertGreater(series["port"][end]["malformed_frames"], 100)
                    self.assertGreater(series["accounting"][end]["malformed"], 100)

    def test_garbage_beside_datagrams(self):
        self.run_beside_garbage("ring", "udp")
        self.run_beside_garbage("pcap", "udp", ("--address", OWN_A, "--allow", OWN_B), ("--address", OWN_B),
                                (OWN_A, OWN_B))

    def test_replies_that_lie_to_the_client_are_counted_by_cause(self):
        server = self.lone_server(SESSION)
        path = self.path("run.json")
        client = self.start_client(*self.lone_options(SESSION, "--out", path, *PACED), program=self.program)
        a, b = self.mac(self.link.a), self.mac(self.link.b)
        session = int(SESSION, 16)
        with Sniffer(self.link.b, (12, 2, ETH_ECHO)) as sniffer, Injector(self.link.a) as injector:
            first = message_in(sniffer.wait_for(1, self.is_reply)[0])
            # Behind it, so that it was answered for certain.
            sniffer.wait_for(3, self.is_reply)

            def answer(message, source=a, target=b):
                injector.send(ethernet(target, source, ETH_ECHO, echo_payload(message)))
            for _ in range(10):
                answer(first)  # duplicate
                answer(changed(first, 60))  # corrupt
                answer(first[:63])  # malformed
                answer(full(64, session, 10**9, ECHO | REPLY))  # never sent
                answer(full(64, session ^ 1, sequence_of(first), ECHO | REPLY))
                answer(full(64, session, sequence_of(first), ECHO))  # a request
                answer(first, source=b"\x02\0\0\0\0\x77")  # not the server
                answer(first, target=b"\x02\0\0\0\0\x77")  # not for us
            mine = [frame for frame in sniffer.frames() if not self.is_reply(frame)]
        self.assertEqual(len(mine), 10, "the client answered nothing, and its own frames do not come back")
        outcome = client.wait()
        self.assertEqual(outcome.code, 1, str(outcome))  # corrupt replies
        series = self.load(path)["series"][0]
        counts = {name: series["accounting"]["client"][name] for name in ("duplicate", "corrupt", "malformed", "stray",
                                                                         "lost", "late")}
        self.assertEqual(counts, {"duplicate": 10, "corrupt": 10, "malformed": 10, "stray": 30, "lost": 0, "late": 0})
        self.assertEqual(series["port"]["client"]["foreign_frames"], 10)
        self.assertEqual(self.counts_of(server)["requests"], series["accounting"]["client"]["sent"])

    def test_a_ring_that_runs_over_is_counted(self):
        # Each frame is either seen by the server or counted as lost here, whatever the driver.
        report = self.path("server.json")
        for driver, frames in (("ring", 5000), ("pcap", 30000)):
            with self.subTest(driver=driver):
                server = self.lone_server(SESSION, "--report", report, driver=driver)
                message = self.raw_request(SESSION, 1)
                server.send(signal.SIGSTOP)
                try:
                    with Injector(self.link.b) as injector:
                        for _ in range(frames):
                            injector.send(message)
                finally:
                    server.send(signal.SIGCONT)
                time.sleep(0.3)
                counts = self.counts_of(server)
                overruns = read_json(report)["series"][0]["port"]["server"]["receive_overruns"]
                self.assertGreater(overruns, 0)
                self.assertEqual(counts["frames"] + overruns, frames)
                self.assertEqual((counts["requests"], counts["replies"]), (1, counts["frames"]))

    def test_two_servers_that_are_pointed_at_each_other_stay_silent(self):
        one = self.lone_server(SESSION)
        two = self.start_server("--netns", self.link.b, *self.over("ring", "--no-control", "--session", SESSION),
                                program=RTECHO)
        with Sniffer(self.link.a, (12, 2, ETH_ECHO)) as at_a, Sniffer(self.link.b, (12, 2, ETH_ECHO)) as at_b, \
                Injector(self.link.b) as injector:
            injector.send(self.raw_request(SESSION, 1))  # as if the second one asked the first
            at_b.wait_for(1)
            time.sleep(0.3)
            self.assertEqual((len(at_a.frames()), len(at_b.frames())), (1, 1))
        self.assertEqual(self.counts_of(one)["replies"], 1)
        counts = self.counts_of(two)
        self.assertEqual((counts["frames"], counts["of other sessions"], counts["replies"]), (1, 1, 0))


class Neighbours(FrameTest):
    """Others on the same interface."""

    program = RTECHO_GPOS

    def transfer(self, megabytes, failures):
        """A stream of random bytes from b to a, compared."""
        block = random.Random(3).randbytes(1 << 20)
        with inside(self.link.a):
            listener = socket.create_server((self.link.address_a, 0))

        def receive():
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(30)
                for _ in range(megabytes):
                    data = bytearray()
                    while len(data) < len(block):
                        more = connection.recv(len(block) - len(data))
                        if not more:
                            failures.append("the stream ended early")
                            return
                        data += more
                    if data != block:
                        failures.append("the stream was altered")
        reader = threading.Thread(target=receive)
        reader.start()
        with inside(self.link.b):
            sender = socket.socket()
        with sender:
            sender.connect(listener.getsockname())
            for _ in range(megabytes):
                sender.sendall(block)
            reader.join(60)
        listener.close()
        if reader.is_alive():
            failures.append("the stream did not end")

    def pings(self, count, failures):
        with inside(self.link.b):
            asker = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        with asker:
            asker.settimeout(5)
            for sequence in range(count):
                asker.sendto(ping(sequence=sequence), (self.link.address_a, 0))
                with contextlib.suppress(TimeoutError):
                    while asker.recv(2000)[20:] != ping(sequence=sequence, kind=0):
                        pass
                    continue
                failures.append(f"ping {sequence} was not answered")
                return

    def test_streams_and_pings_beside_a_run(self):
        for driver, protocol in (("ring", "udp"), ("ring", "eth"), ("pcap", "udp")):
            with self.subTest(driver=driver, protocol=protocol):
                server = self.frame_server(driver)
                client, path = self.begin(server, "--protocol", protocol, *PACED, driver=driver)
                failures = []
                threads = [threading.Thread(target=self.transfer, args=(16, failures)),
                           threading.Thread(target=self.pings, args=(200, failures))]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.assertEqual(failures, [])
                run, _ = self.finish(client, path)
                self.check_clean(run["series"][0])
                self.stop_cleanly(server)

    def test_the_kernel_says_unreachable_to_nobody(self):
        conditions = ((12, 2, ETH_IPV4), (23, 1, ICMP))
        for at_server, at_client in (("ring", "ring"), ("pcap", "pcap"), ("ring", "socket"), ("socket", "ring")):
            with self.subTest(server=at_server, client=at_client), Sniffer(self.link.a, *conditions) as at_a, \
                    Sniffer(self.link.b, *conditions) as at_b:
                before = [self.kernel_counters(end, "Icmp")["OutDestUnreachs"] for end in (self.link.a, self.link.b)]
                ignored = [self.kernel_counters(end, "Udp")["InErrors"] for end in (self.link.a, self.link.b)]
                server = self.frame_server(at_server)
                run, _ = self.frame_measure(server, at_client, "--sizes", "1,64,1472", "--count", "500", "--timeout-ms",
                                            "2000")
                self.stop_cleanly(server)
                after = [self.kernel_counters(end, "Icmp")["OutDestUnreachs"] for end in (self.link.a, self.link.b)]
                self.assertEqual(after, before)
                self.assertEqual((at_a.frames(), at_b.frames()), ([], []))
                # As documented: the kernel counts what it dropped for us.
                errors = [self.kernel_counters(end, "Udp")["InErrors"] for end in (self.link.a, self.link.b)]
                sent = sum(series["accounting"]["client"]["sent"] for series in run["series"])
                for driver, was, now in zip((at_server, at_client), ignored, errors):
                    self.assertEqual(now - was >= sent, driver != "socket", (driver, was, now, sent))

    def test_an_own_address_leaves_nothing_for_the_kernel(self):
        before = [self.kernel_counters(end, "Icmp")["OutDestUnreachs"] for end in (self.link.a, self.link.b)]
        server = self.frame_server("ring", "--address", OWN_A, "--allow", OWN_B)
        with Sniffer(self.link.a, (12, 2, ETH_IPV4), (23, 1, ICMP)) as at_a:
            run, _ = self.frame_measure(server, "ring", "--address", OWN_B, "--count", "500", "--timeout-ms", "2000")
            self.assertEqual(at_a.frames(), [])
        self.check_clean(run["series"][0])
        self.stop_cleanly(server)
        self.assertEqual([self.kernel_counters(end, "Icmp")["OutDestUnreachs"] for end in (self.link.a, self.link.b)],
                         before)


if __name__ == "__main__":
    main()
