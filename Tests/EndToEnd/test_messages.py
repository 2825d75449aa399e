"""Messages that lead to the mend: each says what is wrong and what to do."""

import json
import re
import shutil
import signal
import subprocess

import pytest

from deck import CLEAN, Deck, binary, eventually, interactions, log_lines, run
from origin import Origin, reply
from steering import steered
from wire import fetch


@pytest.fixture
def copy(small_cassette, tmp_path):
    """A cassette to be spoilt, by the name `small`."""
    return shutil.copytree(small_cassette[0], tmp_path / "Cassettes" / "small")


def conflict(path):
    """Leaves a file as a merge does that could not decide."""
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], "<<<<<<< HEAD", lines[2], "=======", lines[2], ">>>>>>> theirs", *lines[3:]]))


# Merges

@pytest.mark.parametrize("verb", [["replay"], ["record", "--upstream", "http://127.0.0.1:9"], ["ls"], ["show"], ["lint"], ["verify"]], ids=lambda verb: verb[0])
def test_a_merge_conflict_in_a_cassette_is_called_one(copy, tmp_path, verb):
    manifest = copy / "cassette.json"
    conflict(manifest if verb[0] == "record" else next(path for path in sorted(copy.glob("*.json")) if path != manifest))
    named = ["--cassette", "small"] if verb[0] in ("replay", "record") else ["small"]
    done = run(*verb, *named, cwd=tmp_path)
    assert done.returncode in (1, 4)
    assert re.search(r"\.json:3:1: .*merge-conflict marker: keep one side and remove the markers", done.stdout + done.stderr)


@pytest.mark.parametrize("verb", [["serve", "--overrides"], ["lint"]], ids=lambda verb: verb[0])
def test_a_merge_conflict_in_an_overrides_file_is_called_one(tmp_path, verb):
    file = tmp_path / "rules.json"
    file.write_text('{\n  "routes": [\n    {"path": "/a", "status": 200}\n  ]\n}\n')
    conflict(file)
    done = run(*verb, file)
    assert done.returncode in (1, 4)
    assert "rules.json:3:1: " in done.stdout + done.stderr and "merge-conflict marker" in done.stdout + done.stderr


# Overrides

@pytest.mark.parametrize(("path", "words"), [
    (r"/users/(\d+)", "a path has no regular expressions"), (r"/users/\w+", "a path has no regular expressions"),
    ("/users/{id:[0-9]+}", "a path has no regular expressions"), ("/files/.*", "a path has no regular expressions"),
    ("/[a-z]+/x", "a path has no regular expressions"), ("/a/[^/]+", "a path has no regular expressions"),
    ("/a/{id}/{id}", "the parameter {id} stands twice in /a/{id}/{id}"), ("/a/:id/b/:id", "the parameter {id} stands twice"),
])
@pytest.mark.parametrize("kind", ["routes", "resources"])
def test_a_template_that_means_something_else_is_refused(tmp_path, kind, path, words):
    rule = {"path": path.replace("id", "owner")} if kind == "resources" else {"path": path, "status": 200}
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({kind: [rule]}))
    done = run("serve", "--overrides", file, "--port", "0")
    assert done.returncode == 1
    assert (words.replace("id", "owner") if kind == "resources" else words) in done.stderr


@pytest.mark.parametrize("path", ["/Products(1)", "/a.b/c+d", "/v1.0/x", "/a-z/[1]", "/files/*rest", "/users/{id}/posts/{post}"])
def test_an_odd_but_plain_path_is_no_regular_expression(start, tmp_path, path):
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"routes": [{"path": path, "status": 204}]}))
    deck = start("serve", "--overrides", file)
    assert fetch(deck.url, re.sub(r"\{\w+\}|\*rest", "7", path)).status in (204, 400)
    deck.stop()


# Steering

def test_a_wrong_token_is_said_to_be_wrong(start, small_cassette):
    deck, admin = steered(start, "replay", "--cassette", small_cassette[0])
    admin.http.headers["Authorization"] = "Bearer another-token-0123456789"
    assert "the token is wrong" in admin.call("GET", "/requests", expect=401)["detail"]
    del admin.http.headers["Authorization"]
    assert "the token of this run is needed" in admin.call("GET", "/requests", expect=401)["detail"]
    done = run("ctl", "--admin-port", admin.port, "--admin-token", "another-token-0123456789", "requests")
    assert done.returncode == 1 and "the token is wrong" in done.stderr


# Cassettes and files

@pytest.mark.parametrize("verb", [["replay", "--cassette"], ["serve", "--cassette"], ["ls"], ["show"], ["lint"], ["export"]], ids=lambda verb: verb[0])
def test_a_missing_cassette_with_a_near_name_is_guessed(copy, tmp_path, verb):
    done = run(*verb, "smal", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("; did you mean small?")


def test_a_missing_cassette_without_a_near_name_is_not_guessed(copy, tmp_path):
    assert "did you mean" not in run("ls", "another", cwd=tmp_path).stderr
    (tmp_path / "Cassettes" / "empty").mkdir()
    assert "did you mean" not in run("ls", "empty", cwd=tmp_path).stderr


def test_a_folder_that_cannot_be_written_is_named_with_the_reason(tmp_path):
    # Nobody makes folders in /sys, not even root.
    done = run("record", "--upstream", "http://127.0.0.1:9", "--cassette", "/sys/tapes/api", "--port", "0")
    assert done.returncode == 1
    assert re.search(r"cannot create /sys/tapes: (Operation not permitted|Permission denied|Read-only file system); .*choose another folder", done.stderr)
    assert "No such file" not in done.stderr


def test_a_report_into_a_folder_that_is_not_there_says_so(small_cassette, tmp_path):
    done = run("replay", "--cassette", small_cassette[0], "--report", tmp_path / "none" / "report.json")
    assert done.returncode == 1
    assert "its folder does not exist; make it first" in done.stderr


EMPTY_HAR = {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": []}}


def test_an_empty_har_is_said_to_be_empty(start, tmp_path):
    file = tmp_path / "empty.har"
    file.write_text(json.dumps(EMPTY_HAR))
    done = run("import", file, "--cassette", tmp_path / "imported")
    assert done.returncode == 1
    assert "it holds no exchanges; save it again once requests have been made" in done.stderr
    deck = start("replay", "--cassette", file)
    assert log_lines(deck, "warning: ", "empty.har holds no interactions", "save it again once requests have been made")
    deck.stop()


# What a new user types

@pytest.mark.parametrize(("arguments", "words"), [
    (["record", "https://api.example.com", "--cassette", "small"], "write --upstream https://api.example.com if it is the origin"),
    (["replay", "--cassette", "small", "stray"], 'two cassettes are given, "stray" and --cassette "small"'),
    (["serve", "--upstream", "http://a", "--mode", "record"], "there is no mode record; that is --mode all"),
    (["serve", "--upstream", "http://a", "--mode", "replay"], "there is no mode replay; that is --mode none"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else None)
def test_a_wrong_command_line_leads_to_the_right_one(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


# Interrupted

def test_an_interrupted_verify_reports_what_it_has(tmp_path):
    stalls = []

    def handler(exchange):
        if stalls and exchange.request.target != b"/1":
            stalls.append(exchange)
            exchange.wait_for_close()
        return reply(b'{"a": 1}', b"Content-Type: application/json")

    with Origin(handler) as origin:
        with Deck(tmp_path / "deck", "record", "--upstream", origin.url, "--cassette", tmp_path / "api") as deck:
            for number in range(1, 5):
                fetch(deck.url, f"/{number}")
            assert deck.stop() == 0
        stalls.append(None)
        process = subprocess.Popen([binary(), "verify", tmp_path / "api", "--jobs", "2", "--json"], env=CLEAN,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            eventually(lambda: len(stalls) == 3, "two requests that stall")
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=15)
        finally:
            process.kill()
            process.wait()
    report = json.loads(stdout)
    assert (report["same"], report["skipped"]) == (1, 3)
    assert "interrupted: 3 of 4 requests have no result" in stderr
    assert process.returncode == 1
