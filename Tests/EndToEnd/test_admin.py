"""The admin API: what can be steered, and by whom."""

import itertools
import json
import os
import re
import socket
import stat
import subprocess
import sys

import pytest
import requests

from deck import ROOT, binary, eventually, interactions, run
from servers import Httpbin, free_port
from steering import TOKEN, Admin, steered
from wire import fetch

HTTPBIN = ROOT / "Cassettes" / "httpbin"


@pytest.fixture(scope="module")
def httpbin(servers):
    return servers(Httpbin)


@pytest.fixture
def deck_and_admin(start):
    return steered(start, "replay", "--cassette", HTTPBIN, "--quiet")


def get(deck, path, **options):
    return requests.get(deck.url + path, timeout=30, **options)


def test_a_rule_of_each_kind_holds_for_the_next_request_and_goes_again(deck_and_admin):
    deck, admin = deck_and_admin
    before = get(deck, "/json").json()
    made = admin.post("/routes", {"path": "/json", "json": {"mine": True}}, expect=201)
    assert get(deck, "/json").json() == {"mine": True}
    assert [(rule["id"], rule["used"]) for rule in admin.get("/routes")] == [(made["id"], 1)]
    admin.put(f"/routes/{made['id']}", {"path": "/json", "status": 418}, expect=200)
    assert get(deck, "/json").status_code == 418
    admin.delete(f"/routes/{made['id']}")
    assert get(deck, "/json").json() == before
    admin.call("GET", f"/routes/{made['id']}", expect=404)


def test_a_rule_that_is_wrong_says_where_and_changes_nothing(deck_and_admin):
    deck, admin = deck_and_admin
    admin.put("/routes/mine", {"path": "/json", "status": 418})
    problem = admin.call("PUT", "/routes/mine", {"path": "/json", "status": 99}, expect=422)
    assert problem["place"] == "status" and "status" in problem["detail"]
    assert "unknown member" in admin.call("POST", "/routes", {"path": "/x", "statsu": 1}, expect=422)["detail"]
    admin.call("POST", "/routes", {"path": "/x", "file": "/etc/passwd"}, expect=422)
    admin.call("PUT", "/routes/mine", {"id": "other", "path": "/x"}, expect=422)
    admin.call("PUT", "/routes/..%2f..", {"path": "/x"}, expect=422)
    assert get(deck, "/json").status_code == 418
    assert len(admin.get("/routes")) == 1


def test_mode_and_cassette_change_while_it_runs(start, httpbin, tmp_path):
    first = tmp_path / "first"
    deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", httpbin.url, "--cassette", first,
                          "--quiet")
    assert get(deck, "/get?a=1").status_code == 200
    assert not first.exists()
    assert admin.put("/mode", {"mode": "new_episodes"})["mode"] == "new_episodes"
    live = get(deck, "/uuid").json()
    assert admin.get("/health")["interactions"]["recorded"] == 1
    # What was being recorded is sealed, and replayed from then on.
    assert admin.put("/mode", {"mode": "none"})["interactions"] == {"recorded": 0, "replayable": 1}
    assert len(interactions(first)) == 1
    assert get(deck, "/uuid").json() == live
    assert get(deck, "/get?a=1").status_code == 502
    # Another cassette, beside the first; then none.
    admin.put("/cassette", {"name": "second", "mode": "all"})
    get(deck, "/get?a=2")
    admin.put("/cassette", {"name": "second", "mode": "none"})
    assert get(deck, "/get?a=2").json()["args"] == {"a": "2"}
    assert get(deck, "/uuid").status_code == 502
    assert admin.delete("/cassette")["mode"] == "passthrough"
    assert get(deck, "/get?a=3").json()["args"] == {"a": "3"}
    assert admin.call("PUT", "/cassette", {"name": "nowhere", "mode": "none"}, expect=404)["status"] == 404
    assert get(deck, "/get?a=4").status_code == 200
    for name in ("../first", "/etc", ".hidden", "a/b", "", "-x"):
        admin.call("PUT", "/cassette", {"name": name}, expect=422)
    assert sorted(path.name for path in tmp_path.glob("*/cassette.json").__iter__()) == ["cassette.json"] * 2
    assert deck.stop() in (0, 3)


def test_replay_never_turns_into_asking(deck_and_admin):
    deck, admin = deck_and_admin
    for mode in ("all", "new_episodes", "passthrough"):
        assert "--upstream" in admin.call("PUT", "/mode", {"mode": mode}, expect=409)["detail"]
    assert admin.get("/health")["mode"] == "none"
    assert get(deck, "/json").status_code == 200


def test_the_request_log_explains_hits_and_misses(deck_and_admin):
    deck, admin = deck_and_admin
    admin.put("/routes/page-two", {"path": "/json", "when": {"query": {"page": "2"}}, "status": 418})
    get(deck, "/json")
    get(deck, "/json?page=2")
    get(deck, "/nothing")
    log = admin.get("/requests")
    assert [(entry["source"], entry["status"]) for entry in log["entries"]] == [
        ("cassette", 200), ("route", 418), ("unmatched", 502)]
    hit = admin.get("/requests/1")
    assert {"link": "route page-two", "outcome": "declined", "why": 'it wants: query page is "2"'} in hit["decisions"]
    assert hit["decisions"][-1]["outcome"] == "answered" and "get-json-" in hit["decisions"][-1]["why"]
    assert hit["response"]["body"]["slideshow"]
    overridden = admin.get("/requests/2")["decisions"]
    assert overridden[0]["link"] == "route page-two" and overridden[0]["outcome"] == "answered"
    miss = admin.get("/requests/3")
    assert miss["nearest"][0]["file"].startswith("get-")
    assert admin.get("/requests", source="unmatched")["matching"] == 1
    assert admin.get("/requests", path="/{any}", status=418, limit=0) | {"entries": 0} == {
        "total": 3, "held": 3, "matching": 1, "entries": 0}
    admin.call("GET", "/requests", status="x", expect=400)
    admin.call("GET", "/requests", colour="red", expect=400)
    admin.delete("/requests")
    assert admin.get("/requests")["entries"] == []


def test_verification_tells_what_stood_in_the_way(deck_and_admin):
    deck, admin = deck_and_admin
    requests.post(deck.url + "/post", json={"name": "Ada", "age": 36}, timeout=30)
    get(deck, "/json")
    get(deck, "/json")

    def verify(*expected, **more):
        return admin.post("/verifications", {"requests": list(expected), **more})

    assert verify({"path": "/json", "times": 2})["holds"]
    assert verify({"path": "/json", "times": {"atMost": 2, "atLeast": 1}})["holds"]
    assert verify({"path": "/never", "times": 0})["holds"]
    assert verify({"method": "POST", "path": "/post", "when": {"json": {"name": "Ada"}}})["holds"]
    assert verify({"path": "/post"}, {"path": "/json", "times": 2}, inOrder=True)["holds"]
    backwards = verify({"path": "/json"}, {"path": "/post"}, inOrder=True)
    assert not backwards["holds"] and [finding["holds"] for finding in backwards["findings"]] == [True, False]
    wrong = verify({"method": "POST", "path": "/post", "when": {"json": {"name": "Bob"}}})
    assert not wrong["holds"]
    assert "Bob" in wrong["findings"][0]["nearest"][0]["obstacle"]
    admin.call("POST", "/verifications", {"requests": []}, expect=422)
    admin.call("POST", "/verifications", {"requests": [{"path": "/x", "source": "nowhere"}]}, expect=422)


def test_the_request_log_is_found_under_its_former_name(deck_and_admin):
    deck, admin = deck_and_admin
    get(deck, "/json")
    assert admin.get("/journal") == admin.get("/requests")
    assert admin.get("/journal/1") == admin.get("/requests/1")
    assert ctl(admin, "journal").stdout == ctl(admin, "requests").stdout
    assert not [path for path in admin.get("/openapi.json")["paths"] if "journal" in path]
    assert ctl(admin, "reset", "journal").returncode == 0 and admin.get("/requests")["held"] == 0
    get(deck, "/json")
    admin.post("/reset", {"journal": True})
    assert admin.get("/requests")["held"] == 0
    get(deck, "/json")
    admin.delete("/journal")
    assert admin.get("/requests")["held"] == 0


def test_the_request_log_becomes_a_har_and_a_cassette(start, httpbin, tmp_path):
    deck, admin = steered(start, "serve", "--upstream", httpbin.url, "--cassette", tmp_path / "first", "--quiet")
    live = get(deck, "/uuid").content
    get(deck, "/get?access_token=SECRET-4711-abcdefgh")
    admin.post("/exports", {"format": "cassette", "name": "second"})
    har = admin.post("/exports", {"format": "har"})
    assert "SECRET-4711" not in json.dumps(har) + json.dumps(admin.get("/requests/2"))
    assert len(har["log"]["entries"]) == 2
    assert "there is a cassette" in admin.call("POST", "/exports", {"format": "cassette", "name": "second"},
                                               expect=409)["detail"]
    deck.stop()
    (tmp_path / "s.har").write_text(json.dumps(har))
    for name in ("second", "s.har"):
        replay = start("replay", "--cassette", tmp_path / name)
        assert get(replay, "/uuid").content == live


def test_the_request_log_is_bounded_in_bytes(start):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--quiet", "--journal", "1")
    body = b"x" * 100_000
    for number in range(40):
        requests.post(f"{deck.url}/post?n={number}", data=body, timeout=30)
    log = admin.get("/requests", limit=0)
    assert log["total"] == 40 and 1 <= log["held"] <= 10


def test_the_token_lies_in_a_file_of_ones_own(start, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    env = {"XDG_RUNTIME_DIR": str(folder)}
    old = os.umask(0)
    try:
        deck = start("replay", "--cassette", HTTPBIN, "--admin-port", "0", "--quiet", env=env)
    finally:
        os.umask(old)
    file = next((folder / "tapedeck").glob("admin-*.token"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    token = file.read_text().strip()
    assert re.fullmatch("[0-9a-f]{32}", token)
    port = re.search(r"admin-(\d+)", file.name)[1]
    done = run("ctl", "--admin-port", port, "health", env=env)
    assert done.returncode == 0 and json.loads(done.stdout)["status"] == "ok"
    assert token not in deck.stderr
    assert deck.stop() == 0
    assert not file.exists()


@pytest.mark.parametrize("spoil", ["open", "link"])
def test_a_folder_that_others_may_enter_is_refused(start, tmp_path, spoil):
    if spoil == "open":
        (tmp_path / "tapedeck").mkdir()
        (tmp_path / "tapedeck").chmod(0o777)
    else:
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        (tmp_path / "tapedeck").symlink_to(tmp_path / "elsewhere")
    done = run("replay", "--cassette", HTTPBIN, "--port", "0", "--admin-port", "0",
               env={"XDG_RUNTIME_DIR": str(tmp_path)})
    assert done.returncode == 1 and "--admin-token-file" in done.stderr


def test_the_origin_is_never_our_own_admin_api(start, tmp_path):
    port = free_port()
    for host in ("127.0.0.1", "localhost", "0.0.0.0", "127.1", "2130706433", "[::ffff:127.0.0.1]"):
        done = run("serve", "--upstream", f"http://{host}:{port}", "--port", "0", "--admin-port", port)
        assert done.returncode == 1 and "admin API" in done.stderr, (host, done.stderr)


def test_wrong_words_are_refused(deck_and_admin):
    for words, what in [
        (["--admin-token", "short-1"], "--admin-port"), (["--admin-port", "0", "--admin-token", "short"], "16"),
        (["--admin-port", "x"], "--admin-port"), (["--session-header", "a b"], "header"),
        (["--session-path", "x"], "/session"), (["--session-user", "--session-header", "X-S"], "exclude"),
    ]:
        done = run("replay", "--cassette", HTTPBIN, *words)
        assert done.returncode == 2 and what in done.stderr, (words, done.stderr)


def ctl(admin, *words, stdin=None):
    return subprocess.run([binary(), "ctl", "--admin-port", str(admin.port), *words], text=True, input=stdin,
                          capture_output=True, timeout=30, env={**os.environ, "TAPEDECK_ADMIN_TOKEN": TOKEN})


def test_ctl_does_what_the_api_does(deck_and_admin, tmp_path):
    deck, admin = deck_and_admin
    (tmp_path / "rule.json").write_text('{"path": "/json", "status": 503}')
    assert ctl(admin, "routes", "set", "down", f"@{tmp_path}/rule.json").returncode == 0
    assert get(deck, "/json").status_code == 503
    assert ctl(admin, "routes", "add", "-", stdin='{"path": "/gzip", "status": 504}').returncode == 0
    assert get(deck, "/gzip").status_code == 504
    assert [rule["id"] for rule in json.loads(ctl(admin, "routes").stdout)] == ["down", "route-1"]
    assert ctl(admin, "routes", "rm", "down").returncode == 0
    assert get(deck, "/json").status_code == 200
    assert json.loads(ctl(admin, "requests", "status=503").stdout)["matching"] == 1
    assert json.loads(ctl(admin, "requests", "1").stdout)["source"] == "route"
    holds = ctl(admin, "verify", '{"requests": [{"path": "/json", "times": 2}]}')
    assert holds.returncode == 0, holds.stdout
    assert ctl(admin, "verify", '{"requests": [{"path": "/json", "times": 3}]}').returncode == 4
    assert ctl(admin, "routes", "clear").returncode == 0 and admin.get("/routes") == []
    assert json.loads(ctl(admin, "cassette", "nginx").stdout)["cassette"].endswith("Cassettes/nginx")
    assert ctl(admin, "reset", "requests").returncode == 0
    assert admin.get("/requests")["held"] == 0
    assert json.loads(ctl(admin, "sessions", "begin", "one").stdout)["name"] == "one"
    assert len(json.loads(ctl(admin, "export", "har").stdout)["log"]["entries"]) == 0
    assert ctl(admin, "eject").returncode == 0
    for words, code, what in [
        (["routes", "rm", "nope"], 1, "no route"), (["rotes"], 2, "did you mean routes"), ([], 2, "WHAT, such as health, routes or requests, is missing"),
        (["routes", "add", "{"], 1, "not JSON"), (["mode", "record"], 1, "one of none"),
        (["routes", "add"], 2, "JSON is missing"), (["health", "x"], 2, "too many"),
    ]:
        done = ctl(admin, *words)
        assert done.returncode == code and what in done.stderr, (words, done)
    deck.stop()
    done = ctl(admin, "health")
    assert done.returncode == 1 and "no response from the admin API" in done.stderr


# Who may steer.

HOSTS = ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "evil.example:{port}", "127.0.0.1", "{proxy}",
         "127.0.0.1:{port}.evil.example", "127.0.0.1:{port}@evil.example", ""]
ORIGINS = [None, "null", "http://127.0.0.1:{port}", "https://evil.example"]
CREDENTIALS = [None, "Bearer", "Bearer wrong-token-wrong-token", "Basic {token}", "Bearer {token}x", "bearer\t{half}"]
REQUESTS = [("GET", "/v1/health", None), ("GET", "/v1/requests?token={token}", None),
            ("GET", "/v1/journal", None),
            ("POST", "/v1/routes", "application/json"), ("POST", "/v1/routes", "text/plain"),
            ("DELETE", "/v1/routes", None), ("PUT", "/v1/mode", "application/json"),
            ("OPTIONS", "/v1/routes", None), ("GET", "/v1/../v1/health", None)]
TARGETS = ["{path}", "http://127.0.0.1:{port}{path}", "//127.0.0.1:{port}{path}"]


def ask(port: int, method: str, target: str, host: str, fields: list[str], body: bytes = b"") -> int | None:
    """The status; None where the connection was closed without an answer."""
    lines = [f"{method} {target} HTTP/1.1", *([f"Host: {host}"] if host is not None else []), *fields,
             "Connection: close"]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return int(answer.split(b" ", 2)[1]) if answer else None


def test_nobody_without_the_token_is_let_in(deck_and_admin, figure):
    deck, admin = deck_and_admin
    proxy = int(deck.url.rsplit(":", 1)[1])
    admin.put("/routes/guard", {"path": "/guard", "status": 299})
    count = 0
    seen = set()

    def fill(text):
        return text.format(port=admin.port, proxy=f"127.0.0.1:{proxy}", token=TOKEN, half=TOKEN[:8], path=path)

    for host, origin, credential, (method, path, kind), target in itertools.product(
            HOSTS, ORIGINS, CREDENTIALS, REQUESTS, TARGETS):
        # All of it by the direct target; the other spellings with the hosts that might be let in.
        if target != "{path}" and (origin is not None or HOSTS.index(host) > 2):
            continue
        path = path.format(token=TOKEN)
        fields = [f"Origin: {fill(origin)}"] if origin is not None else []
        fields += [f"Authorization: {fill(credential)}"] if credential is not None else []
        fields += [f"Content-Type: {kind}"] if kind else []
        body = b'{"path": "/guard", "status": 298}' if kind else b""
        status = ask(admin.port, method, fill(target), fill(host), fields, body)
        assert status in (400, 401, 403, 404, 421), (status, method, target, host, origin, credential)
        seen.add(status)
        count += 1
    # With the token, but as a page in a browser or for another host.
    right = f"Authorization: Bearer {TOKEN}"
    for host, origin, (method, path, kind) in itertools.product(HOSTS, ORIGINS, REQUESTS):
        # The page of the listener itself, by the same name, may ask.
        if HOSTS.index(host) <= 2 and origin is None or (host, origin) == (HOSTS[0], f"http://{HOSTS[0]}"):
            continue
        fields = [right] + ([f"Origin: {fill(origin)}"] if origin is not None else [])
        fields += [f"Content-Type: {kind}"] if kind else []
        status = ask(admin.port, method, fill("{path}"), fill(host), fields, b"{}" if kind else b"")
        assert status in (400, 403, 421), (status, method, host, origin)
        count += 1
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
                 "application/json-patch+json"):
        assert ask(admin.port, "POST", "/v1/routes", f"127.0.0.1:{admin.port}", [right, f"Content-Type: {kind}"],
                   b'{"path": "/guard", "status": 298}') == 415
        count += 1
    for site in ("cross-site", "same-site", "Same-Origin", ""):
        assert ask(admin.port, "GET", "/v1/health", f"127.0.0.1:{admin.port}", [right, f"Sec-Fetch-Site: {site}"]) == 403
        count += 1
    # Nothing has happened, and nothing has crashed.
    assert get(deck, "/guard").status_code == 299
    assert len(admin.get("/routes")) == 1 and admin.get("/health")["mode"] == "none"
    figure("requests to the admin API that lacked something", f"{count}, 0 let in")
    assert count >= 500 and {400, 401, 421} <= seen
    assert deck.stop() in (0, 3)


def test_the_proxy_port_leads_nowhere_near_it(start, httpbin, figure):
    """By absolute form, by Host, by any spelling of the address: the proxy asks its origin and nobody else."""
    deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", httpbin.url, "--quiet")
    proxy = int(deck.url.rsplit(":", 1)[1])
    admin.put("/routes/guard", {"path": "/guard", "status": 299})
    right = f"Authorization: Bearer {TOKEN}"
    spellings = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1", "2130706433",
                 "0x7f000001", "127.0.0.1.", "LOCALHOST", "localhost.localdomain", "[::ffff:7f00:1]"]
    count = 0
    for host, (method, path), form in itertools.product(
            spellings, [("GET", "/v1/health"), ("DELETE", "/v1/routes"), ("GET", "/v1/routes/guard")],
            ["{path}", "http://{host}:{port}{path}", "https://{host}:{port}{path}"]):
        target = form.format(host=host, port=admin.port, path=path)
        status = ask(proxy, method, target, f"{host}:{admin.port}", [right])
        assert status in (400, 404, 405, 421), (status, target)
        count += 1
    for host in spellings:
        status = ask(proxy, "CONNECT", f"{host}:{admin.port}", f"{host}:{admin.port}", [right])
        assert status is None or status >= 400, host
        count += 1
    figure("spellings of the admin API's address at the proxy's port", f"{count}, 0 led there")
    assert get(deck, "/guard").status_code == 299


def test_it_listens_on_this_machine_only(deck_and_admin):
    _, admin = deck_and_admin
    tables = [line.split() for kind in ("tcp", "tcp6") for line in open(f"/proc/net/{kind}").readlines()[1:]]
    listening = [row[1] for row in tables if row[3] == "0A" and int(row[1].split(":")[1], 16) == admin.port]
    assert listening == [f"0100007F:{admin.port:04X}"]


def test_reads_have_no_effects_and_answers_are_for_nobody_else(deck_and_admin):
    _, admin = deck_and_admin
    document = admin.get("/openapi.json")
    for path, item in document["paths"].items():
        # The feed of requests has no end.
        needed = [one["name"] for one in item.get("get", {}).get("parameters", []) if one.get("required")]
        if "get" in item and "{" not in path and path != "/v1/events" and not needed:
            answer = admin.http.get(admin.url.removesuffix("/v1") + path, timeout=30)
            assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"
            assert not [name for name in answer.headers if name.lower().startswith("access-control")]
            head = admin.http.head(admin.url.removesuffix("/v1") + path, timeout=30)
            assert head.status_code == 200 and head.content == b""
    refused = admin.http.request("TRACE", f"{admin.url}/health", timeout=30)
    assert refused.status_code == 405 and "GET" in refused.headers["Allow"]


def test_schemathesis_finds_nothing(deck_and_admin, tmp_path, figure):
    deck, admin = deck_and_admin
    long = os.environ.get("TAPEDECK_LONG_TESTS")
    # A rule may be shaped well and still make no sense, like a range that ends before it begins: then it is a 422.
    (tmp_path / "schemathesis.toml").write_text(
        '[checks.positive_data_acceptance]\nexpected-statuses = ["2xx", 404, 409, 422]\n'
        # A code that nobody made opens nothing, however well it is shaped.
        '[[operations]]\ninclude-path = "/v1/ui/tokens"\n'
        'checks.positive_data_acceptance.expected-statuses = ["2xx", 401]\n')
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"{admin.url}/openapi.json", "--header",
         f"Authorization: Bearer {TOKEN}", "--exclude-path", "/v1/events", "--max-examples", "200" if long else "20", "--seed", "1",
         "--phases", "examples,coverage,fuzzing" + (",stateful" if long else ""), "--no-color",
         "--request-timeout", "20"],
        capture_output=True, text=True, timeout=1500, cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-6000:]
    cases = re.search(r"(\d+) generated", said)
    figure("schemathesis, test cases on the admin API", f"{cases[1] if cases else '?'}, 0 failures")
    assert admin.get("/health")["status"] == "ok"
