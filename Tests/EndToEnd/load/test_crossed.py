"""Every request carries tokens of its own in path, field and body, and must get exactly those back, whatever befalls
the exchanges beside it: resets, halves, garbage, delays, closed connections, answers nobody asked for."""

import pytest

from harness import LONG, Running, port_of

pytestmark = pytest.mark.alone

REQUESTS = 1_000_000 if LONG else 20_000
CONNECTIONS = 500
FAULTS_PER_MILLE = 100


def send(tools, port: int, count: int, faults: int, first: int = 0) -> tuple[dict, str]:
    client = Running(tools["tokens"], port, count, CONNECTIONS, faults, first)
    return client.result(), client.complaints


def assert_nothing_crossed(seen: dict, complaints: str, count: int) -> None:
    assert seen["crossed"] == 0, complaints
    assert seen["wrong"] == 0, complaints  # whole, though the origin never finished
    assert seen["lost"] == 0, complaints  # cut off without a fault that explains it
    assert seen["answered"] + seen["cut"] == count, (seen, complaints)


def told(seen: dict, count: int) -> str:
    return (
        f"{seen['crossed']} crossed, {seen['whole']} whole, {seen['refused']} refused, {seen['cut']} cut, "
        f"{seen['lost']} lost, {count / seen['seconds']:,.0f}/s")


def test_the_harness_sees_a_crossed_answer(tools, token_origin):
    """Without a proxy between them, a client takes the answer nobody asked for as its own."""
    seen, _ = send(tools, token_origin().port, 5_000, FAULTS_PER_MILLE)
    assert seen["crossed"] > 0


def test_nothing_crosses_in_passthrough(start, tools, token_origin, figure):
    origin = token_origin()
    deck = start("serve", "--mode", "passthrough", "--upstream", origin.url, "--quiet")
    seen, complaints = send(tools, port_of(deck.url), REQUESTS, FAULTS_PER_MILLE)
    at_origin = origin.result()
    figure(f"{REQUESTS:,} tokens over {CONNECTIONS} connections, faults mixed in", told(seen, REQUESTS))
    assert_nothing_crossed(seen, complaints, REQUESTS)
    # Every fault is refused; an exchange without one may be only when its connection was closed under it.
    assert seen["refused"] - seen["refused_well"] <= REQUESTS * FAULTS_PER_MILLE / 1000 / 9, complaints
    assert at_origin["posts_twice"] == 0
    assert deck.stop() == 0, deck.stderr


def test_nothing_crosses_while_recording_nor_in_replay(start, tools, token_origin, cassette, figure):
    count = 50_000 if LONG else 5_000
    origin = token_origin()
    recorder = start("record", "--upstream", origin.url, "--cassette", cassette, "--quiet")
    recorded, complaints = send(tools, port_of(recorder.url), count, FAULTS_PER_MILLE)
    figure(f"{count:,} tokens, recording", told(recorded, count))
    assert_nothing_crossed(recorded, complaints, count)
    assert recorder.stop() == 0, recorder.stderr
    origin.result()

    replayer = start("replay", "--cassette", cassette, "--quiet")
    replayed, complaints = send(tools, port_of(replayer.url), count, FAULTS_PER_MILLE)
    figure(f"{count:,} tokens, replayed", told(replayed, count))
    assert_nothing_crossed(replayed, complaints, count)
    assert replayed["whole"] == recorded["whole"]  # what was cut or refused was not recorded
    assert replayer.stop() in (0, 3), replayer.stderr
