"""A run from its ready line to its summary: what it says, and what it takes from its surroundings."""

import json
import re
import signal
import threading

import pytest

from deck import eventually, interactions, log_lines
from origin import counting, reply
from wire import Wire, fetch


def test_the_ready_line_and_the_ready_file_agree(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0])
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", deck.url)
    assert f"tapedeck: listening on {deck.url}" in deck.stderr.splitlines()


def test_listen_takes_a_host_and_a_port(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--listen", "127.0.0.2:0")
    assert deck.url.startswith("http://127.0.0.2:")
    assert fetch(deck.url, "/text").status == 200


def test_listening_beyond_loopback_is_warned_about(start, small_cassette):
    assert "warning" in start("replay", "--cassette", small_cassette[0], "--listen", "0.0.0.0:0").stderr.lower()
    assert "warning" not in start("replay", "--cassette", small_cassette[0]).stderr.lower()


def test_a_bare_name_is_a_folder_under_cassettes(start, mirror, tmp_path):
    deck = start("record", "--upstream", mirror.url, "--cassette", "github", cwd=tmp_path)
    fetch(deck.url, "/one")
    assert deck.stop() == 0
    assert len(interactions(tmp_path / "Cassettes" / "github")) == 1


def test_the_log_has_one_line_a_request(start, origin, cassette):
    recorder = start("record", "--upstream", origin(counting()).url, "--cassette", cassette)
    fetch(recorder.url, "/once")
    eventually(lambda: len(log_lines(recorder, "GET", "/once", "200", "upstream")) == 1, "the upstream is logged")
    recorder.stop()
    replayer = start("replay", "--cassette", cassette)
    fetch(replayer.url, "/once")
    fetch(replayer.url, "/never", method=b"POST", body=b"")
    eventually(lambda: len(log_lines(replayer, "GET", "/once", "200", "cassette")) == 1, "the cassette is logged")
    eventually(lambda: len(log_lines(replayer, "POST", "/never", "502", "unmatched")) == 1, "the miss is logged")
    assert "\x1b" not in replayer.stderr


def test_quiet_logs_no_request(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--quiet")
    fetch(deck.url, "/text")
    deck.stop()
    assert log_lines(deck, "GET", "/text") == []


def test_the_json_log_is_one_object_a_request(start, small_cassette):
    # Lines of two threads may come in either order, so there is one.
    deck = start("replay", "--cassette", small_cassette[0], "--log-format", "json", "--threads", "1")
    fetch(deck.url, "/text")
    fetch(deck.url, "/missing", method=b"PUT", body=b"")
    deck.stop()
    objects = [json.loads(line) for line in deck.stderr.splitlines() if line.startswith("{")]
    rows = [[value for value in each.values() if isinstance(value, str | int)] for each in objects]
    requests = [values for values in rows if {"/text", "/missing"} & set(values)]
    assert len(requests) == 2
    for values, expected in zip(requests, [("GET", "/text", 200, "cassette"), ("PUT", "/missing", 502, "unmatched")]):
        assert set(expected) <= set(values)


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_the_summary_comes_with_the_end(start, origin, cassette, with_signal):
    recorder = start("record", "--upstream", origin(counting()).url, "--cassette", cassette)
    for _ in range(3):
        fetch(recorder.url, "/uuid")
    assert recorder.stop(with_signal) == 0
    assert re.search(r"\b3 recorded|recorded\W+3\b", recorder.stderr)
    replayer = start("replay", "--cassette", cassette)
    for _ in range(2):
        fetch(replayer.url, "/uuid")
    assert replayer.stop(with_signal) == 0
    for word, count in {"replayed": 2, "unmatched": 0, "unused": 1}.items():
        assert re.search(rf"\b{count} {word}|{word}\W+{count}\b", replayer.stderr), word


def test_stopping_finishes_what_is_under_way(start, origin, cassette):
    arrived, go_on = threading.Event(), threading.Event()

    def held(exchange):
        arrived.set()
        assert go_on.wait(10)
        return reply(b"finished")

    deck = start("record", "--upstream", origin(held).url, "--cassette", cassette)
    with Wire(deck.url) as wire:
        wire.ask(b"/held")
        assert arrived.wait(10)
        deck.process.terminate()
        eventually(lambda: refuses(deck.url), "no new connections are taken")
        go_on.set()
        assert wire.answer().body == b"finished"
    assert deck.process.wait(10) == 0
    assert len(interactions(cassette)) == 1


def refuses(url: str) -> bool:
    try:
        Wire(url).close()
        return False
    except OSError:
        return True


def test_an_idle_client_does_not_hold_up_the_end(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0])
    with Wire(deck.url) as wire:
        wire.ask(b"/text")
        wire.answer()
        deck.process.terminate()
        assert deck.process.wait(5) == 0


# Surroundings

def test_ci_serves_without_recording(start, origin, recorded, cassette):
    recorded("/known")
    upstream = origin(counting())
    deck = start("serve", "--upstream", upstream.url, "--cassette", cassette, env={"CI": "true"})
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3
    assert upstream.connections == 0


def test_ci_records_if_a_mode_is_given(start, origin, cassette):
    deck = start(
        "serve", "--mode", "new_episodes", "--upstream", origin(counting()).url, "--cassette", cassette,
        env={"CI": "true"})
    assert fetch(deck.url, "/unknown").body == b"answer 1"
    assert deck.stop() == 0
    assert len(interactions(cassette)) == 1


def test_the_environments_proxy_is_not_used(start, origin, cassette):
    proxy = origin(lambda exchange: reply(b"from the proxy"))
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")
    deck = start(
        "record", "--upstream", origin(counting()).url, "--cassette", cassette, env=dict.fromkeys(names, proxy.url))
    assert fetch(deck.url, "/").body == b"answer 1"
    assert proxy.connections == 0
