"""The examples of the articles on overrides, patches and faults, as they stand there."""

import json
import re

import jsonschema
import pytest
from websockets.sync.client import connect

from deck import ROOT, run
from origin import reply
from wire import fetch

ARTICLES = ROOT / "Sources" / "Tapedeck" / "Tapedeck.docc"


def examples(article: str) -> list[dict]:
    text = (ARTICLES / f"{article}.md").read_text()
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.S)]


def serve(start, cassette, tmp_path, rules):
    file = tmp_path / "overrides.json"
    file.write_text(json.dumps(rules))
    return start("serve", "--cassette", cassette, "--overrides", file, "--explain")


SCHEMA = json.loads((ARTICLES / "overrides.schema.json").read_text())


@pytest.mark.parametrize("article", ["Patches", "Faults"])
def test_the_schema_knows_every_example(article):
    for example in examples(article):
        jsonschema.validate(example, SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize("rules", [
    {"patches": [{"path": "/a"}]}, {"patches": [{"path": "/a", "json": [{"remove": "$"}]}]},
    {"patches": [{"path": "/a", "status": 99}]}, {"patches": [{"path": "/a", "headers": {"Content-Length": "1"}}]},
    {"patches": [{"path": "/a", "jsonPatch": [{"op": "copy", "path": "/a"}]}]},
    {"patches": [{"path": "/a", "truncate": 1, "toxicity": 1}]},
    {"faults": [{"path": "/a", "type": "latency"}]}, {"faults": [{"path": "/a", "type": "bandwith", "rate": 1}]},
    {"routes": [{"path": "/a", "webSocket": {"messages": [{}]}}]}, {"routes": [{"path": "/a", "webSocket": {}, "json": 1}]},
    {"routes": [{"path": "/a", "webSocket": {"close": 1005}}]}, {"faults": [{"path": "/a", "type": "drop", "code": 1000}]},
    {"faults": [{"path": "/a", "type": "timeout", "messages": {}}]},
    {"faults": [{"path": "/a", "type": "timeout", "rate": 1}]}, {"faults": [{"type": "timeout"}]}],
    ids=lambda rules: json.dumps(rules))
def test_schema_and_program_refuse_the_same(recorded, cassette, tmp_path, rules):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(rules, SCHEMA, jsonschema.Draft202012Validator)
    file = tmp_path / "overrides.json"
    file.write_text(json.dumps(rules))
    done = run("lint", file)
    assert done.returncode != 0 and "overrides.json:1:" in done.stdout + done.stderr


def shop(exchange):
    body = b'{"items": [1, 2]}' if exchange.request.target == b"/shop/items" else b'{"total": 1.50}'
    return reply(body, b"Content-Type: application/json")


@pytest.mark.parametrize(("article", "index"), [("Patches", 0), ("Patches", 1), ("Faults", 0), ("Faults", 1), ("Faults", 2)])
def test_every_example_is_a_file_that_is_served(start, recorded, cassette, tmp_path, article, index):
    recorded("/known")
    assert len(examples(article)) == {"Patches": 3, "Faults": 3}[article]
    deck = serve(start, cassette, tmp_path, examples(article)[index])
    assert fetch(deck.url, "/known").body == b"answer 1"


def test_the_shop(start, recording, cassette, tmp_path):
    _, deck = recording(shop)
    for target in ("/shop/items", "/shop/cart"):
        fetch(deck.url, target)
    deck.stop()
    deck = serve(start, cassette, tmp_path, examples("Patches")[0])
    assert fetch(deck.url, "/shop/items").body == b'{"items": []}'
    carts = [fetch(deck.url, "/shop/cart") for _ in range(3)]
    assert [each.status for each in carts] == [200, 503, 200]
    assert carts[1].value(b"Retry-After") == b"5" and carts[1].body == b'{"total": 1.50}'
    assert b'applied="patch second-time"' in carts[1].value(b"Tapedeck-Answer")


def test_overrides(start, recorded, cassette, tmp_path):
    recorded("/known", "/users/1")
    first, routes, sockets, schema = examples("OverridesFile")
    (tmp_path / "logo.svg").write_text("<svg/>")
    deck = serve(start, cassette, tmp_path, first)
    answer = fetch(deck.url, "/users/1")
    assert (answer.status, answer.value(b"Retry-After"), answer.body) == (503, b"30", b'{"error":"maintenance"}')
    assert fetch(deck.url, "/known").body == b"answer 1"
    deck = serve(start, cassette, tmp_path, routes)
    order = b'{"count": 1.50, "items": [{"id": 7}]}'
    answer = fetch(deck.url, "/orders", b"X-Customer: Ann", method=b"POST", body=order)
    assert (answer.status, answer.value(b"Location"), answer.body) == (201, b"/orders/7", b'{"count":1.50,"note":"for Ann"}')
    assert fetch(deck.url, "/health").status == 503
    with pytest.raises(ConnectionError):
        fetch(deck.url, "/health")
    assert fetch(deck.url, "/health").body == b'{"up":true}'
    assert fetch(deck.url, "/logo").value(b"Content-Type") == b"image/svg+xml"
    assert fetch(deck.url, "/search?q=dog&page=2").body == b"page 2"
    assert fetch(deck.url, "/search?q=cat").body == b"" and fetch(deck.url, "/search?q=cow").status == 502
    with connect(serve(start, cassette, tmp_path, sockets).url.replace("http", "ws", 1) + "/chat/7") as chat:
        assert chat.recv(10) == '{"welcome":"7"}'
        chat.send('{"method": "add", "id": 1.50}')
        assert chat.recv(10) == '{"id":1.50,"result":3}'
        chat.send("anything")
        assert chat.recv(10) == "anything"
    assert fetch(serve(start, cassette, tmp_path, schema).url, "/known").body == b"answer 1"
