"""A cassette in git: what a second recording of the same session changes, and what one changed field does."""

import itertools
import json
import re
import subprocess

import pytest
import requests

from deck import interactions
from origin import reply
from servers import Httpbin
from wire import fetch


class Repository:
    """A folder under version control, as anyone would have it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet")

    def git(self, *words) -> str:
        who = ("-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "core.autocrlf=false")
        return subprocess.run(
            ["git", *who, *words], cwd=self.folder, check=True, capture_output=True, text=True, timeout=60).stdout

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "recorded")

    def changes(self) -> list[tuple[str, str]]:
        """Removed and added lines in pairs; anything that is no such pair fails."""
        self.git("add", "--all")
        names = self.git("diff", "--cached", "--name-status").splitlines()
        assert all(name.startswith("M\t") for name in names), names
        lines = self.git("diff", "--cached", "--unified=0").splitlines()
        removed = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
        added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
        assert len(removed) == len(added), "\n".join(lines)
        return list(zip(removed, added))


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "repository")


# A session that leaves nothing out: JSON, forms, text, binary, streams, redirects, cookies, repeats, errors.
SESSION = [
    ("GET", "/get?a=1&b=2", {}), ("GET", "/json", {}), ("GET", "/html", {}), ("GET", "/image/png", {}),
    ("GET", "/bytes/2048?seed=7", {}), ("GET", "/stream/3", {}), ("GET", "/status/404", {}), ("GET", "/gzip", {}),
    ("GET", "/redirect-to?url=/get", {}), ("GET", "/response-headers?X-Two=1&X-Two=2", {}),
    ("GET", "/cookies/set?a=1", {}), ("POST", "/post", {"json": {"name": "Ada", "tags": ["a", "b"]}}),
    ("POST", "/post", {"data": {"form": "yes", "x": "ü"}}), ("PUT", "/put", {"data": b"\x00\xff"}),
    ("DELETE", "/delete", {}), ("GET", "/uuid", {}), ("GET", "/uuid", {}), ("GET", "/drip?numbytes=5&duration=0", {}),
    ("GET", "/range/64", {"headers": {"Range": "bytes=1-10"}}), ("HEAD", "/get", {}),
]

# What httpbin itself makes up: ids, and the time inside of a gzip header.
MADE_UP = re.compile(r'"uuid": "[0-9a-f-]{36}"|"base64": "H4sI')


def visit(url: str) -> None:
    for method, target, options in SESSION:
        requests.request(method, url + target, allow_redirects=False, timeout=30, **options)


def test_recording_a_session_again_changes_only_what_the_origin_made_up(start, servers, repository):
    httpbin = servers(Httpbin)
    cassette = repository.folder / "Cassettes" / "httpbin"

    def session():
        deck = start("record", "--upstream", httpbin.url, "--cassette", cassette)
        visit(deck.url)
        assert deck.stop() == 0, deck.stderr

    session()
    assert len(interactions(cassette)) == len(SESSION)
    repository.commit()
    session()
    changes = repository.changes()
    made_up = [old for old, new in changes if MADE_UP.search(old) and MADE_UP.search(new)]
    assert len([line for line in made_up if "uuid" in line]) == 2, "httpbin gave two other ids"
    rest = [pair for pair in changes if pair[0] not in made_up]
    assert all(_is_volatile(old) and _is_volatile(new) for old, new in rest), rest
    touched = repository.git("diff", "--cached", "--name-only").splitlines()
    assert all("get-uuid" in name or "get-gzip" in name for name in touched), "and no other file is touched"


def test_one_changed_field_of_an_answer_is_one_changed_line(start, origin, repository):
    cassette = repository.folder / "users"
    answer = {"id": 1, "name": "Ada", "roles": ["admin", "user"], "address": {"city": "Rome", "zip": None}}
    minutes = itertools.count()

    def handler(exchange):
        body = json.dumps({**answer, "path": exchange.request.target.decode()})
        return reply(
            body.encode(), b"Content-Type: application/json", b"Date: Sat, 21 Nov 2026 05:%02d:00 GMT" % next(minutes))

    server = origin(handler)

    def session():
        deck = start("record", "--upstream", server.url, "--cassette", cassette)
        for target in ("/users/1", "/users/2"):
            fetch(deck.url, target)
        assert deck.stop() == 0, deck.stderr

    session()
    repository.commit()
    session()
    assert repository.changes() == [], "nothing changed, so nothing differs, volatile facts included"
    answer["address"]["city"] = "Paris"
    session()
    changes = repository.changes()
    told = [(old.strip(), new.strip()) for old, new in changes if not _is_volatile(old)]
    assert told == [('"city": "Rome",', '"city": "Paris",')] * 2, "one line in each of the two files"


def _is_volatile(line: str) -> bool:
    """A fact about one recording; these are rewritten only when something else in the file was."""
    names = ("recordedAt", "durationMilliseconds", "remoteAddress", "date", "chunkOffsetsMilliseconds")
    return line.strip().startswith(tuple(f'"{name}"' for name in names))
