"""Quick to start, small in memory."""

import subprocess
import time
from statistics import median

from deck import CLEAN, binary, is_release
from wire import fetch

STARTS = 20


def milliseconds_to_ready(cassette) -> float:
    began = time.monotonic()
    process = subprocess.Popen(
        [binary(), "replay", "--cassette", cassette, "--port", "0"],
        env=CLEAN, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if "listening on" in line:
                return (time.monotonic() - began) * 1000
        raise AssertionError("it ended without being ready")
    finally:
        process.kill()
        process.communicate()


def test_ready_in_well_under_fifty_milliseconds(small_cassette, figure):
    middle = median(milliseconds_to_ready(small_cassette[0]) for _ in range(STARTS))
    figure("start to ready, median of twenty", f"{middle:.1f} ms")
    assert middle < (50 if is_release() else 250)


def test_resident_memory_stays_small(start, small_cassette, figure):
    path, answers = small_cassette
    deck = start("replay", "--cassette", path)
    for target, _ in answers:
        fetch(deck.url, target)
    resident = deck.mebibytes("VmRSS")
    figure("resident after a small replay", f"{resident:.1f} MiB")
    assert resident < (24 if is_release() else 64)
