"""Connections to the origin: whose they are, how long they live, and who gives them back."""

import os
import socket
import threading
import time

import pytest

from deck import eventually, interactions
from failing import descriptors
from origin import CHUNKED_HEAD, LAST_CHUNK, Origin, bare, chunk, reply
from peers import proxy_status
from wire import PATIENCE, Wire, fetch, request

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
# libcurl calls a connection too old after 118 s.
STREAM_SECONDS = 132 if LONG else 3
CLOSING_RESPONSES = 200_000 if LONG else 5_000


# Whose they are


def slow_origin(line):
    """/stream and /body take their time, piece by piece; everything else is answered at once, and closed."""
    target = line.request().target
    pieces = STREAM_SECONDS * 2
    if target == b"/stream":
        line.send(bare(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Transfer-Encoding: chunked"))
        for number in range(pieces):
            line.send(chunk(b"data: %d\n\n" % number))
            time.sleep(0.5)
        line.send(LAST_CHUNK)
    elif target == b"/body":
        line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: %d" % (pieces * 1000)))
        for _ in range(pieces):
            line.send(b"x" * 1000)
            time.sleep(0.5)
    else:
        line.send(reply(b"quick", b"Connection: close"))


def test_a_stream_and_a_slow_body_outlive_the_connections_that_open_meanwhile(peer, start, cassette):
    upstream = peer(slow_origin)
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette, "--threads", "1")
    heard = {}

    def listen(target):
        with Wire(deck.url) as wire:
            wire.socket.settimeout(STREAM_SECONDS + PATIENCE)
            wire.ask(target)
            heard[target] = wire.answer().body

    listeners = [threading.Thread(target=listen, args=(target,), daemon=True) for target in (b"/stream", b"/body")]
    for listener in listeners:
        listener.start()
    quick = 0
    while any(listener.is_alive() for listener in listeners):
        assert fetch(deck.url, "/quick").body == b"quick"
        quick += 1
        time.sleep(0.05)
    assert heard[b"/stream"] == b"".join(b"data: %d\n\n" % number for number in range(STREAM_SECONDS * 2))
    assert heard[b"/body"] == b"x" * (STREAM_SECONDS * 2000)
    assert upstream.connections == quick + 2
    assert deck.stop() == 0


class ClosingOrigin:
    """Answers each request as its target says, and closes."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(16)]
        for thread in self._threads:
            thread.start()

    def _serve(self):
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            try:
                asked = b""
                while b"\r\n\r\n" not in asked:
                    asked += line.recv(4096) or b"\r\n\r\n"
                _, _, kind, count = asked.split(b" ", 2)[1].split(b"/")[:4]
                line.sendall(self._answer(kind, int(count)))
            except (OSError, ValueError):
                pass
            finally:
                line.close()

    @staticmethod
    def _answer(kind, count):
        body = b"y" * count
        if kind == b"close":
            return bare(b"HTTP/1.1 200 OK", body=body)
        if kind == b"chunks":
            return CHUNKED_HEAD + (chunk(body) if body else b"") + LAST_CHUNK
        return reply(body)

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._listener.close()


def test_no_response_of_an_origin_that_closes_is_cut_or_hangs(start):
    origin = ClosingOrigin()
    deck = start("serve", "--upstream", origin.url, "--mode", "passthrough", "--threads", "1", "--quiet")
    numbers, failures = iter(range(CLOSING_RESPONSES)), []
    lock = threading.Lock()

    def ask_on():
        with Wire(deck.url) as wire:
            while not failures:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                count = number * 37 % 20_000
                try:
                    wire.ask(b"/x/%s/%d/%d" % ([b"length", b"chunks", b"close"][number % 3], count, number))
                    if len(wire.answer().body) != count:
                        failures.append(f"{number}: cut")
                except Exception as error:
                    failures.append(f"{number}: {error!r}")

    clients = [threading.Thread(target=ask_on, daemon=True) for _ in range(64)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    origin.stop()
    assert not failures


@pytest.mark.parametrize("method, answer", [
    (b"HEAD", bare(b"HTTP/1.1 200 OK", b"Content-Length: 500")),
    (b"GET", bare(b"HTTP/1.1 204 No Content")),
    (b"GET", bare(b"HTTP/1.1 304 Not Modified", b"ETag: x")),
    (b"GET", reply(b"")),
], ids=["HEAD", "204", "304", "empty"])
def test_a_connection_serves_again_after_a_response_without_body(recording, method, answer):
    upstream, deck = recording(lambda exchange: answer, "--threads", "1")
    for number in range(5):
        fetch(deck.url, f"/{number}", method=method)
    assert (len(upstream.requests), upstream.connections) == (5, 1)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_b35_a_late_body_of_a_response_to_head_is_no_response(peer, start, cassette, moment):
    idle, sent = threading.Event(), threading.Event()

    def script(line):
        if line.request().method != b"HEAD":
            return line.send(reply(b"mine"))
        line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 5"))
        if moment == "before":
            assert idle.wait(PATIENCE)
        else:
            line.request()
        line.send(b"stray")
        sent.set()
        line.wait_for_close()

    deck = start("record", "--upstream", peer(script).url, "--cassette", cassette, "--threads", "1")
    with Wire(deck.url) as wire:
        wire.ask(b"/1", method=b"HEAD")
        assert wire.answer(b"HEAD").status == 200
        idle.set()
        if moment == "before":
            assert sent.wait(PATIENCE)
        wire.ask(b"/2")
        assert wire.answer().body == b"mine"
    assert deck.stop() == 0
    bodies = {each["request"]["method"]: each["response"].get("body") for each in interactions(cassette).values()}
    assert bodies["HEAD"] is None and "mine" in str(bodies["GET"])


@pytest.mark.parametrize("verb", ["record", "serve"])
def test_a_client_keeps_its_connection_through_all_its_requests(start, cassette, verb):
    with Origin(lambda exchange: reply(exchange.request.target)) as origin:
        options = ["--cassette", cassette] if verb == "record" else []
        deck = start(verb, "--upstream", origin.url, *options)
        with Wire(deck.url) as wire:
            for number in range(20):
                wire.ask(b"/%d" % number, method=b"POST", body=b"x" * 1000)
                answer = wire.answer()
                assert (answer.body, answer.value(b"Connection")) == (b"/%d" % number, None)
            for number in range(20):
                wire.ask(b"/pipelined/%d" % number)
            assert [wire.answer().body for _ in range(20)] == [b"/pipelined/%d" % number for number in range(20)]


# Who gives them back


@pytest.mark.parametrize("leaves", ["closing", "with a reset"])
def test_clients_that_left_a_stalled_origin_give_their_places_back(peer, start, leaves):
    def script(line):
        if line.request().target == b"/quick":
            return line.send(reply(b"quick"))
        line.wait_for_close()

    upstream = peer(script)
    deck = start(
        "serve", "--upstream", upstream.url, "--mode", "passthrough", "--threads", "1",
        "--max-upstream-connections", "20", "--connect-timeout", "30")
    base = len(descriptors(deck))
    clients = [socket.create_connection(("127.0.0.1", int(deck.url.rsplit(":", 1)[1]))) for _ in range(60)]
    for client in clients:
        client.sendall(request(b"/stalled"))
    eventually(lambda: upstream.hits(b"/stalled") == 20, "all places taken")
    for client in clients:
        if leaves == "with a reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
    # One place each in the line was free before the next took it: at most those who wait were asked for, too.
    eventually(lambda: len(descriptors(deck)) == base, "all descriptors given back", 5)
    assert fetch(deck.url, "/quick").body == b"quick"


def test_a_half_closed_client_of_a_slow_origin_is_still_answered(peer, start):
    waits = threading.Event()

    def script(line):
        line.request()
        assert waits.wait(PATIENCE)
        line.send(reply(b"at last"))

    deck = start("serve", "--upstream", peer(script).url, "--mode", "passthrough")
    with Wire(deck.url) as wire:
        wire.ask(b"/slow")
        wire.socket.shutdown(socket.SHUT_WR)
        # An interim response asks whether it is still there.
        assert wire.head().status == 100
        waits.set()
        assert wire.answer().body == b"at last"
        assert wire.is_closed()


# What is said of them


@pytest.mark.parametrize("option, data, token", [
    ("--first-byte-timeout", b"", "http_response_timeout"),
    ("--connect-timeout", None, "connection_timeout"),
], ids=["first byte", "connect"])
def test_a_timeout_names_its_option(peer, start, option, data, token):
    upstream = peer(lambda line: line.wait_for_close())
    # A handshake that stalls is a connection that is not made.
    url = upstream.url if data is not None else f"https://127.0.0.1:{upstream.port}"
    deck = start("serve", "--upstream", url, "--mode", "passthrough", option, "1")
    heard = fetch(deck.url, "/row")
    assert proxy_status(heard) == token
    assert f"1 s ({option})" in heard.body.decode()
