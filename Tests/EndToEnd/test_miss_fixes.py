"""What a miss suggests is run as it is printed, and cures the miss: whatever kind of miss it was."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deck import binary, interactions, run
from origin import counting
from wire import fetch

JSON, FORM = b"Content-Type: application/json", b"Content-Type: application/x-www-form-urlencoded"
PARTS = b"Content-Type: multipart/form-data; boundary=cut"


def part(value: bytes) -> bytes:
    return b'--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n%s\r\n--cut--\r\n' % value


def ask(url, method, target, *fields, body=None):
    return fetch(url, target, *fields, method=method, body=body)


def words(command: str) -> list[list[str]]:
    """The arguments of each call of tapedeck, as a shell reads them."""
    script = f'tapedeck() {{ printf "%s\\0" "$@" $\'\\n\'; }}\n{command}'
    shown = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    return [[word.decode() for word in call.split(b"\0")[:-1]] for call in shown.split(b"\n\0")[:-1]]


def cured(start, command: str, cwd: Path, placeholders=None):
    """Runs what is printed; the last of it is a proxy."""
    *before, last = words(command)
    for call in before:
        done = run(*call, cwd=cwd)
        assert done.returncode == 0, done.stderr
    return start(*[(placeholders or {}).get(word, word) for word in last], cwd=cwd)


def assert_cures(start, tmp_path, problem, request, *, folder: str, curl=True, again=True):
    """Runs each of the commands on a copy of the cassette's folder, and asks what was missed."""
    assert problem["fixes"], problem
    for index, fix in enumerate(problem["fixes"]):
        work = tmp_path / f"cure-{index}"
        shutil.copytree(tmp_path / folder, work)
        deck = cured(start, fix["command"], work)
        answer = ask(deck.url, *request[:-1], body=request[-1])
        assert answer.status == 200, (fix["command"], answer.body)
        deck.stop()
        if curl:
            deck = cured(start, fix["command"], work)
            line = problem["curl"].replace("http://localhost", deck.url)
            done = subprocess.run(["bash", "-c", f"{line} -s -o /dev/null -w '%{{http_code}}'"], capture_output=True, text=True)
            assert done.stdout == "200", (line, done.stderr)
            deck.stop()


KINDS = {
    "method": ([], (b"GET", "/a", None), (b"DELETE", "/a", None)),
    "path": ([], (b"GET", "/a", None), (b"GET", "/b", None)),
    "odd path": ([], (b"GET", "/a", None), (b"GET", "/it's%20$HOME/(x);rm;%60id%60/%22?q=%27&r=$(id)", None)),
    "query": ([], (b"GET", "/a?page=1", None), (b"GET", "/a?page=2", None)),
    "volatile query": ([], (b"GET", "/a?ts=1", None), (b"GET", "/a?ts=2", None)),
    "JSON": ([], (b"POST", "/a", JSON, b'{"n": 1}'), (b"POST", "/a", JSON, b'{"n": 2}')),
    "volatile JSON": ([], (b"POST", "/a", JSON, b'{"nonce": "a", "it\'s": 1}'), (b"POST", "/a", JSON, b'{"nonce": "b", "it\'s": 1}')),
    "JSON in an array": ([], (b"POST", "/a", JSON, b'[{"nonce": "a"}]'), (b"POST", "/a", JSON, b'[{"nonce": "b"}]')),
    "form": ([], (b"POST", "/a", FORM, b"q=1"), (b"POST", "/a", FORM, b"q=2")),
    "volatile form": ([], (b"POST", "/a", FORM, b"q=1&nonce=a"), (b"POST", "/a", FORM, b"q=1&nonce=b")),
    "multipart": ([], (b"POST", "/a", PARTS, part(b"1")), (b"POST", "/a", PARTS, part(b"2"))),
    "bytes": ([], (b"POST", "/a", b"Content-Type: image/png", b"\x00\x01\xfe"), (b"POST", "/a", b"Content-Type: image/png", b"\x00\x02\xff'")),
    "header": (["--match", "headers:x-tenant"], (b"GET", "/a", b"X-Tenant: one", None), (b"GET", "/a", b"X-Tenant: two", None)),
    "rules": (["--match", "method,path,body:ignore=$.id+$['it,s'].x"],
              (b"POST", "/a?x=1", JSON, b'{"id": 1, "n": 1}'), (b"POST", "/a?x=2", JSON, b'{"id": 2, "n": 2}')),
    "ignored query": (["--match", "query:ignore=a b+ts*"], (b"GET", "/a?ts1=1&n=1", None), (b"GET", "/a?ts2=1&n=2", None)),
    "host": (["--match", "host"], (b"GET", "/a", b"Host: one.test", None), (b"GET", "/a", b"Host: two.test", None)),
}


@pytest.mark.parametrize("mode", ["replay", "once"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_miss_suggests_cures_it(start, origin, tmp_path, kind, mode):
    options, known, asked = KINDS[kind]
    upstream = origin(counting())
    (tmp_path / "work").mkdir()
    recorder = start("record", "--upstream", upstream.url, "--cassette", "api", cwd=tmp_path / "work")
    assert ask(recorder.url, *known[:-1], body=known[-1]).status == 200
    assert recorder.stop() == 0
    running = ["replay"] if mode == "replay" else ["serve", "--mode", "once", "--upstream", upstream.url]
    deck = start(*running, "--cassette", "api", *options, cwd=tmp_path / "work")
    # A host that was not compared is not recorded.
    if kind != "host":
        assert ask(deck.url, *known[:-1], body=known[-1]).status == 200
    answer = ask(deck.url, *asked[:-1], body=asked[-1])
    assert answer.status == 502
    assert deck.stop() == 3
    problem = json.loads(answer.body.replace(deck.authority, b"localhost"))
    assert (len(problem["fixes"]) == 2) == ("volatile" in kind or "array" in kind)
    for fix in problem["fixes"]:
        assert ("--match" in fix["command"]) == bool(options or fix != problem["fixes"][-1])
    assert_cures(start, tmp_path, problem, asked, folder="work", curl=kind != "host")


def test_what_is_recorded_by_the_suggestion_is_replayed_under_the_same_rules(start, origin, tmp_path):
    upstream = origin(counting())
    rules = ["--match", "method,path,headers:x-tenant"]
    recorder = start("record", "--upstream", upstream.url, "--cassette", "api", cwd=tmp_path)
    ask(recorder.url, b"GET", "/a", b"X-Tenant: one")
    recorder.stop()
    deck = start("replay", "--cassette", "api", *rules, cwd=tmp_path)
    problem = json.loads(ask(deck.url, b"GET", "/a", b"X-Tenant: two").body)
    deck.stop()
    deck = cured(start, problem["fix"], tmp_path)
    assert ask(deck.url, b"GET", "/a", b"X-Tenant: two").status == 200
    assert deck.stop() == 0
    # With the rules of the miss, as it was started before.
    deck = start("replay", "--cassette", "api", *rules, cwd=tmp_path)
    answers = [ask(deck.url, b"GET", "/a", b"X-Tenant: " + name).body for name in (b"one", b"two")]
    assert answers == [b"answer 1", b"answer 2"]


@pytest.mark.parametrize("mode", [[], ["--on-exhausted", "miss"]], ids=["default", "miss"])
def test_what_a_miss_suggests_when_the_responses_have_run_out_cures_it(start, origin, tmp_path, mode):
    upstream = origin(counting())
    (tmp_path / "work").mkdir()
    recorder = start("record", "--upstream", upstream.url, "--cassette", "api", cwd=tmp_path / "work")
    ask(recorder.url, b"GET", "/a")
    recorder.stop()
    deck = start("replay", "--cassette", "api", *mode, cwd=tmp_path / "work")
    assert ask(deck.url, b"GET", "/a").status == 200
    answer = ask(deck.url, b"GET", "/a")
    if not mode:
        assert answer.status == 200
        return
    assert answer.status == 502
    problem = json.loads(answer.body)
    deck.stop()
    for index, fix in enumerate(problem["fixes"]):
        shutil.copytree(tmp_path / "work", tmp_path / f"cure-{index}")
        deck = cured(start, fix["command"], tmp_path / f"cure-{index}")
        assert [ask(deck.url, b"GET", "/a").status for _ in range(2)] == [200, 200]


@pytest.mark.parametrize("name", ["./my cassettes/it's", "--odd/name", "./$(id);x", "./*"])
def test_a_cassette_given_as_an_odd_path_is_quoted(start, origin, tmp_path, name):
    upstream = origin(counting())
    (tmp_path / "work").mkdir()
    recorder = start("record", "--upstream", upstream.url, f"--cassette={name}", cwd=tmp_path / "work")
    ask(recorder.url, b"GET", "/a?ts=1")
    assert recorder.stop() == 0
    deck = start("replay", f"--cassette={name}", cwd=tmp_path / "work")
    problem = json.loads(ask(deck.url, b"GET", "/a?ts=2").body.replace(deck.authority, b"localhost"))
    deck.stop()
    assert len(problem["fixes"]) == 2
    assert_cures(start, tmp_path, problem, (b"GET", "/a?ts=2", None), folder="work")


@pytest.mark.parametrize("name", ["session.har", "my session.v2.har"])
def test_what_a_miss_in_a_har_suggests_cures_it(start, origin, tmp_path, name):
    upstream = origin(counting())
    (tmp_path / "work").mkdir()
    recorder = start("record", "--upstream", upstream.url, "--cassette", tmp_path / "recorded")
    ask(recorder.url, b"GET", "/a?ts=1")
    recorder.stop()
    assert run("export", tmp_path / "recorded", "-o", tmp_path / "work" / name).returncode == 0
    for target, count in [("/b", 1), ("/a?ts=2", 2)]:
        deck = start("replay", "--cassette", f"./{name}", cwd=tmp_path / "work")
        assert ask(deck.url, b"GET", "/a?ts=1").status == 200
        problem = json.loads(ask(deck.url, b"GET", target).body.replace(deck.authority, b"localhost"))
        deck.stop()
        assert len(problem["fixes"]) == count
        assert "cassette.json" not in json.dumps(problem)
        assert_cures(start, tmp_path, problem, (b"GET", target, None), folder="work")
        for index in range(count):
            shutil.rmtree(tmp_path / f"cure-{index}")


def test_what_a_miss_in_an_empty_cassette_suggests_cures_it(start, recorded, tmp_path):
    recorded("/only")
    for name in interactions(tmp_path / "cassette"):
        (tmp_path / "cassette" / name).unlink()
    deck = start("replay", "--cassette", "./cassette", cwd=tmp_path)
    problem = json.loads(ask(deck.url, b"GET", "/any").body)
    deck.stop()
    deck = cured(start, problem["fix"], tmp_path)
    assert ask(deck.url, b"GET", "/any").status == 200


def test_what_a_miss_without_a_cassette_suggests_cures_it_once_the_names_are_put_in(start, origin, tmp_path):
    deck = start("serve", cwd=tmp_path)
    problem = json.loads(ask(deck.url, b"GET", "/any").body)
    deck.stop()
    assert problem["fixes"][0]["because"] == "to record it (put in NAME and URL)"
    upstream = origin(counting())
    deck = cured(start, problem["fix"], tmp_path, {"NAME": "api", "URL": upstream.url})
    assert ask(deck.url, b"GET", "/any").status == 200


def test_what_a_miss_in_a_cassette_of_no_origin_suggests_says_what_to_put_in(start, origin, recorded, tmp_path):
    recorded("/only")
    manifest = tmp_path / "cassette" / "cassette.json"
    manifest.write_text(json.dumps({name: value for name, value in json.loads(manifest.read_text()).items() if name != "upstream"}))
    deck = start("replay", "--cassette", "./cassette", cwd=tmp_path)
    problem = json.loads(ask(deck.url, b"GET", "/any").body)
    deck.stop()
    assert problem["fixes"][0]["because"].endswith("(put in URL)")
    upstream = origin(counting())
    deck = cured(start, problem["fix"], tmp_path, {"URL": upstream.url})
    assert ask(deck.url, b"GET", "/any").status == 200


def test_what_a_miss_of_run_suggests_cures_it(origin, tmp_path):
    upstream = origin(counting())
    ask_for = lambda target: ["--", "sh", "-c", f"curl -sf $TAPEDECK_URL{target}"]
    done = run("run", "--upstream", upstream.url, "--cassette", "api", *ask_for("/a"), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "answer 1")
    done = run("run", "--cassette", "api", *ask_for("/b"), cwd=tmp_path)
    assert done.returncode == 22
    command = next(line for line in done.stderr.splitlines() if "to record it into this cassette" in line).split(": ", 2)[2]
    call, = words(command)
    assert call[-2:] == ["--", "COMMAND"]
    done = run(*call[:-2], *ask_for("/b"), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "answer 2")
