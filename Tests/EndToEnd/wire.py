"""HTTP/1.1 as bytes on a socket: what a client library would hide, a test can see."""

import re
import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PATIENCE = 30  # seconds until a silent peer fails the test

# Fields about one connection (RFC 9110 §7.6.1), and Date: not part of what was said.
HOP_BY_HOP = {
    b"connection", b"keep-alive", b"proxy-connection", b"te", b"transfer-encoding", b"upgrade",
}
PASSING = HOP_BY_HOP | {b"date"}


@dataclass
class Message:
    start: bytes
    fields: list[tuple[bytes, bytes]]
    head: bytes
    chunks: list[bytes] = field(default_factory=list)
    trailers: list[tuple[bytes, bytes]] = field(default_factory=list)

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    def values(self, name: bytes) -> list[bytes]:
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def value(self, name: bytes) -> bytes | None:
        return next(iter(self.values(name)), None)

    @property
    def chunked(self) -> bool:
        return (self.value(b"Transfer-Encoding") or b"").lower() == b"chunked"

    @property
    def lasting_fields(self) -> list[tuple[bytes, bytes]]:
        return [(name, value) for name, value in self.fields if name.lower() not in PASSING]


class Answer(Message):
    @property
    def status(self) -> int:
        return int(self.start.split(b" ", 2)[1])

    @property
    def reason(self) -> bytes:
        return self.start.split(b" ", 2)[2]

    @property
    def essence(self):
        """What a replay must repeat: everything but the connection's own fields and Date."""
        return self.status, self.reason, self.lasting_fields, self.body, self.trailers


class Request(Message):
    @property
    def method(self) -> bytes:
        return self.start.split(b" ")[0]

    @property
    def target(self) -> bytes:
        return self.start.split(b" ")[1]


def read_fields(stream) -> tuple[list[tuple[bytes, bytes]], bytes]:
    fields, raw = [], b""
    while True:
        line = stream.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError(f"cut off inside the header section, after {raw + line!r}")
        raw += line
        line = line.rstrip(b"\r\n")
        if not line:
            return fields, raw
        name, colon, value = line.partition(b":")
        assert colon, f"a field line without a colon: {line!r}"
        fields.append((name, value.strip(b" \t")))


def read_head(stream, kind):
    """The next message's head, or None if the peer closed before one began."""
    start = stream.readline()
    if not start:
        return None
    if not start.endswith(b"\r\n"):
        raise ConnectionError(f"cut off inside the start line {start!r}")
    fields, raw = read_fields(stream)
    return kind(start.rstrip(b"\r\n"), fields, start + raw)


def read_exactly(stream, count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise ConnectionError(f"cut off after {len(data)} of {count} bytes")
    return data


def read_chunk(stream) -> bytes:
    """One chunk's data; empty for the last chunk, whose trailers are still to be read."""
    line = stream.readline()
    if not re.fullmatch(rb"[0-9A-Fa-f]+\r\n", line):
        raise ConnectionError(f"not a chunk size: {line!r}")
    size = int(line, 16)
    if size == 0:
        return b""
    data = read_exactly(stream, size)
    assert read_exactly(stream, 2) == b"\r\n", "a chunk must end with CRLF"
    return data


def read_body(stream, message: Message, until_close: bool) -> None:
    length = message.value(b"Content-Length")
    if message.chunked:
        while chunk := read_chunk(stream):
            message.chunks.append(chunk)
        message.trailers, _ = read_fields(stream)
    elif length is not None:
        message.chunks.append(read_exactly(stream, int(length)))
    elif until_close:
        message.chunks.append(stream.read())


class Wire:
    """One client connection."""

    def __init__(self, url: str):
        parts = urlsplit(url)
        self.authority = parts.netloc.encode()
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, target: bytes, *fields: bytes, method: bytes = b"GET", body: bytes | None = None) -> None:
        self.send(request(target, *fields, method=method, body=body, host=self.authority))

    def head(self) -> Answer:
        answer = read_head(self.stream, Answer)
        if answer is None:
            raise ConnectionError("closed without an answer")
        return answer

    def chunk(self) -> bytes:
        return read_chunk(self.stream)

    def answer(self, method: bytes = b"GET") -> Answer:
        answer = self.head()
        if method != b"HEAD" and answer.status >= 200 and answer.status not in (204, 304):
            read_body(self.stream, answer, until_close=True)
        return answer

    def is_closed(self) -> bool:
        """Whether the peer has closed, with nothing more to say."""
        try:
            return self.stream.read(1) == b""
        except ConnectionResetError:
            return True


def request(target: bytes, *fields: bytes, method=b"GET", body: bytes | None = None, host=b"localhost") -> bytes:
    lines = [method + b" " + target + b" HTTP/1.1"]
    if not any(field.lower().startswith(b"host:") for field in fields):
        lines.append(b"Host: " + host)
    lines += fields
    if body is not None:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")


def fetch(url: str, target: str | bytes, *fields: bytes, method: bytes = b"GET", body: bytes | None = None) -> Answer:
    """One request on a connection of its own."""
    target = target.encode() if isinstance(target, str) else target
    with Wire(url) as wire:
        wire.ask(target, *fields, method=method, body=body)
        return wire.answer(method)
