"""Patches: differences laid over recorded and live answers, seen by real clients and never by the cassette."""

import gzip
import http.client
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
import requests

from deck import eventually, interactions, log_lines, run
from origin import CHUNKED_HEAD, LAST_CHUNK, chunk, reply
from servers import Nginx
from wire import Wire, fetch

DOCUMENT = b'{"items": [1.0, {"a": "\\u0041"}], "n": 12345678901234567890, "token": "x"}'
JSON = b"Content-Type: application/json"


def answer(exchange):
    match exchange.request.target:
        case b"/json":
            if exchange.request.method == b"HEAD":
                return reply(b"", JSON).replace(b"Content-Length: 0", b"Content-Length: %d" % len(DOCUMENT))
            return reply(DOCUMENT, JSON, b'ETag: "1"', b"Content-MD5: x", b"Set-Cookie: a=1", b"Set-Cookie: b=2")
        case b"/gzip":
            return reply(gzip.compress(DOCUMENT, mtime=0), JSON, b"Content-Encoding: gzip", b"Vary: Accept-Encoding")
        case b"/chunked":
            return CHUNKED_HEAD + chunk(b"hello ") + chunk(b"world") + LAST_CHUNK
        case b"/part":
            return reply(b"hello", b"Content-Type: text/plain", b"Content-Range: bytes 0-4/11", status=b"206 Partial Content")
        case b"/none":
            return b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n"
        case b"/binary":
            return reply(bytes(range(256)), b"Content-Type: application/octet-stream")
        case _:
            return reply(b"hello world", b"Content-Type: text/plain; charset=utf-8")


@pytest.fixture
def overrides(tmp_path):
    """Writes an overrides file."""

    def overrides(**rules):
        path = tmp_path / "overrides.json"
        path.write_text(json.dumps(rules))
        return path

    return overrides


@pytest.fixture
def patched(start, origin, cassette, overrides):
    """The same answers patched twice: from the origin while they are recorded, and from the recording."""

    def patched(*patches, options=()):
        file = overrides(patches=patches)
        recorder = start("record", "--upstream", origin(answer).url, "--cassette", cassette, *options)
        recorder.stop()
        plain = start("serve", "--mode", "all", "--upstream", origin(answer).url, "--cassette", cassette,
                      "--overrides", file, "--explain", *options)
        yield plain
        assert plain.stop() == 0, plain.stderr
        yield start("serve", "--cassette", cassette, "--overrides", file, "--explain", *options)

    return patched


def test_json_edits_keep_what_they_do_not_name(patched):
    edits = [{"set": "$.items[0]", "value": []}, {"append": "$.items", "value": {"b": 2.5}}, {"remove": "$.token"}]
    for deck in patched({"id": "p", "path": "/json", "json": edits}):
        got = fetch(deck.url, "/json")
        assert got.body == b'{"items": [[], {"a": "\\u0041"}, {"b": 2.5}], "n": 12345678901234567890}'
        assert got.value(b"Content-Length") == b"%d" % len(got.body)
        assert got.value(b"ETag") is None and got.value(b"Content-MD5") is None
        assert got.values(b"Set-Cookie") == [b"a=1", b"b=2"]
        assert b'applied="patch p"' in got.value(b"Tapedeck-Answer")


def test_a_json_patch(patched):
    operations = [{"op": "test", "path": "/token", "value": "x"}, {"op": "move", "from": "/items/1", "path": "/first"},
                  {"op": "copy", "from": "/n", "path": "/items/-"}, {"op": "remove", "path": "/token"}]
    for deck in patched({"path": "/json", "jsonPatch": operations}):
        assert fetch(deck.url, "/json").body == (
            b'{"items": [1.0, 12345678901234567890], "n": 12345678901234567890, "first": {"a": "\\u0041"}}')


def test_status_and_headers_in_curl(patched):
    patch = {"path": "/json", "status": 503, "headers": {"content-type": "application/problem+json", "ETag": None,
             "X-Mark": [1, "two"], "Retry-After": 5}, "addHeaders": {"Set-Cookie": "c=3"}}
    for deck in patched(patch):
        done = subprocess.run(["curl", "-sS", "-i", f"{deck.url}/json"], capture_output=True, check=True)
        head, body = done.stdout.split(b"\r\n\r\n", 1)
        lines = head.split(b"\r\n")
        assert lines[0] == b"HTTP/1.1 503 Service Unavailable"
        assert body == DOCUMENT
        assert b"Content-Type: application/problem+json" in lines
        assert [line for line in lines if line.startswith(b"X-Mark")] == [b"X-Mark: 1", b"X-Mark: two"]
        assert [line for line in lines if line.startswith(b"Set-Cookie")] == [b"Set-Cookie: a=1", b"Set-Cookie: b=2", b"Set-Cookie: c=3"]
        assert not any(line.startswith(b"ETag") for line in lines)
        assert b"Content-MD5: x" in lines, "the body is the same"


def test_a_gzipped_body_is_patched_and_sent_plain(patched):
    patch = {"path": "/gzip", "json": [{"set": "$.token", "value": "yä"}]}
    for deck in patched(patch, options=("--pass-encodings",)):
        got = requests.get(f"{deck.url}/gzip", headers={"Accept-Encoding": "gzip"}, timeout=10)
        assert got.json()["token"] == "yä"
        assert "Content-Encoding" not in got.headers and got.headers["Vary"] == "Accept-Encoding"
        assert got.headers["Content-Length"] == str(len(got.content))


def test_text_in_a_chunked_body(patched):
    for deck in patched({"path": "/chunked", "replace": [{"text": "o w", "with": "ö w"}, {"text": "d", "with": ""}]}):
        got = fetch(deck.url, "/chunked")
        assert got.body == "hellö worl".encode()
        assert got.chunked


def test_a_truncated_body_is_whole(patched):
    for deck in patched({"path": "/binary", "truncate": 3}):
        with Wire(deck.url) as wire:
            for _ in range(2):
                wire.ask(b"/binary")
                got = wire.answer()
                assert (got.body, got.value(b"Content-Length")) == (b"\0\1\2", b"3")


def test_head_says_what_get_would_not_contradict(patched):
    patch = {"path": "/json", "json": [{"remove": "$.token"}], "headers": {"X-Mark": "1"}}
    for deck in patched(patch):
        connection = http.client.HTTPConnection(urlsplit(deck.url).netloc, timeout=10)
        connection.request("HEAD", "/json")
        got = connection.getresponse()
        assert got.read() == b"" and got.headers["X-Mark"] == "1"
        assert got.headers["Content-Length"] is None, "the length of the patched body is not known here"
        connection.request("GET", "/json")
        assert b"token" not in connection.getresponse().read()


@pytest.mark.parametrize(("target", "why"), [
    ("/part", "this is only a part of the body"), ("/none", "a response with status 304 has no body"),
    ("/binary", "the body is not text"), ("/text", '\\"nope\\" is not in the body')])
def test_where_a_patch_cannot_act_it_says_so(patched, target, why):
    for deck in patched({"id": "p", "path": "/*", "replace": {"text": "nope", "with": "x"}, "headers": {"X-Mark": "1"}}):
        got = fetch(deck.url, target)
        assert got.value(b"X-Mark") == b"1"
        assert f'applied="patch p ({why})"'.encode() in got.value(b"Tapedeck-Answer")
        eventually(lambda: log_lines(deck, "GET", target, "(patch p ("), "the log says so")


def test_the_second_time_only(patched):
    for deck in patched({"path": "/text", "on": 2, "status": 500, "replace": {"text": "world", "with": "moon"}}):
        answers = [fetch(deck.url, "/text") for _ in range(3)]
        assert [each.status for each in answers] == [200, 500, 200]
        assert [each.body for each in answers] == [b"hello world", b"hello moon", b"hello world"]


def test_a_delay_holds_up_nobody_else(patched):
    for deck in patched({"path": "/text", "delay": {"min": 0.3, "max": 0.4}}):
        with ThreadPoolExecutor() as pool:
            slow = pool.submit(lambda: requests.get(f"{deck.url}/text", timeout=10))
            quick = requests.get(f"{deck.url}/json", timeout=10)
            took = slow.result().elapsed.total_seconds()
        assert 0.3 <= took < 3 and quick.elapsed.total_seconds() < took


def test_re_recording_keeps_the_patch_and_the_cassette_free_of_it(start, origin, cassette, overrides):
    file = overrides(patches=[{"path": "/json", "status": 418, "headers": {"X-Mark": "patched"},
                               "json": [{"set": "$.token", "value": "patched"}]}])
    for _ in range(2):
        deck = start("record", "--upstream", origin(answer).url, "--cassette", cassette, "--overrides", file)
        assert fetch(deck.url, "/json").status == 418
        assert deck.stop() == 0
        assert all(b"patched" not in path.read_bytes() for path in cassette.rglob("*") if path.is_file())
        (recorded,) = interactions(cassette).values()
        assert recorded["response"]["status"] == 200
        deck = start("serve", "--cassette", cassette, "--overrides", file)
        got = fetch(deck.url, "/json")
        assert (got.status, json.loads(got.body)["token"]) == (418, "patched")
        assert deck.stop() == 0


def test_a_miss_is_patched_only_where_it_is_asked_for(start, recorded, cassette, overrides):
    recorded("/known")
    file = overrides(patches=[{"id": "not", "path": "/a", "status": 200}, {"path": "/b", "misses": True, "status": 404}])
    deck = start("serve", "--cassette", cassette, "--overrides", file, "--explain")
    assert fetch(deck.url, "/a").status == 502
    got = fetch(deck.url, "/b")
    assert got.status == 404 and b"nearest" in got.body


def test_patches_over_nginx(start, servers, overrides, cassette):
    """A real origin: ranges, conditions, HEAD, and a file too large to be held."""
    folder = servers  # one nginx for this test
    files = cassette.parent / "www"
    files.mkdir()
    (files / "big").write_bytes(b"x" * (20 << 20))
    (files / "small.json").write_text('{"a": 1, "b": [1, 2]}')
    nginx = folder(Nginx, f"location / {{ root {files}; types {{ application/json json; }} default_type text/plain; }}")
    file = overrides(patches=[{"id": "p", "path": "/big", "replace": {"text": "x", "with": "y"}},
                              {"path": "/small.json", "json": [{"set": "$.a", "value": 2}]}])
    deck = start("serve", "--mode", "passthrough", "--upstream", nginx.url, "--overrides", file)
    plain = requests.get(f"{nginx.url}/small.json", timeout=10)
    got = requests.get(f"{deck.url}/small.json", timeout=10)
    assert got.text == '{"a": 2, "b": [1, 2]}'
    assert "ETag" not in got.headers and "Accept-Ranges" not in got.headers and "Last-Modified" not in got.headers
    again = requests.get(f"{deck.url}/small.json", headers={"If-None-Match": plain.headers["ETag"]}, timeout=10)
    assert again.status_code == 304 and again.headers["ETag"] == plain.headers["ETag"]
    part = requests.get(f"{deck.url}/small.json", headers={"Range": "bytes=0-3"}, timeout=10)
    assert (part.status_code, part.text) == (206, '{"a"')
    large = requests.get(f"{deck.url}/big", timeout=30)
    assert large.content == b"x" * (20 << 20)
    assert deck.mebibytes("VmHWM") < 150
    eventually(lambda: log_lines(deck, "/big", "(patch p (the body has more than 16 MiB))"), "the log says so")


@pytest.mark.parametrize(("patch", "problem"), [
    ({"path": "/a"}, "changes nothing: it needs one of status"),
    ({"path": "/a", "jsn": []}, "patches[0].jsn: unknown member; did you mean json?"),
    ({"path": "/a", "json": [{"sett": "$.a", "value": 1}]}, "patches[0].json[0].sett: unknown member"),
    ({"path": "/a", "json": [{"set": "items", "value": 1}]}, "it begins with $"),
    ({"path": "/a", "jsonPatch": [{"op": "remove", "path": "items"}]}, "it begins with /"),
    ({"path": "/a", "headers": {"Transfer-Encoding": "chunked"}}, "is set by the proxy"),
])
def test_a_wrong_patch_says_where_and_what_to_do(overrides, cassette, recorded, patch, problem):
    recorded("/a")
    done = run("serve", "--cassette", cassette, "--port", "0", "--overrides", overrides(patches=[patch]))
    assert done.returncode == 1 and problem in done.stderr, done.stderr
    assert "overrides.json:1:" in done.stderr
