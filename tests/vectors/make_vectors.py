#!/usr/bin/env python3
"""Writes the message vectors of this folder, from docs/wire_protocol.md and not from the C++.

make_vectors.py          writes <form>_<bytes>_<case>.txt, and frames/<protocol>_<case>.txt with the same message in frames
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


# --- frames: IEEE 802.3 and 802.1Q, RFC 791, 768, 792, 826 and 1071 ---------------------------------------------------

CLIENT = {"mac": bytes.fromhex("020000000001"), "address": bytes([10, 0, 0, 1]), "port": 4000}
SERVER = {"mac": bytes.fromhex("020000000002"), "address": bytes([10, 0, 0, 2]), "port": 7008}
VLAN = {"id": 100, "priority": 5}


def checksum(data):
    total = 0
    for at in range(0, len(data), 2):
        total += int.from_bytes((data[at:at + 2] + b"\0")[:2], "big")
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def ethernet(source, target, kind, payload, tag=None, shortest=60):
    frame = target["mac"] + source["mac"]
    if tag:
        frame += b"\x81\x00" + (tag["priority"] << 13 | tag["id"]).to_bytes(2, "big")
    frame += kind.to_bytes(2, "big") + payload
    return frame + bytes(max(0, shortest - len(frame)))


def ipv4(source, target, protocol, payload):
    def header(check):
        return (bytes([0x45, 0]) + (20 + len(payload)).to_bytes(2, "big") + bytes([0, 0, 0x40, 0, 64, protocol])
                + check.to_bytes(2, "big") + source["address"] + target["address"])
    return header(checksum(header(0))) + payload


def udp(source, target, message):
    length = (8 + len(message)).to_bytes(2, "big")
    ports = source["port"].to_bytes(2, "big") + target["port"].to_bytes(2, "big")
    pseudo = source["address"] + target["address"] + b"\0\x11" + length
    check = checksum(pseudo + ports + length + b"\0\0" + message)
    return ipv4(source, target, 17, ports + length + (check or 0xFFFF).to_bytes(2, "big") + message)


def ping(source, target, kind, rest):
    check = checksum(bytes([kind, 0, 0, 0]) + rest)
    return ipv4(source, target, 1, bytes([kind, 0]) + check.to_bytes(2, "big") + rest)


def arp(operation, sender, target, target_mac):
    return (bytes.fromhex("000108000604") + operation.to_bytes(2, "big") + sender["mac"] + sender["address"]
            + target_mac + target["address"])


def frame_pair(protocol, size, tag):
    # A port carries any bytes; what messages say is the other vectors' subject.
    message = fill(size, 0, size + 1)
    if protocol == "raw":
        payload = size.to_bytes(2, "big") + message
        return (ethernet(CLIENT, SERVER, 0x88B5, payload, tag), ethernet(SERVER, CLIENT, 0x88B5, payload, tag))
    return (ethernet(CLIENT, SERVER, 0x0800, udp(CLIENT, SERVER, message), tag, 0),
            ethernet(SERVER, CLIENT, 0x0800, udp(SERVER, CLIENT, message), tag, 0))


def frame_vector(name, protocol, size, tag, request, reply):
    fields = {"protocol": protocol, "message_bytes": size, "vlan_id": tag["id"] if tag else "none",
              "vlan_priority": tag["priority"] if tag else "none"}
    text = "".join(f"# {key}: {value}\n" for key, value in fields.items())
    return f"frames/{name}.txt", text + hex_lines("request", request) + hex_lines("reply", reply)


def zero_checksum_message():
    """Two bytes with which a datagram's checksum comes to 0, which is sent as 0xFFFF."""
    datagram = udp(CLIENT, SERVER, b"\0\0")
    return datagram[26:28]


def frame_vectors():
    everybody = {"mac": b"\xff" * 6}
    for tag, kind in ((None, "untagged"), (VLAN, "tagged")):
        for protocol, sizes in (("raw", (1, 40, 41, 44, 45, 64, 1498)), ("udp", (1, 2, 18, 19, 64, 1471, 1472))):
            for size in sizes:
                yield frame_vector(f"{protocol}_{kind}_{size}", protocol, size, tag, *frame_pair(protocol, size, tag))
        yield frame_vector(f"arp_{kind}", "arp", 0, tag,
                           ethernet(CLIENT, everybody, 0x0806, arp(1, CLIENT, SERVER, bytes(6)), tag),
                           ethernet(SERVER, CLIENT, 0x0806, arp(2, SERVER, CLIENT, CLIENT["mac"]), tag))
        for name, rest in (("even", bytes.fromhex("12340001") + b"ping"), ("odd", bytes.fromhex("12340002") + b"pings"),
                           ("zeros", bytes(20)), ("long", bytes.fromhex("12340003") + fill(1472, 0, 9))):
            yield frame_vector(f"ping_{kind}_{name}", "ping", 0, tag,
                               ethernet(CLIENT, SERVER, 0x0800, ping(CLIENT, SERVER, 8, rest), tag),
                               ethernet(SERVER, CLIENT, 0x0800, ping(SERVER, CLIENT, 0, rest), tag))
    message = zero_checksum_message()
    yield frame_vector("udp_untagged_zero_checksum", "udp", 2, None,
                       ethernet(CLIENT, SERVER, 0x0800, udp(CLIENT, SERVER, message), None, 0),
                       ethernet(SERVER, CLIENT, 0x0800, udp(SERVER, CLIENT, message), None, 0))


def main():
    expected = {**dict(vectors()), **dict(frame_vectors())}
    if sys.argv[1:] != ["--check"]:
        (FOLDER / "frames").mkdir(exist_ok=True)
        for name, text in expected.items():
            (FOLDER / name).write_text(text)
        return 0
    there = {path.relative_to(FOLDER).as_posix(): path.read_text()
             for path in FOLDER.rglob("*.txt") if path.name != "CMakeLists.txt"}
    different = [name for name in sorted(expected.keys() | there.keys()) if expected.get(name) != there.get(name)]
    for name in different:
        print(f"{name}: differs from what make_vectors.py writes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
