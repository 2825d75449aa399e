"""Faults on the way to the client: what real clients see of them, how long it takes, and that nobody else is hurt."""

import errno
import http.client
import json
import socket
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
import requests

from deck import eventually, interactions, log_lines, run
from origin import CHUNKED_HEAD, LAST_CHUNK, chunk, reply
from wire import Wire, fetch

SIZE = 100_000
BODY = bytes(range(256)) * (SIZE // 256) + b"!" * (SIZE % 256)
PLAIN = b"Content-Type: application/octet-stream"


def answer(exchange):
    if exchange.request.target.startswith(b"/chunked"):
        return CHUNKED_HEAD + chunk(BODY[:60_000]) + chunk(BODY[60_000:]) + LAST_CHUNK
    if exchange.request.target.startswith(b"/small"):
        return reply(b"small", PLAIN)
    return reply(BODY, PLAIN)


@pytest.fixture
def faulty(start, origin, cassette, tmp_path):
    """A recording of a few answers, served with faults."""
    deck = start("record", "--upstream", origin(answer).url, "--cassette", cassette)
    for target in ("/a", "/chunked", "/small"):
        fetch(deck.url, target)
    deck.stop()
    files = iter(range(100))

    def faulty(*faults, live=None, options=()):
        file = tmp_path / f"faults-{next(files)}.json"
        file.write_text(json.dumps({"faults": faults}))
        if live:
            return start("serve", "--mode", "passthrough", "--upstream", live.url, "--overrides", file, *options)
        return start("serve", "--cassette", cassette, "--overrides", file, *options)

    return faulty


@pytest.fixture(params=["recorded", "live"])
def way(request, faulty, origin):
    """The same faults over a recording and over an origin."""
    return lambda *faults, **how: faulty(*faults, live=origin(answer) if request.param == "live" else None, **how)


def timed(action):
    start = time.monotonic()
    result = action()
    return result, time.monotonic() - start


def get(deck, target="/a"):
    return requests.get(deck.url + target, timeout=30)


def raw(deck, request: bytes):
    """What a plain socket hears: the bytes, and the error that ended them."""
    parts = urlsplit(deck.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as line:
        line.sendall(request)
        heard = b""
        while True:
            try:
                piece = line.recv(1 << 16)
            except OSError as error:
                return heard, error.errno
            if not piece:
                return heard, None
            heard += piece


GET_A = b"GET /a HTTP/1.1\r\nHost: h\r\n\r\n"


def test_latency(way):
    deck = way({"path": "/a", "type": "latency", "latency": 300, "jitter": 50})
    got, took = timed(lambda: get(deck))
    assert got.content == BODY and 0.25 <= took < 1.5
    eventually(lambda: log_lines(deck, "GET /a 200", "(fault fault-1)"), "the log says so")


@pytest.mark.parametrize("target", ["/a", "/chunked"])
def test_bandwidth(way, target):
    deck = way({"path": target, "type": "bandwidth", "rate": 200})
    got, took = timed(lambda: get(deck, target))
    assert got.content == BODY
    assert 0.45 <= took < 2, "100 kB at 200 kB/s"


def test_slow_close(way):
    deck = way({"path": "/a", "type": "slow_close", "delay": 400})
    with Wire(deck.url) as wire:
        wire.ask(b"/a")
        got, body_took = timed(wire.answer)
        assert got.body == BODY and got.value(b"Connection") == b"close"
        closed, took = timed(wire.is_closed)
    assert closed and took + body_took >= 0.39 and took < 2


def test_timeout(way):
    deck = way({"path": "/a", "type": "timeout", "timeout": 300})
    (heard, error), took = timed(lambda: raw(deck, GET_A))
    assert (heard, error) == (b"", None)
    assert 0.29 <= took < 1.5


def test_a_timeout_of_zero_waits_for_the_client(way):
    deck = way({"path": "/a", "type": "timeout"})
    with pytest.raises(requests.exceptions.ReadTimeout):
        requests.get(f"{deck.url}/a", timeout=0.5)
    eventually(lambda: log_lines(deck, "GET /a", "cut short"), "the exchange is over once the client has gone")
    assert get(deck, "/small").content == b"small"


@pytest.mark.parametrize("timeout", [0, 200])
def test_reset_peer_is_a_reset(way, timeout):
    deck = way({"path": "/a", "type": "reset_peer", "timeout": timeout})
    (heard, error), took = timed(lambda: raw(deck, GET_A))
    assert (heard, error) == (b"", errno.ECONNRESET)
    assert timeout / 1000 - 0.01 <= took < timeout / 1000 + 1
    done = subprocess.run(["curl", "-sS", f"{deck.url}/a"], capture_output=True, text=True)
    assert done.returncode == 56 and "reset" in done.stderr.lower()


def test_empty_response(way):
    deck = way({"path": "/a", "type": "empty_response"})
    assert raw(deck, GET_A) == (b"", None)
    connection = http.client.HTTPConnection(urlsplit(deck.url).netloc, timeout=10)
    connection.request("GET", "/a")
    with pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    assert subprocess.run(["curl", "-sS", f"{deck.url}/a"], capture_output=True).returncode == 52


def test_random_data_then_close(way):
    deck = way({"path": "/a", "type": "random_data_then_close", "seed": 7})
    heard, error = raw(deck, GET_A)
    assert heard and not heard.startswith(b"HTTP") and error is None
    connection = http.client.HTTPConnection(urlsplit(deck.url).netloc, timeout=10)
    connection.request("GET", "/a")
    with pytest.raises(http.client.BadStatusLine):
        connection.getresponse()


@pytest.mark.parametrize("target", ["/a", "/chunked"])
def test_malformed_response_chunk(way, target):
    deck = way({"path": target, "type": "malformed_response_chunk"})
    with pytest.raises((requests.exceptions.ChunkedEncodingError, requests.exceptions.ConnectionError)):
        get(deck, target)
    assert subprocess.run(["curl", "-sS", f"{deck.url}{target}"], capture_output=True).returncode == 56


@pytest.mark.parametrize("target", ["/a", "/chunked"])
@pytest.mark.parametrize("limit", [0, 1, 12_345, SIZE - 1])
def test_limit_data(way, target, limit):
    deck = way({"path": target, "type": "limit_data", "bytes": limit})
    with Wire(deck.url) as wire:
        wire.ask(target.encode())
        head = wire.head()
        rest = wire.stream.read()
    if head.chunked:
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            get(deck, target)
        data = b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            data += rest[:int(size, 16)]
            rest = rest[int(size, 16) + 2:]
    else:
        assert head.value(b"Content-Length") == b"%d" % SIZE
        data = rest
    assert data == BODY[:limit]


def test_a_body_within_the_limit_is_whole_and_its_connection_goes_on(way):
    deck = way({"path": "/*", "type": "limit_data", "bytes": SIZE})
    with Wire(deck.url) as wire:
        for target in (b"/a", b"/chunked", b"/small"):
            wire.ask(target)
            assert wire.answer().body in (BODY, b"small")


def test_a_cut_body_of_an_old_client_ends_with_a_reset(faulty):
    deck = faulty({"path": "/chunked", "type": "limit_data", "bytes": 10})
    heard, error = raw(deck, b"GET /chunked HTTP/1.0\r\n\r\n")
    assert heard.endswith(BODY[:10]) and error == errno.ECONNRESET


def pieces(deck, pause=0.004):
    """The sizes in which a body without chunks arrives, when pieces come apart in time."""
    parts = urlsplit(deck.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as line:
        line.sendall(GET_A)
        heard, sizes = b"", []
        while b"\r\n\r\n" not in heard:
            heard += line.recv(1 << 16)
        got = len(heard.partition(b"\r\n\r\n")[2])
        if got:
            sizes.append(got)
        while got < SIZE:
            piece = line.recv(1 << 16)
            assert piece
            got += len(piece)
            sizes.append(len(piece))
        return sizes


def chunk_sizes(deck):
    with Wire(deck.url) as wire:
        wire.ask(b"/chunked")
        got = wire.answer()
        assert got.body == BODY
        return [len(each) for each in got.chunks]


def test_slicer_cuts_where_its_seed_says(way):
    fault = {"path": "/chunked", "type": "slicer", "average_size": 5000, "size_variation": 1000, "delay": 100, "seed": 3}
    sizes = chunk_sizes(way(fault))
    # An answer that comes in two pieces of its own has a cut of its own between them.
    assert sum(sizes) == SIZE and len(sizes) >= 17 and all(size <= 6000 for size in sizes)
    assert chunk_sizes(way(fault)) == sizes
    assert chunk_sizes(way({**fault, "seed": 4})) != sizes


def test_slices_leave_one_by_one_with_a_pause(faulty):
    deck = faulty({"path": "/a", "type": "slicer", "average_size": 10_000, "delay": 20_000})
    sizes, took = timed(lambda: pieces(deck))
    assert sizes == [10_000] * 10
    assert 0.18 <= took < 2


def outcome(deck, target="/small"):
    try:
        return fetch(deck.url, target).body
    except ConnectionError as error:
        return type(error).__name__


def test_a_seed_gives_the_same_run_twice(faulty):
    def run_with(seed):
        deck = faulty(
            {"path": "/small", "type": "reset_peer", "toxicity": 0.3, "seed": seed},
            {"path": "/small", "type": "limit_data", "bytes": 2, "toxicity": 0.2, "seed": seed + 1},
            {"path": "/chunked", "type": "slicer", "average_size": 9000, "size_variation": 4000, "toxicity": 0.5,
             "seed": seed},
            {"path": "/a", "type": "random_data_then_close", "seed": seed})
        small = [outcome(deck) for _ in range(60)]
        return small, [chunk_sizes(deck) for _ in range(8)], [raw(deck, GET_A) for _ in range(3)]

    first = run_with(1)
    assert run_with(1) == first
    other = run_with(2)
    assert all(mine != theirs for mine, theirs in zip(first, other))
    kinds = {kind: first[0].count(kind) for kind in first[0]}
    assert len(kinds) == 3 and 8 <= kinds["ConnectionResetError"] <= 30


def test_the_times_of_a_seed_are_the_same(faulty):
    def run_with(seed):
        deck = faulty({"path": "/small", "type": "latency", "latency": 500, "jitter": 490, "seed": seed})
        return [timed(lambda: get(deck, "/small"))[1] for _ in range(6)]

    first, second, other = run_with(5), run_with(5), run_with(6)
    assert max(abs(a - b) for a, b in zip(first, second)) < 0.3
    assert statistics.pstdev(first) > 0.07
    assert max(abs(a - b) for a, b in zip(first, other)) > 0.3


def test_several_faults_at_once(faulty):
    deck = faulty({"id": "late", "path": "/a", "type": "latency", "latency": 200},
                  {"id": "thin", "path": "/*", "type": "bandwidth", "rate": 500})
    got, took = timed(lambda: get(deck))
    assert got.content == BODY and took >= 0.38
    eventually(lambda: log_lines(deck, "GET /a", "(fault late, fault thin)"), "the log says so")


def test_pipelined_requests_keep_their_order(faulty):
    deck = faulty({"path": "/a", "type": "latency", "latency": 150}, {"path": "/chunked", "type": "bandwidth", "rate": 1000})
    with Wire(deck.url) as wire:
        for target in (b"/a", b"/small", b"/chunked", b"/small"):
            wire.ask(target)
        assert [wire.answer().body for _ in range(4)] == [BODY, b"small", BODY, b"small"]


def test_what_was_answered_before_a_reset_arrives(faulty):
    deck = faulty({"path": "/a", "type": "reset_peer"})
    heard, error = raw(deck, b"GET /small HTTP/1.1\r\nHost: h\r\n\r\n" + GET_A)
    assert heard.endswith(b"small") and error == errno.ECONNRESET


def test_faults_stay_out_of_the_cassette(start, origin, tmp_path):
    file = tmp_path / "faults.json"
    file.write_text(json.dumps({"faults": [
        {"path": "/small", "type": "bandwidth", "rate": 1}, {"path": "/a", "type": "limit_data", "bytes": 10}]}))
    fresh = tmp_path / "fresh"
    deck = start("record", "--upstream", origin(answer).url, "--cassette", fresh, "--overrides", file)
    assert fetch(deck.url, "/small").body == b"small"
    with pytest.raises(ConnectionError):
        fetch(deck.url, "/a")
    assert deck.stop() == 0
    assert [each["request"]["target"] if "target" in each["request"] else each["request"].get("url") for each in
            interactions(fresh).values()], "the whole exchange is recorded, the broken one is not"
    assert len(interactions(fresh)) == 1


def test_a_fault_on_a_route_of_the_file(start, recorded, cassette, tmp_path):
    recorded("/known")
    file = tmp_path / "overrides.json"
    file.write_text(json.dumps({
        "routes": [{"path": "/r", "json": {"ok": True}}], "faults": [{"path": "/r", "type": "limit_data", "bytes": 3}]}))
    deck = start("serve", "--cassette", cassette, "--overrides", file)
    heard, error = raw(deck, b"GET /r HTTP/1.1\r\nHost: h\r\n\r\n")
    assert heard.endswith(b'\r\n\r\n{"o') and error is None


def test_64_clients_under_faults_hurt_nobody_else(faulty):
    deck = faulty(
        {"path": "/a", "type": "bandwidth", "rate": 50, "toxicity": 0.5, "seed": 1},
        {"path": "/a", "type": "reset_peer", "timeout": 50, "toxicity": 0.2, "seed": 2},
        {"path": "/chunked", "type": "slicer", "average_size": 700, "size_variation": 600, "delay": 500},
        {"path": "/chunked", "type": "limit_data", "bytes": 50_000, "toxicity": 0.3, "seed": 3}, options=("--quiet",))
    before = deck.mebibytes("VmRSS")

    def suffer(number):
        target = b"/a" if number % 2 else b"/chunked"
        for _ in range(2):
            try:
                assert fetch(deck.url, target).body == BODY
            except ConnectionError:
                pass

    with ThreadPoolExecutor(65) as pool:
        suffering = [pool.submit(suffer, number) for number in range(64)]
        session, took = requests.Session(), []
        while not all(each.done() for each in suffering):
            got = session.get(f"{deck.url}/small", timeout=30)
            assert got.content == b"small"
            took.append(got.elapsed.total_seconds())
        for each in suffering:
            each.result()
    assert len(took) > 20 and statistics.median(took) < 0.1
    # 64 bodies held whole twice would be 12 MiB more.
    assert deck.mebibytes("VmHWM") - before < 40
    assert get(deck, "/small").content == b"small"


def test_a_client_that_leaves_while_it_waits_leaves_nothing_behind(way):
    deck = way({"path": "/a", "type": "latency", "latency": 60_000}, {"path": "/chunked", "type": "bandwidth", "rate": 1})
    with Wire(deck.url) as waiting, Wire(deck.url) as reading:
        waiting.ask(b"/a")
        reading.ask(b"/chunked")
        assert reading.head().status == 200
    eventually(lambda: log_lines(deck, "/chunked", "cut short"), "the slow body is given up")
    assert get(deck, "/small").content == b"small"


@pytest.mark.parametrize(("fault", "problem"), [
    ({"path": "/a", "type": "latancy"}, "faults[0].type: must be one of latency, bandwidth, slow_close"),
    ({"path": "/a", "type": "bandwidth"}, "faults[0].rate: is missing"),
    ({"path": "/a", "type": "latency", "latency": 10, "attributes": {}}, "faults[0].attributes: unknown member"),
    ({"type": "timeout"}, "faults[0].path"),
])
def test_a_wrong_fault_says_where_and_what(tmp_path, cassette, recorded, fault, problem):
    recorded("/a")
    file = tmp_path / "overrides.json"
    file.write_text(json.dumps({"faults": [fault]}))
    done = run("serve", "--cassette", cassette, "--port", "0", "--overrides", file)
    assert done.returncode == 1 and problem in done.stderr, done.stderr
