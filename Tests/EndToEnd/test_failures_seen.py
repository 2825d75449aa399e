"""Nothing fails in silence: whoever looks at the log, the summary, a report or the request log is told why."""

import json
import os
import re
import signal
import socket
import subprocess
import xml.etree.ElementTree as XML
from pathlib import Path

import pytest

from deck import CLEAN, Deck, assert_no_crash, binary, eventually, fingerprint, interactions, journal, log_lines, run
from origin import CHUNKED_HEAD, HangUp, chunk, counting, reply
from steering import steered
from wire import Wire, fetch, request


@pytest.fixture
def nowhere():
    """The URL of a port where nobody listens."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{line.getsockname()[1]}"


def cut_short(exchange):
    exchange.send(CHUNKED_HEAD + chunk(b"half"))
    raise HangUp


# Exchanges with the origin

def test_a_refused_connection_is_named_on_the_log_line(record, nowhere):
    deck = record(nowhere)
    assert fetch(deck.url, "/users?page=2").status == 502
    line, = eventually(lambda: log_lines(deck, "GET /users?page=2 502 upstream"), "logged")
    assert f"{nowhere}: Connection refused" in line


def test_a_failed_exchange_is_named_in_the_summary(record, nowhere):
    deck = record(nowhere)
    for _ in range(3):
        fetch(deck.url, "/users")
    deck.stop()
    line, = log_lines(deck, "failed: GET /users, 3 times: ")
    assert "Connection refused" in line


def test_many_failed_exchanges_are_named_and_counted(record, nowhere):
    deck = record(nowhere)
    for number in range(25):
        fetch(deck.url, f"/users/{number}")
    deck.stop()
    assert len(log_lines(deck, "failed: GET /users/")) == 10
    assert log_lines(deck, "failed: … and 15 more")


def test_failed_exchanges_stand_in_the_json_report(record, nowhere, tmp_path):
    deck = record(nowhere, "--report", tmp_path / "report.json")
    for _ in range(2):
        fetch(deck.url, "/users")
    deck.stop()
    report = json.loads((tmp_path / "report.json").read_bytes())
    failure, = report["failures"]
    assert (failure["method"], failure["target"], failure["count"]) == ("GET", "/users", 2)
    assert failure["cause"] == "connection_refused"
    assert "Connection refused" in failure["reason"]
    assert report["otherFailures"] == 0
    assert report["failure"] == "nothing was recorded, and 2 exchanges with the origin failed"


def test_failed_exchanges_stand_in_the_junit_report(record, nowhere, tmp_path):
    deck = record(nowhere, "--report-junit", tmp_path / "report.xml")
    fetch(deck.url, "/users")
    deck.stop()
    suite = XML.parse(tmp_path / "report.xml").getroot()
    case, = suite.findall(".//testcase[@name='GET /users']")
    assert "Connection refused" in case.find("error").get("message")
    assert suite.find(".//testcase[@name='run']/error") is not None


def test_the_request_log_says_why_an_exchange_failed(start, cassette, nowhere):
    deck, admin = steered(start, "record", "--upstream", nowhere, "--cassette", cassette)
    fetch(deck.url, "/users")
    entry, = admin.get("/requests")["entries"]
    assert entry["why"] == "forwarded; connection refused"
    assert entry["failure"]["cause"] == "connection_refused"
    assert "Connection refused" in entry["failure"]["reason"]
    exchange = admin.get(f"/requests/{entry['number']}")
    assert exchange["decisions"][-1]["why"] == "forwarded; connection refused"


def test_a_body_that_the_origin_cut_is_named_everywhere(start, origin, cassette, tmp_path):
    upstream = origin(cut_short)
    deck, admin = steered(start, "record", "--upstream", upstream.url, "--cassette", cassette,
                          "--report", tmp_path / "report.json")
    with Wire(deck.url) as wire:
        wire.ask(b"/half")
        assert wire.head().status == 200
        assert wire.chunk() == b"half"
        eventually(lambda: log_lines(deck, "GET /half 200 upstream"), "logged")
    line, = log_lines(deck, "GET /half 200 upstream")
    assert "(cut short)" in line and "it broke off inside the body" in line
    entry, = admin.get("/requests")["entries"]
    assert entry["why"] == "forwarded; http response incomplete"
    assert deck.stop() == 1
    assert log_lines(deck, "failed: GET /half: ", "it broke off inside the body")
    failure, = json.loads((tmp_path / "report.json").read_bytes())["failures"]
    assert failure["cause"] == "http_response_incomplete"


def test_the_json_log_has_the_reason_and_the_time(record, nowhere):
    deck = record(nowhere, "--log-format", "json")
    fetch(deck.url, "/users")
    line, = eventually(lambda: log_lines(deck, '"/users"'), "logged")
    entry = json.loads(line)
    assert entry["failure"]["cause"] == "connection_refused"
    assert "Connection refused" in entry["failure"]["reason"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["time"])


def test_an_explained_response_does_not_claim_to_be_recorded(record, nowhere):
    deck = record(nowhere, "--explain")
    value = fetch(deck.url, "/users").value(b"Tapedeck-Answer")
    assert value == b"upstream;error=connection_refused"


def test_a_recording_of_nothing_but_failures_exits_1(record, nowhere):
    deck = record(nowhere)
    fetch(deck.url, "/users")
    assert deck.stop() == 1
    assert log_lines(deck, "nothing was recorded, and 1 exchange with the origin failed")


def test_a_recording_with_failures_beside_what_was_recorded_exits_0(recording):
    def handler(exchange):
        if exchange.request.target == b"/broken":
            raise HangUp
        return reply(b"fine")

    _, deck = recording(handler)
    assert (fetch(deck.url, "/fine").status, fetch(deck.url, "/broken").status) == (200, 502)
    assert deck.stop() == 0
    assert log_lines(deck, "failed: GET /broken: ")


def test_secrets_in_the_target_of_a_failed_exchange_are_hidden(record, nowhere, tmp_path):
    deck = record(nowhere, "--report", tmp_path / "report.json")
    fetch(deck.url, "/users?access_token=hunter2hunter2")
    deck.stop()
    assert "hunter2" not in deck.stderr + (tmp_path / "report.json").read_text()
    assert log_lines(deck, "failed: GET /users?access_token=")


def test_run_names_failed_exchanges_at_its_end(nowhere, tmp_path):
    done = run("run", "--upstream", nowhere, "--cassette", tmp_path / "cassette", "--",
               "sh", "-c", "curl -s -o /dev/null $TAPEDECK_URL/users")
    assert done.returncode == 1
    assert "failed: GET /users: " in done.stderr and "Connection refused" in done.stderr


# Requests that are refused

@pytest.mark.parametrize(("sent", "line"), [
    (b"POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n",
     "POST /upload 413 server .*the body is larger than the limit of 1 MiB; raise it with --max-body MIB"),
    (b"GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505 server .*only HTTP/1.0 and HTTP/1.1"),
    (b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "501 server .*CONNECT"),
    (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501 server .*transfer coding"),
    (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 server .*Host"),
    (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 200 + b"\r\n", "431 server .*too many header fields; the limit is 100"),
    (b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % (b"x" * 20_000), "414 server .*the limit is 16383 bytes"),
    (b"GET / HT", "408 server .*header section did not arrive within 0.3 s; raise it with --head-timeout"),
    (b"POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
     "POST /slow 408 server .*its body .* 0.3 s; raise it with --body-timeout"),
], ids=lambda value: value[:20] if isinstance(value, bytes) else None)
def test_a_refused_request_has_its_reason_in_the_log(start, small_cassette, sent, line):
    deck = start("replay", "--cassette", small_cassette[0], "--max-body", "1", "--head-timeout", "0.3", "--body-timeout", "0.3")
    with Wire(deck.url) as wire:
        wire.send(sent)
        answer = wire.answer()
    logged = eventually(lambda: [each for each in deck.stderr.splitlines() if re.search(line, each)], "logged")
    detail = json.loads(answer.body)["detail"]
    assert logged[0].endswith(f": {detail}")


# Rules of a run

def test_fail_on_lists_what_failed(start, recorded, cassette):
    recorded(*(f"/{number}" for number in range(13)))
    deck = start("replay", "--cassette", cassette, "--fail-on", "unused,repeat")
    for _ in range(3):
        fetch(deck.url, "/0")
    assert deck.stop() == 4
    lines = deck.stderr.splitlines()
    first = lines.index("tapedeck: failed: 12 recordings were not used")
    assert re.fullmatch(r"tapedeck:   GET /1 \(get-1-\w+\.json\)", lines[first + 1])
    assert lines[first + 11] == "tapedeck:   … and 2 more"
    assert [line for line in lines if re.match(r"tapedeck:   GET /0 \(get-0-\w+\.json\): 2 more than recorded", line)]


def test_fail_on_drift_names_the_interactions(start, recorded, cassette):
    recorded("/a?ts=1")
    deck = start("replay", "--cassette", cassette, "--match", "query:ignore=ts", "--fail-on", "drift")
    fetch(deck.url, "/a?ts=2")
    assert deck.stop() == 4
    assert log_lines(deck, "  GET /a?ts=1 (", "): 1 of 1 requests")


# A cassette that is there is not opened for writing where nothing may be recorded

@pytest.mark.parametrize("mode", ["none", "once", "passthrough"])
def test_a_cassette_is_not_opened_for_writing_where_nothing_may_be_recorded(start, recorded, origin, cassette, mode):
    recorded("/known")
    before = fingerprint(cassette)
    upstream = origin(counting())
    deck = start("serve", "--mode", mode, "--upstream", upstream.url, "--cassette", cassette)
    assert fetch(deck.url, "/known").status == 200
    assert not journal(cassette).exists()
    # A lock that this one held would be in the way of another.
    other = start("record", "--upstream", upstream.url, "--cassette", cassette)
    assert other.stop() == 0
    deck.stop()
    assert fingerprint(cassette)["."][:1] == before["."][:1]
    assert {name: facts for name, facts in fingerprint(cassette).items() if name != "."} == {
        name: facts for name, facts in before.items() if name != "."}
