"""What a large file of rules costs, and what ends a process that is busy."""

import json
import os
import signal
import subprocess
import time

import pytest
import requests

from deck import CLEAN, Deck, binary, interactions, is_release, run
from origin import reply

pytestmark = pytest.mark.alone

COUNT = 100_000
# Rules that are large in one way each.
LARGE = {
    "headers of a route": {"routes": [{"path": "/a", "headers": {f"X-{n}": "1" for n in range(COUNT)}}]},
    "headers of a patch": {"patches": [{"path": "/a", "headers": {f"X-{n}": "1" for n in range(COUNT)}}]},
    "query": {"routes": [{"path": "/a", "when": {"query": {f"q{n}": "1" for n in range(COUNT)}}}]},
    "fields": {"routes": [{"path": "/a", "when": {"headers": {f"X-{n}": "1" for n in range(COUNT)}}}]},
    "places": {"routes": [{"path": "/a", "when": {"jsonPath": {f"$.a{n}": 1 for n in range(COUNT)}}}]},
    "sequence": {"routes": [{"path": "/a", "sequence": [{"status": 200}] * COUNT}]},
    "turns": {"routes": [{"path": "/a", "on": list(range(1, COUNT))}]},
    "body": {"routes": [{"path": "/a", "json": {f"m{n}": n for n in range(COUNT)}}]},
    "edits": {"patches": [{"path": "/a", "json": [{"set": f"$.m{n}", "value": 1} for n in range(COUNT)]}]},
    "routes of one path": {"routes": [{"path": "/a", "status": 200}] * (COUNT // 10)},
    "routes": {"routes": [{"path": f"/a/{n}", "status": 200} for n in range(COUNT // 10)]},
    "resources": {"resources": [{"path": f"/a{n}"} for n in range(COUNT // 50)]},
    "unknown member": {"routes": [{"path": "/a", **{f"m{n}": 1 for n in range(COUNT)}}]},
}


@pytest.mark.parametrize("kind", LARGE)
def test_reading_rules_takes_time_in_proportion_to_their_size(kind, tmp_path, figure):
    """100,000 `headers` took 25 minutes."""
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(LARGE[kind]))
    began = time.monotonic()
    done = run("lint", file, timeout=60)
    seconds = time.monotonic() - began
    figure(f"reading {kind}", f"{seconds:.2f} s")
    assert done.returncode == (4 if kind == "unknown member" else 0), done.stderr[:500]
    assert seconds < (1 if is_release() else 15)


def test_a_route_with_a_hundred_thousand_fields_is_ready_soon(start, tmp_path):
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(LARGE["headers of a route"]))
    began = time.monotonic()
    deck = start("serve", "--overrides", file, "--quiet")
    assert time.monotonic() - began < (2 if is_release() else 20)
    assert deck.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_start_that_waits_for_a_file(number, tmp_path):
    """Signals were blocked before the overrides file was read, and nobody looked at them until it was."""
    pipe = tmp_path / "rules"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [binary(), "serve", "--overrides", pipe, "--port", "0"], env=CLEAN, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        # Opening it for writing returns when the program has opened it for reading.
        writer = os.open(pipe, os.O_WRONLY)
        process.send_signal(number)
        assert process.wait(10) == -number
        os.close(writer)
    finally:
        process.kill()
        process.communicate()


def test_sigterm_is_obeyed_within_the_grace_time_whatever_a_loop_is_doing(start, origin, tmp_path):
    """And what was recorded by then is recovered by the next start."""
    server = origin(lambda exchange: reply(
        b"x" * (8 << 20) if exchange.request.target == b"/large" else b"small", b"Content-Type: text/plain"))
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"patches": [
        {"path": "/large", "replace": [{"text": f"none {n}", "with": ""} for n in range(100_000)]}]}))
    cassette = tmp_path / "cassette"
    deck = start(
        "serve", "--mode", "all", "--upstream", server.url, "--cassette", cassette, "--overrides", rules,
        "--threads", "1")
    assert requests.get(deck.url + "/small", timeout=30).text == "small"
    with pytest.raises(requests.exceptions.Timeout):
        requests.get(deck.url + "/large", timeout=3)
    began = time.monotonic()
    deck.process.send_signal(signal.SIGTERM)
    assert deck.process.wait(14) == 1
    assert time.monotonic() - began < 13
    assert "did not stop within 12 seconds" in deck.stderr and "recovers" in deck.stderr
    assert not interactions(cassette)
    with Deck(tmp_path / "again", "replay", "--cassette", cassette) as again:
        pass
    with Deck(tmp_path / "once", "record", "--upstream", server.url, "--cassette", cassette) as again:
        assert "recovered" in again.stderr
    assert "/small" in str(interactions(cassette))
