"""Which requests are the same, and what is said when none is."""

import json

import pytest

from deck import interactions
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
