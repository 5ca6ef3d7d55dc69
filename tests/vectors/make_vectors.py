#!/usr/bin/env python3
"""Writes the message vectors of this folder, from docs/wire_protocol.md and not from the C++.

make_vectors.py          writes <form>_<bytes>_<case>.txt
make_vectors.py --check  compares them with what is there; exit 1 and a line for each difference
"""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
U64 = 2**64 - 1
SESSION = 0x8877665544332211
RING = 65536  # a number further ahead than this is taken for an altered one


def form_of(size):
    return "full" if size >= 64 else "short" if size >= 16 else "tag"


def fill(size, first, sequence):
    product = sequence * 0x9E3779B97F4A7C15 & U64
    return bytes(((product >> 8 * (k % 8)) + k) & 0xFF for k in range(first, size))


def full(size, kind, sequence, client_send, server_receive, server_send, gap):
    header = b"RE" + bytes([1, kind]) + (0).to_bytes(2, "big") + (64).to_bytes(2, "big")
    header += SESSION.to_bytes(8, "big") + sequence.to_bytes(8, "big")
    for stamp in (client_send, server_receive, server_send):
        header += stamp.to_bytes(8, "big", signed=True)
    header += gap.to_bytes(4, "big") + size.to_bytes(4, "big") + (0).to_bytes(4, "big")
    check = sum(int.from_bytes(header[i:i + 4], "big") for i in range(0, 60, 4)) % 2**32
    return header + check.to_bytes(4, "big") + fill(size, 64, sequence)


def short(size, kind, sequence):
    header = b"RE" + bytes([1, kind]) + (SESSION % 2**32).to_bytes(4, "big") + sequence.to_bytes(8, "big")
    return header + fill(size, 16, sequence)


def tag(size, sequence, is_reply):
    bits = 8 * size - 1
    return ((is_reply << bits) + sequence % 2**bits).to_bytes(size, "big")


def carried(size, sequence):
    """What a server that has seen nothing yet reads."""
    return sequence % 2**min(8 * size - 1, 64) if size < 16 else sequence


def pair(size, sequence, client_send, server_receive, server_send, gap):
    form = form_of(size)
    if form == "full":
        return (full(size, 0x01, sequence, client_send, 0, 0, 0),
                full(size, 0x81, sequence, client_send, server_receive, server_send, gap))
    if form == "short":
        return short(size, 0x01, sequence), short(size, 0x81, sequence)
    return tag(size, sequence, 0), tag(size, sequence, 1)


def hex_lines(name, message):
    rows = [message[i:i + 32].hex(" ") for i in range(0, len(message), 32)]
    return f"{name}:\n" + "\n".join(rows) + "\n"


def vector(size, case, sequence, client_send, server_receive, server_send, looks_apart):
    gap = min(looks_apart, 0xFFFFFFFE)  # all ones means that nobody watched
    request, reply = pair(size, sequence, client_send, server_receive, server_send, gap)
    fields = {"form": form_of(size), "message_bytes": size, "session": SESSION, "sequence": sequence,
              "client_send_ns": client_send, "server_receive_ns": server_receive, "server_send_ns": server_send,
              "looks_apart_ns": looks_apart, "server_gap_ns": gap,
              "new_server_answers": "yes" if carried(size, sequence) < RING else "no"}
    text = "".join(f"# {key}: {value}\n" for key, value in fields.items())
    return f"{form_of(size)}_{size}_{case}.txt", text + hex_lines("request", request) + hex_lines("reply", reply)


def vectors():
    for size in (1, 2, 3, 7, 8, 9, 14, 15, 16, 17, 24, 31, 63, 64, 65, 71, 72, 100, 1472):
        yield vector(size, "first", 0, 1, 1, 1, 0)
        yield vector(size, "usual", 54321, 1700000000123456789, 86400000000000, 86400000001500, 25000)
        yield vector(size, "ring", 65535, 2**63 - 1, 2**63 - 2, 2**63 - 1, 5000000000)
        yield vector(size, "beyond", 65536, 1, 1, 1, 0)
        yield vector(size, "last", U64, 2**63 - 1, 2**63 - 2, 2**63 - 1, 5000000000)


def main():
    expected = dict(vectors())
    if sys.argv[1:] != ["--check"]:
        for name, text in expected.items():
            (FOLDER / name).write_text(text)
        return 0
    there = {path.name: path.read_text() for path in FOLDER.glob("*.txt") if path.name != "CMakeLists.txt"}
    different = [name for name in sorted(expected.keys() | there.keys()) if expected.get(name) != there.get(name)]
    for name in different:
        print(f"{name}: differs from what make_vectors.py writes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
