"""The scanner: what redaction missed is told, refused where that was asked for, and hidden by `scan --fix`."""

import base64
import gzip
import json
import os
import re
import signal
import urllib.parse
import zlib
from pathlib import Path

import pytest

from deck import fingerprint, interactions, journal, log_lines, run
from origin import reply
from steering import steered
from wire import fetch

# Of a shape that everybody knows, so redaction hides it; and values that an older version did not know for secrets.
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
MISSED = "a8Kz0Q3mP7xV2bN5cR9t"
OTHER = "Zq4Wn8Lk2Vt6Xy0Bd3Fh"
# What stands in their places while they are recorded: words of the same length.
WORDS = {MISSED: "nothing-but-a-phrase", OTHER: "another-quiet-phrase"}
JSON = b"Content-Type: application/json"


def answers(exchange):
    """A login whose answer, and a search whose query, hold what redaction leaves alone."""
    target = exchange.request.target
    if target == b"/login":
        return reply(json.dumps({"user": "octocat", "loginpwd": WORDS[MISSED], "id": 17}).encode(), JSON)
    if target.startswith(b"/search"):
        return reply(b'{"found": 3}', JSON)
    if target == b"/blob":
        return reply(b"\x00\x01\x02" + TOKEN.encode() + b"\xff\xfe", b"Content-Type: application/octet-stream")
    return reply(b'{"plain": true, "id": "4f0a"}', JSON)


SEARCH = f"/search?dbpwd={OTHER}&q=swift"


def make_old(cassette: Path) -> None:
    """Puts the secrets into a journal, as a version would that did not know them."""
    data = journal(cassette).read_bytes()
    for secret, words in WORDS.items():
        data = data.replace(words.encode(), secret.encode())

    def checked(line: bytes) -> bytes:
        payload = line[len(b'{"crc32":"00000000","interaction":'):-1]
        return b'{"crc32":"%08x","interaction":' % zlib.crc32(payload) + payload + b"}"

    lines = [checked(line) if line.startswith(b'{"crc32"') else line for line in data.split(b"\n")]
    with journal(cassette).open("r+b") as file:
        file.write(b"\n".join(lines))


@pytest.fixture
def dirty(record, origin, cassette):
    """Records a login, a search and a page; returns the deck, stopped, and its exit code."""

    def dirty(*options, targets=("/login", SEARCH, "/page"), **how):
        deck = record(origin(answers).url, *options, **how)
        for target in targets:
            fetch(deck.url, target.replace(OTHER, WORDS[OTHER]))
        make_old(cassette)
        return deck, deck.stop()

    return dirty


def expect_unsaid(text: str) -> None:
    for secret in (TOKEN, MISSED, OTHER):
        assert secret not in text
        assert secret[:8] not in text


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def said(deck) -> str:
    """What it said of itself: the live log shows targets as they are to be recorded."""
    return "\n".join(log_lines(deck, "tapedeck: "))


# MARK: Sealing


def test_what_redaction_missed_is_told_counted_and_sealed(dirty, cassette, tmp_path):
    deck, code = dirty("--report", tmp_path / "report.json")
    assert code == 0, deck.stderr
    text = said(deck)
    expect_unsaid(text)
    assert "3 recorded, 2 secrets found" in text
    assert re.search(r"get-login-\w+\.json: response\.body \$\.loginpwd: a value under the name of a secret \(a8K…\)", text)
    assert re.search(r"get-…-\w+\.json: request\.target dbpwd: a value under the name of a secret \(Zq4…\)", text)
    for command in (f"tapedeck scan {cassette} --fix ", "--redact loginpwd", "--keep loginpwd"):
        assert command in text
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["counts"]["secrets"] == 2 and report["exitCode"] == 0
    assert {find["place"] for find in report["secrets"]} == {"response.body $.loginpwd", "request.target dbpwd"}
    expect_unsaid(json.dumps(report))
    assert len(interactions(cassette)) == 3


@pytest.mark.parametrize(("flags", "env"), [
    (("--strict",), {}), (("--fail-on", "secrets"), {}), ((), {"CI": "true"}), ((), {"CI": "1"}),
], ids=str)
def test_sealing_is_refused(dirty, record, origin, cassette, tmp_path, flags, env):
    deck, code = dirty(targets=("/page",))
    assert code == 0, deck.stderr
    before = {path.name: path.read_bytes() for path in cassette.iterdir()}
    deck, code = dirty("--report", tmp_path / "r.json", "--report-junit", tmp_path / "r.xml", *flags, env=env)
    text = said(deck)
    assert code == 4, deck.stderr
    assert "nothing was sealed" in text and f"{cassette}/journal.jsonl" in text
    assert "failed: 2 secrets are left in what was recorded" in text
    expect_unsaid(text + (tmp_path / "r.json").read_text() + (tmp_path / "r.xml").read_text())
    after = {path.name: path.read_bytes() for path in cassette.iterdir()}
    assert MISSED.encode() in after.pop("journal.jsonl")
    assert after == before
    report = json.loads((tmp_path / "r.json").read_text())
    assert (report["exitCode"], report["broken"], report["counts"]["filesWritten"]) == (4, ["secrets"], 0)
    assert "<failure" in (tmp_path / "r.xml").read_text()


@pytest.mark.parametrize("env", [{}, {"CI": "false"}, {"CI": "0"}, {"CI": ""}], ids=str)
def test_nothing_is_refused_without_being_asked(dirty, cassette, env):
    deck, code = dirty(env=env)
    assert code == 0, deck.stderr
    assert len(interactions(cassette)) == 3


def test_clean_recordings_pass_strictness_and_ci(dirty, cassette):
    deck, code = dirty("--strict", targets=("/page",), env={"CI": "true"})
    assert code == 0, deck.stderr
    assert "secret" not in said(deck)
    assert len(interactions(cassette)) == 1


@pytest.mark.parametrize("options", [("--no-redact",), ("--redact", "*pwd"), ("--keep", "*pwd")], ids=str)
def test_what_the_user_hides_or_keeps_is_no_find(dirty, cassette, options):
    deck, code = dirty("--strict", *options)
    assert code == 0, deck.stderr
    assert "what looks like" not in deck.stderr
    kept = MISSED.encode() in everything(cassette)
    assert kept == (options[0] != "--redact")


def test_run_gives_the_commands_code_and_else_ours(origin, cassette):
    url = origin(answers).url
    for command, expected in (("exit 3", 3), ("true", 4)):
        done = run("run", "--upstream", url, "--cassette", cassette, "--mode", "all", "--strict", "--",
                   "sh", "-c", f"curl -s $TAPEDECK_URL/blob >&2; {command}")
        assert done.returncode == expected, done.stderr
        journal(cassette).unlink()


# MARK: The journal that waits


def test_a_refused_recording_still_replays(dirty, start, cassette):
    dirty("--strict")
    deck = start("replay", "--cassette", cassette)
    assert json.loads(fetch(deck.url, "/login").body)["loginpwd"] == MISSED
    assert fetch(deck.url, SEARCH).status == 200
    assert deck.stop() == 0, deck.stderr


@pytest.mark.parametrize("verb", [
    ("record", "--upstream", "http://127.0.0.1:9", "--cassette", "{}", "--port", "0"),
    ("serve", "--upstream", "http://127.0.0.1:9", "--cassette", "{}", "--port", "0"), ("lint", "{}", "--fix"),
], ids=lambda verb: verb[0])
def test_later_starts_refuse_it_again(dirty, cassette, verb):
    dirty("--strict")
    before = fingerprint(cassette)
    done = run(*(word.format(cassette) for word in verb))
    assert done.returncode == 4, done.stderr
    assert "nothing was sealed" in done.stderr and "--fix" in done.stderr
    expect_unsaid(done.stderr)
    after = fingerprint(cassette)
    assert {name: facts[3] for name, facts in after.items()} == {name: facts[3] for name, facts in before.items()}


@pytest.mark.parametrize(("option", "isHidden"), [("--redact", True), ("--keep", False)])
def test_a_later_start_may_say_what_to_do_with_it(dirty, record, origin, cassette, option, isHidden):
    dirty("--strict")
    deck = record(origin(answers).url, "--strict", option, "*pwd")
    assert deck.stop() == 0, deck.stderr
    assert "recovered 3 interactions" in deck.stderr
    assert len(interactions(cassette)) == 3
    assert (MISSED.encode() in everything(cassette)) != isHidden
    manifest = json.loads((cassette / "cassette.json").read_text())
    assert manifest["redaction"][option.strip("-")] == ["*pwd"]


def test_a_killed_strict_run_is_still_strict(record, origin, cassette):
    deck = record(origin(answers).url, "--strict")
    fetch(deck.url, "/login")
    deck.process.send_signal(signal.SIGKILL)
    deck.process.wait()
    make_old(cassette)
    done = run("lint", cassette, "--fix")
    assert done.returncode == 4, done.stderr
    assert not interactions(cassette) and journal(cassette).exists()


def test_what_a_change_of_mode_seals_is_told_and_counted(start, origin, cassette):
    deck, admin = steered(start, "serve", "--mode", "all", "--upstream", origin(answers).url, "--cassette", cassette)
    fetch(deck.url, "/blob")
    admin.put("/mode", {"mode": "none"})
    assert deck.stop() == 0, deck.stderr
    assert deck.stderr.count(f"{cassette} holds what looks like a secret that redaction has not hidden") == 1
    assert f"sealed {cassette}: 1 file written" in deck.stderr
    expect_unsaid(said(deck))


def test_what_a_lax_crash_left_is_sealed_and_told(record, origin, cassette):
    deck = record(origin(answers).url)
    fetch(deck.url, "/login")
    deck.process.send_signal(signal.SIGKILL)
    deck.process.wait()
    make_old(cassette)
    deck = record(origin(answers).url)
    assert deck.stop() == 0
    assert "recovered 1 interaction " in deck.stderr and "a secret that redaction has not hidden" in deck.stderr
    assert len(interactions(cassette)) == 1
    expect_unsaid(said(deck))


# MARK: scan


def test_scan_tells_finds_and_their_places(dirty, cassette):
    dirty()
    done = run("scan", cassette)
    assert done.returncode == 4
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and all(line.startswith(f"secret: {cassette}/get-") for line in lines[:2])
    assert lines[2] == f"{cassette}: 4 files, 2 secrets"
    assert "--fix" in done.stderr
    expect_unsaid(done.stdout + done.stderr)


def test_a_clean_cassette_is_clean(dirty, cassette):
    dirty(targets=("/page",))
    done = run("scan", cassette)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{cassette}: 2 files, no secrets\n", "")


def test_scan_for_machines(dirty, cassette):
    dirty()
    done = run("scan", cassette, "--json")
    assert done.returncode == 4
    (result,) = json.loads(done.stdout)
    assert (result["path"], result["files"], result["problems"], result["fixed"]) == (str(cassette), 4, [], None)
    find = next(find for find in result["finds"] if find["name"] == "loginpwd")
    assert find["place"] == "response.body $.loginpwd" and find["beginning"] == "a8K" and find["line"] is None
    assert result["left"] == result["finds"]
    expect_unsaid(done.stdout)


def test_names_as_in_other_verbs_and_folders_without_a_name(dirty, cassette):
    dirty()
    folder = cassette.parent / "here"
    (folder / "Cassettes").mkdir(parents=True)
    cassette.rename(folder / "Cassettes" / "example")
    for words in ((), ("example",), ("Cassettes",), ("Cassettes/example",), (".",)):
        if words == (".",):
            words = ("./",)
        done = run("scan", *words, cwd=folder)
        assert done.returncode == 4, (words, done.stderr)
        assert done.stdout.count("secret: ") == 2, words
        assert "Cassettes/example: 4 files, 2 secrets" in done.stdout


@pytest.mark.parametrize(("words", "code", "text"), [
    (("nowhere",), 1, "nowhere"), (("./nowhere",), 1, "nowhere"), (("a b",), 2, "not a cassette name"),
    (("--fixx",), 2, "--fix"), (("--redact", "x"), 2, "--fix"), (("--fix", "--redact", "*"), 2, "--redact"),
    (("--fix=yes",), 2, "takes no value"), (("--no-redact",), 2, "--no-redact"),
])
def test_wrong_words(tmp_path, words, code, text):
    done = run("scan", *words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert text in done.stderr


def test_a_damaged_cassette_is_looked_through_and_said_to_be_broken(dirty, cassette):
    dirty(targets=("/page",))
    (cassette / "get-broken-000000.json").write_text('{"request": {"loginpwd": "%s"' % MISSED)
    done = run("scan", cassette)
    assert done.returncode == 1
    assert "get-broken-000000.json" in done.stderr and "1 secret" in done.stdout
    expect_unsaid(done.stdout + done.stderr)


def test_bodies_that_are_compressed_or_in_files_are_looked_into(record, origin, cassette):
    big = json.dumps({"filler": "x " * 200_000, "loginpwd": MISSED}).encode()

    def compressed(exchange):
        if exchange.request.target == b"/gzip":
            body = gzip.compress(json.dumps({"loginpwd": MISSED, "n": list(range(900))}).encode())
            return reply(body, JSON, b"Content-Encoding: gzip")
        return reply(big, JSON)

    deck = record(origin(compressed).url, "--no-redact")
    fetch(deck.url, "/gzip")
    fetch(deck.url, "/big")
    assert deck.stop() == 0
    assert list((cassette / "bodies").iterdir())
    done = run("scan", cassette)
    assert done.returncode == 4
    assert done.stdout.count("response.body $.loginpwd") == 2
    body = next((cassette / "bodies").iterdir())
    assert run("scan", body).returncode == 4
    done = run("scan", cassette, "--fix")
    assert done.returncode == 0, done.stdout + done.stderr
    for path in cassette.rglob("*.bin"):
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        assert MISSED.encode() not in data and b"REDACTED:" in data
    assert run("lint", cassette).returncode == 0


# MARK: scan --fix


def test_the_client_runs_as_before_after_fix(dirty, start, cassette):
    dirty()
    done = run("scan", cassette, "--fix")
    assert done.returncode == 0, done.stderr
    # Names are made of what is left without secrets, so they stay.
    assert "2 hidden in 2 files\n" in done.stdout
    content = everything(cassette)
    assert MISSED.encode() not in content and OTHER.encode() not in content
    assert run("scan", cassette).returncode == 0
    assert run("lint", cassette).returncode == 0
    deck = start("replay", "--cassette", cassette, "--strict")
    login = json.loads(fetch(deck.url, "/login").body)
    assert re.fullmatch(r"REDACTED:secret:[0-9a-f]{8}", login.pop("loginpwd"))
    assert login == {"user": "octocat", "id": 17}
    assert fetch(deck.url, SEARCH).body == b'{"found": 3}'
    assert fetch(deck.url, SEARCH.replace(OTHER, MISSED)).status == 502
    assert fetch(deck.url, "/page").status == 200
    assert deck.stop() == 3, deck.stderr


def test_a_client_that_sends_back_what_it_was_given_is_answered(record, origin, start, cassette):
    def session(exchange):
        if exchange.request.target == b"/login":
            return reply(json.dumps({"loginpwd": MISSED}).encode(), JSON)
        return reply(b"known", b"Content-Type: text/plain") if MISSED.encode() in exchange.request.target else reply(b"who?")

    deck = record(origin(session).url, "--no-redact")
    fetch(deck.url, "/login")
    fetch(deck.url, f"/things/{MISSED}/all")
    assert deck.stop() == 0
    assert run("scan", cassette, "--fix").returncode == 0
    assert MISSED.encode() not in everything(cassette)
    assert not any(MISSED.lower()[:8] in path.name for path in cassette.iterdir())
    deck = start("replay", "--cassette", cassette)
    given = json.loads(fetch(deck.url, "/login").body)["loginpwd"]
    assert given.startswith("REDACTED:")
    assert fetch(deck.url, f"/things/{given}/all").body == b"known"
    assert fetch(deck.url, f"/things/{MISSED}/all").body == b"known"
    assert deck.stop() == 0, deck.stderr


def test_fixing_changes_nothing_else_and_once_is_enough(dirty, cassette):
    dirty()
    file = next(cassette.glob("get-login-*.json"))
    tree = json.loads(file.read_text())
    tree["_note"] = "kept"
    file.write_text(json.dumps(tree, indent=2) + "\n")
    before = interactions(cassette)
    page = next(path for path in cassette.glob("get-page-*.json"))
    untouched = page.read_bytes()
    assert run("scan", cassette, "--fix").returncode == 0
    after = interactions(cassette)
    assert after[file.name]["_note"] == "kept"
    assert page.read_bytes() == untouched
    changed = json.loads(json.dumps(before[file.name]))
    changed["response"]["body"]["json"]["loginpwd"] = after[file.name]["response"]["body"]["json"]["loginpwd"]
    assert after[file.name] == changed
    facts = fingerprint(cassette)
    assert run("scan", cassette, "--fix").returncode == 0
    assert {name: each[3] for name, each in fingerprint(cassette).items()} == {name: each[3] for name, each in facts.items()}


def test_fix_seals_what_was_refused(dirty, start, cassette):
    dirty("--strict")
    done = run("scan", cassette)
    assert done.returncode == 4 and "journal.jsonl:2: response.body $.loginpwd" in done.stdout
    done = run("scan", cassette, "--fix")
    assert done.returncode == 0, done.stderr
    assert "3 interactions of a left-over journal sealed, 2 hidden in them" in done.stdout
    assert not journal(cassette).exists() and len(interactions(cassette)) == 3
    assert MISSED.encode() not in everything(cassette)
    deck = start("replay", "--cassette", cassette)
    assert fetch(deck.url, SEARCH).body == b'{"found": 3}'
    assert deck.stop() == 0, deck.stderr


def test_rules_given_to_fix_hold_from_then_on(dirty, record, origin, cassette):
    dirty()
    done = run("scan", cassette, "--fix", "--redact", "loginpwd", "--keep", "dbpwd")
    assert done.returncode == 0, done.stderr
    rules = json.loads((cassette / "cassette.json").read_text())["redaction"]
    assert (rules["redact"], rules["keep"]) == (["loginpwd"], ["dbpwd"])
    content = everything(cassette)
    assert MISSED.encode() not in content and OTHER.encode() in content
    assert run("scan", cassette).returncode == 0
    deck = record(origin(answers).url, "--strict")
    fetch(deck.url, "/login")
    assert deck.stop() == 0, deck.stderr
    assert MISSED.encode() not in everything(cassette)


def test_keep_without_fix_holds_for_one_scan(dirty, cassette):
    dirty()
    before = fingerprint(cassette)
    assert run("scan", cassette, "--keep", "*pwd").returncode == 0
    assert run("scan", cassette).returncode == 4
    assert fingerprint(cassette) == before


def test_a_cassette_recorded_without_redaction_is_fixed(dirty, start, cassette):
    deck, code = dirty("--no-redact", targets=("/login", f"/search?access_token={TOKEN}"))
    assert code == 0, deck.stderr
    assert TOKEN.encode() in everything(cassette)
    assert run("scan", cassette).returncode == 4
    assert run("scan", cassette, "--fix").returncode == 0
    assert TOKEN.encode() not in everything(cassette)
    deck = start("replay", "--cassette", cassette)
    assert fetch(deck.url, f"/search?access_token={TOKEN}").status == 200
    assert deck.stop() == 0, deck.stderr


def test_what_cannot_be_hidden_is_told(dirty, cassette):
    dirty(targets=("/blob",))
    before = {path.name: path.read_bytes() for path in cassette.glob("get-*")}
    done = run("scan", cassette, "--fix")
    assert done.returncode == 4
    assert "not hidden: " in done.stdout and "a GitHub token (ghp…)" in done.stdout and "1 not hidden" in done.stdout
    assert {path.name: path.read_bytes() for path in cassette.glob("get-*")} == before


@pytest.mark.parametrize("name", ["get-login-*.json", "journal.jsonl"])
def test_a_file_of_a_cassette_is_not_fixed_alone(dirty, cassette, name):
    dirty(*(("--strict",) if name == "journal.jsonl" else ()))
    file = next(cassette.glob(name))
    assert run("scan", file).returncode == 4
    before = fingerprint(cassette)
    done = run("scan", file, "--fix")
    assert done.returncode == 4
    assert f"tapedeck scan {cassette} --fix" in done.stderr
    assert fingerprint(cassette) == before


# MARK: Old cassettes


def strip_redaction(cassette: Path) -> None:
    manifest = json.loads((cassette / "cassette.json").read_text())
    del manifest["redaction"]
    (cassette / "cassette.json").write_text(json.dumps(manifest))


def test_a_cassette_from_before_redaction_still_matches_and_is_fixed(record, origin, start, cassette):
    target, body = f"/things?access_token={TOKEN}&page=2", json.dumps({"password": "correct horse", "a": 1}).encode()

    def ask(deck):
        return fetch(deck.url, target).body, fetch(deck.url, "/new", JSON, method=b"POST", body=body).body

    deck = record(origin(lambda exchange: reply(b"for " + exchange.request.method)).url, "--no-redact")
    recorded = ask(deck)
    assert deck.stop() == 0
    strip_redaction(cassette)
    assert TOKEN.encode() in everything(cassette)
    deck = start("replay", "--cassette", cassette)
    assert ask(deck) == recorded
    assert deck.stop() == 0, deck.stderr
    assert run("scan", cassette).returncode == 4
    assert run("scan", cassette, "--fix").returncode == 0
    content = everything(cassette)
    assert TOKEN.encode() not in content and b"correct horse" not in content
    assert "redaction" in json.loads((cassette / "cassette.json").read_text())
    deck = start("replay", "--cassette", cassette)
    assert ask(deck) == recorded
    assert deck.stop() == 0, deck.stderr


# MARK: Files of other tools


def har(url: str, mark: bytes = b"") -> dict:
    """One exchange, with its secrets in all the places a HAR has for them.

    With a mark before it, the body is no text, and nothing is hidden in it.
    """
    query = urllib.parse.urlencode({"access_token": "a/b+" + MISSED, "q": "x"})
    body = json.dumps({"loginpwd": OTHER, "n": 1.50})
    kind = "application/octet-stream" if mark else "application/json"
    return {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [{
        "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1,
        "request": {"method": "GET", "url": f"{url}/things?{query}", "httpVersion": "HTTP/1.1",
                    "headers": [{"name": "Authorization", "value": f"Bearer {TOKEN}"}, {"name": "X-Mark", "value": "1"}],
                    "queryString": [{"name": "access_token", "value": "a/b+" + MISSED}, {"name": "q", "value": "x"}],
                    "cookies": [{"name": "sid", "value": "k3J9x7Qw2Lm5Vb8N"}], "headersSize": -1, "bodySize": 0},
        "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
                     "headers": [{"name": "Content-Type", "value": kind}], "redirectURL": "",
                     "content": {"size": len(mark + body.encode()), "mimeType": kind, "encoding": "base64",
                                 "text": base64.b64encode(mark + body.encode()).decode()},
                     "headersSize": -1, "bodySize": len(body)},
        "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}]}}


def shape(value):
    """All but the texts."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    return [shape(each) for each in value] if isinstance(value, list) else "text" if isinstance(value, str) else value


def test_a_har_is_fixed_in_place_and_still_replays(start, tmp_path):
    file = tmp_path / "session.har"
    before = har("http://api.example.test")
    file.write_text(json.dumps(before, indent=3))
    file.chmod(0o640)
    done = run("scan", "session.har", cwd=tmp_path)
    assert done.returncode == 4
    assert "$.log.entries[0].request.headers[0].value: credentials" in done.stdout
    assert "response.body $.loginpwd" in done.stdout or "in base64" in done.stdout
    expect_unsaid(done.stdout + done.stderr)
    done = run("scan", "session.har", "--fix", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    text = file.read_text()
    for secret in (TOKEN, MISSED, OTHER, "k3J9x7Qw2Lm5Vb8N", base64.b64encode(OTHER.encode()).decode()[:12]):
        assert secret not in text
    assert shape(json.loads(text)) == shape(before)
    assert '"time": 1,' in text and text.count("\n") == json.dumps(before, indent=3).count("\n")
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["session.har"]
    assert run("scan", "session.har", cwd=tmp_path).returncode == 0
    deck = start("replay", "--cassette", "session.har", cwd=tmp_path)
    query = urllib.parse.urlencode({"q": "x", "access_token": "a/b+" + MISSED})
    answer = fetch(deck.url, f"/things?{query}")
    assert answer.status == 200, answer.body
    assert json.loads(answer.body)["n"] == 1.5
    assert deck.stop() == 0, deck.stderr


FOREIGN = Path(__file__).parent / "foreign" / "files"


@pytest.mark.parametrize(("name", "content"), [
    ("vcr.yaml", "http_interactions:\n- request:\n    headers:\n      Authorization:\n      - Bearer {0}\n    body: a\n"),
    ("notes.txt", "token: {0}\nand nothing else\n"),
    ("mapping.json", '{{"request": {{"url": "/a?api_key={0}"}}, "response": {{"status": 200, "id": 1e400}}}}\n'),
    ("curl.sh", "curl -H 'Authorization: Bearer {0}' https://user:{1}@api.example.test/\n"),
    ("deep/er/.env.example", "API_KEY={0}\n"),
    ("list.json", '[{{"name": "X-Api-Key", "value": "{0}"}}, ["Authorization", "Bearer {1}"]]'),
], ids=lambda value: value.split("\n")[0][:20])
def test_other_files(tmp_path, name, content):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content.format(TOKEN, MISSED))
    done = run("scan", file)
    assert done.returncode == 4, done.stdout
    expect_unsaid(done.stdout + done.stderr)
    assert run("scan", file, "--fix").returncode == 0
    fixed = file.read_text()
    assert TOKEN not in fixed and MISSED not in fixed
    parts = re.split(r"REDACTED:[a-z]+:[0-9a-f]{8}", fixed)
    assert parts == re.split(f"{TOKEN}|{MISSED}", content.format(TOKEN, MISSED))
    assert run("scan", file).returncode == 0


def test_folders_of_files_of_other_tools(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "one.yaml").write_text(f"password: '{MISSED}'\n")
    (tmp_path / "a" / "two.txt").write_text("nothing here\n")
    (tmp_path / "a" / "link").symlink_to("/etc")
    done = run("scan", tmp_path / "a")
    assert done.returncode == 4
    assert f"secret: {tmp_path}/a/b/one.yaml:1: a value under the name of a secret (a8K…)" in done.stdout
    assert "1 other file, no secrets" in done.stdout


def test_a_packed_file_is_looked_into_and_not_changed(tmp_path):
    file = tmp_path / "session.har.gz"
    file.write_bytes(gzip.compress(json.dumps(har("http://a.test")).encode()))
    before = file.read_bytes()
    assert run("scan", file).returncode == 4
    done = run("scan", file, "--fix")
    assert done.returncode == 4 and "not hidden" in done.stdout
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["firefox.har", "mitmproxy.har", "vcrpy.yaml", "vcr.yml", "vcr-json.json", "wiremock.json"])
def test_real_files_lose_nothing_but_secrets(tmp_path, start, name):
    from foreign import session

    file = tmp_path / name
    file.write_bytes((FOREIGN / name).read_bytes())
    before = file.read_bytes()
    code = run("scan", file).returncode
    assert code in (0, 4)
    file.write_bytes(before.replace(b"X-Mark", b"X-Auth-Token"))
    run("scan", file, "--fix")
    if name.endswith("json") or name.endswith("har"):
        assert shape(json.loads(file.read_bytes())) == shape(json.loads(before.replace(b"X-Mark", b"X-Auth-Token")))
    deck = start("replay", "--cassette", file)
    for _, method, target, content_type, body in session.SESSION[:3]:
        fields = [b"Content-Type: " + content_type.encode()] if content_type else []
        assert fetch(deck.url, target, *fields, method=method.encode(), body=body).status == 200


# MARK: import


def test_import_tells_what_it_wrote(tmp_path, cassette):
    file = tmp_path / "session.har"
    file.write_text(json.dumps(har("http://api.example.test", b"\0")))
    done = run("import", file, "--cassette", cassette)
    assert done.returncode == 0
    assert "a secret that redaction has not hidden" in done.stderr and "response.body: " in done.stderr
    expect_unsaid(done.stderr)


@pytest.mark.parametrize(("flags", "env"), [(("--strict",), {}), ((), {"CI": "true"})], ids=str)
def test_import_writes_nothing_with_secrets_where_that_is_refused(tmp_path, cassette, flags, env):
    file = tmp_path / "session.har"
    file.write_text(json.dumps(har("http://api.example.test", b"\0")))
    done = run("import", file, "--cassette", cassette, *flags, env=env)
    assert done.returncode == 4
    assert "nothing was sealed" in done.stderr and "--redact loginpwd" in done.stderr
    expect_unsaid(done.stderr)
    assert not cassette.exists()
    done = run("import", file, "--cassette", cassette, "--keep", "loginpwd", *flags, env=env)
    assert done.returncode == 0, done.stderr
    file.write_text(json.dumps(har("http://api.example.test")))
    done = run("import", file, "--cassette", cassette.with_name("text"), "--redact", "loginpwd", *flags, env=env)
    assert done.returncode == 0, done.stderr
    assert OTHER.encode() not in everything(cassette.with_name("text"))


# MARK: What cannot be read


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def half_a_document(path: Path) -> None:
    path.write_text("{")


@pytest.mark.parametrize("make", [os.mkfifo, link, half_a_document], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", ["cassette.json", "get-a-123456.json", "bodies/0a1b"])
def test_what_cannot_be_read_fails_the_scan(tmp_path, name, make):
    if name.startswith("bodies") and make is half_a_document:
        pytest.skip("any bytes are a body")
    folder = tmp_path / "example"
    (folder / "bodies").mkdir(parents=True)
    (folder / "cassette.json").write_text('{"tapedeck": 1}')
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    done = run("scan", folder, timeout=20)
    assert done.returncode == 1, done.stdout
    assert name in done.stderr


def test_what_cannot_be_read_among_other_files_fails_the_scan(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        done = run("scan", path, timeout=20)
        assert done.returncode == 1 and "not a plain file" in done.stderr, done.stdout
