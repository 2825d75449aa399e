"""Routes of an overrides file, asked by real clients, and the file read anew while they ask."""

import json
import os
import socket
import struct
import subprocess
import threading
import time
from itertools import count
from pathlib import Path

import pytest
import requests

from deck import Deck, eventually, log_lines, run
from wire import Wire, fetch


@pytest.fixture
def serve(start, tmp_path):
    """Starts a proxy with an overrides file of these routes."""

    def serve(*routes, options=(), **others) -> Deck:
        file = tmp_path / "overrides.json"
        file.write_text(json.dumps({"routes": list(routes), **others}))
        return start("serve", "--overrides", file, *options)

    return serve


# Members of a route


def test_an_answer_is_as_declared(serve):
    deck = serve({"method": "POST", "path": "/users/{id}", "status": 503, "headers": {"Retry-After": "1", "Set-Cookie": ["a=1", "b=2"]},
                  "json": {"id": "{{components.id}}", "n": "{{body.n}}", "all": "{{body}}", "m": "{{method}} {{path}}"}})
    answer = requests.post(f"{deck.url}/users/a%20b", json={"n": 1.5}, timeout=30)
    assert (answer.status_code, answer.headers["Content-Type"], answer.headers["Retry-After"]) == (503, "application/json", "1")
    assert answer.raw.headers.getlist("Set-Cookie") == ["a=1", "b=2"]
    assert answer.json() == {"id": "a b", "n": 1.5, "all": {"n": 1.5}, "m": "POST /users/a%20b"}
    assert requests.get(f"{deck.url}/users/1", timeout=30).status_code == 502


def test_curl_asks_for_the_head_alone(serve):
    deck = serve({"path": "/a", "text": "hello {{query.name}}"}, {"path": "/none", "status": 204, "text": "x"})
    done = subprocess.run(["curl", "-sSI", f"{deck.url}/a?name=b"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and "HTTP/1.1 200" in done.stdout and "text/plain; charset=utf-8" in done.stdout
    done = subprocess.run(["curl", "-sS", "-m", "20", f"{deck.url}/a?name=b+c", f"{deck.url}/none", f"{deck.url}/a"],
                          capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout) == (0, "hello b chello ")


def test_bodies_come_from_files_beside_the_file(serve, tmp_path):
    (tmp_path / "bodies").mkdir()
    image = bytes(range(256)) * 1000
    (tmp_path / "bodies" / "logo.png").write_bytes(image)
    (tmp_path / "page.html").write_text("<p>{{components.id}}</p>")
    (tmp_path / "page.html.mustache").write_text("<p>{{components.id}}</p>")
    (tmp_path / "user.json.mustache").write_text('{"name": "{{query.name}}"}')
    deck = serve({"path": "/logo", "file": "bodies/logo.png"}, {"path": "/plain/{id}", "file": "page.html"},
                 {"path": "/page/{id}", "file": "page.html.mustache"}, {"path": "/user", "file": "user.json.mustache"})
    answers = {path: requests.get(deck.url + path, timeout=30) for path in
               ("/logo", "/plain/1", "/page/%3Cb%3E", '/user?name="quoted"')}
    assert [(answer.headers["Content-Type"], answer.content) for answer in answers.values()] == [
        ("image/png", image), ("text/html; charset=utf-8", b"<p>{{components.id}}</p>"),
        ("text/html; charset=utf-8", b"<p>&lt;b&gt;</p>"), ("application/json", b'{"name": "\\"quoted\\""}')]


@pytest.mark.parametrize("name", ["../secret.txt", "link.txt", "pipe", "folder", "missing.txt", "/etc/hostname"])
def test_no_other_file_is_given(tmp_path, name):
    folder = tmp_path / "in"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(folder / "pipe")
    file = folder / "overrides.json"
    file.write_text(json.dumps({"routes": [{"path": "/a", "file": name}]}))
    done = run("serve", "--overrides", file, "--port", "0")
    assert done.returncode == 1
    assert f"{file}:1:28: routes[0].file: cannot read" in done.stderr


def test_conditions_choose_the_answer(serve):
    deck = serve({"method": "*", "path": "/a", "text": "none"},
                 {"method": "*", "path": "/a", "when": {"query": {"q": "a b"}}, "text": "query"},
                 {"method": "*", "path": "/a", "when": {"headers": {"x-mark": {"startsWith": "m"}}}, "text": "header"},
                 {"method": "*", "path": "/a", "when": {"form": {"user": "Ann"}}, "text": "form"},
                 {"method": "*", "path": "/a", "when": {"json": {"user": {"role": "admin"}}}, "text": "json"},
                 {"method": "*", "path": "/a", "when": {"jsonPath": {"$.tags[*]": "new"}}, "text": "path"},
                 {"method": "*", "path": "/a", "when": {"body": {"contains": "needle"}}, "text": "body"})
    url = f"{deck.url}/a"
    asked = {
        "none": {}, "query": {"params": {"q": "a b"}}, "header": {"headers": {"X-Mark": "me"}}, "form": {"data": {"user": "Ann"}},
        "json": {"json": {"user": {"role": "admin", "id": 1}}}, "path": {"json": {"tags": ["old", "new"]}}, "body": {"data": "a needle"},
    }
    assert {name: requests.post(url, timeout=30, **how).text for name, how in asked.items()} == {name: name for name in asked}


def test_answers_come_in_turn(serve):
    answers = [{"status": 503, "headers": {"Retry-After": "0"}}, {"status": 429}, {"json": {"ok": True}}]
    deck = serve({"path": "/stays", "sequence": answers}, {"path": "/loops", "sequence": answers, "onEnd": "loop"},
                 {"path": "/ends", "sequence": answers, "onEnd": "pass"}, {"path": "/second", "on": 2, "status": 500},
                 {"path": "/twice", "times": 2, "status": 500}, {"path": "/later", "after": 2, "status": 500})
    def five(path):
        return [fetch(deck.url, path).status for _ in range(5)]
    assert five("/stays") == [503, 429, 200, 200, 200]
    assert five("/loops") == [503, 429, 200, 503, 429]
    assert five("/ends") == [503, 429, 200, 502, 502]
    assert five("/second") == [502, 500, 502, 502, 502]
    assert five("/twice") == [500, 500, 502, 502, 502]
    assert five("/later") == [502, 502, 500, 500, 500]


def test_a_client_that_tries_again_gets_through(serve):
    from requests.adapters import HTTPAdapter, Retry
    deck = serve({"path": "/flaky", "sequence": [{"status": 503}, {"status": 503}, {"text": "at last"}]})
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=Retry(total=3, backoff_factor=0, status_forcelist=[503])))
    assert session.get(f"{deck.url}/flaky", timeout=30).text == "at last"


def test_probability_is_the_same_in_every_run(serve):
    def run():
        deck = serve({"path": "/a", "probability": 0.3, "seed": 11, "status": 500})
        statuses = []
        with Wire(deck.url) as wire:
            for _ in range(200):
                wire.ask(b"/a")
                statuses.append(wire.answer().status)
        return statuses
    first = run()
    assert run() == first
    assert 30 <= first.count(500) <= 90


def test_a_delay_holds_up_nobody_else(serve):
    deck = serve({"path": "/slow", "delay": 0.5, "text": "slow"}, {"path": "/range", "delay": {"min": 0.2, "max": 0.3}},
                 {"path": "/fast", "text": "fast"}, options=("--threads", "1"))
    began = time.monotonic()
    with Wire(deck.url) as slow, Wire(deck.url) as ranged:
        slow.ask(b"/slow")
        ranged.ask(b"/range")
        with Wire(deck.url) as fast:
            for _ in range(20):
                fast.ask(b"/fast")
                assert fast.answer().body == b"fast"
        assert time.monotonic() - began < 0.45, "the loop was held up"
        ranged.answer()
        assert time.monotonic() - began >= 0.2
        assert slow.answer().body == b"slow"
        assert time.monotonic() - began >= 0.5


def test_a_client_that_leaves_during_a_delay_is_forgotten(serve):
    deck = serve({"path": "/slow", "delay": 30, "text": "slow"}, {"path": "/a", "text": "a"})
    for _ in range(20):
        with Wire(deck.url) as wire:
            wire.ask(b"/slow")
            # A reset: a client that has only finished sending still waits for its answer.
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert fetch(deck.url, "/a").body == b"a"
    began = time.monotonic()
    assert deck.stop() == 0
    assert time.monotonic() - began < 9


def test_what_goes_wrong_on_the_way(serve):
    deck = serve({"path": "/reset", "fault": "reset_peer"}, {"path": "/empty", "fault": {"type": "empty_response"}},
                 {"path": "/short", "text": "0123456789", "fault": {"type": "limit_data", "bytes": 4}}, {"path": "/a", "text": "a"},
                 {"path": "/once", "sequence": [{"fault": "empty_response"}, {"text": "well"}]})
    for path in ("/reset", "/empty", "/short", "/once"):
        with pytest.raises(requests.RequestException):
            requests.get(deck.url + path, timeout=30).content
    assert requests.get(f"{deck.url}/once", timeout=30).text == "well"
    assert fetch(deck.url, "/a").body == b"a"


def test_nothing_a_client_sends_ends_a_header_line(serve):
    deck = serve({"path": "/go/{to}", "status": 302, "headers": {"Location": "/{{components.to}}", "X-Mark": "{{body.a}}"}})
    answer = fetch(deck.url, "/go/a%0d%0aX-Evil:%201", body=b'{"a": "b\\r\\nX-Evil: 2"}')
    assert answer.value(b"X-Evil") is None
    assert (answer.value(b"Location"), answer.value(b"X-Mark")) == (b"/a  X-Evil: 1", b"b  X-Evil: 2")


def test_explain_names_the_route(serve):
    deck = serve({"path": "/a", "id": "down"}, options=("--explain",))
    assert b"down" in fetch(deck.url, "/a").value(b"Tapedeck-Answer")


# The file


BROKEN = [
    ("", "1:1: not JSON: the JSON ends too early"),
    ('{"routes": [\n  {"path": "/a"},\n]}', "3:1: not JSON: unexpected `]`"),
    ('{\n  // a comment\n}', "2:3: not JSON: a member name in double quotes is expected"),
    ('{"routes": [\n  {"path": "/a",\n   "staus": 200}]}', "3:4: routes[0].staus: unknown member; did you mean status?"),
    ('{"routes": [\n  {"path": "/a",\n   "status": 20}]}', "3:4: routes[0].status: must be a whole number from 200 to 999"),
    ('{"route": []}', "1:2: route: unknown member; did you mean routes?"),
    ('{"routes": [{"path": "/a", "text": "{{components.id}}"}]}', "1:28: routes[0].text: {{components.id}}: the path has no parameters"),
    ('{"routes": [{"path": "/a", "when": {"headers": {"X": 1, "Y": null}}}]}', "1:57: routes[0].when.headers.Y: must be a text"),
]


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_a_broken_file_is_told_with_line_and_column(tmp_path, text, problem):
    file = tmp_path / "down.json"
    file.write_text(text)
    done = run("serve", "--overrides", "down.json", "--port", "0", cwd=tmp_path)
    assert done.returncode == 1
    assert f"tapedeck: down.json:{problem}" in done.stderr
    assert "listening" not in done.stderr


def test_lint_tells_all_that_is_wrong(tmp_path):
    file = tmp_path / "down.json"
    file.write_text('{"routes": [\n{"path": 1},\n{"path": "/a"},\n{"path": "/b", "status": 1}]}')
    done = run("lint", "down.json", cwd=tmp_path)
    assert done.returncode == 4
    assert done.stdout.splitlines() == [
        "error: down.json:2:2: routes[0].path: must be a text [overrides]",
        "error: down.json:4:16: routes[2].status: must be a whole number from 200 to 999 [overrides]",
        "down.json: 1 rule, 2 errors, 0 warnings, 0 remarks"]
    done = run("serve", "--overrides", "down.json", "--port", "0", cwd=tmp_path)
    assert "(and 1 more: tapedeck lint down.json tells all)" in done.stderr
    file.write_text('{"routes": [{"path": "/a"}]}')
    done = run("lint", "--json", "down.json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)) == (0, [{"cassette": "down.json", "rules": 1, "findings": []}])
    assert run("lint", "--fix", "down.json", cwd=tmp_path).returncode == 2


def test_a_file_may_be_a_pipe(start):
    read, write = os.pipe()
    os.write(write, b'{"routes": [{"path": "/a", "text": "piped"}]}')
    os.close(write)
    os.set_inheritable(read, True)
    # Only a shell passes on descriptors by name, so the deck is told where it will find ours.
    deck = start("serve", "--overrides", f"/proc/{os.getpid()}/fd/{read}")
    os.close(read)
    assert fetch(deck.url, "/a").body == b"piped"
    assert "broken" not in deck.stderr and deck.stderr.count("overrides:") == 1


# Read anew


class Saving:
    """Saves a file in the ways of editors, and waits for what the proxy says about it."""

    def __init__(self, deck: Deck, file: Path):
        self.deck, self.file, self.numbers = deck, file, count()

    @property
    def said(self) -> list[str]:
        return [line.partition("overrides: ")[2] for line in log_lines(self.deck, "tapedeck: overrides: ")]

    def after(self, change) -> str:
        """What is said about a change."""
        before = len(self.said)
        change()
        eventually(lambda: len(self.said) > before, "something is said about the overrides")
        return self.said[before]

    def in_place(self, text: str) -> None:
        self.file.write_text(text)

    def by_rename(self, text: str) -> None:
        new = self.file.with_name(f".{self.file.name}.{next(self.numbers)}")
        new.write_text(text)
        new.rename(self.file)

    def with_backup(self, text: str) -> None:
        """As vim does where links or owners matter."""
        backup = self.file.with_name(self.file.name + "~")
        self.file.rename(backup)
        self.file.write_text(text)
        backup.unlink()

    def by_link(self, text: str) -> None:
        """As configuration that is mounted changes: a link to a folder is swapped."""
        new = self.file.parent / f"..{next(self.numbers)}"
        new.mkdir()
        (new / self.file.name).write_text(text)
        link = self.file.parent / "..new"
        link.symlink_to(new.name)
        link.rename(self.file.parent / "..data")

    def by_git(self, text: str) -> None:
        self.file.unlink()
        self.file.write_text(text)


def version(number: int) -> str:
    return json.dumps({"routes": [{"path": "/version", "headers": {"X-Version": str(number)}, "json": {"version": number}}]})


@pytest.fixture
def saving(start, tmp_path):
    file = tmp_path / "rules" / "overrides.json"
    file.parent.mkdir()
    file.write_text(version(0))
    deck = start("serve", "--overrides", file, "--quiet")
    return Saving(deck, file)


def asked(deck: Deck) -> int:
    return json.loads(fetch(deck.url, "/version").body)["version"]


@pytest.mark.parametrize("way", ["in_place", "by_rename", "with_backup", "by_git"])
def test_a_saved_file_is_there_for_the_next_request(saving, way):
    for number in range(1, 6):
        said = saving.after(lambda: getattr(saving, way)(version(number)))
        assert said == f"1 route from {saving.file}"
        assert asked(saving.deck) == number
    assert len(saving.said) == 6, saving.said


def test_a_file_behind_links_is_followed(start, tmp_path):
    folder = tmp_path / "mounted"
    folder.mkdir()
    saving = Saving(None, folder / "overrides.json")
    saving.by_link(version(0))
    saving.file.symlink_to("..data/overrides.json")
    saving.deck = start("serve", "--overrides", saving.file, "--quiet")
    for number in range(1, 4):
        assert saving.after(lambda: saving.by_link(version(number))) == f"1 route from {saving.file}"
        assert asked(saving.deck) == number


def test_a_broken_save_keeps_the_rules_and_is_told_once(saving):
    for number, (text, problem) in enumerate(BROKEN, 1):
        for way in (saving.in_place, saving.by_rename):
            said = saving.after(lambda: way(text))
            assert said.startswith(f"{saving.file}:{problem}") and said.endswith("; the previous rules stay")
        assert asked(saving.deck) == number - 1
        assert saving.after(lambda: saving.by_rename(version(number))) == f"1 route from {saving.file}"
        assert asked(saving.deck) == number
    assert len(saving.said) == 1 + 3 * len(BROKEN)


def test_a_half_written_file_is_not_told_of(saving):
    text = version(1)
    with saving.file.open("w") as half:
        half.write(text[:20])
        half.flush()
        half.write(text[20:])
    eventually(lambda: asked(saving.deck) == 1, "the new version answers")
    # What comes later shows that nothing was said between.
    saving.after(lambda: saving.in_place(version(2)))
    assert saving.said == [f"1 route from {saving.file}"] * 3


def test_a_deleted_file_keeps_the_rules(saving):
    assert saving.after(saving.file.unlink) == (
        f"cannot read {saving.file}: No such file or directory; the previous rules stay")
    assert asked(saving.deck) == 0
    assert saving.after(lambda: saving.in_place(version(1))) == f"1 route from {saving.file}"
    assert asked(saving.deck) == 1


def test_a_folder_that_goes_and_comes_is_followed(saving):
    away = saving.file.parent.with_name("away")
    saving.after(lambda: saving.file.parent.rename(away))
    assert asked(saving.deck) == 0
    def come_back():
        (away / saving.file.name).write_text(version(1))
        away.rename(saving.file.parent)
    assert saving.after(come_back) == f"1 route from {saving.file}"
    assert asked(saving.deck) == 1
    assert saving.after(lambda: saving.by_rename(version(2))) == f"1 route from {saving.file}"


def test_files_that_rules_name_are_followed_too(start, tmp_path):
    bodies = tmp_path / "bodies"
    bodies.mkdir()
    (bodies / "a.json").write_text("[1]")
    file = tmp_path / "overrides.json"
    file.write_text('{"routes": [{"path": "/a", "file": "bodies/a.json"}]}')
    deck = start("serve", "--overrides", file, "--quiet")
    saving = Saving(deck, file)
    assert fetch(deck.url, "/a").body == b"[1]"
    saving.after(lambda: (bodies / "a.json").write_text("[2]"))
    assert fetch(deck.url, "/a").body == b"[2]"
    assert "bodies/b.json: No such file" in saving.after(
        lambda: saving.in_place('{"routes": [{"path": "/a", "file": "bodies/b.json"}]}'))
    assert fetch(deck.url, "/a").body == b"[2]"
    saving.after(lambda: (bodies / "b.json").write_text("[3]"))
    assert fetch(deck.url, "/a").body == b"[3]"


def test_a_save_begins_all_counts_anew(saving):
    rules = '{"routes": [{"path": "/version", "sequence": [{"json": {"version": 1}}, {"json": {"version": 2}}]}]}'
    for _ in range(2):
        saving.after(lambda: saving.in_place(rules))
        assert [asked(saving.deck) for _ in range(3)] == [1, 2, 2]


def test_the_watcher_sleeps_while_nothing_changes(start, tmp_path):
    file = tmp_path / "overrides.json"
    file.write_text(version(0))
    deck = start("serve", "--overrides", file, "--quiet", "--threads", "1")
    saving = Saving(deck, file)
    saving.after(lambda: saving.in_place(version(1)))

    def switches() -> dict[str, str]:
        tasks = Path(f"/proc/{deck.process.pid}/task").iterdir()
        return {task.name: (task / "status").read_text().partition("\nvoluntary_ctxt_switches:")[2] for task in tasks}

    def woken(doing) -> set[str]:
        before = switches()
        doing()
        after = switches()
        assert before.keys() == after.keys()
        return {task for task in before if before[task] != after[task]}

    def ask_much():
        for _ in range(200):
            assert asked(deck) == 1

    serving = woken(ask_much)
    assert len(serving) == 1, "the loop that serves, and no other thread"
    assert woken(lambda: saving.after(lambda: saving.in_place(version(2)))) - serving, "the watcher"


def test_no_answer_is_wrong_while_the_file_is_saved(saving):
    """64 clients ask while the file is saved 50 times: whoever asks after a version was announced gets it, or a later one."""
    announced, stop, wrong, answers = [0], threading.Event(), [], count()

    def client():
        try:
            with Wire(saving.deck.url) as wire:
                while not stop.is_set():
                    least = announced[0]
                    wire.ask(b"/version")
                    answer = wire.answer()
                    got = json.loads(answer.body)["version"]
                    next(answers)
                    if answer.status != 200 or got < least or answer.value(b"X-Version") != b"%d" % got:
                        wrong.append((least, answer))
        except Exception as error:
            wrong.append(error)

    clients = [threading.Thread(target=client) for _ in range(64)]
    for each in clients:
        each.start()
    try:
        for number in range(1, 51):
            way = [saving.in_place, saving.by_rename, saving.with_backup][number % 3]
            if number % 10 == 0:
                assert "stay" in saving.after(lambda: saving.by_rename("{broken"))
            assert saving.after(lambda: way(version(number))) == f"1 route from {saving.file}"
            announced[0] = number
            assert asked(saving.deck) == number
    finally:
        stop.set()
        for each in clients:
            each.join()
    assert wrong == []
    assert next(answers) > 1000
    assert len(saving.said) == 56
