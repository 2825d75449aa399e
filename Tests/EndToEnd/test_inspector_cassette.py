"""What the inspector and the admin API do with cassettes: recorded anew, scanned, compared, promoted, switched."""

import json
import subprocess

import pytest
import requests

from deck import CLEAN, ROOT, Deck, binary, eventually, interactions, run
from origin import reply
from steering import TOKEN, Admin, steered

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def get(deck, path, **options):
    return requests.get(deck.url + path, timeout=30, **options)


@pytest.fixture
def shop(tmp_path, origin):
    """An origin whose responses count, recorded as `shop`: /a once, /b three times."""
    seen = []

    def respond(exchange):
        seen.append(exchange.request.target.decode())
        return reply(b'{"count": %d}' % len(seen), b"Content-Type: application/json")

    server = origin(respond)
    folder = tmp_path / "Cassettes"
    with Deck(tmp_path / "recorder", "record", "--upstream", server.url, "--cassette", folder / "shop", "--quiet") as deck:
        for path in ["/a", "/b", "/b", "/b"]:
            get(deck, path)
    seen.clear()
    return server, folder / "shop", seen


def bodies(cassette):
    return {name: one["response"]["body"]["json"]["count"] for name, one in interactions(cassette).items()}


# Recorded anew


def test_one_recording_is_made_anew_and_put_back(start, shop):
    server, cassette, seen = shop
    before = {path: path.read_bytes() for path in cassette.glob("*.json")}
    deck, admin = steered(start, "serve", "--mode", "once", "--upstream", server.url, "--cassette", cassette, "--quiet")
    assert [get(deck, "/b").json()["count"] for _ in range(3)] == [2, 3, 4]
    made = admin.post("/requests/2/record", None)
    [second] = [name for name in bodies(cassette) if name.startswith("get-b-") and name.endswith(".2.json")]
    assert made["file"] == second and not made["isUnchanged"] and made["status"] == 200 and seen == ["/b"]
    # This one alone, in its place; the others are the same files.
    assert sorted(bodies(cassette).values()) == [1, 1, 2, 4]
    assert [path.name for path in before if path.read_bytes() != before[path]] == [second]
    # It is in force at once, and every sequence begins anew.
    assert [get(deck, "/b").json()["count"] for _ in range(3)] == [2, 1, 4]
    assert admin.post(f"/cassette/interactions/{second}/restore", None) is None
    assert bodies(cassette)[second] == 3 and get(deck, "/a").json()["count"] == 1
    assert [get(deck, "/b").json()["count"] for _ in range(3)] == [2, 3, 4]
    admin.call("POST", f"/cassette/interactions/{second}/restore", expect=404)
    assert seen == ["/b"] and deck.stop() == 0
    assert {path: json.loads(path.read_bytes())["response"] for path in cassette.glob("get-*.json")} == {
        path: json.loads(content)["response"] for path, content in before.items() if path.name.startswith("get-")}


def test_after_a_miss_the_recording_is_added(start, shop):
    server, cassette, seen = shop
    deck, admin = steered(start, "serve", "--mode", "once", "--upstream", server.url, "--cassette", cassette, "--quiet")
    assert get(deck, "/new?password=hunter2hunter2").status_code == 502
    made = admin.post("/requests/1/record", None)
    assert made["isNew"] and made["file"] in bodies(cassette) and seen == ["/new?password=hunter2hunter2"]
    assert get(deck, "/new?password=hunter2hunter2").json() == {"count": 1}
    assert len(interactions(cassette)) == 5 and b"hunter2" not in b"".join(path.read_bytes() for path in cassette.glob("*"))
    before = {path.name: path.read_bytes() for path in cassette.iterdir() if path.name != made["file"]}
    assert admin.post(f"/cassette/interactions/{made['file']}/restore", None) is None
    assert {path.name: path.read_bytes() for path in cassette.iterdir()} == before
    assert get(deck, "/new?password=hunter2hunter2").status_code == 502
    admin.call("POST", f"/cassette/interactions/{made['file']}/restore", expect=404)


def test_an_added_recording_with_a_later_one_behind_it_stays(start, shop):
    server, cassette, seen = shop
    deck, admin = steered(start, "serve", "--mode", "once", "--upstream", server.url, "--cassette", cassette, "--quiet")
    assert get(deck, "/new").status_code == 502 and get(deck, "/new").status_code == 502
    first, second = admin.post("/requests/1/record", None), admin.post("/requests/2/record", None)
    assert first["isNew"] and second["isNew"] and first["file"] != second["file"]
    assert "later response" in admin.call("POST", f"/cassette/interactions/{first['file']}/restore", expect=409)["detail"]
    for made in (second, first):
        admin.post(f"/cassette/interactions/{made['file']}/restore", None)
    assert len(interactions(cassette)) == 4


def test_while_recording_the_rest_is_sealed_first(start, shop):
    server, cassette, seen = shop
    deck, admin = steered(start, "serve", "--upstream", server.url, "--cassette", cassette, "--quiet")
    assert get(deck, "/fresh").json() == {"count": 1}
    assert get(deck, "/a").json() == {"count": 1}
    assert admin.post("/requests/2/record", None)["file"].startswith("get-a-")
    assert get(deck, "/a").json() == {"count": 2} and get(deck, "/fresh").json() == {"count": 1}
    assert get(deck, "/later").json() == {"count": 3}
    assert deck.stop() == 0 and seen == ["/fresh", "/a", "/later"]
    assert len(interactions(cassette)) == 6


def test_what_cannot_be_recorded_anew_is_refused_with_the_reason(start, shop, origin, tmp_path):
    server, cassette, seen = shop
    deck, admin = steered(start, "replay", "--cassette", cassette, "--quiet")
    get(deck, "/a")
    assert "--upstream" in admin.call("POST", "/requests/1/record", expect=409)["detail"]
    admin.call("POST", "/requests/9/record", expect=404)
    deck, admin = steered(start, "serve", "--mode", "none", "--upstream", server.url, "--cassette", cassette, "--quiet")
    get(deck, "/a")
    assert "mode is none" in admin.call("POST", "/requests/1/record", expect=409)["detail"]
    admin.post("/routes", {"path": "/b", "status": 418})
    admin.put("/mode", {"mode": "once"})
    get(deck, "/b")
    assert "3 responses" in admin.call("POST", "/requests/2/record", expect=409)["detail"]
    # An origin that does not respond leaves the cassette as it is.
    before = bodies(cassette)
    deck, admin = steered(start, "serve", "--mode", "once", "--upstream", "http://127.0.0.1:1", "--cassette", cassette, "--quiet")
    get(deck, "/a")
    admin.call("POST", "/requests/1/record", expect=502)
    assert bodies(cassette) == before and get(deck, "/a").json() == {"count": 1} and seen == []


# What is in a cassette


@pytest.fixture
def leaky(start, origin, tmp_path):
    """A cassette with a secret in a body and one in a field, which was recorded without redaction."""
    def respond(exchange):
        body = json.dumps({"list": [0] * 250 + [{"user": {"note": SECRET}}]}).encode()
        return reply(body, b"Content-Type: application/json", b"X-Auth-Token: " + SECRET.encode())

    cassette = tmp_path / "Cassettes" / "leaky"
    with Deck(tmp_path / "leaking", "record", "--no-redact", "--upstream", origin(respond).url, "--cassette", cassette) as deck:
        get(deck, "/me")
    return cassette


def test_the_finds_of_the_scanner_have_their_places_and_no_secret(start, leaky):
    _, admin = steered(start, "replay", "--cassette", leaky, "--quiet")
    scan = admin.get("/cassette/finds")
    assert SECRET not in json.dumps(scan)
    places = {find["place"]: find for find in scan["finds"]}
    assert "response.body $.list[250].user.note" in places and any("response.headers" in place for place in places)
    find = places["response.body $.list[250].user.note"]
    assert find["beginning"] == SECRET[:3] and find["file"] in interactions(leaky) and "GitHub" in find["looksLike"]
    assert scan["problems"] == [] and any("--fix" in command for command in scan["commands"])
    # The same as the command finds.
    said = json.loads(run("scan", "--json", leaky).stdout)
    assert [unit["finds"] for unit in said] == [scan["finds"]]
    _, none = steered(start, "serve", "--mode", "none", "--quiet")
    assert "no cassette" in none.call("GET", "/cassette/finds", expect=409)["detail"]


def test_two_cassettes_are_compared_as_diff_does(start, shop, tmp_path):
    server, cassette, _ = shop
    with Deck(tmp_path / "second", "record", "--upstream", server.url, "--cassette", cassette.parent / "other", "--quiet") as deck:
        for path in ["/b", "/a", "/c"]:
            get(deck, path)
    _, admin = steered(start, "replay", "--cassette", cassette, "--quiet")
    assert [one["name"] for one in admin.get("/cassettes")] == ["other", "shop"]
    found = admin.get("/cassette/comparison", **{"with": "other"})
    assert found == json.loads(run("diff", "--json", cassette, cassette.parent / "other").stdout)
    assert [change["change"] for change in found["changes"]].count("added") == 1
    admin.call("GET", "/cassette/comparison", expect=404, **{"with": "absent"})
    for name in ("../shop", "", ".hidden", "a/b"):
        assert admin.call("GET", "/cassette/comparison", expect=422, **{"with": name})["place"] == "with"
    admin.call("GET", "/cassette/comparison", expect=422)


def test_a_promotion_is_previewed_and_writes_nothing(start, origin, tmp_path):
    users = {1: {"id": 1, "name": "Ada"}}

    def respond(exchange):
        parts = exchange.request.target.split(b"/")
        if exchange.request.method == b"POST":
            users[2] = {"id": 2, **json.loads(exchange.request.body)}
            return reply(json.dumps(users[2]).encode(), b"Content-Type: application/json", status=b"201 Created")
        found = list(users.values()) if len(parts) == 2 else users[int(parts[2])]
        return reply(json.dumps(found).encode(), b"Content-Type: application/json")

    cassette = tmp_path / "Cassettes" / "users"
    with Deck(tmp_path / "recorder", "record", "--upstream", origin(respond).url, "--cassette", cassette, "--quiet") as deck:
        get(deck, "/users"), get(deck, "/users/1")
        requests.post(deck.url + "/users", json={"name": "Bea"}, timeout=30)
        get(deck, "/users"), get(deck, "/users/2")
    deck, admin = steered(start, "serve", "--mode", "none", "--cassette", cassette, "--quiet", cwd=tmp_path)
    files = sorted(path.name for path in tmp_path.rglob("*"))
    preview = admin.get("/cassette/promotion")
    [resource] = preview["resources"]
    assert resource["path"] == "/users" and resource["taken"] and resource["reproduced"] == resource["answered"] == 5
    done = run("promote", cassette, "--out", "-", cwd=tmp_path)
    assert preview["document"] == json.loads(done.stdout)
    assert sorted(path.name for path in tmp_path.rglob("*")) == files
    assert admin.get("/cassette/promotion", confidence=100)["document"] in ({"resources": []}, preview["document"])
    admin.call("GET", "/cassette/promotion", expect=400, confidence=101)
    assert admin.call("GET", "/cassette/promotion", expect=422, host="elsewhere.example")["place"] == "host"
    # It works as it is.
    for rule in preview["document"]["resources"]:
        admin.post("/resources", rule)
    requests.post(deck.url + "/users", json={"name": "Cy"}, timeout=30)
    assert [user["name"] for user in get(deck, "/users").json()] == ["Ada", "Cy"]


# Sessions


def test_the_cassette_of_a_session_is_switched_while_the_others_stay(start, shop, tmp_path):
    server, cassette, _ = shop
    with Deck(tmp_path / "second", "record", "--upstream", server.url, "--cassette", cassette.parent / "other", "--quiet") as deck:
        get(deck, "/c")
    deck, admin = steered(start, "replay", "--cassette", cassette, "--session-header", "X-Session", "--quiet")
    one = {"X-Session": "one"}
    admin.put("/sessions/one", cassette="shop")
    assert get(deck, "/c", headers=one).status_code == 502 and get(deck, "/b", headers=one).json() == {"count": 2}
    state = admin.put("/cassette", {"name": "other"}, session="one")
    assert state["cassette"].endswith("/other") and state["mode"] == "none"
    assert get(deck, "/c", headers=one).status_code == 200 and get(deck, "/a", headers=one).status_code == 502
    assert get(deck, "/a").status_code == 200 and get(deck, "/c").status_code == 502
    assert admin.get("/health")["cassette"].endswith("/shop")
    assert admin.get("/health", session="one")["cassette"].endswith("/other")
    assert {use["target"]: use["hits"] for use in admin.get("/cassette/interactions", session="one")} == {"/c": 1}
    # Back, with its first responses.
    admin.put("/cassette", {"name": "shop"}, session="one")
    assert get(deck, "/b", headers=one).json() == {"count": 2}
    # One that uses the cassette of the proxy has none to change.
    get(deck, "/a", headers={"X-Session": "two"})
    assert "session two" in admin.call("PUT", "/cassette", {"name": "other"}, expect=409, session="two")["detail"]
    admin.call("PUT", "/cassette", {"name": "absent"}, expect=404, session="one")
    admin.call("PUT", "/cassette", {"name": "other"}, expect=404, session="three")
    assert get(deck, "/a", headers=one).status_code == 200


def test_two_sessions_never_record_into_one_cassette(start, shop):
    server, cassette, _ = shop
    deck, admin = steered(
        start, "serve", "--mode", "passthrough", "--upstream", server.url, "--cassette", cassette, "--session-header", "X-Session", "--quiet")
    admin.put("/sessions/one", cassette="own", mode="all")
    admin.put("/sessions/two", cassette="second", mode="all")
    assert "session one" in admin.call("PUT", "/cassette", {"name": "own"}, expect=423, session="two")["detail"]
    get(deck, "/x", headers={"X-Session": "one"})
    # What was recorded is sealed by the change.
    assert admin.put("/mode", {"mode": "none"}, session="one")["interactions"] == {"recorded": 0, "replayable": 1}
    assert len(interactions(cassette.parent / "own")) == 1
    admin.put("/cassette", {"name": "own"}, session="two")


# From the command line


def test_ctl_does_the_same(start, shop, leaky):
    server, cassette, _ = shop
    deck, admin = steered(start, "serve", "--mode", "once", "--upstream", server.url, "--cassette", cassette, "--session-header", "X-Session", "--quiet")

    def ctl(*words, code=0):
        done = run("ctl", "--admin-port", admin.port, "--admin-token", TOKEN, *words)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout) if code == 0 and done.stdout else done.stderr

    get(deck, "/b")
    assert [one["name"] for one in ctl("cassettes")] == ["leaky", "shop"]
    file = ctl("requests", "1", "record")["file"]
    assert ctl("interactions", file, "restore") == ""
    assert "not recorded anew" in ctl("interactions", file, "restore", code=1)
    assert ctl("scan")["finds"] == []
    assert [change["change"] for change in ctl("diff", "leaky")["changes"]].count("removed") == 4
    assert ctl("promote", "10")["resources"] == []
    admin.put("/sessions/one", cassette="shop")
    assert ctl("--session", "one", "cassette", "leaky", "none")["cassette"].endswith("leaky")
    assert len(ctl("--session", "one", "scan")["finds"]) >= 2
    assert ctl("health")["cassette"].endswith("shop")


def test_ctl_follows_the_events_until_the_proxy_ends(start, shop):
    server, cassette, _ = shop
    deck, admin = steered(start, "replay", "--cassette", cassette, "--quiet")
    get(deck, "/a")
    follower = subprocess.Popen(
        [binary(), "ctl", "--admin-port", str(admin.port), "--admin-token", TOKEN, "events"], env=CLEAN,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        lines = [json.loads(follower.stdout.readline()) for _ in range(2)]
        assert lines[0]["state"]["mode"] == "none" and lines[1]["request"]["target"] == "/a"
        get(deck, "/b")
        assert json.loads(follower.stdout.readline())["request"]["status"] == 200
        admin.post("/routes", {"path": "/x"})
        assert "state" in json.loads(follower.stdout.readline())
        assert deck.stop() == 0
        rest, said = follower.communicate(timeout=20)
        assert rest == "" and follower.returncode == 0, said
    finally:
        follower.kill()
    wrong = run("ctl", "--admin-port", admin.port, "--admin-token", TOKEN, "events", "before=1")
    assert wrong.returncode == 2 and "after=ID" in wrong.stderr


def test_ctl_events_is_refused_with_the_reason(start, shop):
    _, admin = steered(start, "replay", "--cassette", shop[1], "--quiet")
    done = run("ctl", "--admin-port", admin.port, "--admin-token", "another-token-0123456789", "events")
    assert done.returncode == 1 and "token" in done.stderr
    # Nobody reads on: it ends with the next event.
    follower = subprocess.Popen(
        [binary(), "ctl", "--admin-port", str(admin.port), "--admin-token", TOKEN, "events"], env=CLEAN,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "state" in json.loads(follower.stdout.readline())
    follower.stdout.close()
    admin.post("/routes", {"path": "/x"})
    assert follower.wait(20) == 1


def test_ui_can_print_the_url_and_open_nothing(start, tmp_path):
    opened = tmp_path / "opened"
    browser = tmp_path / "xdg-open"
    browser.write_text(f"#!/bin/sh\ntouch {opened}\n")
    browser.chmod(0o755)
    desktop = {"XDG_RUNTIME_DIR": str(tmp_path), "DISPLAY": ":0", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    deck = start("replay", "--cassette", ROOT / "Cassettes" / "httpbin", "--quiet", "--ui=print", env=desktop)
    eventually(lambda: "inspector on http://127.0.0.1" in deck.stderr, "its URL")
    assert deck.stop() == 0
    assert not opened.exists()
    deck = start("replay", "--cassette", ROOT / "Cassettes" / "httpbin", "--quiet", "--ui", env=desktop)
    eventually(opened.exists, "opened")
    assert deck.stop() == 0
