#!/usr/bin/env python3
"""The client against a server whose replies are lost, late, doubled, swapped, cut, foreign or damaged: each mishap has
its own counter, the sums hold, and nothing hangs. Over loopback: this needs no privilege."""

import time

from fake_peers import FakeServer, changed, full, sequence_of, short
from pair_harness import main
from scripted_server_case import COUNT, LATE_S, PLAIN, FaultyServer


class Loss(FaultyServer):
    def test_none(self):
        series, outcome = self.against(None)
        self.assertEqual(series["accounting"]["client"]["answered"], COUNT)
        self.assertEqual(series["accounting"]["lost_up"], 0)

    def test_of_the_first(self):
        series, _ = self.against(self.at({0}, self.lose), code=1, lost=1)
        self.assertEqual(series["service"]["n"], COUNT - 1)
        self.assertEqual((series["accounting"]["lost_up"], series["accounting"]["lost_down"]), (0, 1))

    def test_of_the_last(self):
        series, _ = self.against(self.at({COUNT - 1}, self.lose), code=1, lost=1)
        self.assertEqual(series["service"]["n"], COUNT - 1)

    def test_that_is_allowed(self):
        self.against(self.at({5, 6, 9}, self.lose), "--allowed-loss", "3", code=0, lost=3)

    def test_of_one_more_than_allowed(self):
        self.against(self.at({5, 9}, self.lose), "--allowed-loss", "1", code=1, lost=2)

    def test_of_every_message(self):
        _, outcome = self.all_lost(64)
        self.assertIn("does not answer any more", outcome.err)

    def all_lost(self, size, protocol="udp"):
        with FakeServer(lambda *_: None) as server:
            run, outcome = self.measure(server.target, "--sizes", str(size), "--count", "100", "--warmup", "0",
                                        "--timeout-ms", "50", "--wait", "block", "--protocol", protocol, code=5,
                                        program=self.program)
        series = run["series"][0]
        client = series["accounting"]["client"]
        self.assertFalse(run["complete"])
        self.assertEqual((client["sent"], client["lost"] + client["unresolved"], client["answered"]), (10, 10, 0))
        self.assertTrue(series["service"] is None or series["service"]["n"] == 0)
        return series, outcome

    def test_of_every_short_message(self):
        self.all_lost(16)

    def test_of_every_tag(self):
        self.all_lost(2)

    def test_of_every_message_of_a_stream(self):
        self.all_lost(64, "tcp")

    def test_on_the_way_up(self):
        # Ten in a row would end the run: every fourth.
        with FakeServer() as server:
            answer = server.answer
            server.answer = lambda message, send: None if sequence_of(message) % 20 == 3 else answer(message, send)
            run, _ = self.measure(server.target, "--count", str(COUNT), *PLAIN, code=1, program=self.program)
        accounting = run["series"][0]["accounting"]
        self.assertEqual((accounting["lost_up"], accounting["lost_down"]), (2, 0))

    def test_without_the_server_s_half(self):
        with FakeServer(report=False) as server:
            run, _ = self.measure(server.target, "--count", "20", *PLAIN, program=self.program)
        series = run["series"][0]
        self.assertIsNone(series["accounting"]["server"])
        self.assertIsNone(series["accounting"]["lost_up"])
        self.assertIn("accounting.server", series["notes"])


class LateDoubledSwapped(FaultyServer):
    def test_late_keeps_its_latency(self):
        for size in (64, 16, 2):
            with self.subTest(size=size):
                series, _ = self.against(self.at({7}, lambda reply, deliver: deliver(reply, LATE_S)), size=size,
                                         count=200, code=0, **self.late_counts())
                self.assertEqual(series["service"]["n"], 200)
                self.assertEqual(series["service"]["max_sequence"], 7)
                self.assertGreaterEqual(series["service"]["max_ns"], LATE_S * 1e9)

    @staticmethod
    def late_counts():
        return {"late": 1, "reordered": 1}

    def test_late_during_the_drain(self):
        # The drain lasts twice the largest round trip, which the first late reply has made long.
        series, _ = self.against(self.at({5, COUNT - 1}, lambda reply, deliver: deliver(reply, LATE_S)), late=2,
                                 reordered=1)
        self.assertEqual(series["service"]["n"], COUNT)

    def test_late_of_one_byte_does_not_answer_its_successor(self):
        series, _ = self.against(self.at({3}, lambda reply, deliver: deliver(reply, 0.6)), size=1, late=1)
        self.assertEqual(series["service"]["n"], COUNT)
        self.assertIn("drain_waits", series["notes"])

    def test_twice(self):
        for size in (64, 63, 2):
            with self.subTest(size=size):
                def twice(reply, deliver):
                    deliver(reply)
                    deliver(reply)
                series, _ = self.against(self.at({3, 5, 8}, twice), size=size, duplicate=3)
                self.assertEqual(series["accounting"]["client"]["frames"], COUNT + 3)

    def test_swapped(self):
        kept = []

        def swap(sequence, reply, deliver):
            if sequence == 10:
                kept.append(reply)
                return
            deliver(reply)
            if sequence == 11:
                deliver(kept.pop())
        series, _ = self.against(swap, "--window", "4", reordered=1)
        self.assertEqual(series["accounting"]["client"]["answered"], COUNT)


class DamagedAndForeign(FaultyServer):
    def test_cut(self):
        for size in (64, 16, 2, 100):
            with self.subTest(size=size):
                self.against(self.at({4}, lambda reply, deliver: deliver(reply[:-1])), size=size, code=1, malformed=1,
                             lost=1)

    def test_empty(self):
        self.against(self.at({4}, lambda reply, deliver: deliver(b"")), code=1, malformed=1, lost=1)

    def test_longer(self):
        def longer(reply, deliver):
            deliver(reply + b"x")
            deliver(reply + bytes(9000))
            deliver(reply)
        self.against(self.at({4}, longer), malformed=2)

    def test_altered_fill_answers_nothing(self):
        for size, offset in ((65, 64), (100, 99), (1472, 700), (17, 16), (63, 62)):
            with self.subTest(size=size):
                self.against(self.at({4}, lambda reply, deliver: deliver(changed(reply, offset))), size=size, code=1,
                             corrupt=1, lost=1)

    def test_altered_header(self):
        # The sequence, under a check that does not fit.
        self.against(self.at({4}, lambda reply, deliver: deliver(changed(reply, 20))), code=1, corrupt=1, lost=1)

    def test_corrupt_then_valid(self):
        def both(reply, deliver):
            deliver(changed(reply, 99))
            deliver(reply)
        self.against(self.at({4}, both), size=100, code=1, corrupt=1)

    def test_each_field_that_makes_it_foreign(self):
        for name, offset in (("magic", 0), ("version", 2), ("flags", 5), ("header bytes", 7), ("message bytes", 55)):
            with self.subTest(field=name):
                def foreign(reply, deliver, offset=offset):
                    deliver(changed(reply, offset))
                    deliver(reply)
                self.against(self.at({4}, foreign), stray=1)

    def test_of_another_session(self):
        def other(reply, deliver):
            deliver(full(64, 0x1234, 4, 0x81))
            deliver(reply)
        self.against(self.at({4}, other), stray=1)

    def test_short_of_another_session(self):
        def other(reply, deliver):
            deliver(short(20, 0x1234, 4, 0x81))
            deliver(reply)
        self.against(self.at({4}, other), size=20, stray=1)

    def test_of_a_message_that_was_never_sent(self):
        with FakeServer() as server:
            session = server.session
        def ahead(reply, deliver):
            deliver(full(64, session, 1 << 40, 0x81))
            deliver(reply)
        self.against(self.at({4}, ahead), stray=1)

    def test_requests_and_probes_are_no_replies(self):
        with FakeServer() as server:
            session = server.session
        def others(reply, deliver):
            deliver(full(64, session, 4, 1))
            deliver(full(64, session, 4, 2))
            deliver(reply)
        self.against(self.at({4}, others), stray=2)

    def test_everything_at_once_with_a_window(self):
        def chaos(sequence, reply, deliver):
            if sequence % 10 == 1:
                deliver(reply[:20])
            elif sequence % 10 == 2:
                deliver(changed(reply, 80))
            elif sequence % 10 == 3:
                deliver(reply)
                deliver(reply)
            elif sequence % 10 != 4:
                deliver(reply)
        series, _ = self.against(chaos, "--window", "8", "--rate", "2000", count=100, size=100, code=1, malformed=10,
                                 corrupt=10, duplicate=10, lost=30)


class SlowPath(FaultyServer):
    def test_a_run_over_a_slow_path_ends(self):
        # 16 resume messages of 12 ms each are longer than a batch may be.
        def slow(sequence, reply, deliver):
            time.sleep(0.012)
            deliver(reply)
        with FakeServer(slow) as server:
            run, _ = self.measure(server.target, "--count", "8", "--warmup", "0", "--timeout-ms", "2000", "--wait",
                                  "block", program=self.program, limit_s=20)
        self.assertEqual(run["series"][0]["service"]["n"], 8)


if __name__ == "__main__":
    main()
