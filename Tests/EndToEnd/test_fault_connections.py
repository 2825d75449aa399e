"""Connections that die in the pool (F30), answers that look like faults and are not (F27, F28), all at once (F35)."""

import threading
import time

import pytest

from deck import eventually
from failing import assert_nothing_recorded, descriptors, targets
from origin import CHUNKED_HEAD, LAST_CHUNK, HangUp, bare, chunk, reply
from peers import proxy_status
from wire import PATIENCE, Wire, fetch


# What is not a fault, and must be left alone


def test_f27_a_redirect_loop_is_the_clients_affair(record, peer, cassette):
    upstream = peer(lambda line: [line.send(reply(b"", b"Location: " + line.request().target, status=b"302 Found")) for _ in range(2)])
    deck = record(upstream.url)
    for _ in range(2):
        answer = fetch(deck.url, "/loop")
        assert (answer.status, answer.value(b"Location")) == (302, b"/loop")
    assert upstream.hits(b"/loop") == 2
    assert deck.stop() == 0
    assert targets(cassette) == ["/loop", "/loop"]


@pytest.mark.parametrize("status, fields", [
    (b"401 Unauthorized", (b'WWW-Authenticate: Basic realm="x"', b"WWW-Authenticate: Negotiate")),
    (b"407 Proxy Authentication Required", (b'Proxy-Authenticate: Basic realm="x"', b"Proxy-Authenticate: NTLM")),
    (b"421 Misdirected Request", ()),
    (b"425 Too Early", ()),
    (b"426 Upgrade Required", ()),
    (b"429 Too Many Requests", (b"Retry-After: 0",)),
    (b"503 Service Unavailable", (b"Retry-After: 0",)),
])
@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_f28_a_challenge_is_the_clients_affair(record, start, peer, cassette, status, fields, method):
    def script(line):
        while True:
            line.request()
            line.send(reply(b"why", *fields, status=status))

    upstream = peer(script)
    deck = record(upstream.url)
    heard = fetch(deck.url, "/row", b"Authorization: Basic dTpw", method=method)
    assert heard.start == b"HTTP/1.1 " + status
    assert heard.lasting_fields == [tuple(field.split(b": ")) for field in fields] + [(b"Content-Length", b"3")]
    assert upstream.hits(b"/row") == 1
    assert_nothing_recorded(deck, cassette, "/row")
    assert fetch(start("replay", "--cassette", cassette).url, "/row", method=method).essence == heard.essence


# Connections that are kept


def test_f30_a_connection_that_died_idle_is_not_used(record, peer, cassette):
    closed = threading.Event()

    def script(line):
        line.request()
        line.send(reply(b"here"))
        if line.index == 0:
            closed.set()
            raise HangUp
        line.wait_for_close()

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        wire.ask(b"/1")
        wire.answer()
        assert closed.wait(PATIENCE)
        wire.ask(b"/2")
        assert wire.answer().body == b"here"
    assert (upstream.hits(b"/1"), upstream.hits(b"/2")) == (1, 1)
    assert_nothing_recorded(deck, cassette, "/1", "/2")


def test_f30_a_get_on_a_dying_connection_is_repeated_once(record, peer, cassette):
    def script(line):
        line.request()
        line.send(reply(b"here"))
        line.request()
        raise HangUp

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        for target in (b"/1", b"/2"):
            wire.ask(target)
            assert wire.answer().body == b"here"
    assert (upstream.hits(b"/1"), upstream.hits(b"/2")) == (1, 2)
    assert_nothing_recorded(deck, cassette, "/1", "/2")


def test_f30_a_get_that_dies_twice_is_502(record, peer, cassette):
    def script(line):
        if line.request().target == b"/1":
            line.send(reply(b"here"))
            line.request()
        raise HangUp

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        wire.ask(b"/1")
        assert wire.answer().body == b"here"
        wire.ask(b"/2")
        answer = wire.answer()
    assert answer.status == 502
    assert proxy_status(answer) in ("connection_terminated", "http_response_incomplete")
    assert upstream.hits(b"/2") == 2
    assert_nothing_recorded(deck, cassette, "/1")


def test_f30_a_post_is_never_repeated(record, peer, cassette):
    def script(line):
        if line.request().method == b"GET":
            line.send(reply(b"here"))
            line.request()
        raise HangUp

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        wire.ask(b"/1")
        assert wire.answer().body == b"here"
        wire.ask(b"/2", method=b"POST", body=b"pay")
        assert wire.answer().status == 502
    assert upstream.hits(b"/2") == 1
    assert_nothing_recorded(deck, cassette, "/1")


# Everything at once


def mixed(line):
    """Answers as the target says."""
    while True:
        request = line.request()
        kind, token = request.target.split(b"/")[1:]
        match kind:
            case b"good":
                line.send(reply(token, b"Connection: close"))
                raise HangUp
            case b"chunked":
                line.send(CHUNKED_HEAD + chunk(token) + LAST_CHUNK)
            case b"refused":
                line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 1", b"Content-Length: 2", body=token))
            case b"short":
                line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 1000", body=token))
                raise HangUp
            case b"cut":
                line.send(CHUNKED_HEAD + chunk(token))
                raise HangUp
            case b"stray":
                line.send(reply(token) + reply(b"stray"))
            case b"silent":
                line.wait_for_close()
                raise HangUp
            case b"empty":
                raise HangUp
            case b"reset":
                line.reset()


MIXED = {
    "good": 200, "chunked": 200, "stray": 200, "refused": 502, "short": None, "cut": None, "silent": 504, "empty": 502,
    "reset": 502,
}


def heard(wire: Wire):
    try:
        answer = wire.answer()
        return answer.status, answer.body
    except ConnectionError:
        return None, b""


def test_f35_a_thousand_faults_at_once_leave_nothing_behind(record, peer, cassette, figure):
    upstream = peer(mixed)
    deck = record(upstream.url, "--first-byte-timeout", "3", "--quiet")
    assert fetch(deck.url, "/good/warm").body == b"warm"
    before = len(descriptors(deck))
    kinds = list(MIXED)
    asked = [(kinds[number % len(kinds)], b"token-%d" % number) for number in range(1000)]
    wires = [Wire(deck.url) for _ in asked]
    began = time.monotonic()
    for wire, (kind, token) in zip(wires, asked):
        wire.ask(b"/%s/%s" % (kind.encode(), token))
    most = len(descriptors(deck))
    for wire, (kind, token) in zip(wires, asked):
        status, body = heard(wire)
        assert status == MIXED[kind], (kind, token, status, body)
        if status == 200:
            assert body == token
        wire.close()
    figure("1,000 parallel faults of nine kinds", f"{time.monotonic() - began:.1f} s, {most} descriptors at most")
    upstream.stop()
    eventually(lambda: len(descriptors(deck)) <= before + 2, f"{before} descriptors again", 45)
    assert deck.stop() == 0
    good = [f"/{kind}/{token.decode()}" for kind, token in asked if MIXED[kind] == 200]
    assert targets(cassette) == sorted(["/good/warm", *good])
