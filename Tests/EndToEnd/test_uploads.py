"""Uploads: a large request body goes to the origin while it comes, if nothing needs it whole."""

import json
import os
import random
import socket
import subprocess
import threading
import time
from hashlib import sha256

import pytest

from deck import eventually, interactions, is_release, journal, log_lines
from origin import HangUp, Origin, reply
from peers import proxy_status, server_context
from servers import Gunicorn, Nginx, free_port
from wire import Request, Wire, fetch, read_body, read_exactly, read_head

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
MEBI = 1 << 20
HELD = MEBI  # up to here a body is collected before it is passed on
TOKEN = b"ghp_" + b"Zq8Rk2Vn5Tw7Yx3Bm6Lc9Pd4Hs1Jf0Ga" + b"Qe2K"


def noise(count: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(count)


def text(count: int) -> bytes:
    lines = b"".join(b"%08d,an ordinary line of a table,%d\n" % (n, n * n) for n in range(20_000))
    return (lines * (count // len(lines) + 1))[:count]


def head(line, method: bytes = b"PUT", target: bytes = b"/upload", count: int = 0, *fields: bytes) -> bytes:
    return b"\r\n".join(
        [method + b" " + target + b" HTTP/1.1", b"Host: " + line.authority, b"Content-Length: %d" % count, *fields]
    ) + b"\r\n\r\n"


def body_of(cassette, interaction: dict) -> bytes:
    body = interaction["request"]["body"]
    if "file" in body:
        return (cassette / body["file"]).read_bytes()
    return json.dumps(body["json"]).encode() if "json" in body else "".join(body["text"]).encode()


def everything(cassette) -> bytes:
    return b"".join(path.read_bytes() for path in cassette.rglob("*") if path.is_file())


def spools(cassette) -> list[str]:
    return [path.name for path in (cassette / "bodies").glob(".*")]


@pytest.fixture(scope="module")
def digests(tmp_path_factory):
    """A real server that says what it got."""
    server = Gunicorn(tmp_path_factory.mktemp("gunicorn"), "upload_app:app")
    yield server
    server.stop()


# Passing it on


def test_a_body_reaches_the_origin_while_it_comes(peer, record, cassette, start):
    halfway, body = threading.Event(), noise(4 * MEBI)

    def script(line):
        message = read_head(line.stream, Request)
        assert message.value(b"Content-Length") == b"%d" % len(body)
        first = read_exactly(line.stream, len(body) // 2)
        halfway.set()
        assert first + read_exactly(line.stream, len(body) // 2) == body
        line.send(reply(b"got it"))

    deck = record(peer(script).url)
    with Wire(deck.url) as line:
        line.send(head(line, count=len(body)) + body[: len(body) // 2])
        assert halfway.wait(10), "the origin has seen nothing of what came"
        line.send(body[len(body) // 2:])
        assert line.answer().body == b"got it"
    assert deck.stop() == 0
    (interaction,) = interactions(cassette).values()
    assert body_of(cassette, interaction) == body and spools(cassette) == []
    replay = start("replay", "--cassette", cassette)
    assert fetch(replay.url, "/upload", method=b"PUT", body=body).body == b"got it"
    assert fetch(replay.url, "/upload", method=b"PUT", body=body[:-1] + b"x").status == 502


@pytest.mark.parametrize("make", [noise, text])
@pytest.mark.parametrize("count", [HELD, HELD + 1, 4 * MEBI, 4 * MEBI + 1, 9 * MEBI if is_release() else 5 * MEBI])
def test_every_size_is_recorded_and_replayed(count, make, digests, record, cassette, start):
    body = make(count)
    expected = f"{count} {sha256(body).hexdigest()}\n".encode()
    deck = record(digests.url)
    assert fetch(deck.url, "/a", method=b"POST", body=body).body == expected
    assert fetch(deck.url, "/b", method=b"POST", body=body).body == expected
    assert deck.stop() == 0, deck.stderr
    for interaction in interactions(cassette).values():
        assert body_of(cassette, interaction) == body
    replay = start("replay", "--cassette", cassette)
    assert fetch(replay.url, "/b", method=b"POST", body=body).body == expected
    assert fetch(replay.url, "/a", method=b"POST", body=body).body == expected


def test_it_is_recorded_as_a_body_that_was_held(digests, start, tmp_path):
    """The same request, streamed and collected (as a rule that looks at bodies makes it be), gives the same files."""
    body = json.dumps({"rows": [{"id": n, "note": "ordinary " * 60, "password": f"hunter{n}"} for n in range(2_000)]}).encode()
    assert HELD < len(body) < 4 * MEBI
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"patches": [{"path": "/*", "when": {"body": {"contains": "nowhere"}}, "status": 500}]}))
    files = []
    for name, options in (("streamed", ()), ("held", ("--overrides", rules))):
        deck = start("record", "--upstream", digests.url, "--cassette", tmp_path / name, *options)
        assert fetch(deck.url, "/a", b"Content-Type: application/json", method=b"POST", body=body).status == 200
        assert deck.stop() == 0
        found = interactions(tmp_path / name)
        for interaction in found.values():
            interaction.pop("volatile")
        assert b"hunter" not in everything(tmp_path / name)
        files.append(found)
    assert files[0] == files[1]


def test_several_uploads_and_other_requests_share_a_connection(digests, record, cassette):
    deck = record(digests.url)
    bodies = [noise(count, count) for count in (2 * MEBI, 10, 3 * MEBI + 1)]
    with Wire(deck.url) as line:
        # All at once: what follows a body is the next request.
        requests = b"".join(head(line, b"POST", b"/%d" % n, len(body)) + body for n, body in enumerate(bodies))
        sender = threading.Thread(target=line.send, args=(requests,))
        sender.start()
        for body in bodies:
            assert line.answer().body == f"{len(body)} {sha256(body).hexdigest()}\n".encode()
        sender.join()
    assert deck.stop() == 0
    assert len(interactions(cassette)) == 3


@pytest.mark.parametrize("kind", ["a pattern", "random bytes"])
def test_a_large_upload_takes_no_memory(record, cassette, figure, tmp_path, kind):
    """1 GiB in the long form."""
    count = (1024 if LONG else 128 if is_release() else 16) * MEBI
    pattern = bytes(range(256)) * (MEBI // 256)

    def sink(exchange):
        raise AssertionError("the body is read elsewhere")

    class Counter(Origin):
        def _serve(self, line):
            digest, rest = sha256(), count
            with line, line.makefile("rb") as stream:
                read_head(stream, Request)
                while rest and (data := stream.read1(MEBI)):
                    digest.update(data)
                    rest -= len(data)
                line.sendall(reply(digest.hexdigest().encode()))

    with Counter(sink) as upstream:
        deck = record(upstream.url, "--max-body", "2048", "--threads", "1")
        before = deck.mebibytes("VmRSS")
        digest, began = sha256(), time.monotonic()
        with Wire(deck.url) as line:
            line.socket.settimeout(120)
            line.send(head(line, count=count))
            for _ in range(count // MEBI):
                piece = pattern if kind == "a pattern" else os.urandom(MEBI)
                line.send(piece)
                digest.update(piece)
            assert line.answer().body == digest.hexdigest().encode()
        seconds = time.monotonic() - began
        passed, began = deck.mebibytes("VmHWM"), time.monotonic()
        what = f"upload of {count // MEBI} MiB of {kind}"
        figure(f"{what}: resident memory", f"{before:.0f} → {passed:.0f} MiB at most")
        figure(f"{what}: speed", f"{count / MEBI / seconds:.0f} MiB/s")
        assert deck.stop() == 0, deck.stderr
        figure(f"{what}: sealing", f"{time.monotonic() - began:.1f} s")
    (interaction,) = interactions(cassette).values()
    assert interaction["request"]["body"]["size"] == count
    assert (cassette / interaction["request"]["body"]["file"]).stat().st_size == count
    assert passed < 64


def test_a_slow_origin_slows_the_client(peer, start):
    go, count = threading.Event(), 64 * MEBI

    def script(line):
        line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        message = read_head(line.stream, Request)
        assert go.wait(30)
        read_body(line.stream, message, until_close=False)
        line.send(reply(sha256(message.body).hexdigest().encode()))

    deck = start("serve", "--mode", "passthrough", "--upstream", peer(script).url, "--threads", "1")
    body = noise(MEBI) * 64
    before, sent = deck.mebibytes("VmRSS"), []
    with Wire(deck.url) as line:
        def send():
            for start in range(0, count, MEBI):
                line.send(body[start:start + MEBI])
                sent.append(start)

        line.send(head(line, count=count))
        sender = threading.Thread(target=send)
        sender.start()
        last = -1
        while last != len(sent):
            last = len(sent)
            time.sleep(0.5)
        assert last < 40, "the client is not held back"
        assert deck.mebibytes("VmRSS") < before + 16
        go.set()
        sender.join()
        assert line.answer().body == sha256(body).hexdigest().encode()
    assert deck.stop() == 0


def test_tls_to_an_origin_that_reads_in_fits(authority, peer, start):
    """A write that TLS could not finish is repeated with the same bytes from the same place."""
    ca, sign = authority
    certificate, key = sign("uploads", "IP:127.0.0.1")
    body = noise(MEBI) * 24

    def script(line):
        line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        message, rest, digest = read_head(line.stream, Request), len(body), sha256()
        while rest:
            data = line.stream.read(min(rest, 3 * MEBI + 17))
            digest.update(data)
            rest -= len(data)
            time.sleep(0.05)
        line.send(reply(digest.hexdigest().encode() + message.target))

    upstream = peer(script, tls=server_context(certificate, key))
    deck = start("serve", "--mode", "passthrough", "--upstream", upstream.url, "--cacert", ca)
    answer = fetch(deck.url, "/tls", method=b"PUT", body=body)
    assert answer.body == sha256(body).hexdigest().encode() + b"/tls"


# Who needs it whole


def served_whole(deck, wire_head, body, seen: threading.Event) -> bytes:
    """Sends all but the last byte, and looks whether the origin has heard of it by then."""
    with Wire(deck.url) as line:
        line.send(head(line, *wire_head) + body[:-1])
        assert not seen.wait(0.3), "the origin was asked before the request was complete"
        line.send(body[-1:])
        return line.answer().body


@pytest.mark.parametrize("rules", [
    {"patches": [{"path": "/upload", "when": {"body": {"contains": "x"}}, "status": 202}]},
    {"faults": [{"path": "/upload", "when": {"jsonPath": {"$.a": 1}}, "type": "reset_peer"}]},
    {"routes": [{"path": "/upload", "method": "PUT", "when": {"json": {"a": 1}}, "text": "mine"}]},
    {"resources": [{"path": "/upload"}]},
])
def test_a_rule_that_looks_at_bodies_gets_them_whole(rules, peer, start, tmp_path):
    seen = threading.Event()

    def script(line):
        line.request()
        seen.set()
        line.send(reply(b"origin"))

    (tmp_path / "rules.json").write_text(json.dumps(rules))
    deck = start("serve", "--mode", "passthrough", "--upstream", peer(script).url, "--overrides", tmp_path / "rules.json")
    body = noise(2 * MEBI)
    answer = served_whole(deck, (b"PUT", b"/upload", len(body)), body, seen)
    assert answer == b"origin" or "resources" in rules


@pytest.mark.parametrize("rules", [
    {"patches": [{"path": "/upload", "headers": {"X-Patched": "1"}}]},
    {"faults": [{"path": "/upload", "type": "latency", "latency": 50}]},
    {"routes": [{"path": "/upload", "text": "for GET"}]},
    {"routes": [{"path": "/other", "method": "*", "text": "mine"}]},
])
def test_other_rules_do_not(rules, peer, start, tmp_path):
    begun = threading.Event()

    def script(line):
        message = read_head(line.stream, Request)
        begun.set()
        read_body(line.stream, message, until_close=False)
        line.send(reply(b"origin"))

    (tmp_path / "rules.json").write_text(json.dumps(rules))
    deck = start("serve", "--mode", "passthrough", "--upstream", peer(script).url, "--overrides", tmp_path / "rules.json")
    body = noise(2 * MEBI)
    with Wire(deck.url) as line:
        line.send(head(line, count=len(body)) + body[:MEBI])
        assert begun.wait(10)
        line.send(body[MEBI:])
        answer = line.answer()
        assert answer.body == b"origin"
        assert "patches" not in rules or answer.value(b"X-Patched") == b"1"


def test_a_route_gets_the_whole_body(start, tmp_path):
    (tmp_path / "rules.json").write_text(json.dumps(
        {"routes": [{"path": "/upload", "method": "PUT", "when": {"jsonPath": {"$.last": 7}}, "text": "read"}]}))
    deck = start("serve", "--overrides", tmp_path / "rules.json")
    body = json.dumps({"filler": "x" * 2 * MEBI, "last": 7}).encode()
    with Wire(deck.url) as line:
        line.send(head(line, b"PUT", b"/upload", len(body), b"Expect: 100-continue"))
        assert line.head().status == 100
        line.send(body)
        assert line.answer().body == b"read"


def test_what_is_replayed_or_known_is_held(digests, record, cassette, start):
    body = noise(2 * MEBI)
    deck = record(digests.url)
    first = fetch(deck.url, "/a", method=b"POST", body=body).body
    assert deck.stop() == 0
    deck = start("serve", "--upstream", digests.url, "--cassette", cassette)
    with Wire(deck.url) as line:
        line.send(head(line, b"POST", b"/a", len(body), b"Expect: 100-continue"))
        assert line.head().status == 100
        line.send(body)
        assert line.answer().body == first
    eventually(lambda: log_lines(deck, "POST /a", " cassette "), "the log says who responded")


def test_a_chunked_body_is_held(peer, record):
    seen = threading.Event()

    def script(line):
        line.request()
        seen.set()
        line.send(reply(b"origin"))

    deck = record(peer(script).url)
    with Wire(deck.url) as line:
        line.send(b"PUT /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(4):
            line.send(b"%x\r\n%s\r\n" % (MEBI, noise(MEBI)))
        assert not seen.wait(0.3)
        line.send(b"0\r\n\r\n")
        assert line.answer().body == b"origin"


def test_too_large_is_refused_from_the_head(peer, record, cassette):
    deck = record(peer(lambda line: line.request()).url, "--max-body", "2")
    with Wire(deck.url) as line:
        line.send(head(line, count=2 * MEBI + 1))
        assert line.answer().status == 413
        assert line.is_closed()


def test_a_replay_that_holds_less_than_was_recorded_says_so(digests, record, cassette, start):
    """What is compared is held, up to --max-body, which is told from the head."""
    body = noise(3 * MEBI)
    deck = record(digests.url)
    first = fetch(deck.url, "/a", method=b"POST", body=body).body
    assert deck.stop() == 0
    for options in (["replay"], ["serve", "--upstream", digests.url, "--mode", "new_episodes"]):
        small = start(*options, "--cassette", cassette, "--max-body", "2")
        with Wire(small.url) as line:
            line.send(head(line, b"POST", b"/a", len(body)))
            answer = line.answer()
            assert answer.status == 413 and b"--max-body" in answer.body, answer.body
        small.stop()
        large = start(*options, "--cassette", cassette, "--max-body", "4")
        assert fetch(large.url, "/a", method=b"POST", body=body).body == first
        large.stop()


def test_a_new_episode_is_held_and_recorded(digests, start, cassette):
    """Whether it is known shows only with its last byte."""
    for seeds, known in (((1, 2), 0), ((1, 3), 1)):
        deck = start("serve", "--upstream", digests.url, "--cassette", cassette, "--mode", "new_episodes")
        for seed in seeds:
            body = noise(2 * MEBI, seed)
            expected = f"{len(body)} {sha256(body).hexdigest()}\n".encode()
            assert fetch(deck.url, "/a", method=b"POST", body=body).body == expected
        assert deck.stop() == 0
        assert len(log_lines(deck, "POST /a", " cassette ")) == known
    assert len(interactions(cassette)) == 3


# Refused by the origin


def refusing(line):
    """Answers from the head, and reads no further."""
    read_head(line.stream, Request)
    line.send(reply(b"no\n", b"Connection: close", status=b"401 Unauthorized"))
    line.socket.shutdown(socket.SHUT_WR)
    line.wait_for_close()


def test_a_401_from_the_head_spares_the_upload(peer, record, cassette, figure):
    upstream = peer(refusing)
    deck = record(upstream.url)
    with Wire(deck.url) as line:
        began = time.monotonic()
        line.send(head(line, b"PUT", b"/upload", 6_000_000, b"Expect: 100-continue"))
        answer = line.answer()
        seconds = time.monotonic() - began
        assert (answer.status, answer.body) == (401, b"no\n")
        assert answer.value(b"Connection") == b"close"
        assert line.is_closed()
    figure("an upload that is refused from its head", f"{seconds * 1000:.1f} ms")
    assert seconds < 0.05
    assert fetch(deck.url, "/next").status == 401
    deck.stop()
    assert "did not send the rest" in deck.stderr
    assert [each["request"]["target"] for each in interactions(cassette).values()] == ["/next"]


def refused_upload(url: str, target: bytes, count: int = 6_000_000):
    """An answer that comes while the body is still being sent, and how long it took."""
    with Wire(url) as line:
        body = noise(MEBI)
        began = time.monotonic()
        line.send(head(line, b"POST", target, count))
        done = []

        def send():
            try:
                for start in range(0, count, MEBI):
                    line.send(body[:min(MEBI, count - start)])
                done.append(True)
            except OSError:
                pass

        sender = threading.Thread(target=send)
        sender.start()
        answer = line.answer()
        seconds = time.monotonic() - began
        sender.join(10)
        assert not sender.is_alive()
        assert line.is_closed()
        return answer, seconds, bool(done)


def test_a_client_that_sends_on_gets_its_refusal(peer, record, cassette, figure):
    deck = record(peer(refusing).url)
    answer, seconds, is_sent = refused_upload(deck.url, b"/upload")
    assert (answer.status, answer.body, is_sent) == (401, b"no\n", True)
    figure("6 MB to an origin that refuses from the head", f"{seconds * 1000:.1f} ms")
    assert seconds < 0.05
    assert deck.stop() == 0
    # All of it came after all.
    (interaction,) = interactions(cassette).values()
    assert interaction["response"]["status"] == 401
    assert len(body_of(cassette, interaction)) == 6_000_000


@pytest.mark.parametrize("kind", ["nginx", "gunicorn"])
def test_real_servers_refuse(kind, digests, tmp_path, start):
    nginx = Nginx(tmp_path / "nginx", "client_max_body_size 1m; location / { return 200 'ok\\n'; }")
    try:
        url, status = (nginx.url, 413) if kind == "nginx" else (digests.url, 401)
        deck = start("serve", "--mode", "passthrough", "--upstream", url)
        for _ in range(5):
            answer, _, _ = refused_upload(deck.url, b"/refused")
            assert answer.status == status
        # What a client library makes of it.
        done = subprocess.run(
            ["curl", "-sS", "-o", tmp_path / "out", "-w", "%{http_code}", "-T", "-", "-H", "Expect: 100-continue",
             "-H", "Transfer-Encoding:", "-H", f"Content-Length: {6_000_000}", f"{deck.url}/refused"],
            input=noise(6_000_000), capture_output=True, timeout=20)
        assert done.stdout == b"%d" % status, done
        assert fetch(deck.url, "/small", method=b"POST", body=b"x").status == 200
        deck.stop()
    finally:
        nginx.stop()


def test_the_100_is_the_origins(peer, record, cassette):
    asked, body = threading.Event(), noise(3 * MEBI)

    def script(line):
        message = read_head(line.stream, Request)
        assert message.value(b"Expect") == b"100-continue"
        assert asked.wait(10)
        line.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        read_body(line.stream, message, until_close=False)
        line.send(reply(sha256(message.body).hexdigest().encode()))

    deck = record(peer(script).url)
    with Wire(deck.url) as line:
        line.send(head(line, b"PUT", b"/upload", len(body), b"Expect: 100-continue"))
        line.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            line.socket.recv(1)
        line.socket.settimeout(10)
        asked.set()
        line.stream = line.socket.makefile("rb")
        assert line.head().status == 100
        line.send(body)
        assert line.answer().body == sha256(body).hexdigest().encode()
    assert deck.stop() == 0
    (interaction,) = interactions(cassette).values()
    assert "interim" not in interaction["response"] and "expect" not in json.dumps(interaction["request"]).lower()


def test_a_client_that_does_not_wait_for_a_silent_origin(digests, record):
    """RFC 9110 §10.1.1: the body may be sent without a 100."""
    body = noise(2 * MEBI)
    upstream = Origin(lambda exchange: reply(b"late"))
    upstream_url = upstream.url
    try:
        deck = record(upstream_url)
        assert fetch(deck.url, "/", b"Expect: 100-continue", method=b"PUT", body=body).status in (100, 200)
    finally:
        upstream.stop()


def test_an_early_response_is_recorded_once_the_rest_has_come(peer, record, cassette, start):
    body = noise(3 * MEBI)

    def script(line):
        message = read_head(line.stream, Request)
        line.send(reply(b"early"))
        read_body(line.stream, message, until_close=False)

    deck = record(peer(script).url)
    with Wire(deck.url) as line:
        line.send(head(line, count=len(body)))
        assert line.answer().body == b"early"
        assert interactions(cassette) == {}
        line.send(body)
        assert line.is_closed()
    assert deck.stop() == 0, deck.stderr
    replay = start("replay", "--cassette", cassette)
    assert fetch(replay.url, "/upload", method=b"PUT", body=body).body == b"early"


def test_a_response_and_an_upload_at_the_same_time(peer, start):
    """An echo: the response begins before the body has ended, and both are complete."""
    body = noise(6 * MEBI)

    def script(line):
        read_head(line.stream, Request)
        line.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
        rest = len(body)
        while rest:
            data = line.stream.read1(1 << 16)
            assert data
            line.send(data)
            rest -= len(data)

    deck = start("serve", "--mode", "passthrough", "--upstream", peer(script).url)
    with Wire(deck.url) as line:
        line.send(head(line, count=len(body)))
        sender = threading.Thread(target=line.send, args=(body,))
        sender.start()
        assert line.answer().body == body
        sender.join()


# What breaks off


def test_a_client_that_leaves_takes_the_request_with_it(peer, record, cassette):
    ended = threading.Event()

    def script(line):
        message = read_head(line.stream, Request)
        if message.method == b"GET":
            return line.send(reply(b"fine"))
        with pytest.raises((ConnectionError, AssertionError)):
            read_body(line.stream, message, until_close=False)
        ended.set()

    deck = record(peer(script).url)
    for reset in (False, True):
        ended.clear()
        with Wire(deck.url) as line:
            line.send(head(line, count=8 * MEBI) + noise(6 * MEBI))
            if reset:
                line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        assert ended.wait(10), "the origin still waits for the rest"
        eventually(lambda: spools(cassette) == [], "what was gathered is gone")
    assert fetch(deck.url, "/next").body == b"fine"
    assert deck.stop() == 0
    assert [each["request"]["target"] for each in interactions(cassette).values()] == ["/next"]
    assert "2 left by the client" in deck.stderr


@pytest.mark.parametrize("how", ["close", "reset"])
def test_an_origin_that_leaves_is_a_502(how, peer, record, cassette):
    def script(line):
        message = read_head(line.stream, Request)
        if message.method == b"GET":
            return line.send(reply(b"fine"))
        read_exactly(line.stream, 2 * MEBI)
        if how == "reset":
            line.reset()
        raise HangUp

    deck = record(peer(script).url)
    answer, _, _ = refused_upload(deck.url, b"/upload", 8 * MEBI)
    assert answer.status == 502
    assert proxy_status(answer) in ("connection_terminated", "http_response_incomplete")
    assert fetch(deck.url, "/next").body == b"fine"
    deck.stop()
    assert [each["request"]["target"] for each in interactions(cassette).values()] == ["/next"]
    assert spools(cassette) == []


def test_nobody_there_is_a_502_before_the_body(record):
    deck = record(f"http://127.0.0.1:{free_port()}")
    answer, seconds, _ = refused_upload(deck.url, b"/upload")
    assert (answer.status, proxy_status(answer)) == (502, "connection_refused")
    assert seconds < 2
    deck.stop()


def test_a_client_that_stops_sending_is_timed_out(peer, record, cassette):
    gone = threading.Event()

    def script(line):
        read_head(line.stream, Request)
        line.wait_for_close()
        gone.set()

    deck = record(peer(script).url, "--body-timeout", "1", "--first-byte-timeout", "1")
    with Wire(deck.url) as line:
        line.send(head(line, count=8 * MEBI) + noise(2 * MEBI))
        began = time.monotonic()
        assert line.answer().status == 408
        assert 0.8 < time.monotonic() - began < 3
        assert line.is_closed()
    assert gone.wait(10)
    deck.stop()


def test_kill_9_leaves_no_secret_behind(peer, record, cassette, start):
    reached = threading.Event()

    def script(line):
        read_head(line.stream, Request)
        read_exactly(line.stream, len(body) - MEBI)
        reached.set()
        line.wait_for_close()

    secret = b'{"token": "' + TOKEN + b'", "password": "correct horse battery"}\n'
    body = (secret + text(100_000)) * (200 if is_release() else 60)
    deck = record(peer(script).url)
    with Wire(deck.url) as line:
        line.send(head(line, b"POST", b"/upload", len(body), b"Content-Type: application/x-ndjson"))
        line.send(body[:-1])
        assert reached.wait(10)
        assert len(spools(cassette)) == 1, "so large a body is gathered in a file"
        (spool,) = (cassette / "bodies").glob(".*")
        assert spool.stat().st_mode & 0o777 == 0o600 and spool.stat().st_size > 3 * MEBI
        deck.kill()
    kept = everything(cassette)
    assert len(kept) > 3 * MEBI and TOKEN not in kept and b"battery" not in kept
    with Origin(lambda exchange: reply(b"fine")) as upstream:
        deck = start("record", "--upstream", upstream.url, "--cassette", cassette)
        assert spools(cassette) == []
        assert fetch(deck.url, "/next").body == b"fine"
        assert deck.stop() == 0
    assert [each["request"]["target"] for each in interactions(cassette).values()] == ["/next"]
    assert not (cassette / "bodies").exists() and not journal(cassette).exists()


@pytest.mark.parametrize("size", [2, 12 if is_release() else 5])
def test_the_origin_gets_the_secrets_and_the_cassette_does_not(size, digests, record, cassette, start):
    row = b'{"user": "eve", "password": "correct horse battery", "key": "' + TOKEN + b'"}\n'
    body = b"".join(row + text(5_000) for _ in range(size * 200))
    expected = f"{len(body)} {sha256(body).hexdigest()}\n".encode()
    deck = record(digests.url)
    fields = (b"Content-Type: application/x-ndjson", b"Authorization: Bearer " + TOKEN)
    assert fetch(deck.url, "/a", *fields, method=b"POST", body=body).body == expected
    # A secret of the body that comes again elsewhere is known.
    assert fetch(deck.url, "/later?note=" + TOKEN.decode()).status == 200
    assert deck.stop() == 0, deck.stderr
    kept = everything(cassette)
    assert TOKEN not in kept and b"battery" not in kept
    large = next(each for each in interactions(cassette).values() if "body" in each["request"])
    stored = body_of(cassette, large)
    assert b'"user": "eve"' in stored
    # The usual value, which is not written out.
    assert dict(large["request"]["headers"])["Content-Length"] is None
    replay = start("replay", "--cassette", cassette)
    assert fetch(replay.url, "/a", *fields, method=b"POST", body=body).body == expected


@pytest.fixture
def small_disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", place], capture_output=True).returncode:
        pytest.skip("mounting a file system is not permitted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_costs_the_recording_and_nothing_else(digests, start, small_disk):
    body = noise(12 * MEBI)
    expected = f"{len(body)} {sha256(body).hexdigest()}\n".encode()
    deck = start("record", "--upstream", digests.url, "--cassette", small_disk / "cassette")
    assert fetch(deck.url, "/small").status == 200
    for _ in range(2):
        assert fetch(deck.url, "/a", method=b"POST", body=body).body == expected
    assert deck.stop() == 1
    assert "No space left on device" in deck.stderr
    assert spools(small_disk / "cassette") == []


def test_many_at_once_are_told_apart(digests, record, cassette):
    deck = record(digests.url)
    bodies = [noise(2 * MEBI + n * 1000, n) for n in range(12 if is_release() else 3)]
    answers = [b""] * len(bodies)

    def upload(n):
        answers[n] = fetch(deck.url, f"/{n}", method=b"POST", body=bodies[n]).body

    threads = [threading.Thread(target=upload, args=(n,)) for n in range(len(bodies))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [f"{len(body)} {sha256(body).hexdigest()}\n".encode() for body in bodies]
    assert deck.stop() == 0
    found = {each["request"]["target"]: body_of(cassette, each) for each in interactions(cassette).values()}
    assert found == {f"/{n}": body for n, body in enumerate(bodies)}
