"""Request targets as real clients send them: any byte that does not end the request line goes on, is kept, and steers no terminal."""

import json
import subprocess

import pytest

from deck import interactions, run
from origin import reply
from wire import Wire, fetch

RAW = [
    b'/users?filter={"id":1}', b"/p?p=C:\\dir", b"/r?re=^a|b", b"/b?q=`x`", b"/<a>", b"/n?n=Jos\xc3\xa9",
    b"/bytes\xe9\xff", b"/steer\x9b31m", b"/steer\xc2\x9b31m\xe2\x80\xae",
]


def echo(exchange):
    return reply(exchange.request.target)


def targets(cassette):
    return [each["request"]["target"] for each in interactions(cassette).values()]


def manifest(cassette):
    return json.loads((cassette / "cassette.json").read_bytes())


def test_targets_that_real_clients_send_raw_were_refused(recording, start, cassette):
    upstream, deck = recording(echo)
    for target in RAW:
        assert fetch(deck.url, target).body == target
    assert [asked.target for asked in upstream.requests] == RAW
    assert deck.stop() == 0
    assert {"base64": "L2J5dGVz6f8="} in targets(cassette) and "/n?n=José" in targets(cassette)
    assert manifest(cassette)["tapedeck"] == 2
    replay = start("replay", "--cassette", cassette)
    for target in RAW:
        assert fetch(replay.url, target).body == target


def test_a_raw_ascii_target_needs_no_new_format(recording, cassette):
    _, deck = recording(echo)
    for target in RAW[:5]:
        fetch(deck.url, target)
    assert deck.stop() == 0
    assert manifest(cassette)["tapedeck"] == 1


@pytest.mark.parametrize("target", [b"/a\x7fb", b"/a\x01b", b"/a#b", b"/a b"])
def test_what_delimits_a_request_line_stays_refused(recording, target):
    upstream, deck = recording(echo)
    assert fetch(deck.url, target).status == 400
    assert upstream.requests == []


def test_curls_own_raw_targets(recording, start, cassette):
    def ask(url):
        done = subprocess.run(["curl", "-sSg", f'{url}/users?filter={{"id":1}}&re=^a|b`&n=José'], capture_output=True)
        assert done.returncode == 0
        return done.stdout

    _, deck = recording(echo)
    live = ask(deck.url)
    assert live == '/users?filter={"id":1}&re=^a|b`&n=José'.encode()
    assert deck.stop() == 0
    assert ask(start("replay", "--cassette", cassette).url) == live


def test_the_curl_line_of_a_raw_target_asks_for_the_same(recording, cassette):
    upstream, deck = recording(echo)
    for target in RAW:
        fetch(deck.url, target)
    assert deck.stop() == 0
    upstream.requests.clear()
    for line in run("show", cassette, "--curl").stdout.splitlines():
        subprocess.run(["bash", "-c", line], stdout=subprocess.DEVNULL, check=True)
    assert sorted(asked.target for asked in upstream.requests) == sorted(RAW)


def test_no_target_steers_a_terminal(recording, start, cassette, tmp_path):
    """The live log, a miss, the summary, and what the verbs say."""
    _, deck = recording(echo)
    for target in RAW:
        fetch(deck.url, target)
    assert deck.stop() == 0
    replay = start("replay", "--cassette", cassette)
    fetch(replay.url, RAW[-1] + b"?miss")
    machine = start("replay", "--cassette", cassette, "--log-format", "json")
    fetch(machine.url, RAW[-1])
    for running in (replay, machine):
        running.stop()
    told = [deck.stderr, replay.stderr, machine.stderr]
    for command in (["ls", cassette], ["ls", "--json", cassette], ["show", cassette], ["show", "--json", cassette],
                    ["show", "--curl", cassette], ["lint", cassette], ["diff", cassette, cassette]):
        done = run(*command)
        told += [done.stdout, done.stderr]
    for text in told:
        assert not set(text) & {"\x9b", "\udc9b", "\u202e"}, text
    assert "/steer%9B31m" in deck.stderr and "/steer\\u{9b}31m" in deck.stderr


def test_an_empty_port_is_the_default_one(recording):
    upstream, deck = recording(echo)
    with Wire(deck.url) as wire:
        wire.send(b"GET /x HTTP/1.1\r\nHost: a:\r\n\r\n")
        assert wire.answer().status == 200
        wire.send(b"CONNECT a: HTTP/1.1\r\nHost: a:\r\n\r\n")
        assert wire.answer().status == 400
