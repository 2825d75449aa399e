"""What a client was told, a cassette keeps: kill -9 included."""

import os
import random
import threading

import pytest

from deck import fingerprint, interactions, journal
from origin import HangUp, Origin
from servers import Nginx
from wire import Wire, fetch

CLIENTS = 8
PATIENCE = 60


class Load:
    """Clients that ask until the proxy dies, each noting every answer it received in full."""

    def __init__(self, url: str, name: str, asks_for_halves: bool = False):
        self.told: list[bytes] = []
        self.wrong: list[tuple[bytes, bytes]] = []
        self.halves = 0
        self._news = threading.Condition()
        self._threads = [threading.Thread(target=self._ask, args=(url, f"/{name}/{n}")) for n in range(CLIENTS)]
        if asks_for_halves:
            self._threads.append(threading.Thread(target=self._ask_for_halves, args=(url, f"/{name}")))
        for thread in self._threads:
            thread.start()

    def _ask(self, url: str, prefix: str) -> None:
        try:
            with Wire(url) as wire:
                for nth in range(1_000_000):
                    target = f"{prefix}/{nth}".encode()
                    wire.ask(target)
                    answer = wire.answer()
                    with self._news:
                        self.told.append(target)
                        if answer.status != 200 or answer.body != target + b"\n":
                            self.wrong.append((target, answer.body))
                        self._news.notify()
        except OSError:
            pass

    def _ask_for_halves(self, url: str, prefix: str) -> None:
        nth = 0
        while True:
            nth += 1
            try:
                with Wire(url) as wire:
                    wire.ask(f"/half{prefix}/{nth}".encode())
                    answer = wire.answer()
                    with self._news:
                        self.wrong.append((b"half an answer arrived whole", answer.body))
                    return
            except ConnectionRefusedError:
                return
            except OSError:
                self.halves += 1

    def wait_until_told(self, count: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: len(self.told) >= count, PATIENCE), "the load came to a halt"

    def join(self) -> None:
        for thread in self._threads:
            thread.join(PATIENCE)


def assert_answers_all(url: str, told: list[bytes]) -> None:
    with Wire(url) as wire:
        for target in told:
            wire.ask(target)
            answer = wire.answer()
            assert (answer.status, answer.body) == (200, target + b"\n"), answer.body.decode(errors="replace")


def record_until_killed(start, verb, mirror, cassette, name: str, count: int) -> list[bytes]:
    return load_until_killed(start, verb, mirror, cassette, name, count).told


def load_until_killed(start, verb, mirror, cassette, name: str, count: int, asks_for_halves=False) -> Load:
    recorder = start(*verb, "--upstream", mirror.url, "--cassette", cassette, "--quiet")
    load = Load(recorder.url, name, asks_for_halves)
    load.wait_until_told(count)
    recorder.kill()
    load.join()
    assert load.wrong == []
    return load


RECORD = ["record"]
SERVE = ["serve", "--mode", "new_episodes"]


@pytest.mark.timeout(600)
def test_twenty_kills_lose_nothing_a_client_was_told(start, mirror, cassette, figure):
    luck = random.Random(20)
    told = []
    for kill in range(20):
        verb = RECORD if kill % 2 == 0 else SERVE
        answered = record_until_killed(start, verb, mirror, cassette, f"kill-{kill}", luck.randrange(20, 300))
        assert journal(cassette).exists()
        with start("replay", "--cassette", cassette, "--quiet") as replayer:
            assert_answers_all(replayer.url, answered)
            assert replayer.stop() == 0
        told += answered

    recoverer = start("record", "--upstream", mirror.url, "--cassette", cassette)
    assert "recovered" in recoverer.stderr.lower()
    assert recoverer.stop() == 0
    assert not journal(cassette).exists()
    assert len(interactions(cassette)) >= len(told)

    replayer = start("replay", "--cassette", cassette, "--quiet")
    assert_answers_all(replayer.url, told)
    assert replayer.stop() == 0
    figure("answers told before twenty kill -9, all replayed", len(told))


@pytest.mark.parametrize("verb", [RECORD, SERVE], ids=["record", "serve"])
def test_a_left_over_journal_is_recovered_out_loud(start, mirror, cassette, verb):
    told = record_until_killed(start, RECORD, mirror, cassette, "left", 30)
    assert journal(cassette).exists()
    deck = start(*verb, "--upstream", mirror.url, "--cassette", cassette)
    assert "recovered" in deck.stderr.lower()
    assert "journal" in deck.stderr.lower()
    assert deck.stop() == 0
    assert not journal(cassette).exists()
    assert len(interactions(cassette)) >= len(told)


def test_replay_beside_a_left_over_journal_writes_nothing(start, mirror, cassette):
    told = record_until_killed(start, RECORD, mirror, cassette, "beside", 30)
    before = fingerprint(cassette)
    replayer = start("replay", "--cassette", cassette)
    assert_answers_all(replayer.url, told)
    assert replayer.stop() == 0
    assert fingerprint(cassette) == before


def test_a_torn_tail_is_set_aside_with_a_warning(start, mirror, cassette):
    told = record_until_killed(start, RECORD, mirror, cassette, "torn", 30)
    whole = journal(cassette).read_bytes()
    journal(cassette).write_bytes(whole + whole.splitlines()[-1][:40])
    deck = start("record", "--upstream", mirror.url, "--cassette", cassette)
    assert "warning" in deck.stderr.lower()
    assert deck.stop() == 0
    replayer = start("replay", "--cassette", cassette)
    assert_answers_all(replayer.url, told)


def test_a_killed_recorder_leaves_no_lock(start, mirror, cassette):
    record_until_killed(start, RECORD, mirror, cassette, "first", 30)
    deck = start("record", "--upstream", mirror.url, "--cassette", cassette)
    assert fetch(deck.url, "/after").body == b"/after\n"
    assert deck.stop() == 0


KILLS, KILLS_A_CASSETTE = (1000, 20) if os.environ.get("TAPEDECK_LONG_TESTS") == "1" else (10, 10)


def half_an_answer(exchange):
    """By length, by chunks, or cut off inside the head: never complete."""
    nth = int(exchange.request.target.rsplit(b"/", 1)[1])
    exchange.send([
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + bytes(50_000),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nnine byte",
    ][nth % 3])
    raise HangUp


@pytest.fixture
def cutting_mirror(servers):
    """The mirror, but for `/half/...`, whose answers break off."""
    with Origin(half_an_answer) as origin:
        yield servers(
            Nginx,
            f'location / {{ return 200 "$request_uri\\n"; }}'
            f" location /half/ {{ proxy_pass {origin.url}; proxy_http_version 1.1; }}")
        assert origin.failure is None


@pytest.mark.timeout(3600 if KILLS > 100 else 180)
def test_D1_D3_kills_under_load_with_half_answers_between(start, cutting_mirror, tmp_path, figure):
    luck = random.Random(1000)
    told = halves = recorded = 0
    for batch in range(KILLS // KILLS_A_CASSETTE):
        cassette = tmp_path / f"cassette-{batch}"
        answered = []
        for kill in range(KILLS_A_CASSETTE):
            verb = RECORD if luck.random() < 0.5 else SERVE
            load = load_until_killed(
                start, verb, cutting_mirror, cassette, f"kill-{kill}", luck.randrange(5, 150), asks_for_halves=True)
            answered += load.told
            halves += load.halves
        with start("replay", "--cassette", cassette, "--quiet") as replayer:
            assert_answers_all(replayer.url, answered)
            assert fetch(replayer.url, "/half/kill-0/1").status == 502
        recoverer = start("record", "--upstream", cutting_mirror.url, "--cassette", cassette, "--quiet")
        assert recoverer.stop() == 0
        targets = [value["request"]["target"] for value in interactions(cassette).values()]
        assert [target for target in targets if target.startswith("/half")] == []
        assert {target.decode() for target in answered} <= set(targets)
        told += len(answered)
        recorded += len(targets)
    figure(f"kill -9 under load: {KILLS}, answers told", told)
    figure("  of them lost", 0)
    figure("  recorded in all, those in flight included", recorded)
    figure("  answers that broke off, of which 0 were recorded", halves)
