"""Cassettes of many interactions: quick to start with, small in memory, and never another answer than was loaded."""

import json
import os
import time
from statistics import median

import pytest

from deck import is_release, run
from terminal import on_terminal
from wire import fetch

pytestmark = pytest.mark.alone

COUNT = 20_000
MEGABYTES = 36


def interaction(number: int, body, style="compact") -> dict:
    return {
        "request": {
            "method": "GET", "target": f"/item/{number}",
            "headers": [["Host", "api.test"], ["User-Agent", "test/1"], ["Accept", "*/*"]]},
        "response": {
            "version": "HTTP/1.1", "status": 200, "reason": "OK",
            "headers": [["Content-Type", "application/json"], ["Content-Length", None], ["ETag", f'"{number}"']],
            "body": {"json": body, "style": style}},
        "volatile": {"recordedAt": "2026-11-21T01:52:33.123Z", "durationMilliseconds": 1.5},
    }


def as_we_write(document: dict) -> str:
    """The layout of our own files: members a line each, two spaces a level, a header on one line."""
    text = json.dumps(document, indent=2)
    for pair in document["request"]["headers"] + document["response"]["headers"]:
        long = json.dumps(pair, indent=2).replace("\n", "\n      ")
        text = text.replace(long, json.dumps(pair))
    return text + "\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "cassette"
    path.mkdir()
    (path / "cassette.json").write_text('{"tapedeck": 1, "upstream": "http://api.test"}\n')
    for number in range(COUNT):
        body = {"id": number, "tags": ["new", "blue"], "owner": {"login": f"user{number % 97}"}, "text": "prose " * 175}
        (path / f"get-item-{number}.json").write_text(as_we_write(interaction(number, body)))
    return path


@pytest.mark.skipif(not is_release(), reason="speed is for release builds")
def test_ready_before_python_has_read_the_same_files(start, large, figure):
    files = [path.read_bytes() for path in large.glob("get-*.json")]
    size = sum(map(len, files)) / 1e6
    assert size == pytest.approx(MEGABYTES, rel=0.1)
    ours, python = [], []
    for _ in range(3):
        began = time.monotonic()
        for file in files:
            json.loads(file)
        python.append(time.monotonic() - began)
        began = time.monotonic()
        start("replay", "--cassette", large, "--quiet").kill()
        ours.append(time.monotonic() - began)
    figure(f"start to ready, {COUNT:,} interactions of {size:.0f} MB", f"{median(ours) * 1000:.0f} ms")
    figure("Python's json.loads for the same bytes", f"{median(python) * 1000:.0f} ms")
    # Tools/bench has the figure that counts, beside JSONDecoder; this only holds the order of magnitude.
    assert median(ours) < 3 * median(python)


def test_answers_are_not_held_before_they_are_asked_for(start, large, figure):
    deck = start("replay", "--cassette", large, "--quiet")
    resident = deck.mebibytes("VmRSS")
    figure(f"resident with {COUNT:,} interactions of {MEGABYTES} MB", f"{resident:.1f} MiB")
    assert resident < (MEGABYTES + 16 if is_release() else MEGABYTES + 64)
    for number in (0, COUNT // 2, COUNT - 1):
        assert json.loads(fetch(deck.url, f"/item/{number}").body)["id"] == number


def small(path, count):
    path.mkdir()
    for number in range(count):
        (path / f"get-item-{number}.json").write_text(as_we_write(interaction(number, {"id": number})))
    return path


def test_answers_of_a_small_cassette_are_held_whatever_becomes_of_its_files(start, cassette):
    small(cassette, 3)
    deck = start("replay", "--cassette", cassette)
    for path in cassette.glob("get-*.json"):
        path.unlink()
    for number in range(3):
        assert json.loads(fetch(deck.url, f"/item/{number}").body) == {"id": number}


def test_an_answer_that_changed_since_is_refused_and_the_others_go_on(start, cassette):
    small(cassette, 1001)
    deck = start("replay", "--cassette", cassette)
    changed = cassette / "get-item-1.json"
    changed.write_text(changed.read_text().replace('"id": 1', '"id": 7'))
    (cassette / "get-item-2.json").unlink()
    assert json.loads(fetch(deck.url, "/item/0").body) == {"id": 0}
    for number in (1, 2):
        answer = fetch(deck.url, f"/item/{number}")
        assert answer.status == 500
        assert f"get-item-{number}.json has changed, or gone" in answer.body.decode()


def test_one_broken_file_of_many_is_refused_at_the_start(cassette):
    small(cassette, 600)
    broken = cassette / "get-item-411.json"
    broken.write_text(broken.read_text().replace('"status": 200', '"status": 2'))
    done = run("replay", "--cassette", cassette, "--port", "0")
    assert done.returncode == 1
    assert "get-item-411.json: response.status" in done.stderr


def test_progress_is_for_terminals(start, cassette):
    cassette.mkdir()
    for number in range(5000):
        # In a layout of someone else's, which takes longer to read.
        text = json.dumps(interaction(number, list(range(2500))))
        (cassette / f"get-item-{number}.json").write_text(text)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        seen = on_terminal("replay", "--cassette", cassette, "--port", 0, keys={b"listening on": b"\x03"}, timeout=60)
    finally:
        os.sched_setaffinity(0, cores)
    assert "tapedeck: loading " in seen.plain and " of 5000 (" in seen.plain
    assert "loading" not in start("replay", "--cassette", cassette).stderr
