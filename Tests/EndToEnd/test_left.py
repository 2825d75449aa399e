"""Streams that the client left are kept, marked as cut; replayed, they stay open where they were cut."""

import json
import select
import signal
import socket
import struct
import threading
import time

import pytest

from deck import eventually, interactions, journal, log_lines, run
from origin import CHUNKED_HEAD, HangUp, bare, chunk, reply
from wire import Wire, fetch

EVENTS = [b"id: %d\ndata: tick\n\n" % number for number in range(3)]
EVENT_HEAD = bare(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Transfer-Encoding: chunked")


def stream(pieces, head=EVENT_HEAD, after=None):
    """An origin's endless stream, of which only these pieces come."""

    def handler(exchange):
        exchange.send(head)
        for piece in pieces:
            exchange.send(chunk(piece))
        if after:
            after(exchange)
        exchange.wait_for_close()
        raise HangUp

    return handler


def read_and_leave(url, target, count):
    with Wire(url) as wire:
        wire.ask(target)
        assert wire.head().status == 200
        return [wire.chunk() for _ in range(count)]


def is_silent(wire, seconds=0.3):
    """Whether the connection is open and nothing comes."""
    return not select.select([wire.socket], [], [], seconds)[0]


def in_journal(cassette, count):
    eventually(lambda: journal(cassette).read_bytes().count(b"\n") > count, f"{count} lines in the journal")


def test_an_event_source_that_left_was_not_recorded(recording, start, cassette):
    _, deck = recording(stream(EVENTS))
    assert read_and_leave(deck.url, b"/events", 3) == EVENTS
    in_journal(cassette, 1)
    assert deck.stop() == 0
    assert "1 recorded" in deck.stderr and "failed" not in deck.stderr
    [each] = interactions(cassette).values()
    assert each["response"]["cut"] == "client" and "closeDelimited" not in each["response"]
    assert json.loads((cassette / "cassette.json").read_bytes())["tapedeck"] == 2
    assert "cut here: the client left" in run("show", cassette).stdout

    replay = start("replay", "--cassette", cassette)
    with Wire(replay.url) as wire:
        wire.ask(b"/events")
        assert wire.head().chunked
        assert [wire.chunk() for _ in EVENTS] == EVENTS
        assert is_silent(wire)
        began = time.monotonic()
        assert replay.stop() == 0
        assert time.monotonic() - began < 5, "a stream with nothing more to say is not waited for"


def test_on_cut_close_ends_the_body_properly(recording, start, cassette):
    _, deck = recording(stream(EVENTS))
    read_and_leave(deck.url, b"/events", 3)
    in_journal(cassette, 1)
    deck.stop()
    for options in (), ("--pace", "100x"):
        answer = fetch(start("replay", "--cassette", cassette, "--on-cut", "close", *options).url, "/events")
        assert answer.chunks == EVENTS
    assert run("replay", "--cassette", cassette, "--on-cut", "maybe").returncode == 2


def test_a_watch_that_is_left_and_opened_again(recording, start, cassette):
    """As `kubectl -w` and etcd's JSON gateway have it: the same request twice, other events each time."""
    numbers = iter(range(100))

    def watch(exchange):
        number = next(numbers)
        return stream([b'{"result":{"revision":%d' % number, b',"events":[]}}\n'], CHUNKED_HEAD)(exchange)

    _, deck = recording(watch)
    ask = b'{"create_request":{"key":"Zm9v"}}'
    heard = []
    for count in (1, 2):
        with Wire(deck.url) as wire:
            wire.ask(b"/v3/watch", b"Content-Type: application/json", method=b"POST", body=ask)
            wire.head()
            heard.append([wire.chunk(), wire.chunk()])
        in_journal(cassette, count)
    assert deck.stop() == 0
    kept = interactions(cassette)
    assert len(kept) == 2 and any(name.endswith(".2.json") for name in kept)
    replay = start("replay", "--cassette", cassette)
    for chunks in heard:
        with Wire(replay.url) as wire:
            wire.ask(b"/v3/watch", b"Content-Type: application/json", method=b"POST", body=ask)
            wire.head()
            assert [wire.chunk(), wire.chunk()] == chunks
            assert is_silent(wire)


def test_a_slow_reader_that_disconnects(recording, cassette):
    block = bytes(range(256)) * 256
    held_back = threading.Event()

    def flood(exchange):
        exchange.send(CHUNKED_HEAD)
        while not exchange.stalls(seconds=0.5):
            exchange.send(chunk(block))
        held_back.set()
        exchange.send_until_close(chunk(block))
        raise HangUp

    _, deck = recording(flood)
    with Wire(deck.url) as wire:
        wire.ask(b"/flood")
        assert wire.head().status == 200
        assert held_back.wait(30)
    in_journal(cassette, 1)
    assert deck.stop() == 0
    [each] = interactions(cassette).values()
    assert each["response"]["cut"] == "client" and each["response"]["body"]["size"] >= len(block)


def test_a_close_delimited_stream_that_was_left(recording, start, cassette):
    def handler(exchange):
        exchange.send(bare(b"HTTP/1.1 200 OK", b"Content-Type: text/plain") + b"line 1\n")
        exchange.wait_for_close()
        raise HangUp

    _, deck = recording(handler)
    assert read_and_leave(deck.url, b"/log", 1) == [b"line 1\n"]
    in_journal(cassette, 1)
    assert deck.stop() == 0
    replay = start("replay", "--cassette", cassette)
    with Wire(replay.url) as wire:
        wire.ask(b"/log")
        wire.head()
        assert wire.chunk() == b"line 1\n" and is_silent(wire)
    with Wire(replay.url) as wire:
        wire.send(b"GET /log HTTP/1.0\r\n\r\n")
        wire.head()
        assert wire.stream.read(7) == b"line 1\n" and is_silent(wire)


def test_a_kill_after_the_client_left_loses_nothing(recording, start, cassette):
    _, deck = recording(stream(EVENTS))
    read_and_leave(deck.url, b"/events", 3)
    in_journal(cassette, 1)
    deck.kill()
    with Wire(start("replay", "--cassette", cassette).url) as wire:
        wire.ask(b"/events")
        wire.head()
        assert [wire.chunk() for _ in EVENTS] == EVENTS and is_silent(wire)


def test_a_stream_that_the_end_of_the_recording_cut_is_kept(recording, cassette):
    _, deck = recording(stream(EVENTS))
    with Wire(deck.url) as wire:
        wire.ask(b"/events")
        wire.head()
        assert [wire.chunk() for _ in EVENTS] == EVENTS
        assert deck.stop(signal.SIGTERM) == 0
    [each] = interactions(cassette).values()
    assert each["response"]["cut"] == "client"


def test_a_download_that_was_left_is_told_and_not_recorded(recording, cassette):
    def download(exchange):
        exchange.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 1000000") + b"x" * 1000)
        exchange.wait_for_close()
        raise HangUp

    _, deck = recording(download)
    for _ in range(2):
        with Wire(deck.url) as wire:
            wire.ask(b"/download")
            wire.head()
            assert wire.stream.read(1000) == b"x" * 1000
    eventually(lambda: len(log_lines(deck, "GET /download 200")) == 2, "both logged")
    deck.stop()
    assert len(log_lines(deck, "GET /download is not recorded: the client left before")) == 1
    assert "2 left by the client" in deck.stderr
    assert not cassette.exists() or interactions(cassette) == {}


@pytest.mark.parametrize("head", [b"", CHUNKED_HEAD])
def test_a_client_that_left_before_a_body_began_is_told_and_not_recorded(recording, cassette, head):
    reached = threading.Event()

    def silent(exchange):
        exchange.send(head)
        reached.set()
        exchange.wait_for_close()
        raise HangUp

    _, deck = recording(silent)
    with Wire(deck.url) as wire:
        wire.ask(b"/silent")
        assert reached.wait(30)
        if head:
            wire.head()
        # A FIN before the head may be that of a client that still waits; a reset is not.
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    eventually(lambda: log_lines(deck, "GET /silent is not recorded"), "told")
    deck.stop()
    assert "1 left by the client" in deck.stderr
    assert not cassette.exists() or interactions(cassette) == {}


def test_what_a_fault_cuts_is_no_stream_that_the_client_left(start, origin, cassette, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"faults": [{"path": "/events", "type": "limit_data", "bytes": 5}]}))
    deck = start(
        "record", "--upstream", origin(stream(EVENTS)).url, "--cassette", cassette, "--overrides", rules)
    with pytest.raises(ConnectionError):
        fetch(deck.url, "/events")
    deck.stop()
    assert not cassette.exists() or interactions(cassette) == {}


def test_the_timing_of_a_stream_that_was_left_holds(recording, start, cassette):
    def handler(exchange):
        exchange.send(EVENT_HEAD + chunk(EVENTS[0]))
        time.sleep(0.4)
        exchange.send(chunk(EVENTS[1]))
        exchange.wait_for_close()
        raise HangUp

    _, deck = recording(handler)
    read_and_leave(deck.url, b"/events", 2)
    in_journal(cassette, 1)
    deck.stop()
    with Wire(start("replay", "--cassette", cassette, "--pace", "recorded").url) as wire:
        wire.ask(b"/events")
        wire.head()
        assert wire.chunk() == EVENTS[0]
        began = time.monotonic()
        assert wire.chunk() == EVENTS[1]
        assert time.monotonic() - began > 0.2
        assert is_silent(wire)


def test_secrets_in_a_body_that_was_cut_are_hidden(recording, cassette):
    secret = b"9f8e7d6c5b4a39281706"
    head = bare(b"HTTP/1.1 200 OK", b"Content-Type: application/json", b"Transfer-Encoding: chunked")
    _, deck = recording(stream([b'{"access_token": "%s", "items": [' % secret], head))
    read_and_leave(deck.url, b"/token", 1)
    in_journal(cassette, 1)
    assert secret not in journal(cassette).read_bytes()
    assert deck.stop() == 0
    for path in cassette.rglob("*"):
        assert path.is_dir() or secret not in path.read_bytes()
    assert run("scan", cassette).returncode == 0


def test_a_patch_of_a_stream_without_an_end_does_not_hang(recording, start, cassette, tmp_path):
    _, deck = recording(stream([b'{"a":1}\n'], CHUNKED_HEAD))
    read_and_leave(deck.url, b"/watch", 1)
    in_journal(cassette, 1)
    deck.stop()
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"patches": [{"path": "/watch", "json": [{"set": "$.a", "value": 2}]}]}))
    replay = start("replay", "--cassette", cassette, "--overrides", rules)
    with Wire(replay.url) as wire:
        wire.ask(b"/watch")
        wire.head()
        assert wire.chunk() == b'{"a":1}\n' and is_silent(wire)
