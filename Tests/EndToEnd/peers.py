"""Peers that misbehave on purpose: sockets that reset, stall or lie, TLS that cannot be trusted."""

import json
import re
import socket
import ssl
import struct
import subprocess
import threading

from origin import HangUp
from wire import PATIENCE, Answer, Request, Wire, read_body, read_head


class Line:
    """One accepted connection."""

    def __init__(self, line: socket.socket, peer: "Peer", index: int):
        self.socket = line
        self.stream = line.makefile("rb")
        self.index = index
        self._peer = peer

    def request(self) -> Request:
        """The next request; none left hangs up."""
        message = read_head(self.stream, Request)
        if message is None:
            raise HangUp
        read_body(self.stream, message, until_close=False)
        self._peer.requests.append(message)
        return message

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def reset(self):
        """Ends the connection with a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise HangUp

    def wait_for_close(self) -> None:
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionError:
            pass


class Peer:
    """A TCP listener that runs `script(line)` for every connection."""

    def __init__(self, script, tls: ssl.SSLContext | None = None, backlog: int = 1024):
        self._script, self._tls = script, tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self._lines: list[socket.socket] = []
        self.requests: list[Request] = []
        self.connections = 0
        self.failure: BaseException | None = None
        self.port = self._listener.getsockname()[1]
        self.authority = f"127.0.0.1:{self.port}"
        self.url = f"{'https' if tls else 'http'}://{self.authority}"
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def hits(self, target: bytes) -> int:
        return sum(request.target == target for request in self.requests)

    def stop(self) -> None:
        # Closed while it is being waited on, its descriptor could be the next listener's before the waiting ends.
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._acceptor.join(10)
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
            threading.Thread(target=self._serve, args=(line, self.connections - 1), daemon=True).start()

    def _serve(self, line: socket.socket, index: int) -> None:
        line.settimeout(PATIENCE)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self._tls:
                line = self._tls.wrap_socket(line, server_side=True, suppress_ragged_eofs=True)
            with line:
                script = Line(line, self, index)
                with script.stream:
                    self._script(script)
        except (HangUp, OSError):
            line.close()
        except BaseException as failure:
            self.failure = failure
            raise


def server_context(certificate, key) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def proxy_status(answer: Answer) -> str:
    """The error token of an answer that must be the proxy's own (RFC 9209), with problem details (RFC 9457)."""
    value = answer.value(b"Proxy-Status")
    assert value, f"no Proxy-Status in {answer.head!r}"
    form = re.fullmatch(rb'tapedeck; error=([a-z_]+); details="((?:[ !#-\[\]-~]|\\["\\])*)"', value)
    assert form, f"not a structured field: {value!r}"
    assert answer.value(b"Content-Type") == b"application/problem+json"
    problem = json.loads(answer.body)
    assert problem["status"] == answer.status
    assert problem["title"] and problem["detail"]
    return form[1].decode()


def heard_before_the_cut(url: str, target: bytes, *fields: bytes) -> tuple[Answer, bytes]:
    """An answer that must visibly break off, and the raw bytes behind its head."""
    with Wire(url) as wire:
        wire.ask(target, *fields)
        answer = wire.head()
        rest = b""
        try:
            while data := wire.stream.read1(65536):
                rest += data
        except ConnectionError:
            return answer, rest  # a reset says it clearly enough
        if answer.chunked:
            assert not rest.endswith(b"0\r\n\r\n"), f"a last chunk where the origin sent none: {rest[-80:]!r}"
        else:
            length = answer.value(b"Content-Length")
            assert length is not None, "a clean end, and no framing that could tell that something is missing"
            assert len(rest) < int(length)
        return answer, rest


def openssl(*arguments) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
