"""`--rewrite-bodies`: texts that name the origin come to name the proxy, live and replayed alike."""

import gzip
import json

import pytest

from deck import run
from origin import chunk, reply
from wire import fetch

REWRITES = "--rewrite-bodies"


def page(exchange, *fields: bytes, kind: bytes = b"application/json") -> bytes:
    base = b"http://" + exchange.request.value(b"Host")
    body = b'{"next": "%s/users?page=2", "escaped": "%s\\/a", "other": "http://elsewhere.test/x"}' % (
        base, base.replace(b"/", b"\\/"))
    return reply(body, b"Content-Type: " + kind, b"Link: <" + base + b'/users?page=2>; rel="next"', *fields)


def test_texts_and_links_come_to_name_the_proxy(recording, both):
    upstream, deck = recording(lambda exchange: page(exchange, b"Content-MD5: AAAAAAAAAAAAAAAAAAAAAA=="), REWRITES)
    for url in both(deck, REWRITES):
        ours = url.rstrip("/")
        answer = fetch(url, "/users")
        assert json.loads(answer.body) == {
            "next": f"{ours}/users?page=2", "escaped": f"{ours}/a", "other": "http://elsewhere.test/x"}
        assert answer.values(b"Content-Length") == [b"%d" % len(answer.body)]
        assert answer.values(b"Link") == [b"<%s/users?page=2>; rel=\"next\"" % ours.encode()]
        assert answer.values(b"Content-MD5") == []


def test_the_cassette_keeps_what_the_origin_said(recording, cassette):
    upstream, deck = recording(page, REWRITES)
    fetch(deck.url, "/users")
    deck.stop()
    text = "".join(path.read_text() for path in cassette.glob("get-*.json"))
    assert f"http://{upstream.authority}/users?page=2" in text and deck.url.rstrip("/") not in text


def test_without_the_flag_bodies_stay(recording, both):
    upstream, deck = recording(page)
    for url in both(deck):
        assert json.loads(fetch(url, "/users").body)["next"] == f"http://{upstream.authority}/users?page=2"


@pytest.mark.parametrize("pieces", [1, 7, 1000])
def test_a_stream_of_chunks_is_rewritten_across_them(recording, both, pieces):
    def streamed(exchange):
        text = b"data: http://" + exchange.request.value(b"Host") + b"/x\n\n"
        body = text * 20
        size = max(1, len(body) // pieces)
        chunks = b"".join(chunk(body[start:start + size]) for start in range(0, len(body), size))
        return (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks + b"0\r\n\r\n")

    _, deck = recording(streamed, REWRITES)
    for url in both(deck, REWRITES):
        assert fetch(url, "/events").body == f"data: {url.rstrip('/')}/x\n\n".encode() * 20


def test_a_large_text_goes_out_in_chunks(recording, both):
    def large(exchange):
        return reply((b"http://" + exchange.request.value(b"Host") + b"/x " + b"." * 1000) * 1000, b"Content-Type: text/plain")

    _, deck = recording(large, REWRITES)
    for url in both(deck, REWRITES):
        assert fetch(url, "/large").body == (url.rstrip("/").encode() + b"/x " + b"." * 1000) * 1000


def test_what_is_encoded_partial_or_no_text_stays(recording, both):
    def answer(exchange):
        base = b"http://" + exchange.request.value(b"Host") + b"/x"
        if exchange.request.target == b"/gzip":
            return reply(gzip.compress(base, mtime=0), b"Content-Type: text/plain", b"Content-Encoding: gzip")
        if exchange.request.target == b"/part":
            return reply(base, b"Content-Type: text/plain", b"Content-Range: bytes 0-9/100", status=b"206 Partial Content")
        return reply(base, b"Content-Type: application/octet-stream")

    upstream, deck = recording(answer, REWRITES)
    base = f"http://{upstream.authority}/x".encode()
    for url in both(deck, REWRITES):
        assert gzip.decompress(fetch(url, "/gzip").body) == base
        assert fetch(url, "/part").body == base
        assert fetch(url, "/binary").body == base


def test_the_two_flags_exclude_each_other(tmp_path):
    ended = run("serve", "--upstream", "http://127.0.0.1:9", REWRITES, "--no-rewrite", cwd=tmp_path)
    assert ended.returncode == 2 and "exclude each other" in ended.stderr
