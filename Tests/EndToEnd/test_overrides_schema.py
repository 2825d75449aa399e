"""The published schema of overrides files and the program, on the same documents."""

import json

import pytest
from jsonschema import Draft202012Validator

from deck import ROOT, run

PATHS = ["/", "/users", "/users/{id}", "/users/:id/posts/{post}", "/files/*", "/files/*rest", "/a//b/", "/é", "/a%20b", "/a:b/c*d"]
MATCHERS = ["a", 1, 1.5, True, False, ["a", "b"], {"contains": "a"}, {"startsWith": ""}, {"endsWith": "a"}]
HOSTS = ["a", "API.example.com", "*.example.com:8443", "*", "[::1]", "[::1]:9", "10.0.*", ["a", "b:1"]]
BAD_HOSTS = [1, None, "", [], [1], {}, {"contains": "a"}, "a/b", "https://a", "a:b", "a:0", "a:65536", ":80", "a b", "a]", "[a]b", ["a", "a,b"]]
JSON_MATCHERS = ["a", 1, None, True, ["a", 1, None], {"exists": False}, {"contains": "a"}]
EFFECTS = [
    {"type": "latency", "latency": 10, "jitter": 3}, {"type": "bandwidth", "rate": 10}, {"type": "slow_close", "delay": 5},
    {"type": "timeout"}, {"type": "timeout", "timeout": 0}, {"type": "reset_peer", "timeout": 4},
    {"type": "slicer", "average_size": 10, "size_variation": 5, "delay": 100}, {"type": "limit_data", "bytes": 0},
    {"type": "empty_response"}, {"type": "malformed_response_chunk"}, {"type": "random_data_then_close"},
]

GOOD_ROUTES = [
    *({"path": path} for path in PATHS),
    *({"path": "/a", "method": method} for method in ["GET", "get", "*", "PROPFIND", ["GET", "POST"]]),
    *({"path": "/a", "when": {"query": {"q": matcher}}} for matcher in MATCHERS),
    *({"path": "/a", "when": {"jsonPath": {"$.a": matcher}}} for matcher in JSON_MATCHERS),
    *({"path": "/a", "fault": effect} for effect in EFFECTS), {"path": "/a", "fault": "empty_response"},
    *({"path": "/a", "when": {"host": host}} for host in HOSTS),
    {"path": "/a", "when": {}}, {"path": "/a", "when": {"body": "x", "json": [1], "form": {"a": "b"}, "headers": {"X-Mark": True}}},
    {"path": "/a", "status": 200}, {"path": "/a", "status": 999}, {"path": "/a", "status": 204.0},
    {"path": "/a", "headers": {"X": "a", "Y": ["b", "c"], "Z": []}}, {"path": "/a", "json": None}, {"path": "/a", "text": ""},
    {"path": "/a", "file": "body.txt"}, {"path": "/a/{id}", "text": "{{components.id}}"}, {"path": "/a", "text": "{{", "template": False},
    {"path": "/a", "delay": 0}, {"path": "/a", "delay": 1.5}, {"path": "/a", "delay": {"min": 0, "max": 1}},
    {"path": "/a", "sequence": [{}]}, {"path": "/a", "sequence": [{"status": 500}, {"text": "a"}], "onEnd": "loop"},
    {"path": "/a", "times": 1, "after": 0, "on": [1, 3], "probability": 0.5, "seed": 7}, {"path": "/a", "on": 2, "id": "a.b-c_1"},
]
BAD_ROUTES = [
    {}, 1, "a", [], None, {"path": 1}, {"path": ""}, {"path": "a"}, {"path": "/a?b"}, {"path": "/a#b"}, {"path": "/{}"}, {"path": "/:"},
    {"path": "/{id}.json"}, {"path": "/*/a"}, {"path": "/a}"}, {"path": "/a", "statsu": 1}, {"path": "/a", "status": 199},
    {"path": "/a", "status": 1000}, {"path": "/a", "status": "200"}, {"path": "/a", "status": 200.5}, {"path": "/a", "status": None},
    {"path": "/a", "method": ""}, {"path": "/a", "method": []}, {"path": "/a", "method": "G T"}, {"path": "/a", "method": 1},
    {"path": "/a", "method": ["GET", 1]}, {"path": "/a", "headers": []}, {"path": "/a", "headers": {"": "a"}},
    {"path": "/a", "headers": {"a b": "c"}}, {"path": "/a", "headers": {"a": 1}}, {"path": "/a", "headers": {"a": "b\nc"}},
    {"path": "/a", "headers": {"a": ["b", None]}}, {"path": "/a", "json": 1, "text": "a"}, {"path": "/a", "text": "a", "file": "body.txt"},
    {"path": "/a", "json": 1, "file": "body.txt"}, {"path": "/a", "text": 1}, {"path": "/a", "file": ""}, {"path": "/a", "file": "/etc/hostname"},
    {"path": "/a", "template": "no"}, {"path": "/a", "delay": "1s"}, {"path": "/a", "delay": -1}, {"path": "/a", "delay": 86401},
    {"path": "/a", "delay": {"min": 1}}, {"path": "/a", "delay": {"min": 1, "max": 2, "x": 3}}, {"path": "/a", "delay": [1, 2]},
    {"path": "/a", "sequence": []}, {"path": "/a", "sequence": {}}, {"path": "/a", "sequence": [1]}, {"path": "/a", "sequence": [{"path": "/a"}]},
    {"path": "/a", "sequence": [{}], "status": 200}, {"path": "/a", "sequence": [{}], "delay": 1}, {"path": "/a", "sequence": [{}], "fault": "timeout"},
    {"path": "/a", "sequence": [{}], "onEnd": "stop"}, {"path": "/a", "onEnd": "loop"}, {"path": "/a", "sequence": [{"sequence": [{}]}]},
    {"path": "/a", "sequence": [{"json": 1, "text": "a"}]}, {"path": "/a", "times": 0}, {"path": "/a", "times": "1"}, {"path": "/a", "after": -1},
    {"path": "/a", "on": 0}, {"path": "/a", "on": []}, {"path": "/a", "on": [0]}, {"path": "/a", "probability": 1.1}, {"path": "/a", "seed": -1},
    {"path": "/a", "id": ""}, {"path": "/a", "id": "a b"}, {"path": "/a", "id": ".."}, {"path": "/a", "id": 5}, {"path": "/a", "id": "a" * 101},
    *({"path": "/a", "when": {"host": host}} for host in BAD_HOSTS),
    {"path": "/a", "when": []}, {"path": "/a", "when": {"qery": {}}}, {"path": "/a", "when": {"query": []}},
    {"path": "/a", "when": {"query": {"a": None}}}, {"path": "/a", "when": {"query": {"a": []}}}, {"path": "/a", "when": {"query": {"a": [1]}}},
    {"path": "/a", "when": {"query": {"a": {}}}}, {"path": "/a", "when": {"query": {"a": {"contains": 1}}}},
    {"path": "/a", "when": {"query": {"a": {"contains": "a", "endsWith": "b"}}}}, {"path": "/a", "when": {"body": None}},
    {"path": "/a", "when": {"jsonPath": {"a": 1}}}, {"path": "/a", "when": {"jsonPath": {"$.a": []}}},
    {"path": "/a", "when": {"jsonPath": {"$.a": [[]]}}}, {"path": "/a", "when": {"jsonPath": {"$.a": {}}}},
    {"path": "/a", "when": {"jsonPath": {"$.a": {"exists": 1}}}}, {"path": "/a", "when": {"jsonPath": {"$.a": {"exists": True, "contains": "a"}}}},
    {"path": "/a", "fault": "latency"}, {"path": "/a", "fault": "crash"}, {"path": "/a", "fault": {}}, {"path": "/a", "fault": None},
    {"path": "/a", "fault": {"type": "empty_response", "path": "/a"}},
]
GOOD_FAULTS = [*({"path": "/a", **effect} for effect in EFFECTS), {"path": "/*", "type": "timeout", "toxicity": 0.5, "seed": 3, "on": 2}]
BAD_FAULTS = [
    {"path": "/a"}, {"type": "timeout"}, {"path": "/a", "type": "latency"}, {"path": "/a", "type": "latency", "latency": -1},
    {"path": "/a", "type": "timeout", "rate": 1}, {"path": "/a", "type": "bandwidth", "rate": 0}, {"path": "/a", "type": "timeout", "probability": 1},
    {"path": "/a", "type": "slicer"}, {"path": "/a", "type": "limit_data", "bytes": 1.5}, {"path": "/a", "type": "empty_response", "toxicity": 2},
]
GOOD_PATCHES = [
    {"path": "/a", "status": 503}, {"path": "/a", "headers": {"X": None, "Y": 1, "Z": ["a", 2]}}, {"path": "/a", "addHeaders": {"X": "a"}},
    {"path": "/a", "json": [{"set": "$.a", "value": 1}, {"remove": "$.b"}, {"append": "$.c", "value": None}]},
    {"path": "/a", "jsonPatch": [{"op": "remove", "path": "/a"}, {"op": "add", "path": "", "value": 1}]},
    {"path": "/a", "replace": {"text": "a", "with": ""}}, {"path": "/a", "replace": [{"text": "a", "with": "b"}]},
    {"path": "/a", "truncate": 0}, {"path": "/a", "delay": {"min": 0.1, "max": 0.2}}, {"path": "/a", "status": 200, "misses": True, "times": 1},
    *({"path": "/a", "messages": [edit]} for edit in [
        {"drop": True}, {"from": "client", "at": [1, 3], "when": {"body": "x", "json": 1, "jsonPath": {"$.a": 1}}, "close": 4000},
        {"json": [{"remove": "$.a"}], "replace": {"text": "a", "with": ""}, "close": {"code": 1011, "reason": "x"}},
        {"at": 1, "before": ["a", {"base64": "AA=="}], "after": [{"echo": True, "delay": 0.1}]},
    ]),
]
BAD_PATCHES = [
    {"path": "/a"}, {"path": "/a", "misses": True}, {"status": 200}, {"path": "/a", "status": 100}, {"path": "/a", "headers": {"X": True}},
    {"path": "/a", "headers": {"Content-Length": "1"}}, {"path": "/a", "addHeaders": {"X": None}}, {"path": "/a", "json": []},
    {"path": "/a", "json": {"set": "$.a", "value": 1}}, {"path": "/a", "json": [{"set": "$.a"}]}, {"path": "/a", "json": [{"remove": "$"}]},
    {"path": "/a", "json": [{"set": "a", "value": 1}]}, {"path": "/a", "jsonPatch": []}, {"path": "/a", "jsonPatch": [{"op": "drop", "path": ""}]},
    {"path": "/a", "replace": {"text": "", "with": "a"}}, {"path": "/a", "replace": []}, {"path": "/a", "truncate": -1}, {"path": "/a", "text": "a"},
    *({"path": "/a", "messages": edits} for edits in [
        [], {}, [{}], [{"at": 1}], [{"at": 0, "drop": True}], [{"from": "origin", "drop": True}], [{"drop": True, "json": [{"remove": "$.a"}]}],
        [{"close": 1005}], [{"before": []}], [{"after": [{}]}], [{"when": {"query": {}}, "drop": True}], [{"drop": 1}], [{"cut": True}],
    ]),
]
GOOD_RESOURCES = [
    {"path": "/users"}, {"path": "/users/{userId}/posts", "as": "hal"}, {"path": "/users", "as": "json:api", "name": "users"},
    {"path": "/users", "seed": [{"id": 1}]}, {"path": "/users", "seed": {"data": [{"id": "a"}]}}, {"path": "/users", "seed": {"file": "users.json"}},
    {"path": "/users", "seed": {"count": 3, "fields": {"name": "name", "age": {"int": [1, 99]}, "role": ["a", "b"], "n": {"object": {"x": "uuid"}}}}},
    {"path": "/users", "ids": "uuid", "newest": "first", "required": ["name"], "hidden": ["password"], "defaults": {"role": "guest"}},
    {"path": "/users", "only": ["index", "show"]}, {"path": "/users", "except": ["delete"], "put": "merge", "lists": ["/members"]},
    {"path": "/users", "envelope": {"list": "users", "item": {"user": "{{item}}"}}, "pages": {"number": "p", "standardSize": 10, "always": True}},
    {"path": "/users", "answers": {"create": {"status": 202, "body": None}, "missing": {"status": 410}}},
]
BAD_RESOURCES = [
    {}, {"path": "users"}, {"path": "/"}, {"path": "/users/{id}"}, {"path": "/users/*"}, {"path": "/users", "as": "soap"}, {"path": "/users", "seeds": []},
    {"path": "/users", "seed": 1}, {"path": "/users", "seed": {}}, {"path": "/users", "seed": {"count": 1, "data": []}},
    {"path": "/users", "seed": {"count": -1}}, {"path": "/users", "seed": {"count": 1, "fields": {"a": "nonsense"}}},
    {"path": "/users", "seed": {"count": 1, "fields": {"a": {"int": [1]}}}}, {"path": "/users", "only": ["list"]}, {"path": "/users", "put": "patch"},
    {"path": "/users", "answers": {"create": {"status": 100}}}, {"path": "/users", "pages": {"standardSize": 0}}, {"path": "/users", "newest": "top"},
    {"path": "/users", "when": {"query": {}}}, {"path": "/users", "when": {"host": "a/b"}},
    {"path": "/users", "as": "json:api", "put": "merge"}, {"path": "/users", "within": {"resource": "posts"}}, {"path": "/users", "ids": "random"},
]
GOOD = [
    {}, {"$schema": "./overrides.schema.json"}, {"routes": [], "resources": [], "patches": [], "faults": []},
    *({"routes": [rule]} for rule in GOOD_ROUTES), *({"faults": [rule]} for rule in GOOD_FAULTS),
    *({"patches": [rule]} for rule in GOOD_PATCHES), *({"resources": [rule]} for rule in GOOD_RESOURCES),
]
BAD = [
    {"route": []}, {"routes": {}}, {"routes": None}, {"patches": 1}, {"faults": "x"}, {"resources": {}}, {"routes": [], "x": 1},
    *({"routes": [rule]} for rule in BAD_ROUTES), *({"faults": [rule]} for rule in BAD_FAULTS),
    *({"patches": [rule]} for rule in BAD_PATCHES), *({"resources": [rule]} for rule in BAD_RESOURCES),
]


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(run("schema", "overrides").stdout)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """What the program says about each document, good ones first."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "body.txt").write_text("body")
    (folder / "users.json").write_text('[{"id": 1}]')
    names = [f"{index}.json" for index in range(len(GOOD + BAD))]
    for name, document in zip(names, GOOD + BAD):
        # A document without any of the kinds is no overrides file to lint, so each has one.
        (folder / name).write_text(json.dumps({**document, "faults": document.get("faults", [])}))
    found = json.loads(run("lint", "--json", *names, cwd=folder, timeout=120).stdout)
    return [[finding["text"] for finding in each["findings"]] for each in found]


def test_there_are_many():
    assert len(GOOD) + len(BAD) >= 150 and len(GOOD) >= 60


@pytest.mark.parametrize("index", range(len(GOOD)), ids=[json.dumps(each)[:60] for each in GOOD])
def test_good_ones_are_good_to_both(validator, verdicts, index):
    assert verdicts[index] == []
    assert [error.message for error in validator.iter_errors(GOOD[index])] == []


@pytest.mark.parametrize("index", range(len(BAD)), ids=[json.dumps(each)[:60] for each in BAD])
def test_bad_ones_are_bad_to_both(validator, verdicts, index):
    assert len(verdicts[len(GOOD) + index]) == 1
    assert not validator.is_valid(BAD[index])


def test_the_reference_has_it_too():
    text = (ROOT / "Sources/Tapedeck/Tapedeck.docc/overrides.schema.json").read_text()
    assert text == run("schema").stdout
