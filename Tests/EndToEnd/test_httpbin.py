"""A real API, recorded by three real clients and replayed to them once it is gone."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from clients import CLIENTS, Answers, ask_with_requests
from deck import Deck, interactions
from endpoints import ENDPOINTS
from servers import Httpbin


@dataclass
class Session:
    cassette: Path
    recorder_url: str
    replayer_url: str
    recorded: Answers
    replayed: Answers
    exit_codes: tuple[int, int]


@pytest.fixture(scope="module")
def direct(visit) -> tuple[str, Answers]:
    return visit[0]


@pytest.fixture(scope="module")
def sessions(visit) -> dict[str, Session]:
    return visit[1]


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """httpbin asked directly; every client's session recorded; httpbin stopped; every session replayed."""
    folder = tmp_path_factory.mktemp("httpbin")
    httpbin = Httpbin(folder)
    recorders, recorded = {}, {}
    try:
        direct = httpbin.url, ask_with_requests(
            httpbin.url, [each for each in ENDPOINTS if each.steady], folder, {"Accept-Encoding": "identity"})
        for name, ask in CLIENTS.items():
            (folder / name).mkdir()
            recorders[name] = Deck(
                folder / name / "record", "record", "--upstream", httpbin.url, "--cassette", folder / name / "cassette")
            recorded[name] = ask(recorders[name].url, ENDPOINTS, folder / name)
    finally:
        httpbin.stop()
        codes = {name: recorder.stop() for name, recorder in recorders.items()}

    sessions = {}
    for name, ask in CLIENTS.items():
        cassette = folder / name / "cassette"
        (folder / name / "cookies").unlink(missing_ok=True)
        with Deck(folder / name / "replay", "replay", "--cassette", cassette) as replayer:
            replayed = ask(replayer.url, ENDPOINTS, folder / name)
            sessions[name] = Session(
                cassette, recorders[name].url, replayer.url, recorded[name], replayed, (codes[name], replayer.stop()))
    return direct, sessions


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("endpoint", [each.name for each in ENDPOINTS])
def test_replays_what_was_recorded(sessions, client, endpoint):
    session = sessions[client]
    recorded = [each.without_passing(session.recorder_url) for each in session.recorded[endpoint]]
    replayed = [each.without_passing(session.replayer_url) for each in session.replayed[endpoint]]
    assert replayed == recorded
    assert all(each.status for each in recorded), recorded


@pytest.mark.parametrize("endpoint", [each.name for each in ENDPOINTS if each.steady])
def test_records_what_the_origin_said(sessions, direct, endpoint):
    base, answers = direct
    session = sessions["requests"]
    heard = [each.without_passing(session.recorder_url) for each in session.recorded[endpoint]]
    assert heard == [each.without_passing(base) for each in answers[endpoint]]


@pytest.mark.parametrize("client", CLIENTS)
def test_both_ends_exit_well(sessions, client):
    assert sessions[client].exit_codes == (0, 0)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_exchange_is_one_file(sessions, client):
    heard = sum(len(each) for each in sessions[client].recorded.values())
    unseen = 10 if client == "fetch" else 0  # fetch hides the redirects it follows: three times three, and one
    assert len(interactions(sessions[client].cassette)) == heard + unseen


@pytest.mark.parametrize("client", CLIENTS)
def test_three_uuids_in_a_row_stay_three(sessions, client):
    bodies = [sessions[client].replayed[f"uuid-{nth}"][0].body for nth in ("first", "second", "third")]
    assert len(set(bodies)) == 3


@pytest.mark.parametrize("name", ["gzip", "deflate", "brotli"])
def test_compressed_regardless_stays_compressed(sessions, name):
    heard = sessions["requests"].replayed[name][0]
    assert dict(heard.fields)["Content-Encoding"] == {"brotli": "br"}.get(name, name)
    assert b'"headers"' not in heard.body


def test_redirects_lead_to_the_proxy(sessions):
    session = sessions["requests"]
    for answers, base in (session.recorded, session.recorder_url), (session.replayed, session.replayer_url):
        assert dict(answers["redirect-absolute"][0].fields)["Location"].startswith(base + "/")
        assert len(answers["redirect-absolute-followed"]) == 4


def test_the_list_is_long_enough():
    assert len(ENDPOINTS) >= 35
    assert len({each.name for each in ENDPOINTS}) == len(ENDPOINTS)
