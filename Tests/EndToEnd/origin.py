"""A real TCP origin whose answers a test writes byte by byte."""

import itertools
import select
import socket
import threading

from wire import PATIENCE, Request, read_body, read_head


def reply(body: bytes = b"", *fields: bytes, status: bytes = b"200 OK") -> bytes:
    """A plain answer of known length."""
    lines = [b"HTTP/1.1 " + status, *fields, b"Content-Length: %d" % len(body)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def bare(*lines: bytes, body: bytes = b"") -> bytes:
    """An answer with these lines and nothing else."""
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


CHUNKED_HEAD = bare(b"HTTP/1.1 200 OK", b"Content-Type: text/plain", b"Transfer-Encoding: chunked")
LAST_CHUNK = b"0\r\n\r\n"


def counting():
    """A handler whose every answer is a new one: `answer 1`, `answer 2`, ..."""
    numbers = itertools.count(1)
    return lambda exchange: reply(b"answer %d" % next(numbers), b"Content-Type: text/plain")


class HangUp(Exception):
    """Raised by a handler to close the connection without another word."""


class Exchange:
    """One request, and the line to answer it on."""

    def __init__(self, request: Request, line: socket.socket):
        self.request = request
        self._line = line

    def send(self, data) -> None:
        self._line.sendall(data)

    def stalls(self, seconds: float) -> bool:
        """Whether the peer takes nothing more for this long."""
        return not select.select([], [self._line], [], seconds)[1]

    def send_some(self, data) -> int:
        return self._line.send(data)

    def wait_for_close(self) -> None:
        """Returns once the peer is gone, whether it said goodbye or not."""
        try:
            while self._line.recv(65536):
                pass
        except ConnectionError:
            pass

    def send_until_close(self, data: bytes) -> None:
        """Sends the same over and over; returns once the peer is gone."""
        rest = b""
        try:
            while True:
                readable, writable, _ = select.select([self._line], [self._line], [], PATIENCE)
                if readable and not self._line.recv(65536):
                    return
                if writable:
                    rest = rest or memoryview(data)
                    rest = rest[self._line.send(rest):]
        except ConnectionError:
            pass


class Origin:
    """Answers every request with what `handler(exchange)` returns or sends."""

    def __init__(self, handler):
        self._handler = handler
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._lines: list[socket.socket] = []
        self.requests: list[Request] = []
        self.connections = 0
        self.failure: BaseException | None = None
        self.port = self._listener.getsockname()[1]
        self.authority = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.authority}"
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self) -> None:
        # Closed while it is being waited on, its descriptor could be the next origin's before the waiting ends.
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._acceptor.join(PATIENCE)
        self._listener.close()
        for line in self._lines:
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._lines.append(line)
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        line.settimeout(PATIENCE)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with line, line.makefile("rb") as stream:
            try:
                while (message := read_head(stream, Request)) is not None:
                    if (message.value(b"Expect") or b"").lower() == b"100-continue":
                        line.sendall(bare(b"HTTP/1.1 100 Continue"))
                    read_body(stream, message, until_close=False)
                    self.requests.append(message)
                    if answer := self._handler(Exchange(message, line)):
                        line.sendall(answer)
            except (HangUp, OSError):
                return
            except BaseException as failure:
                self.failure = failure
                raise
