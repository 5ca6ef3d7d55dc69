"""A test of the client against a server that follows a script."""

from fake_peers import FakeServer
from pair_harness import PairTest, RTECHO_GPOS

TIMEOUT_MS = 400  # beyond what a scripted server of a busy machine takes
LATE_S = 0.7
PLAIN = ("--warmup", "0", "--resume", "0", "--timeout-ms", str(TIMEOUT_MS))  # the normal build blocks by default
COUNT = 40


class FaultyServer(PairTest):
    program = RTECHO_GPOS

    def against(self, fault, *options, code=0, count=COUNT, size=64, **named):
        """The series of a run against the fault, after its counters that are not 0 were compared with `named`."""
        expected = dict(named)
        with FakeServer(fault) as server:
            run, outcome = self.measure(server.target, "--count", str(count), "--sizes", str(size), *PLAIN, *options,
                                        code=code, program=self.program)
        series = run["series"][0]
        seen = {name: value for name, value in series["accounting"]["client"].items() if value}
        for name in ("attempted", "sent", "answered", "frames"):
            seen.pop(name, None)
        self.assertEqual(seen, expected, str(outcome))
        self.assertEqual(run["complete"], code in (0, 1))
        return series, outcome

    @staticmethod
    def at(victims, act):
        """A fault that strikes the named sequences and answers the others."""
        def fault(sequence, reply, deliver):
            if sequence in victims:
                act(reply, deliver)
            else:
                deliver(reply)
        return fault

    @staticmethod
    def lose(reply, deliver):
        pass
