"""Every verb takes cassettes and the files of other tools alike, packed ones too."""

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import zlib

import pytest

from deck import fingerprint, interactions, is_release, run
from foreign import session
from origin import Origin, reply
from terminal import ESCAPE, on_terminal
from wire import fetch

JSON = b"Content-Type: application/json"


def entry(url: str, body: str, **changes) -> dict:
    """An entry that is strict HAR 1.2."""
    request = {"method": "GET", "url": url, "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "queryString": [],
               "headersSize": -1, "bodySize": 0}
    response = {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
                "headers": [{"name": "Content-Type", "value": "application/json"}],
                "content": {"size": len(body), "mimeType": "application/json", "text": body}, "redirectURL": "",
                "headersSize": -1, "bodySize": len(body)}
    whole = {"startedDateTime": "2026-11-21T01:52:33.123Z", "time": 3, "request": request, "response": response, "cache": {},
             "timings": {"send": 1, "wait": 1, "receive": 1}}
    return {**whole, **changes}


def har(path, *entries, **members):
    log = {"version": "1.2", "creator": {"name": "a test", "version": "1"}, "entries": list(entries), **members}
    path.write_text(json.dumps({"log": log}))
    return path


@pytest.fixture
def users(tmp_path):
    return har(tmp_path / "users.har", *[entry(f"http://api.test/users/{number}", f'{{"id": {number}}}') for number in (1, 2, 3)])


# Every verb

@pytest.fixture
def pair(users, tmp_path):
    """The same as a HAR and as a cassette."""
    assert run("import", users, "--cassette", tmp_path / "users").returncode == 0
    return users, tmp_path / "users"


def test_ls_show_and_export_say_the_same_of_both(pair):
    for arguments in (["ls", None, "--json"], ["show", None], ["show", None, "/users/2", "--json"], ["show", None, "/users/2", "--body"],
                      ["export", None, "--format", "curl"], ["export", None, "--format", "vcr"]):
        said = [run(*[word or path for word in arguments]) for path in pair]
        assert said[0].returncode == said[1].returncode == 0, said
        assert said[0].stdout == said[1].stdout and said[0].stdout, arguments
        assert said[0].stderr.replace(str(pair[0]), "") == said[1].stderr.replace(str(pair[1]), "")


def test_diff_and_merge_take_both(pair, tmp_path):
    assert "the same" in run("diff", *pair, "--exit-code").stdout
    other = har(tmp_path / "other.har", entry("http://api.test/users/1", '{"id": "one"}'), entry("http://api.test/new", "{}"))
    different = run("diff", "--exit-code", pair[0], other)
    assert different.returncode == 4 and "$.id" in different.stdout
    done = run("merge", pair[0], other, "--into", tmp_path / "all")
    assert done.returncode == 0, done.stderr
    assert len(interactions(tmp_path / "all")) == 5
    done = run("merge", pair[1], other, "--into", pair[1], "--prefer", "last")
    assert done.returncode == 0, done.stderr
    assert len(interactions(pair[1])) == 4


def test_verify_asks_what_is_in_a_har(tmp_path):
    with Origin(lambda exchange: reply(b'{"id": "a text now"}', JSON)) as api:
        file = har(tmp_path / "live.har", entry(f"{api.url}/users/1", '{"id": 1}'))
        done = run("verify", file)
        assert done.returncode == 4
        assert "$.id: integer → string" in done.stdout
        assert run("verify", file, "--upstream", "http://127.0.0.1:9").returncode == 1


@pytest.mark.parametrize("arguments", [
    ["trim", "{}", "--unused", "report.json"], ["lint", "{}", "--fix"], ["merge", "{}", "{}", "--into", "{}"],
])
def test_what_would_change_a_har_says_what_to_do(arguments, users, tmp_path):
    (tmp_path / "report.json").write_text('{"tapedeck-report": 1, "interactions": []}')
    before = fingerprint(tmp_path)
    done = run(*[word.format(users) for word in arguments], cwd=tmp_path)
    assert done.returncode == 1
    assert "tapedeck import" in done.stderr and len(done.stderr.splitlines()) == 1
    assert fingerprint(tmp_path) == before


# lint

def test_a_strict_har_has_nothing_to_be_told(users, tmp_path):
    done = run("lint", users)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{users}: 3 interactions, 0 errors, 0 warnings, 0 remarks\n"


def test_our_own_har_is_strict(exported):
    found = json.loads(run("lint", exported / "session.har", "--json").stdout)[0]
    assert found["interactions"] == len(session.SESSION) and found["findings"] == []


def broken(change):
    whole = entry("http://api.test/x", "{}")
    change(whole)
    return whole


@pytest.mark.parametrize(("change", "severity", "told"), [
    (lambda e: e.pop("cache"), "error", "cache is missing"),
    (lambda e: e.update(time="3"), "error", "time is not a number"),
    (lambda e: e.update(startedDateTime="yesterday"), "error", "startedDateTime is not an ISO 8601 time"),
    (lambda e: e["request"].update(url="/x"), "error", "request.url is not absolute"),
    (lambda e: e["request"].update(url="http://a.test/x#top"), "warning", "request.url has a fragment"),
    (lambda e: e["request"].update(headers=[["a", "b"]]), "error", "request.headers has items without"),
    (lambda e: e["request"].update(postData={"mimeType": "a/b", "text": "a=1", "params": [{"name": "a"}]}), "info", "exclude each other"),
    (lambda e: e["request"].update(postData={"text": "x"}), "error", "request.postData.mimeType is missing"),
    (lambda e: e["response"].pop("redirectURL"), "error", "response.redirectURL is missing"),
    (lambda e: e["response"].update(status="200"), "error", "response.status is not a number"),
    (lambda e: e["response"].update(mine=1), "warning", "response.mine is not of HAR"),
    (lambda e: e["response"].update(_mine=1, comment="fine"), None, ""),
    (lambda e: e["response"]["content"].update(encoding="base64", text="{!"), "error", "base64 but is not"),
    (lambda e: e["response"]["content"].update(encoding="utf-8"), "warning", "is not base64"),
    (lambda e: e["timings"].update(send=-5), "warning", "timings.send is negative"),
    (lambda e: e.update(time=900), "info", "not the sum"),
    (lambda e: (e.update(time=3.5), e["timings"].update(wait=1.5)), "info", "fractions"),
    (lambda e: e["response"].update(status=0), "warning", "the request failed"),
])
def test_what_a_stricter_reader_would_stumble_over_is_named(change, severity, told, tmp_path):
    file = har(tmp_path / "x.har", entry("http://api.test/fine", "{}"), broken(change), broken(change))
    done = run("lint", file, "--json")
    [result] = json.loads(done.stdout)
    found = [(finding["severity"], finding["file"], finding["text"]) for finding in result["findings"] if told in finding["text"]]
    if severity is None:
        assert result["findings"] == []
        return
    assert found and found[0][0] == severity, result
    assert found[0][1].startswith("entry 2"), found
    assert done.returncode == (4 if any(finding["severity"] == "error" for finding in result["findings"]) else 0)
    assert f"{file}: {found[0][1]}: {found[0][2]}" in run("lint", file).stdout


@pytest.mark.parametrize(("text", "told"), [
    ('{"log": {"entries": [', "1:22"), ('{"log": {"entries": []}}', "log.version is missing"),
    ('{"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [], "time": NaN}}', "NaN"),
    ('{"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": {}}}', "log.entries"),
])
def test_a_file_as_a_whole_is_looked_at(text, told, tmp_path):
    (tmp_path / "x.har").write_text(text)
    done = run("lint", tmp_path / "x.har")
    assert done.returncode == 4, done.stderr
    assert told in done.stdout and "error: " in done.stdout


def test_lint_of_all_looks_at_files_among_the_cassettes_too(users, pair, tmp_path):
    (tmp_path / "Cassettes").mkdir()
    shutil.copy(users, tmp_path / "Cassettes")
    shutil.copytree(pair[1], tmp_path / "Cassettes" / "users")
    for arguments in (["lint"], ["lint", "--fix"]):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Cassettes/users.har: 3 interactions" in done.stdout and "Cassettes/users: 3 interactions" in done.stdout


# Packed files

@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress], ids=["gzip", "zlib"])
@pytest.mark.parametrize("name", ["session.zhar", "session.har"])
def test_a_packed_har_is_read_in_place(pack, name, exported, tmp_path, start):
    (tmp_path / name).write_bytes(pack((exported / "session.har").read_bytes()))
    session.expect(start("replay", "--cassette", name, cwd=tmp_path).url)
    assert run("lint", tmp_path / name).returncode == 0
    (tmp_path / "Cassettes").mkdir()
    shutil.move(tmp_path / name, tmp_path / "Cassettes")
    assert name in run("ls", cwd=tmp_path).stdout


def test_a_packed_file_that_is_damaged_is_told(users, tmp_path):
    (tmp_path / "x.zhar").write_bytes(gzip.compress(users.read_bytes())[:-20])
    done = run("ls", tmp_path / "x.zhar")
    assert done.returncode == 1 and "unpack it first" in done.stderr


# Compressed bodies

@pytest.fixture
def packed(start, origin, cassette):
    """A recording of an origin that compresses whatever it is asked, and the origin."""
    what = {"body": {"id": 1, "name": "Jürgen"}, "pack": gzip.compress, "coding": b"gzip"}

    def answer(exchange):
        body = what["pack"](json.dumps(what["body"], ensure_ascii=False).encode())
        return reply(body, JSON, b"Content-Encoding: " + what["coding"])

    url = origin(answer).url
    deck = start("record", "--upstream", url, "--cassette", cassette)
    fetch(deck.url, "/user")
    assert deck.stop() == 0, deck.stderr
    return cassette, what


def test_verify_looks_into_compressed_bodies(packed):
    cassette, what = packed
    assert run("verify", cassette).returncode == 0
    what.update(pack=zlib.compress, coding=b"deflate")
    assert run("verify", cassette).returncode == 0, "the coding is no drift"
    what["body"] = {"id": "1"}
    done = run("verify", cassette)
    assert done.returncode == 4
    assert "$.id: integer → string" in done.stdout and "$.name: field removed" in done.stdout


def test_show_and_diff_look_into_compressed_bodies(packed, start, origin, tmp_path):
    cassette, what = packed
    shown = run("show", cassette).stdout
    assert "of gzip, decoded)" in shown and '"name": "Jürgen"' in shown
    shutil.copytree(cassette, tmp_path / "other")
    [file] = [tmp_path / "other" / name for name in interactions(tmp_path / "other")]
    text = file.read_text()
    [old] = re.findall(r'"base64": "([^"]+)"', text)
    def changed(body, level):
        return text.replace(old, base64.b64encode(gzip.compress(body, level, mtime=0)).decode())
    body = gzip.decompress(base64.b64decode(old))
    file.write_text(changed(body.replace(b"1", b"2"), 9))
    assert "$.id" in run("diff", cassette, tmp_path / "other").stdout
    file.write_text(changed(body, 1))
    assert "compressed differently" in run("diff", cassette, tmp_path / "other").stdout


def test_a_har_holds_the_content_and_gives_back_the_bytes(packed, tmp_path):
    cassette, _ = packed
    out = tmp_path / "out.har"
    assert run("export", cassette, "-o", out).returncode == 0
    response = json.loads(out.read_text())["log"]["entries"][0]["response"]
    content = response["content"]
    assert json.loads(content["text"]) == {"id": 1, "name": "Jürgen"} and "encoding" not in content
    assert content["size"] == len(content["text"].encode()) and content["size"] - content["compression"] == response["bodySize"]
    assert {"name": "Content-Encoding", "value": "gzip"} in response["headers"]
    assert run("import", out, "--cassette", tmp_path / "again").returncode == 0
    assert {name: (tmp_path / "again" / name).read_bytes() for name in interactions(tmp_path / "again")} == {
        name: (cassette / name).read_bytes() for name in interactions(cassette)}


# Progress

def steps(seen, word: str) -> list[str]:
    return [ESCAPE.sub("", piece) for piece in seen.raw.split("\r") if re.search(rf"tapedeck: {word} \d", ESCAPE.sub("", piece))]


def expect_progress(word: str, total: int, *arguments) -> None:
    seen = on_terminal(*arguments, columns=60, timeout=120)
    assert seen.returncode == 0, seen.plain
    drawn = steps(seen, word)
    assert drawn and any(f" of {total} (" in piece for piece in drawn), seen.plain[-500:]
    assert all(len(piece.strip("\n")) < 60 for piece in drawn)
    assert "\r\x1b[K" in seen.raw[seen.raw.rindex(f" of {total} ("):], "the line is taken away at the end"


MANY = 40_000 if is_release() else 1500


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    files = [har(folder / f"{name}.har", *[entry(f"http://api.test/{name}/{number}", json.dumps({"n": number, "text": "x" * 2000}))
                                           for number in range(MANY)]) for name in "ab"]
    assert run("import", files[0], "--cassette", folder / "a", timeout=120).returncode == 0
    return folder


def test_import_shows_its_progress_on_a_terminal_only(many, tmp_path):
    expect_progress("importing", MANY, "import", many / "b.har", "--cassette", tmp_path / "b")
    done = run("import", many / "b.har", "--cassette", tmp_path / "c", timeout=120)
    assert "importing" not in done.stderr and len(done.stderr.splitlines()) == 1


def test_merge_shows_its_progress_on_a_terminal_only(many, tmp_path):
    expect_progress("merging", 2 * MANY, "merge", many / "a.har", many / "b.har", "--into", tmp_path / "all")
    done = run("merge", many / "a", many / "b.har", "--into", tmp_path / "again", timeout=120)
    assert done.stderr == "" and "merging" not in done.stdout


def test_ctrl_c_keeps_what_was_imported(many, tmp_path):
    seen = on_terminal("import", many / "b.har", "--cassette", tmp_path / "b", keys={b"importing ": b"\x03"}, timeout=60)
    assert seen.returncode == 1, seen.plain
    [left] = re.findall(rf"interrupted: (\d+) of {MANY} exchanges are not imported", seen.plain.replace("\n  ", " "))
    assert 0 < int(left) < MANY
    assert len(interactions(tmp_path / "b")) == MANY - int(left)
    assert not (tmp_path / "b" / "journal.jsonl").exists()
    assert run("import", many / "b.har", "--cassette", tmp_path / "b", timeout=120).returncode == 0
    assert len(interactions(tmp_path / "b")) == MANY


LOAD = """
import http.client, os, sys
connection = http.client.HTTPConnection(os.environ["TAPEDECK_URL"].removeprefix("http://"))
for number in range(int(sys.argv[1])):
    connection.request("GET", f"/{number}")
    connection.getresponse().read()
"""


# What takes no 0.3 s shows no progress: how many interactions that is depends on the machine.
COUNTS = [4000, 12_000, 36_000] if is_release() else [1000, 4000]


@pytest.mark.timeout(300)
def test_sealing_shows_its_progress_on_a_terminal(origin, tmp_path):
    url = origin(lambda exchange: reply(b"x" * 2000)).url
    for count in COUNTS:
        seen = on_terminal(
            "run", "--mode", "all", "--cassette", tmp_path / f"{count}", "--upstream", url, "--quiet", "--", sys.executable,
            "-c", LOAD, count, columns=60, timeout=100)
        assert seen.returncode == 0, seen.plain[-2000:]
        assert len(interactions(tmp_path / f"{count}")) == count
        if any(f" of {count} (" in piece for piece in steps(seen, "sealing")):
            return
    raise AssertionError(seen.plain[-2000:])


@pytest.mark.timeout(300)
def test_a_start_that_saves_what_was_left_shows_its_progress(origin, start, tmp_path):
    url = origin(lambda exchange: reply(b"x" * 2000)).url
    for count in COUNTS:
        arguments = ["--cassette", tmp_path / f"{count}", "--upstream", url]
        deck = start("record", *arguments, "--quiet")
        subprocess.run(
            [sys.executable, "-c", LOAD, str(count)], env={**os.environ, "TAPEDECK_URL": deck.url.rstrip("/")}, check=True)
        deck.kill()
        seen = on_terminal("run", "--mode", "new_episodes", *arguments, "--", "true", columns=60, timeout=100)
        assert len(interactions(tmp_path / f"{count}")) == count
        if any(f" of {count} (" in piece for piece in steps(seen, "loading")):
            return
    raise AssertionError(seen.plain[-2000:])


def test_scan_shows_its_progress_and_ctrl_c_gives_what_it_found(many):
    assert steps(on_terminal("scan", many / "a", columns=60, timeout=60), "scanning")
    seen = on_terminal("scan", many / "a", columns=60, keys={b"scanning ": b"\x03"}, timeout=60)
    assert seen.returncode == 1, seen.plain
    assert "interrupted: not everything was scanned, and nothing is changed" in seen.plain.replace("\n  ", " ")
    assert "scanning" not in run("scan", many / "a", timeout=120).stderr


def test_ctrl_c_leaves_a_merge_undone(many, tmp_path):
    seen = on_terminal(
        "merge", many / "a", many / "b.har", "--into", tmp_path / "all", keys={b"merging ": b"\x03"}, timeout=60)
    assert seen.returncode == 1 and "nothing was written" in seen.plain.replace("\n  ", " "), seen.plain
    assert not (tmp_path / "all").exists()
