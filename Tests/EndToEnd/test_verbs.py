"""The verbs that look at cassettes and tend them, as people and scripts use them."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as XML

import pytest

from deck import CLEAN, binary, eventually, fingerprint, interactions, run
from origin import bare, reply
from servers import Httpbin
from terminal import ESCAPE, on_terminal
from wire import fetch

JSON = b"Content-Type: application/json"


@pytest.fixture(scope="session")
def httpbin(servers):
    return servers(Httpbin)


@pytest.fixture
def shelf(tmp_path):
    """A folder with a `Cassettes/` in it."""
    (tmp_path / "Cassettes").mkdir()
    return tmp_path


@pytest.fixture
def make(start, origin, tmp_path):
    """Records a cassette, always from the same address: requests are targets, or (method, target, fields, body)."""
    now = {}
    url = origin(lambda exchange: now["handler"](exchange)).url

    def make(name, handler, *requests):
        now["handler"] = handler
        path = tmp_path / name
        deck = start("record", "--upstream", url, "--cassette", path)
        for request in requests:
            method, target, fields, body = request if isinstance(request, tuple) else (b"GET", request, (), None)
            fetch(deck.url, target, *fields, method=method, body=body)
        assert deck.stop() == 0, deck.stderr
        return path

    return make


def good(*arguments, **options) -> str:
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def echo(exchange):
    return reply(b"%s %s\n" % (exchange.request.method, exchange.request.target), b"Content-Type: text/plain")


# ls

def test_ls_names_the_cassettes_of_the_folder(shelf, small_cassette):
    shutil.copytree(small_cassette[0], shelf / "Cassettes" / "small")
    (shelf / "Cassettes" / "notes.txt").write_text("no cassette")
    text = good("ls", cwd=shelf)
    assert "small" in text and "7" in text and "notes" not in text
    [entry] = json.loads(good("ls", "--json", cwd=shelf))
    assert (entry["name"], entry["interactions"], entry["sealed"]) == ("small", 7, True)
    assert entry["bytes"] == sum(path.stat().st_size for path in small_cassette[0].rglob("*") if path.is_file())


def test_ls_where_there_is_nothing_says_what_to_do(tmp_path):
    done = run("ls", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "tapedeck record" in done.stderr


LONG = "/a/very/long/path/" + "x" * 120 + "/which/ends/like-this?page=1"


def test_ls_fits_the_terminal_and_tells_a_pipe_everything(make):
    path = make("long", echo, LONG, "/short")
    for columns in (60, 80, 100):
        seen = on_terminal("ls", path, columns=columns)
        assert max(map(len, seen.lines)) <= columns
        line = next(line for line in seen.lines if "/a/v" in line)
        assert "…" in line and "page=1" in line, "both ends of a long target stay"
        assert any("/short " in line for line in seen.lines)
    assert LONG in good("ls", path)
    # Columns given by hand count on a terminal only.
    assert max(map(len, on_terminal("ls", path, env={"COLUMNS": "70"}).lines)) <= 70
    assert LONG in good("ls", path, env={"COLUMNS": "70"})


def test_colour_is_for_terminals_and_not_against_the_users_wish(small_cassette):
    path, _ = small_cassette
    for verb in (["ls", path], ["show", path], ["diff", path, path.parent / "cassette"]):
        assert "\x1b" not in good(*verb)
        assert not ESCAPE.search(on_terminal(*verb, env={"NO_COLOR": "1"}).raw)
        assert not ESCAPE.search(on_terminal(*verb, env={"TERM": "dumb"}).raw)
    assert ESCAPE.search(on_terminal("ls", path).raw)
    assert ESCAPE.search(on_terminal("show", path).raw)


def test_nothing_recorded_steers_the_terminal(make, tmp_path):
    evil = '\x1b]0;owned\x07\x1b[2J\u009b31m\u202e'.encode()
    path = make("evil", lambda exchange: reply(b'{"a": "' + evil.replace(b"\x1b", b"\\u001b").replace(b"\x07", b"") + b'"}', JSON,
                b"X-Evil: \xc2\x9b31m\xe2\x80\xae", status=b"200 \xc2\x9bOK") if exchange.request.target == b"/json"
                else reply(evil, b"Content-Type: text/plain"), "/json", "/text")
    other = make("other", lambda exchange: reply(b"plain", b"Content-Type: text/plain"), "/json", "/text")
    for verb in (["ls", path], ["show", path], ["diff", path, other], ["show", path, "--curl"], ["lint", path]):
        seen = on_terminal(*verb)
        for control in ("\x1b]", "\x1b[2J", "\x9b", "\u202e", "\x07"):
            assert control not in seen.raw, (verb, control)
    # Whoever asks for the bytes gets the bytes.
    done = subprocess.run([binary(), "show", path, "/text", "--body"], env=CLEAN, capture_output=True)
    assert done.stdout == evil


# show

def test_show_finds_an_interaction_by_name_path_and_beginning(make):
    path = make("some", echo, "/users/1", "/users/2?x=1", "/orders")
    name = next(name for name in interactions(path) if "orders" in name)
    assert "GET /orders" in good("show", path, name)
    assert "GET /orders" in good("show", path, name.removesuffix(".json"))
    assert "GET /users/2?x=1" in good("show", path, "/users/2")
    assert good("show", path, "get-users").count("> GET") == 2
    wrong = run("show", path, "/usres/1")
    assert wrong.returncode == 1
    assert "/users/1" in wrong.stderr


def test_show_gives_bodies_and_json_to_programs(make):
    body = bytes(range(256)) * 50
    path = make("binary", lambda exchange: reply(body, b"Content-Type: application/octet-stream"), "/a")
    done = subprocess.run([binary(), "show", path, "/a", "--body"], env=CLEAN, capture_output=True)
    assert done.stdout == body
    tree = json.loads(good("show", path, "/a", "--json"))
    assert tree["request"]["target"] == "/a" and tree["response"]["status"] == 200
    assert isinstance(json.loads(good("show", path, "--json")), list)
    assert run("show", path, "--body", "--curl").returncode == 2


CURL = [
    (b"GET", "/plain", (), None),
    (b"GET", "/brackets[1]?a={b}".replace("{", "%7B").replace("}", "%7D"), (), None),
    (b"GET", "/a/../b/./c", (), None),
    (b"GET", "/quoted?q='x'&$(touch%20owned)", (b"X-Quote: it's $HOME `id` \"q\"", b"X-Empty: ", b"X-High: \xe9"), None),
    (b"POST", "/form", (b"Content-Type: application/x-www-form-urlencoded",), b"a=1&b=it's"),
    (b"POST", "/json", (JSON,), b'{"a": "\\u0000 \'", "b":\n 2}'),
    (b"PUT", "/binary", (b"Content-Type: application/octet-stream",), bytes(range(256))),
    (b"PUT", "/at", (), b"@/etc/passwd"),
    (b"POST", "/empty", (), b""),
    (b"DELETE", "/gone", (), None),
    (b"PURGE", "/odd", (), None),
    (b"HEAD", "/head", (), None),
]


def test_curl_lines_ask_the_same_again(make, start, tmp_path):
    path = make("curl", lambda exchange: reply(b"ok" if exchange.request.method != b"HEAD" else b"", b"Content-Type: text/plain"), *CURL)
    upstream = json.loads((path / "cassette.json").read_text())["upstream"]
    lines = good("show", path, "--curl").replace(upstream, "{url}")
    deck = start("replay", "--cassette", path)
    script = tmp_path / "script"
    script.write_text("set -e\ncd " + str(tmp_path) + "\n" + lines.replace("{url}", deck.url).replace("curl ", "curl -sS --noproxy '*' -o /dev/null "))
    done = subprocess.run(["bash", script], env=CLEAN, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "owned").exists()
    assert deck.stop() == 0, deck.stderr
    assert f"{len(CURL)} replayed" in deck.stderr and "0 unused" in deck.stderr


# git

def git(folder, *arguments) -> str:
    environment = {**CLEAN, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": str(folder)}
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments], cwd=folder, env=environment,
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_git_shows_differences_as_text(make, tmp_path):
    body = json.dumps({"name": "Ada", "tags": ["a", "b"]}).encode()
    path = make("Cassettes/api", lambda exchange: reply(body if exchange.request.target == b"/user" else os.urandom(5000), JSON), "/user", "/image")
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "diff.tapedeck.textconv", f"{binary()} show")
    (tmp_path / ".gitattributes").write_text("Cassettes/**/*.json diff=tapedeck\n")
    git(tmp_path, "add", ".gitattributes", "Cassettes")
    git(tmp_path, "commit", "-qm", "one")
    user = next(path.glob("get-user-*.json"))
    text = user.read_text()
    user.write_text(text.replace('"Ada"', '"Bob"').replace('"recordedAt": "2', '"recordedAt": "1'))
    changes = [line for line in git(tmp_path, "diff").splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert changes == ['-  "name": "Ada",', '+  "name": "Bob",']
    # What is no interaction, or no longer one, ends no git command.
    user.write_text(text[:100])
    (path / "cassette.json").write_text('{"tapedeck": 1}')
    assert '+{"tapedeck": 1}' in git(tmp_path, "diff")
    assert "> GET /user" in git(tmp_path, "log", "-p")


# diff

def test_diff_tells_what_changed(make, tmp_path):
    old = make("old", lambda exchange: reply(b'{"id": 1, "name": "Ada"}', JSON), "/same", "/user", "/gone")
    new = make("new", lambda exchange: reply(
        b'{"id": 1, "name": "Bob"}' if exchange.request.target == b"/user" else b'{"id": 1, "name": "Ada"}', JSON),
        "/same", "/user", "/added")
    text = good("diff", old, new)
    assert '$.name: "Ada" → "Bob"' in text
    assert "- GET /gone" in text and "+ GET /added" in text and "1 the same" in text
    assert run("diff", "--exit-code", old, new).returncode == 4
    assert run("diff", "--exit-code", old, old).returncode == 0
    found = json.loads(good("diff", "--json", old, new))
    assert sorted(change["change"] for change in found["changes"]) == ["added", "changed", "removed"]
    assert found["equal"] == 1


def test_the_same_session_twice_is_the_same(httpbin, start, tmp_path):
    for name in ("one", "two"):
        deck = start("record", "--upstream", httpbin.url, "--cassette", tmp_path / name)
        for target in ("/json", "/html", "/stream/3", "/image/png", "/status/418"):
            fetch(deck.url, target, b"Accept: */*")
        deck.stop()
    assert good("diff", tmp_path / "one", tmp_path / "two") == "the same: 5 interactions\n"


# verify

class Api:
    """An API whose answers change with its version."""

    def __init__(self):
        self.answers = {
            b"/user": b'{"id": 1, "name": "Ada", "tags": [{"id": 1}]}', b"/list": b"[1, 2]", b"/text": b"hello",
        }
        self.status = b"200 OK"

    def __call__(self, exchange):
        request = exchange.request
        if request.target == b"/secret" and request.value(b"Authorization") != b"Bearer live":
            return reply(b"{}", JSON, status=b"401 Unauthorized")
        kind = b"Content-Type: text/plain" if request.target == b"/text" else JSON
        return reply(self.answers.get(request.target, b"{}"), kind, status=self.status)


@pytest.fixture
def api(origin, start, cassette):
    api = Api()
    api.origin = origin(api)
    deck = start("record", "--upstream", api.origin.url, "--cassette", cassette)
    for target in ("/user", "/list", "/text"):
        fetch(deck.url, target)
    fetch(deck.url, "/user", JSON, method=b"POST", body=b'{"name": "Ada"}')
    deck.stop()
    return api


def test_verify_finds_no_drift_where_there_is_none(api, cassette, tmp_path):
    before = fingerprint(cassette)
    done = run("verify", cassette, "--report", tmp_path / "r.json", "--report-junit", tmp_path / "r.xml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 the same" in done.stdout
    assert "POST /user" in done.stdout, "what was not asked is told"
    assert len(api.origin.requests) == 4 + 3, "POST was not asked again"
    assert fingerprint(cassette) == before
    assert json.loads((tmp_path / "r.json").read_text())["drift"] == {"breaking": 0, "notable": 0, "info": 0}
    suite = XML.parse(tmp_path / "r.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "0", "1")


def test_verify_tells_each_drift_with_its_severity(api, cassette, tmp_path):
    api.answers[b"/user"] = b'{"id": "1", "tags": [{"id": 1}, {"id": null}], "new": true}'
    api.answers[b"/text"] = b"other words"
    done = run("verify", cassette, "--report", tmp_path / "r.json", "--report-junit", tmp_path / "r.xml")
    assert done.returncode == 4
    for line in ("breaking  $.id: integer → string", "breaking  $.name: field removed, was string",
                 "info      $.new: field added, is boolean"):
        assert line in done.stdout, done.stdout
    assert "2 breaking" in done.stdout and "2 the same" in done.stdout
    report = json.loads((tmp_path / "r.json").read_text())
    [drifted] = [each for each in report["requests"] if each["outcome"] == "drifted"]
    assert {drift["kind"] for drift in drifted["drift"]} == {"type-changed", "field-removed", "field-added", "became-null"}
    [failure] = XML.parse(tmp_path / "r.xml").getroot().iter("failure")
    assert "$.id" in failure.get("message") and "$.name" in failure.text


def test_verify_asks_unsafe_methods_only_when_told(api, cassette):
    done = run("verify", cassette, "--unsafe-methods")
    assert done.returncode == 0, done.stdout
    asked = [request.method for request in api.origin.requests[4:]]
    assert asked == [b"GET", b"GET", b"GET", b"POST"], "in the order they were recorded in"


def test_verify_a_status_is_drift(api, cassette):
    api.status = b"404 Not Found"
    done = run("verify", cassette)
    assert done.returncode == 4
    assert done.stdout.count("status: 200 → 404") == 1
    assert "3 requests: GET " in done.stdout


def test_verify_tells_shared_drift_once(make, origin):
    path = make("many", echo, *[f"/{number}" for number in range(12)])

    def changed(exchange):
        new = [] if exchange.request.target == b"/3" else [b"X-New: 1"]
        return reply(b"text", b"Content-Type: text/plain", *new)

    done = run("verify", path, "--upstream", origin(changed).url)
    assert "11 requests: GET /0, GET /1, GET /10 and 8 more\n" in done.stdout
    assert done.stdout.count('header "x-new"') == 1


def test_verify_with_live_credentials(origin, start, cassette):
    api = Api()
    url = origin(api).url
    deck = start("record", "--upstream", url, "--cassette", cassette)
    assert fetch(deck.url, "/secret", b"Authorization: Bearer live").status == 200
    deck.stop()
    [file] = [cassette / name for name in interactions(cassette)]
    file.write_text(file.read_text().replace("Bearer live", "REDACTED:bearer:1234"))
    done = run("verify", cassette)
    assert done.returncode == 4
    assert "200 → 401" in done.stdout
    assert f"--upstream {url} --header 'Authorization:" in done.stdout, "the refusal says what was not sent"
    field = ("-H", "Authorization: Bearer live")
    assert run("verify", cassette, "--upstream", url, *field).returncode == 0
    given = run("verify", cassette, "--upstream", url)
    assert "give it with --header 'Authorization:" in given.stdout, "whoever names the origin need not do it again"
    # The cassette names an origin, but its author is not the user.
    withheld = run("verify", cassette, *field)
    assert withheld.returncode == 4 and "200 → 401" in withheld.stdout
    assert f"--header is not sent to {url}" in withheld.stderr
    assert run("verify", cassette, "-H", "no colon").returncode == 2


def test_verify_an_origin_out_of_reach_is_a_failure_and_one_line(api, cassette):
    done = run("verify", cassette, "--upstream", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert done.stdout.count("127.0.0.1:9: ") <= 2, done.stdout
    assert "and 0 more" not in done.stdout


def test_verify_waits_no_longer_than_told(origin, recorded, cassette):
    recorded("/slow")
    slow = origin(lambda exchange: exchange.wait_for_close())
    began = time.monotonic()
    done = run("verify", cassette, "--upstream", slow.url, "--timeout", "0.3")
    assert done.returncode == 1
    assert "0.3 s" in done.stdout
    assert time.monotonic() - began < 10


def test_verify_httpbin_against_itself(httpbin, start, cassette):
    deck = start("record", "--upstream", httpbin.url, "--cassette", cassette)
    for target in ("/json", "/uuid", "/uuid", "/headers", "/stream/3", "/gzip", "/image/png", "/status/404", "/redirect/1",
                   "/cookies/set?a=1", "/range/100", "/etag/x", "/xml", "/ip", "/cache", "/bytes/100"):
        fetch(deck.url, target, b"Accept: */*")
    deck.stop()
    done = run("verify", cassette, "--jobs", "8")
    assert done.returncode == 0, done.stdout
    assert "15 requests sent" in done.stdout and "0 notable, 0 info" in done.stdout


# Progress

def slowly(exchange):
    time.sleep(0.05)
    return reply(b"{}", JSON)


def test_progress_is_redrawn_on_a_terminal_and_silent_in_a_pipe(make, origin):
    path = make("many", echo, *[f"/{number}" for number in range(30)])
    url = origin(slowly).url
    seen = on_terminal("verify", path, "--upstream", url, "--jobs", "1", columns=50)
    drawn = [piece for piece in seen.raw.split("\r") if "verifying" in piece]
    assert 2 <= len(drawn) <= 20, f"a few times, not for each of thirty: {len(drawn)}"
    assert any(" of 30 (" in piece for piece in drawn)
    assert all(len(ESCAPE.sub("", piece)) < 50 for piece in drawn)
    last = seen.raw.rindex("verifying")
    assert "\r\x1b[K" in seen.raw[last:], "the line is taken away at the end"
    assert "requests sent" in seen.raw[last:]
    piped = run("verify", path, "--upstream", url)
    assert "verifying" not in piped.stdout + piped.stderr


# ls and trim with the report of a run

def test_what_a_run_did_not_use_is_told_and_trimmed(make, start, tmp_path):
    path = make("cassette", echo, "/used", "/twice", "/twice", "/unused", "/also?not=used")
    report = tmp_path / "report.json"

    def use(*arguments) -> subprocess.CompletedProcess:
        return run("run", "--cassette", path, *arguments, "--", "sh", "-c",
                   "for each in used twice; do curl -s --noproxy '*' -o /dev/null $TAPEDECK_URL/$each; done")

    assert use("--report", report).returncode == 0
    table = good("ls", path, "--hits", report)
    assert "HITS" in table and "HITS" not in good("ls", path)
    hits = {each["file"]: each["hits"] for each in json.loads(good("ls", path, "--report", report, "--json"))}
    assert sorted(hits.values()) == [0, 0, 0, 1, 1]
    before = fingerprint(path)
    assert "would remove 3 interactions" in good("trim", path, "--unused", report, "--dry-run")
    assert fingerprint(path) | {".": None} == before | {".": None}
    assert "removed 3 interactions" in good("trim", path, "--unused", report)
    assert set(interactions(path)) == {name for name, count in hits.items() if count}
    assert use("--strict").returncode == 0, "nothing is unused any more, and nothing is missing"
    again = run("trim", path, "--unused", report)
    assert again.returncode == 1 and "came or went since" in again.stderr
    wrong = run("trim", path, "--unused", path / "cassette.json")
    assert wrong.returncode == 1 and "is not the report of a run" in wrong.stderr


# merge

def test_merge_makes_one_of_two_and_both_still_replay(make, start, tmp_path):
    one = make("one", echo, "/a", "/b", "/b")
    two = make("two", echo, "/b", "/c")
    text = good("merge", one, two, "--into", tmp_path / "both")
    assert "4 interactions" in text and "1 were in both" in text, text
    deck = start("replay", "--cassette", tmp_path / "both", "--on-exhausted", "miss")
    for target in ("/a", "/b", "/b", "/c"):
        assert fetch(deck.url, target).body == b"GET %s\n" % target.encode()
    assert deck.stop() == 0
    assert run("lint", tmp_path / "both").stdout.endswith("0 errors, 0 warnings, 0 remarks\n")
    # Into a third that is there already: no.
    refused = run("merge", one, two, "--into", tmp_path / "both")
    assert refused.returncode == 1 and "it already exists" in refused.stderr
    before = interactions(one)
    assert good("merge", one, two, "--into", one)
    assert set(before) < set(interactions(one))


def test_merge_wants_two_and_a_place(small_cassette):
    assert run("merge", small_cassette[0], "--into", "x").returncode == 2
    done = run("merge", small_cassette[0], small_cassette[0])
    assert done.returncode == 2 and "--into" in done.stderr


# lint

def test_lint_finds_and_fixes_and_it_replays_as_before(make, start):
    path = make("cassette", echo, "/a", "/a", "/a", "/b")
    names = sorted(interactions(path))
    (path / names[-1]).rename(path / "by-hand.json")
    (path / next(name for name in names if ".2." in name)).unlink()
    (path / "bodies").mkdir()
    (path / "bodies" / ("0" * 32 + ".bin")).write_text("nobody needs me")
    done = run("lint", path)
    assert done.returncode == 0
    for rule in ("[name]", "[numbering]", "[orphan-body]"):
        assert rule in done.stdout
    found = json.loads(run("lint", "--json", path).stdout)
    assert {finding["severity"] for finding in found[0]["findings"]} == {"warning"}
    assert good("lint", "--fix", path).endswith("0 errors, 0 warnings, 0 remarks\n")
    assert names[-1] in interactions(path)
    assert not (path / "bodies").exists()
    deck = start("replay", "--cassette", path, "--on-exhausted", "miss")
    assert [fetch(deck.url, target).status for target in ("/a", "/a", "/b", "/a")] == [200, 200, 200, 502]
    assert deck.stop() == 3


def test_lint_errors_exit_with_4_and_name_the_place(make):
    path = make("cassette", echo, "/a", "/b")
    name = sorted(interactions(path))[0]
    (path / name).write_text('{"request": {},\n "respons": {}}')
    done = run("lint", path)
    assert done.returncode == 4
    assert name in done.stdout and "respons" in done.stdout
    assert run("lint", "--fix", path).returncode == 1


def test_lint_without_a_name_looks_at_all(shelf, small_cassette):
    assert run("lint", cwd=shelf).returncode == 1
    for name in ("one", "two"):
        shutil.copytree(small_cassette[0], shelf / "Cassettes" / name)
    text = good("lint", cwd=shelf)
    assert "Cassettes/one: 7 interactions" in text and "Cassettes/two: 7 interactions" in text


# run

def test_run_tells_the_command_where_we_are(small_cassette):
    done = run("run", "--cassette", small_cassette[0], "--env", "OTHER={url}/v1", "--", sys.executable, "-c", """
import os, urllib.request
url = os.environ["TAPEDECK_URL"]
assert os.environ["OTHER"] == url + "/v1"
print(urllib.request.urlopen(url + "/json").read().decode())
""")
    assert done.returncode == 0, done.stderr
    assert "octocat" in done.stdout
    assert "1 replayed" in done.stderr
    assert " 200 cassette " not in done.stderr, "no live log in the midst of the command's output"


@pytest.mark.parametrize(("command", "code"), [
    ("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -9 $$", 137), ("kill -TERM $$", 143),
    ("curl -s -o /dev/null --noproxy '*' $TAPEDECK_URL/never", 3),
    ("curl -s -o /dev/null --noproxy '*' $TAPEDECK_URL/never; exit 5", 5)])
def test_run_gives_the_commands_own_code_or_ours(small_cassette, command, code):
    assert run("run", "--cassette", small_cassette[0], "--", "sh", "-c", command).returncode == code


def test_run_says_what_cannot_be_run(small_cassette):
    done = run("run", "--cassette", small_cassette[0], "--", "no-such-command")
    assert done.returncode == 127 and "no-such-command" in done.stderr
    assert run("run", "--cassette", small_cassette[0]).returncode == 2
    assert run("run", "--cassette", small_cassette[0], "--env", "1x", "--", "true").returncode == 2


def test_run_records_and_seals_around_a_command(origin, cassette):
    url = origin(echo).url
    done = run("run", "--upstream", url, "--cassette", cassette, "--", "sh", "-c",
               "curl -s --noproxy '*' $TAPEDECK_URL/a")
    assert done.returncode == 0 and done.stdout == "GET /a\n"
    assert len(interactions(cassette)) == 1
    # With CI in the environment nothing new is recorded.
    done = run("run", "--upstream", url, "--cassette", cassette, "--", "sh", "-c",
               "curl -s --noproxy '*' -o /dev/null $TAPEDECK_URL/b", env={"CI": "true"})
    assert done.returncode == 3
    assert len(interactions(cassette)) == 1


def test_run_leaves_the_commands_signals_and_limits_alone(small_cassette):
    done = run("run", "--cassette", small_cassette[0], "--", "sh", "-c",
               "grep -E 'SigBlk|SigIgn' /proc/self/status; ulimit -n")
    blocked, ignored, limit = done.stdout.split("\n")[:3]
    assert int(blocked.split()[1], 16) == 0
    assert int(ignored.split()[1], 16) & (1 << (signal.SIGPIPE - 1)) == 0
    assert int(limit) == resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_run_passes_signals_on_and_waits(small_cassette, tmp_path, number):
    ready = tmp_path / "ready"
    process = subprocess.Popen(
        [binary(), "run", "--cassette", small_cassette[0], "--", sys.executable, "-c", f"""
import signal, sys, pathlib
signal.signal({number.value}, lambda *_: sys.exit(9))
pathlib.Path({str(ready)!r}).touch()
while True: signal.pause()
"""], env=CLEAN, stderr=subprocess.PIPE, text=True)
    eventually(ready.exists, "the command runs")
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 9
    assert "0 replayed" in stderr, "it was stopped properly"


def test_ctrl_c_on_a_terminal_reaches_the_command_once(small_cassette):
    seen = on_terminal(
        "run", "--cassette", small_cassette[0], "--", sys.executable, "-u", "-c", """
import signal, time
count = 0
def note(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, note)
print("go")
while not count: time.sleep(0.01)
time.sleep(0.3)
print("heard", count)
raise SystemExit(6)
""", keys={b"go": b"\x03"})
    assert "heard 1" in seen.plain
    assert seen.returncode == 6
    assert "0 replayed" in seen.plain, "it was stopped properly"
