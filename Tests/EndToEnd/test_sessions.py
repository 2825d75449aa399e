"""Sessions: tests that share a port and never see each other."""

import base64
import json
import socket
import threading

import pytest
import requests

from deck import ROOT, eventually, interactions, run
from origin import counting, reply
from steering import TOKEN, steered

HTTPBIN = ROOT / "Cassettes" / "httpbin"


def uuids(deck, count, **headers):
    return [requests.get(f"{deck.url}/uuid", headers=headers, timeout=30).json()["uuid"] for _ in range(count)]


def test_each_session_has_its_own_place_in_the_recording(start):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--session-header", "X-Session", "--quiet")
    alone = uuids(deck, 4)
    assert len(set(alone[:3])) == 3 and alone[3] == alone[2]
    one = uuids(deck, 2, **{"X-Session": "one"})
    two = uuids(deck, 3, **{"X-Session": "two"})
    one += uuids(deck, 1, **{"X-Session": "one"})
    assert one == two == alone[:3]
    admin.post("/reset", {}, session="one")
    assert uuids(deck, 1, **{"X-Session": "one"}) == alone[:1]
    assert uuids(deck, 1, **{"X-Session": "two"}) == alone[2:3]
    admin.delete("/sessions/two")
    assert uuids(deck, 1, **{"X-Session": "two"}) == alone[:1]
    admin.post("/reset", {})
    assert uuids(deck, 1) == alone[:1]


def test_each_session_has_its_own_overrides_and_request_log(start):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--session-header", "X-Session", "--quiet")
    admin.put("/routes/base", {"path": "/json", "status": 201, "times": 1})
    for name in ("one", "two"):
        admin.put(f"/sessions/{name}")
    admin.put("/routes/mine", {"path": "/gzip", "status": 418}, session="one")

    def status(path, **headers):
        return requests.get(deck.url + path, headers=headers, timeout=30).status_code

    # What the default session had when a session began, it has too, with counts of its own.
    assert [status("/json", **{"X-Session": "one"}) for _ in range(2)] == [201, 200]
    assert [status("/json", **{"X-Session": "two"}) for _ in range(2)] == [201, 200]
    assert status("/gzip", **{"X-Session": "one"}) == 418
    assert status("/gzip", **{"X-Session": "two"}) == 200 and status("/gzip") == 200
    assert admin.get("/requests", session="one")["total"] == 3
    assert admin.get("/requests")["total"] == 1
    assert [session["requests"] for session in admin.get("/sessions")] == [3, 3]
    admin.call("GET", "/routes", session="three", expect=404)


def test_a_session_may_have_a_cassette_of_its_own(start, origin, tmp_path):
    upstream = origin(counting())
    options = ["--upstream", upstream.url, "--session-header", "X-Session", "--session-idle", "0.2", "--quiet"]
    deck, admin = steered(start, "serve", "--mode", "none", *options, cwd=tmp_path)

    def get(session, path="/a"):
        return requests.get(deck.url + path, headers={"X-Session": session} if session else {}, timeout=30)

    for name in ("one", "two"):
        begun = admin.put(f"/sessions/{name}", cassette=f"tests.{name}", mode="once")
        assert (begun["cassette"], begun["mode"]) == (f"Cassettes/tests.{name}", "once")
    texts = {name: [get(name).text for _ in range(2)] for name in ("one", "two")}
    assert get(None).status_code == 502 and get("three").status_code == 502, "the proxy has no cassette, and its mode is none"
    health = admin.get("/health")
    assert health["cassette"] is None and health["mode"] == "none"
    # It is chosen once, and recorded into by one session.
    admin.call("PUT", "/sessions/one", cassette="other", expect=409)
    assert "session one is recording" in admin.call("PUT", "/sessions/four", cassette="tests.one", mode="all", expect=423)["detail"]
    admin.call("PUT", "/sessions/four", cassette="nowhere", mode="none", expect=404)
    admin.call("PUT", "/sessions/four", cassette="../x", expect=422)
    admin.call("PUT", "/sessions/four", cassette="x", mode="record", expect=422)
    admin.call("PUT", "/sessions/four", mode="once", expect=422)
    assert [session["name"] for session in admin.get("/sessions") if session["cassette"]] == ["one", "two"]
    # Ending one seals it; the end of the proxy seals the others.
    admin.delete("/sessions/one")
    recorded = interactions(tmp_path / "Cassettes" / "tests.one")
    assert len(recorded) == 2
    assert interactions(tmp_path / "Cassettes" / "tests.two") == {}
    assert deck.stop() == 3
    assert len(interactions(tmp_path / "Cassettes" / "tests.two")) == 2
    assert not list(tmp_path.glob("Cassettes/*/journal*"))

    deck, admin = steered(start, "serve", "--mode", "none", *options, cwd=tmp_path)
    for name in ("one", "two"):
        done = run("ctl", "--admin-port", admin.port, "--admin-token", TOKEN, "sessions", "begin", name, f"tests.{name}", "none")
        assert done.returncode == 0, done.stderr
    assert [get("two").text for _ in range(2)] == texts["two"]
    assert [get("one").text for _ in range(2)] == texts["one"] != texts["two"]
    assert get("one", "/b").json()["nearest"][0]["file"] in recorded
    admin.post("/reset", {}, session="two")
    assert get("two").text == texts["two"][0]
    # Another cassette of the proxy is none of theirs.
    admin.put("/cassette", {"name": "tests.one", "mode": "none"})
    assert get("two").text == texts["two"][1]
    # What only replays is dropped when it is idle.
    eventually(lambda: admin.get("/sessions") == [], "all sessions dropped", 20)


def test_the_secrets_of_a_session_are_hidden_by_its_own_cassette(start, origin, tmp_path):
    upstream = origin(lambda exchange: reply(b"{}", b"Content-Type: application/json"))
    recorder = start("record", "--upstream", upstream.url, "--cassette", tmp_path / "Cassettes" / "own", "--redact", "x-colour", "--redact", "colour")
    requests.get(f"{recorder.url}/a?colour=ultramarine", timeout=30)
    assert recorder.stop() == 0
    deck, admin = steered(start, "serve", "--mode", "none", "--upstream", upstream.url, "--session-path", "/session", cwd=tmp_path)
    admin.put("/sessions/one", cassette="own", mode="none")
    assert requests.get(f"{deck.url}/session/one/a?colour=ultramarine", timeout=30).status_code == 200
    assert "ultramarine" not in json.dumps(admin.get("/requests", session="one"))
    assert "ultramarine" not in json.dumps(admin.get("/requests/1", session="one"))
    eventually(lambda: "/session/one/a?colour=" in deck.stderr, "the log's line")
    assert "ultramarine" not in deck.stderr


def test_what_names_a_session_goes_no_further(start, origin):
    seen = []

    def handler(exchange):
        seen.append((exchange.request.target, [name.lower() for name, _ in exchange.request.fields]))
        return reply(b"ok")

    upstream = origin(handler)
    for option, ask in [
        (["--session-header", "X-Session"], lambda url: requests.get(f"{url}/a?b=1", headers={"X-Session": "s"})),
        (["--session-path", "/session"], lambda url: requests.get(f"{url}/session/s/a?b=1")),
        (["--session-user"], lambda url: requests.get(f"{url}/a?b=1", headers={
            "Proxy-Authorization": "Basic " + base64.b64encode(b"s:x").decode()})),
    ]:
        deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", upstream.url, "--quiet", *option)
        assert ask(deck.url).text == "ok"
        target, names = seen[-1]
        assert target == b"/a?b=1" and b"x-session" not in names and b"proxy-authorization" not in names
        assert [session["name"] for session in admin.get("/sessions")] == ["s"]
        deck.stop()


def test_a_client_with_a_proxy_url_is_in_the_session_of_its_user(start):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--session-user", "--quiet")
    proxy = deck.url.replace("http://", "http://alice:x@")
    upstream = json.loads((HTTPBIN / "cassette.json").read_bytes())["upstream"]
    answer = requests.get(f"{upstream}/json", proxies={"http": proxy}, timeout=30)
    assert answer.status_code == 200
    assert [session["name"] for session in admin.get("/sessions")] == ["alice"]


@pytest.mark.parametrize("name", ["a b", "x" * 101, "a/b", "ä", ""])
def test_a_name_that_is_none_is_refused(start, name):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--session-header", "X-Session", "--quiet")
    host = deck.url.removeprefix("http://")
    with socket.create_connection(host.split(":")) as connection:
        connection.sendall(f"GET /json HTTP/1.1\r\nHost: {host}\r\nX-Session: {name}\r\nConnection: close\r\n\r\n".encode())
        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 400 ")
    assert admin.get("/sessions") == []


def test_idle_sessions_go_by_themselves(start):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--session-header", "X-Session", "--quiet",
                          "--session-idle", "0.2", "--max-sessions", "3")
    for number in range(3):
        uuids(deck, 1, **{"X-Session": f"s{number}"})
    busy = requests.get(f"{deck.url}/uuid", headers={"X-Session": "s3"}, timeout=30)
    assert busy.status_code in (200, 503)
    eventually(lambda: admin.get("/sessions") == [], "all sessions dropped", 20)
    assert requests.get(f"{deck.url}/uuid", headers={"X-Session": "s4"}, timeout=30).status_code == 200


def test_200_sessions_at_once_never_see_each_other(start, figure):
    """Each has a route, a patch, a resource and a place in the recording of its own."""
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--session-header", "X-Session", "--quiet")
    expected = uuids(deck, 3)
    title = requests.get(f"{deck.url}/json", timeout=30).json()["slideshow"]["title"]
    admin.put("/resources/notes", {"path": "/notes"})
    leaks, asked, lock = [], [0], threading.Lock()

    def one(number):
        name = f"test-{number}"
        http = requests.Session()
        http.trust_env = False
        http.headers["X-Session"] = name
        mine = requests.Session()
        mine.trust_env = False
        mine.headers["Authorization"] = admin.http.headers["Authorization"]
        problems = []

        def ask(method, path, **options):
            return http.request(method, deck.url + path, timeout=60, **options)

        def steer(path, rule):
            answer = mine.put(f"{admin.url}{path}", json=rule, params={"session": name}, timeout=60)
            assert answer.status_code in (200, 201), answer.text

        try:
            mine.put(f"{admin.url}/sessions/{name}", timeout=60)
            steer("/routes/mine", {"path": "/mine", "json": {"number": number}})
            if number % 2:
                steer("/patches/mine", {"path": "/json", "json": [{"set": "$.slideshow.title", "value": name}]})
            for turn in range(3):
                if ask("GET", "/mine").json() != {"number": number}:
                    problems.append("route")
                if ask("GET", "/json").json()["slideshow"]["title"] != (name if number % 2 else title):
                    problems.append("patch")
                if ask("GET", "/uuid").json()["uuid"] != expected[turn]:
                    problems.append("cursor")
                made = ask("POST", "/notes", json={"text": f"{name}-{turn}"})
                notes = ask("GET", "/notes").json()
                if made.status_code != 201 or [note["text"] for note in notes] != [f"{name}-{n}" for n in range(turn + 1)]:
                    problems.append("store")
            log = mine.get(f"{admin.url}/requests", params={"session": name, "limit": "0"}, timeout=60).json()
            if log["total"] != 15:
                problems.append(f"request log {log}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it counts
            problems.append(repr(error))
        with lock:
            leaks.extend((name, problem) for problem in problems)
            asked[0] += 15

    threads = [threading.Thread(target=one, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not leaks, leaks[:5]
    assert len(admin.get("/sessions")) == 200
    assert uuids(deck, 1) == expected[-1:]
    figure(f"200 parallel sessions on one port, {asked[0]:,} requests", "0 leaks")


def test_twelve_thousand_session_names_with_a_thousand_rules_stay_small(start, tmp_path, figure):
    """Each session had a copy of every rule: 695 kB, 6.27 GB together, and no token was needed for it."""
    count = 12_000
    rules = tmp_path / "rules.json"
    routes = [
        {"path": f"/things/{n}", "status": 201, "headers": {"X-Number": str(n)}, "json": {"number": n, "name": f"thing {n}"}}
        for n in range(1000)]
    resources = [{"path": f"/list{n}", "seed": {"data": [{"id": 1, "name": "one"}]}} for n in range(3)]
    rules.write_text(json.dumps({"routes": routes, "resources": resources}))
    deck = start(
        "serve", "--overrides", rules, "--session-header", "X-Session", "--max-sessions", str(count), "--quiet",
        "--threads", "2")
    base = deck.mebibytes("VmRSS")

    def visit():
        with socket.create_connection(("127.0.0.1", int(deck.url.rsplit(":", 1)[1]))) as client:
            answers = client.makefile("rb")
            for batch in range(0, count, 100):
                client.sendall(b"".join(
                    b"GET /things/%d HTTP/1.1\r\nHost: a\r\nX-Session: s%d\r\n\r\n" % (n % 1000, n)
                    for n in range(batch, batch + 100)))
                for _ in range(100):
                    assert answers.readline().startswith(b"HTTP/1.1 201")
                    length = 0
                    while (line := answers.readline()) != b"\r\n":
                        name, _, value = line.partition(b":")
                        if name.lower() == b"content-length":
                            length = int(value)
                    answers.read(length)

    visit()
    figure("12,000 sessions with 1,000 rules", f"{deck.mebibytes('VmRSS'):.0f} MiB, {base:.0f} without")
    assert deck.mebibytes("VmRSS") < 100
    # A file that is saved is for all of them, and they go on sharing it.
    routes[0]["status"] = 202
    rules.write_text(json.dumps({"routes": routes, "resources": resources}))
    for name in ("s0", "s11000"):
        eventually(
            lambda: requests.get(f"{deck.url}/things/0", headers={"X-Session": name}, timeout=30).status_code == 202, "reloaded")
    assert deck.mebibytes("VmRSS") < 120
    assert requests.get(f"{deck.url}/things/1", headers={"X-Session": "one-more"}, timeout=30).status_code == 503


def test_sessions_that_share_rules_count_and_store_by_themselves(start, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({
        "routes": [{"id": "twice", "path": "/a", "status": 201, "times": 2}],
        "resources": [{"id": "users", "path": "/users", "seed": {"data": [{"id": 1, "name": "Ada"}]}}]}))
    deck, admin = steered(start, "serve", "--overrides", rules, "--session-header", "X-Session", "--quiet")

    def ask(method, path, session, **options):
        return requests.request(method, deck.url + path, headers={"X-Session": session}, timeout=30, **options)

    assert ask("POST", "/users", "one", json={"name": "Bob"}).status_code == 201
    assert [len(ask("GET", "/users", name).json()) for name in ("one", "two")] == [2, 1]
    assert [ask("GET", "/a", "one").status_code for _ in range(3)] == [201, 201, 502]
    assert [ask("GET", "/a", "two").status_code for _ in range(3)] == [201, 201, 502]
    admin.put("/routes/twice", {"path": "/a", "status": 418}, session="one")
    assert ask("GET", "/a", "one").status_code == 418
    assert ask("GET", "/a", "two").status_code == 502, "the rule of another session"
    admin.post("/reset", {}, session="two")
    assert ask("GET", "/a", "two").status_code == 201
    assert len(ask("GET", "/users", "one").json()) == 2
    # A store that nobody has asked for yet begins as it is declared by then.
    admin.put("/sessions/three")
    admin.delete("/resources/users", session="three")
    assert ask("GET", "/users", "three").status_code == 502
    assert len(ask("GET", "/users", "four").json()) == 1
