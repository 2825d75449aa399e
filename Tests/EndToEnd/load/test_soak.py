"""Mixed traffic for as long as wished: neither memory nor descriptors may grow.

TAPEDECK_SOAK_MINUTES=60 is a soak; without it, this is a few seconds that see the harness run and gross leaks.
"""

import os
import socket
import time

from deck import eventually
from harness import LONG, Facts, Running, Watch, port_of

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
