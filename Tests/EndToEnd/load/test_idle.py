"""Ten thousand clients that keep their connections and say nothing: little memory, no work, and nothing left of them."""

import socket
import time

import pytest

from deck import eventually
from harness import LONG, Facts, port_of

pytestmark = pytest.mark.alone

CONNECTIONS = 10_000
SPARE_DESCRIPTORS = 200
GOAL_KIB = 8
GOAL_WAKE_UPS = 2
IDLE_SECONDS = 10 if LONG else 3
REQUEST = b"GET /small HTTP/1.1\r\nHost: load\r\n\r\n"


def connect(port: int, number: int) -> socket.socket:
    """From sixteen addresses in turn: one has 28,000 ports only."""
    return socket.create_connection(("127.0.0.1", port), 30, (f"127.0.0.{1 + number % 16}", 0))


def open_and_ask(port: int, count: int) -> list[socket.socket]:
    """Connections that have each been served once."""
    lines = [connect(port, number) for number in range(count)]
    for line in lines:
        line.sendall(REQUEST)
    for line in lines:
        assert line.recv(4096).startswith(b"HTTP/1.1 200")
    return lines


def test_idle_connections_cost_little_and_are_given_back(start, load_cassette, descriptors, figure):
    count = min(CONNECTIONS, descriptors - SPARE_DESCRIPTORS)
    deck = start("replay", "--cassette", load_cassette, "--quiet")
    for line in open_and_ask(port_of(deck.url), 10):
        line.close()
    eventually(lambda: Facts(deck.process.pid).descriptors < 15, "the first clients are gone")
    base = Facts(deck.process.pid)

    lines = open_and_ask(port_of(deck.url), count)
    full = Facts(deck.process.pid)
    time.sleep(IDLE_SECONDS)
    idle = Facts(deck.process.pid)
    for line in lines:
        line.close()
    eventually(lambda: Facts(deck.process.pid).descriptors <= base.descriptors, "descriptors are back", 30)
    after = Facts(deck.process.pid)

    kib_each = (full.rss_kib - base.rss_kib) / count
    wake_ups = (idle.wake_ups - full.wake_ups) / IDLE_SECONDS
    cpu = idle.cpu_seconds - full.cpu_seconds
    figure(
        f"{count} idle connections",
        f"{kib_each:.2f} KiB each beyond {base}; {wake_ups:.1f} wake-ups/s, {cpu:.2f} s CPU in {IDLE_SECONDS} s; after: {after}")
    assert count == CONNECTIONS, f"only {descriptors} descriptors are allowed here: raise the hard limit (ulimit -Hn)"
    assert full.descriptors >= base.descriptors + count
    assert kib_each <= GOAL_KIB
    assert wake_ups <= GOAL_WAKE_UPS
    assert cpu <= 0.01
    assert after.threads == base.threads
    again = open_and_ask(port_of(deck.url), 10)
    assert len(again) == 10
    for line in again:
        line.close()
    assert deck.stop() == 0, deck.stderr


def test_a_second_crowd_needs_no_more_than_the_first(start, load_cassette, descriptors, figure):
    """What one crowd left behind serves the next: memory that is not given back is at least not lost."""
    deck = start("replay", "--cassette", load_cassette, "--quiet")
    sizes = []
    for _ in range(16):
        for line in open_and_ask(port_of(deck.url), 2_000):
            line.close()
        eventually(lambda: Facts(deck.process.pid).descriptors < 15, "the crowd is gone")
        sizes.append(Facts(deck.process.pid).rss_kib)
    figure("RSS after each of sixteen crowds of 2,000", ", ".join(f"{size / 1024:.1f}" for size in sizes) + " MiB")
    assert sizes[-1] <= sizes[1] + 2048
    assert deck.stop() == 0, deck.stderr
