"""Who answers in each mode, by each name, and over what."""

import json

import pytest

from deck import Deck, eventually, interactions, log_lines
from origin import counting, reply
from wire import fetch

FIRST_THREE = [b"answer 1", b"answer 2", b"answer 3"]


def ask(url: str, target="/uuid", times: int = 3) -> list[bytes]:
    return [fetch(url, target).body for _ in range(times)]


@pytest.mark.parametrize(
    ("options", "fourth"),
    [((), b"answer 3"), (("--on-exhausted", "repeat"), b"answer 3"), (("--on-exhausted", "loop"), b"answer 1"),
     (("--on-exhausted", "miss"), None)],
    ids=["default", "repeat", "loop", "miss"])
def test_three_in_a_row_replay_in_a_row(start, recorded, cassette, options, fourth):
    assert recorded(*["/uuid"] * 3) == FIRST_THREE
    deck = start("replay", "--cassette", cassette, *options)
    assert ask(deck.url) == FIRST_THREE
    last = fetch(deck.url, "/uuid")
    assert (last.status, last.body) == (200, fourth) if fourth else last.status == 502
    assert deck.stop() == (0 if fourth else 3)


def serve(start, mode, upstream, cassette) -> Deck:
    flags = ["--mode", mode] if mode else []
    return start("serve", *flags, "--upstream", upstream.url, "--cassette", cassette)


def test_mode_none_never_asks_the_origin(start, origin, recorded, cassette):
    recorded("/known")
    upstream = origin(counting())
    deck = serve(start, "none", upstream, cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3
    assert upstream.connections == 0
    assert len(interactions(cassette)) == 1


def test_mode_once_records_an_absent_cassette(start, origin, cassette):
    deck = serve(start, "once", origin(counting()), cassette)
    assert ask(deck.url) == FIRST_THREE
    assert deck.stop() == 0
    assert ask(start("replay", "--cassette", cassette).url) == FIRST_THREE


def test_mode_once_replays_a_present_cassette(start, origin, recorded, cassette):
    recorded("/known")
    upstream = origin(counting())
    deck = serve(start, "once", upstream, cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3
    assert upstream.connections == 0


@pytest.mark.parametrize("mode", ["new_episodes", None], ids=["named", "default"])
def test_mode_new_episodes_records_only_what_is_new(start, origin, recorded, cassette, mode):
    recorded("/known")
    upstream = origin(lambda exchange: reply(b"new"))
    deck = serve(start, mode, upstream, cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").body == b"new"
    assert deck.stop() == 0
    assert [each.target for each in upstream.requests] == [b"/unknown"]
    replayer = start("replay", "--cassette", cassette)
    assert [fetch(replayer.url, target).body for target in ("/known", "/unknown")] == [b"answer 1", b"new"]


def test_mode_all_asks_again_and_replaces(start, origin, recorded, cassette):
    recorded("/uuid", "/uuid", "/uuid", "/kept")
    upstream = origin(lambda exchange: reply(b"new"))
    deck = serve(start, "all", upstream, cassette)
    assert ask(deck.url, times=2) == [b"new"] * 2
    assert deck.stop() == 0
    assert len(upstream.requests) == 2
    replayer = start("replay", "--cassette", cassette)
    assert ask(replayer.url) == [b"new"] * 3
    assert fetch(replayer.url, "/kept").body == b"answer 4"


def test_mode_passthrough_neither_records_nor_replays(start, origin, recorded, cassette):
    recorded("/known")
    before = interactions(cassette)
    upstream = origin(lambda exchange: reply(b"new"))
    deck = serve(start, "passthrough", upstream, cassette)
    assert [fetch(deck.url, target).body for target in ("/known", "/unknown")] == [b"new", b"new"]
    assert deck.stop() == 0
    assert interactions(cassette) == before


def test_serve_without_an_upstream_replays(start, recorded, cassette):
    recorded("/known")
    deck = start("serve", "--cassette", cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3


def test_a_failed_recording_leaves_the_old_answer(start, origin, recorded, cassette):
    recorded("/uuid")
    deck = start("record", "--upstream", "http://127.0.0.1:9", "--cassette", cassette)
    assert fetch(deck.url, "/uuid").status == 502
    deck.stop()
    assert fetch(start("replay", "--cassette", cassette).url, "/uuid").body == b"answer 1"


# Other words for the same

def test_capture_records_and_simulate_replays(start, origin, cassette):
    deck = start("capture", "--upstream", origin(counting()).url, "--cassette", cassette)
    assert ask(deck.url) == FIRST_THREE
    assert deck.stop() == 0
    assert ask(start("simulate", "--cassette", cassette).url) == FIRST_THREE


def test_spy_replays_what_is_known_and_asks_for_the_rest(start, origin, recorded, cassette):
    recorded("/known")
    deck = start("spy", "--upstream", origin(lambda exchange: reply(b"new")).url, "--cassette", cassette)
    assert [fetch(deck.url, target).body for target in ("/known", "/unknown")] == [b"answer 1", b"new"]
    assert deck.stop() == 0


@pytest.mark.parametrize("flag", ["--tapes-dir", "--recording-dir"])
def test_other_words_for_cassette(start, recorded, cassette, flag):
    recorded("/known")
    assert fetch(start("replay", flag, cassette).url, "/known").body == b"answer 1"


def test_a_flag_may_carry_its_value(start, recorded, cassette):
    recorded("/known")
    assert fetch(start("replay", f"--cassette={cassette}").url, "/known").body == b"answer 1"


# Routes over recordings

def test_a_route_overrides_a_recorded_endpoint(start, recorded, cassette, tmp_path):
    recorded("/users/1", "/teams/1")
    routes = tmp_path / "overrides.json"
    routes.write_text(json.dumps({"routes": [
        {"method": "GET", "path": "/users/{id}", "status": 503, "headers": {"Retry-After": "1"}, "json": {"error": "later"}}]}))
    deck = start("serve", "--cassette", cassette, "--overrides", routes)
    answer = fetch(deck.url, "/users/1")
    assert (answer.status, answer.values(b"Retry-After"), json.loads(answer.body)) == (503, [b"1"], {"error": "later"})
    assert answer.value(b"Content-Type").startswith(b"application/json")
    assert fetch(deck.url, "/teams/1").body == b"answer 2"
    eventually(lambda: log_lines(deck, "GET", "/users/1", "503", "route"), "the route is logged")
    assert deck.stop() == 0
