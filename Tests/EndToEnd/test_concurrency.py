"""Many clients at once: nothing lost, nothing crossed, and the same cassette each time."""

import asyncio
import re
import time

import pytest

from deck import interactions, is_release

CLIENTS = 64
EACH = 250


async def client(url: str, number: int) -> list[tuple[bytes, bytes]]:
    """Asks for `EACH` paths of its own on one connection; returns them with what came back."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    answers = []
    for nth in range(EACH):
        target = b"/client-%d/request-%d?n=%d" % (number, nth, nth)
        writer.write(b"GET %s HTTP/1.1\r\nHost: %s:%s\r\n\r\n" % (target, host.encode(), port.encode()))
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        length = int(re.search(rb"\r\nContent-Length: (\d+)", head, re.I)[1])
        answers.append((target, await reader.readexactly(length)))
    writer.close()
    return answers


def assert_none_crossed(url: str) -> None:
    async def everyone():
        return await asyncio.gather(*(client(url, number) for number in range(CLIENTS)))

    answers = [answer for each in asyncio.run(everyone()) for answer in each]
    assert len(answers) == CLIENTS * EACH
    assert [(target, body) for target, body in answers if body != target + b"\n"] == []


def lasting_bytes(cassette) -> dict[str, bytes]:
    """Every file's bytes up to its volatile block, which is its last member."""
    return {
        str(path.relative_to(cassette)): path.read_bytes().rpartition(b'"volatile"')[0] or path.read_bytes()
        for path in cassette.rglob("*") if path.is_file()
    }


@pytest.mark.alone
@pytest.mark.timeout(600)
def test_sixteen_thousand_requests_make_the_same_cassette_twice(start, mirror, tmp_path, figure):
    began = time.monotonic()
    cassettes = [tmp_path / "first", tmp_path / "second"]
    for cassette in cassettes:
        recorder = start("record", "--upstream", mirror.url, "--cassette", cassette, "--quiet")
        assert_none_crossed(recorder.url)
        assert recorder.stop() == 0
    first, second = map(lasting_bytes, cassettes)

    recorded = interactions(cassettes[0])
    assert len(recorded) == CLIENTS * EACH
    assert all(list(each)[-1] == "volatile" for each in recorded.values())
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []

    replayer = start("replay", "--cassette", cassettes[1], "--quiet")
    assert_none_crossed(replayer.url)
    assert replayer.stop() == 0

    seconds = time.monotonic() - began
    figure("64 clients x 250: recorded twice, compared, replayed", f"{seconds:.1f} s")
    assert seconds < 60 or not is_release()
