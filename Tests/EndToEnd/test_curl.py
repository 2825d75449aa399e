"""Lines of curl, which have no answers: the origins they name are asked."""

import json

import pytest

from deck import interactions, run
from origin import reply
from wire import fetch

JSON = b"Content-Type: application/json"


def told(exchange):
    request = exchange.request
    return reply(b'{"asked": "%s %s", "body": "%s"}' % (request.method, request.target, (request.body or b"").replace(b'"', b"'")), JSON)


@pytest.fixture
def api(origin):
    return origin(told)


@pytest.fixture
def script(tmp_path):
    def script(*lines, name="requests.sh"):
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path
    return script


def requests(origin) -> list[tuple]:
    return [(request.method, request.target) for request in origin.requests]


def test_the_origin_is_asked_and_the_cassette_replays(api, script, cassette, start):
    file = script(
        "#!/bin/sh", "# users", f"curl -s {api.url}/users/1 -H 'Accept: application/json' \\", "  --compressed", "",
        f"curl '{api.url}/search?q=a%20b' -b 'session=s3cr3t-of-somebody-0815'")
    done = run("import", file, "--cassette", cassette)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"tapedeck: asking {api.url} 2 requests"), "it says so before"
    assert "imported 2 exchanges" in done.stderr
    assert json.loads((cassette / "cassette.json").read_text())["upstream"] == api.url
    assert not any(b"s3cr3t" in path.read_bytes() for path in cassette.iterdir() if path.is_file())
    count = len(api.requests)
    deck = start("replay", "--cassette", cassette)
    assert json.loads(fetch(deck.url, "/users/1").body)["asked"] == "GET /users/1"
    assert json.loads(fetch(deck.url, "/search?q=a%20b").body)["asked"] == "GET /search?q=a%20b"
    assert len(api.requests) == count == 2


def test_what_may_change_something_is_asked_only_when_told(api, script, cassette):
    file = script(
        f"curl {api.url}/a", f"curl {api.url}/items -d name=x", f"curl -X DELETE {api.url}/items/1",
        f"curl {api.url}/items --json '{{\"n\": 2}}'", name="requests.curl")
    done = run("import", file, "--cassette", cassette)
    assert done.returncode == 0, done.stderr
    assert requests(api) == [(b"GET", b"/a")]
    assert "line 2 (POST" in done.stderr or "lines 2, 4" in done.stderr
    assert "--unsafe-methods" in done.stderr and "imported 1 of 4" in done.stderr
    assert run("import", file, "--cassette", cassette, "--strict").returncode == 4
    api.requests.clear()
    done = run("import", file, "--cassette", cassette, "--unsafe-methods", "--strict")
    assert done.returncode == 0, done.stderr
    assert requests(api) == [(b"GET", b"/a"), (b"POST", b"/items"), (b"DELETE", b"/items/1"), (b"POST", b"/items")], "in their order"
    assert len(interactions(cassette)) == 4
    asked = [json.dumps(each["response"]["body"]) for each in interactions(cassette).values()]
    assert any("name=x" in body for body in asked) and any("'n': 2" in body for body in asked)


def test_of_several_origins_one_is_taken_or_chosen(origin, script, cassette, tmp_path):
    first, second = origin(told), origin(told)
    file = script(f"curl {first.url}/a", f"curl {second.url}/b", f"curl {first.url}/c", f"curl {second.url}/a")
    done = run("import", file, "--cassette", cassette, "--only", second.url)
    assert done.returncode == 0, done.stderr
    assert requests(first) == [] and "imported 2 of 4" in done.stderr
    assert json.loads((cassette / "cassette.json").read_text())["upstream"] == second.url
    every = run("import", file, "--cassette", tmp_path / "every")
    assert every.returncode == 0 and len(interactions(tmp_path / "every")) == 3
    assert "--only" in every.stderr, "/a is answered by one"
    wrong = run("import", file, "--cassette", tmp_path / "none", "--only", "nobody.test")
    assert wrong.returncode == 1 and f"{first.url} (2)" in wrong.stderr
    assert not (tmp_path / "none").exists()


def test_what_is_not_understood_is_told_and_never_guessed(api, script, cassette, tmp_path):
    (tmp_path / "body.json").write_text("{}")
    file = script(
        f"curl {api.url}/good", f"curl {api.url}/x -d @body.json", f"curl {api.url}/x --no-such-option",
        f"curl -L {api.url}/moved", f"curl {api.url}/$ID", f"curl {api.url}/x | jq .", "rm -rf /", name="all.sh")
    done = run("import", file, "--cassette", cassette, "--strict")
    assert done.returncode == 4
    for line in ("line 2", "line 3", "line 5"):
        assert line in done.stderr
    assert "a body from a file" in done.stderr and "--no-such-option" in done.stderr
    assert (b"GET", b"/good") in requests(api) and b"/$ID" not in [target for _, target in requests(api)]


def test_an_origin_out_of_reach_leaves_no_cassette(script, cassette):
    done = run("import", script("curl http://127.0.0.1:9/x"), "--cassette", cassette)
    assert done.returncode == 1
    assert "nothing to import" in done.stderr and "nothing usable came" in done.stderr
    assert not cassette.exists()


def test_our_own_lines_record_the_same_again(api, script, cassette, start, tmp_path):
    deck = start("record", "--upstream", api.url, "--cassette", cassette)
    for target in ("/a?x=1", "/b", "/c%20d"):
        fetch(deck.url, target)
    fetch(deck.url, "/post", JSON, method=b"POST", body=b'{"a": "it\'s"}')
    assert deck.stop() == 0
    lines = run("export", cassette, "--format", "curl").stdout
    done = run("import", script(lines), "--cassette", tmp_path / "again", "--unsafe-methods", "--strict")
    assert done.returncode == 0, done.stderr
    assert set(interactions(tmp_path / "again")) == set(interactions(cassette))
