#!/usr/bin/env python3
"""Every form of message, both programs, protocols, waits and versions of IP, over a link of two namespaces."""

import csv
import json
import os
import re
import unittest

from pair_harness import PairTest, LinkTest, RTECHO, RTECHO_GPOS, main

UDP_SIZES = "1,2,15,16,63,64,1462,1472,1473,8192,65507"
TCP_SIZES = "1,2,15,16,63,64,1462,8192,65535"
FEW = ("--count", "60", "--warmup", "20", "--batch", "30", "--resume", "4", "--timeout-ms", "2000")


def attempts(series):
    return series["accounting"]["client"]["attempted"]


class SizesAndWaits(LinkTest):
    def check_all_sizes(self, program, protocol, wait, run):
        sizes = [int(text) for text in (UDP_SIZES if protocol == "udp" else TCP_SIZES).split(",")]
        self.assertEqual([series["message_bytes"] for series in run["series"]], sizes)
        self.assertTrue(run["complete"])
        self.assertEqual(run["tool"]["build"], "realtime" if program == RTECHO else "normal")
        for series in run["series"]:
            client, server = series["accounting"]["client"], series["accounting"]["server"]
            self.assertEqual(series["protocol"], protocol)
            self.assertIn(series["wait"]["client"], (wait, wait + "*"))
            self.assertIn(series["wait"]["server"], (wait, wait + "*"))
            self.assertEqual(client["warmup"], 20)
            self.assertEqual(client["lost"] + client["corrupt"] + client["malformed"] + client["stray"], 0, client)
            self.assertEqual(server["replies"], client["sent"])
            self.assertEqual(series["service"]["n"], 60)
            self.assertEqual(series["accounting"]["lost_up"], 0)
            has_stamps = series["message_bytes"] >= 64
            self.assertEqual(series["residence"] is not None, has_stamps)
            if has_stamps:
                self.assertLess(series["residence"]["max_ns"], series["service"]["max_ns"])
            if protocol == "udp":
                expected = {1472: 1, 1473: 2, 8192: 6, 65507: 45}
                self.assertEqual(series["fragments"], expected.get(series["message_bytes"], 1))
            else:
                self.assertIsNone(series["fragments"])

    def check_program(self, program):
        for wait in ("spin", "block"):
            pins = ("--cpu", "0") if program == RTECHO else ()
            server = self.link_server("--wait", wait, *pins, program=program)
            for protocol, sizes in (("udp", UDP_SIZES), ("tcp", TCP_SIZES)):
                with self.subTest(program=program, wait=wait, protocol=protocol):
                    pins = ("--cpu", "1") if program == RTECHO and os.cpu_count() > 1 else ()
                    run, _ = self.link_measure(server, "--protocol", protocol, "--sizes", sizes, "--wait", wait, *FEW,
                                               *pins, program=program)
                    self.check_all_sizes(program, protocol, wait, run)
            self.stop_cleanly(server)

    def test_realtime_program(self):
        self.check_program(RTECHO)

    def test_normal_program(self):
        self.check_program(RTECHO_GPOS)

    def test_published_sizes(self):
        server = self.link_server(program=RTECHO_GPOS)
        for protocol, count, last in (("udp", 12, 40960), ("tcp", 13, 65535)):
            run, _ = self.link_measure(server, "--protocol", protocol, "--sizes", "rtx", *FEW, program=RTECHO_GPOS)
            self.assertEqual(len(run["series"]), count)
            self.assertEqual(run["series"][-1]["message_bytes"], last)
        self.stop_cleanly(server)

    def test_the_two_programs_understand_each_other(self):
        for server_program, client_program in ((RTECHO, RTECHO_GPOS), (RTECHO_GPOS, RTECHO)):
            server = self.link_server(program=server_program)
            run, _ = self.link_measure(server, *FEW, program=client_program)
            self.assertFalse(run["realtime"])
            self.stop_cleanly(server)


@unittest.skipUnless(os.path.exists("/proc/net/if_inet6"), "this kernel has no IPv6")
class InternetProtocol6(LinkTest):
    def check(self, bind, target_host):
        server = self.link_server(program=RTECHO_GPOS, bind=bind)
        for protocol in ("udp", "tcp"):
            run, _ = self.measure(f"[{target_host}]:{server.port}", "--netns", self.link.b, "--protocol", protocol,
                                  "--sizes", "1,64,1472", *FEW, program=RTECHO_GPOS)
            if protocol == "udp":
                # 1452 bytes fit beside the longer header.
                self.assertEqual([series["fragments"] for series in run["series"]], [1, 1, 2])
        self.stop_cleanly(server)

    def test_unique_local(self):
        self.check(self.link.ipv6_a, self.link.ipv6_a)

    def test_any_address(self):
        self.check("::", self.link.ipv6_a)

    def test_link_local_with_scope(self):
        address = self.link.link_local_a()
        self.assertIsNotNone(address)
        self.check(f"{address}%veth0", f"{address}%veth0")

    def test_link_local_without_scope(self):
        outcome = self.run_client("[fe80::1]:7007", "--netns", self.link.b, code=2)
        self.assertIn("fe80::1%eth0", outcome.err)

    def test_scope_that_does_not_exist(self):
        outcome = self.run_client("[fe80::1%nosuch]:7007", "--netns", self.link.b, code=3)
        self.assertIn("no such interface", outcome.err)


class Pacing(LinkTest):
    def setUp(self):
        super().setUp()
        self.server = self.link_server("--wait", "block", program=RTECHO_GPOS)
        self.addCleanup(self.server.end)

    def paced(self, *options, **named):
        warmup = () if "--warmup" in options else ("--warmup", "0")
        run, _ = self.link_measure(self.server, *warmup, "--timeout-ms", "2000", *options, program=RTECHO_GPOS,
                                   **named)
        return run, run["series"][0]

    def check_scheduled(self, series, n):
        self.assertIsNone(series["turnaround"])
        for name in ("response", "slip"):
            self.assertEqual(series[name]["n"], n)
        self.assertGreaterEqual(series["response"]["max_ns"], series["service"]["min_ns"])
        self.assertGreaterEqual(series["response"]["min_ns"], 0)

    def test_rate_sends_late_and_loses_no_slot(self):
        run, series = self.paced("--rate", "1000", "--count", "300", "--resume", "0")
        self.assertEqual(run["plan"]["spacing_ns"], 1_000_000)
        self.assertEqual(run["plan"]["window"], 64)
        self.assertEqual(attempts(series), 300)
        self.assertEqual(series["accounting"]["client"]["skipped"], 0)
        self.check_scheduled(series, 300)
        self.assertGreaterEqual(series["elapsed_ns"], 290_000_000)

    def test_interval_is_a_spacing(self):
        run, series = self.paced("--interval", "500.5", "--count", "200", "--resume", "0")
        self.assertEqual(run["plan"]["spacing_ns"], 500_500)
        self.check_scheduled(series, 200)

    def test_skip_counts_each_missed_slot(self):
        # A million slots per second cannot all be met by a client that blocks.
        run, series = self.paced("--rate", "1000000", "--count", "3000", "--missed", "skip", "--resume", "0")
        client = series["accounting"]["client"]
        self.assertEqual(run["plan"]["missed"], "skip")
        self.assertGreater(client["skipped"], 0)
        self.assertEqual(client["attempted"], 3000)
        self.assertEqual(client["sent"], 3000 - client["skipped"])
        self.check_scheduled(series, client["sent"])

    def test_late_meets_the_same_rate_without_a_skip(self):
        _, series = self.paced("--rate", "1000000", "--count", "1000", "--missed", "late", "--resume", "0")
        self.assertEqual(series["accounting"]["client"]["sent"], 1000)
        self.assertGreater(series["slip"]["max_ns"], 0)

    def test_burst_shares_one_instant(self):
        run, series = self.paced("--rate", "200", "--burst", "8", "--window", "16", "--count", "160", "--resume", "0",
                                 "--samples", self.path("samples.csv"))
        self.assertEqual((run["plan"]["burst"], run["plan"]["window"]), (8, 16))
        self.check_scheduled(series, 160)
        with open(self.path("samples.csv"), encoding="utf-8") as file:
            intended = [row["intended_ns"] for row in csv.DictReader(file)]
        self.assertEqual(len(intended), 160)
        self.assertEqual(len(set(intended)), 20)

    def test_burst_without_a_schedule(self):
        run, series = self.paced("--burst", "4", "--count", "120", "--resume", "0")
        self.assertEqual(run["plan"]["window"], 4)
        self.assertEqual(attempts(series), 120)
        self.assertIsNone(series["slip"])

    def test_window_of_a_small_message(self):
        _, series = self.paced("--sizes", "2", "--window", "64", "--count", "500", "--resume", "0")
        self.assertEqual(series["service"]["n"], 500)

    def test_for_a_time(self):
        run, series = self.paced("--for", "400ms", "--rate", "500", "--resume", "0")
        self.assertEqual(run["plan"]["for_ns"], 400_000_000)
        self.assertNotIn("count", run["plan"])
        self.assertGreater(series["service"]["n"], 20)
        self.assertGreaterEqual(series["elapsed_ns"], 400_000_000)
        self.assertLess(series["elapsed_ns"], 4_000_000_000)

    def test_warmup_on_schedule(self):
        run, series = self.paced("--rate", "1000", "--count", "50", "--warmup", "100", "--warmup-on-schedule",
                                 "--resume", "0")
        self.assertTrue(run["plan"]["warmup_on_schedule"])
        self.assertEqual(series["accounting"]["client"]["warmup"], 100)
        self.check_scheduled(series, 50)
        self.assertGreaterEqual(series["elapsed_ns"], 145_000_000)


class Counts(LinkTest):
    def setUp(self):
        super().setUp()
        self.server = self.link_server("--wait", "block", program=RTECHO_GPOS)
        self.addCleanup(self.server.end)

    def counted(self, *options):
        run, outcome = self.link_measure(self.server, "--timeout-ms", "2000", *options, program=RTECHO_GPOS)
        return run["series"][0], outcome

    def test_exact_numbers(self):
        series, _ = self.counted("--count", "1000", "--batch", "250", "--warmup", "100", "--resume", "10")
        client, batches = series["accounting"]["client"], len(series["batches"])
        # A batch also ends after 100 ms: a busy machine makes more of them.
        self.assertGreaterEqual(batches, 4)
        self.assertEqual(client["warmup"], 100)
        self.assertEqual(client["resume"], 10 * batches)
        self.assertEqual(client["attempted"], 100 + 1000 + 10 * batches)
        self.assertEqual(series["service"]["n"], 1000)
        self.assertEqual(series["turnaround"]["n"], 1000)
        self.assertEqual(series["resume"]["n"], 10 * batches)
        self.assertLessEqual(series["resume"]["min_ns"], series["resume"]["p50_ns"])
        self.assertGreaterEqual(series["rests"], batches)  # between batches, and after the warm-up
        if batches == 4:
            self.assertEqual([batch["n"] for batch in series["batches"]], [250] * 4)

    def test_one_message(self):
        series, _ = self.counted("--count", "1", "--warmup", "0", "--resume", "0")
        self.assertEqual((attempts(series), series["service"]["n"]), (1, 1))
        self.assertEqual(series["service"]["percentiles"], {})
        self.assertEqual(series["service"]["min_ns"], series["service"]["max_ns"])
        self.assertEqual(series["service"]["max_sequence"], 0)
        self.assertEqual(series["rests"], 0)

    def test_percentiles_need_their_number_of_samples(self):
        series, outcome = self.counted("--count", "150", "--warmup", "0")
        self.assertEqual(set(series["service"]["percentiles"]), {"p50", "p90", "p99"})
        self.assertEqual(len(outcome.out.strip().splitlines()) > 1, True)

    def test_no_rests(self):
        for wait in ("block", "spin"):
            series, _ = self.counted("--batch", "0", "--count", "500", "--warmup", "50", "--wait", wait)
            self.assertEqual(attempts(series), 550)
            self.assertIsNone(series["resume"])
            self.assertEqual(series["rests"], 0)
            self.assertEqual([batch["n"] for batch in series["batches"]], [500])

    def test_samples_have_one_line_per_answer(self):
        path = self.path("samples.csv")
        series, _ = self.counted("--count", "300", "--warmup", "30", "--batch", "100", "--resume", "5",
                                 "--samples", path)
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        client = series["accounting"]["client"]
        self.assertEqual(len(rows), client["answered"] + client["late"])
        classes = [row["class"] for row in rows]
        self.assertEqual(classes.count("warmup"), 30)
        self.assertEqual(classes.count("recorded"), 300)
        self.assertEqual(classes.count("resume"), client["resume"])
        self.assertEqual([int(row["sequence"]) for row in rows], list(range(len(rows))))
        recorded = [int(row["service_ns"]) for row in rows if row["class"] == "recorded"]
        self.assertEqual((min(recorded), max(recorded)), (series["service"]["min_ns"], series["service"]["max_ns"]))
        for row in rows:
            self.assertEqual(int(row["service_ns"]), int(row["receive_ns"]) - int(row["send_ns"]))
            self.assertEqual(row["intended_ns"], "")
            self.assertLessEqual(int(row["server_receive_ns"]), int(row["server_send_ns"]))

    def test_slowest_holds_the_maximum(self):
        series, _ = self.counted("--count", "400", "--warmup", "0")
        slowest = series["slowest"]
        self.assertLessEqual(len(slowest), 16)
        self.assertEqual(slowest[0]["sequence"], series["service"]["max_sequence"])
        self.assertEqual(slowest[0]["receive_ns"] - slowest[0]["send_ns"], series["service"]["max_ns"])


class Talk(PairTest):
    """What is said where. Over loopback: this needs no privilege."""

    def setUp(self):
        super().setUp()
        self.server = self.start_server("--wait", "block", program=RTECHO_GPOS)

    def test_the_table_is_on_standard_output(self):
        outcome = self.run_client(self.server.target, "--sizes", "64,1024", "--count", "200", program=RTECHO_GPOS)
        for word in ("lost", "min", "p50", "p99", "max", "jitter", "resume"):
            self.assertIn(word, outcome.out)
        self.assertTrue(re.search(r"\b64\b.*\n.*\b1024\b", outcome.out), outcome.out)
        self.assertEqual(outcome.err, "")

    def test_the_run_file_on_standard_output_moves_the_table(self):
        outcome = self.run_client(self.server.target, "--count", "100", "--out", "-", "--label", "mine",
                                  program=RTECHO_GPOS)
        run = json.loads(outcome.out)
        self.check_run(run)
        self.assertEqual(run["label"], "mine")
        self.assertIn("jitter", outcome.err)

    def test_label_is_kept_and_has_a_default(self):
        run, _ = self.measure(self.server.target, "--count", "20", "--label", "naïve \"quoted\"", program=RTECHO_GPOS)
        self.assertEqual(run["label"], "naïve \"quoted\"")
        run, _ = self.measure(self.server.target, "--count", "20", program=RTECHO_GPOS)
        self.assertEqual(run["label"], "normal")

    def test_the_server_says_where_it_listens(self):
        outcome = self.stop_cleanly(self.server)
        self.assertEqual(outcome.err, f"rtecho-gpos: ready on 127.0.0.1:{self.server.port}\n")
        self.assertEqual(outcome.out, "")

    def test_a_report_of_the_server(self):
        report = self.path("server.json")
        server = self.start_server("--report", report, program=RTECHO_GPOS)
        self.run_client(server.target, "--count", "50", "--sizes", "64,128", "--warmup", "0", "--resume", "0",
                        program=RTECHO_GPOS)
        self.stop_cleanly(server)
        with open(report, encoding="utf-8") as file:
            run = json.load(file)
        self.assertEqual(run["schema"], "rtecho.run/1")
        self.assertEqual([series["message_bytes"] for series in run["series"]], [64, 128])
        for series in run["series"]:
            self.assertEqual(series["accounting"]["server"]["requests"], 50)


if __name__ == "__main__":
    main()
