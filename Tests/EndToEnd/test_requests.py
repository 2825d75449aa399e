"""Requests from clients that are malformed, ambiguous or unwilling (A01–A100): what is answered, and what the origin sees.

What the bytes alone decide stands in Tests/TapedeckHTTPTests; here a whole proxy runs, with an origin behind it.
"""

import os
import re
import resource
import select
import socket
import threading
import time
from pathlib import Path

import pytest

from deck import Deck, eventually, interactions, run
from origin import counting, reply
from servers import free_port
from wire import Wire, fetch, request

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"


def echo(exchange):
    asked = exchange.request
    return reply(asked.method + b" " + asked.target + b"|" + asked.body)


@pytest.fixture
def recording(start, origin, cassette):
    """Starts an origin with a recorder before it."""

    def recording(*options, handler=echo):
        upstream = origin(handler)
        return upstream, start("record", "--upstream", upstream.url, "--cassette", cassette, *options)

    return recording


@pytest.fixture
def replaying(start, small_cassette):
    """Starts a replay of the small cassette."""
    return lambda *options, **how: start("replay", "--cassette", small_cassette[0], *options, **how)


def post(*lines: bytes, body: bytes = b"", version: bytes = b"HTTP/1.1") -> bytes:
    return b"\r\n".join([b"POST /x " + version, b"Host: h", *lines]) + b"\r\n\r\n" + body


def everything(wire: Wire) -> bytes:
    """All the proxy says until it closes; a reset fails the test."""
    return wire.stream.read()


def statuses(answer: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"(?:^|\r\n|[^\r\n])HTTP/1\.1 (\d{3}) ", answer)]


HELLO = b"5\r\nhello\r\n0\r\n\r\n"

MALFORMED = {
    "A01": (post(b"Content-Length: 6", b"Transfer-Encoding: chunked", body=b"0\r\n\r\nG"), 400),
    "A02": (post(b"Transfer-Encoding: chunked", b"Content-Length: 6", body=b"0\r\n\r\nG"), 400),
    "A03": (post(b"Content-Length: 6", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n" + SMUGGLED), 400),
    "A04": (post(b"Content-Length: 5", b"Content-Length: 6", body=b"hello!"), 400),
    "A08": (post(b"Content-Length: +5", body=b"hello"), 400),
    "A10": (post(b"Content-Length:", body=b"hello"), 400),
    "A12": (post(b"Content-Length: 18446744073709551621", body=b"hello"), 400),
    "A18": (post(b"Transfer-Encoding: chunked, identity", body=HELLO), 400),
    "A19": (post(b"Transfer-Encoding: gzip, chunked", body=HELLO), 501),
    "A24": (post(b"Transfer-Encoding: chun\xe2\x84\xaaed", body=HELLO), 400),
    "A27": (post(b"Transfer-Encoding : chunked", body=HELLO), 400),
    "A33": (post(b"Transfer-Encoding: chunked", body=HELLO, version=b"HTTP/1.0"), 400),
    "A42": (post(b"Transfer-Encoding: chunked", body=b"0x5\r\nhello\r\n0\r\n\r\n" + SMUGGLED), 400),
    "A46": (post(b"Transfer-Encoding: chunked", body=b"5\nhello\n0\n\n" + SMUGGLED), 400),
    "A53": (post(b"Transfer-Encoding: chunked", body=b"0\r\n" + b"X: 1\r\n" * 10_000 + b"\r\n"), 431),
    "A58": (b"GET /\r\n", 400),
    "A60": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    "A65": (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414),
    "A73": (b"CONNECT o:443 HTTP/1.1\r\nHost: o:443\r\n\r\n" + SMUGGLED, 501),
    "A78": (b"GET / HTTP/1.1\r\n\r\n" + SMUGGLED, 400),
    "A85": (post(*[b"X: 1"] * 1000, body=SMUGGLED), 431),
    "A85 endless": (post(b"X: " + b"y" * (1 << 20)), 431),
    "A88": (post(b"Connection: Content-Length", b"Content-Length: 5", body=b"hello"), 400),
    "A97": (post(b"Expect: 200-ok", b"Content-Length: 5", body=b"hello"), 417),
    "A100 TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), 400),
    "A100 SSH": (b"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n", 400),
}


def test_a_malformed_request_is_answered_and_closed_and_never_reaches_the_origin(recording, cassette):
    upstream, deck = recording()
    for row, (data, status) in MALFORMED.items():
        with Wire(deck.url) as wire:
            wire.send(data)
            answer = everything(wire)
            assert statuses(answer) == [status], row
            assert b"\r\nConnection: close\r\n" in answer, row
    assert fetch(deck.url, "/good").status == 200
    assert [asked.target for asked in upstream.requests] == [b"/good"]
    assert deck.stop() == 0
    assert [entry["request"]["target"] for entry in interactions(cassette).values()] == ["/good"]


@pytest.mark.parametrize("data", [
    pytest.param(post(b"Content-Length: 100", body=b"0123456789"), id="A37"),
    pytest.param(post(b"Transfer-Encoding: chunked", body=b"5\r\nhello\r\n"), id="A50"),
    pytest.param(post(b"Transfer-Encoding: chunked", body=b"5\r\nhello\r\n0\r\n"), id="A51"),
])
def test_a_request_cut_off_by_its_client_never_reaches_the_origin(recording, cassette, data):
    upstream, deck = recording()
    with Wire(deck.url) as wire:
        wire.send(data)
        wire.socket.shutdown(socket.SHUT_WR)
        assert everything(wire) == b""
    assert deck.stop() == 0
    assert upstream.requests == [] and not interactions(cassette)


# What the origin sees


def seen(recording, data: bytes, *options):
    """The one request that the origin got when a client sent this one."""
    upstream, deck = recording(*options)
    with Wire(deck.url) as wire:
        wire.send(data)
        assert wire.answer().status == 200
    [asked] = upstream.requests
    return asked


def test_A13_a_length_with_leading_zeros_goes_on_in_plain_digits(recording):
    asked = seen(recording, post(b"Content-Length: 0005", body=b"hello"))
    assert asked.values(b"Content-Length") == [b"5"] and asked.body == b"hello"


def test_A22_A39_framing_is_made_anew(recording):
    body = b"5;ext=1\r\nhello\r\n0\r\nContent-Length: 9\r\nAuthorization: evil\r\n\r\n"
    asked = seen(recording, post(b"Transfer-Encoding: , chunked,", body=body))
    assert (asked.values(b"Transfer-Encoding"), asked.values(b"Content-Length")) == ([], [b"5"])
    assert asked.body == b"hello" and not asked.values(b"Authorization")


def test_A30_underscores_are_other_names(recording):
    asked = seen(recording, post(b"Content_Length: 5", b"Transfer_Encoding: chunked", b"Content-Length: 2", body=b"hi"))
    assert asked.values(b"Content_Length") == [b"5"] and asked.values(b"Transfer_Encoding") == [b"chunked"]
    assert asked.body == b"hi"


def test_A35_a_get_keeps_its_body(recording):
    asked = seen(recording, request(b"/x", method=b"GET", body=b"hello"))
    assert (asked.method, asked.values(b"Content-Length"), asked.body) == (b"GET", [b"5"], b"hello")


@pytest.mark.parametrize("method", [b"FOO", b"get", b"M-SEARCH", b"x!#$%&'*+-.^_`|~9"])
def test_A62_a_method_goes_on_as_it_came(recording, method):
    assert seen(recording, request(b"/x", method=method)).method == method


@pytest.mark.parametrize("options", [(), ("--preserve-host",)], ids=["own-host", "preserve-host"])
def test_A66_absolute_form_decides_over_host(recording, options):
    upstream, deck = recording("--match", "host", *options)
    with Wire(deck.url) as wire:
        wire.send(b"GET http://o.example/p?q HTTP/1.1\r\nHost: other\r\n\r\n")
        assert wire.answer().status == 200
    [asked] = upstream.requests
    assert asked.target == b"/p?q"
    assert asked.values(b"Host") == [b"o.example" if options else upstream.authority.encode()]


HOSTILE = [
    b"/a/../../etc/passwd", b"/%2e%2e/", b"/..%2f", b"/..%5c", b"/%c0%af", b"//evil/x", b"/;/..;/", b"/%00",
    b"/%0d%0aX:y", b"/%zz", b"/./.", b"/..", b"/con", b"/" + b"%2e" * 300, b"/" + b"n" * 5000,
]


def test_A76_targets_go_on_byte_for_byte_and_never_leave_the_cassette(recording, cassette, start):
    upstream, deck = recording()
    for target in HOSTILE:
        assert fetch(deck.url, target).body == b"GET " + target + b"|"
    assert [asked.target for asked in upstream.requests] == HOSTILE
    before = set(cassette.parent.iterdir())
    assert deck.stop() == 0
    assert set(cassette.parent.iterdir()) == before
    assert len(interactions(cassette)) == len(HOSTILE)
    replay = start("replay", "--cassette", cassette)
    for target in HOSTILE:
        assert fetch(replay.url, target).body == b"GET " + target + b"|"


ALIKE = [
    b"/A", b"/%41", b"/a", b"/A.", b"/A..", b"/A%20", b"/A/", b"/caf%C3%A9", b"/cafe%CC%81", b"/caf%c3%a9",
    b"/" + b"x" * 254, b"/" + b"x" * 255, b"/" + b"x" * 256, b"/" + b"X" * 256, b"/" + b"x" * 4000,
]


def test_A77_what_differs_a_little_is_kept_apart(recording, cassette, start):
    _, deck = recording(handler=counting())
    answers = [fetch(deck.url, target).body for target in ALIKE]
    assert len(set(answers)) == len(ALIKE)
    assert deck.stop() == 0
    names = list(interactions(cassette))
    assert len({name.lower() for name in names}) == len(ALIKE) and max(map(len, names)) < 256
    replay = start("replay", "--cassette", cassette)
    assert [fetch(replay.url, target).body for target in ALIKE] == answers


def test_A82_opaque_bytes_go_both_ways_and_into_the_cassette(recording, cassette, start):
    value = bytes(range(0x80, 0x100))
    upstream, deck = recording(handler=lambda exchange: reply(b"x", b"X-Back: " + exchange.request.value(b"X-There")))
    assert fetch(deck.url, "/x", b"X-There: " + value).value(b"X-Back") == value
    assert upstream.requests[0].value(b"X-There") == value
    assert deck.stop() == 0
    assert fetch(start("replay", "--cassette", cassette).url, "/x").value(b"X-Back") == value


def test_A87_A88_nominated_fields_are_stripped_but_host(recording):
    asked = seen(recording, request(
        b"/x", b"Connection: close, X-Secret, TE, Host", b"X-Secret: 1", b"TE: trailers", b"X-Kept: 1",
        b"Connection: Authorization, Cookie, Cache-Control", b"Authorization: a", b"Cookie: c", b"Cache-Control: no-cache"))
    names = {name.lower() for name, _ in asked.fields}
    assert not names & {b"x-secret", b"authorization", b"cookie", b"cache-control"}
    assert names >= {b"host", b"x-kept"}
    # `TE: trailers` is said anew, since trailers are relayed.
    assert (asked.values(b"TE"), asked.values(b"Connection")) == ([b"trailers"], [b"TE"])


def test_A89_A99_fields_of_one_hop_stay_here(recording):
    lines = [
        b"Keep-Alive: timeout=5", b"Proxy-Connection: keep-alive", b"TE: trailers", b"Trailer: X-T", b"Upgrade: h2c",
        b"Connection: Upgrade", b"Proxy-Authorization: Basic x", b"Proxy-Authenticate: Basic", b"Sec-WebSocket-Version: 13",
    ]
    asked = seen(recording, request(b"/x", *lines))
    assert {name.lower() for name, _ in asked.fields} == {b"host", b"sec-websocket-version", b"te", b"connection"}
    assert (asked.values(b"TE"), asked.values(b"Connection")) == ([b"trailers"], [b"TE"])


def test_A52_trailers_of_a_request_reach_the_origin(recording, cassette):
    upstream, deck = recording()
    with Wire(deck.url) as wire:
        wire.send(request(b"/x", b"Transfer-Encoding: chunked", b"Trailer: X-Sum", method=b"POST", host=wire.authority)
                  + b"3\r\nsum\r\n3\r\nmed\r\n0\r\nX-Sum: 42\r\nx-sum: 43\r\nContent-Length: 9\r\nCookie: a=1\r\n\r\n")
        assert wire.answer().status == 200
    [asked] = upstream.requests
    assert (asked.body, asked.trailers) == (b"summed", [(b"X-Sum", b"42"), (b"x-sum", b"43")])
    assert asked.values(b"Trailer") == [b"X-Sum"] and not asked.values(b"Content-Length")
    assert deck.stop() == 0
    [kept] = interactions(cassette).values()
    assert kept["request"]["trailers"] == [["X-Sum", "42"], ["x-sum", "43"]]


@pytest.mark.parametrize("data", [
    pytest.param(request(b"/x", b"Upgrade: websocket"), id="without Connection"),
    pytest.param(request(b"/x", b"Upgrade: websocket", b"Connection: upgrade", method=b"POST", body=b""), id="POST"),
    pytest.param(request(b"/x", b"Upgrade: nonsense/9", b"Connection: upgrade"), id="unknown"),
    pytest.param(b"GET /x HTTP/1.0\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n", id="1.0"),
])
def test_A99_an_upgrade_goes_on_as_a_plain_request(recording, data):
    assert not seen(recording, data).values(b"Upgrade")


def test_A90_our_own_address_is_refused_as_origin(tmp_path):
    port = free_port()
    for host in ["127.0.0.1", "localhost", "0.0.0.0", "127.1", "[::ffff:127.0.0.1]"]:
        done = run("record", "--upstream", f"http://{host}:{port}", "--port", port, "--cassette", tmp_path / "c")
        assert done.returncode == 1 and "listen on ourselves" in done.stderr, host
        assert not (tmp_path / "c").exists()
    done = run("serve", "--upstream", f"http://127.0.0.1:{port}", "--listen", f"0.0.0.0:{port}")
    assert done.returncode == 1 and "listen on ourselves" in done.stderr


def test_A90_a_request_that_was_here_is_answered_508(recording):
    upstream, deck = recording()
    assert fetch(deck.url, "/x", b"Via: 1.1 tapedeck").status == 508
    assert fetch(deck.url, "/x", b"Via: 1.1 other").status == 200
    assert len(upstream.requests) == 1


def test_A91_max_forwards_is_counted_down(recording):
    upstream, deck = recording()
    answers = [fetch(deck.url, "/x", b"Max-Forwards: " + hops, method=b"OPTIONS").status
               for hops in [b"0", b"1", b"9", b"-1", b"1x", b"1180591620717411303424"]]
    assert answers == [204, 200, 200, 400, 400, 400]
    assert [asked.values(b"Max-Forwards") for asked in upstream.requests] == [[b"0"], [b"8"]]


def test_A92_trace_is_never_echoed(recording):
    upstream, deck = recording()
    answer = fetch(deck.url, "/x", b"Authorization: Bearer hidden", b"Cookie: c=hidden", b"Max-Forwards: 0", method=b"TRACE")
    assert answer.status == 405 and answer.values(b"Allow") and b"hidden" not in answer.head + answer.body
    assert fetch(deck.url, "/x", method=b"TRACE", body=b"x").status == 400
    assert upstream.requests == []


# Connections


def test_A93_a_thousand_pipelined_requests(recording):
    upstream, deck = recording()
    with Wire(deck.url) as wire:
        wire.send(request(b"/1") + request(b"/2", method=b"POST", body=b"two") + request(b"/3"))
        assert [wire.answer().body for _ in range(3)] == [b"GET /1|", b"POST /2|two", b"GET /3|"]
        wire.send(b"".join(request(b"/%d" % number) for number in range(1000)))
        assert [wire.answer().body for _ in range(1000)] == [b"GET /%d|" % number for number in range(1000)]


def test_A93_large_answers_to_pipelined_requests_keep_their_order(replaying):
    deck = replaying("--quiet")
    count = 20_000
    with Wire(deck.url) as wire:
        data = b"".join(request(b"/json?%d" % number if number % 2 else b"/binary") for number in range(count))
        sending = threading.Thread(target=wire.send, args=(data,))
        sending.start()
        statuses = [wire.answer().status for _ in range(count)]  # the query was never recorded
        sending.join()
    assert statuses == [502 if number % 2 else 200 for number in range(count)]


def test_A93_pipelined_input_is_not_read_without_bound(replaying):
    deck = replaying("--quiet")
    with Wire(deck.url) as wire:
        wire.socket.setblocking(False)
        data, sent, quiet_since = request(b"/binary") * 1000, 0, time.monotonic()
        while time.monotonic() - quiet_since < 1:  # until the proxy has taken nothing for a second
            assert sent < 256 << 20, "it reads what it cannot answer"
            if select.select([], [wire.socket], [], 0.1)[1]:
                try:
                    sent += wire.socket.send(data)
                    quiet_since = time.monotonic()
                except BlockingIOError:
                    pass
        assert deck.mebibytes("VmRSS") < 64


def test_A94_the_good_request_before_a_bad_one_is_answered(recording):
    upstream, deck = recording()
    with Wire(deck.url) as wire:
        wire.send(request(b"/good") + b"GET /bad HTTP/1.1\r\nHost: a b\r\n\r\n" + SMUGGLED)
        assert statuses(everything(wire)) == [200, 400]
    assert [asked.target for asked in upstream.requests] == [b"/good"]


def test_A95_nothing_is_read_behind_a_close(recording):
    upstream, deck = recording()
    with Wire(deck.url) as wire:
        wire.send(request(b"/last", b"Connection: close") + SMUGGLED)
        assert statuses(everything(wire)) == [200]
    assert [asked.target for asked in upstream.requests] == [b"/last"]


def test_A96_http_1_0_is_not_kept_alive(recording):
    _, deck = recording()
    with Wire(deck.url) as wire:
        wire.send(b"GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + SMUGGLED)
        answer = everything(wire)
        assert statuses(answer) == [200] and b"Connection: close\r\n" in answer
        assert b"chunked" not in answer.lower()


def test_A97_an_expectation_of_http_1_0_is_ignored(recording):
    upstream, deck = recording()
    with Wire(deck.url) as wire:
        wire.send(post(b"Expect: 100-continue", b"Content-Length: 5", body=b"hello", version=b"HTTP/1.0"))
        assert statuses(everything(wire)) == [200]
    assert not upstream.requests[0].values(b"Expect")


def test_A98_a_body_refused_unseen_is_never_a_request(recording):
    upstream, deck = recording("--max-body", "1")
    with Wire(deck.url) as wire:
        wire.send(post(b"Expect: 100-continue", b"Content-Length: 9999999"))
        assert wire.head().status == 413
        wire.send(SMUGGLED)
        assert b"HTTP/1.1" not in everything(wire)
    assert upstream.requests == []


def test_the_answer_reaches_a_client_that_is_still_sending(recording):
    _, deck = recording("--max-body", "1")
    piece = b"x" * 65536
    with Wire(deck.url) as wire:
        wire.send(post(b"Content-Length: %d" % (2048 * len(piece))))
        for _ in range(2048):
            wire.send(piece)
        assert statuses(everything(wire)) == [413]
    assert fetch(deck.url, "/x").status == 200


# Time


def lasts(wire: Wire) -> float:
    began = time.monotonic()
    wire.said = everything(wire)
    return time.monotonic() - began


def test_A38_a_stalled_body_is_given_up(recording):
    upstream, deck = recording("--body-timeout", "1")
    with Wire(deck.url) as wire:
        wire.send(post(b"Content-Length: 100", body=b"0123456789"))
        assert 0.9 < lasts(wire) < 1.5
        assert statuses(wire.said) == [408]
    assert upstream.requests == []


def drips(wire: Wire, data: bytes) -> float:
    """Sends a byte every tenth of a second until the proxy answers; how long that took."""
    began = time.monotonic()
    for number in range(len(data)):
        wire.send(data[number:number + 1])
        if select.select([wire.socket], [], [], 0.1)[0]:
            break
    return time.monotonic() - began


def test_A86_a_dripping_head_has_one_deadline(recording):
    upstream, deck = recording("--head-timeout", "1")
    with Wire(deck.url) as wire:
        assert 0.9 < drips(wire, b"GET /x HTTP/1.1\r\nHost: h\r\nX: " + b"y" * 1000) < 1.5
        assert statuses(everything(wire)) == [408]
    assert upstream.requests == []


def test_A86_a_head_dripping_behind_another_request_has_its_deadline_too(recording):
    _, deck = recording("--head-timeout", "1")
    with Wire(deck.url) as wire:
        wire.send(request(b"/first") + b"GET")
        assert wire.answer().status == 200
        assert 0.7 < drips(wire, b" /" + b"y" * 1000) < 1.5
        assert statuses(everything(wire)) == [408]


def test_A86_a_dripping_body_has_to_keep_a_pace(recording):
    upstream, deck = recording("--body-timeout", "1")
    with Wire(deck.url) as wire:
        wire.send(post(b"Content-Length: 1000"))
        assert 0.9 < drips(wire, b"y" * 1000) < 1.6
        assert statuses(everything(wire)) == [408]
    assert upstream.requests == []


def test_A100_a_silent_client_is_let_go(recording):
    _, deck = recording("--idle-timeout", "1")
    with Wire(deck.url) as wire:
        assert 0.9 < lasts(wire) < 1.5
        assert wire.said == b""
    with Wire(deck.url) as wire:
        wire.ask(b"/x")
        assert wire.answer().status == 200
        assert 0.9 < lasts(wire) < 1.5


def test_A100_a_client_that_has_finished_sending_is_answered(recording):
    _, deck = recording()
    with Wire(deck.url) as wire:
        wire.ask(b"/x")
        wire.socket.shutdown(socket.SHUT_WR)
        assert statuses(everything(wire)) == [200]


def test_a_client_that_reads_nothing_is_let_go(replaying):
    deck = replaying("--write-timeout", "1", "--quiet")
    with Wire(deck.url) as wire:
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        wire.send(request(b"/binary") * 2000)
        eventually(lambda: sockets(deck) == 1 + BASE_SOCKETS, "reading")
        eventually(lambda: sockets(deck) == BASE_SOCKETS, "let go", 10)


# Limits

BASE_SOCKETS = 1  # the listener


def sockets(deck: Deck) -> int:
    return sum(1 for link in Path(f"/proc/{deck.process.pid}/fd").iterdir() if "socket:" in reading(link))


def reading(link: Path) -> str:
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return ""


def cpu_seconds(deck: Deck) -> float:
    fields = Path(f"/proc/{deck.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_above_max_connections_clients_are_told_503(replaying):
    deck = replaying("--max-connections", "3", "--quiet")
    held = [Wire(deck.url) for _ in range(3)]
    for wire in held:
        wire.ask(b"/json")
        assert wire.answer().status == 200
    for _ in range(5):
        with Wire(deck.url) as wire:
            wire.ask(b"/json")
            answer = everything(wire)
            assert statuses(answer) == [503] and b"\r\nConnection: close\r\n" in answer
    for wire in held:  # those inside are served on
        wire.ask(b"/json")
        assert wire.answer().status == 200
    held.pop().close()
    eventually(lambda: fetch(deck.url, "/json").status == 200, "a place for another")
    for wire in held:
        wire.close()


def test_above_all_limits_clients_wait_without_cost(replaying):
    deck = replaying("--max-connections", "1", "--quiet")
    with Wire(deck.url) as inside:
        inside.ask(b"/json")
        assert inside.answer().status == 200
        crowd = [Wire(deck.url) for _ in range(200)]
        eventually(lambda: sockets(deck) >= BASE_SOCKETS + 1 + 64, "64 are told 503")
        assert sockets(deck) == BASE_SOCKETS + 1 + 64
        before = cpu_seconds(deck)
        select.select([], [], [], 1)
        assert cpu_seconds(deck) - before < 0.1
        for wire in crowd:
            wire.close()
    eventually(lambda: fetch(deck.url, "/json").status == 200, "served again")


def test_a_full_descriptor_table_pauses_accepting_and_recovers(replaying):
    deck = replaying("--quiet")
    pid = deck.process.pid
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = max(int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()) + 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 2, hard))
    inside = [Wire(deck.url) for _ in range(2)]
    for wire in inside:
        wire.ask(b"/json")
        assert wire.answer().status == 200
    outside = [Wire(deck.url) for _ in range(20)]
    for wire in outside:
        wire.ask(b"/json")
    before = cpu_seconds(deck)
    assert not select.select([wire.socket for wire in outside], [], [], 2)[0]
    assert cpu_seconds(deck) - before < 0.1, "it spins while it cannot accept"
    inside[0].ask(b"/json")
    assert inside[0].answer().status == 200  # those inside are served on
    inside.pop().close()
    assert select.select([wire.socket for wire in outside], [], [], 10)[0]  # a place is taken at once
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
    assert all(wire.answer().status == 200 for wire in outside)
    for wire in inside + outside:
        wire.close()
    eventually(lambda: sockets(deck) == BASE_SOCKETS, "all descriptors are back")


def test_few_descriptors_make_a_lower_limit_instead_of_a_full_table(replaying):
    deck = replaying("--quiet", wrapper=("prlimit", "--nofile=128:128"))
    crowd = [Wire(deck.url) for _ in range(70)]
    answers = []
    for wire in crowd:
        wire.ask(b"/json")
        answers.append(wire.answer().status)
    assert sorted(answers) == [200] * 64 + [503] * 6  # 64 of the 128 are kept back; two loops accept in any order
    for wire in crowd:
        wire.close()


def test_a_soft_descriptor_limit_is_raised(replaying):
    deck = replaying("--quiet", wrapper=("prlimit", "--nofile=64:4096"))
    assert resource.prlimit(deck.process.pid, resource.RLIMIT_NOFILE) == (4096, 4096)


def test_an_idle_proxy_sleeps(replaying):
    deck = replaying("--quiet")
    wires = [Wire(deck.url) for _ in range(50)]
    for wire in wires:
        wire.ask(b"/json")
        assert wire.answer().status == 200

    def wake_ups() -> int:
        tasks = Path(f"/proc/{deck.process.pid}/task").iterdir()
        return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M)[1]) for task in tasks)

    before = wake_ups()
    select.select([], [], [], 3)
    assert wake_ups() - before <= 6
    for wire in wires:
        wire.close()
