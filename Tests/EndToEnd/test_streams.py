"""Long and endless bodies: passed on as they come, never held in memory."""

import contextlib
import hashlib
import threading
import time

import pytest

from deck import interactions
from origin import CHUNKED_HEAD, LAST_CHUNK, HangUp, bare, chunk, reply
from wire import PATIENCE, Wire, fetch, request

MEBI = 1 << 20
BLOCK = bytes(range(256)) * 4096  # 1 MiB
GIB = 1024  # blocks
ROOM = 64  # MiB of memory the proxy may ever hold

PASSTHROUGH = ["serve", "--mode", "passthrough"]


def verb(name: str, origin, cassette) -> list:
    if name == "record":
        return ["record", "--upstream", origin.url, "--cassette", cassette, "--quiet"]
    return [*PASSTHROUGH, "--upstream", origin.url, "--quiet"]


both = pytest.mark.parametrize("mode", ["passthrough", "record"])


def block(number: int) -> bytes:
    """No two alike, so that none can be lost, doubled or swapped unseen."""
    return number.to_bytes(8, "big") + BLOCK[8:]


def send_gibibyte(exchange):
    exchange.send(bare(b"HTTP/1.1 200 OK", b"Content-Type: application/octet-stream", b"Content-Length: %d" % (GIB * MEBI)))
    for number in range(GIB):
        exchange.send(block(number))


def assert_gibibyte(url: str) -> None:
    with Wire(url) as wire:
        wire.ask(b"/gibibyte")
        assert int(wire.head().value(b"Content-Length")) == GIB * MEBI
        for number in range(GIB):
            assert wire.stream.read(MEBI) == block(number), f"block {number} differs"


@both
def test_a_gibibyte_passes_through_little_memory(start, origin, cassette, figure, mode):
    deck = start(*verb(mode, origin(send_gibibyte), cassette))
    began = time.monotonic()
    assert_gibibyte(deck.url)
    figure(f"1 GiB through {mode}", f"{time.monotonic() - began:.1f} s, {deck.mebibytes('VmHWM'):.1f} MiB at most")
    assert deck.mebibytes("VmHWM") < ROOM
    assert deck.stop() == 0
    if mode == "record":
        replayer = start("replay", "--cassette", cassette)
        assert_gibibyte(replayer.url)


@both
def test_events_arrive_one_by_one(start, origin, cassette, mode):
    """The origin sends the next event only once the last one has reached the client: lockstep, so no clocks."""
    reached = threading.Semaphore(0)

    def events(exchange):
        exchange.send(bare(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Transfer-Encoding: chunked"))
        for number in range(100):
            assert reached.acquire(timeout=PATIENCE)
            exchange.send(chunk(b"id: %d\ndata: tick\n\n" % number))
        exchange.send(LAST_CHUNK)

    deck = start(*verb(mode, origin(events), cassette))
    with Wire(deck.url) as wire:
        wire.ask(b"/events", b"Accept: text/event-stream")
        assert wire.head().status == 200  # before the first event was sent
        for number in range(100):
            reached.release()
            event = b""
            while not event.endswith(b"\n\n"):
                event += wire.chunk()
            assert event == b"id: %d\ndata: tick\n\n" % number
        assert wire.chunk() == b""


def test_a_replayed_stream_keeps_its_chunks(start, origin, cassette):
    pieces = [b"one", b"two" * 500, b"3", b"four\n" * 2000, b"the end"]
    reached = threading.Semaphore(0)

    def stream(exchange):
        exchange.send(CHUNKED_HEAD)
        for piece in pieces:
            assert reached.acquire(timeout=PATIENCE)
            exchange.send(chunk(piece))
        exchange.send(LAST_CHUNK)

    recorder = start("record", "--upstream", origin(stream).url, "--cassette", cassette)
    with Wire(recorder.url) as wire:
        wire.ask(b"/stream")
        assert wire.head().chunked
        for piece in pieces:
            reached.release()
            assert wire.chunk() == piece
        assert wire.chunk() == b""
    assert recorder.stop() == 0

    answer = fetch(start("replay", "--cassette", cassette).url, "/stream")
    assert answer.chunked
    assert answer.chunks == pieces


@both
@pytest.mark.parametrize("flow", ["idle", "flowing"])
def test_a_client_that_leaves_closes_the_upstream(start, origin, cassette, figure, mode, flow):
    closed = threading.Event()

    def endless(exchange):
        exchange.send(CHUNKED_HEAD + chunk(b"first"))
        if flow == "idle":
            exchange.wait_for_close()
        else:
            exchange.send_until_close(chunk(BLOCK))
        closed.set()
        raise HangUp

    deck = start(*verb(mode, origin(endless), cassette))
    with Wire(deck.url) as wire:
        wire.ask(b"/endless")
        wire.head()
        assert wire.chunk().startswith(b"first")
    left = time.monotonic()
    assert closed.wait(PATIENCE), "the upstream was never closed"
    figure(f"client gone to upstream closed, {mode}, {flow}", f"{(time.monotonic() - left) * 1000:.1f} ms")
    assert time.monotonic() - left < 1
    deck.stop()
    kept = list(interactions(cassette).values()) if cassette.exists() else []
    assert [each["response"].get("cut") for each in kept] == (["client"] if mode == "record" else [])


@both
@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_an_upload_arrives_whole(start, origin, cassette, figure, mode, framing):
    def digest(exchange):
        return reply(hashlib.sha256(exchange.request.body).hexdigest().encode())

    count = 100
    deck = start(*verb(mode, origin(digest), cassette))
    expected = hashlib.sha256()
    with Wire(deck.url) as wire:
        how = b"Content-Length: %d" % (count * MEBI) if framing == "length" else b"Transfer-Encoding: chunked"
        wire.send(request(b"/upload", b"Content-Type: application/octet-stream", how, method=b"POST", host=wire.authority))
        for number in range(count):
            expected.update(block(number))
        with contextlib.suppress(ConnectionError):  # refused midway, the answer says why
            for number in range(count):
                wire.send(block(number) if framing == "length" else chunk(block(number)))
            if framing == "chunked":
                wire.send(LAST_CHUNK)
        answer = wire.answer()
        assert (answer.status, answer.body.decode()) == (200, expected.hexdigest())
    figure(f"100 MiB upload, {mode}, {framing}", f"{deck.mebibytes('VmHWM'):.1f} MiB at most")
    assert deck.stop() == 0


@both
def test_a_slow_reader_holds_the_origin_back(start, origin, cassette, mode):
    """The client reads nothing until the origin finds that nobody takes its bytes any more."""
    held_back = threading.Event()
    sent = []
    total = 256 * MEBI

    def flood(exchange):
        exchange.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: %d" % total))
        left = total
        while left:
            if exchange.stalls(seconds=1):
                sent.append(total - left)
                held_back.set()
            left -= exchange.send_some(memoryview(BLOCK)[: min(left, len(BLOCK))])

    deck = start(*verb(mode, origin(flood), cassette))
    with Wire(deck.url) as wire:
        wire.ask(b"/flood")
        assert held_back.wait(PATIENCE), "the origin could send everything to a client that reads nothing"
        assert sent[0] < ROOM * MEBI
        assert wire.head().status == 200
        received = 0
        while received < total:
            data = wire.stream.read(min(MEBI, total - received))
            assert data, f"cut off after {received} bytes"
            received += len(data)
    assert deck.mebibytes("VmHWM") < ROOM


def test_an_answer_cut_short_is_passed_on_as_cut_and_not_recorded(start, origin, cassette):
    def cut(exchange):
        exchange.send(CHUNKED_HEAD + chunk(b"half"))
        raise HangUp

    deck = start("record", "--upstream", origin(cut).url, "--cassette", cassette)
    with pytest.raises(ConnectionError):
        fetch(deck.url, "/cut")
    deck.stop()
    assert interactions(cassette) == {}
