"""Autobahn's cases for WebSocket: through the proxy as without it, and against what is served here without a failure."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deck import CLEAN, ROOT, Deck, binary, eventually
from test_websocket import at, echo, websocket_server

# Those of section 9 move hundreds of megabytes, and take a release build.
CASES = "*" if os.environ.get("TAPEDECK_LONG_TESTS") == "1" else "1.*,2.*,3.*,4.*,5.*,6.*,7.*,9.1.1,9.2.1,9.5.6,10.*"
# Right, though later than they might be, or told for information.
PASSES = {"OK", "NON-STRICT", "INFORMATIONAL"}


def outcomes(url):
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("autobahn_cases.py"), url, "--cases", CASES, "--seconds", "500"],
        capture_output=True, text=True, timeout=520, env=CLEAN)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def failures(outcome):
    return {case: result for case, result in outcome.items() if not PASSES.issuperset(result)}


def told(result):
    """What of a result is no matter of time: whether the server's echo of a message before a mistake goes out first,
    which is strict, depends on how many bytes at once it reads."""
    return ["OK" if word == "NON-STRICT" else word for word in result]


def table(figure, what, outcome):
    """How many cases of each section came out how."""
    sections = {}
    for case, result in outcome.items():
        words = sections.setdefault(int(case.split(".")[0]), {})
        words[result[0]] = words.get(result[0], 0) + 1
    for section, words in sorted(sections.items()):
        figure(f"{what}: section {section}", ", ".join(f"{count} {word}" for word, count in sorted(words.items())))


@pytest.fixture
def echo_server():
    with websocket_server(echo, max_size=None, compression=None, ping_interval=None) as port:
        yield port


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("mode", ["passthrough", "all"])
def test_every_case_comes_out_through_the_proxy_as_without_it(start, echo_server, cassette, mode, figure):
    options = ["--cassette", cassette] if mode == "all" else []
    deck = start("serve", "--mode", mode, "--upstream", f"http://127.0.0.1:{echo_server}", *options)
    without = outcomes(f"ws://127.0.0.1:{echo_server}/")
    through = outcomes(at(deck, "/"))
    table(figure, f"Autobahn, {mode}", through)
    assert len(without) >= 240
    assert {case: (without[case], result) for case, result in through.items() if told(result) != told(without[case])} == {}


@pytest.mark.timeout(600)
def test_a_declared_echo_fails_no_case(start, tmp_path):
    rules = tmp_path / "overrides.json"
    # An echo is the message as it came, whatever it holds.
    rules.write_text(json.dumps({"routes": [{"path": "/", "webSocket": {"replies": [{"messages": [{"echo": True}]}]}}]}))
    deck = start("serve", "--overrides", rules)
    assert failures(outcomes(at(deck, "/"))) == {}


@pytest.mark.timeout(600)
def test_a_route_in_swift_fails_no_case(tmp_path):
    """The example backend has an echo: `router.webSocket("/echo") { … }`."""
    log = tmp_path / "log"
    with log.open("wb") as err:
        server = subprocess.Popen([binary().with_name("newsfeed"), "--port", "0"], stderr=err, env=CLEAN)
    try:
        eventually(lambda: "listening on" in log.read_text(), "listening")
        url = log.read_text().split("listening on ")[1].split()[0].replace("http", "ws", 1)
        assert failures(outcomes(url + "/echo")) == {}
    finally:
        server.terminate()
        assert server.wait(20) == 0
