"""Four times more than we can do, for a few seconds: whoever asks at a normal rate is served in time again within a
second of its end."""

import time

import pytest

from harness import LONG, NOISE, Facts, Running, Watch, port_of

NORMAL_RATE = 500
CALM_SECONDS, STORM_SECONDS, AFTER_SECONDS = (3, 5, 5) if LONG else (2, 3, 3)
RECOVERY_SECONDS = 1
CALM_MS = 10  # a slice of 100 ms whose median is below counts as calm, if the calm before was not worse
PROXY_CORE, LOAD_CORE = 0, 1

# Requests on kept connections, many under way on each; or each request on a connection of its own.
STORMS = {"kept connections": (256, 8, 0), "new connections": (1, 1, 1)}


def storm(tools, port: int, shape: tuple, rate: int, seconds: float) -> Running:
    connections, depth, fresh = shape
    return Running(tools["probe"], port, "/small", connections, depth, fresh, 1, f"{rate}:{seconds}", pinned_to=LOAD_CORE)


def capacity(tools, port: int, shape: tuple) -> int:
    """Answers a second when asked for far more; the best of three, since the machine is shared."""
    far_more = 1_000_000 if shape[1] > 1 else 60_000
    return max(storm(tools, port, shape, far_more, 1).result()["answers"] for _ in range(3))


@pytest.mark.parametrize("kind", STORMS)
def test_overload_is_over_when_it_is_over(start, load_cassette, tools, figure, kind):
    shape = STORMS[kind]
    deck = start(
        "replay", "--cassette", load_cassette, "--quiet", "--threads", "1",
        wrapper=["taskset", "-c", str(PROXY_CORE)])
    port = port_of(deck.url)
    rate = capacity(tools, port, shape)
    base = Facts(deck.process.pid)

    total = CALM_SECONDS + STORM_SECONDS + AFTER_SECONDS
    with Watch(deck.process.pid) as watch:
        normal = Running(tools["probe"], port, "/small", 20, 1, 0, 0, f"{NORMAL_RATE}:{total}", pinned_to=LOAD_CORE)
        time.sleep(CALM_SECONDS)
        overload = storm(tools, port, shape, 4 * rate, STORM_SECONDS)
        flood = overload.result()
        ended = time.monotonic_ns()
        seen = normal.result()

    end_ms = (ended - seen["start"]) / 1e6
    before = [entry for entry in seen["slices"] if entry[0] < CALM_SECONDS * 1000 - 200]
    during = [entry for entry in seen["slices"] if CALM_SECONDS * 1000 <= entry[0] < end_ms]
    after = [entry for entry in seen["slices"] if entry[0] >= end_ms]
    calm_ms = max(CALM_MS, NOISE * max(entry[2] for entry in before) / 1000)
    restless = [entry[0] for entry in after if entry[2] / 1000 > calm_ms or entry[5]]
    recovered_ms = max(0, restless[-1] + 100 - end_ms) if restless else 0
    figure(
        f"overload on {kind}: {4 * rate:,}/s asked, {flood['answers'] / STORM_SECONDS:,.0f}/s answered",
        f"others' median {max(e[2] for e in before) / 1000:.1f} ms before, {max(e[2] for e in during) / 1000:.1f} during, "
        f"calm {recovered_ms:.0f} ms after; +{(watch.highest('rss_kib') - base.rss_kib) / 1024:.1f} MiB at most")
    assert seen["silent"] == 0 and seen["failed"] == 0, {key: value for key, value in seen.items() if key != "slices"}
    assert flood["failed"] == 0
    assert recovered_ms <= RECOVERY_SECONDS * 1000
    assert watch.highest("rss_kib") - base.rss_kib < 64 * 1024
    assert deck.stop() == 0, deck.stderr
