"""What the inspector page stands on: its files, its way in, the feed of requests, one exchange, and one click."""

import gzip
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from deck import ROOT, eventually, run
from origin import reply
from steering import TOKEN, Admin, steered
from test_websocket import at, websocket_server

HTTPBIN = ROOT / "Cassettes" / "httpbin"
PAGE = ROOT / "Sources" / "TapedeckAdmin" / "Page"


class Feed:
    """Follows /v1/events on a thread of its own."""

    def __init__(self, admin, **query):
        self.answer = admin.http.get(
            f"{admin.url}/events", params=query, stream=True, timeout=30, headers=query.pop("headers", {}))
        assert self.answer.status_code == 200, self.answer.text
        self.requests, self.states, self.missing, self.last = [], [], 0, None
        self.problem = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            name, last = None, None
            for line in self.answer.iter_lines(decode_unicode=True):
                if line.startswith("id: "):
                    last = int(line[4:])
                elif line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    data = json.loads(line[6:])
                    if name == "requests":
                        assert 0 < len(data) <= 1000
                        self.requests += data
                    elif name == "gap":
                        self.missing += data["count"]
                    else:
                        self.states.append(data)
                    self.last = last
        except Exception as error:  # noqa: BLE001: what it was is for the test to judge
            self.problem = error

    def until(self, condition, what):
        eventually(lambda: condition(self), what)
        return self


@pytest.fixture
def replayed(start):
    return steered(start, "replay", "--cassette", HTTPBIN, "--quiet", "--session-header", "X-Session")


def get(deck, path, **options):
    return requests.get(deck.url + path, timeout=30, **options)


def root(admin):
    return admin.url.removesuffix("/v1")


def code(url):
    return re.fullmatch(r"https?://[^/]+/ui/#code=([0-9a-f]{64})", url)[1]


def trade(admin, text, **headers):
    return requests.post(f"{admin.url}/ui/tokens", json={"code": text}, headers=headers, timeout=30)


# The page and its way in


def test_every_file_of_the_page_is_served_without_a_token(replayed):
    deck, admin = replayed
    names = [file.name for file in PAGE.iterdir()]
    assert {"index.html", "app.js", "style.css"} <= set(names)
    for name in names:
        answer = requests.get(f"{root(admin)}/ui/{name}", timeout=30)
        assert answer.status_code == 200 and answer.content == (PAGE / name).read_bytes()
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-store"
    assert requests.get(f"{root(admin)}/ui", timeout=30).content == (PAGE / "index.html").read_bytes()
    for path in ("/ui/none.js", "/ui/..%2f..%2fPackage.swift", "/ui/../v1/health", "/ui/app.js/x"):
        assert requests.get(root(admin) + path, timeout=30).status_code in (401, 404), path
    assert requests.post(f"{root(admin)}/ui/", timeout=30).status_code == 405
    # The page is no way around the token, and not part of what clients of the proxy see.
    assert requests.get(f"{admin.url}/health", timeout=30).status_code == 401
    assert get(deck, "/ui/").status_code == 502


def test_a_code_opens_the_page_once(replayed):
    _, admin = replayed
    made = admin.post("/ui/codes", None)
    assert code(made["url"]) == made["code"]
    answer = trade(admin, made["code"], Origin=root(admin))
    assert answer.status_code == 201
    page = Admin(None, admin.url, answer.json()["token"])
    assert page.get("/health")["status"] == "ok"
    wrong = [trade(admin, text) for text in (made["code"], "0" * 64, "", "x" * 100_000)]
    assert {(answer.status_code, answer.text) for answer in wrong} == {(401, wrong[0].text)}
    # Both tokens hold; of seventeen codes, the first one is gone.
    assert admin.get("/health")["status"] == "ok"
    codes = [admin.post("/ui/codes", None)["code"] for _ in range(17)]
    assert [trade(admin, text).status_code for text in codes] == [401] + 16 * [201]


def test_of_many_who_trade_a_code_at_once_one_gets_in(replayed):
    _, admin = replayed
    made = admin.post("/ui/codes", None)["code"]
    with ThreadPoolExecutor(16) as pool:
        assert sorted(answer.status_code for answer in pool.map(lambda _: trade(admin, made), range(32))) == (
            [201] + 31 * [401])


def test_other_pages_get_nothing_even_with_the_token(replayed):
    _, admin = replayed
    own = root(admin)
    port = admin.port
    token = {"Authorization": f"Bearer {TOKEN}"}
    for path in ("/ui/", "/v1/health", "/v1/events", "/ca.pem"):
        for origin in ("null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", "http://evil.example",
                       f"http://localhost:{port}", f"{own}.evil.example", f"{own}/", ""):
            answer = requests.get(own + path, headers={**token, "Origin": origin}, timeout=30, stream=True)
            assert answer.status_code == 403, (path, origin)
        for site in ("cross-site", "same-site", "what"):
            answer = requests.get(own + path, headers={**token, "Sec-Fetch-Site": site}, timeout=30, stream=True)
            assert answer.status_code == 403, (path, site)
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port + 1}"):
            headers = {**token, "Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
            assert requests.get(own + path, headers=headers, timeout=30, stream=True).status_code == 421, (path, host)
    for site in ("same-origin", "none"):
        headers = {**token, "Origin": own, "Sec-Fetch-Site": site}
        assert requests.get(f"{admin.url}/health", headers=headers, timeout=30).status_code == 200
    made = admin.post("/ui/codes", None)["code"]
    assert trade(admin, made, Origin="http://evil.example").status_code == 403
    assert trade(admin, made, Origin=own).status_code == 201


def test_the_command_opens_the_page(start, tmp_path):
    deck = start("replay", "--cassette", HTTPBIN, "--quiet", "--ui", env={"XDG_RUNTIME_DIR": str(tmp_path)})
    admin = Admin(deck, token="")
    # It is said once the proxy is ready.
    url = eventually(lambda: re.search(r"inspector on (\S+)\n", deck.stderr), "its URL")[1]
    assert trade(admin, code(url)).status_code == 201
    done = run("ui", "--print", "--admin-port", admin.port, env={"XDG_RUNTIME_DIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert trade(admin, code(done.stdout.strip())).status_code == 201
    # A browser is started where there is a display, by the program that the desktop has for it.
    opened = tmp_path / "opened"
    browser = tmp_path / "xdg-open"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    done = run("ui", "--admin-port", admin.port,
               env={"XDG_RUNTIME_DIR": str(tmp_path), "DISPLAY": ":0", "PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr
    eventually(opened.exists, "opened")
    assert opened.read_text() == done.stdout.strip()


# The feed


def test_the_feed_tells_every_request_of_every_session_and_every_change(replayed):
    deck, admin = replayed
    get(deck, "/json")
    feed = Feed(admin).until(lambda it: len(it.requests) == 1, "what was before")
    get(deck, "/uuid", headers={"X-Session": "alice"})
    get(deck, "/nothing/like/it?password=hunter2hunter2")
    feed.until(lambda it: len(it.requests) == 3, "what comes")
    first, second, third = feed.requests
    assert [entry["id"] for entry in feed.requests] == [1, 2, 3]
    assert (first["session"], first["number"], first["source"], first["status"]) == (None, 1, "cassette", 200)
    assert first["file"].startswith("get-json") and first["bodyBytes"] > 100
    assert (second["session"], second["number"]) == ("alice", 1)
    assert third["source"] == "unmatched" and "hunter2hunter2" not in third["target"]
    before = feed.states[-1]
    assert before["mode"] == "none" and before["sessionNames"] == ["alice"]
    admin.post("/routes", {"path": "/json", "status": 418})
    feed.until(lambda it: it.states[-1]["overridesVersion"] != before["overridesVersion"], "the change")
    get(deck, "/json")
    feed.until(lambda it: len(it.requests) == 4 and it.requests[3]["status"] == 418, "the rule at work")
    assert feed.requests[3]["rule"] == "route-1"
    admin.delete("/cassette")
    feed.until(lambda it: it.states[-1]["cassette"] is None, "the cassette is out")
    assert feed.missing == 0 and feed.problem is None


def test_a_feed_goes_on_where_it_was_and_says_what_is_missing(start):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--quiet", "--journal", "1")
    for _ in range(5):
        get(deck, "/json")
    feed = Feed(admin).until(lambda it: len(it.requests) == 5, "five")
    get(deck, "/uuid")
    again = Feed(admin, after=feed.last).until(lambda it: it.requests, "the sixth")
    assert [entry["id"] for entry in again.requests] == [6] and again.missing == 0
    by_field = admin.http.get(f"{admin.url}/events", headers={"Last-Event-ID": "5"}, stream=True, timeout=30)
    text = b""
    while b'"id":6' not in text:
        text += next(by_field.iter_content(None))
    assert b'"id":5,' not in text
    by_field.close()
    # The log of 1 MiB forgets while nobody follows; the count of what is gone is exact.
    with requests.Session() as session:
        for index in range(40):
            session.post(deck.url + "/post", data=b"x" * 100_000, timeout=30)
    late = Feed(admin, after=6).until(lambda it: it.last == 46, "the last")
    assert late.missing > 20 and late.missing + len(late.requests) == 40
    assert [entry["id"] for entry in late.requests] == list(range(7 + late.missing, 47))
    fresh = Feed(admin, after=-1).until(lambda it: it.states, "the state")
    get(deck, "/json")
    fresh.until(lambda it: it.requests, "one")
    assert [entry["id"] for entry in fresh.requests] == [47]
    # An id of an earlier run, and what is none.
    other = Feed(admin, after=10_000).until(lambda it: it.last == 47, "all of it")
    for wrong in ("x", "-2", "1.5", ""):
        admin.call("GET", "/events", after=wrong, expect=400)
    assert admin.http.head(f"{admin.url}/events", timeout=30).status_code == 200


def test_a_reader_that_stops_holds_nothing_up_and_sees_the_gap(start, origin):
    """Bodies of 100 kB at full speed, 10 MB/s and more, past a feed that nobody reads."""
    body = b"y" * 100_000
    server = origin(lambda exchange: reply(body))
    deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", server.url, "--quiet", "--journal", "1")
    stuck = socket.create_connection(("127.0.0.1", admin.port), 10)
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stuck.sendall(f"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{admin.port}\r\n"
                  f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())

    def memory():
        status = open(f"/proc/{deck.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def ask(count):
        with requests.Session() as session:
            for _ in range(count):
                assert len(session.get(f"{deck.url}/{'p' * 2000}", timeout=30).content) == len(body)

    ask(50)
    before = memory()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, 4 * [150]))
    assert admin.get("/health")["requests"] == 650
    assert memory() - before < 24 << 10
    # Another one sees what the log still holds, and how much it does not.
    feed = Feed(admin).until(lambda it: it.last == 650, "the last")
    assert feed.missing + len(feed.requests) == 650 and feed.missing > 500
    stuck.close()
    assert deck.stop() == 0


def test_a_feed_ends_with_the_run(replayed):
    deck, admin = replayed
    feed = Feed(admin).until(lambda it: it.states, "the state")
    started = time.monotonic()
    assert deck.stop() == 0
    assert time.monotonic() - started < 8 and feed.problem is None


# One exchange


def exact(admin, number, **query):
    return admin.get(f"/requests/{number}", bodies="exact", **query)


def test_a_hit_is_shown_with_its_recording_and_its_curl_line(replayed):
    deck, admin = replayed
    sent = get(deck, "/json", headers={"Accept": "application/json", "X-Extra": "1"})
    shown = exact(admin, 1)
    assert shown["response"]["text"] == sent.text and shown["response"]["isCut"] is False
    assert shown["recording"]["file"].startswith("get-json")
    assert shown["recording"]["response"]["text"] == sent.text
    assert shown["recording"]["turn"] == 1
    assert f"{deck.url}/json" in shown["curl"] and "X-Extra: 1" in shown["curl"]
    assert shown["decisions"][-1]["outcome"] == "answered"
    uses = admin.get("/cassette/interactions")
    assert [use["hits"] for use in uses if use["file"] == shown["recording"]["file"]] == [1]
    assert sum(use["hits"] for use in uses) == 1
    one = admin.get(f"/cassette/interactions/{shown['recording']['file']}")
    assert one["response"] == shown["recording"]["response"] and one["line"] == "GET /json"
    admin.call("GET", "/cassette/interactions/none.json", expect=404)
    admin.call("GET", "/requests/1", bodies="all", expect=400)
    har = admin.post("/exports", {"format": "har", "number": 1})
    assert len(har["log"]["entries"]) == 1
    admin.call("POST", "/exports", {"format": "har", "number": 7}, expect=404)
    admin.call("POST", "/exports", {"format": "cassette", "name": "x", "number": 1}, expect=422)


def test_bodies_are_opened_bounded_and_exact(start, origin):
    large = "ü".encode() * 200_000
    packed = gzip.compress(b'{"a": 1}')
    bodies = {
        "/gzip": reply(packed, b"Content-Encoding: gzip"), "/large": reply(large),
        "/binary": reply(bytes(range(256))),
        "/secret": reply(b'{"password": "hunter2hunter2"}', b"Content-Type: application/json"),
        "/broken": reply(b"no gzip", b"Content-Encoding: gzip"), "/empty": reply(),
    }
    server = origin(lambda exchange: bodies[exchange.request.target.decode()])
    deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", server.url, "--quiet")
    shown = {}
    for number, path in enumerate(bodies, 1):
        requests.get(deck.url + path, stream=True, timeout=30).raw.read()
        shown[path] = exact(admin, number)["response"]
    assert (shown["/gzip"]["coding"], shown["/gzip"]["text"]) == ("gzip", '{"a": 1}')
    assert shown["/gzip"]["bodyBytes"] == len(packed)
    assert shown["/large"]["isCut"] and shown["/large"]["bodyBytes"] == 400_000
    assert shown["/large"]["text"] == "ü" * (256 * 1024 // 2)
    assert "base64" in shown["/binary"] and "text" not in shown["/binary"]
    assert "hunter2hunter2" not in shown["/secret"]["text"] and "REDACTED" in shown["/secret"]["text"]
    assert "coding" not in shown["/broken"] and shown["/broken"]["text"] == "no gzip"
    assert "text" not in shown["/empty"] and not shown["/empty"]["isCut"]


def test_a_miss_is_shown_with_what_differs_and_one_word_cures_it(replayed):
    deck, admin = replayed
    get(deck, "/json")
    assert get(deck, "/json?ts=1").status_code == 502
    miss = exact(admin, 2)["miss"]
    difference = miss["nearest"][0]["differences"][0]
    assert difference["ignoredBy"] == "query:ignore=ts" and difference["recorded"] is None
    assert miss["nearest"][0]["file"].startswith("get-json") and miss["fixes"]
    before = admin.get("/matching")
    assert before["ignore"] == [] and before["flag"] is None
    now = admin.put("/matching", {"ignore": [difference["ignoredBy"]]})
    assert now["flag"] == "--match 'query:ignore=ts'" and "query:ignore=ts" in now["match"]
    assert get(deck, "/json?ts=2").json() == get(deck, "/json").json()
    assert admin.put("/matching", {"ignore": []}) == before
    assert get(deck, "/json?ts=3").status_code == 502
    for wrong in (["method"], ["headers:X"], ["query:ignore="], [1], "x", ["body:ignore=$.["]):
        admin.call("PUT", "/matching", {"ignore": wrong}, expect=422)
    assert admin.get("/matching") == before


def test_matching_stays_while_a_cassette_is_recorded(start, origin, tmp_path):
    server = origin(lambda exchange: reply(b"x"))
    _, admin = steered(start, "record", "--cassette", tmp_path / "c", "--upstream", server.url, "--quiet")
    admin.call("PUT", "/matching", {"ignore": ["query:ignore=ts"]}, expect=409)


def test_a_request_goes_to_the_origin_once_more(start, origin):
    seen = []

    def respond(exchange):
        seen.append((exchange.request.method, exchange.request.target, exchange.request.body))
        return reply(b"answer %d" % len(seen))

    server = origin(respond)
    deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", server.url, "--quiet")
    admin.post("/routes", {"method": "POST", "path": "/a", "status": 418})
    assert requests.post(deck.url + "/a?b=1", data=b"body", timeout=30).status_code == 418
    answer = admin.post("/requests/1/forward", None)
    assert answer["status"] == 200 and answer["response"]["text"] == "answer 1"
    assert seen == [(b"POST", b"/a?b=1", b"body")]
    assert admin.get("/requests")["total"] == 1
    admin.call("POST", "/requests/7/forward", expect=404)
    # Offline, no origin is asked.
    _, offline = steered(start, "replay", "--cassette", HTTPBIN, "--quiet")
    offline.call("POST", "/requests/1/forward", expect=404)


# The overrides file


def test_the_rules_in_force_are_saved_in_the_overrides_file(start, tmp_path):
    file = tmp_path / "overrides.json"
    file.write_text('{"$schema": "x", "routes": [{"path": "/a", "status": 201}, {"path": "/b", "status": 202}]}\n')
    file.chmod(0o640)
    deck, admin = steered(start, "serve", "--overrides", file, "--quiet")
    admin.delete("/routes/route-1")
    admin.put("/routes/mine", {"path": "/c", "status": 203})
    admin.post("/patches", {"path": "/d", "status": 204})
    saved = admin.post("/overrides/save", None)
    assert saved["file"] == str(file)
    document = json.loads(file.read_text())
    assert document == {
        "$schema": "x",
        "routes": [{"id": "route-2", "path": "/b", "status": 202}, {"id": "mine", "path": "/c", "status": 203}],
        "patches": [{"id": "patch-1", "path": "/d", "status": 204}]}
    assert file.stat().st_mode & 0o777 == 0o640 and [entry.name for entry in tmp_path.glob("overrides*")] == [file.name]
    assert all(rule["fromFile"] for rule in admin.get("/routes") + admin.get("/patches"))
    assert [get(deck, path).status_code for path in ("/a", "/b", "/c")] == [502, 202, 203]
    # Now they are the file's: what is edited there holds.
    document["routes"][1]["status"] = 299
    file.write_text(json.dumps(document))
    eventually(lambda: get(deck, "/c").status_code == 299, "reloaded")
    # A file that is not what is in force is left alone.
    file.write_text("{ half")
    assert "changed" in admin.call("POST", "/overrides/save", expect=409)["detail"]
    assert file.read_text() == "{ half"
    # Started again, it is the same.
    file.write_text(json.dumps(document))
    again, _ = steered(start, "serve", "--overrides", file, "--quiet")
    assert [get(again, path).status_code for path in ("/a", "/b", "/c")] == [502, 202, 299]


def test_without_an_overrides_file_nothing_is_saved(replayed):
    _, admin = replayed
    assert "--overrides" in admin.call("POST", "/overrides/save", expect=409)["detail"]


# The same from the command line


def test_the_command_does_the_same(start, tmp_path):
    file = tmp_path / "overrides.json"
    file.write_text("{}")
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--overrides", file, "--quiet")
    get(deck, "/json")

    def ctl(*words, code=0):
        done = run("ctl", "--admin-port", admin.port, "--admin-token", TOKEN, *words)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout) if code == 0 else done.stderr

    used = [use for use in ctl("interactions") if use["hits"]]
    assert ctl("interactions", used[0]["file"])["line"] == "GET /json"
    assert "query:ignore=ts" in ctl("matching", "query:ignore=ts")["match"]
    assert ctl("matching")["ignore"] == ["query:ignore=ts"]
    assert ctl("matching", "none")["ignore"] == []
    admin.put("/routes/mine", {"path": "/c", "status": 203})
    assert ctl("save")["content"] == "1 route" and "mine" in file.read_text()
    assert "mode is none" in ctl("requests", "1", "forward", code=1) or "--upstream" in ctl(
        "requests", "1", "forward", code=1)


# WebSockets


def test_the_messages_of_a_websocket_are_seen_while_it_is_open_and_after(start, cassette):
    secret = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"

    def talk(ws):
        ws.send(json.dumps({"hello": 1, "token": secret}))
        for message in ws:
            if message == "bye":
                return ws.close(4000, "see you")
            ws.send(message)

    with websocket_server(talk, max_size=None) as port:
        deck, admin = steered(start, "serve", "--mode", "all", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        with connect(at(deck), max_size=None) as ws:
            ws.recv(10)
            for message in ["grüße", b"\0\1\2", "ü" * 50_000, ["a", "b"]]:
                ws.send(message)
                ws.recv(10)
            said = eventually(lambda: (it := admin.get("/requests/1")["webSocket"])["messages"][8:] and it, "nine messages")
            assert said["isOpen"] is True and "close" not in said
            entry = admin.get("/requests/1")
            assert entry["status"] == 101 and not entry["cutShort"]
            ws.send("bye")
            with pytest.raises(ConnectionClosed):
                ws.recv(10)
        said = eventually(lambda: not (it := admin.get("/requests/1", bodies="exact")["webSocket"])["isOpen"] and it, "its end")
        assert said["close"] == {"from": "server", "code": 4000, "reason": "see you"}
        assert [message["from"] for message in said["messages"]] == ["server"] + ["client", "server"] * 4 + ["client"]
        assert secret not in json.dumps(said) and said["messages"][0]["text"].startswith('{"hello": 1')
        assert said["messages"][1]["text"] == "grüße" and said["messages"][3]["base64"] == "AAEC"
        long = said["messages"][5]
        # Cut between two characters.
        assert long["bytes"] == 100_000 and long["isCut"] and set(long["text"]) == {"ü"} and len(long["text"]) == 32_768
        assert said["messages"][7]["text"] == "ab"
        times = [message["atMilliseconds"] for message in said["messages"]]
        assert times == sorted(times) and said["omittedBefore"] == 0
        entry = admin.get("/requests/1")
        assert not entry["cutShort"] and entry["milliseconds"] > 0
        assert deck.stop() == 0
    # Replayed, a message that differs is a miss; the entry says so though it began before.
    deck, admin = steered(start, "replay", "--cassette", cassette)
    with connect(at(deck), max_size=None) as ws:
        ws.recv(10)
        ws.send("another")
        with pytest.raises(ConnectionClosed):
            ws.recv(10)
    said = eventually(lambda: not (it := admin.get("/requests/1", bodies="exact"))["webSocket"]["isOpen"] and it, "its end")
    assert said["webSocket"]["close"]["code"] == 1008
    assert "message 1" in json.dumps(said["miss"])
    [use] = admin.get("/cassette/interactions")
    recorded = admin.get(f"/cassette/interactions/{use['file']}")["webSocket"]
    assert [message["from"] for message in recorded["messages"][:2]] == ["server", "client"] and recorded["close"]["code"] == 4000


def test_a_websocket_that_talks_for_long_takes_no_more_memory(start, cassette):
    with websocket_server(lambda ws: [ws.send(b"x" * 1000 if index % 2 else str(index)) for index in range(5_000)]) as port:
        deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}")
        with connect(at(deck)) as ws:
            for _ in range(5_000):
                ws.recv(10)
        said = eventually(lambda: not (it := admin.get("/requests/1")["webSocket"])["isOpen"] and it, "its end")
    assert said["omittedBefore"] + len(said["messages"]) == 5_000 and len(said["messages"]) <= 1_000
    assert said["messages"][-2]["text"] == "4998"
    # Nothing incomplete is exported.
    assert admin.post("/exports", {"format": "har"})["log"]["entries"] == []


def test_a_whole_websocket_is_exported_and_replays(start, tmp_path):
    cassette = tmp_path / "folder" / "now"

    def greet(ws):
        ws.send("hello")
        for message in ws:
            ws.send(message.upper())

    with websocket_server(greet) as port:
        deck, admin = steered(
            start, "serve", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette, "--mode", "passthrough")
        with connect(at(deck)) as ws:
            assert ws.recv(10) == "hello"
            ws.send("a")
            assert ws.recv(10) == "A"
        eventually(lambda: not admin.get("/requests/1")["webSocket"]["isOpen"], "its end")
        [entry] = admin.post("/exports", {"format": "har"})["log"]["entries"]
        assert [message["data"] for message in entry["_webSocketMessages"]] == ["hello", "a", "A"]
        assert admin.post("/exports", {"format": "cassette", "name": "then"})["interactions"] == 1
        deck.stop()
    offline = start("replay", "--cassette", cassette.parent / "then")
    with connect(at(offline)) as ws:
        assert ws.recv(10) == "hello"
        ws.send("a")
        assert ws.recv(10) == "A"
