"""Everything at once: an origin that closes, streams and dawdles, and clients that ask, read slowly, break off, or leave.

One event loop plays both. Every request carries a token that no other has; what comes back must hold that token and no
other. A request that takes longer than `PATIENCE` has hung.
"""

import asyncio
import itertools
import random
import re

PATIENCE = 25
EVENTS = 12
LARGE = 300_000
KINDS = ["kept", "closing", "until-close", "chunked-closing", "half-second", "stream", "large", "posted", "overridden"]
LEAVING = ["endless", "large", "stream", "half-head", "half-body", "nothing"]


def body_of(kind: str, token: str) -> bytes:
    """What the origin says to a request, whole."""
    match kind:
        case "stream":
            return b"".join(b"data: %d %s\n\n" % (number, token.encode()) for number in range(EVENTS))
        case "large":
            return (token.encode() + b"|") * (LARGE // (len(token) + 1))
        case _:
            return f'{{"token": "{token}"}}'.encode()


class TurmoilOrigin:
    """Closes after some responses, ends others by closing, streams slowly, and keeps what it may."""

    async def start(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self._writers = set()
        return self

    async def stop(self):
        self._server.close()
        for writer in list(self._writers):
            writer.close()

    async def _serve(self, reader, writer):
        self._writers.add(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if length := re.search(rb"\r\nContent-Length: (\d+)", head, re.I):
                    await reader.readexactly(int(length[1]))
                kind, token = head.split(b" ")[1].decode().split("?")[0].strip("/").split("/")
                if await self._respond(writer, kind, token):
                    break
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _respond(self, writer, kind, token) -> bool:
        """Whether the connection ends with this response."""
        body = body_of(kind, token)
        head = b"HTTP/1.1 200 OK\r\nX-Token: %s\r\n" % token.encode()
        if kind in ("stream", "endless", "chunked-closing"):
            closing = b"Connection: close\r\n" if kind == "chunked-closing" else b""
            writer.write(head + closing + b"Transfer-Encoding: chunked\r\n\r\n")
            events = (b"data: %d %s\n\n" % (number, token.encode()) for number in itertools.count())
            for event in [body] if kind == "chunked-closing" else itertools.islice(events, EVENTS if kind == "stream" else 10_000):
                writer.write(b"%x\r\n%s\r\n" % (len(event), event))
                await writer.drain()
                await asyncio.sleep(0.01)
            writer.write(b"0\r\n\r\n")
        elif kind == "until-close":
            writer.write(head + b"Connection: close\r\n\r\n" + body)
        else:
            if kind == "half-second":
                await asyncio.sleep(0.5)
            closing = b"Connection: close\r\n" if kind == "closing" else b""
            writer.write(head + closing + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        return kind in ("closing", "until-close", "chunked-closing")


class Clients:
    """Workers that ask until it is time; what went wrong, by name."""

    def __init__(self, port: int, seed: int, recorded: list[tuple[str, str]] | None = None):
        self._port, self._random, self._recorded = port, random.Random(seed), recorded
        self._numbers = itertools.count()
        self._seed = seed
        self.asked = self.left = self.overridden = 0
        self.hung, self.crossed, self.wrong = [], [], []

    async def run(self, workers: int, until: float) -> None:
        await asyncio.gather(*(self._work(until) for _ in range(workers)))

    async def _work(self, until):
        line = None
        while asyncio.get_running_loop().time() < until:
            if self._random.random() < 0.15:
                await self._leave(self._random.choice(LEAVING))
                continue
            kind, token = self._next()
            try:
                line = await asyncio.wait_for(self._ask(line, kind, token), PATIENCE)
            except asyncio.TimeoutError:
                self.hung.append((kind, token))
                line = None
            except (OSError, asyncio.IncompleteReadError) as error:
                self.wrong.append((kind, token, repr(error)))
                line = None
        if line:
            line[1].close()

    def _next(self):
        if self._recorded:
            return self._random.choice(self._recorded)
        return self._random.choice(KINDS), f"t{self._seed}x{next(self._numbers)}"

    async def _ask(self, line, kind, token):
        """Asks on this connection, or on a new one; returns it if it can be used again."""
        reader, writer = line or await asyncio.open_connection("127.0.0.1", self._port)
        method, body = ("POST", f'{{"n": "{token}"}}') if kind == "posted" else ("GET", "")
        writer.write(f"{method} /{kind}/{token} HTTP/1.1\r\nHost: soak\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, got = int(head.split(" ")[1]), await self._body(reader, head)
        self._judge(kind, token, status, head, got)
        self.asked += 1
        if "connection: close" in head.lower() or self._random.random() < 0.1:
            writer.close()
            return None
        return reader, writer

    @staticmethod
    async def _body(reader, head) -> bytes:
        if length := re.search(r"\r\ncontent-length: (\d+)", head, re.I):
            return await reader.readexactly(int(length[1]))
        if "transfer-encoding: chunked" not in head.lower():
            return await reader.read()
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        while (await reader.readline()).strip():
            pass
        return body

    def _judge(self, kind, token, status, head, got):
        if status == 418 and kind == "overridden":
            self.overridden += 1
        elif token not in head + got.decode("latin-1"):
            (self.crossed if '"token"' in got.decode("latin-1") else self.wrong).append((kind, token, status, got[:200]))
        elif status != 200 or got != body_of(kind, token):
            self.wrong.append((kind, token, status, len(got), got[:200]))

    async def _leave(self, how):
        """A client that goes away: before a word, inside a head, inside a body, inside the response."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            token = f"gone{self._seed}x{next(self._numbers)}"
            writer.write({
                "nothing": b"", "half-head": b"GET /kept/x HT",
                "half-body": b"POST /posted/x HTTP/1.1\r\nHost: s\r\nContent-Length: 100\r\n\r\nhalf",
            }.get(how, f"GET /{how}/{token} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()))
            if how in ("endless", "stream", "large"):
                await asyncio.wait_for(reader.read(300), PATIENCE)
            if self._random.random() < 0.5:
                writer.transport.abort()
            else:
                writer.close()
            self.left += 1
        except asyncio.TimeoutError:
            self.hung.append((how, "leaving"))
        except OSError:
            pass
