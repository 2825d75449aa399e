"""Interim responses (102, 103) are part of the interaction."""

import json

import pytest

from deck import interactions, run
from origin import CHUNKED_HEAD, LAST_CHUNK, chunk, reply
from wire import Wire

EARLY = [b"HTTP/1.1 102 Processing\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"]


def manifest(cassette):
    return json.loads((cassette / "cassette.json").read_bytes())


def heads(url, version=b"1.1"):
    """The statuses of all heads, the Link of the interim ones, and the final response."""
    with Wire(url) as wire:
        wire.send(b"GET /early HTTP/" + version + b"\r\nHost: h\r\n\r\n")
        interim = []
        while (answer := wire.answer()).status < 200:
            interim.append((answer.status, answer.value(b"Link")))
        return interim, answer


@pytest.mark.parametrize("final", [reply(b"late"), CHUNKED_HEAD + chunk(b"la") + chunk(b"te") + LAST_CHUNK])
def test_interim_responses_were_lost_at_replay(recording, both, cassette, tmp_path, start, final):
    _, deck = recording(lambda exchange: b"".join(EARLY) + final)
    told = [(102, None), (103, b"</a.css>; rel=preload")]
    for url in both(deck):
        interim, answer = heads(url)
        assert interim == told and answer.body == b"late"
        interim, answer = heads(url, b"1.0")
        assert interim == [] and answer.body == b"late"
    for each in interactions(cassette).values():
        assert [one["status"] for one in each["response"]["interim"]] == [102, 103]
    assert manifest(cassette)["tapedeck"] == 2
    assert "< 103 Early Hints" in run("show", cassette).stdout
    har = tmp_path / "session.har"
    assert run("export", cassette, "-o", har).returncode == 0
    assert heads(start("replay", "--cassette", har).url)[0] == told
    assert heads(start("replay", "--cassette", cassette, "--pace", "recorded").url)[0] == told


def test_interim_responses_survive_merge_and_trim(recording, cassette, tmp_path):
    _, deck = recording(lambda exchange: b"".join(EARLY) + reply(b"late"))
    heads(deck.url)
    assert deck.stop() == 0
    merged = tmp_path / "merged"
    done = run("merge", cassette, cassette, "--into", merged)
    assert done.returncode == 0, done.stderr
    assert [each["response"]["interim"][1]["status"] for each in interactions(merged).values()] == [103]
    assert manifest(merged)["tapedeck"] == 2
    assert run("lint", merged).returncode == 0


def test_a_link_of_an_interim_response_leads_to_the_proxy(recording, both):
    origins = []

    def answer(exchange):
        hint = b"HTTP/1.1 103 Early Hints\r\nLink: <%s/a.css>; rel=preload\r\n\r\n" % origins[0].url.encode()
        return hint + reply(b"late")

    origin, deck = recording(answer)
    origins.append(origin)
    for url in both(deck):
        assert heads(url)[0] == [(103, b"<http://h/a.css>; rel=preload")]  # the Host that `heads` names
