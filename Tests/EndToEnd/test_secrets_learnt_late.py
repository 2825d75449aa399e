"""Secrets that one exchange reveals and another holds without a name: hidden in all of a session when it is sealed."""

import gzip
import json
import random
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from deck import interactions, is_release, journal, run
from origin import LAST_CHUNK, bare, chunk, reply
from test_concurrency import lasting_bytes
from wire import fetch

pytestmark = pytest.mark.alone

JSON, TEXT = b"Content-Type: application/json", b"Content-Type: text/plain"
TOKEN, SHORT = "Xy12abQ9zRt7LmN4", "k3J9x2Lq"
FILLING = b"".join(b"line %d of a long text\n" % number for number in range(80_000))
RANDOM = random.Random(1)
#: Its gzip is too long to be held in memory, and short enough to be opened.
NOISE = "\n".join(f"{RANDOM.getrandbits(240):060x}" for _ in range(45_000)).encode()


def named(secret: str) -> bytes:
    return reply(json.dumps({"access_token": secret}).encode(), JSON)


def answer(exchange) -> bytes:
    """The token stands bare in every place, and under its name at /login."""
    target = exchange.request.target
    if target.startswith(b"/login"):
        return named(TOKEN)
    if target.startswith(b"/short"):
        return named(SHORT)
    if target.startswith(b"/plain"):
        return reply(TOKEN.encode(), TEXT, b"ETag: \"%s\"" % TOKEN.encode())
    if target.startswith(b"/packed"):
        return reply(gzip.compress(b"it is %s." % TOKEN.encode()), TEXT, b"Content-Encoding: gzip")
    if target.startswith(b"/large-packed"):
        return reply(gzip.compress(b"it is %s." % TOKEN.encode() + NOISE, mtime=0), TEXT, b"Content-Encoding: gzip")
    if target.startswith(b"/chunks"):
        pieces = [b"it is " + TOKEN.encode()[:5], TOKEN.encode()[5:] + b" and more"]
        return bare(b"HTTP/1.1 200 OK", TEXT, b"Transfer-Encoding: chunked") + b"".join(map(chunk, pieces)) + LAST_CHUNK
    if target.startswith(b"/large"):
        return reply(FILLING + b"it is %s.\n" % TOKEN.encode() + FILLING + FILLING, TEXT)
    return reply(b"ok", TEXT)


BARE = [f"/download/{TOKEN}/file", f"/x?{TOKEN}", "/plain", "/packed", "/chunks", "/large", "/large-packed"]


def ask(url: str, targets) -> None:
    for target in targets:
        assert fetch(url, target).status == 200


def leaks(cassette, *secrets: str) -> list[str]:
    """The files that hold a secret, in their names or in what they hold."""
    found = []
    for path in cassette.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        if any(secret.encode() in content or secret.lower() in path.name.lower() for secret in secrets):
            found.append(path.name)
    return found


def record(start, url, cassette, targets, verb="record", **options):
    deck = start(verb, "--upstream", url, "--cassette", cassette, "--quiet")
    ask(deck.url, targets)
    return deck


@pytest.mark.parametrize("targets", [["/login", *BARE], [*BARE, "/login"], [*BARE[:3], "/login", *BARE[3:]]])
def test_a_token_is_hidden_before_and_after_it_is_named(start, origin, cassette, targets):
    deck = record(start, origin(answer).url, cassette, targets)
    assert deck.stop() == 0, deck.stderr
    assert leaks(cassette, TOKEN) == []
    sealed = interactions(cassette)
    assert len(sealed) == len(targets)
    assert all("REDACTED" in json.dumps(each) for name, each in sealed.items() if "large" not in name and "packed" not in name)
    replay = start("replay", "--cassette", cassette)
    ask(replay.url, targets)  # a client that knows the token gets its responses
    large = fetch(replay.url, "/large")
    assert int(large.value(b"Content-Length")) == len(large.body) and b"it is REDACTED:secret:" in large.body
    for target in ["/packed", "/large-packed"]:
        assert gzip.decompress(fetch(replay.url, target).body).startswith(b"it is REDACTED:secret:")
    given = json.loads(fetch(replay.url, "/login").body)["access_token"]
    assert fetch(replay.url, f"/download/{given}/file").status == 200
    assert run("lint", cassette).returncode == 0


def test_the_order_makes_no_difference(start, origin, tmp_path):
    url = origin(answer).url
    cassettes = []
    for number, targets in enumerate([["/login", *BARE], [*BARE[::-1], "/login"]]):
        cassettes.append(tmp_path / f"c{number}")
        assert record(start, url, cassettes[-1], targets).stop() == 0
    assert lasting_bytes(cassettes[0]) == lasting_bytes(cassettes[1])


def test_a_token_from_a_plain_text_is_hidden_once_a_request_uses_it(start, origin, cassette):
    deck = start("record", "--upstream", origin(answer).url, "--cassette", cassette, "--quiet")
    token = fetch(deck.url, "/plain").body
    fetch(deck.url, "/data", b"Authorization: Bearer " + token)
    assert deck.stop() == 0
    assert leaks(cassette, TOKEN) == []


def test_a_killed_recording_is_recovered_without_it(start, origin, cassette):
    deck = record(start, origin(answer).url, cassette, [*BARE, "/login"])
    deck.kill()
    assert journal(cassette).stat().st_mode & 0o777 == 0o600
    replay = start("replay", "--cassette", cassette)
    given = json.loads(fetch(replay.url, "/login").body)["access_token"]
    assert fetch(replay.url, f"/download/{given}/file").status == 200
    ask(replay.url, BARE)
    assert replay.stop() == 0
    deck = record(start, origin(answer).url, cassette, ["/other"], verb="serve")
    assert deck.stop() == 0, deck.stderr
    assert leaks(cassette, TOKEN) == []
    assert len(interactions(cassette)) == len(BARE) + 2
    replay = start("replay", "--cassette", cassette)
    ask(replay.url, [*BARE, "/login", "/other"])


def test_a_short_token_is_a_whole_word(start, origin, cassette):
    targets = [f"/a/{SHORT}", f"/b/{SHORT}-x9", f"/c/x{SHORT}", "/short"]
    deck = record(start, origin(answer).url, cassette, targets)
    assert deck.stop() == 0
    recorded = sorted(each["request"]["target"] for each in interactions(cassette).values())
    assert recorded[0].startswith("/a/REDACTED:secret:")
    assert recorded[1:] == [f"/b/{SHORT}-x9", f"/c/x{SHORT}", "/short"]


def test_a_password_that_is_a_word_rewrites_nothing(start, origin, cassette):
    deck = start("record", "--upstream", origin(answer).url, "--cassette", cassette, "--quiet")
    ask(deck.url, ["/users/admin", "/x/password1"])
    body = json.dumps({"user": "admin", "password": "admin", "client_secret": "password1"}).encode()
    assert fetch(deck.url, "/users/admin", JSON, method=b"POST", body=body).status == 200
    assert deck.stop() == 0
    targets = sorted(each["request"]["target"] for each in interactions(cassette).values())
    assert targets == ["/users/admin", "/users/admin", "/x/password1"]
    assert b'"password": "REDACTED:secret:' in b"".join(path.read_bytes() for path in cassette.glob("post-*.json"))


def test_a_later_session_hides_its_secret_in_earlier_ones(start, origin, cassette):
    url = origin(answer).url
    assert record(start, url, cassette, [*BARE, "/c/x"], verb="serve").stop() == 0
    assert leaks(cassette, TOKEN) != []
    untouched = {path.name: path.read_bytes() for path in cassette.glob("get-c-x*.json")}
    report = cassette.parent / "report.json"
    deck = start("serve", "--upstream", url, "--cassette", cassette, "--report", report)
    assert fetch(deck.url, "/login").status == 200
    assert deck.stop() == 0, deck.stderr
    assert leaks(cassette, TOKEN) == []
    assert f"secrets of this run were redacted in {len(BARE)} files of earlier runs" in deck.stderr
    assert json.loads(report.read_bytes())["counts"]["filesRedacted"] == len(BARE)
    assert len(interactions(cassette)) == len(BARE) + 2
    assert untouched == {path.name: path.read_bytes() for path in cassette.glob("get-c-x*.json")}
    replay = start("replay", "--cassette", cassette)
    ask(replay.url, [*BARE, "/login", "/c/x"])
    assert run("lint", cassette).returncode == 0


def test_scan_fixes_a_cassette_that_holds_a_placeholder_and_its_secret(start, origin, cassette):
    deck = record(start, origin(answer).url, cassette, ["/plain", "/login"])
    assert deck.stop() == 0
    file = next(cassette.glob("get-plain-*.json"))
    text = file.read_text()
    given = re.search(r"REDACTED:secret:[0-9a-f]{8}", text)[0]
    file.write_text(text.replace(given, TOKEN))
    # Without a find or a new rule, there is nothing to fix.
    assert run("scan", cassette, "--fix", "--redact", "x-internal").returncode == 0
    assert file.read_text() == text


def many(exchange) -> bytes:
    kind, _, rest = exchange.request.target[1:].partition(b"/")
    return named(secret(int(rest))) if kind == b"login" else reply(b"of " + rest, TEXT)


def secret(number: int) -> str:
    return f"s{number * 7919:07x}Kq{number:05d}zW"


@pytest.mark.timeout(600)
def test_two_recordings_at_any_concurrency_are_equal(start, origin, tmp_path):
    url, cassettes = origin(many).url, []
    targets = [f"/{kind}/{number if kind == 'login' else secret(number)}" for number in range(100)
               for kind in ("use", "login", "also")]
    for clients in (1, 8):
        cassettes.append(tmp_path / f"c{clients}")
        deck = start("record", "--upstream", url, "--cassette", cassettes[-1], "--quiet")
        with ThreadPoolExecutor(clients) as pool:
            assert set(pool.map(lambda target: fetch(deck.url, target).status, targets)) == {200}
        assert deck.stop() == 0
    first, second = map(lasting_bytes, cassettes)
    assert first == second
    assert len(interactions(cassettes[0])) == len(targets)
    assert not any(secret(number).encode() in content for number in range(100) for content in first.values())


@pytest.mark.timeout(600)
def test_five_thousand_exchanges_with_two_thousand_secrets(start, origin, cassette, figure):
    url = origin(many).url
    deck = start("record", "--upstream", url, "--cassette", cassette, "--quiet")
    targets = [f"/use/{secret(number % 2000)}?n={number}" for number in range(3000)]
    with ThreadPoolExecutor(8) as pool:
        for each in (targets, [f"/login/{number}" for number in range(2000)]):
            assert set(pool.map(lambda target: fetch(deck.url, target).status, each)) == {200}
    began = time.monotonic()
    assert deck.stop() == 0
    seconds = time.monotonic() - began
    figure("5,000 exchanges with 2,000 secrets learnt late: sealed", f"{seconds:.1f} s")
    assert seconds < (5 if is_release() else 50)
    assert len(interactions(cassette)) == 5000
    assert all(each["request"]["target"].startswith(("/use/REDACTED:", "/login/")) for each in interactions(cassette).values())
