"""The command in a shell: defaults from the environment and a file, completions, and manual pages."""

import json
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

from deck import CLEAN, ROOT, binary, run
from origin import reply
from wire import fetch

SHELLS = ["bash", "zsh", "fish"]


@pytest.fixture
def folder(tmp_path):
    """A current folder with cassettes in it."""
    (tmp_path / "Cassettes" / "example").mkdir(parents=True)
    (tmp_path / "Cassettes" / "other").mkdir()
    (tmp_path / "Cassettes" / "other" / "cassette.json").write_text('{"tapedeck": 1}')
    (tmp_path / "trust.pem").write_text("")
    return tmp_path


# Defaults

def in_force(*arguments, **options) -> dict[str, tuple]:
    done = run(*arguments, "--print-config", "--json", **options)
    assert done.returncode == 0, done.stderr
    return {each["name"]: (each["value"], each["from"]) for each in json.loads(done.stdout)}


def test_where_each_value_came_from(tmp_path):
    (tmp_path / "tapedeck.json").write_text(
        '{"cassette": "file", "strict": true, "redact": ["x-a", "x-b"], "port": 7, "unused": "of another verb"}')
    env = {"TAPEDECK_CASSETTE": "environment", "TAPEDECK_STRICT": "0", "TAPEDECK_REPORT": "r.json",
           "TAPEDECK_ADMIN_TOKEN": "a" * 40}
    seen = in_force("serve", "word", "--listen", "127.0.0.1:1", cwd=tmp_path, env=env)
    assert seen["cassette"] == ("word", "command line")
    assert seen["listen"] == ("127.0.0.1:1", "command line")
    assert seen["port"] == (None, "default")
    assert seen["strict"] == (False, "TAPEDECK_STRICT")
    assert seen["report"] == ("r.json", "TAPEDECK_REPORT")
    assert seen["redact"] == (["x-a", "x-b"], "tapedeck.json")
    assert seen["mode"] == ("none", "default")
    assert seen["admin-token"] == ("(not shown)", "TAPEDECK_ADMIN_TOKEN")
    assert in_force("serve", "--upstream", "http://127.0.0.1:9", cwd=tmp_path)["mode"] == ("new_episodes", "default")
    assert in_force("serve", "--upstream", "http://127.0.0.1:9", cwd=tmp_path, env={"CI": "1"})["mode"] == ("none", "CI")


def test_a_file_alone_configures_a_recording_and_its_replay(start, origin, tmp_path):
    server = origin(lambda request: reply(b"hello"))
    (tmp_path / "tapedeck.json").write_text(json.dumps({"cassette": "example", "upstream": server.url}))
    with start("record", cwd=tmp_path) as deck:
        assert fetch(deck.url, "/a").body == b"hello"
    with start("replay", cwd=tmp_path) as deck:
        assert fetch(deck.url, "/a").body == b"hello"
    assert len(server.requests) == 1


def test_another_file_and_a_broken_one_are_named(tmp_path):
    (tmp_path / "other.json").write_text('{"pace": "recorded"}')
    assert in_force("replay", "--config", "other.json", cwd=tmp_path)["pace"] == ("recorded", "other.json")
    assert in_force("replay", cwd=tmp_path, env={"TAPEDECK_CONFIG": "other.json"})["pace"] == ("recorded", "other.json")
    (tmp_path / "tapedeck.json").write_text('{"insecure": true}')
    done = run("ls", cwd=tmp_path)
    assert done.returncode == 2 and "tapedeck.json may not set insecure" in done.stderr
    assert run("help", cwd=tmp_path).returncode == run("ls", "--help", cwd=tmp_path).returncode == 0


def test_a_variable_that_is_nearly_an_option_is_told_of(folder):
    done = run("ls", cwd=folder, env={"TAPEDECK_CASETTE": "example"})
    assert done.returncode == 0
    assert done.stderr.strip() == "tapedeck: TAPEDECK_CASETTE is not read; did you mean TAPEDECK_CASSETTE?"


def test_settings_of_a_recording_do_not_disturb_other_verbs(folder):
    """A scan redacts nothing, and a proxy that is not a forward proxy has no hosts to allow."""
    (folder / "tapedeck.json").write_text('{"redact": ["x-key"], "allow-hosts": ["a.test"], "admin-port": 0}')
    assert run("scan", "trust.pem", cwd=folder).returncode == 0
    env = {"TAPEDECK_ADMIN_TOKEN_FILE": "t", "TAPEDECK_DAYS": "7"}
    assert in_force("serve", cwd=folder, env=env)["allow-hosts"] == (["a.test"], "tapedeck.json")
    # Kubernetes sets this for a service of our name.
    assert in_force("serve", cwd=folder, env={"TAPEDECK_PORT": "tcp://10.0.0.1:80"})["port"] == (None, "default")
    assert "--days" not in run("ca", "path", cwd=folder, env={**env, "XDG_DATA_HOME": str(folder)}).stderr


# What a person types

def test_the_command_alone_prints_its_help_and_exits_2():
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == run("--help").stdout
    assert run("-V").stdout == run("--version").stdout


def test_color_is_as_asked(folder):
    for arguments, env, has_color in [
            ((), {}, False), (("--color", "always"), {}, True), (("--color", "always"), {"NO_COLOR": "1"}, True),
            ((), {"TAPEDECK_COLOR": "always"}, True), (("--color", "never"), {"TAPEDECK_COLOR": "always"}, False)]:
        assert ("\x1b[" in run("ls", *arguments, cwd=folder, env=env).stdout) == has_color, (arguments, env)


def test_run_takes_a_cassette_before_the_dashes(start, origin, tmp_path):
    server = origin(lambda request: reply(b"hello"))
    script = 'curl -sS "$TAPEDECK_URL/a"'
    done = run("run", "example", "--upstream", server.url, "--mode", "once", "--", "sh", "-c", script, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "hello"), done.stderr
    done = run("run", "example", "--", "sh", "-c", script, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "hello"), done.stderr
    assert len(server.requests) == 1
    # Without the dashes it is the command.
    assert run("run", "echo", "example", cwd=tmp_path).stdout == "example\n"


def test_verbose_says_what_the_cassette_decided(start, small_cassette, tmp_path):
    with start("replay", small_cassette[0], "-v") as deck:
        fetch(deck.url, "/nowhere")
    assert "    unmatched: " in deck.stderr
    with start("replay", small_cassette[0], "-q") as deck:
        fetch(deck.url, "/nowhere")
    assert "/nowhere 502" not in deck.stderr


def test_upkeep_prints_json(folder, start, origin):
    server = origin(lambda request: reply(b"hello"))
    for name, path in [("a", "/1"), ("b", "/2")]:
        with start("record", name, "--upstream", server.url, cwd=folder) as deck:
            fetch(deck.url, path)
    done = run("merge", "a", "b", "--into", "c", "--json", cwd=folder)
    assert json.loads(done.stdout) == {
        "cassette": "Cassettes/c", "interactions": 2, "written": 2, "removed": 0, "equal": 0, "conflicts": []}
    file = json.loads(run("ls", "a", "--json", cwd=folder).stdout)[0]["file"]
    done = run("trim", "a", file, "--dry-run", "--json", cwd=folder)
    assert json.loads(done.stdout) == {"dryRun": True, "removed": [file], "renamed": [], "removedBodies": 0, "kept": 0}


# Completions

def candidates(shell: str, folder: Path, *words: str) -> set[str]:
    """What the shell offers for the last word. zsh offers only at a terminal."""
    scripts = {
        "bash": 'source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tapedeck; '
                'printf "%s\\n" "${COMPREPLY[@]}"',
        "fish": '$TAPEDECK completion fish | source; complete -C "$LINE"',
    }
    command = {"bash": ["bash", "--norc", "-c", scripts["bash"], str(binary()), *words],
               "fish": ["fish", "--no-config", "-c", scripts["fish"]]}[shell]
    env = {**CLEAN, "TAPEDECK": str(binary()), "LINE": " ".join(words), "HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return {line.split("\t")[0].rstrip("/") for line in done.stdout.splitlines() if line}


OFFERED = [
    (["rep"], {"replay"}),
    (["completion", ""], {"bash", "zsh", "fish"}),
    (["ca", "r"], {"rotate"}),
    (["help", "sho"], {"show"}),
    (["replay", "ex"], {"example"}),
    (["record", "--cassette", "o"], {"other"}),
    (["show", "Cassettes/e"], {"Cassettes/example"}),
    (["serve", "--mode", "ne"], {"new_episodes"}),
    (["spy", "--mode", "ne"], {"new_episodes"}),
    (["serve", "--cacert", "tr"], {"trust.pem"}),
    (["serve", "--durability", ""], {"process", "power"}),
    (["export", "example", "--format", "vcr"], {"vcr", "vcrpy"}),
    (["import", "--format", "h"], {"har", "hoverfly"}),
    (["replay", "--head-time"], {"--head-timeout"}),
    (["run", "ex"], {"example"}),
    (["run", "example", "--", "cat", "tr"], {"trust.pem"}),
]


@pytest.mark.parametrize(("words", "offered"), OFFERED, ids=[" ".join(words) for words, _ in OFFERED])
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_completes(shell, words, offered, folder):
    assert candidates(shell, folder, "tapedeck", *words) == offered


RC = {
    "bash": 'source <("$TAPEDECK" completion bash)\nbind "set enable-bracketed-paste off"\n',
    "zsh": 'autoload -U compinit; compinit -u -D\nsource <("$TAPEDECK" completion zsh)\n'
           "zstyle ':completion:*' insert-tab false\nunset zle_bracketed_paste\n",
}
DONE = 'tapedeck() { echo "GOT<$*>"; }\nPS1="READY> "\n'


def typed(shell: str, folder: Path, line: str) -> str:
    """The arguments of the command after a line was typed, with tabs, at the prompt of an interactive shell."""
    (folder / ".zshrc").write_text(RC["zsh"] + DONE)
    (folder / "bashrc").write_text(RC["bash"] + DONE)
    command = {"bash": ["bash", "--rcfile", folder / "bashrc", "-i"], "zsh": ["zsh", "-d", "-i"]}[shell]
    main, terminal = pty.openpty()
    env = {**CLEAN, "TAPEDECK": str(binary()), "ZDOTDIR": str(folder), "HOME": str(folder), "TERM": "dumb"}
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
    os.close(terminal)
    seen, deadline = b"", time.monotonic() + 30
    todo = [(b"READY> ", line.encode() + b"\n"), (b">\r\n", b"exit\n")]
    try:
        while not (found := re.search(rb"GOT<(.*)>", seen)):
            assert time.monotonic() < deadline, seen
            if select.select([main], [], [], 0.2)[0]:
                seen += os.read(main, 65536)
            if todo and todo[0][0] in seen:
                os.write(main, todo.pop(0)[1])
        return found[1].decode()
    finally:
        process.kill()
        process.wait()
        os.close(main)


@pytest.mark.parametrize(("line", "arguments"), [
    ("tapedeck rep\tex\t", "replay example"),
    ("tapedeck serve --mode ne\t--cace\ttr\t", {"bash": "serve --mode new_episodes --cacert trust.pem",
                                               "zsh": "serve --mode new_episodes --cacert=trust.pem"}),
    ("tapedeck run ex\t-- cat tr\t", "run example -- cat trust.pem"),
    ("tapedeck ca rot\t", "ca rotate"),
], ids=lambda value: repr(value) if isinstance(value, str) else "")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_line_is_completed_at_the_prompt(shell, line, arguments, folder):
    wanted = arguments if isinstance(arguments, str) else arguments[shell]
    assert " ".join(typed(shell, folder, line).split()) == wanted


def test_bash_completes_after_an_equals_sign(folder):
    """It takes the sign for a word."""
    assert candidates("bash", folder, "tapedeck", "serve", "--mode", "=", "ne") == {"new_episodes"}
    assert candidates("bash", folder, "tapedeck", "serve", "--durability", "=") == {"process", "power"}


# Manual pages

@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("man")
    done = run("help", "--man", folder, env={"SOURCE_DATE_EPOCH": "86400"})
    assert done.returncode == 0, done.stderr
    return sorted(folder.glob("man*/*"))


def test_there_is_a_page_for_each_verb(pages):
    verbs = set(re.findall(r"^  ([a-z]+)  ", run("--help").stdout, re.M)) - {"tapedeck"}
    assert {page.name for page in pages} == (
        {f"tapedeck-{verb}.1" for verb in verbs} | {"tapedeck.1", "tapedeck-overrides.5", "tapedeck-cassette.5"})
    assert all('"1970-01-02"' in page.read_text() for page in pages)


def test_no_page_has_a_fault(pages):
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
    assert (lint.returncode, lint.stdout) == (0, "")
    for page in pages:
        done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, timeout=30,
                              env={**CLEAN, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANROFFOPT": "-rHY=0"})
        assert (done.returncode, done.stderr) == (0, ""), page.name
        assert done.stdout.startswith(page.stem.upper())


def test_a_page_says_what_the_help_says(pages):
    page = next(page for page in pages if page.name == "tapedeck-replay.1")
    shown = subprocess.run(["man", "-l", page], capture_output=True, text=True,
                           env={**CLEAN, "MANWIDTH": "200", "LC_ALL": "C.UTF-8"}).stdout
    for line in ("--head-timeout SECONDS", "-q, --quiet", "tapedeck replay example --port 8080", "TAPEDECK_UPSTREAM"):
        assert line in shown, line
    overrides = next(page for page in pages if page.name == "tapedeck-overrides.5").read_text()
    schema = json.loads((ROOT / "Sources/Tapedeck/Tapedeck.docc/overrides.schema.json").read_text())
    for kind in ("route", "resource", "patch", "fault"):
        for member in schema["$defs"][kind]["properties"]:
            assert f"\n.B {member}\n" in overrides, member


@pytest.mark.parametrize(("words", "needle"), [
    (["replay", "x", "--mode", "once"], "replay has no option --mode; it belongs to serve, run"),
    (["version"], 'unknown verb "version"; did you mean --version?'),
    (["help", "recrod"], 'no help for "recrod"; did you mean record?; verbs are record, replay, '),
])
def test_a_word_that_stands_elsewhere_is_led_there(tmp_path, words, needle):
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2 and needle in done.stderr, done.stderr
