"""Recordings promoted to living backends: the recorded session goes on offline, and others like it."""

import json
import threading
import time
import uuid
from contextlib import contextmanager

import pytest
import requests
from flask import Flask, jsonify, request
from werkzeug.serving import make_server

from deck import ROOT, eventually, is_release, run
from test_newsfeed import live_through_a_day, newsfeed, session  # noqa: F401


@contextmanager
def serving(app):
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()


def plain_api():
    """Lists and objects as they are, as json-server has them; comments below their posts."""
    app = Flask(__name__)
    rows = {
        "posts": [{"id": n, "title": f"post {n}", "views": n * 10} for n in (1, 2, 5)],
        "comments": [{"id": n, "postId": 1 + n % 2, "text": f"comment {n}"} for n in range(1, 5)],
    }

    def find(name, number):
        return next((row for row in rows[name] if row["id"] == number), None)

    @app.get("/<any(posts, comments):name>")
    def index(name):
        found = rows[name]
        for key, value in request.args.items():
            if key == "q":
                found = [row for row in found if value in json.dumps(row)]
            else:
                found = [row for row in found if str(row.get(key)) == value]
        return jsonify(found)

    @app.post("/<any(posts, comments):name>")
    def create(name):
        row = {"id": max(row["id"] for row in rows[name]) + 1, **request.json}
        rows[name].append(row)
        return jsonify(row), 201

    @app.get("/posts/<int:post>/comments")
    def comments(post):
        return jsonify([row for row in rows["comments"] if row["postId"] == post])

    @app.route("/<any(posts, comments):name>/<int:number>", methods=["GET", "PUT", "PATCH", "DELETE"])
    def one(name, number):
        row = find(name, number)
        if row is None:
            return jsonify({}), 404
        if request.method == "PUT":
            row.clear()
            row.update({"id": number, **request.json})
        elif request.method == "PATCH":
            row.update(request.json)
        elif request.method == "DELETE":
            rows[name].remove(row)
            return jsonify({})
        return jsonify(row)

    return app


def plain_day(ask):
    assert [post["id"] for post in ask("GET", "/posts")] == [1, 2, 5]
    assert ask("GET", "/posts/2") == {"id": 2, "title": "post 2", "views": 20}
    assert ask("POST", "/posts", {"title": "new", "views": 0}, 201) == {"id": 6, "title": "new", "views": 0}
    assert len(ask("GET", "/posts")) == 4
    assert ask("PATCH", "/posts/6", {"views": 1}) == {"id": 6, "title": "new", "views": 1}
    assert ask("PUT", "/posts/1", {"title": "other"}) == {"id": 1, "title": "other"}
    assert ask("GET", "/posts/1") == {"id": 1, "title": "other"}
    assert ask("GET", "/posts?title=new") == [{"id": 6, "title": "new", "views": 1}]
    assert ask("DELETE", "/posts/5") == {}
    assert ask("GET", "/posts/5", status=404) == {}
    assert [post["id"] for post in ask("GET", "/posts")] == [1, 2, 6]
    assert len(ask("GET", "/comments")) == 4
    assert [row["id"] for row in ask("GET", "/posts/1/comments")] == [2, 4]
    assert ask("GET", "/comments/3")["text"] == "comment 3"
    assert [row["id"] for row in ask("GET", "/comments?q=comment 3")] == [3]


def wrapped_api():
    """Everything in envelopes, UUIDs, pages, and errors with a message."""
    app = Flask(__name__)
    rows = [
        {"uuid": str(uuid.UUID(int=n + (4 << 76) + (8 << 60))), "name": f"customer {n}", "tags": [], "state": "active"}
        for n in range(1, 8)]
    start = "2026-03-01T12:00:00Z"

    @app.get("/api/v1/customers")
    def index():
        page, limit = int(request.args.get("page", 1)), int(request.args.get("limit", 3))
        part = rows[(page - 1) * limit:page * limit]
        meta = {"total": len(rows), "page": page, "limit": limit, "pages": -(-len(rows) // limit), "api": "v1"}
        return jsonify({"data": part, "meta": meta})

    @app.post("/api/v1/customers")
    def create():
        row = {"uuid": str(uuid.uuid4()), "tags": [], "state": "active", "created": start, **request.json}
        rows.append(row)
        return jsonify({"data": row})

    @app.route("/api/v1/customers/<number>", methods=["GET", "PUT", "DELETE"])
    def one(number):
        row = next((row for row in rows if row["uuid"] == number), None)
        if row is None:
            return jsonify({"message": f"customer {number} not found", "code": 17}), 404
        if request.method == "PUT":
            row.update(request.json)
        elif request.method == "DELETE":
            rows.remove(row)
            return jsonify({"deleted": number}), 202
        return jsonify({"data": row})

    @app.get("/api/v1/health")
    def health():
        return jsonify({"ok": True})

    return app


def wrapped_day(ask):
    first = ask("GET", "/api/v1/customers")
    assert (len(first["data"]), first["meta"]["total"], first["meta"]["pages"]) == (3, 7, 3)
    assert [len(ask("GET", f"/api/v1/customers?page={page}")["data"]) for page in (2, 3)] == [3, 1]
    one = ask("GET", f"/api/v1/customers/{first['data'][0]['uuid']}")["data"]
    assert one == first["data"][0]
    made = ask("POST", "/api/v1/customers", {"name": "new"})["data"]
    assert (made["name"], made["state"], made["created"]) == ("new", "active", "2026-03-01T12:00:00Z")
    assert ask("GET", "/api/v1/customers?page=3")["data"][-1] == made
    assert ask("PUT", f"/api/v1/customers/{made['uuid']}", {"state": "old"})["data"]["name"] == "new"
    assert ask("GET", f"/api/v1/customers/{made['uuid']}")["data"]["state"] == "old"
    assert ask("DELETE", f"/api/v1/customers/{made['uuid']}", status=202) == {"deleted": made["uuid"]}
    gone = ask("GET", f"/api/v1/customers/{made['uuid']}", status=404)
    assert gone == {"message": f"customer {made['uuid']} not found", "code": 17}
    assert ask("GET", "/api/v1/health") == {"ok": True}
    assert len(ask("GET", "/api/v1/customers?page=1&limit=5")["data"]) == 5


def asking(session, url):  # noqa: F811
    def ask(method, path, body=None, status=200):
        answer = session.request(method, url + path, json=body, timeout=20)
        assert answer.status_code == status, (method, path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    return ask


@pytest.fixture
def promoted(tmp_path, session, start):  # noqa: F811
    """Records a session, promotes it, and serves what came of it; gives the report and the URL."""
    def promoted(app, day, *arguments):
        cassette, overrides = tmp_path / "session", tmp_path / "overrides.json"
        with serving(app) as url:
            recorder = start("record", "--upstream", url, "--cassette", cassette)
            day(asking(session, recorder.url))
            assert recorder.stop() == 0
        done = run("promote", cassette, "--out", overrides, "--json", *arguments, timeout=60)
        assert done.returncode == 0, done.stderr
        player = start("serve", "--mode", "none", "--cassette", cassette, "--overrides", overrides)
        return json.loads(done.stdout), player.url

    return promoted


def outcomes(report, *which):
    return [(each["request"], each["difference"]) for each in report["exchanges"] if each["outcome"] in which]


def test_a_day_at_the_news_feed_goes_on_offline(tmp_path, session, start):  # noqa: F811
    cassette, overrides = tmp_path / "newsfeed", tmp_path / "overrides.json"
    with newsfeed(tmp_path) as url:
        recorder = start("record", "--upstream", url, "--cassette", cassette)
        recorded = live_through_a_day(session, recorder.url)
        assert recorder.stop() == 0
    done = run("promote", cassette, "--out", overrides, "--json", timeout=60)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert outcomes(report, "differs") == [("GET /api/users/0/newsfeed?page=1", "without Link")]
    assert [request for request, _ in outcomes(report, "cassette")] == ["POST /api/entity/user/1/like"]
    player = start("serve", "--mode", "none", "--cassette", cassette, "--overrides", overrides)
    assert live_through_a_day(session, player.url) == recorded
    # The next day is another one, and lives by the same rules.
    assert live_through_a_day(session, player.url) != recorded
    ask = asking(session, f"{player.url}/api")
    old = recorded[0][1][7]
    assert ask("POST", f"/post/{old['id']}/comment", {"text": "Mine"})["comments"][-1]["text"] == "Mine"
    made = [ask("POST", "/post", {"text": text}, 201) for text in ("One", "Two")]
    assert made[0]["id"] != made[1]["id"]
    assert ask("GET", "/users/0/newsfeed?page=1")[:2] == made[::-1]
    assert ask("GET", f"/post/{old['id']}")["comments"][-1]["text"] == "Mine"


def test_a_plain_api(promoted, session):  # noqa: F811
    report, url = promoted(plain_api(), plain_day)
    assert outcomes(report, "differs") == []
    assert [request for request, _ in outcomes(report, "cassette")] == ["GET /comments?q=comment%203"]
    ask = asking(session, url)
    plain_day(ask)
    assert ask("POST", "/comments", {"postId": 2, "text": "mine"}, 201)["id"] == 5
    assert [row["id"] for row in ask("GET", "/posts/2/comments")] == [1, 3, 5]
    assert ask("DELETE", "/comments/5", status=204) is None


def test_an_api_with_envelopes(promoted, session):  # noqa: F811
    report, url = promoted(wrapped_api(), wrapped_day)
    assert outcomes(report, "differs") == []
    assert [request for request, _ in outcomes(report, "cassette")] == ["GET /api/v1/health"]
    ask = asking(session, url)
    wrapped_day(ask)
    made = [ask("POST", "/api/v1/customers", {"name": f"n{number}"})["data"] for number in range(3)]
    assert len({each["uuid"] for each in made}) == 3
    listed = ask("GET", "/api/v1/customers?page=1&limit=100")
    assert listed["data"][-3:] == made
    assert (listed["meta"]["total"], listed["meta"]["api"]) == (10, "v1")


def test_secrets_stay_placeholders(tmp_path, session, start):  # noqa: F811
    app = Flask(__name__)
    token = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    app.get("/keys", endpoint="all")(lambda: jsonify([{"id": 1, "api_key": token}]))
    app.get("/keys/1", endpoint="one")(lambda: jsonify({"id": 1, "api_key": token}))
    cassette, overrides = tmp_path / "keys", tmp_path / "keys.json"
    with serving(app) as url:
        recorder = start("record", "--upstream", url, "--cassette", cassette)
        ask = asking(session, recorder.url)
        ask("GET", "/keys"), ask("GET", "/keys/1")
        assert recorder.stop() == 0
    assert run("promote", cassette, "--out", overrides).returncode == 0
    assert token not in overrides.read_text()
    assert "REDACTED:" in overrides.read_text()


def test_what_is_asked_wrong_is_said(tmp_path, session, start):  # noqa: F811
    app = Flask(__name__)
    app.get("/text")(lambda: "hello")
    cassette = tmp_path / "text"
    with serving(app) as url:
        recorder = start("record", "--upstream", url, "--cassette", cassette)
        assert session.get(f"{recorder.url}/text", timeout=20).text == "hello"
        assert recorder.stop() == 0
    out = tmp_path / "o.json"
    done = run("promote", cassette, "--out", out)
    assert (done.returncode, out.exists()) == (4, False)
    assert "no collection was found" in done.stderr
    out.write_text("mine")
    done = run("promote", cassette, "--out", out)
    assert (done.returncode, out.read_text()) == (1, "mine")
    assert "--force" in done.stderr
    assert run("promote").returncode == 2
    assert run("promote", cassette, "--min-confidence", "101").returncode == 2
    assert run("promote", tmp_path / "nothing").returncode == 1


def har(path, exchanges):
    """A HAR of (method, target, sent, status, answer)."""
    def entry(index, method, target, sent, status, answer):
        body = {"postData": {"mimeType": "application/json", "text": sent}} if sent else {}
        return {
            "startedDateTime": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_780_000_000 + index)), "time": 1,
            "request": {"method": method, "url": f"http://api.example.com{target}", "httpVersion": "HTTP/1.1",
                        "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": -1, **body},
            "response": {"status": status, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
                         "content": {"size": len(answer), "mimeType": "application/json", "text": answer},
                         "redirectURL": "", "headersSize": -1, "bodySize": -1},
            "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}

    entries = [entry(index, *exchange) for index, exchange in enumerate(exchanges)]
    path.write_text(json.dumps({"log": {"version": "1.2", "creator": {"name": "t", "version": "1"}, "entries": entries}}))


@pytest.mark.alone
def test_ten_thousand_interactions(tmp_path, figure):
    exchanges = [("GET", f"/c{kind}/{number}", None, 200, json.dumps({"id": number, "name": f"n{number}", "kind": kind}))
                 for kind in range(10) for number in range(900)]
    exchanges += [("POST", f"/c{kind}", json.dumps({"name": f"m{number}"}), 201,
                   json.dumps({"id": 900 + number, "name": f"m{number}"})) for kind in range(10) for number in range(100)]
    har(tmp_path / "many.har", exchanges)
    begin = time.monotonic()
    done = run("promote", tmp_path / "many.har", "--out", tmp_path / "o.json", "--min-confidence", "10", timeout=120)
    took = time.monotonic() - begin
    assert done.returncode == 0, done.stderr
    figure("10,000 interactions promoted", f"{took:.2f} s")
    if is_release():
        assert took < 4


@pytest.mark.parametrize("answer", [
    "", "{", "[]", "null", "7", '"text"', "[[]]", "[1]", '[{"id": 1}, 2]', '[{"id": 1}, {"id": 1}]', '[{"id": null}]',
    '{"data": [{"id": {}}]}', '{"id": 1, "id": 2}', '[{"id": ""}]', '[{"id": 1e400}]', '{"a": {"a": {"a": []}}}',
    "[" * 400 + "]" * 400, '[{"id": "\\ud800"}]', '{"id": "../../etc/passwd", "{{items}}": "{{item}}"}',
])
def test_garbage_is_no_collection(tmp_path, answer):
    exchanges = [(method, target, "{", status, answer)
                 for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "PURGE") for status in (200, 201, 404, 500)
                 for target in ("/", "//", "/a", "/a/1", "/a/1/b", "/a/%ff", "/{id}/:x", "/*", "/a?b&=c&%", "/1/2/3")]
    har(tmp_path / "odd.har", exchanges)
    for percent in (0, 50):
        done = run("promote", tmp_path / "odd.har", "--out", tmp_path / "o.json", "--force",
                   "--min-confidence", percent, timeout=60)
        assert done.returncode in (0, 4), done.stderr
        if done.returncode == 0:
            assert run("lint", tmp_path / "o.json").returncode in (0, 1, 4)


def paged_api(wrap):
    """Pages of two, wrapped in what `wrap(rows, total, next, previous)` makes of them; new rows come last."""
    app = Flask(__name__)
    rows = [{"id": number, "name": f"n{number}"} for number in range(1, 5)]

    def address(page):
        return f"{request.host_url}items?page={page}" if 1 <= page <= -(-len(rows) // 2) else None

    @app.get("/items")
    def index():
        page = int(request.args.get("page", 1))
        return wrap(rows[(page - 1) * 2:page * 2], len(rows), address(page + 1), address(page - 1))

    @app.post("/items")
    def create():
        rows.append({"id": len(rows) + 1, **request.json})
        return jsonify(rows[-1]), 201

    @app.get("/items/<int:number>")
    def one(number):
        answer = jsonify(rows[number - 1])
        answer.set_etag(f"v{number}")
        return answer

    return app


def paged_day(ask):
    for path in ("/items", "/items?page=2", "/items/1", "/items/2"):
        ask("GET", path)
    ask("POST", "/items", {"name": "new"}, 201)


def drf(rows, total, following, previous):
    return jsonify({"count": total, "next": following, "previous": previous, "results": rows})


def hal(rows, total, following, _):
    return jsonify({"_embedded": {"items": rows}, "total": total, "next": following})


def odd(rows, total, following, _):
    return jsonify({"page": {"of": [{"rows": rows}]}, "total": total, "next": following})


@pytest.mark.parametrize("wrap, read", [(drf, lambda page: page["results"]), (hal, lambda page: page["_embedded"]["items"])])
def test_a_collection_in_an_envelope_keeps_it_and_its_pages_lead_on(promoted, session, wrap, read):  # noqa: F811
    report, url = promoted(paged_api(wrap), paged_day)
    bodies = [each for each in outcomes(report, "differs") if not each[1].startswith("without ")]
    assert bodies == []
    ask = asking(session, url)
    ask("POST", "/items", {"name": "offline"}, 201)
    found, page = [], f"{url.rstrip('/')}/items"
    while page:  # by the links alone
        assert page.startswith(url.rstrip("/"))
        answer = session.get(page, timeout=20).json()
        found += read(answer)
        page = answer["next"]
    assert [row["name"] for row in found] == ["n1", "n2", "n3", "n4", "offline"]


def test_a_collection_in_an_unknown_envelope_stays_with_the_cassette(promoted, session):  # noqa: F811
    report, url = promoted(paged_api(odd), paged_day)
    ask = asking(session, url)
    assert ask("GET", "/items")["page"]["of"][0]["rows"] == [{"id": 1, "name": "n1"}, {"id": 2, "name": "n2"}]
    assert "GET /items" in [request for request, _ in outcomes(report, "cassette")]
    assert any("its list stays with the cassette" in note for note in report["resources"][0]["notes"])
    assert ask("POST", "/items", {"name": "offline"}, 201)["id"] == 5


def test_fields_that_a_resource_does_not_give_are_no_reproduction(promoted, session):  # noqa: F811
    def linked(rows, total, following, _):
        answer = jsonify(rows)
        if following:
            answer.headers["Link"] = f'<{following}>; rel="next"'
        return answer

    report, _ = promoted(paged_api(linked), paged_day)
    assert outcomes(report, "differs") == [
        ("GET /items", "without Link"), ("GET /items/1", "without ETag"), ("GET /items/2", "without ETag")]
    resource = report["resources"][0]
    assert (resource["reproduced"], resource["answered"], resource["taken"]) == (2, 5, True)


def test_patches_apply_on_promoted_paths(tmp_path, promoted, session):  # noqa: F811
    _, url = promoted(paged_api(drf), paged_day)
    overrides = tmp_path / "overrides.json"
    rules = json.loads(overrides.read_text())
    rules["patches"] = [
        {"path": "/items/{id}", "method": "GET", "json": [{"set": "$.name", "value": "patched"}]},
        {"path": "/elsewhere", "status": 503}]
    overrides.write_text(json.dumps(rules))
    ask = asking(session, url)
    eventually(lambda: ask("GET", "/items/1")["name"] == "patched", "patched")


def test_the_sequence_of_the_article_works_as_written(tmp_path, session, start):  # noqa: F811
    """Record one, promote it, serve it: a POST made offline shows up in the next GET."""
    article = ROOT / "Sources/Tapedeck/Tapedeck.docc/Resources.md"
    lines = [line.split("#")[0].split() for line in article.read_text().splitlines()]
    promote, = [line for line in lines if line[:2] == ["tapedeck", "promote"]]
    serve, = [line for line in lines if line[:2] == ["tapedeck", "serve"] and "living.json" in line]
    with serving(plain_api()) as url:
        recorder = start("record", "--upstream", url, "--cassette", "example", cwd=tmp_path)
        ask = asking(session, recorder.url)
        posts = ask("GET", "/posts")
        ask("GET", "/posts/1"), ask("POST", "/posts", {"title": "recorded", "views": 0}, 201)
        assert recorder.stop() == 0
    done = run(*promote[1:], cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    player = start(*serve[1:], cwd=tmp_path)
    ask = asking(session, player.url)
    assert ask("GET", "/posts") == posts
    made = ask("POST", "/posts", {"title": "offline", "views": 1}, 201)
    assert ask("GET", "/posts") == posts + [made]
    assert ask("GET", f"/posts/{made['id']}") == made
