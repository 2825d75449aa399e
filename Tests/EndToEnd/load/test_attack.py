"""slowhttptest's four attacks: the good go on being served in time, and what the attackers took is given back."""

import shutil
import subprocess
import time

import pytest

from deck import eventually
from harness import LONG, NOISE, Facts, Probes, Watch, milliseconds, port_of

pytestmark = pytest.mark.alone

CONNECTIONS = 4_000 if LONG else 1_000
SECONDS = 30 if LONG else 4  # the long form outlasts the header timeout
GOAL_MS = 20
ROOM_KIB = {"slow read": 300}  # a connection's share of what waits to be sent; others hold next to nothing

ATTACKS = {
    "slow headers": ["-H", "-i", "2", "-x", "24", "-t", "GET", "/small"],
    "slow body": ["-B", "-i", "2", "-s", "8192", "-x", "10", "-t", "POST", "/small"],
    "range": ["-R", "-a", "5", "-b", "3000", "-t", "HEAD", "/small"],
    "slow read": ["-X", "-w", "10", "-y", "20", "-n", "5", "-z", "32", "-k", "3", "/large"],
    "slow read, in memory": ["-X", "-w", "10", "-y", "20", "-n", "5", "-z", "32", "-k", "3", "/medium"],
}


def slowhttptest(url: str, *options) -> subprocess.Popen:
    program = shutil.which("slowhttptest")
    assert program, "slowhttptest is not installed (debian-packages.txt)"
    words = [*options[:-1], "-c", CONNECTIONS, "-r", CONNECTIONS, "-l", SECONDS + 6, "-p", 3, "-u", url + options[-1]]
    return subprocess.Popen(
        [program, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_delays_nobody_and_leaves_nothing(start, load_cassette, tools, yardstick, figure, attack):
    deck = start("replay", "--cassette", load_cassette, "--quiet")
    Probes(tools, port_of(deck.url), yardstick.port, "200:1").result()  # warm
    base = Facts(deck.process.pid)
    with Watch(deck.process.pid) as watch:
        attacker = slowhttptest(deck.url, *ATTACKS[attack])
        try:
            if attack != "range":  # whose every connection is answered and ends
                eventually(lambda: Facts(deck.process.pid).descriptors > 0.9 * CONNECTIONS, "the attack runs", 30)
            good, bare = Probes(tools, port_of(deck.url), yardstick.port, f"100:{SECONDS}").result()
        finally:
            attacker.kill()
            attacker.wait()
        ended = time.monotonic()
        eventually(lambda: Facts(deck.process.pid).descriptors <= base.descriptors, "descriptors are back", 60)
        seconds_back = time.monotonic() - ended
    after = Facts(deck.process.pid)
    peak = watch.highest("rss_kib") - base.rss_kib
    figure(
        f"{attack}, {CONNECTIONS} connections",
        f"{milliseconds(good)} (bare loop {milliseconds(bare)}); +{peak / 1024:.1f} MiB at most, "
        f"{watch.highest('descriptors')} fds; after {seconds_back:.1f} s: {after}, before: {base}")
    assert good["answers"] == good["asked"], good
    assert good["p99"] / 1000 < max(GOAL_MS, NOISE * bare["p99"] / 1000) * (1 if LONG else 2)
    assert peak < CONNECTIONS * ROOM_KIB.get(attack, 12) + 4096
    assert after.threads == base.threads
    assert after.rss_kib - base.rss_kib < peak / 4 + 8192
    assert deck.stop() in (0, 3), deck.stderr
