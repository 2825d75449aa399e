"""What a test of a failing origin looks at: status, Proxy-Status, the time it took, and the cassette."""

import os
import re
import time
from contextlib import contextmanager

from deck import interactions
from peers import proxy_status
from wire import fetch

MEBI = 1 << 20
TOLERANCE = 0.25


def targets(cassette) -> list[str]:
    return sorted(each["request"]["target"] for each in interactions(cassette).values())


def assert_fails(deck, status: int, *tokens: str, method=b"GET", body=None) -> None:
    answer = fetch(deck.url, "/row?key=hunter2", b"Authorization: Bearer hunter2", method=method, body=body)
    assert b"hunter2" not in answer.head + answer.body
    assert (answer.status, proxy_status(answer)) in [(status, token) for token in tokens], answer.body


def assert_nothing_recorded(deck, cassette, *but: str) -> None:
    code = deck.stop()
    # A recording that has nothing but failures to show is one.
    failed = re.search(r", \d+ failed", deck.stderr)
    assert code == (1 if failed and not but else 0), deck.stderr
    assert targets(cassette) == sorted(but)


@contextmanager
def takes(seconds: float):
    began = time.monotonic()
    yield
    passed = time.monotonic() - began
    assert seconds - 0.02 <= passed <= seconds + TOLERANCE, f"took {passed:.3f} s and not {seconds} s"


@contextmanager
def takes_at_most(seconds: float):
    began = time.monotonic()
    yield
    passed = time.monotonic() - began
    assert passed <= seconds, f"took {passed:.3f} s"


def quietly(line) -> None:
    line.request()
    line.wait_for_close()


def descriptors(deck) -> list[int]:
    return sorted(int(name) for name in os.listdir(f"/proc/{deck.process.pid}/fd"))
