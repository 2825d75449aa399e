"""Which requests are the same, and what is said when none is."""

import json
import shlex
import subprocess
import time
import uuid

import pytest
import requests

from deck import fingerprint, interactions, log_lines, run
from servers import Httpbin
from wire import fetch


@pytest.mark.parametrize(("known", "asked", "nearest", "differs"), [
    ((b"GET", "/users?page=1", None), (b"GET", "/users?page=2", None), "page=1", "query"),
    ((b"GET", "/users/1", None), (b"GET", "/users/2", None), "/users/1", "path"),
    ((b"PUT", "/users/7", b""), (b"DELETE", "/users/7", None), "PUT", "method"),
    ((b"POST", "/users", b'{"name": "Ada"}'), (b"POST", "/users", b'{"name": "Bob"}'), "Ada", "$.name"),
], ids=["query", "path", "method", "body"])
def test_a_miss_names_the_nearest_recording_and_what_differs(start, mirror, cassette, known, asked, nearest, differs):
    def send(url, each):
        method, target, body = each
        fields = [b"Content-Type: application/json"] if body else []
        return fetch(url, target, *fields, method=method, body=body)

    recorder = start("record", "--upstream", mirror.url, "--cassette", cassette)
    send(recorder.url, known)
    recorder.stop()
    replayer = start("replay", "--cassette", cassette)
    assert send(replayer.url, known).status == 200
    answer = send(replayer.url, asked)
    assert (answer.status, answer.reason) == (502, b"Bad Gateway")
    assert answer.value(b"Content-Type").startswith(b"application/problem+json")
    problem = json.loads(answer.body)
    assert problem["status"] == 502
    assert {"title", "detail"} <= problem.keys()
    text = json.dumps(problem, ensure_ascii=False)
    for word in (nearest, differs, "tapedeck", "curl"):
        assert word in text, word
    assert replayer.stop() == 3


def test_a_miss_in_an_empty_cassette_is_still_explained(start, recorded, cassette):
    recorded("/only")
    for name in interactions(cassette):
        (cassette / name).unlink()
    deck = start("replay", "--cassette", cassette)
    answer = fetch(deck.url, "/any")
    assert (answer.status, json.loads(answer.body)["status"]) == (502, 502)
    assert deck.stop() == 3


def test_the_status_of_a_miss_can_be_chosen(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--miss-status", "404")
    answer = fetch(deck.url, "/never")
    assert (answer.status, json.loads(answer.body)["status"]) == (404, 404)
    assert deck.stop() == 3


MATCHING = [
    ("/q?a=1&b=2", "/q?b=2&a=1"), ("/q?a=%20", "/q?a=+"), ("/q?a=%41", "/q?a=A"), ("/q?a=1&a=2", "/q?a=2&a=1")]
DISTINCT = [("/q?a=1", "/q?a=1&a=1"), ("/q?a", "/q?b"), ("/Q", "/q"), ("/a/", "/a"), ("/q?", "/q?a=")]


@pytest.mark.parametrize(("known", "asked"), MATCHING)
def test_the_query_is_compared_as_pairs(start, recorded, cassette, known, asked):
    recorded(known)
    assert fetch(start("replay", "--cassette", cassette).url, asked).status == 200


@pytest.mark.parametrize(("known", "asked"), DISTINCT)
def test_distinct_requests_stay_distinct(start, recorded, cassette, known, asked):
    recorded(known)
    assert fetch(start("replay", "--cassette", cassette).url, asked).status == 502


@pytest.mark.parametrize(("kind", "known", "asked", "status"), [
    (b"application/json", b'{"a": 1, "b": [1, 2]}', b'{"b":[1,2],"a":1}', 200),
    (b"application/json", b'{"a": [1, 2]}', b'{"a": [2, 1]}', 502),
    (b"application/vnd.api+json; charset=utf-8", b'{"a": 1}', b'{ "a":1 }', 200),
    (b"application/x-www-form-urlencoded", b"a=1&b=x+y", b"b=x%20y&a=1", 200),
    (b"application/x-www-form-urlencoded", b"a=1", b"a=2", 502),
    (b"text/plain", b"a b", b"a  b", 502),
], ids=["json", "json arrays", "json of a kind", "form", "form values", "text"])
def test_bodies_are_compared_by_what_they_mean(start, mirror, cassette, kind, known, asked, status):
    recorder = start("record", "--upstream", mirror.url, "--cassette", cassette)
    fetch(recorder.url, "/post", b"Content-Type: " + kind, method=b"POST", body=known)
    recorder.stop()
    replayer = start("replay", "--cassette", cassette)
    assert fetch(replayer.url, "/post", b"Content-Type: " + kind, method=b"POST", body=asked).status == status


# What makes no difference

def order(url: str, **changes):
    """An order as clients send them: new in every run are a nonce, a time and a cache buster."""
    order = {"item": "tape", "count": 2, "nonce": str(uuid.uuid4()), "meta": {"sentAt": time.time()}, **changes}
    return requests.post(f"{url}/anything/orders", params={"ts": time.time_ns()}, json=order, timeout=30)


IGNORING = ("--match", "query:ignore=ts", "--match", "body:ignore=$.nonce,$.meta.sentAt")


@pytest.fixture(scope="module")
def httpbin(servers):
    return servers(Httpbin)


@pytest.fixture
def orders(record, httpbin, cassette):
    """Two orders, recorded without regard to what is new in each."""
    deck = record(httpbin.url, *IGNORING)
    answers = [order(deck.url), order(deck.url, item="reel")]
    assert deck.stop() == 0, deck.stderr
    return answers


def test_what_is_new_in_every_request_can_be_left_out_and_replay_needs_no_flags(start, orders, cassette):
    assert json.loads((cassette / "cassette.json").read_text())["match"] == [
        "method", "path", "query", "query:ignore=ts", "body", "body:ignore=$.meta.sentAt", "body:ignore=$.nonce"]
    deck = start("replay", "--cassette", cassette)
    for recorded, changes in zip(orders, ({}, {"item": "reel"})):
        replayed = order(deck.url, **changes)
        assert (replayed.status_code, replayed.content) == (200, recorded.content)
    assert order(deck.url, item="drum").status_code == 502
    assert deck.stop() == 3


def test_the_same_session_has_the_same_files_whatever_is_left_out(record, httpbin, orders, cassette):
    before = sorted(interactions(cassette))
    deck = record(httpbin.url)
    order(deck.url), order(deck.url, item="reel")
    assert deck.stop() == 0
    assert sorted(interactions(cassette)) == before


def test_drift_is_served_counted_and_told(start, orders, cassette):
    deck = start("replay", "--cassette", cassette)
    for changes in ({}, {}, {"item": "reel"}):
        assert order(deck.url, **changes).status_code == 200
    assert deck.stop() == 0
    assert len(log_lines(deck, "POST /anything/orders", '(drift: query "ts", $.meta.sentAt, $.nonce)')) == 3
    assert log_lines(deck, "3 replayed", "3 of them drifted")
    for field in ('query "ts"', "$.meta.sentAt", "$.nonce"):
        assert log_lines(deck, f"drift: {field} in 3 requests, like "), field


def test_what_is_as_recorded_is_no_drift(start, record, httpbin, cassette):
    deck = record(httpbin.url, *IGNORING)
    session = dict(params={"ts": "1"}, json={"nonce": "a", "meta": {"sentAt": 1}})
    requests.post(f"{deck.url}/anything/orders", **session)
    deck.stop()
    deck = start("replay", "--cassette", cassette, "--strict")
    requests.post(f"{deck.url}/anything/orders", headers={"User-Agent": "another", "Date": "now"}, **session)
    assert deck.stop() == 0, deck.stderr
    assert "drift" not in deck.stderr


def test_strict_makes_drift_an_exit_code(start, orders, cassette):
    deck = start("replay", "--cassette", cassette, "--strict")
    assert order(deck.url).status_code == 200
    assert order(deck.url, item="reel").status_code == 200
    assert deck.stop() == 4
    assert log_lines(deck, "failed: 2 requests drifted from their recordings")


# Rules of one run

def test_rules_of_a_replay_hold_for_that_replay(start, record, httpbin, cassette):
    deck = record(httpbin.url)
    recorded = order(deck.url)
    deck.stop()
    before = fingerprint(cassette)
    deck = start("replay", "--cassette", cassette)
    assert order(deck.url).status_code == 502
    assert deck.stop() == 3
    deck = start("replay", "--cassette", cassette, *IGNORING)
    assert order(deck.url).content == recorded.content
    assert deck.stop() == 0
    assert log_lines(deck, "comparing method, path, query, query:ignore=ts, body", "in this run")
    assert fingerprint(cassette) == before


def test_a_recording_with_other_rules_gives_them_to_the_cassette(start, record, httpbin, cassette):
    deck = record(httpbin.url)
    order(deck.url)
    deck.stop()
    names = set(interactions(cassette))
    deck = start("serve", "--upstream", httpbin.url, "--cassette", cassette, *IGNORING)
    assert order(deck.url).status_code == 200
    assert order(deck.url, item="reel").status_code == 200
    assert deck.stop() == 0, deck.stderr
    assert log_lines(deck, "will compare", "query:ignore=ts", "it compared method, path, query, body")
    assert log_lines(deck, "1 recorded", "1 replayed")
    assert names < set(interactions(cassette))
    deck = start("replay", "--cassette", cassette)
    assert order(deck.url, item="reel").status_code == 200
    assert deck.stop() == 0
    assert "compare" not in deck.stderr


def test_headers_count_when_they_are_asked_for(start, record, httpbin, cassette):
    deck = record(httpbin.url, "--match", "headers:Accept,X-Tenant")
    kinds = [{"Accept": "application/json", "X-Tenant": "a"}, {"Accept": "text/html", "X-Tenant": "a"}, {"Accept": "text/html"}]
    recorded = [requests.get(f"{deck.url}/anything", headers=kind).content for kind in kinds]
    deck.stop()
    assert len(set(recorded)) == len(interactions(cassette)) == 3
    deck = start("replay", "--cassette", cassette)
    for kind, body in reversed(list(zip(kinds, recorded))):
        assert requests.get(f"{deck.url}/anything", headers={**kind, "X-Other": "new"}).content == body
    miss = requests.get(f"{deck.url}/anything", headers={"Accept": "text/html", "X-Tenant": "b"})
    assert miss.status_code == 502
    assert miss.json()["nearest"][0]["differences"] == ['header x-tenant: "a" → "b"']
    assert deck.stop() == 3


def test_the_host_counts_when_it_is_asked_for(start, record, mirror, cassette):
    deck = record(mirror.url, "--match", "host")
    for host in ("one.localhost:1", "two.localhost"):
        requests.get(deck.url + "/x", headers={"Host": host})
    deck.stop()
    assert len(interactions(cassette)) == 2
    deck = start("replay", "--cassette", cassette)
    for host, status in (("ONE.localhost:2", 200), ("two.localhost:3", 200), ("three.localhost", 502)):
        assert requests.get(deck.url + "/x", headers={"Host": host}).status_code == status, host
    assert deck.stop() == 3


@pytest.mark.parametrize(("spec", "status"), [
    ("method,path", 200), ("body:bytes", 502), ("body:json", 200), ("body:ignore=$.b", 200), ("body:ignore=$.c", 502),
])
def test_a_body_is_compared_as_it_is_said(start, mirror, record, cassette, spec, status):
    deck = record(mirror.url)
    fetch(deck.url, "/p", b"Content-Type: text/plain", method=b"POST", body=b'{"a": 1, "b": 2}')
    deck.stop()
    deck = start("replay", "--cassette", cassette, "--match", spec)
    asked = b'{"a":1,"b":3}' if "ignore" in spec else b'{"a":1,"b":2}'
    assert fetch(deck.url, "/p", b"Content-Type: text/plain", method=b"POST", body=asked).status == status


@pytest.mark.parametrize(("arguments", "says"), [
    (("--match", "url"), '"url" is no part of a request; known are method, path, query, body, host, headers:NAME'),
    (("--match", "headers:"), 'a name is missing after "headers:"'),
    (("--match", "body:ignore=$.user-id"), "names like this are written ['user-id']"),
    (("--match", "headers:Accept-Encoding"), "cannot be compared"),
    (("--match", "body:bytes,body:ignore=$.a"), "do not go together"),
    (("--fail-on", "drif"), "--fail-on takes unused, drift, unmatched, repeat, secrets, not \"drif\"; did you mean drift?"),
    (("--fail-on", "unused,"), "not \"\""),
    (("--report",), "--report needs a value: --report FILE"),
], ids=str)
def test_what_makes_no_sense_is_refused(small_cassette, arguments, says):
    done = run("replay", "--cassette", small_cassette[0], "--port", "0", *arguments)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr


# Misses

def test_the_command_that_a_miss_suggests_works(start, record, httpbin, cassette):
    deck = record(httpbin.url)
    recorded = order(deck.url)
    deck.stop()
    deck = start("replay", "--cassette", cassette)
    problem = order(deck.url).json()
    deck.stop()
    assert problem["fix"] == problem["fixes"][0]["command"]
    words = shlex.split(problem["fix"])
    assert words[0] == "tapedeck"
    deck = start(*words[1:])
    assert order(deck.url).content == recorded.content
    assert deck.stop() == 0
    again = next(fix["command"] for fix in problem["fixes"] if "new_episodes" in fix["command"])
    deck = start(*shlex.split(again)[1:])
    assert order(deck.url).status_code == 200
    assert deck.stop() == 0
    assert len(interactions(cassette)) == 2


def test_the_curl_line_of_a_miss_asks_the_same(start, record, httpbin, cassette):
    deck = record(httpbin.url)
    order(deck.url)
    deck.stop()
    deck = start("replay", "--cassette", cassette)
    problem = order(deck.url, item="it's <b>\n").json()
    again = subprocess.run(["sh", "-c", problem["curl"] + " -s"], capture_output=True, text=True, timeout=30)
    assert json.loads(again.stdout)["nearest"] == problem["nearest"]


def test_the_log_explains_the_first_of_a_sort_and_the_summary_all(start, orders, cassette):
    deck = start("replay", "--cassette", cassette)
    for _ in range(3):
        order(deck.url, item="reel", count=9)
    order(deck.url, count=7)
    assert deck.stop() == 3
    assert len(log_lines(deck, "POST /anything/orders?ts=", " 502 unmatched ")) == 4
    assert len(log_lines(deck, "    $.count: 2 → 9")) == 1
    assert len(log_lines(deck, "  further: ", "POST /anything/orders")) == 2
    assert len(log_lines(deck, "    tapedeck serve --mode new_episodes")) == 2
    assert len(log_lines(deck, "  again: curl ")) == 2
    assert log_lines(deck, "tapedeck: unmatched: POST /anything/orders?ts=", ", 3 times; nearest ", "$.count: 2 → 9")
    assert log_lines(deck, "tapedeck: unmatched: POST /anything/orders", "; nearest ", "$.count: 2 → 7")


def test_the_log_for_machines_carries_the_explanation(start, orders, cassette):
    deck = start("replay", "--cassette", cassette, "--log-format", "json")
    order(deck.url), order(deck.url, item="reel", count=9)
    deck.stop()
    drifted, missed = (json.loads(line) for line in deck.stderr.splitlines() if line.startswith("{"))
    assert drifted["file"] in interactions(cassette)
    assert drifted["drift"] == ['query "ts"', "$.meta.sentAt", "$.nonce"]
    assert missed["nearest"][0]["differences"] == [
        {"field": "$.count", "recorded": "2", "received": "9"}]
    assert missed["fix"].startswith("tapedeck ")
    assert missed["curl"].startswith("curl ")


def test_a_flood_of_misses_is_told_in_few_words(start, small_cassette, tmp_path):
    path, _ = small_cassette
    deck = start("replay", "--cassette", path, "--report", tmp_path / "report.json")
    before = deck.mebibytes("VmRSS")
    with requests.Session() as session:
        for number in range(1500):
            session.get(f"{deck.url}/never/{number}?{'x' * 200}")
    assert deck.mebibytes("VmRSS") - before < 64
    assert deck.stop() == 3
    summary = [line for line in deck.stderr.splitlines() if line.startswith("tapedeck: ")]
    assert len(summary) < 30 and max(map(len, summary)) < 600
    assert "unmatched: and 1490 more" in deck.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["counts"]["unmatched"], len(report["unmatched"]), report["otherUnmatched"]) == (1500, 100, 1400)


# Who answered

def test_explain_says_who_answered(start, record, httpbin, tmp_path, cassette):
    overrides = tmp_path / "overrides.json"
    overrides.write_text('{"routes": [{"path": "/made", "status": 200, "json": {"up": true}}]}')
    deck = start("serve", "--upstream", httpbin.url, "--cassette", cassette, "--explain", "--overrides", overrides)

    def asked(url, path):
        return requests.get(url + path).headers.get("Tapedeck-Answer")

    assert asked(deck.url, "/get?a=1") == "upstream;recorded"
    assert asked(deck.url, "/stream/2") == "upstream;recorded"
    assert asked(deck.url, "/made") == 'route;rule="route-1"'
    assert deck.stop() == 0, deck.stderr
    names = {name.split("-")[1]: name for name in interactions(cassette)}
    assert all("Tapedeck-Answer" not in (cassette / name).read_text() for name in names.values()), "it is not recorded"
    deck = start("replay", "--cassette", cassette, "--explain", "--match", "query:ignore=ts")
    assert asked(deck.url, "/get?a=1") == f'cassette;file="{names["get"]}";turn=1;of=1'
    assert asked(deck.url, "/get?a=1&ts=7") == f'cassette;file="{names["get"]}";turn=2;of=1;drift="query \\"ts\\""'
    assert asked(deck.url, "/stream/2") == f'cassette;file="{names["stream"]}";turn=1;of=1'
    assert asked(deck.url, "/get?a=2") == f'unmatched;nearest="{names["get"]}"'
    assert requests.get(deck.url + "/stream/2").text.count("\n") == 2
    assert deck.stop() == 3


def test_without_explain_answers_are_faithful(start, small_cassette):
    path, answers = small_cassette
    deck = start("replay", "--cassette", path)
    for target, answer in answers:
        assert fetch(deck.url, target).essence == answer.essence
