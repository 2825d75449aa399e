"""The inspector under load: 10,000 requests a second beside an open page, which costs the proxy nothing and stays live."""

import os
import re
import shutil
import socket
import statistics
import threading
import time
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from deck import ROOT, eventually, is_release
from inspector import Page, launch
from steering import steered

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
pytestmark = [pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium"), pytest.mark.alone]
# A debug build writes a feed a tenth as fast.
RATE = 10_000 if is_release() else 1_000
BATCH = RATE // 50


class Load(threading.Thread):
    """Sends requests at a rate, on one connection, until it is told to stop."""

    def __init__(self, deck, rate=RATE):
        super().__init__(daemon=True)
        self.authority, self.rate, self.count, self.isOver = deck.authority, rate, 0, False
        self.start()

    def run(self):
        host, port = self.authority.split(b":")
        batch = b"GET /json HTTP/1.1\r\nHost: %s\r\n\r\n" % self.authority * BATCH
        with socket.create_connection((host.decode(), int(port))) as connection:
            connection.settimeout(60)
            began = time.monotonic()
            while not self.isOver:
                connection.sendall(batch)
                # No response holds this text but in its first line.
                rest, got = b"", 0
                while got < BATCH:
                    data = rest + connection.recv(1 << 20)
                    got += data.count(b"HTTP/1.1 200")
                    rest = data[-11:] if not data.endswith(b"HTTP/1.1 200") else b""
                self.count += BATCH
                if self.rate:
                    time.sleep(max(0, began + self.count / self.rate - time.monotonic()))

    def stop(self) -> int:
        self.isOver = True
        self.join(60)
        return self.count


def send(deck, seconds: float, rate=RATE) -> float:
    """Requests that were served, a second."""
    load, began = Load(deck, rate), time.monotonic()
    time.sleep(seconds)
    return load.stop() / (time.monotonic() - began)


def serving_seconds(deck) -> float:
    """What the threads that serve requests have used of the CPU: all but that of the admin API, which is the last."""
    tasks = sorted(int(task.name) for task in Path(f"/proc/{deck.process.pid}/task").iterdir())
    def used(task):
        fields = Path(f"/proc/{deck.process.pid}/task/{task}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return sum(used(task) for task in tasks[:2])


@pytest.fixture
def watched(start):
    deck, admin = steered(start, "replay", "--cassette", ROOT / "Cassettes" / "httpbin", "--quiet", "--threads", "1")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield deck, admin, browser
        browser.close()


def seen(page) -> int:
    """The requests that the page knows of: shown, left out as too old, and missing."""
    return sum(int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", page.text("#count")))


@pytest.mark.timeout(900)
def test_a_page_that_watches_costs_no_speed(watched, figure):
    deck, admin, browser = watched
    seconds = 5 if LONG else 2
    send(deck, 1)
    alone, beside, costs = [], [], {"alone": [], "beside": []}
    for _ in range(6 if LONG else 3):
        for kind, found in (("alone", alone), ("beside", beside)):
            page = Page(browser, admin) if kind == "beside" else None
            before = serving_seconds(deck)
            found.append(send(deck, seconds))
            costs[kind].append((serving_seconds(deck) - before) / (found[-1] * seconds) * 1e6)
            if page:
                page.assert_harmless()
                page.close()
    ratio = sum(beside) / sum(alone)
    figure("requests a second without and with the page", f"{statistics.mean(alone):,.0f}, {statistics.mean(beside):,.0f} ({ratio:.3f})")
    figure("CPU of the serving threads a request, µs, without and with", f"{statistics.median(costs['alone']):.1f}, {statistics.median(costs['beside']):.1f}")
    assert ratio >= 0.95
    assert statistics.mean(alone) >= 0.9 * RATE or not is_release(), "the client is too slow to tell"


@pytest.mark.timeout(1200)
def test_the_list_stays_live_and_memory_bounded(watched, figure):
    deck, admin, browser = watched
    page = Page(browser, admin)
    session = page.context.new_cdp_session(page.page)

    def heap() -> float:
        session.send("HeapProfiler.collectGarbage")
        return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6

    load, seconds = Load(deck), 600 if LONG else 30
    sizes, resident, delays = [], [], []
    try:
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            total = admin.get("/health")["requests"]
            asked = time.monotonic()
            # What the proxy had by then is on the page, or counted as missing.
            eventually(lambda: seen(page) >= total, "the list is live", 20)
            delays.append(time.monotonic() - asked)
            # The page answers to a person meanwhile.
            page.press("p", "p")
            if time.monotonic() > began + seconds / 3:
                sizes.append(heap())
                resident.append(deck.mebibytes("VmRSS"))
            time.sleep(1)
    finally:
        sent = load.stop()
    assert page.page.locator("#space .line").count() < 200
    page.assert_harmless()
    figure("requests beside a page", f"{sent:,} in {seconds} s, at most {max(delays):.2f} s behind")
    figure("memory of page and proxy at a third and at the end", f"{sizes[0]:.0f}, {sizes[-1]:.0f} MB; {resident[0]:.0f}, {resident[-1]:.0f} MiB")
    assert max(sizes) <= 1.25 * sizes[0] + 10
    assert max(resident) <= 1.15 * resident[0] + 10
