"""The report for GitHub Actions, read back as its runner reads it."""

import json
import os
import re
from pathlib import Path

import pytest
import requests
from markdown_it import MarkdownIt

from deck import run
from origin import counting, reply

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
JSON = b"Content-Type: application/json"


def unescaped(text: str, *, isProperty: bool) -> str:
    """What the runner makes of the text of a command, or of one of its properties."""
    pairs = [("%0D", "\r"), ("%0A", "\n")] + ([("%3A", ":"), ("%2C", ",")] if isProperty else []) + [("%25", "%")]
    for escape, character in pairs:
        text = text.replace(escape, character)
    return text


def annotations(stderr: str) -> list[dict]:
    found = []
    for line in stderr.splitlines():
        if not line.startswith("::"):
            continue
        level, properties, message = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line).groups()
        pairs = (pair.split("=", 1) for pair in properties.split(","))
        found.append({"level": level, "message": unescaped(message, isProperty=False),
                      **{name: unescaped(value, isProperty=True) for name, value in pairs}})
    return found


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A step of a job: its checkout, its summary."""
    root = tmp_path / "checkout"
    root.mkdir()
    monkeypatch.chdir(root)
    env = {"GITHUB_WORKSPACE": str(root), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    return root, tmp_path / "summary.md", env


@pytest.fixture
def session(start, origin, checkout):
    root = checkout[0]
    deck = start("record", "--upstream", origin(counting()).url, "--cassette", "example", "--match", "query:ignore=ts",
                 cwd=root)
    for target in ("/one", "/two?ts=1", "/three"):
        requests.get(deck.url + target)
    assert deck.stop() == 0, deck.stderr
    return "example"


def replayed(start, checkout, session, *targets, flags=(), env=None):
    root, _, own = checkout
    deck = start("replay", "--cassette", session, "--report-github", "--quiet", *flags, cwd=root,
                 env={**own, **(env or {})})
    for target in targets:
        requests.get(deck.url + target)
    return deck.stop(), deck.stderr


def test_misses_unused_recordings_and_drift_annotate_their_files(start, checkout, session):
    code, stderr = replayed(start, checkout, session, "/one", "/two?ts=2", "/onf?a=1,2:3%25")
    assert code == 3
    found = annotations(stderr)
    assert [(one["level"], one["title"]) for one in found] == [
        ("error", "GET /onf?a=1,2:3%25"), ("warning", "GET /two?ts=1"), ("notice", "Unused recordings")]
    miss, drift, _ = found
    assert "\nnearest: " in miss["message"] and "curl" in miss["message"]
    for one in (miss, drift):
        assert (checkout[0] / one["file"]).is_file(), one
    rendered = MarkdownIt().enable("table").render(checkout[1].read_text())
    assert "failed, exit code 3" in rendered and "<th" in rendered
    assert rendered.count("<strong>") == 3


@pytest.mark.parametrize(("rule", "targets", "title"), [
    ("unused", ("/one", "/two?ts=1"), "GET /three "), ("drift", ("/one", "/two?ts=2", "/three"), "GET /two?ts=1 "),
])
def test_what_a_rule_forbids_is_an_error(start, checkout, session, rule, targets, title):
    code, stderr = replayed(start, checkout, session, *targets, flags=("--fail-on", rule))
    assert code == 4
    (only,) = annotations(stderr)
    assert only["level"] == "error" and only["title"].startswith(title)
    assert only["file"].startswith("Cassettes/example/get-")


def test_misses_come_before_the_recordings_that_they_leave_unused(start, checkout, session):
    _, stderr = replayed(start, checkout, session, "/onf", flags=("--strict",))
    titles = [one["title"] for one in annotations(stderr)]
    assert titles[0] == "GET /onf" and len(titles) == 4


def test_a_good_run_annotates_nothing_and_adds_to_the_summary(start, checkout, session):
    checkout[1].write_text("# What an earlier step wrote\n")
    for _ in range(2):
        code, stderr = replayed(start, checkout, session, "/one", "/two?ts=1", "/three")
        assert code == 0 and annotations(stderr) == []
    text = checkout[1].read_text()
    assert text.startswith("# What an earlier step wrote\n") and text.count(": good\n") == 2


def test_paths_count_from_the_root_of_the_checkout(start, checkout, session):
    """A step with `working-directory` names files as GitHub finds them."""
    root, _, env = checkout
    _, stderr = replayed(start, checkout, session, "/onf", env={"GITHUB_WORKSPACE": str(root.parent)})
    assert [one["file"].split("/")[:3] for one in annotations(stderr) if "file" in one] == [
        ["checkout", "Cassettes", "example"]]


def test_no_more_annotations_than_github_shows(start, checkout, session):
    _, stderr = replayed(start, checkout, session, *(f"/never/{number}" for number in range(15)))
    assert sum(one["level"] == "error" for one in annotations(stderr)) == 10
    assert checkout[1].read_text().count("**error**") == 15


def test_what_clients_and_origins_send_is_no_markup_and_no_command(start, checkout, session):
    _, stderr = replayed(start, checkout, session, "/`</code>|**bold**`", "/%0A::error::x")
    assert len([one for one in annotations(stderr) if one["level"] == "error"]) == 2
    rendered = MarkdownIt().enable("table").render(checkout[1].read_text())
    assert rendered.count("<strong>") == 3 and "bold" in rendered
    assert "<script" not in rendered


def test_secrets_of_a_recording(start, origin, checkout):
    """A run that records what looks like a secret, where that is refused and where it is not."""
    root, _, env = checkout
    handler = lambda exchange: reply(b"\x00\x01" + TOKEN.encode() + b"\xff", b"Content-Type: application/octet-stream")
    for flags, level, code in (((), "warning", 0), (("--fail-on", "secrets"), "error", 4)):
        deck = start("record", "--upstream", origin(handler).url, "--cassette", f"made-{level}", "--report-github",
                     "--quiet", *flags, cwd=root, env=env)
        requests.get(deck.url + "/blob")
        assert deck.stop() == code, deck.stderr
        found = [one for one in annotations(deck.stderr) if one["title"] == "Secret"]
        assert [one["level"] for one in found] == [level], deck.stderr
        assert TOKEN not in deck.stderr + checkout[1].read_text()


def test_run_leaves_standard_output_to_the_command(checkout, session):
    done = run("run", "--cassette", session, "--report-github", "--", "sh", "-c",
               'curl -s -o /dev/null "$TAPEDECK_URL/never"; echo mine', env=checkout[2], cwd=checkout[0])
    assert (done.returncode, done.stdout) == (3, "mine\n")
    assert "GET /never" in [one["title"] for one in annotations(done.stderr)]
    assert "tapedeck run" in checkout[1].read_text()


def test_scan_names_file_and_line(checkout):
    root, summary, env = checkout
    (root / "notes.txt").write_text(f"a note\n\nexport TOKEN={TOKEN}\n")
    done = run("scan", "notes.txt", "--report-github", "--json", cwd=root, env=env)
    assert done.returncode == 4
    (find,) = annotations(done.stderr)
    assert (find["level"], find["file"], find["line"], find["title"]) == ("error", "notes.txt", "3", "Secret")
    assert json.loads(done.stdout)[0]["finds"]
    assert "`notes.txt:3`" in summary.read_text()


def test_verify_annotates_breaking_drift_as_an_error(start, origin, checkout):
    root, summary, env = checkout
    bodies = [b'{"id": 1, "name": "a"}']
    upstream = origin(lambda exchange: reply(bodies[-1], JSON))
    deck = start("record", "--upstream", upstream.url, "--cassette", "api", cwd=root)
    requests.get(deck.url + "/users/1")
    assert deck.stop() == 0
    bodies.append(b'{"id": "one"}')
    done = run("verify", "api", "--report-github", cwd=root, env=env)
    assert done.returncode == 4, done.stderr
    (drift,) = annotations(done.stderr)
    assert drift["level"] == "error" and "$.id" in drift["message"] and (root / drift["file"]).is_file()
    assert "1 | 0 | 0" in summary.read_text()


@pytest.mark.parametrize(("verb", "arguments", "code", "message"), [
    ("replay", ["--cassette", "nowhere", "--port", "0"], 1, "nowhere"),
    ("serve", ["--mode", "nonsense", "--port", "0"], 2, "--mode takes "),
    ("replay", ["example", "--prot", "0"], 2, "unknown option --prot; did you mean --port?"),
    ("verify", ["nowhere"], 1, "nowhere"),
])
def test_a_command_that_cannot_start_is_an_error_too(checkout, verb, arguments, code, message):
    root, summary, env = checkout
    done = run(verb, *arguments, "--report-github", cwd=root, env=env)
    assert done.returncode == code, done.stderr
    (only,) = annotations(done.stderr)
    assert (only["level"], only["title"]) == ("error", f"tapedeck {verb}") and message in only["message"]
    text = summary.read_text()
    assert text.startswith(f"### `tapedeck {verb}`: failed, exit code {code}\n") and message in text
    plain = run(verb, *arguments, cwd=root, env=env)
    assert annotations(plain.stderr) == [] and summary.read_text() == text


@pytest.mark.parametrize("kind", ["absent", "folder", "link", "dangling"])
def test_where_the_summary_goes(start, checkout, session, kind, tmp_path):
    path = tmp_path / "place"
    env = dict(checkout[2], GITHUB_STEP_SUMMARY=str(path))
    real = tmp_path / "real.md"
    if kind == "absent":
        env["GITHUB_STEP_SUMMARY"] = ""
    elif kind == "folder":
        path.mkdir()
        done = run("replay", "--cassette", session, "--port", "0", "--report-github", cwd=checkout[0], env=env)
        assert done.returncode == 1 and str(path) in done.stderr and "directory" in done.stderr
        return
    else:
        path.symlink_to(real)
        if kind == "link":
            real.write_text("before\n")
    code, stderr = replayed(start, checkout, session, "/one", env=env)
    assert code == 0
    if kind == "absent":
        assert "GITHUB_STEP_SUMMARY is not set" in stderr
    else:
        assert path.is_symlink() and "tapedeck replay" in real.read_text()
        assert real.read_text().startswith("before\n") == (kind == "link")
