#!/usr/bin/env python3
"""What the programs refuse before they measure, with which exit code, and that one line says what to do. Over
loopback: most of it needs no privilege."""

import os
import signal
import socket
import subprocess
import time

from pair_harness import LinkTest, PairTest, RTECHO, RTECHO_GPOS, free_port, main


class Usage(PairTest):
    def refused(self, *arguments, code=2, says="", program=RTECHO):
        with self.subTest(arguments=arguments):
            outcome = self.run_program(program, *arguments, limit_s=20)
            self.assertEqual(outcome.code, code, str(outcome))
            self.assertEqual(outcome.out, "")
            self.check_talk(outcome)
            self.assertIn(says, outcome.err)
            self.assertLess(len(outcome.err), 600)

    def test_commands(self):
        self.refused()
        self.refused("measure")
        self.refused("client", says="server")
        self.refused("client", "127.0.0.1", "127.0.0.2")
        self.refused("client", "127.0.0.1", "--frobnicate", says="--frobnicate")
        self.refused("server", "--sizes", "64", says="--sizes")

    def test_help_and_version(self):
        for arguments in (("--help",), ("client", "--help"), ("server", "--help"), ("--version",)):
            for program in (RTECHO, RTECHO_GPOS):
                outcome = self.run_program(program, *arguments)
                self.assertEqual((outcome.code, outcome.err), (0, ""), str(outcome))
                self.assertTrue(outcome.out)

    def test_sizes(self):
        for sizes in ("0", "0,64", "64,0", "65508", "64,65508", "65536", "", "64,", ",64", "64,,128", "abc", "64x", "-1",
                      "6.4", " 64", "99999999999999999999"):
            self.refused("client", "127.0.0.1", "--sizes", sizes, says="--sizes")
        for sizes in ("0", "65536", "4294967296"):
            self.refused("client", "127.0.0.1", "--protocol", "tcp", "--sizes", sizes, says="--sizes")

    def test_numbers(self):
        for option, values in (
                ("--count", ("0", "-1", "abc", "1.5", "")), ("--rate", ("0", "-5", "abc", "nan", "inf", "1e30", "3e9")),
                ("--interval", ("0", "-1", "0.0001", "nan", "inf", "1e300", "3600000001")),
                ("--window", ("0", "-1", "40000")), ("--burst", ("0", "-1")),
                ("--timeout-ms", ("0", "-1", "200000", "nan")), ("--for", ("0", "0s", "-1s", "abc", "5 s", "nan", "1e30h")),
                ("--batch", ("-1", "abc")), ("--rest-ms", ("-1", "0.5", "nan", "1e300")), ("--warmup", ("-1",)),
                ("--resume", ("-1",)), ("--allowed-loss", ("-1",)), ("--wait-for-server", ("-1", "nan", "1e9")),
                ("--priority", ("0", "99", "-1")), ("--cpu", ("-1", "abc", "1.5")), ("--wait", ("sleep", "")),
                ("--policy", ("rr",)), ("--protocol", ("sctp", "")), ("--driver", ("xdp",)), ("--missed", ("never",))):
            for value in values:
                self.refused("client", "127.0.0.1:1", f"{option}={value}" if value else option, *([] if value else [""]),
                             says=option)

    def test_options_that_exclude_each_other(self):
        self.refused("client", "127.0.0.1", "--count", "10", "--for", "1s")
        self.refused("client", "127.0.0.1", "--rate", "10", "--interval", "10")
        self.refused("client", "127.0.0.1", "--burst", "10", "--window", "5", says="--burst")
        self.refused("client", "127.0.0.1", "--sizes", "1", "--window", "2", says="--window")

    def test_addresses(self):
        for address in ("nonsense", "10.0.0", "10.0.0.256", "[::1", "::1:7007:x", "127.0.0.1:0", "127.0.0.1:65536",
                        "127.0.0.1:", "127.0.0.1:abc", ""):
            self.refused("client", address)
        for bind in ("nonsense", "", "1.2.3"):
            self.refused("server", "--bind", bind, says="--bind")
        self.refused("server", "--port", "65536", says="--port")
        self.refused("server", "--port", "-1", says="--port")
        self.refused("server", "--allow", "nobody", says="--allow")
        self.refused("server", "--bind", "203.0.113.7", "--port", "0", code=3, says="ip address")

    def test_ready_descriptor_that_is_not_open(self):
        self.refused("server", "--port", "0", "--ready-fd", "77", says="--ready-fd")


class Machine(PairTest):
    def refused(self, *arguments, says, prefix=(), program=RTECHO):
        with self.subTest(arguments=arguments):
            outcome = self.run_program(*prefix, program, *arguments, limit_s=20)
            self.assertEqual(outcome.code, 3, str(outcome))
            self.check_talk(outcome)
            for word in [says] if isinstance(says, str) else says:
                self.assertIn(word, outcome.err)

    def test_a_core_that_does_not_exist(self):
        for command in (("client", "127.0.0.1:1"), ("server", "--port", "0")):
            self.refused(*command, "--cpu", "999", says=("--cpu 999", "may use"))
            self.refused(*command, "--cpu", "100000", says="--cpu 100000")

    def test_a_core_outside_the_cpuset(self):
        if len(os.sched_getaffinity(0)) < 2 or os.geteuid() != 0:
            self.skipTest("needs two cores, and root to make a cpuset")
        cpuset = f"/sys/fs/cgroup/cpuset/rtecho-test-{os.getpid()}"
        try:
            os.mkdir(cpuset)
        except OSError as error:
            self.skipTest(f"no cpuset can be made: {error}")
        self.addCleanup(os.rmdir, cpuset)
        for name, value in (("cpuset.mems", "0"), ("cpuset.cpus", "0")):
            with open(f"{cpuset}/{name}", "w", encoding="ascii") as file:
                file.write(value)
        prefix = ("sh", "-c", f'echo $$ > {cpuset}/tasks && exec "$@"', "sh")
        for command in (("client", "127.0.0.1:1"), ("server", "--port", "0")):
            self.refused(*command, "--cpu", "1", prefix=prefix, says=("--cpu 1", "cores 0\n"))

    def test_a_core_outside_the_affinity_that_was_inherited(self):
        # An affinity is a habit and no limit: the kernel lets every process leave it, and so the core is granted.
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")
        server = self.start_server(program=RTECHO_GPOS)
        path = self.path("run.json")
        self.run_client(server.target, "--count", "50", "--cpu", "1", "--out", path, prefix=("taskset", "-c", "0"),
                        code=None)
        self.assertEqual(self.load(path)["client"]["granted"]["cpus"], [1])
        self.stop_cleanly(server)

    def test_a_namespace_that_does_not_exist(self):
        for command in (("client", "127.0.0.1:1"), ("server", "--port", "0")):
            self.refused(*command, "--netns", "nosuch", says=("--netns nosuch", "rtecho-host link up"))
        outcome = self.run_program(RTECHO, "client", "127.0.0.1", "--netns", "../../etc")
        self.assertEqual(outcome.code, 2, str(outcome))

    def test_a_namespace_without_the_right_to_enter(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make one")
        self.refused("client", "127.0.0.1:1", "--netns", "nosuch",
                     prefix=("setpriv", "--reuid", "65534", "--clear-groups"), says="--netns nosuch")

    def test_a_run_file_that_cannot_be_written_is_said_before_the_run(self):
        # Nobody listens there: a client that tried to connect first would exit 5.
        for path in ("/nonexistent/x", "/proc/rtecho.json", self.folder):
            self.refused("client", "127.0.0.1:1", "--out", path, says=(path,))
            self.refused("server", "--port", "0", "--report", path, says=(path,))
        self.refused("client", "127.0.0.1:1", "--samples", "/nonexistent/x", says="/nonexistent/x")

    def test_a_folder_that_may_not_be_written_to(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to become another user")
        os.chmod(self.folder, 0o555)
        path = self.path("run.json")
        self.refused("client", "127.0.0.1:1", "--out", path, says=(path,),
                     prefix=("setpriv", "--reuid", "65534", "--clear-groups"))

    def test_a_key_file_that_is_missing(self):
        self.refused("client", "127.0.0.1:1", "--key-file", "/nonexistent/key", says="/nonexistent/key")
        self.refused("server", "--port", "0", "--key-file", "/nonexistent/key", says="/nonexistent/key")

    def test_a_port_in_use(self):
        server = self.start_server(program=RTECHO_GPOS)
        self.refused("server", "--port", str(server.port), says=("another server", "--port"))
        self.run_client(server.target, "--count", "20", program=RTECHO_GPOS)
        self.stop_cleanly(server)

    def test_a_data_port_in_use(self):
        port = free_port()
        for protocol, kind in (("udp", socket.SOCK_DGRAM), ("tcp", socket.SOCK_STREAM)):
            with self.subTest(protocol=protocol), socket.socket(socket.AF_INET, kind) as holder:
                holder.bind(("127.0.0.1", port))
                if kind == socket.SOCK_STREAM:
                    holder.listen()
                server = self.start_server("--data-port", str(port), program=RTECHO_GPOS)
                outcome = self.run_client(server.target, "--protocol", protocol, "--count", "10", code=5,
                                          program=RTECHO_GPOS)
                self.assertIn("in use", outcome.err)
                self.stop_cleanly(server)


class Files(PairTest):
    def setUp(self):
        super().setUp()
        self.server = self.start_server(program=RTECHO_GPOS)

    def run_short(self, *options, code=0, **named):
        return self.run_client(self.server.target, "--count", "200", *options, code=code, program=RTECHO_GPOS, **named)

    def test_a_full_disk(self):
        outcome = self.run_short("--out", "/dev/full", code=3)
        self.assertIn("/dev/full", outcome.err)
        self.assertIn("jitter", outcome.out)  # the results are still printed

    def test_samples_on_a_full_disk(self):
        path = self.path("run.json")
        outcome = self.run_short("--out", path, "--samples", "/dev/full", code=3)
        self.assertIn("/dev/full", outcome.err)
        self.assertTrue(self.load(path)["complete"])

    def test_an_old_run_file_is_replaced_whole(self):
        path = self.path("run.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("x" * 1_000_000)
        self.run_short("--out", path)
        self.load(path)

    def test_a_failed_run_leaves_the_old_file(self):
        path = self.path("run.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("old")
        self.run_client("127.0.0.1:1", "--out", path, code=5, program=RTECHO_GPOS)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            outcome = self.run_short("--out", "-", code=3, stdout=full)
        self.assertTrue(outcome.err)

    def test_standard_output_that_nobody_reads(self):
        reader, writer = os.pipe()
        os.close(reader)
        path = self.path("run.json")
        try:
            outcome = self.start_client(self.server.target, "--count", "200", "--out", path, program=RTECHO_GPOS,
                                        stdout=writer).wait(20)
        finally:
            os.close(writer)
        self.assertTrue(self.load(path)["complete"])
        self.assertIn(outcome.code, (0, 3), "not killed by SIGPIPE")

    def test_standard_output_that_is_closed(self):
        path = self.path("run.json")
        done = subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", RTECHO_GPOS, "client", self.server.target,
                               "--count", "200", "--out", path], timeout=20, check=False)
        self.assertIn(done.returncode, (0, 3))
        self.assertTrue(self.load(path)["complete"])

    def test_a_file_of_the_user_is_not_readable_by_a_trick_of_names(self):
        # A link is followed, and stays a link.
        target, link = self.path("target.json"), self.path("link.json")
        with open(target, "w", encoding="utf-8") as file:
            file.write("{}")
        os.symlink(target, link)
        self.run_short("--out", link)
        self.assertTrue(os.path.islink(link))
        self.load(target)


class Peers(PairTest):
    def test_absent(self):
        outcome = self.run_client(f"127.0.0.1:{free_port()}", code=5)
        self.assertLess(outcome.seconds, 3)
        self.assertIn("rtecho server", outcome.err)

    def test_absent_and_waited_for_in_vain(self):
        outcome = self.run_client(f"127.0.0.1:{free_port()}", "--wait-for-server", "1", code=5)
        self.assertGreaterEqual(outcome.seconds, 1)
        self.assertLess(outcome.seconds, 5)

    def test_waited_for_until_it_comes(self):
        port = free_port()
        client = self.start_client(f"127.0.0.1:{port}", "--count", "50", "--wait-for-server", "30",
                                   program=RTECHO_GPOS)
        time.sleep(0.7)
        self.assertIsNone(client.process.poll())
        server = self.start_server(program=RTECHO_GPOS, port=port)
        outcome = client.wait()
        self.assertEqual(outcome.code, 0, str(outcome))
        self.stop_cleanly(server)

    def test_busy(self):
        server = self.start_server(program=RTECHO_GPOS)
        first = self.start_client(server.target, "--for", "60s", program=RTECHO_GPOS)
        self.wait_until_measuring(first)
        outcome = self.run_client(server.target, "--count", "10", code=5, program=RTECHO_GPOS)
        self.assertIn("busy", outcome.err)
        self.assertIn("--wait-for-server", outcome.err)
        waiting = self.start_client(server.target, "--count", "50", "--wait-for-server", "30", program=RTECHO_GPOS)
        time.sleep(0.5)
        self.assertIsNone(waiting.process.poll())
        first.send(signal.SIGINT)
        self.assertEqual(first.wait().code, 130)
        done = waiting.wait()
        self.assertEqual(done.code, 0, str(done))
        self.stop_cleanly(server)


class Unreachable(LinkTest):
    def test_no_route(self):
        outcome = self.run_client("203.0.113.9", "--netns", self.link.b, code=5)
        self.assertLess(outcome.seconds, 5)

    def test_a_host_that_is_not_there(self):
        outcome = self.run_client("10.78.0.77", "--netns", self.link.b, code=5)
        self.assertLess(outcome.seconds, 8)


if __name__ == "__main__":
    main()
