"""What origins send (the rows B01 to B46): refused where a proxy must refuse, passed on where it must pass on.

Every row looks at three things: what the client hears, what the cassette holds afterwards, and whether the next
request on the same proxy is as good as if nothing had been.
"""

import gzip
import threading

import pytest

from deck import interactions
from peers import heard_before_the_cut, proxy_status, server_context
from origin import HangUp, bare, chunk, reply
from wire import PATIENCE, Wire, fetch

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
HELLO = b"5\r\nhello\r\n0\r\n\r\n"


def targets(cassette) -> list[str]:
    return sorted(each["request"]["target"] for each in interactions(cassette).values())


@pytest.fixture
def recording(start, peer, cassette):
    """A recorder before a peer that answers /row by a script, and everything else well."""

    def recording(script, *options):
        def serve(line):
            while True:
                if line.request().target == b"/row":
                    script(line)
                else:
                    line.send(reply(b"next"))

        upstream = peer(serve)
        return upstream, start("record", "--upstream", upstream.url, "--cassette", cassette, *options)

    return recording


def assert_unharmed(upstream, deck, cassette, *recorded: str) -> None:
    """The next request is answered, the row's was sent once, and only complete exchanges are remembered."""
    assert fetch(deck.url, "/next").essence == (200, b"OK", [(b"Content-Length", b"4")], b"next", [])
    assert upstream.hits(b"/row") == 1
    assert deck.stop() == 0, deck.stderr
    assert targets(cassette) == sorted(["/next", *recorded])


def sends(data: bytes):
    """A script that says this and closes."""

    def script(line):
        line.send(data)
        raise HangUp

    return script


def row(name: str, data: bytes, token: str = "http_protocol_error"):
    return pytest.param(data, token, id=name)


TOO_LARGE = "http_response_header_section_size"
INCOMPLETE = "http_response_incomplete"


@pytest.mark.parametrize("data, token", [
    row("B04 Content-Length 5 then 3", OK + b"Content-Length: 5\r\nContent-Length: 3\r\n\r\nhello"),
    row("B04 Content-Length 3 then 5", OK + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello"),
    row("B05 Content-Length list", OK + b"Content-Length: 5, 6\r\n\r\nhello"),
    row("B06 Content-Length 5abc", OK + b"Content-Length: 5abc\r\n\r\nhello"),
    row("B06 Content-Length +5", OK + b"Content-Length: +5\r\n\r\nhello"),
    row("B07 Content-Length 0x5", OK + b"Content-Length: 0x5\r\n\r\nhello"),
    row("B08 Content-Length of 20 nines", OK + b"Content-Length: 99999999999999999999\r\n\r\nhello"),
    row("B09 Content-Length -5", OK + b"Content-Length: -5\r\n\r\nhello"),
    row("B09 Content-Length empty", OK + b"Content-Length:\r\n\r\nhello"),
    row("B10 Content-Length and chunked", OK + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + HELLO),
    row("B10 chunked and Content-Length", OK + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + HELLO),
    row("B11 chunked, chunked", OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + HELLO),
    row("B12 Transfer-Encoding xyz", OK + b"Transfer-Encoding: xyz\r\n\r\nhello"),
    row("B19 cut in the header section", OK + b"Content-Len", INCOMPLETE),
    row("B19 cut in the status line", b"HTTP/1.1 20", INCOMPLETE),
    row("B19 cut before the blank line", OK + b"Content-Length: 5\r\n", INCOMPLETE),
    row("B23 empty reply", b"", INCOMPLETE),
    row("B24 space before the colon", OK + b"Content-Length : 5\r\n\r\nhello"),
    row("B26 folded Content-Length", OK + b"Content-Length:\r\n 5\r\n\r\nhello"),
    row("B26 folded Transfer-Encoding", OK + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + HELLO),
    row("B27 bare CR in a value", OK + b"X: a\rb\r\nContent-Length: 5\r\n\r\nhello"),
    row("B28 NUL in a value", OK + b"X: a\0b\r\nContent-Length: 5\r\n\r\nhello"),
    row("B28 line without colon", OK + b"nonsense\r\nContent-Length: 5\r\n\r\nhello"),
    row("B30 HTTP 0.9", b"hello, world, this is no head at all\n"),
    row("B30 status 99", b"HTTP/1.1 99 X\r\nContent-Length: 0\r\n\r\n"),
    row("B30 status 1000", b"HTTP/1.1 1000 X\r\nContent-Length: 0\r\n\r\n"),
    row("B30 no status", b"HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
    row("B30 version 3.7", b"HTTP/3.7 200 OK\r\nContent-Length: 0\r\n\r\n"),
    row("B30 leading CRLF", b"\r\n" + OK + b"Content-Length: 0\r\n\r\n"),
    row("B31 http in lower case", b"http/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    row("B31 version 2.0", b"HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    row("B32 50 interim answers", b"HTTP/1.1 100 Continue\r\n\r\n" * 50 + OK + b"Content-Length: 0\r\n\r\n", TOO_LARGE),
    row("B33 101 nobody asked for", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes"),
    row("B39 one line of 1 MB", OK + b"X: " + b"x" * (1 << 20) + b"\r\n\r\n", TOO_LARGE),
    row("B40 10,000 lines", OK + b"X: y\r\n" * 10_000 + b"Content-Length: 0\r\n\r\n", TOO_LARGE),
])
def test_a_refused_head_is_502(recording, cassette, data, token):
    upstream, deck = recording(sends(data))
    answer = fetch(deck.url, "/row")
    assert answer.status == 502
    assert proxy_status(answer) == token
    assert_unharmed(upstream, deck, cassette)


@pytest.mark.parametrize("data, fault", [
    pytest.param(OK + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "Content-Length more than once", id="B03 twice"),
    pytest.param(OK + b"Content-Length: 5, 5\r\n\r\nhello", "Content-Length more than once", id="B05 as a list"),
    pytest.param(
        b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + HELLO, "Transfer-Encoding in an HTTP/1.0 response", id="B13"),
    pytest.param(CHUNKED + b"2 \r\nhe\r\n3\t \r\nllo\r\n0 \r\n\r\n", "a blank after a chunk size", id="B15"),
])
def test_sloppy_but_common_framing_is_put_right_and_told_once(recording, start, cassette, data, fault):
    upstream, deck = recording(sends(data))
    heard = fetch(deck.url, "/row")
    assert (heard.status, heard.body) == (200, b"hello")
    assert heard.start.startswith(b"HTTP/1.1 ")
    assert heard.values(b"Content-Length") in ([], [b"5"])
    fetch(deck.url, "/row")
    told = [line for line in deck.stderr.splitlines() if "it is put right" in line]
    assert len(told) == 1 and fault in told[0] and upstream.url in told[0]
    assert upstream.connections == 2
    assert deck.stop() == 0
    again = fetch(start("replay", "--cassette", cassette).url, "/row")
    assert again.essence == heard.essence


def cut(name: str, data: bytes):
    return pytest.param(data, id=name)


@pytest.mark.parametrize("data", [
    cut("B01 5 of 10 bytes", OK + b"Content-Length: 10\r\n\r\nhello"),
    cut("B14 chunk size 0x7", CHUNKED + b"0x7\r\nX: y\r\n\r\n\r\n0\r\n\r\n"),
    cut("B15 chunk size with junk", CHUNKED + b"5 junk!!\r\nhello\r\n0\r\n\r\n"),
    cut("B16 chunk lines with bare LF", CHUNKED + b"5\nhello\n0\n\n"),
    cut("B17 chunk size +5", CHUNKED + b"+5\r\nhello\r\n0\r\n\r\n"),
    cut("B17 chunk size of 17 digits", CHUNKED + b"00000000000000005\r\nhello\r\n0\r\n\r\n"),
    cut("B17 chunk size FFFFFFFFFFFFFFFF", CHUNKED + b"FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
    cut("B17 chunk data overrun", CHUNKED + b"5\r\nhello!\r\n0\r\n\r\n"),
    cut("B17 trailers of 1 MB", CHUNKED + b"5\r\nhello\r\n0\r\n" + b"X: y\r\n" * 180_000 + b"\r\n"),
    cut("B18 no last chunk", CHUNKED + b"5\r\nhello\r\n"),
    cut("B18 last chunk without its end", CHUNKED + b"5\r\nhello\r\n0\r\n"),
    cut("B18 cut in a trailer", CHUNKED + b"5\r\nhello\r\n0\r\nX: 1\r\n"),
])
def test_a_broken_body_is_seen_as_broken(recording, cassette, data):
    upstream, deck = recording(sends(data))
    answer, _ = heard_before_the_cut(deck.url, b"/row")
    assert answer.status == 200
    assert_unharmed(upstream, deck, cassette)


def test_b02_bytes_beyond_the_length_are_dropped_with_their_connection(recording, cassette):
    upstream, deck = recording(lambda line: line.send(reply(b"hello") + reply(b"stray")))
    assert fetch(deck.url, "/row").body == b"hello"
    assert_unharmed(upstream, deck, cassette, "/row")
    assert upstream.connections == 2


def test_b20_a_body_may_end_with_the_connection(recording, start, cassette):
    upstream, deck = recording(sends(bare(b"HTTP/1.1 200 OK", b"Content-Type: text/plain", body=b"all of it")))
    heard = fetch(deck.url, "/row")
    assert heard.body == b"all of it"
    assert_unharmed(upstream, deck, cassette, "/row")
    assert fetch(start("replay", "--cassette", cassette).url, "/row").essence == heard.essence


def test_b21_a_reset_in_a_body_without_length_is_no_end(recording, cassette):
    heard = threading.Event()

    def script(line):
        line.send(bare(b"HTTP/1.1 200 OK", body=b"some"))
        assert heard.wait(PATIENCE)
        line.reset()

    upstream, deck = recording(script)
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        assert wire.head().status == 200
        assert wire.chunk() == b"some"
        heard.set()
        assert wire.is_closed()
    assert_unharmed(upstream, deck, cassette)


@pytest.mark.parametrize("says_goodbye", [True, False])
def test_b22_tls_that_ends_without_goodbye_is_no_end(start, peer, authority, cassette, says_goodbye):
    ca, sign = authority

    def script(line):
        line.request()
        line.send(bare(b"HTTP/1.1 200 OK", body=b"some"))
        if says_goodbye:
            line.socket.unwrap()
        raise HangUp

    upstream = peer(script, tls=server_context(*sign("goodbye", "IP:127.0.0.1")))
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette, "--cacert", ca)
    if says_goodbye:
        assert fetch(deck.url, "/row").body == b"some"
    else:
        heard_before_the_cut(deck.url, b"/row")
    assert deck.stop() == (0 if says_goodbye else 1)  # nothing but a failure
    assert targets(cassette) == (["/row"] if says_goodbye else [])


def test_b25_a_folded_field_is_unfolded(recording, start, cassette):
    upstream, deck = recording(lambda line: line.send(OK + b"X: a\r\n\t b\r\nContent-Length: 2\r\n\r\nok"))
    heard = fetch(deck.url, "/row")
    assert heard.value(b"X") == b"a b"
    assert_unharmed(upstream, deck, cassette, "/row")
    assert fetch(start("replay", "--cassette", cassette).url, "/row").essence == heard.essence


def test_b29_lines_that_end_in_lf_go_out_with_crlf(recording, cassette):
    upstream, deck = recording(lambda line: line.send(b"HTTP/1.1 200 OK\nX: 1\nContent-Length: 5\n\nhello"))
    heard = fetch(deck.url, "/row")
    assert heard.body == b"hello"
    assert heard.head.count(b"\n") == heard.head.count(b"\r\n")
    assert_unharmed(upstream, deck, cassette, "/row")


def test_b32_interim_responses_are_passed_on_and_are_not_the_response(recording, start, cassette):
    upstream, deck = recording(lambda line: line.send(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + reply(b"final")))
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        early = wire.head()
        assert (early.status, early.value(b"Link")) == (103, b"</a>")
        heard = wire.answer()
    assert (heard.status, heard.value(b"Link"), heard.body) == (200, None, b"final")
    assert_unharmed(upstream, deck, cassette, "/row")
    with Wire(start("replay", "--cassette", cassette).url) as wire:
        wire.ask(b"/row")
        assert [wire.head().status, wire.answer().status] == [103, 200]


def test_b32_an_http_1_0_client_hears_no_interim_answer(recording, cassette):
    upstream, deck = recording(lambda line: line.send(
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + reply(b"final")))
    with Wire(deck.url) as wire:
        wire.send(b"GET /row HTTP/1.0\r\n\r\n")
        assert wire.answer().body == b"final"
    assert_unharmed(upstream, deck, cassette, "/row")


BODILESS = {
    "HEAD": (b"HEAD", OK + b"Content-Length: 5\r\n\r\n"),
    "204": (b"GET", b"HTTP/1.1 204 No Content\r\n\r\n"),
    "204 with length": (b"GET", b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
    "304": (b"GET", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
    "200 of length 0": (b"GET", reply(b"")),
}


@pytest.mark.parametrize("kind", BODILESS)
def test_b34_a_body_where_none_belongs_reaches_nobody(recording, cassette, kind):
    method, head = BODILESS[kind]
    upstream, deck = recording(lambda line: line.send(head + b"hello"))
    with Wire(deck.url) as wire:
        wire.ask(b"/row", method=method)
        assert wire.answer(method).body == b""
        wire.ask(b"/again")
        assert wire.answer().body == b"next"
    assert upstream.connections == 2
    assert_unharmed(upstream, deck, cassette, "/row", "/again")


@pytest.mark.parametrize("kind", [*BODILESS, "B36 200"])
def test_b35_b36_a_stray_answer_is_not_the_next_ones(recording, cassette, kind):
    method, head = BODILESS.get(kind, (b"GET", reply(b"hello")))
    heard, sent = threading.Event(), threading.Event()

    def script(line):
        line.send(head)
        assert heard.wait(PATIENCE)
        try:
            line.send(reply(b"stray"))
        finally:
            sent.set()

    upstream, deck = recording(script)
    with Wire(deck.url) as wire:
        wire.ask(b"/row", method=method)
        wire.answer(method)
        heard.set()
        assert sent.wait(PATIENCE)
        wire.ask(b"/again")
        assert wire.answer().body == b"next"
    assert_unharmed(upstream, deck, cassette, "/row", "/again")
    assert upstream.hits(b"/again") == 1


@pytest.mark.parametrize("method", [b"POST", b"PATCH"])
def test_b37_a_request_that_gets_no_reply_is_sent_once(recording, cassette, method):
    def hang_up(line):
        raise HangUp

    upstream, deck = recording(hang_up)
    with Wire(deck.url) as wire:
        wire.ask(b"/warm")  # leaves a connection that could be used again
        assert wire.answer().body == b"next"
        wire.ask(b"/row", method=method, body=b"pay")
        answer = wire.answer()
    assert answer.status == 502
    assert proxy_status(answer) == INCOMPLETE
    assert_unharmed(upstream, deck, cassette, "/warm")


def test_b38_417_is_relayed(recording, start, cassette):
    def fail(line):
        line.send(reply(b"no", status=b"417 Expectation Failed"))

    upstream, deck = recording(fail)
    with Wire(deck.url) as wire:
        wire.ask(b"/row", b"Expect: 100-continue", method=b"POST", body=b"body")
        answer = wire.answer()
    assert (answer.status, answer.body) == (417, b"no")
    assert upstream.requests[0].value(b"Expect") is None
    assert_unharmed(upstream, deck, cassette, "/row")


def test_b41_repeated_fields_stay_apart_and_in_order(recording, start, cassette):
    fields = [
        (b"Date", b"Tue, 01 Jan 2030 00:00:00 GMT"), (b"Content-Type", b"a/b"), (b"content-type", b"c/d"),
        (b"Location", b"/1"), (b"Host", b"h1"), (b"LOCATION", b"/2"), (b"Host", b"h2"),
        *((b"Set-Cookie", b"c%d=%d; Path=/" % (number, number)) for number in range(40)),
    ]
    upstream, deck = recording(lambda line: line.send(reply(b"ok", *(b": ".join(field) for field in fields))))
    heard = fetch(deck.url, "/row")
    assert heard.fields[:len(fields)] == fields
    assert_unharmed(upstream, deck, cassette, "/row")
    assert fetch(start("replay", "--cassette", cassette).url, "/row").lasting_fields == heard.lasting_fields


def test_b42_fields_that_connection_names_are_stripped_and_not_recorded(recording, cassette):
    upstream, deck = recording(lambda line: line.send(
        reply(b"ok", b"Connection: X-Foo, keep-alive", b"X-Foo: 1", b"Keep-Alive: timeout=9", b"X-Bar: 2")))
    heard = fetch(deck.url, "/row")
    assert [name for name, _ in heard.lasting_fields] == [b"X-Bar", b"Content-Length"]
    assert_unharmed(upstream, deck, cassette, "/row")
    for path in cassette.glob("*row*.json"):
        assert "X-Foo" not in path.read_text()


@pytest.mark.parametrize("body", [
    pytest.param(gzip.compress(b"hello")[:-4] + b"oops", id="corrupt gzip"),
    pytest.param(gzip.compress(bytes(20 << 20)), id="20 MiB in 20 KiB"),
])
def test_b43_a_coded_body_is_never_decoded(recording, start, cassette, body):
    upstream, deck = recording(lambda line: line.send(reply(body, b"Content-Encoding: gzip")))
    heard = fetch(deck.url, "/row")
    assert (heard.body, heard.value(b"Content-Encoding")) == (body, b"gzip")
    assert_unharmed(upstream, deck, cassette, "/row")
    assert fetch(start("replay", "--cassette", cassette).url, "/row").essence == heard.essence


@pytest.mark.parametrize("location", [b"file:///etc/passwd", b"http://169.254.169.254/latest", b"http://proxy.test/row", b"/row"])
def test_b44_redirects_are_passed_and_never_followed(recording, cassette, location):
    upstream, deck = recording(lambda line: line.send(
        reply(b"", b"Location: " + location, status=b"302 Found")))
    heard = fetch(deck.url, "/row", b"Host: proxy.test")
    assert (heard.status, heard.value(b"Location")) == (302, location)
    assert_unharmed(upstream, deck, cassette, "/row")


def test_b45_trailers_go_to_every_client_that_can_read_them(recording, start, cassette):
    upstream, deck = recording(lambda line: line.send(
        OK + b"Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"summed")
        + b"0\r\nX-Sum: 42\r\nContent-Length: 3\r\nSet-Cookie: a=1\r\n\r\n"))

    def look(url):
        for fields in [(), (b"TE: gzip, Trailers",)]:
            heard = fetch(url, "/row", *fields)
            assert (heard.body, heard.trailers) == (b"summed", [(b"X-Sum", b"42")])
            assert (heard.value(b"Trailer"), heard.value(b"X-Sum"), heard.value(b"Set-Cookie")) == (b"X-Sum", None, None)
        with Wire(url) as wire:
            wire.send(b"GET /row HTTP/1.0\r\n\r\n")
            old = wire.answer()
            assert (old.body, old.trailers) == (b"summed", [])

    look(deck.url)
    assert upstream.requests[0].value(b"TE") is None
    assert upstream.requests[1].value(b"TE") == b"trailers"
    assert deck.stop() == 0
    kept = next(iter(interactions(cassette).values()))
    assert ["Trailer", "X-Sum"] in kept["response"]["headers"]
    look(start("replay", "--cassette", cassette).url)


def test_b46_an_early_answer_ends_the_upload(start, peer, cassette):
    gone = threading.Event()

    def script(line):
        head = line.stream.readline()
        while line.stream.readline() != b"\r\n":
            pass
        if b"/row" not in head:
            return line.send(reply(b"next"))
        line.send(reply(b"too big", b"Connection: close", status=b"413 Content Too Large"))
        line.wait_for_close()
        gone.set()

    upstream = peer(script)
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette)
    answer = fetch(deck.url, "/row", method=b"POST", body=b"x" * (32 << 20))
    assert (answer.status, answer.body) == (413, b"too big")
    assert gone.wait(PATIENCE), "the upload went on"
    assert fetch(deck.url, "/next").body == b"next"
    assert deck.stop() == 0
    assert targets(cassette) == ["/next", "/row"]
