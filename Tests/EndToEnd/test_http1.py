"""The wire itself, byte by byte, through a running proxy."""

import socket
import threading

import pytest

from deck import interactions
from origin import CHUNKED_HEAD, LAST_CHUNK, HangUp, bare, chunk, reply
from wire import HOP_BY_HOP, Wire, fetch, request


def echo(exchange):
    return reply(exchange.request.target)


def always(data: bytes):
    return lambda exchange: data


# Connections


def test_a_connection_is_kept(recording, both):
    _, deck = recording(echo)
    for url in both(deck):
        with Wire(url) as wire:
            for number in range(20):
                wire.ask(b"/%d" % number)
                assert wire.answer().body == b"/%d" % number


def test_a_client_that_says_close_is_closed(recording, both):
    _, deck = recording(echo)
    for url in both(deck):
        with Wire(url) as wire:
            wire.ask(b"/last", b"Connection: close")
            assert wire.answer().body == b"/last"
            assert wire.is_closed()


@pytest.mark.parametrize("count", [3, 100])
def test_pipelined_requests_are_answered_in_order(recording, both, count):
    _, deck = recording(echo)
    for url in both(deck):
        with Wire(url) as wire:
            wire.send(b"".join(request(b"/%d" % number, host=wire.authority) for number in range(count)))
            assert [wire.answer().body for _ in range(count)] == [b"/%d" % number for number in range(count)]


def test_pipelined_answers_keep_their_order_when_the_first_is_slow(recording):
    second_arrived = threading.Event()

    def first_waits(exchange):
        if exchange.request.target == b"/slow":
            second_arrived.wait(0.2)  # nobody owes us the second before the first is answered
        else:
            second_arrived.set()
        return echo(exchange)

    _, deck = recording(first_waits)
    with Wire(deck.url) as wire:
        wire.send(request(b"/slow", host=wire.authority) + request(b"/quick", host=wire.authority))
        assert [wire.answer().body, wire.answer().body] == [b"/slow", b"/quick"]


def test_a_half_closed_client_still_gets_its_answer(recording, both):
    _, deck = recording(echo)
    for url in both(deck):
        with Wire(url) as wire:
            wire.ask(b"/half")
            wire.socket.shutdown(socket.SHUT_WR)
            assert wire.answer().body == b"/half"
            assert wire.is_closed()


@pytest.mark.parametrize("answer", [reply(b"known"), CHUNKED_HEAD + chunk(b"kno") + chunk(b"wn") + LAST_CHUNK], ids=["length", "chunked"])
def test_an_http_1_0_client_gets_an_answer_it_can_read(recording, both, answer):
    _, deck = recording(always(answer))
    for url in both(deck):
        with Wire(url) as wire:
            wire.send(b"GET /old HTTP/1.0\r\nHost: %s\r\n\r\n" % wire.authority)
            answer = wire.answer()
            assert answer.value(b"Transfer-Encoding") is None
            assert answer.body == b"known"
            assert wire.is_closed()


# Requests


def test_expect_100_continue_is_granted_before_the_body(recording):
    upstream, deck = recording(lambda exchange: reply(exchange.request.body))
    with Wire(deck.url) as wire:
        wire.send(request(b"/upload", b"Expect: 100-continue", b"Content-Length: 5", method=b"POST", host=wire.authority))
        assert wire.head().status == 100
        wire.send(b"hello")
        assert wire.answer().body == b"hello"
    assert [each.body for each in upstream.requests] == [b"hello"]


def test_a_chunked_upload_arrives_whole(recording):
    upstream, deck = recording(lambda exchange: reply(exchange.request.body))
    with Wire(deck.url) as wire:
        wire.send(request(b"/upload", b"Transfer-Encoding: chunked", method=b"POST", host=wire.authority))
        for piece in (b"one ", b"two ", bytes(range(256)) * 300):
            wire.send(chunk(piece))
        wire.send(LAST_CHUNK)
        assert wire.answer().body == b"one two " + bytes(range(256)) * 300


def test_a_request_may_arrive_byte_by_byte(recording):
    _, deck = recording(lambda exchange: reply(exchange.request.target + exchange.request.body))
    with Wire(deck.url) as wire:
        for byte in request(b"/slowly", b"X-Any: thing", method=b"PUT", body=b"body", host=wire.authority):
            wire.send(bytes([byte]))
        assert wire.answer().body == b"/slowlybody"


TARGET = b"/a/../b//%2e%7E?x=%zz&&="


def test_the_target_goes_out_untouched_and_matches_again(recording, both):
    upstream, deck = recording(echo)
    for url in both(deck):
        assert fetch(url, TARGET).body == TARGET
    assert [each.target for each in upstream.requests] == [TARGET]


def test_an_upstream_path_is_put_before_the_target(recording):
    upstream, deck = recording(echo, path="/api/v1")
    fetch(deck.url, "/users?id=1")
    assert [each.target for each in upstream.requests] == [b"/api/v1/users?id=1"]


def sent_fields(request) -> list[tuple[bytes, bytes]]:
    """What arrived upstream, without what a gateway owes (RFC 9110 §7.6): Host, Via, the connection's own."""
    return [(name, value) for name, value in request.fields if name.lower() not in HOP_BY_HOP | {b"host", b"via"}]


FIELDS = [b"x-lower: 1", b"X-UPPER: 2", b"X-Mixed: three", b"x-lower: 4", b"X-Empty:", b"X-Latin: caf\xe9"]


def test_request_fields_keep_case_order_and_bytes_and_nothing_is_added(recording):
    upstream, deck = recording(echo)
    fetch(deck.url, "/bare")
    fetch(deck.url, "/fields", *FIELDS)
    fetch(deck.url, "/body", method=b"POST", body=b"no type given")
    bare, fields, body = map(sent_fields, upstream.requests)
    assert bare == []
    assert fields == [tuple(part.strip() for part in line.split(b":", 1)) for line in FIELDS]
    assert body == [(b"Content-Length", b"13")]


def test_fields_about_the_connection_stay_on_it(recording):
    upstream, deck = recording(echo)
    fetch(deck.url, "/hop", b"Connection: close, X-Private", b"X-Private: 1", b"Keep-Alive: 5", b"Proxy-Connection: close", b"X-Public: 2")
    names = [name.lower() for name, _ in upstream.requests[0].fields]
    assert b"x-public" in names
    assert not {b"x-private", b"keep-alive", b"proxy-connection"} & set(names)


@pytest.mark.parametrize(
    ("options", "arrives"), [((), b"identity"), (("--pass-encodings",), b"gzip, br;q=0.5")], ids=["default", "passed"])
def test_identity_is_asked_for_unless_told_otherwise(recording, options, arrives):
    upstream, deck = recording(echo, *options)
    fetch(deck.url, "/encodings", b"Accept-Encoding: gzip, br;q=0.5")
    assert upstream.requests[0].values(b"Accept-Encoding") == [arrives]


def test_the_host_is_the_origins(recording):
    upstream, deck = recording(echo)
    fetch(deck.url, "/", b"Host: client.test:1234")
    assert upstream.requests[0].values(b"Host") == [upstream.authority.encode()]


def test_the_host_is_the_clients_if_preserved(recording):
    upstream, deck = recording(echo, "--preserve-host")
    fetch(deck.url, "/", b"Host: client.test:1234")
    assert upstream.requests[0].values(b"Host") == [b"client.test:1234"]


def test_a_post_goes_out_once_though_its_connection_was_closed(recording):
    def close_after_each(exchange):
        exchange.send(echo(exchange))
        raise HangUp

    upstream, deck = recording(close_after_each)
    with Wire(deck.url) as wire:
        for method, target in (b"GET", b"/1"), (b"POST", b"/2"), (b"POST", b"/3"), (b"GET", b"/4"):
            wire.ask(target, method=method, body=b"x" if method == b"POST" else None)
            assert wire.answer().body == target
    assert [each.target for each in upstream.requests] == [b"/1", b"/2", b"/3", b"/4"]


def test_a_post_without_an_answer_is_not_sent_again(recording, cassette):
    def close_on_post(exchange):
        if exchange.request.method == b"POST":
            raise HangUp
        return echo(exchange)

    upstream, deck = recording(close_on_post)
    with Wire(deck.url) as wire:
        wire.ask(b"/get")
        assert wire.answer().status == 200
        wire.ask(b"/post", method=b"POST", body=b"once")
        assert wire.answer().status == 502
    assert [each.method for each in upstream.requests] == [b"GET", b"POST"]
    deck.stop()
    assert len(interactions(cassette)) == 1


def test_a_request_body_beyond_the_limit_is_refused_before_it_is_sent(recording):
    upstream, deck = recording(echo, "--max-body", "1")
    with Wire(deck.url) as wire:
        wire.send(request(b"/large", b"Content-Length: %d" % ((1 << 20) + 1), method=b"POST", host=wire.authority))
        assert wire.answer().status == 413
        assert wire.is_closed()
    assert fetch(deck.url, "/fits", method=b"POST", body=bytes(1 << 20)).status == 200
    assert [each.target for each in upstream.requests] == [b"/fits"]


HOST = b"Host: x\r\n"
MALFORMED = {
    "two lengths": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "length and chunked": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
    "signed length": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: +5\r\n\r\nhello",
    "enormous length": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 18446744073709551621\r\n\r\nhello",
    "enormous chunk": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nx",
    "kelvin chunked": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chun\xe2\x84\xaaed\r\n\r\n0\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    "space before colon": b"GET / HTTP/1.1\r\n" + HOST + b"X : y\r\n\r\n",
    "folded field": b"GET / HTTP/1.1\r\n" + HOST + b"X: y\r\n z\r\n\r\n",
    "nul in value": b"GET / HTTP/1.1\r\n" + HOST + b"X: a\0b\r\n\r\n",
    "not http": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
}


def test_a_malformed_request_gets_a_400_and_goes_no_further(recording):
    upstream, deck = recording(echo)
    for name, data in MALFORMED.items():
        with Wire(deck.url) as wire:
            wire.send(data)
            assert wire.answer().status == 400, name
            assert wire.is_closed(), name
    assert upstream.requests == []
    assert fetch(deck.url, "/well").body == b"/well"


# Answers


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        (b"HEAD", bare(b"HTTP/1.1 200 OK", b"Content-Length: 1234", b"X-Kept: yes")),
        (b"GET", bare(b"HTTP/1.1 204 No Content", b"X-Kept: yes")),
        (b"GET", bare(b"HTTP/1.1 304 Not Modified", b'ETag: "v1"', b"X-Kept: yes")),
        (b"GET", bare(b"HTTP/1.1 304 Not Modified", b"Content-Length: 77", b"X-Kept: yes")),
    ],
    ids=["HEAD", "204", "304", "304 with a length"],
)
def test_answers_without_a_body_end_at_the_blank_line(recording, both, method, answer):
    _, deck = recording(always(answer))
    heard = []
    for url in both(deck):
        with Wire(url) as wire:
            for _ in range(2):  # the second answer shows where the first one ended
                wire.ask(b"/bodyless", method=method)
                heard.append(wire.answer(method))
    assert all(each.value(b"X-Kept") == b"yes" for each in heard)
    assert all(each.value(b"Transfer-Encoding") is None for each in heard)
    if method == b"HEAD":
        assert all(each.value(b"Content-Length") == b"1234" for each in heard)
    assert heard[0].essence == heard[2].essence


VERBATIM = {
    "case and order": [b"x-zebra: 1", b"X-Apple: 2", b"X-ZEBRA: 3", b"x-apple: 4", b"ETag: \"a\""],
    "forty cookies": [b"Set-Cookie: c%d=%d; Path=/" % (number, 40 - number) for number in range(40)],
    "bytes beyond ASCII": [b"X-Latin: caf\xe9 \xff\x80", "X-Unicode: ünï✓".encode(), b"X-After: 1"],
    "empty values": [b"X-Empty:", b"X-Full: 1", b"X-Empty:"],
    "json-like": [b'X-Quote: "a\\b\\u0041" \\n {"k": [1]}', b"X-Tab: a\tb"],
}


@pytest.mark.parametrize("lines", VERBATIM.values(), ids=VERBATIM)
def test_answer_fields_come_through_verbatim(recording, both, lines):
    _, deck = recording(always(reply(b"body", *lines)))
    expected = [tuple(part.strip(b" ") for part in line.split(b":", 1)) for line in lines]
    for url in both(deck):
        fields = [pair for pair in fetch(url, "/").lasting_fields if pair[0].lower() not in (b"content-length", b"via")]
        assert fields == expected


@pytest.mark.parametrize("reason", [b"OK", b"Fine By Me", b"", b"d\xe9j\xe0 vu"])
def test_the_reason_is_the_origins(recording, both, reason):
    _, deck = recording(always(reply(b"", status=b"200 " + reason)))
    for url in both(deck):
        assert fetch(url, "/").reason == reason


@pytest.mark.parametrize("status", [200, 201, 299, 404, 451, 500, 599])
def test_any_final_status_passes(recording, both, status):
    _, deck = recording(always(reply(b"text", status=b"%d Some Reason" % status)))
    for url in both(deck):
        assert fetch(url, "/").status == status


def test_trailers_are_kept(recording, both):
    answer = (
        bare(b"HTTP/1.1 200 OK", b"Trailer: X-Sum, x-count", b"Transfer-Encoding: chunked")
        + chunk(b"summed") + b"0\r\nX-Sum: 42\r\nx-count: 1\r\nx-count: 2\r\n\r\n")
    _, deck = recording(always(answer))
    for url in both(deck):
        heard = fetch(url, "/", b"TE: trailers", b"Connection: TE")
        assert heard.body == b"summed"
        assert heard.value(b"Trailer") == b"X-Sum, x-count"
        assert heard.trailers == [(b"X-Sum", b"42"), (b"x-count", b"1"), (b"x-count", b"2")]
        assert heard.value(b"X-Sum") is None


def test_a_body_that_ends_with_the_connection_is_whole(recording, both):
    def until_close(exchange):
        exchange.send(bare(b"HTTP/1.1 200 OK", b"Connection: close", body=b"until the end"))
        raise HangUp

    _, deck = recording(until_close)
    for url in both(deck):
        assert fetch(url, "/").body == b"until the end"


BODIES = {
    "lossless json": (b"application/json", b'{"a":1,"b":[true,null]}'),
    "json with its own spacing": (b"application/json", b'{ "a" : 1.0,\r\n\t"a": 1e400, "\\u0041\\/": -0 }\n\n'),
    "huge numbers": (b"application/json", b'[123456789012345678901234567890, 0.10, 1E+2, -0.0]'),
    "broken json": (b"application/json", b'{"a": '),
    "json with a byte order mark": (b"application/json", b'\xef\xbb\xbf{"a": 1}'),
    "lone surrogate": (b"application/json", b'"\\ud800"'),
    "deep json": (b"application/json", b"[" * 2000 + b"]" * 2000),
    "text without a last newline": (b"text/plain", b"one\r\ntwo\nthree"),
    "text with odd breaks": (b"text/plain", "a\rb\u2028c\x0bd\x00e\u0085\n".encode()),
    "not utf-8": (b"text/plain; charset=utf-8", b"caf\xe9\n\xff"),
    "decomposed unicode": (b"text/plain", "e\u0301 \u00e9".encode()),
    "every byte": (b"application/octet-stream", bytes(range(256))),
    "large": (b"application/octet-stream", bytes(range(256)) * 4000),
    "nothing": (b"text/plain", b""),
}


def test_bodies_replay_to_the_byte(recording, both):
    paths = {name: b"/" + name.replace(" ", "-").encode() for name in BODIES}
    by_path = {path: BODIES[name] for name, path in paths.items()}

    def answer(exchange):
        kind, body = by_path[exchange.request.target]
        return reply(body, b"Content-Type: " + kind)

    _, deck = recording(answer)
    for url in both(deck):
        for name, path in paths.items():
            assert fetch(url, path).body == BODIES[name][1], name


INVALID = {
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello",
    "hexadecimal length": b"HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
    "cut in the head": b"HTTP/1.1 200 OK\r\nContent-Len",
    "nothing": b"",
    "not http": b"SSH-2.0-OpenSSH_9.2\r\n",
    "unasked 101": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
}


def test_an_invalid_answer_becomes_a_502_and_is_not_recorded(recording, cassette):
    answers = dict(zip((b"/%d" % number for number in range(len(INVALID))), INVALID.items()))

    def invalid(exchange):
        exchange.send(answers[exchange.request.target][1])
        raise HangUp

    _, deck = recording(invalid)
    for target, (name, _) in answers.items():
        assert fetch(deck.url, target).status == 502, name
    deck.stop()
    assert interactions(cassette) == {}


# What names the origin comes to name the proxy


def absolute(exchange):
    origin = exchange.request.value(b"Host")
    return reply(
        b"", b"Location: http://" + origin + b"/next?x=1#y", b"Content-Location: http://" + origin + b"/this",
        status=b"302 Found")


@pytest.mark.parametrize("name", [b"my.proxy.test:1234", b"other.test"])
def test_a_location_that_names_the_origin_comes_to_name_the_proxy(recording, both, name):
    _, deck = recording(absolute)
    for url in both(deck):
        answer = fetch(url, "/", b"Host: " + name)
        assert answer.values(b"Location") == [b"http://" + name + b"/next?x=1#y"]
        assert answer.values(b"Content-Location") == [b"http://" + name + b"/this"]


def test_an_upstream_path_falls_away_from_a_location(recording):
    def within(exchange):
        return reply(b"", b"Location: http://" + exchange.request.value(b"Host") + b"/api/v1/next", status=b"302 Found")

    _, deck = recording(within, path="/api/v1")
    assert fetch(deck.url, "/").value(b"Location") == b"http://" + deck.authority + b"/next"


@pytest.mark.parametrize(
    "location",
    [b"/relative", b"../up", b"?query", b"http://elsewhere.test/x", b"https://127.0.0.1/x", b"http://127.0.0.1:1/x", b"mailto:a@b.test"])
def test_any_other_location_stays(recording, both, location):
    _, deck = recording(always(reply(b"", b"Location: " + location, status=b"302 Found")))
    for url in both(deck):
        assert fetch(url, "/").values(b"Location") == [location]


COOKIES = [
    b"Set-Cookie: a=1; Domain=127.0.0.1; Path=/; Secure; HttpOnly",
    b"Set-Cookie: b=2; secure; SameSite=Lax",
    b"Set-Cookie: c=secure; Path=/domain=127.0.0.1",
    b"Set-Cookie: d=4; Domain=elsewhere.test",
    b"Set-Cookie: e=5; SameSite=None; Secure",  # an origin that speaks plain http means what it says
]


# A proxy without a dotted name can have no Domain: clients disagree about what it would mean.
@pytest.mark.parametrize(
    ("host", "domain"), [(b"proxy.test:8080", b" Domain=proxy.test;"), (b"localhost:8080", b""), (b"127.0.0.1:8080", b"")])
def test_cookies_of_the_origin_become_cookies_of_the_proxy(recording, both, host, domain):
    _, deck = recording(always(reply(b"", *COOKIES)))
    for url in both(deck):
        assert fetch(url, "/", b"Host: " + host).values(b"Set-Cookie") == [
            b"a=1;" + domain + b" Path=/; Secure; HttpOnly",
            b"b=2; secure; SameSite=Lax",
            b"c=secure; Path=/domain=127.0.0.1",
            b"d=4; Domain=elsewhere.test",
            b"e=5; SameSite=None; Secure",
        ]


def test_no_rewrite_leaves_everything_as_the_origin_said(recording, both):
    def named(exchange):
        return reply(b"", b"Location: http://" + exchange.request.value(b"Host") + b"/x", *COOKIES, status=b"302 Found")

    upstream, deck = recording(named, "--no-rewrite")
    for url in both(deck, "--no-rewrite"):
        answer = fetch(url, "/", b"Host: proxy.test:8080")
        assert answer.values(b"Location") == [b"http://" + upstream.authority.encode() + b"/x"]
        assert answer.values(b"Set-Cookie") == [line.removeprefix(b"Set-Cookie: ") for line in COOKIES]
