"""The command: what it says, what it refuses, and how it ends."""

import itertools
import json
import os
import random
import re
import signal
import socket
import subprocess
import threading

import pytest

from deck import CLEAN, Deck, assert_no_crash, binary, eventually, interactions, run
from origin import reply
from wire import Wire, fetch

VERBS = ["record", "replay", "serve", "ls", "show", "demo"]
UNUSED = "http://127.0.0.1:9"  # a valid upstream that no test reaches


def counting():
    """An origin's handler whose every answer is a new one."""
    numbers = itertools.count(1)
    return lambda exchange: reply(b"answer %d" % next(numbers), b"Content-Type: text/plain")


def ask(url: str, target="/uuid", times: int = 3) -> list[bytes]:
    return [fetch(url, target).body for _ in range(times)]


FIRST_THREE = [b"answer 1", b"answer 2", b"answer 3"]


@pytest.fixture
def recorded(start, origin, cassette):
    """Records some targets from a counting origin."""

    def recorded(*targets, path=cassette):
        deck = start("record", "--upstream", origin(counting()).url, "--cassette", path)
        answers = [fetch(deck.url, target).body for target in targets]
        assert deck.stop() == 0, deck.stderr
        return answers

    return recorded


# Help


@pytest.mark.parametrize("arguments", [["--help"], ["help"], ["-h"]], ids=" ".join)
def test_help_names_every_verb(arguments):
    done = run(*arguments)
    assert done.returncode == 0
    for verb in VERBS:
        assert re.search(rf"\b{verb}\b", done.stdout), verb


@pytest.mark.parametrize("verb", VERBS)
def test_help_explains_each_verb(verb):
    by_name, by_flag = run("help", verb), run(verb, "--help")
    assert by_name.returncode == by_flag.returncode == 0
    assert f"tapedeck {verb}" in by_name.stdout
    assert by_flag.stdout == by_name.stdout


def test_help_names_the_options_of_a_verb():
    text = run("help", "record").stdout
    for option in ("--upstream", "--cassette", "--listen", "--port", "--ready-file", "--cacert", "--insecure"):
        assert option in text, option


def test_version_names_libcurl():
    done = run("--version")
    assert done.returncode == 0
    assert re.match(r"tapedeck \d", done.stdout)
    assert re.search(r"libcurl.\d+\.\d+", done.stdout)


# Wrong use: one clear line, and exit code 2

REPLAY = ["replay", "--cassette", "x"]
RECORD = ["record", "--cassette", "x", "--upstream", UNUSED]
WRONG = [
    (["frobnicate"], "frobnicate"),
    (["--frobnicate"], "--frobnicate"),
    (["help", "frobnicate"], "frobnicate"),
    ([*REPLAY, "--frobnicate"], "--frobnicate"),
    ([*REPLAY, "--frobnicate=1"], "--frobnicate"),
    ([*REPLAY, "stray"], "stray"),
    (["replay", "--cassette"], "--cassette"),
    (["replay", "--cassette", ""], "--cassette"),
    ([*RECORD, "--port"], "--port"),
    (["replay"], "--cassette"),
    (["record", "--upstream", UNUSED], "--cassette"),
    (["record", "--cassette", "x"], "--upstream"),
    (["ls"], "cassette"),
    (["show"], "cassette"),
    ([*REPLAY, "--port", "65536"], "65536"),
    ([*REPLAY, "--port", "-1"], "-1"),
    ([*REPLAY, "--port", "eighty"], "eighty"),
    ([*REPLAY, "--port", "+80"], "+80"),
    ([*REPLAY, "--listen", "127.0.0.1:99999"], "127.0.0.1:99999"),
    ([*REPLAY, "--listen", "127.0.0.1"], "127.0.0.1"),
    ([*REPLAY, "--threads", "0"], "--threads"),
    ([*REPLAY, "--threads", "many"], "many"),
    ([*REPLAY, "--log-format", "xml"], "xml"),
    ([*REPLAY, "--on-exhausted", "panic"], "panic"),
    ([*REPLAY, "--miss-status", "99"], "99"),
    ([*REPLAY, "--miss-status", "teapot"], "teapot"),
    (["serve", "--mode", "sometimes", "--cassette", "x", "--upstream", UNUSED], "sometimes"),
    (["serve", "--mode", "all", "--cassette", "x"], "--upstream"),
    (["record", "--cassette", "x", "--upstream", "nonsense"], "nonsense"),
    (["record", "--cassette", "x", "--upstream", "http://"], "http://"),
    (["record", "--cassette", "x", "--upstream", "ftp://127.0.0.1/"], "ftp"),
    (["record", "--cassette", "x", "--upstream", "file:///etc/hostname"], "file"),
    (["record", "--cassette", "x", "--upstream", "http://127.0.0.1:port/"], "port"),
    (["record", "--cassette", "x", "--upstream", "http://127.0.0.1:70000/"], "70000"),
    (["record", "--cassette", "x", "--upstream", "http://a b/"], "a b"),
]


@pytest.mark.parametrize(("arguments", "culprit"), WRONG, ids=[" ".join(each) for each, _ in WRONG])
def test_wrong_use_is_one_clear_line_and_exit_2(arguments, culprit, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert culprit in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


FLAGS = {
    "--upstream": [UNUSED, "http://[", "//", "http://127.0.0.1:0", "http://\udcff"],
    "--cassette": ["tape", "./a/b/c", "", "..", "/", "/dev/null", "\udcff", "é" * 300],
    "--listen": ["127.0.0.1:0", "[::1]:0", ":0", "::", "256.1.1.1:0", "no-such-host.invalid:0"],
    "--port": ["0", "", "99999999999999999999", "0x10", "１"],
    "--mode": ["none", "once", "new_episodes", "all", "passthrough", "NONE"],
    "--threads": ["1", "2", "-1", "1e3", "99999999999999999999"],
    "--cacert": ["none.pem", "", "/dev/null"],
    "--overrides": ["none.json", "/dev/null", "."],
    "--on-exhausted": ["repeat", "miss", "loop"],
    "--miss-status": ["404", "0", "1000"],
    "--log-format": ["json", "text"],
    "--ready-file": ["ready", "no/such/folder/ready", "."],
    "--insecure": None, "--preserve-host": None, "--pass-encodings": None, "--no-rewrite": None, "--quiet": None,
}


@pytest.mark.parametrize("seed", range(6))
def test_no_combination_of_flags_crashes(seed, tmp_path):
    luck = random.Random(seed)
    for _ in range(12):
        arguments = [luck.choice(["record", "replay", "serve", "capture", "simulate", "spy"])]
        for flag in luck.sample(list(FLAGS), luck.randrange(1, 7)):
            arguments += [flag] if FLAGS[flag] is None else [flag, luck.choice(FLAGS[flag])]
        if "--port" not in arguments and "--listen" not in arguments:
            arguments += ["--port", "0"]
        process = subprocess.Popen(
            [binary(), *arguments], cwd=tmp_path, env=CLEAN, stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="surrogateescape")
        lines = []
        for line in process.stderr:  # until it listens, or ends
            lines.append(line)
            if "listening on" in line:
                process.terminate()
        assert_no_crash(process.wait(20), "".join(lines))
        assert process.returncode in (0, 1, 2), (arguments, lines)


# Failures: what, which, and what to do; exit code 1


def failure(*arguments, **options) -> str:
    done = run(*arguments, "--port", "0", **options) if "--port" not in arguments else run(*arguments, **options)
    assert done.returncode == 1, done.stderr
    assert "listening on" not in done.stderr
    return done.stderr


def test_a_taken_port_is_named(small_cassette):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port}" in failure("replay", "--cassette", small_cassette[0], "--port", port)


def test_a_missing_cassette_is_named_and_record_suggested(tmp_path):
    text = failure("replay", "--cassette", tmp_path / "nowhere")
    assert str(tmp_path / "nowhere") in text
    assert "tapedeck record" in text
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied"])
def test_a_corrupt_interaction_is_named_with_its_line(recorded, cassette, damage):
    recorded("/one", "/two")
    name = next(iter(interactions(cassette)))
    whole = (cassette / name).read_bytes()
    (cassette / name).write_bytes({
        "cut": whole[: len(whole) // 2],
        "flipped": whole.replace(b'"response"', b'"response', 1),
        "emptied": b"",
    }[damage])
    assert re.search(rf"{re.escape(name)}:\d+", failure("replay", "--cassette", cassette))


def test_a_corrupt_cassette_file_is_never_taken_for_absent(recorded, origin, cassette):
    recorded("/one")
    (cassette / "cassette.json").write_text("{ not json")
    for arguments in (["replay"], ["record", "--upstream", UNUSED], ["serve", "--upstream", UNUSED, "--mode", "once"]):
        assert "cassette.json" in failure(*arguments, "--cassette", cassette)


def test_a_missing_body_file_is_named(start, origin, cassette):
    deck = start("record", "--upstream", origin(lambda exchange: reply(os.urandom(200_000))).url, "--cassette", cassette)
    fetch(deck.url, "/large")
    deck.stop()
    [body] = (cassette / "bodies").iterdir()
    body.unlink()
    assert body.name in failure("replay", "--cassette", cassette)


def test_an_unwritable_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    path = tmp_path / "file" / "cassette"
    assert str(tmp_path / "file") in failure("record", "--upstream", UNUSED, "--cassette", path)


@pytest.mark.parametrize(
    ("flag", "path"), [("--cacert", "no-such.pem"), ("--overrides", "no-such.json"), ("--ready-file", "no/such/folder/ready")])
def test_a_file_that_cannot_be_used_is_named(recorded, cassette, tmp_path, flag, path):
    recorded("/one")
    text = failure("serve", "--upstream", UNUSED, "--cassette", cassette, flag, tmp_path / path)
    assert str(tmp_path / path) in text


def test_a_second_writer_is_refused_with_the_first_ones_pid(start, mirror, cassette):
    first = start("record", "--upstream", mirror.url, "--cassette", cassette)
    text = failure("record", "--upstream", mirror.url, "--cassette", cassette)
    assert str(first.process.pid) in text
    assert str(cassette) in text
    assert fetch(first.url, "/still").body == b"/still\n"


def test_readers_are_not_held_up_by_a_writer(start, mirror, recorded, cassette):
    recorded("/known")
    start("record", "--upstream", mirror.url, "--cassette", cassette)
    assert fetch(start("replay", "--cassette", cassette).url, "/known").body == b"answer 1"


@pytest.mark.parametrize(("upstream", "named"), [
    ("http://no-such-host.invalid", b"no-such-host.invalid"), ("http://127.0.0.1:{closed}", b"127.0.0.1")],
    ids=["unresolvable", "refusing"])
def test_an_upstream_out_of_reach_is_a_502_for_each_request(start, cassette, upstream, named):
    with socket.create_server(("127.0.0.1", 0)) as free:
        upstream = upstream.replace("{closed}", str(free.getsockname()[1]))
    deck = start("record", "--upstream", upstream, "--cassette", cassette)
    for _ in range(2):
        answer = fetch(deck.url, "/any")
        assert answer.status == 502
        assert answer.value(b"Content-Type").startswith(b"application/problem+json")
        assert named in answer.body
    deck.stop()
    assert interactions(cassette) == {}


# Starting, logging, ending


def test_the_ready_line_and_the_ready_file_agree(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0])
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", deck.url)
    assert f"tapedeck: listening on {deck.url}" in deck.stderr.splitlines()


def test_listen_takes_a_host_and_a_port(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--listen", "127.0.0.2:0")
    assert deck.url.startswith("http://127.0.0.2:")
    assert fetch(deck.url, "/text").status == 200


def test_listening_beyond_loopback_is_warned_about(start, small_cassette):
    assert "warning" in start("replay", "--cassette", small_cassette[0], "--listen", "0.0.0.0:0").stderr.lower()
    assert "warning" not in start("replay", "--cassette", small_cassette[0]).stderr.lower()


def test_a_bare_name_is_a_folder_under_cassettes(start, mirror, tmp_path):
    deck = start("record", "--upstream", mirror.url, "--cassette", "github", cwd=tmp_path)
    fetch(deck.url, "/one")
    assert deck.stop() == 0
    assert len(interactions(tmp_path / "Cassettes" / "github")) == 1


def log_lines(deck, *needles: str) -> list[str]:
    return [line for line in deck.stderr.splitlines() if all(needle in line for needle in needles)]


def test_the_log_has_one_line_a_request(start, origin, cassette):
    recorder = start("record", "--upstream", origin(counting()).url, "--cassette", cassette)
    fetch(recorder.url, "/once")
    eventually(lambda: len(log_lines(recorder, "GET", "/once", "200", "upstream")) == 1, "the upstream is logged")
    recorder.stop()
    replayer = start("replay", "--cassette", cassette)
    fetch(replayer.url, "/once")
    fetch(replayer.url, "/never", method=b"POST", body=b"")
    eventually(lambda: len(log_lines(replayer, "GET", "/once", "200", "cassette")) == 1, "the cassette is logged")
    eventually(lambda: len(log_lines(replayer, "POST", "/never", "502", "unmatched")) == 1, "the miss is logged")
    assert "\x1b" not in replayer.stderr


def test_quiet_logs_no_request(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--quiet")
    fetch(deck.url, "/text")
    deck.stop()
    assert log_lines(deck, "GET", "/text") == []


def test_the_json_log_is_one_object_a_request(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--log-format", "json")
    fetch(deck.url, "/text")
    fetch(deck.url, "/missing?really", method=b"PUT", body=b"")
    deck.stop()
    objects = [json.loads(line) for line in deck.stderr.splitlines() if line.startswith("{")]
    requests = [list(each.values()) for each in objects if "/text" in each.values() or "/missing?really" in each.values()]
    assert len(requests) == 2
    for values, expected in zip(requests, [("GET", "/text", 200, "cassette"), ("PUT", "/missing?really", 502, "unmatched")]):
        assert set(expected) <= {value for value in values if isinstance(value, str | int)}


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_the_summary_comes_with_the_end(start, origin, cassette, with_signal):
    recorder = start("record", "--upstream", origin(counting()).url, "--cassette", cassette)
    ask(recorder.url)
    assert recorder.stop(with_signal) == 0
    assert re.search(r"\b3 recorded|recorded\W+3\b", recorder.stderr)
    replayer = start("replay", "--cassette", cassette)
    ask(replayer.url, times=2)
    assert replayer.stop(with_signal) == 0
    for word, count in {"replayed": 2, "unmatched": 0, "unused": 1}.items():
        assert re.search(rf"\b{count} {word}|{word}\W+{count}\b", replayer.stderr), word


def test_stopping_finishes_what_is_under_way(start, origin, cassette):
    arrived, go_on = threading.Event(), threading.Event()

    def held(exchange):
        arrived.set()
        assert go_on.wait(10)
        return reply(b"finished")

    deck = start("record", "--upstream", origin(held).url, "--cassette", cassette)
    with Wire(deck.url) as wire:
        wire.ask(b"/held")
        assert arrived.wait(10)
        deck.process.terminate()
        eventually(lambda: refuses(deck.url), "no new connections are taken")
        go_on.set()
        assert wire.answer().body == b"finished"
    assert deck.stop() == 0
    assert len(interactions(cassette)) == 1


def refuses(url: str) -> bool:
    try:
        Wire(url).close()
        return False
    except OSError:
        return True


def test_an_idle_client_does_not_hold_up_the_end(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0])
    with Wire(deck.url) as wire:
        wire.ask(b"/text")
        wire.answer()
        deck.process.terminate()
        assert deck.process.wait(5) == 0


# Misses


@pytest.mark.parametrize(("known", "asked", "nearest", "differs"), [
    ((b"GET", "/users?page=1", None), (b"GET", "/users?page=2", None), "page=1", "query"),
    ((b"GET", "/users/1", None), (b"GET", "/users/2", None), "/users/1", "path"),
    ((b"PUT", "/users/7", b""), (b"DELETE", "/users/7", None), "PUT", "method"),
    ((b"POST", "/users", b'{"name": "Ada"}'), (b"POST", "/users", b'{"name": "Bob"}'), "/users", "body"),
], ids=["query", "path", "method", "body"])
def test_a_miss_names_the_nearest_recording_and_what_differs(start, mirror, cassette, known, asked, nearest, differs):
    def send(url, each):
        method, target, body = each
        fields = [b"Content-Type: application/json"] if body else []
        return fetch(url, target, *fields, method=method, body=body)

    recorder = start("record", "--upstream", mirror.url, "--cassette", cassette)
    send(recorder.url, known)
    recorder.stop()
    replayer = start("replay", "--cassette", cassette)
    assert send(replayer.url, known).status == 200
    answer = send(replayer.url, asked)
    assert (answer.status, answer.reason) == (502, b"Bad Gateway")
    assert answer.value(b"Content-Type").startswith(b"application/problem+json")
    problem = json.loads(answer.body)
    assert problem["status"] == 502
    assert {"title", "detail"} <= problem.keys()
    text = json.dumps(problem, ensure_ascii=False)
    for word in (nearest, differs, "tapedeck", "curl"):
        assert word in text, word
    assert replayer.stop() == 3


def test_a_miss_in_an_empty_cassette_is_still_explained(start, mirror, cassette):
    start("record", "--upstream", mirror.url, "--cassette", cassette).stop()
    deck = start("replay", "--cassette", cassette)
    answer = fetch(deck.url, "/any")
    assert (answer.status, json.loads(answer.body)["status"]) == (502, 502)
    assert deck.stop() == 3


def test_the_status_of_a_miss_can_be_chosen(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--miss-status", "404")
    answer = fetch(deck.url, "/never")
    assert (answer.status, json.loads(answer.body)["status"]) == (404, 404)
    assert deck.stop() == 3


MATCHING = [
    ("/q?a=1&b=2", "/q?b=2&a=1"), ("/q?a=%20", "/q?a=+"), ("/q?a=%41", "/q?a=A"), ("/q?a=1&a=2", "/q?a=2&a=1")]
DISTINCT = [("/q?a=1", "/q?a=1&a=1"), ("/q?a", "/q?b"), ("/Q", "/q"), ("/a/", "/a"), ("/q?", "/q?a="), ("/e", "/%65?x")]


@pytest.mark.parametrize(("known", "asked"), MATCHING)
def test_the_query_is_compared_as_pairs(start, recorded, cassette, known, asked):
    recorded(known)
    assert fetch(start("replay", "--cassette", cassette).url, asked).status == 200


@pytest.mark.parametrize(("known", "asked"), DISTINCT)
def test_distinct_requests_stay_distinct(start, recorded, cassette, known, asked):
    recorded(known)
    assert fetch(start("replay", "--cassette", cassette).url, asked).status == 502


@pytest.mark.parametrize(("kind", "known", "asked", "status"), [
    (b"application/json", b'{"a": 1, "b": [1, 2]}', b'{"b":[1,2],"a":1}', 200),
    (b"application/json", b'{"a": [1, 2]}', b'{"a": [2, 1]}', 502),
    (b"application/vnd.api+json; charset=utf-8", b'{"a": 1}', b'{ "a":1 }', 200),
    (b"application/x-www-form-urlencoded", b"a=1&b=x+y", b"b=x%20y&a=1", 200),
    (b"application/x-www-form-urlencoded", b"a=1", b"a=2", 502),
    (b"text/plain", b"a b", b"a  b", 502),
], ids=["json", "json arrays", "json of a kind", "form", "form values", "text"])
def test_bodies_are_compared_by_what_they_mean(start, mirror, cassette, kind, known, asked, status):
    recorder = start("record", "--upstream", mirror.url, "--cassette", cassette)
    fetch(recorder.url, "/post", b"Content-Type: " + kind, method=b"POST", body=known)
    recorder.stop()
    replayer = start("replay", "--cassette", cassette)
    assert fetch(replayer.url, "/post", b"Content-Type: " + kind, method=b"POST", body=asked).status == status


# Modes


@pytest.mark.parametrize(
    ("options", "fourth"),
    [((), b"answer 3"), (("--on-exhausted", "repeat"), b"answer 3"), (("--on-exhausted", "loop"), b"answer 1"),
     (("--on-exhausted", "miss"), None)],
    ids=["default", "repeat", "loop", "miss"])
def test_three_in_a_row_replay_in_a_row(start, recorded, cassette, options, fourth):
    assert recorded(*["/uuid"] * 3) == FIRST_THREE
    deck = start("replay", "--cassette", cassette, *options)
    assert ask(deck.url) == FIRST_THREE
    last = fetch(deck.url, "/uuid")
    assert (last.status, last.body) == (200, fourth) if fourth else last.status == 502
    assert deck.stop() == (0 if fourth else 3)


def serve(start, mode, upstream, cassette, **options) -> Deck:
    flags = ["--mode", mode] if mode else []
    return start("serve", *flags, "--upstream", upstream.url, "--cassette", cassette, **options)


def test_mode_none_never_asks_the_origin(start, origin, recorded, cassette):
    recorded("/known")
    upstream = origin(counting())
    deck = serve(start, "none", upstream, cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3
    assert upstream.connections == 0
    assert len(interactions(cassette)) == 1


def test_mode_once_records_an_absent_cassette(start, origin, cassette):
    deck = serve(start, "once", origin(counting()), cassette)
    assert ask(deck.url) == FIRST_THREE
    assert deck.stop() == 0
    assert ask(start("replay", "--cassette", cassette).url) == FIRST_THREE


def test_mode_once_replays_a_present_cassette(start, origin, recorded, cassette):
    recorded("/known")
    upstream = origin(counting())
    deck = serve(start, "once", upstream, cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3
    assert upstream.connections == 0


@pytest.mark.parametrize("mode", ["new_episodes", None], ids=["named", "default"])
def test_mode_new_episodes_records_only_what_is_new(start, origin, recorded, cassette, mode):
    recorded("/known")
    upstream = origin(lambda exchange: reply(b"new"))
    deck = serve(start, mode, upstream, cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").body == b"new"
    assert deck.stop() == 0
    assert [each.target for each in upstream.requests] == [b"/unknown"]
    replayer = start("replay", "--cassette", cassette)
    assert [fetch(replayer.url, target).body for target in ("/known", "/unknown")] == [b"answer 1", b"new"]


def test_mode_all_asks_again_and_replaces(start, origin, recorded, cassette):
    recorded("/uuid", "/uuid", "/uuid", "/kept")
    upstream = origin(lambda exchange: reply(b"new"))
    deck = serve(start, "all", upstream, cassette)
    assert ask(deck.url, times=2) == [b"new"] * 2
    assert deck.stop() == 0
    assert len(upstream.requests) == 2
    replayer = start("replay", "--cassette", cassette)
    assert ask(replayer.url) == [b"new"] * 3
    assert fetch(replayer.url, "/kept").body == b"answer 4"


def test_mode_passthrough_neither_records_nor_replays(start, origin, recorded, cassette):
    recorded("/known")
    before = interactions(cassette)
    upstream = origin(lambda exchange: reply(b"new"))
    deck = serve(start, "passthrough", upstream, cassette)
    assert [fetch(deck.url, target).body for target in ("/known", "/unknown")] == [b"new", b"new"]
    assert deck.stop() == 0
    assert interactions(cassette) == before


def test_serve_without_an_upstream_replays(start, recorded, cassette):
    recorded("/known")
    deck = start("serve", "--cassette", cassette)
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3


def test_a_failed_recording_leaves_the_old_answer(start, origin, recorded, cassette):
    recorded("/uuid")
    deck = start("record", "--upstream", UNUSED, "--cassette", cassette)
    assert fetch(deck.url, "/uuid").status == 502
    deck.stop()
    assert fetch(start("replay", "--cassette", cassette).url, "/uuid").body == b"answer 1"


# Surroundings


def test_ci_serves_without_recording(start, origin, recorded, cassette):
    recorded("/known")
    upstream = origin(counting())
    deck = serve(start, None, upstream, cassette, env={"CI": "true"})
    assert fetch(deck.url, "/known").body == b"answer 1"
    assert fetch(deck.url, "/unknown").status == 502
    assert deck.stop() == 3
    assert upstream.connections == 0


def test_ci_records_if_a_mode_is_given(start, origin, cassette):
    deck = serve(start, "new_episodes", origin(counting()), cassette, env={"CI": "true"})
    assert fetch(deck.url, "/unknown").body == b"answer 1"
    assert deck.stop() == 0
    assert len(interactions(cassette)) == 1


def test_the_environments_proxy_is_not_used(start, origin, cassette):
    proxy = origin(lambda exchange: reply(b"from the proxy"))
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")
    deck = start(
        "record", "--upstream", origin(counting()).url, "--cassette", cassette, env=dict.fromkeys(names, proxy.url))
    assert fetch(deck.url, "/").body == b"answer 1"
    assert proxy.connections == 0


# Other words for the same


def test_capture_records_and_simulate_replays(start, origin, cassette):
    deck = start("capture", "--upstream", origin(counting()).url, "--cassette", cassette)
    assert ask(deck.url) == FIRST_THREE
    assert deck.stop() == 0
    assert ask(start("simulate", "--cassette", cassette).url) == FIRST_THREE


def test_spy_replays_what_is_known_and_asks_for_the_rest(start, origin, recorded, cassette):
    recorded("/known")
    deck = start("spy", "--upstream", origin(lambda exchange: reply(b"new")).url, "--cassette", cassette)
    assert [fetch(deck.url, target).body for target in ("/known", "/unknown")] == [b"answer 1", b"new"]
    assert deck.stop() == 0


@pytest.mark.parametrize("flag", ["--tapes-dir", "--recording-dir"])
def test_other_words_for_cassette(start, recorded, cassette, flag):
    recorded("/known")
    assert fetch(start("replay", flag, cassette).url, "/known").body == b"answer 1"


def test_a_flag_may_carry_its_value(start, recorded, cassette):
    recorded("/known")
    assert fetch(start("replay", f"--cassette={cassette}").url, "/known").body == b"answer 1"


# Routes over recordings


def test_a_route_overrides_a_recorded_endpoint(start, recorded, cassette, tmp_path):
    recorded("/users/1", "/teams/1")
    routes = tmp_path / "overrides.json"
    routes.write_text(json.dumps({"routes": [
        {"method": "GET", "path": "/users/{id}", "status": 503, "headers": {"Retry-After": "1"}, "json": {"error": "later"}}]}))
    deck = start("serve", "--cassette", cassette, "--overrides", routes)
    answer = fetch(deck.url, "/users/1")
    assert (answer.status, answer.values(b"Retry-After"), json.loads(answer.body)) == (503, [b"1"], {"error": "later"})
    assert answer.value(b"Content-Type").startswith(b"application/json")
    assert fetch(deck.url, "/teams/1").body == b"answer 2"
    eventually(lambda: log_lines(deck, "GET", "/users/1", "503", "route"), "the route is logged")
    assert deck.stop() == 0


def test_a_broken_overrides_file_is_named(recorded, cassette, tmp_path):
    recorded("/one")
    routes = tmp_path / "overrides.json"
    routes.write_text('{"routes": [\n  {"method": "GET",]\n}')
    assert str(routes) in failure("serve", "--cassette", cassette, "--overrides", routes)


# Looking at cassettes


def test_ls_lists_every_exchange(small_cassette):
    path, answers = small_cassette
    text = run("ls", path)
    assert text.returncode == 0
    for target, _ in answers:
        assert target in text.stdout
    as_json = run("ls", "--json", path)
    assert as_json.returncode == 0
    json.loads(as_json.stdout)
    for name in interactions(path):
        assert name.removesuffix(".json") in as_json.stdout


def test_show_shows_an_exchange(small_cassette):
    path, _ = small_cassette
    assert run("show", path).returncode == 0
    name = next(name for name, each in interactions(path).items() if "octocat" in json.dumps(each["response"]))
    for spelling in (name, name.removesuffix(".json")):
        done = run("show", path, spelling)
        assert done.returncode == 0
        assert "/json" in done.stdout
        assert "octocat" in done.stdout


@pytest.mark.parametrize("verb", ["ls", "show"])
def test_looking_at_nothing_says_what_is_missing(verb, tmp_path):
    done = run(verb, tmp_path / "nowhere")
    assert done.returncode == 1
    assert str(tmp_path / "nowhere") in done.stderr


def test_show_of_an_unknown_exchange_names_it(small_cassette):
    done = run("show", small_cassette[0], "no-such-exchange")
    assert done.returncode == 1
    assert "no-such-exchange" in done.stderr


def test_demo_tells_its_story_and_ends(tmp_path):
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0
    for word in ("record", "replay", "route"):
        assert word in (done.stdout + done.stderr).lower()
