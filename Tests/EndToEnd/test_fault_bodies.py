"""Bodies that break off, stall, drip or never end (F15 to F25), and clients that leave or do not read."""

import os
import socket
import threading

import pytest

from deck import eventually, interactions, log_lines, run
from failing import MEBI, assert_fails, assert_nothing_recorded, takes, takes_at_most
from origin import CHUNKED_HEAD, LAST_CHUNK, HangUp, bare, chunk, reply
from peers import heard_before_the_cut
from wire import PATIENCE, Wire, fetch


SSE = bare(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Transfer-Encoding: chunked")


# The body

LENGTH_HEAD = bare(b"HTTP/1.1 200 OK", b"Content-Length: 100")
CLOSE_HEAD = bare(b"HTTP/1.1 200 OK")


def cuts(cassette):
    """Who left each of the streams that were recorded."""
    return [each["response"]["cut"] for each in interactions(cassette).values()]


@pytest.mark.parametrize("ending", ["FIN", "RST"])
@pytest.mark.parametrize("head, piece", [
    pytest.param(LENGTH_HEAD, b"some", id="F15 length"),
    pytest.param(CHUNKED_HEAD, chunk(b"some"), id="F16 chunked"),
    pytest.param(CLOSE_HEAD, b"some", id="F17 until close"),
])
def test_f15_f16_f17_a_body_that_breaks_off_is_seen_to(record, peer, cassette, head, piece, ending):
    if head is CLOSE_HEAD and ending == "FIN":
        pytest.skip("FIN is how such a body ends (B20)")
    heard = threading.Event()

    def script(line):
        line.request()
        line.send(head + piece)
        assert heard.wait(PATIENCE)
        if ending == "RST":
            line.reset()
        raise HangUp

    deck = record(peer(script).url)
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        answer = wire.head()
        assert answer.status == 200
        if answer.chunked:
            assert wire.chunk() == b"some"
        else:
            assert wire.stream.read(4) == b"some"
        heard.set()
        assert wire.is_closed()
    assert_nothing_recorded(deck, cassette)


def test_f17_an_http_1_0_client_sees_a_reset(record, peer, cassette):
    heard = threading.Event()

    def script(line):
        line.request()
        line.send(CLOSE_HEAD + b"some")
        assert heard.wait(PATIENCE)
        line.reset()

    deck = record(peer(script).url)
    with Wire(deck.url) as wire:
        wire.send(b"GET /row HTTP/1.0\r\n\r\n")
        wire.head()
        assert wire.stream.read(4) == b"some"
        heard.set()
        with pytest.raises(ConnectionResetError):
            wire.stream.read(1)
    assert_nothing_recorded(deck, cassette)


@pytest.mark.parametrize("head, piece", [(LENGTH_HEAD, b"some"), (CHUNKED_HEAD, chunk(b"some")), (CLOSE_HEAD, b"some")])
def test_f18_a_body_that_stalls_is_cut(record, peer, cassette, head, piece):
    def script(line):
        line.request()
        line.send(head + piece)
        line.wait_for_close()

    deck = record(peer(script).url, "--read-timeout", "0.4")
    with takes(0.4):
        heard_before_the_cut(deck.url, b"/row")
    assert_nothing_recorded(deck, cassette)


def test_f19_a_dripping_body_passes_byte_by_byte(record, peer, cassette):
    """Longer as a whole than the read timeout, each byte within it."""

    def script(line):
        line.request()
        line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 6"))
        for byte in b"dripps":
            threading.Event().wait(0.2)
            line.send(bytes([byte]))

    deck = record(peer(script).url, "--read-timeout", "0.5")
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        wire.head()
        for byte in b"dripp":
            assert wire.stream.read(1) == bytes([byte])
        assert wire.stream.read(1) == b"s"
    assert_nothing_recorded(deck, cassette, "/row")


def test_f20_an_endless_body_passes_unrecorded(record, origin, cassette, figure):
    closed = threading.Event()

    def serve(exchange):
        if exchange.request.target == b"/small":
            return reply(b"small")
        exchange.send(CHUNKED_HEAD)
        exchange.send_until_close(chunk(b"x" * 65536))
        closed.set()
        raise HangUp

    deck = record(origin(serve).url, "--max-record-body", "1")
    with Wire(deck.url) as wire:
        wire.ask(b"/endless")
        wire.head()
        for _ in range(64 * MEBI // 65536):
            assert wire.chunk()
        figure("64 MiB of an endless body, --max-record-body 1", f"{deck.mebibytes('VmHWM'):.1f} MiB at most")
        assert deck.mebibytes("VmHWM") < 64
        assert sum(path.stat().st_size for path in cassette.iterdir()) < MEBI
    assert closed.wait(PATIENCE)
    assert fetch(deck.url, "/small").body == b"small"
    assert_nothing_recorded(deck, cassette, "/small")


@pytest.mark.parametrize("framing", ["length", "chunked", "until close"])
def test_f20_an_answer_too_large_to_record_arrives_whole(record, peer, cassette, framing):
    body = os.urandom(MEBI + 1)
    heads = {"length": bare(b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body)), "chunked": CHUNKED_HEAD, "until close": CLOSE_HEAD}

    def script(line):
        size = MEBI if line.request().target == b"/fits" else len(body)
        head = heads[framing].replace(b"%d" % len(body), b"%d" % size)
        line.send(head + (chunk(body[:size]) + LAST_CHUNK if framing == "chunked" else body[:size]))
        raise HangUp

    deck = record(peer(script).url, "--max-record-body", "1")
    for _ in range(2):
        assert fetch(deck.url, "/large").body == body
    assert fetch(deck.url, "/fits").body == body[:MEBI]
    assert_nothing_recorded(deck, cassette, "/fits")
    assert len(log_lines(deck, "too large to be recorded")) == 1
    assert log_lines(deck, "1 recorded", "2 too large to record")


def test_f20_an_answer_in_too_many_chunks_arrives_whole(record, peer, cassette):
    count = (1 << 20) + 1

    def script(line):
        line.request()
        line.send(CHUNKED_HEAD + b"1\r\nx\r\n" * count + LAST_CHUNK)

    deck = record(peer(script).url)
    assert fetch(deck.url, "/row").body == b"x" * count
    assert_nothing_recorded(deck, cassette)
    assert log_lines(deck, "1 too large to record")


def test_f22_an_event_stream_may_rest_and_ends_with_its_client(record, peer, cassette):
    closed = threading.Event()

    def script(line):
        line.request()
        line.send(SSE + chunk(b"data: 1\n\n"))
        assert not closed.wait(0.6)  # three times the read timeout
        line.send(chunk(b"data: 2\n\n"))
        line.wait_for_close()
        closed.set()

    deck = record(peer(script).url, "--read-timeout", "0.2")
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        wire.head()
        assert wire.chunk() == b"data: 1\n\n"
        assert wire.chunk() == b"data: 2\n\n"
    with takes_at_most(1):
        assert closed.wait(PATIENCE)
    assert deck.stop() == 0
    assert cuts(cassette) == ["client"]


@pytest.mark.parametrize("leaving", ["FIN", "RST"])
def test_f23_a_client_that_leaves_ends_the_transfer(record, origin, cassette, leaving):
    closed = threading.Event()

    def flood(exchange):
        exchange.send(LENGTH_HEAD.replace(b"100", b"10000000000"))
        exchange.send_until_close(b"x" * MEBI)
        closed.set()
        raise HangUp

    deck = record(origin(flood).url)
    wire = Wire(deck.url)
    wire.ask(b"/row")
    assert wire.stream.read(MEBI)
    if leaving == "RST":
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    wire.close()
    with takes_at_most(1):
        assert closed.wait(PATIENCE)
    assert_nothing_recorded(deck, cassette)


def test_f24_a_client_that_never_reads_costs_little(record, origin, cassette, figure):
    stalled = threading.Semaphore(0)

    def flood(exchange):
        exchange.send(CHUNKED_HEAD)
        while not exchange.stalls(0.5):
            exchange.send_some(chunk(b"x" * 65536))
        stalled.release()
        exchange.wait_for_close()
        raise HangUp

    deck = record(origin(flood).url)
    wires = [Wire(deck.url) for _ in range(50)]
    before = deck.mebibytes("VmRSS")
    for wire in wires:
        wire.ask(b"/row")
    for _ in wires:
        assert stalled.acquire(timeout=PATIENCE)
    figure("50 clients that never read a flood", f"{deck.mebibytes('VmHWM') - before:.1f} MiB")
    assert deck.mebibytes("VmHWM") - before < 100
    for wire in wires:
        wire.close()
    assert deck.stop() == 0
    assert cuts(cassette) == ["client"] * 50


def test_f25_an_origin_that_stops_reading_is_504(record, peer, cassette):
    done = threading.Event()
    deck = record(peer(lambda line: done.wait(PATIENCE)).url, "--first-byte-timeout", "0.4")
    assert_fails(deck, 504, "connection_write_timeout", method=b"POST", body=bytes(32 * MEBI))
    done.set()
    assert_nothing_recorded(deck, cassette)


# Limits


@pytest.mark.parametrize("option", ["--connect-timeout", "--first-byte-timeout", "--read-timeout"])
@pytest.mark.parametrize("value", ["0", "-1", "1e3", "1.", ".5", "1,5", "ten", "86401", "nan", "+1", "0.0001"])
def test_a_timeout_that_is_no_time_is_refused(cassette, option, value):
    done = run("record", "--upstream", "http://127.0.0.1:1", "--cassette", cassette, f"{option}={value}")
    assert done.returncode == 2
    assert f"{option} takes seconds" in done.stderr
    assert not cassette.exists()


def test_exchanges_beyond_the_limit_wait_for_their_turn(record, peer, cassette):
    release = threading.Event()

    def script(line):
        line.request()
        assert release.wait(PATIENCE)
        line.send(reply(b"here"))

    upstream = peer(script)
    deck = record(
        upstream.url, "--threads", "1", "--max-upstream-connections", "2", "--connect-timeout", "0.4")
    holders = [Wire(deck.url), Wire(deck.url)]
    for number, wire in enumerate(holders):
        wire.ask(b"/held-%d" % number)
    eventually(lambda: len(upstream.requests) == 2, "both connections are taken")
    with takes(0.4):
        assert_fails(deck, 503, "connection_limit_reached")
    with Wire(deck.url) as waiting:
        waiting.ask(b"/waited")
        release.set()
        assert waiting.answer().body == b"here"
    for wire in holders:
        assert wire.answer().body == b"here"
        wire.close()
    assert_nothing_recorded(deck, cassette, "/held-0", "/held-1", "/waited")
