import json
from pathlib import Path

import pytest

from deck import Deck
from harness import LONG, TokenOrigin, build, raise_descriptor_limit
from origin import Origin, reply
from wire import fetch

SMALL = b'{"id": 1, "name": "octocat"}'
LARGE = bytes(range(256)) * 8192  # more than is held in memory: streamed from its file
MEDIUM = b"x" * 100_000  # kept in memory
# Takes us many times longer to compare than anyone needs to send it.
COSTLY = json.dumps([{"b": number, "a": "x"} for number in range(1000)]).encode()


def attacked_origin(exchange):
    match exchange.request.target:
        case b"/small" | b"/costly":
            return reply(SMALL, b"Content-Type: application/json")
        case b"/medium":
            return reply(MEDIUM, b"Content-Type: text/plain")
        case _:
            return reply(LARGE, b"Content-Type: application/octet-stream")


def pytest_collection_modifyitems(items):
    if LONG:
        for item in items:
            if item.path.parent == Path(__file__).parent:
                item.add_marker(pytest.mark.timeout(3600))


@pytest.fixture(scope="session")
def descriptors():
    """How many descriptors a process may have, the proxy included."""
    return raise_descriptor_limit()


@pytest.fixture(scope="session")
def tools(tmp_path_factory, descriptors):
    return build(tmp_path_factory.mktemp("tools"))


@pytest.fixture(scope="session")
def yardstick(tools):
    """A bare epoll loop, to tell the machine's noise from the product's."""
    origin = TokenOrigin(tools)
    yield origin
    origin.result()


@pytest.fixture
def token_origin(tools):
    origins = []

    def start(**options):
        origins.append(TokenOrigin(tools, **options))
        return origins[-1]

    yield start
    for origin in origins:
        if origin.process.poll() is None:
            origin.result()


@pytest.fixture(scope="session")
def costly_body(tmp_path_factory):
    path = tmp_path_factory.mktemp("costly") / "body"
    path.write_bytes(COSTLY)
    return path


@pytest.fixture(scope="session")
def load_cassette(tmp_path_factory):
    """Answers: small, 100 kB in memory, 2 MiB streamed from a body file; and small to a costly request."""
    folder = tmp_path_factory.mktemp("load")
    path = folder / "cassette"
    with Origin(attacked_origin) as origin, Deck(folder, "record", "--upstream", origin.url, "--cassette", path) as deck:
        for target in ("/small", "/medium", "/large"):
            fetch(deck.url, target)
        fetch(deck.url, "/costly", b"Content-Type: application/json", method=b"POST", body=COSTLY)
        assert deck.stop() == 0, deck.stderr
    return path
