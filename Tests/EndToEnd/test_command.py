"""The command: how it explains itself, and what it refuses."""

import os
import random
import re
import socket
import subprocess

import pytest

from deck import CLEAN, assert_no_crash, binary, interactions, run
from origin import reply
from servers import free_port
from wire import fetch

VERBS = ["record", "replay", "serve", "run", "ls", "show", "diff", "verify", "trim", "merge", "lint", "promote", "demo"]
UNUSED = "http://127.0.0.1:9"  # a valid upstream that no test reaches


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
    text, whole = run("help", "record").stdout, run("help", "record", "--all").stdout
    for option in ("--upstream", "--cassette", "--listen", "--port", "--ready-file"):
        assert option in text and option in whole, option
    for option in ("--cacert", "--insecure"):
        assert option not in text and option in whole, option


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
    (["replay", "a", "b"], "b"),
    (["record", "http://127.0.0.1:9"], "--upstream"),
    ([*REPLAY, "--color", "pink"], "pink"),
    (["record", "--upstream", UNUSED], "--cassette"),
    (["record", "--cassette", "x"], "--upstream"),
    (["show"], "cassette"),
    (["ls", "a", "stray"], "stray"),
    (["diff", "a"], "second cassette"),
    (["verify"], "cassette"),
    (["trim", "a"], "--unused"),
    (["merge", "a"], "two cassettes"),
    (["merge", "a", "b"], "--into"),
    (["merge", "a", "b", "--into", "c", "--prefer", "mine"], "mine"),
    (["run", "--cassette", "x"], "command"),
    (["run", "--cassette", "x", "--"], "command"),
    (["verify", "./x", "--jobs", "0"], "--jobs"),
    ([*REPLAY, "--port", "65536"], "65536"),
    ([*REPLAY, "--port", "-1"], "-1"),
    ([*REPLAY, "--port", "eighty"], "eighty"),
    ([*REPLAY, "--port", "+80"], "+80"),
    ([*REPLAY, "--listen", "127.0.0.1:99999"], "127.0.0.1:99999"),
    ([*REPLAY, "--listen", "127.0.0.1"], "127.0.0.1"),
    ([*REPLAY, "--threads", "0"], "--threads"),
    ([*REPLAY, "--max-body", "much"], "much"),
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
    "--cassette": ["tape", "./a/b/c", "", "/dev/null", "\udcff", "é" * 300],
    "--listen": ["127.0.0.1:0", "[::1]:0", ":0", "::", "256.1.1.1:0", "no-such-host.invalid:0"],
    "--port": ["0", "", "99999999999999999999", "0x10", "１"],
    "--mode": ["none", "once", "new_episodes", "all", "passthrough", "NONE"],
    "--threads": ["1", "2", "-1", "1e3", "99999999999999999999"],
    "--cacert": ["none.pem", "", "/dev/null"],
    "--overrides": ["none.json", "/dev/null", "."],
    "--on-exhausted": ["repeat", "miss", "loop"],
    "--miss-status": ["404", "0", "1000"],
    "--max-body": ["0", "1", "99999999999999999999"],
    "--log-format": ["json", "text"],
    "--ready-file": ["ready", "no/such/folder/ready", "."],
    "--insecure": None, "--preserve-host": None, "--pass-encodings": None, "--no-rewrite": None, "--rewrite-bodies": None, "--quiet": None,
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
def test_a_file_that_cannot_be_used_is_named(tmp_path, cassette, flag, path):
    done = run("serve", "--upstream", UNUSED, "--cassette", cassette, "--port", "0", flag, tmp_path / path)
    assert done.returncode == 1
    assert str(tmp_path / path) in done.stderr


def test_a_broken_overrides_file_is_named(recorded, cassette, tmp_path):
    recorded("/one")
    routes = tmp_path / "overrides.json"
    routes.write_text('{"routes": [\n  {"method": "GET",]\n}')
    assert str(routes) in failure("serve", "--cassette", cassette, "--overrides", routes)


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
    deck = start("record", "--upstream", upstream.replace("{closed}", str(free_port())), "--cassette", cassette)
    for _ in range(2):
        answer = fetch(deck.url, "/any")
        assert answer.status == 502
        assert answer.value(b"Content-Type").startswith(b"application/problem+json")
        assert named in answer.body
    deck.stop()
    assert interactions(cassette) == {}
