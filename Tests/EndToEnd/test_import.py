"""Files of other tools: played in place, imported, and our own files in other tools."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import requests
import yaml

from deck import fingerprint, interactions, run
from foreign import make, session
from foreign.tools import LONG, NEEDED, large_tools

FILES = Path(__file__).parent / "foreign" / "files"

# What each file is, and what of the session it does not hold, for reasons of the tool's own.
KEPT = {
    "chromium-embed/session.har": {"post binary", "post multipart"},  # bodies of requests that are no text are left out
    "chromium-attach/session.har": {"post multipart"},
    "firefox.har": set(),
    "mitmproxy.har": set(),
    "vcrpy.yaml": set(),
    "vcrpy.json": {"latin1", "bytes", "image", "post binary"},  # vcrpy's JSON holds no bytes
    "vcr.yml": {"post multipart"},
    "vcr-exact.yml": {"post multipart"},
    "vcr-json.json": {"latin1", "bytes", "image", "post binary", "gzip", "deflate", "post multipart"},
    "wiremock": {"post multipart"},  # WireMock matches any body of parts
    "wiremock.json": {"post multipart", "bytes", "gzip", "text"},  # their bodies are in the folder
}
IN_PLACE = [name for name in KEPT if name != "wiremock"]


def expect_session(url: str, file: str) -> None:
    # WireMock spoils one while it records, and matches any body of parts.
    session.expect(url, KEPT[file], {"deflate"} if file.startswith("wiremock") else ())


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_foreign_file_is_replayed_in_place(name, start, tmp_path):
    file = tmp_path / "here" / name
    shutil.copytree((FILES / name).parent, file.parent)
    before = fingerprint(file.parent)
    deck = start("replay", "--cassette", Path(name).name, cwd=file.parent)
    expect_session(deck.url, name)
    assert deck.stop() == (3 if KEPT[name] else 0)
    assert "0 upstream connections" in deck.stderr
    assert {path: facts[3] for path, facts in fingerprint(file.parent).items()} == {path: facts[3] for path, facts in before.items()}


@pytest.mark.parametrize("name", KEPT)
def test_a_foreign_file_is_imported(name, start, cassette):
    done = run("import", FILES / name, "--cassette", cassette)
    assert done.returncode == 0, done.stderr
    assert "imported" in done.stderr
    expect_session(start("replay", "--cassette", cassette).url, name)
    files = {path.name: path.read_bytes() for path in cassette.iterdir() if path.is_file()}
    assert run("import", FILES / name, "--cassette", cassette).returncode == 0
    assert {path.name: path.read_bytes() for path in cassette.iterdir() if path.is_file()} == files


@pytest.mark.parametrize("name", KEPT)
def test_what_was_imported_goes_through_har_unchanged(name, cassette, tmp_path):
    assert run("import", FILES / name, "--cassette", cassette).returncode == 0
    assert run("export", cassette, "-o", tmp_path / "out.har").returncode == 0
    assert run("import", tmp_path / "out.har", "--cassette", tmp_path / "again").returncode == 0
    assert {path.name: path.read_bytes() for path in cassette.glob("*.json")} == {
        path.name: path.read_bytes() for path in (tmp_path / "again").glob("*.json")}


@pytest.mark.parametrize(("name", "told"), [
    ("mitmproxy.har", ["/fail", "the request failed", "Content-Encoding"]),
    ("firefox.har", ["/fail", "data:"]),
    ("chromium-embed/session.har", ["net::ERR_EMPTY_RESPONSE", "body is not in the file"]),
    ("wiremock", ["`anything` matches more than one body", "compared exactly here"]),
])
def test_what_is_left_out_is_told_and_strictness_counts_it(name, told, cassette):
    done = run("import", FILES / name, "--cassette", cassette, "--strict")
    assert done.returncode == 4
    for text in told:
        assert text in done.stderr


@pytest.mark.parametrize("tool", ["vcrpy", "mitmproxy"])
def test_files_the_tools_write_now(tool, tmp_path, start):
    make.make(tmp_path / "files", tool)
    expect_files(tmp_path, tool, start)


def expect_files(folder: Path, tool: str, start) -> None:
    names = [name for name in KEPT if re.match(rf"{tool}\b", name)]
    assert names
    for name in names:
        cassette = folder / name / "cassette"
        assert run("import", folder / "files" / name, "--cassette", cassette).returncode == 0
        expect_session(start("replay", "--cassette", cassette).url, name)


@pytest.mark.skipif(not LONG, reason="large tools: TAPEDECK_LONG_TESTS=1")
@pytest.mark.parametrize("tool", NEEDED)
def test_files_the_large_tools_write_now(tool, tmp_path, start):
    if not shutil.which(NEEDED[tool]):
        pytest.skip(f"no {NEEDED[tool]}; foreign/make.py names the packages")
    subprocess.run([large_tools(), Path(make.__file__), tmp_path / "files", tool], check=True, timeout=240)
    expect_files(tmp_path, tool, start)


# YAML as PyYAML and libyaml write it

PIECES = ["a", "word ", "  ", "\n", "\n\n", "\t", ": ", "#", " #", "- ", "'", '"', "\\", "é", "😀", "{", "}", "[", "]", ",", "&", "*",
          "!", "|", ">", "%", "@", "`", "---\n", "...\n", "?", "0", "null", "true", "~", " \n", "\r\n", "\u00a0", "\u0085", "\u2028",
          "\x07", "\ufeff", "x" * 50, "=", "<<"]


def styled(base):
    """A dumper that writes each text in a style the text's class names."""
    class Dumper(base):
        pass
    for mark in "|>'\"":
        kind = type("Text", (str,), {})
        Dumper.add_representer(kind, lambda dumper, text, mark=mark: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=mark))
        STYLES.append(kind)
    return Dumper


STYLES = [str]
DUMPERS = [styled(yaml.SafeDumper), styled(yaml.CSafeDumper)]


@pytest.mark.parametrize("seed", range(40 if LONG else 4))
def test_every_text_comes_out_of_yaml_as_it_went_in(seed, tmp_path):
    chance = random.Random(seed)
    dumper = DUMPERS[seed % 2]
    kinds = [str, *(kind for kind in STYLES if kind in dumper.yaml_representers)]
    texts = [chance.choice(kinds)("".join(chance.choices(PIECES, k=chance.randrange(30)))) for _ in range(100)]
    texts += [chance.randbytes(chance.randrange(1, 200)) for _ in range(5)]
    document = {"interactions": [
        {"request": {"method": "GET", "uri": f"http://a.test/{index}", "body": None, "headers": {"Accept": ["*/*"]}},
         "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": text}}}
        for index, text in enumerate(texts)], "version": 1}
    written = yaml.dump(
        document, Dumper=dumper, default_flow_style=chance.choice([False, None]), width=chance.choice([20, 80, 10_000]),
        allow_unicode=chance.choice([True, False]), indent=chance.choice([2, 4]), explicit_start=chance.choice([True, False]))
    file = tmp_path / "cassette.yaml"
    file.write_text(written, newline="")
    expected = [entry["response"]["body"]["string"] for entry in yaml.safe_load(written)["interactions"]]
    done = run("import", file, "--cassette", tmp_path / "cassette", "--no-redact")
    assert done.returncode == 0, done.stderr
    har = json.loads(run("export", tmp_path / "cassette").stdout)
    import base64
    heard = {entry["request"]["url"]: entry["response"]["content"] for entry in har["log"]["entries"]}
    for index, text in enumerate(expected):
        content = heard[f"http://a.test/{index}"]
        body = base64.b64decode(content["text"]) if "encoding" in content else content.get("text", "").encode()
        assert body == (text if isinstance(text, bytes) else text.encode()), repr(text)
    written = run("export", tmp_path / "cassette", "--format", "vcrpy").stdout
    for loader in (yaml.SafeLoader, yaml.CSafeLoader):
        again = {entry["request"]["uri"]: entry["response"]["body"]["string"] for entry in yaml.load(written, loader)["interactions"]}
        for index, text in enumerate(expected):
            bodies = [body if isinstance(body, bytes) else body.encode() for body in (text, again[f"http://a.test/{index}"])]
            assert bodies[0] == bodies[1], repr(text)


# The command

def test_import_takes_one_of_several_origins(tmp_path, cassette):
    entries = [
        {"request": {"method": "GET", "url": url}, "response": {"status": 200, "content": {"text": url}}}
        for url in ("https://cdn.test/a", "https://api.test/a", "https://api.test/b", "https://cdn.test/c", "https://api.test/d")]
    file = tmp_path / "session.har"
    file.write_text(json.dumps({"log": {"entries": entries}}))
    done = run("import", file, "--cassette", cassette, "--only", "api.test")
    assert done.returncode == 0
    assert "3 of 5" in done.stderr
    assert {each["request"]["target"] for each in interactions(cassette).values()} == {"/a", "/b", "/d"}
    assert json.loads((cassette / "cassette.json").read_text())["upstream"] == "https://api.test"
    settled = run("import", file, "--cassette", tmp_path / "all", "--upstream", "https://api.test")
    assert len(interactions(tmp_path / "all")) == 4
    assert "cdn.test" in settled.stderr and "--only" in settled.stderr
    wrong = run("import", file, "--cassette", tmp_path / "none", "--only", "nobody.test")
    assert wrong.returncode == 1
    assert "https://api.test (3)" in wrong.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("content", "told"), [
    ("{}", "no cassette"), ("", "no cassette"), ("{\"log\": {\"entries\": [", "1:"), ("PK\x03\x04", "unzip"),
    ("interactions:\n- a: !!python/object x\n", "2:6"), ("just text\n", "no cassette"),
    ('{"log": {"entries": []}}', "nothing to import"),
])
def test_a_file_that_cannot_be_imported_is_named(content, told, tmp_path, cassette):
    file = tmp_path / "file.har"
    file.write_text(content)
    done = run("import", file, "--cassette", cassette)
    assert done.returncode == 1
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not cassette.exists()


@pytest.mark.parametrize("arguments", [["import"], ["import", "x.har"], ["import", "x.har", "--cassette", "c", "--format", "hra"], ["export"]])
def test_wrong_use_is_told(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("mode", [["record"], ["serve"], ["serve", "--mode", "all"]])
def test_nothing_is_recorded_into_a_har(mode, tmp_path):
    file = tmp_path / "session.har"
    file.write_text('{"log": {"entries": []}}')
    for path in (file, tmp_path / "new.har"):
        done = run(*mode, "--upstream", "http://127.0.0.1:9", "--cassette", path, "--port", "0")
        assert done.returncode == 1
        assert "tapedeck import" in done.stderr
    assert file.read_text() == '{"log": {"entries": []}}'
    assert [path.name for path in tmp_path.iterdir()] == ["session.har"]


def test_a_har_is_looked_at_like_a_cassette():
    listed = run("ls", FILES / "firefox.har")
    assert listed.returncode == 0 and "/image.png" in listed.stdout
    assert "Jürgen" in run("show", FILES / "firefox.har").stdout


def test_secrets_of_a_foreign_file_do_not_reach_the_cassette(tmp_path, cassette):
    secret = "Bearer s3cr3t-token-of-someone"
    entry = {"request": {"method": "GET", "url": "http://a.test/x", "headers": [{"name": "Authorization", "value": secret}]},
             "response": {"status": 200, "content": {"text": "hello"}}}
    file = tmp_path / "session.har"
    file.write_text(json.dumps({"log": {"entries": [entry]}}))
    done = run("import", file, "--cassette", cassette)
    assert "1 secrets redacted" in done.stderr or "1 secret" in done.stderr
    assert not any(b"s3cr3t" in path.read_bytes() for path in cassette.rglob("*") if path.is_file())


def har_file(path: Path, *entries: dict) -> Path:
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": list(entries)}}))
    return path


def test_a_redirect_without_a_body_in_a_har_is_served_with_an_empty_one(start, tmp_path):
    """Playwright writes `size: -1` for a 302, and it was left out."""
    file = har_file(tmp_path / "session.har", {
        "request": {"method": "GET", "url": "http://a.test/old", "headers": []},
        "response": {
            "status": 302, "statusText": "Found", "httpVersion": "HTTP/1.1", "bodySize": 154,
            "headers": [{"name": "Location", "value": "/new"}, {"name": "Content-Length", "value": "154"}],
            "content": {"size": -1, "mimeType": "x-unknown"}}})
    deck = start("replay", "--cassette", file)
    response = requests.get(deck.url + "/old", allow_redirects=False, timeout=30)
    assert (response.status_code, response.headers["Location"], response.content) == (302, "/new", b"")
    assert response.headers["Content-Length"] == "0"
    assert deck.stop() == 0, deck.stderr


def test_a_har_entry_without_its_request_body_replays_where_rules_leave_bodies_out(start, tmp_path):
    """Browsers leave bodies out that are no text, and the entries were left out with them."""
    file = har_file(tmp_path / "session.har", {
        "request": {
            "method": "POST", "url": "http://a.test/upload", "bodySize": 5,
            "headers": [{"name": "Content-Type", "value": "application/octet-stream"}, {"name": "Content-Length", "value": "5"}]},
        "response": {"status": 201, "headers": [], "content": {"size": 4, "text": "done", "mimeType": "text/plain"}}})
    for rules, expected in (((), 502), (("--match", "method,path,query"), 201)):
        deck = start("replay", "--cassette", file, *rules)
        assert requests.post(deck.url + "/upload", data=b"\x00\x01\x02\x03\xff", timeout=30).status_code == expected
        if expected == 502:
            assert "/upload" in deck.stderr and "not in the file" in deck.stderr
        deck.stop()
    done = run("import", file, "--cassette", tmp_path / "cassette")
    assert done.returncode == 0 and "not in the file" in done.stderr
