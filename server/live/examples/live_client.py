#!/usr/bin/env python3
"""Plays a live evaluation on a troupe server. Python 3.8 or later, standard library only.

    python3 live_client.py http://127.0.0.1:7340 warehouse/tiny-2ag [API key]

`choose` is the policy: replace it with your own. Everything else is the protocol of server/protocol/README.md.
"""

import array
import base64
import json
import os
import random
import socket
import struct
import sys
from urllib.parse import urlsplit


def choose(observation, mask, alive, sizes):
    """One agent's action from its own observation: here a random legal choice in every dimension.

    observation: F floats; mask: A bytes, 1 = legal; sizes: choices of each dimension, summing to A.
    """
    action, at = [], 0
    for size in sizes:
        legal = [choice for choice in range(size) if mask[at + choice]]
        action.append(random.choice(legal))
        at += size
    return action


class Socket:
    """A WebSocket client, just enough of RFC 6455: whole messages in, masked messages out."""

    def __init__(self, url, path):
        parts = urlsplit(url)
        self.tcp = socket.create_connection((parts.hostname, parts.port or 80))
        self.tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.tcp.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self.tcp.sendall(request.encode())
        status = self.file.readline()
        if b" 101 " not in status:
            raise SystemExit(f"the server refused: {status.decode().strip()}")
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def send(self, payload, opcode):
        size = len(payload)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        mask = os.urandom(4)
        self.tcp.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def receive(self):
        """The next message: a str or bytes; None when the connection is closed."""
        message, kind = b"", None
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                return None
            opcode, size = head[0] & 15, head[1] & 127
            if size == 126:
                (size,) = struct.unpack(">H", self.file.read(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self.file.read(8))
            payload = self.file.read(size)
            if opcode == 8:
                return None
            if opcode == 9:
                self.send(payload, 10)
                continue
            if opcode == 10:
                continue
            kind = opcode or kind
            message += payload
            if head[0] & 0x80:
                return message.decode() if kind == 1 else message


def floats(data):
    values = array.array("f", data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def answer(question, spec):
    """An action frame for an observation frame."""
    magic, turn, lanes, agents, features, actions, _flags = struct.unpack_from("<4s6I", question)
    assert magic == b"TRL1"
    at = 28 + lanes * 8  # episode and step of every lane lie between; a policy with a memory forgets at step 0
    observation = floats(question[at : at + lanes * agents * features * 4])
    at += lanes * agents * features * 4
    mask = question[at : at + lanes * agents * actions]
    at += lanes * agents * actions
    alive = question[at : at + lanes * agents]
    chosen = []
    for row in range(lanes * agents):
        if spec["actionKind"] == "box":
            ranges = spec["agents"][row % agents]["ranges"]
            own = [random.uniform(r["low"], r["high"]) for r in ranges]
            chosen += own + [0.0] * (spec["actionDims"] - len(own))
        else:
            chosen += choose(
                observation[row * features : (row + 1) * features],
                mask[row * actions : (row + 1) * actions],
                alive[row],
                spec["actionSizes"],
            )
    kind = "f" if spec["actionKind"] == "box" else "i"
    head = struct.pack("<4s3I", b"TRA1", turn, lanes, agents * spec["actionDims"])
    return head + struct.pack(f"<{len(chosen)}{kind}", *chosen)


def main(server, scenario, key=None):
    connection = Socket(server, "/live")
    start = {
        "type": "live.start",
        "protocol": 1,
        "scenario": scenario,
        "lanes": 8,
        "description": {"name": "python", "algorithm": "random", "mode": "scripted", "centralised": False},
    }
    if key is not None:
        start["key"] = key
    connection.send(json.dumps(start).encode(), 1)
    spec = None
    while True:
        message = connection.receive()
        if message is None:
            raise SystemExit("the connection was closed")
        if isinstance(message, bytes):
            connection.send(answer(message, spec), 2)
            continue
        told = json.loads(message)
        if told["type"] == "live.started":
            spec = told["spec"]
            print(f"entry {told['entry']}: {told['episodes']} episodes", file=sys.stderr)
        elif told["type"] == "live.done":
            print(json.dumps(told))
            return
        elif told["type"] == "error":
            raise SystemExit(told["error"]["message"])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:4])
