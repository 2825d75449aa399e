"""Mixed traffic for as long as wished: neither memory nor descriptors may grow.

TAPEDECK_SOAK_MINUTES=60 is a soak; without it, this is a few seconds that see the harness run and gross leaks.
The turmoil of closing origins, streams, clients that leave, changing overrides and admin calls, all at once, takes
30 minutes with TAPEDECK_LONG_TESTS=1.
"""

import asyncio
import itertools
import os
import socket
import threading
import time

import pytest

from deck import eventually, interactions
from harness import LONG, Facts, Running, Watch, port_of
from steering import steered
from turmoil import KINDS, Clients, TurmoilOrigin

pytestmark = pytest.mark.alone

MINUTES = float(os.environ.get("TAPEDECK_SOAK_MINUTES", 5 if LONG else 0.2))
WARM_SHARE = 0.3
# The smallest leak there is: malloc gives no less. What grows slower is the allocator settling.
LEAK_BYTES = 16
SLACK_KIB = 4096


def slope(samples) -> float:
    """KiB a minute, by least squares over what comes after the warm-up."""
    steady = samples[int(len(samples) * WARM_SHARE):]
    times = [moment / 60 for moment, _ in steady]
    sizes = [facts.rss_kib for _, facts in steady]
    mean_time, mean_size = sum(times) / len(times), sum(sizes) / len(sizes)
    spread = sum((moment - mean_time) ** 2 for moment in times)
    return sum((m - mean_time) * (s - mean_size) for m, s in zip(times, sizes)) / spread


def leave_in_the_middle(port: int, count: int) -> None:
    """Clients that go away: before a word, inside a head, inside a body, before the answer."""
    for number in range(count):
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall((
                b"", b"GET /small HT", b"POST /small HTTP/1.1\r\nHost: load\r\nContent-Length: 100\r\n\r\nhalf",
                b"GET /large HTTP/1.1\r\nHost: load\r\n\r\n", b"not http at all\r\n\r\n")[number % 5])


def drive(tools, proxy: int, replay: int, until: float) -> dict[str, int]:
    """Rounds of mixed traffic until it is time; how many requests each got."""
    proxied = replayed = 0
    while time.monotonic() < until:
        tokens = Running(tools["tokens"], proxy, 10_000, 100, 50, 0)
        kept = Running(tools["probe"], replay, "/small", 50, 4, 5, 0, "3000:1")
        missed = Running(tools["probe"], replay, "/never-recorded", 10, 1, 0, 0, "200:1")
        leave_in_the_middle(replay, 50)
        leave_in_the_middle(proxy, 50)
        seen = tokens.result()
        assert seen["crossed"] == 0, tokens.complaints
        proxied += seen["asked"]
        replayed += kept.result()["asked"] + missed.result()["asked"]
    return {"passthrough": proxied, "replay": replayed}


def test_nothing_grows(start, load_cassette, tools, token_origin, figure):
    origin = token_origin()
    decks = [
        start("serve", "--mode", "passthrough", "--upstream", origin.url, "--quiet"),
        start("replay", "--cassette", load_cassette, "--quiet")]
    ports = [port_of(deck.url) for deck in decks]
    drive(tools, *ports, time.monotonic() + 6)  # until the allocator has settled
    eventually(lambda: Facts(decks[1].process.pid).descriptors < 15, "the warm-up is over")
    base = [Facts(deck.process.pid) for deck in decks]
    with Watch(decks[0].process.pid, 1) as proxy_watch, Watch(decks[1].process.pid, 1) as replay_watch:
        requests = drive(tools, *ports, time.monotonic() + MINUTES * 60)
    eventually(lambda: Facts(decks[1].process.pid).descriptors <= base[1].descriptors, "descriptors are back", 30)
    for name, deck, before, watch in zip(("passthrough", "replay"), decks, base, (proxy_watch, replay_watch)):
        after = Facts(deck.process.pid)
        bytes_each = slope(watch.samples) * 1024 / (requests[name] / MINUTES)
        figure(
            f"soak of {MINUTES:g} min, {name}, {requests[name]:,} requests",
            f"{slope(watch.samples):+.0f} KiB/min, {bytes_each:+.1f} bytes a request; after: {after}, before: {before}")
        if MINUTES >= 1:
            assert bytes_each < LEAK_BYTES
        assert after.rss_kib - before.rss_kib < SLACK_KIB + LEAK_BYTES / 1024 * requests[name]
        assert after.threads == before.threads
        assert after.descriptors <= before.descriptors + 10
        assert deck.stop() in (0, 3), deck.stderr


TURMOIL_MINUTES = float(os.environ.get("TAPEDECK_SOAK_MINUTES", 30 if LONG else 0.25))
WORKERS = 24


class Loop:
    """An event loop on a thread of its own."""

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @staticmethod
    async def _end():
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def start(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work, seconds=60):
        return self.start(work).result(seconds)


def steer(admin, overrides, over: threading.Event) -> int:
    """Adds, changes and removes rules, saves the overrides file and reads everything there is to read."""
    for number in itertools.count():
        made = admin.post("/routes", {"path": "/overridden/{token}", "status": 418, "json": {"mine": number}})
        admin.put(f"/routes/{made['id']}", {"path": "/overridden/{token}", "status": 418, "text": f"again {number}"})
        admin.get("/routes"), admin.get("/health"), admin.get("/requests", limit=5)
        admin.delete(f"/routes/{made['id']}")
        overrides.write_text(f'{{"routes": [{{"path": "/elsewhere/{number}", "status": 418}}]}}')
        if over.wait(0.02):
            return number


def turmoil(loop, decks, steering, recorded, seconds: float) -> list[Clients]:
    """Every client and every hand on the steering wheel, for so long."""
    clients = [Clients(port_of(deck.url), number, known) for number, (deck, known) in enumerate(zip(decks, recorded))]
    over, failures = threading.Event(), []

    def steering_thread(admin, overrides):
        try:
            steer(admin, overrides, over)
        except Exception as error:
            failures.append(error)

    hands = [threading.Thread(target=steering_thread, args=each) for each in steering]
    for hand in hands:
        hand.start()
    running = [loop.start(run_until(each, seconds)) for each in clients]
    try:
        for each in running:
            each.result(seconds + 120)
    finally:
        over.set()
        for hand in hands:
            hand.join(60)
    assert not failures, failures
    return clients


async def run_until(clients, seconds):
    await clients.run(WORKERS, asyncio.get_running_loop().time() + seconds)


def test_nothing_hangs_crosses_or_stays_when_all_happens_at_once(start, tmp_path, cassette, figure):
    with Loop() as loop:
        origin = loop.run(TurmoilOrigin().start())
        known = [(kind, f"known{number}") for number in range(20) for kind in KINDS]
        recorder = start("record", "--upstream", origin.url, "--cassette", cassette, "--quiet")
        session = Clients(port_of(recorder.url), 99)
        for kind, token in known:
            loop.run(session._ask(None, kind, token))
        assert recorder.stop() == 0, recorder.stderr
        assert not session.wrong and len(interactions(cassette)) == len(known)

        files = [tmp_path / "passthrough.json", tmp_path / "replay.json"]
        for file in files:
            file.write_text("{}")
        pairs = [
            steered(start, "serve", "--mode", "passthrough", "--upstream", origin.url, "--quiet", "--overrides", files[0], "--journal", "1"),
            steered(start, "replay", "--cassette", cassette, "--quiet", "--overrides", files[1], "--journal", "1")]
        decks = [deck for deck, _ in pairs]
        steering = [(admin, file) for (_, admin), file in zip(pairs, files)]
        turmoil(loop, decks, steering, [None, known], 5)  # until the allocator has settled
        for deck in decks:
            eventually(lambda: Facts(deck.process.pid).descriptors < 40, "the warm-up is over", 60)
        base = [Facts(deck.process.pid) for deck in decks]
        clients = turmoil(loop, decks, steering, [None, known], TURMOIL_MINUTES * 60)
        loop.run(origin.stop())
    for name, deck, before, seen in zip(("passthrough", "replay"), decks, base, clients):
        eventually(
            lambda: Facts(deck.process.pid).descriptors <= before.descriptors + 4,
            f"descriptors of {name} are back at {before.descriptors}: {Facts(deck.process.pid)}", 60)
        eventually(lambda: Facts(deck.process.pid).threads <= before.threads, f"threads of {name} are back", 30)
        after = Facts(deck.process.pid)
        figure(
            f"turmoil of {TURMOIL_MINUTES:g} min, {name}, {seen.asked:,} requests",
            f"{len(seen.hung)} hung, {len(seen.crossed)} crossed, {seen.overridden:,} overridden, {seen.left:,} left early; "
            f"after: {after}, before: {before}")
        assert not seen.hung, seen.hung[:5]
        assert not seen.crossed, seen.crossed[:5]
        assert not seen.wrong, seen.wrong[:5]
        assert seen.asked > 100 and seen.left > 10 and seen.overridden > 0
        assert after.rss_kib - before.rss_kib < SLACK_KIB + LEAK_BYTES / 1024 * seen.asked
        assert deck.stop() in (0, 3), deck.stderr
