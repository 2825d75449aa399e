"""`run` and the options of a forward proxy in hostile surroundings: children, signals, folders, environments, wrong flags."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deck import CLEAN, assert_no_crash, binary, eventually, fingerprint, interactions, run
from origin import reply
from terminal import on_terminal
from wire import fetch, request, Wire

PYTHON = sys.executable
DUMP = [PYTHON, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]


def ok(exchange):
    return reply(b"fine", b"Content-Type: text/plain")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def started(tmp_path):
    """Starts `run` without waiting for its end."""
    processes = []

    def started(*arguments, env=None, **options):
        processes.append(subprocess.Popen(
            [binary(), "run", *map(str, arguments)], cwd=tmp_path, env={**CLEAN, **(env or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options))
        return processes[-1]

    yield started
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.wait()


def finished(process, seconds=25) -> tuple[int, str, str]:
    out, error = process.communicate(timeout=seconds)
    assert_no_crash(process.returncode, error)
    return process.returncode, out, error


# The child


def test_a_child_gets_three_descriptors(tmp_path):
    done = run("run", "--cassette", tmp_path / "c", "--", "ls", "-l", "/proc/self/fd", cwd=tmp_path)
    numbers = sorted(line.split(" -> ")[0].rsplit(" ", 1)[1] for line in done.stdout.splitlines() if " -> " in line)
    assert numbers == ["0", "1", "2", "3"], done.stdout  # 3 is ls's own


def test_a_child_gets_the_default_signals(tmp_path):
    done = run("run", "--cassette", tmp_path / "c", "--", "cat", "/proc/self/status", cwd=tmp_path)
    facts = dict(line.split(":\t", 1) for line in done.stdout.splitlines() if ":\t" in line)
    ours = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    assert int(facts["SigBlk"], 16) == 0
    ordinary = 0x7FFFFFFF  # glibc keeps signals 32 and 33 for its threads
    assert int(facts["SigIgn"], 16) & ~int(ours["SigIgn"], 16) & ordinary == 0


@pytest.mark.parametrize("code", [1, 2, 3, 4, 77, 126, 127, 255])
def test_the_code_of_the_child_is_the_code(tmp_path, code):
    assert run("run", "--cassette", tmp_path / "c", "--", "sh", "-c", f"exit {code}", cwd=tmp_path).returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE])
def test_a_child_killed_by_a_signal_is_told_as_a_shell_tells_it(tmp_path, number):
    done = subprocess.run([binary(), "run", "--cassette", tmp_path / "c", "--", "sh", "-c", f"kill -{int(number)} $$"],
                          cwd=tmp_path, env=CLEAN, stdin=subprocess.DEVNULL, capture_output=True, timeout=15)
    assert done.returncode == 128 + number


@pytest.mark.parametrize("command,code", [
    (["/no/such/command"], 127), (["no-such-command-at-all"], 127), (["/etc/passwd"], 126), (["/"], 126), ([""], 127)])
def test_what_cannot_be_started_is_told(tmp_path, command, code):
    done = run("run", "--cassette", tmp_path / "c", "--", *command, cwd=tmp_path)
    assert done.returncode in (code, 1, 2, 126, 127) and done.returncode != 0
    assert "tapedeck: " in done.stderr
    assert not (tmp_path / "c" / "journal.jsonl").exists()


@pytest.mark.parametrize("arguments", [["run", "--cassette", "c"], ["run", "--cassette", "c", "--"], ["run", "--"], ["run"]])
def test_run_without_a_command_is_usage(tmp_path, arguments):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and "tapedeck" in done.stderr


def test_arguments_of_the_child_are_never_ours(tmp_path):
    done = run("run", "--cassette", tmp_path / "c", "--", "echo", "--upstream", "--", "-h", "--help", "a b", "", "*", cwd=tmp_path)
    assert done.stdout == "--upstream -- -h --help a b  *\n"


def test_what_the_child_says_is_passed_on_unread(tmp_path):
    done = subprocess.run([binary(), "run", "--cassette", tmp_path / "c", "--", "head", "-c", "3000000", "/dev/zero"],
                          cwd=tmp_path, env=CLEAN, stdin=subprocess.DEVNULL, capture_output=True, timeout=15)
    assert len(done.stdout) == 3000000


def test_standard_input_is_the_childs(tmp_path):
    done = subprocess.run([binary(), "run", "--cassette", tmp_path / "c", "--", "cat"],
                          cwd=tmp_path, env=CLEAN, input=b"typed\n" * 1000, capture_output=True, timeout=15)
    assert done.stdout == b"typed\n" * 1000


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_child_and_all_is_sealed(started, tmp_path, origin, which):
    upstream = origin(ok)
    process = started("--cassette", tmp_path / "c", "--proxy-localhost", "--", "sh", "-c",
                      f"curl -s {upstream.url}/x; echo; echo up; trap 'echo trapped; exit 9' TERM INT HUP; while :; do sleep 0.05; done")
    eventually(lambda: "up" in process.stdout.readline(), "the child is up")
    process.send_signal(which)
    code, out, error = finished(process)
    assert (code, out) == (9, "trapped\n"), error
    assert len(interactions(tmp_path / "c")) == 1


def test_ctrl_c_at_the_terminal_is_heard_once_by_each(tmp_path):
    seen = on_terminal(
        "run", "--cassette", tmp_path / "c", "--", "sh", "-c",
        "n=0; trap 'n=$((n+1))' INT; echo 'now'; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done; echo \"heard: $n\"; exit $n",
        keys={b"now": b"\x03"})
    assert "heard: 1" in seen.plain and seen.returncode == 1, seen.plain


def test_a_child_that_ignores_sigterm_decides_when_the_run_ends(started, tmp_path):
    process = started("--cassette", tmp_path / "c", "--", "sh", "-c", "trap '' TERM INT HUP; echo $$; while :; do sleep 0.05; done")
    pid = int(process.stdout.readline())
    for _ in range(3):
        process.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    os.kill(pid, signal.SIGKILL)
    code, _, error = finished(process)
    assert code == 128 + signal.SIGKILL and "recorded" in error


def test_a_grandchild_in_the_background_does_not_hold_run(tmp_path):
    begun = time.monotonic()
    process = subprocess.Popen([binary(), "run", "--cassette", tmp_path / "c", "--", "sh", "-c", "sleep 20 >/dev/null 2>&1 & echo $!"],
                               cwd=tmp_path, env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    pid = int(process.stdout.readline())
    try:
        assert process.wait(15) == 0
        assert time.monotonic() - begun < 12
    finally:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
        process.stdout.close()


def test_a_daemon_that_outlives_run_finds_the_proxy_gone(tmp_path):
    script = ("import os, sys, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
              f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(20)")
    done = subprocess.run([binary(), "run", "--cassette", tmp_path / "c", "--", PYTHON, "-c", script], cwd=tmp_path, env=CLEAN,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=15)
    pid = int(eventually(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text(), "the daemon is up"))
    try:
        assert done.returncode == 0
    finally:
        os.kill(pid, signal.SIGKILL)


def test_many_children_of_children_leave_no_zombies_of_ours(started, tmp_path):
    process = started("--cassette", tmp_path / "c", "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do (sleep 0.01 &) ; done; echo up; sleep 1")
    assert process.stdout.readline() == "up\n"
    time.sleep(0.3)
    children = subprocess.run(["ps", "-o", "stat=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout.split()
    assert not any(each.startswith("Z") for each in children), children
    assert finished(process)[0] == 0


# Its environment


def environment(tmp_path, *options, env=None):
    done = run("run", "--cassette", tmp_path / "c", *options, "--", *DUMP, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_users_own_no_proxy_is_kept(tmp_path):
    for name in ("NO_PROXY", "no_proxy"):
        found = environment(tmp_path, env={name: "internal.test,.corp.test"})
        for each in ("NO_PROXY", "no_proxy"):
            names = found[each].split(",")
            assert {"localhost", "127.0.0.1", "::1", "internal.test", ".corp.test"} <= set(names), (name, found[each])


@pytest.mark.parametrize("name", ["http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_a_users_own_proxies_do_not_stay_beside_ours(tmp_path, name):
    found = environment(tmp_path, env={name: "http://u:hunter2-secret@proxy.invalid:3128"})
    assert found["http_proxy"].startswith("http://127.0.0.1:") and found["https_proxy"] == found["http_proxy"]
    assert not any("proxy.invalid" in value for key, value in found.items() if key.lower().endswith("_proxy")), found


def test_a_users_own_proxy_is_not_asked_unless_it_is_named(tmp_path, origin, peer):
    upstream, foreign = origin(ok), peer(lambda line: line.wait_for_close())
    done = run("run", "--cassette", tmp_path / "c", "--proxy-localhost", "--", "curl", "-s", "-m", "8", f"{upstream.url}/x",
               cwd=tmp_path, env={"http_proxy": foreign.url, "HTTP_PROXY": foreign.url, "all_proxy": foreign.url})
    assert done.stdout == "fine" and foreign.connections == 0


def test_node_options_of_the_user_are_kept(tmp_path):
    found = environment(tmp_path, env={"NODE_OPTIONS": "--max-old-space-size=512"})
    assert "--max-old-space-size=512" in found["NODE_OPTIONS"]


def test_what_the_user_trusts_stays_trusted(tmp_path, authority):
    found = environment(tmp_path, env={"SSL_CERT_FILE": str(authority[0])})
    ours = Path(found["SSL_CERT_FILE"])
    assert ours != authority[0]
    assert not ours.exists(), "the bundle of a run ends with it"


def test_the_bundle_holds_the_users_own_and_no_key(tmp_path, authority):
    done = run("run", "--cassette", tmp_path / "c", "--", "sh", "-c", 'cat "$SSL_CERT_FILE"; ls -ld "$SSL_CERT_FILE"', cwd=tmp_path,
               env={"SSL_CERT_FILE": str(authority[0])})
    assert authority[0].read_text().strip().splitlines()[1] in done.stdout
    assert "PRIVATE KEY" not in done.stdout


@pytest.mark.parametrize("value", ["/no/such/bundle.pem", "", "/etc", "/dev/null"])
def test_a_bundle_of_the_user_that_is_none_is_no_trap(tmp_path, value):
    done = run("run", "--cassette", tmp_path / "c", "--", "true", cwd=tmp_path, env={"SSL_CERT_FILE": value})
    assert done.returncode == 0 or (done.returncode in (1, 2) and "SSL_CERT_FILE" in done.stderr), done.stderr


def test_our_secrets_are_not_in_the_childs_command_line_or_log(tmp_path):
    done = run("run", "--cassette", tmp_path / "c", "--proxy-auth", "user:hunter2-proxy-pass", "--", "true", cwd=tmp_path)
    assert "hunter2-proxy-pass" not in done.stderr


# Folders


@pytest.mark.parametrize("name", ["HOME", "TMPDIR", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"])
@pytest.mark.parametrize("state", ["missing", "spaces", "empty", "file", "relative", "read-only"])
def test_odd_folders_of_the_environment(tmp_path, origin, name, state):
    folder = tmp_path / {"spaces": "with  spaces 'and\" quotes é"}.get(state, state)
    if state in ("spaces", "read-only"):
        folder.mkdir()
    if state == "file":
        folder.write_text("")
    value = {"empty": "", "relative": "relative"}.get(state, str(folder))
    if state == "read-only":
        folder.chmod(0o500)
    upstream = origin(ok)
    done = run("run", "--cassette", tmp_path / "c", "--proxy-localhost", "--", "curl", "-s", f"{upstream.url}/x", cwd=tmp_path, env={name: value})
    if done.returncode == 0:
        assert done.stdout == "fine" and len(interactions(tmp_path / "c")) == 1
    else:
        assert "folder" in done.stderr and done.returncode == 1, done.stderr


def test_a_tmpdir_with_spaces_serves_tls_clients(tmp_path):
    folder = tmp_path / "with spaces"
    folder.mkdir()
    done = run("run", "--cassette", tmp_path / "c", "--", "sh", "-c", 'openssl x509 -in "$SSL_CERT_FILE" -noout -subject', cwd=tmp_path,
               env={"TMPDIR": str(folder)})
    assert done.returncode == 0 and "subject" in done.stdout
    assert list(folder.iterdir()) == [], "nothing is left in TMPDIR"


def test_run_leaves_nothing_in_tmpdir_after_a_signal(started, tmp_path):
    folder = tmp_path / "tmp"
    folder.mkdir()
    process = started("--cassette", tmp_path / "c", "--", "sh", "-c", "echo up; exec sleep 30", env={"TMPDIR": str(folder)})
    assert process.stdout.readline() == "up\n"
    process.terminate()
    finished(process)
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cassette_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    done = run("run", "--cassette", tmp_path / "locked/c", "--", "true", cwd=tmp_path)
    assert done.returncode == 1 and "locked" in done.stderr


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"tapedeck": 99}', b'{"tapedeck": "1"}', b"\xff\xfe", b'{"tapedeck": 2}{}'])
def test_a_corrupt_cassette_is_never_taken_for_an_absent_one(tmp_path, content):
    cassette = tmp_path / "c"
    cassette.mkdir()
    (cassette / "cassette.json").write_bytes(content)
    before = fingerprint(cassette)
    done = run("run", "--cassette", cassette, "--", "true", cwd=tmp_path)
    assert done.returncode not in (0, 3) and "cassette.json" in done.stderr, done.stderr
    assert {name: fact[3] for name, fact in fingerprint(cassette).items()} == {name: fact[3] for name, fact in before.items()}


@pytest.mark.parametrize("kind", ["file", "fifo", "socket", "dangling", "device"])
def test_a_cassette_that_is_no_folder_is_told(tmp_path, kind):
    path = tmp_path / "c"
    match kind:
        case "file":
            path.write_text("hello")
        case "fifo":
            os.mkfifo(path)
        case "socket":
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(os.path.relpath(path))
            listener.close()
        case "dangling":
            path.symlink_to(tmp_path / "nowhere")
        case "device":
            path.symlink_to("/dev/null")
    done = run("run", "--cassette", path, "--", "true", cwd=tmp_path)
    assert (done.returncode in (1, 2) and "c" in done.stderr) or kind == "dangling", done


def test_two_writers_of_one_forward_cassette(started, tmp_path):
    process = started("--cassette", tmp_path / "c", "--mode", "all", "--", "sh", "-c", "echo up; exec sleep 20")
    assert process.stdout.readline() == "up\n"
    done = run("run", "--cassette", tmp_path / "c", "--mode", "all", "--", "true", cwd=tmp_path)
    assert done.returncode != 0 and str(process.pid) in done.stderr, done.stderr


# Kinds of cassettes, and flags


@pytest.fixture
def two_kinds(tmp_path, origin):
    """A cassette of a reverse proxy and one of a forward proxy."""
    upstream = origin(ok)
    reverse, forward = tmp_path / "reverse", tmp_path / "forward"
    run("run", "--upstream", upstream.url, "--cassette", reverse, "--", "sh", "-c", 'curl -s "$TAPEDECK_URL/x"', cwd=tmp_path)
    run("run", "--proxy-localhost", "--cassette", forward, "--", "curl", "-s", f"{upstream.url}/x", cwd=tmp_path)
    assert len(interactions(reverse)) == len(interactions(forward)) == 1
    return upstream, reverse, forward


def test_run_of_a_reverse_cassette_is_a_reverse_proxy(two_kinds, tmp_path):
    upstream, reverse, _ = two_kinds
    before = len(upstream.requests)
    done = run("run", "--cassette", reverse, "--", "sh", "-c", 'curl -s "$TAPEDECK_URL/x"', cwd=tmp_path)
    assert (done.returncode, done.stdout, len(upstream.requests)) == (0, "fine", before)


def test_run_of_a_forward_cassette_is_a_forward_proxy_and_asks_nobody(two_kinds, tmp_path):
    upstream, _, forward = two_kinds
    before = len(upstream.requests)
    done = run("run", "--cassette", forward, "--proxy-localhost", "--", "curl", "-s", f"{upstream.url}/x", cwd=tmp_path)
    assert (done.returncode, done.stdout, len(upstream.requests)) == (0, "fine", before)
    done = run("run", "--cassette", forward, "--proxy-localhost", "--", "curl", "-s", f"{upstream.url}/y", cwd=tmp_path)
    assert (done.returncode, len(upstream.requests)) == (3, before)


@pytest.mark.parametrize("value", ["1", "true", "YES", "woodpecker"])
def test_run_records_nothing_under_ci(tmp_path, origin, value):
    upstream = origin(ok)
    done = run("run", "--cassette", tmp_path / "c", "--proxy-localhost", "--", "curl", "-s", f"{upstream.url}/x", cwd=tmp_path, env={"CI": value})
    assert done.returncode != 0 and upstream.requests == [] and interactions(tmp_path / "c") == {}


@pytest.mark.parametrize("value", ["", "0", "false", "No"])
def test_run_records_where_ci_is_off(tmp_path, origin, value):
    upstream = origin(ok)
    run("run", "--cassette", tmp_path / "c", "--proxy-localhost", "--", "curl", "-s", f"{upstream.url}/x", cwd=tmp_path, env={"CI": value})
    assert len(interactions(tmp_path / "c")) == 1


def test_recording_a_forward_cassette_in_reverse_changes_nothing_unsaid(two_kinds, tmp_path):
    upstream, reverse, forward = two_kinds
    for cassette, options in ((forward, ["--upstream", upstream.url]), (reverse, ["--forward"])):
        before = {name: fact[3] for name, fact in fingerprint(cassette).items()}
        done = run("run", "--cassette", cassette, "--mode", "new_episodes", *options, "--", "true", cwd=tmp_path)
        after = {name: fact[3] for name, fact in fingerprint(cassette).items()}
        assert after == before
        assert done.returncode == 0 or "tapedeck: " in done.stderr


@pytest.mark.parametrize("options", [
    ["--allow-hosts", "a.test", "--upstream", "http://a.test"], ["--ignore-hosts", "a.test", "--upstream", "http://a.test"],
    ["--proxy-auth", "u:p", "--upstream", "http://a.test"],
    ["--forward", "--proxy-auth", "nocolon"], ["--forward", "--proxy-auth", ""], ["--forward", "--proxy-auth", ":"],
    ["--forward", "--allow-hosts", ""], ["--forward", "--allow-hosts", "http://a.test"], ["--forward", "--allow-hosts", "a.test/path"],
    ["--forward", "--allow-hosts", "a b"], ["--forward", "--allow-hosts", "[::1"], ["--forward", "--allow-hosts", "a.test:99999"],
    ["--forward", "--allow-hosts", "a.test:"], ["--forward", "--allow-hosts", "u@a.test"], ["--forward", "--allow-hosts", "^a$"],
    ["--forward", "--ignore-hosts", ".*\\.test"], ["--forward", "--ignore-hosts", "\n"],
    ["--upstream", "/x="], ["--upstream", "=http://a.test"], ["--upstream", "/x=http://"], ["--upstream", "/x=ftp://a.test"],
    ["--upstream", "a b=http://a.test"], ["--upstream", "http://u:p@a.test:99999"], ["--upstream", ""],
    ["--forward", "--upstream-header", "Authorization: Bearer ${NOT_SET_ANYWHERE}"], ["--forward", "--upstream-header", "no-colon"],
    ["--forward", "--upstream-header", "X: a\r\nEvil: b"], ["--forward", "--session-path", "/s", "--mode", "nonsense"],
    ["--forward", "--port", "65536"], ["--forward", "--port", "-1"], ["--forward", "--listen", "unix:"], ["--forward", "--listen", "unix:/no/such/folder/s"],
    ["--forward", "--listen", "unix:/" + "a" * 200], ["--forward", "--listen", "0.0.0.0:0"], ["--forward", "--listen", "[::1"],
    ["--proxy-localhost", "--upstream", "http://a.test"], ["--env", "=x", "--upstream", "http://a.test"],
    ["--env", "A B", "--upstream", "http://a.test"],
])
def test_wrong_flags_are_refused_before_anything_starts(tmp_path, options):
    done = run("run", "--cassette", tmp_path / "c", *options, "--", "touch", tmp_path / "ran", cwd=tmp_path)
    assert done.returncode in (1, 2), (done.returncode, done.stderr)
    assert done.stderr.startswith("tapedeck: "), done.stderr
    assert not (tmp_path / "ran").exists() and not (tmp_path / "c").exists()


@pytest.mark.parametrize("kind", ["spaces", "relative", "existing-file", "live-socket", "stale-socket", "long"])
def test_odd_paths_of_unix_sockets(tmp_path, recorded, start, cassette, kind):
    recorded("/x")
    path = tmp_path / {"spaces": "a b é%20#?.sock", "long": "l" * max(1, 106 - len(str(tmp_path)))}.get(kind, "s.sock")
    if kind == "long" and len(str(path)) > 107:
        pytest.skip("the folder is too deep")
    if kind == "existing-file":
        path.write_text("precious")
        done = run("replay", "--cassette", cassette, "--listen", f"unix:{path}", cwd=tmp_path)
        assert done.returncode == 1 and path.read_text() == "precious"
        return
    if kind in ("live-socket", "stale-socket"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        if kind == "live-socket":
            listener.listen()
            done = run("replay", "--cassette", cassette, "--listen", f"unix:{path}", cwd=tmp_path)
            assert done.returncode == 1 and str(path) in done.stderr
            listener.close()
            return
        listener.close()
    name = path.name if kind == "relative" else path
    deck = start("replay", "--cassette", cassette, "--listen", f"unix:{name}", cwd=tmp_path)
    done = subprocess.run(["curl", "-s", "--unix-socket", path, "http://localhost/x"], capture_output=True, text=True)
    assert done.stdout == "answer 1"
    assert deck.stop() == 0
    assert not path.exists()
