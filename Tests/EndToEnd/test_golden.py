"""Cassettes, a HAR and an overrides file that the first version wrote: they stay what they were."""

import json
import shutil
from pathlib import Path

import pytest
import requests

import golden_session
from deck import interactions, log_lines, run

GOLDEN = Path(__file__).parent / "golden"
# Where the origin was when they were recorded.
AUTHORITY = b"127.0.0.1:18080"


def files(cassette: Path) -> dict[str, bytes]:
    return {str(file.relative_to(cassette)): file.read_bytes() for file in cassette.rglob("*") if file.is_file()}


def recorded_from(origin, cassette: Path) -> Path:
    """The golden cassette as if it had been recorded from this origin."""
    shutil.copytree(GOLDEN / "version-1", cassette)
    for file in cassette.glob("*.json"):
        file.write_bytes(file.read_bytes().replace(AUTHORITY, origin.url.removeprefix("http://").encode()))
    return cassette


@pytest.mark.parametrize("name", ["version-1", "version-1.har"])
def test_what_version_1_wrote_replays_as_ever(name, start, origin, tmp_path):
    live = golden_session.visit(origin(golden_session.origin).url)
    copy = tmp_path / name
    (shutil.copytree if (GOLDEN / name).is_dir() else shutil.copy)(GOLDEN / name, copy)
    deck = start("replay", "--cassette", copy)
    seen = golden_session.visit(deck.url)
    # Only the id of a request is another one.
    assert [each for each in seen if each[0] != 404] == [each for each in live if each[0] != 404]
    assert [each[0] for each in seen] == [each[0] for each in live]
    if copy.is_dir():
        response = requests.get(deck.url + "/error", timeout=30)
        assert response.headers["X-Request-Id"] == response.json()["request_id"]
    assert deck.stop() == 0, deck.stderr
    if copy.is_dir():
        assert files(copy) == files(GOLDEN / name)


def test_recording_the_session_of_version_1_again_leaves_every_byte_of_it(start, origin, tmp_path):
    server = origin(golden_session.origin)
    cassette = recorded_from(server, tmp_path / "cassette")
    before = files(cassette)
    deck = start("record", "--upstream", server.url, "--cassette", cassette)
    golden_session.visit(deck.url)
    assert deck.stop() == 0, deck.stderr
    assert files(cassette) == before
    assert json.loads(before["cassette.json"])["tapedeck"] == 1


def test_a_file_of_version_1_that_changes_keeps_what_is_new_in_every_request_apart(start, origin, tmp_path):
    changed = lambda exchange: golden_session.origin(exchange).replace(b"two\n", b"TWO\n")
    server = origin(changed)
    cassette = recorded_from(server, tmp_path / "cassette")
    before = files(cassette)
    deck = start("record", "--upstream", server.url, "--cassette", cassette)
    golden_session.visit(deck.url)
    assert deck.stop() == 0, deck.stderr
    after = files(cassette)
    stream = next(name for name in before if "stream" in name)
    assert {name for name in before if before[name] != after[name]} == {stream, "cassette.json"}
    assert json.loads(after["cassette.json"])["tapedeck"] == 2
    written = json.loads(after[stream])
    assert ["X-Amz-Date", None] in written["request"]["headers"]
    assert written["volatile"]["requestHeaders"][0][0] == "X-Amz-Date"
    assert written["volatile"]["responseHeaders"][0][0] == "X-Request-Id"
    shown = run("show", cassette, stream.removesuffix(".json"))
    value = written["volatile"]["requestHeaders"][0][1]
    assert value in shown.stdout, "the value stands in its place for people"
    deck = start("replay", "--cassette", cassette)
    response = requests.get(deck.url + "/stream", timeout=30)
    assert response.text == "one\nTWO\n"
    assert response.headers["X-Request-Id"] == written["volatile"]["responseHeaders"][0][1]
    names = [name for name, _ in written["response"]["headers"]]
    assert [name for name in response.headers if name in names] == [name for name in names if name in response.headers]
    assert deck.stop() == 0


def test_overrides_of_version_1_mean_what_they_meant(start, tmp_path):
    shutil.copytree(GOLDEN / "version-1", tmp_path / "cassette")
    deck = start("serve", "--cassette", tmp_path / "cassette", "--overrides", GOLDEN / "overrides.json")

    def get(path, **options):
        return requests.get(deck.url + path, timeout=30, **options)

    assert get("/hello/Ada").json() == {"hello": "Ada"} and get("/hello/Ada").headers["X-Mark"] == "route"
    assert [get("/users/1?page=9").status_code for _ in range(3)] == [503, 200, 502]
    assert [each["name"] for each in get("/lists").json()] == ["one", "two"]
    patched = get("/users/1")
    assert patched.json()["path"] == "patched" and patched.headers["X-Mark"] == "patch"
    assert get("/twice").text == "twice dated"
    with pytest.raises(requests.exceptions.ConnectionError):
        get("/twice")
