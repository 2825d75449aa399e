"""Many WebSockets at once: none loses a message or gets another's; those that rest cost little."""

import asyncio
import json
import os
import signal
import socket
import threading

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

from deck import is_release, eventually, interactions, run
from test_websocket import at

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
SOCKETS = 1000 if LONG else 100
MESSAGES = 100


@pytest.fixture
def counting_server():
    """Answers each message with its path and what it was."""
    ready, loop, port = threading.Event(), asyncio.new_event_loop(), []

    async def answer(ws):
        async for message in ws:
            await ws.send(f"{ws.request.path} heard {message}")

    async def begin():
        server = await serve(answer, "127.0.0.1", 0, compression=None, ping_interval=None, backlog=4096, open_timeout=60)
        port.append(server.sockets[0].getsockname()[1])
        ready.set()

    threading.Thread(target=lambda: (loop.create_task(begin()), loop.run_forever()), daemon=True).start()
    assert ready.wait(20)
    yield port[0]
    loop.call_soon_threadsafe(loop.stop)


async def talk(url, number, messages, heard):
    try:
        async with connect(f"{url}/{number}", compression=None, ping_interval=None, open_timeout=60) as ws:
            for index in range(messages):
                await ws.send(f"{number}:{index}")
                heard[number].append(await asyncio.wait_for(ws.recv(), 60))
    except Exception as failure:  # A killed proxy ends them all.
        heard[number].append(failure)


def all_talk(url, sockets, messages=MESSAGES):
    heard = {number: [] for number in range(sockets)}

    async def main():
        await asyncio.gather(*(talk(url, number, messages, heard) for number in heard))

    asyncio.run(main())
    return heard


def expected(number, count=MESSAGES):
    return [f"/room/{number} heard {number}:{index}" for index in range(count)]


def said(recorded, side):
    return [message["text"] for message in recorded["webSocket"]["messages"] if message["from"] == side]


@pytest.mark.timeout(900)
def test_none_is_lost_and_none_is_crossed(start, cassette, counting_server):
    deck = start(
        "record", "--upstream", f"http://127.0.0.1:{counting_server}", "--cassette", cassette, "--quiet")
    heard = all_talk(at(deck, "/room"), SOCKETS)
    assert all(heard[number] == expected(number) for number in heard)
    assert deck.stop() == 0
    recorded = {each["request"]["target"]: each for each in interactions(cassette).values()}
    assert len(recorded) == SOCKETS
    for number in range(SOCKETS):
        each = recorded[f"/room/{number}"]
        assert said(each, "server") == expected(number)
        assert said(each, "client") == [f"{number}:{index}" for index in range(MESSAGES)]
    offline = start("replay", "--cassette", cassette, "--quiet")
    again = all_talk(at(offline, "/room"), SOCKETS)
    assert all(again[number] == expected(number) for number in again)
    assert offline.stop() == 0


@pytest.mark.timeout(900)
def test_kill_9_loses_nothing_that_a_client_was_told(start, cassette, counting_server):
    deck = start(
        "record", "--upstream", f"http://127.0.0.1:{counting_server}", "--cassette", cassette, "--quiet")
    journal = cassette / "journal.jsonl"

    def kill():
        eventually(lambda: journal.exists() and journal.stat().st_size > SOCKETS * MESSAGES * 60, "half of it", 300)
        deck.process.send_signal(signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    heard = all_talk(at(deck, "/room"), SOCKETS)
    killer.join()
    deck.process.wait(20)
    told = {number: [each for each in messages if isinstance(each, str)] for number, messages in heard.items()}
    assert 0 < sum(map(len, told.values())) < SOCKETS * MESSAGES
    # The next start recovers the journal.
    again = start("serve", "--mode", "new_episodes", "--upstream", f"http://127.0.0.1:{counting_server}", "--cassette", cassette)
    assert again.stop() == 0
    recorded = {each["request"]["target"]: each for each in interactions(cassette).values()}
    lost = crossed = 0
    for number, messages in told.items():
        kept = said(recorded[f"/room/{number}"], "server") if messages else []
        lost += max(0, len(messages) - len(kept))
        crossed += kept != expected(number, len(kept)) or messages != expected(number, len(messages))
    assert (lost, crossed) == (0, 0)


HANDSHAKE = (
    "GET /idle/{} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")


@pytest.mark.skipif(not is_release(), reason="a debug build's objects are larger")
@pytest.mark.timeout(600)
def test_idle_sockets_cost_little(start, tmp_path):
    """Served by a declared route: no connection to an origin."""
    import resource
    most = 10_000 if LONG else 2_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    rules = tmp_path / "overrides.json"
    rules.write_text(json.dumps({"routes": [{"path": "/idle/*", "webSocket": {}}]}))
    deck = start("serve", "--overrides", rules, "--max-connections", str(most + 100), "--quiet", "--journal", "0")
    host, port = deck.authority.decode().rsplit(":", 1)

    def opened(count):
        lines = [socket.create_connection((host, int(port))) for _ in range(count)]
        for number, line in enumerate(lines):
            line.sendall(HANDSHAKE.format(number).encode())
        for line in lines:
            assert line.recv(4096).startswith(b"HTTP/1.1 101")
        return lines

    first = opened(100)
    before = deck.mebibytes("VmRSS")
    rest = opened(most - 100)
    each = (deck.mebibytes("VmRSS") - before) * 1024 / len(rest)
    print(f"{len(first) + len(rest)} idle sockets: {each:.2f} KiB each")
    assert each <= 8
