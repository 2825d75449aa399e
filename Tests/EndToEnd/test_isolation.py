"""`tapedeck run --isolate`: unchanged clients, without proxy variables, in a network where nothing else is."""

import base64
import gzip
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deck import CLEAN, assert_no_crash, binary, eventually
from forward import PROGRAMS, FourOrigins, Ran, assert_recorded, assert_replayed, run_command
from test_any_client import (
    AWS, CLIENTS, FOUR, HOSTS, build_go, make_files, make_package, make_page, program)

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
NAMES = ["curl", "wget", "requests", "httpx", "urllib", "aiohttp", "node-fetch", "node18-fetch", "go", "java", "git",
         "apt"]
if LONG:
    NAMES += ["boto3", "pip", "node-https", "node18-https", "node24-fetch", "node24-https", "chromium-headless-shell"]
# Those that no proxy variables reach.
CLIENTS = {**CLIENTS, "apt": program("with_apt.sh")}
HOSTS = {**HOSTS, "apt": {"api.one.test"}}
# Those that need nothing of the tests' own folders.
BY_NOBODY = ["curl"] + (["wget", "git", "apt", "java", "go", "chromium-headless-shell"] if LONG else [])
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if os.geteuid() == 0 else []
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module", autouse=True)
def kernel_that_permits():
    """Skips where this machine isolates nothing, with the reason."""
    done = subprocess.run([binary(), "run", "--isolate", "--", "true"], env=CLEAN, capture_output=True, text=True)
    if found := re.search(r"cannot isolate the command: .*", done.stderr):
        pytest.skip(found[0])


@pytest.fixture(scope="module")
def origins(authority, tmp_path_factory):
    folder = tmp_path_factory.mktemp("isolated")
    make_files(folder / "files")
    origins = FourOrigins(folder / "origins", authority, folder / "files")
    make_package(folder / "files", origins.environment["TWO"])
    make_page(folder / "files", origins.environment)
    make_mirror(folder / "files" / "debian")
    yield origins
    origins.stop()


def make_mirror(folder: Path) -> None:
    """A mirror of Debian's with one package, in the form that needs no folders."""
    control = "Package: deck-of-cards\nVersion: 1.0\nArchitecture: all\nMaintainer: Test <test@localhost>\nDescription: 52\n"
    (folder / "package" / "DEBIAN").mkdir(parents=True)
    (folder / "package" / "DEBIAN" / "control").write_text(control)
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", folder / "package", folder / "deck.deb"],
                   check=True, capture_output=True, timeout=60)
    package = (folder / "deck.deb").read_bytes()
    index = f"{control}Filename: ./deck.deb\nSize: {len(package)}\nSHA256: {hashlib.sha256(package).hexdigest()}\n"
    packed = gzip.compress(index.encode(), mtime=0)
    (folder / "Packages.gz").write_bytes(packed)
    sums = "".join(f" {hashlib.sha256(text).hexdigest()} {len(text)} {name}\n"
                   for name, text in (("Packages", index.encode()), ("Packages.gz", packed)))
    (folder / "Release").write_text(f"Date: Tue, 24 Nov 2026 12:00:00 UTC\nSHA256:\n{sums}")


@pytest.fixture
def public():
    """A folder that another user can enter and write to."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def run_isolated(command, *options, by=None, cassette=None, env=None, cwd=None, mode=None) -> Ran:
    """`tapedeck run --isolate OPTIONS -- COMMAND`.

    - by: the words that run it instead of the command `tapedeck` alone.
    - mode: the value of `--isolate`.
    """
    to = ("--cassette", cassette) if cassette else ()
    done = subprocess.run(
        [*(by or [binary()]), "run", f"--isolate={mode}" if mode else "--isolate", *map(str, (*to, *options)), "--", *map(str, command)], cwd=cwd,
        env={**CLEAN, **(env or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=150)
    assert_no_crash(done.returncode, done.stderr)
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def session(request, origins, tmp_path_factory):
    """What each client that is tested did while the four ran; by now they are gone."""
    folder = tmp_path_factory.mktemp("clients")
    environment = {**origins.environment, **AWS, "PYTHON": sys.executable}
    asked = [item.callspec.params["client"] for item in request.session.items
             if hasattr(item, "callspec") and "client" in item.callspec.params and item.module is request.module]
    runs = {}
    for client in NAMES:
        if client not in asked:
            continue
        (folder / client).mkdir()
        try:
            command = CLIENTS[client](folder / client)
            runs[client] = command, run_isolated(
                command, *origins.resolve, cassette=folder / client / "cassette", env=environment, cwd=folder / client)
        except Exception as error:  # that of its own test
            runs[client] = None, error
    return folder, environment, runs


@pytest.mark.parametrize("client", NAMES)
def test_an_unchanged_client_is_recorded_and_replayed(session, client):
    folder, environment, runs = session
    command, first = runs[client]
    if isinstance(first, Exception):
        raise first
    cassette = folder / client / "cassette"
    assert_recorded(first, cassette, HOSTS.get(client, FOUR))
    again = run_isolated(command, cassette=cassette, env=environment, cwd=folder / client)
    assert_replayed(again, first, may_leave_one="chromium" in client)


@pytest.mark.skipif(not NOBODY, reason="the tests run as an unprivileged user anyhow")
@pytest.mark.parametrize("client", BY_NOBODY)
def test_nobody_is_isolated_too(origins, public, client):
    # The checkout may lie where only its owner enters.
    shutil.copy(binary(), public / "tapedeck")
    by = [*NOBODY, public / "tapedeck"]
    certificate = public / "ca.pem"
    shutil.copy(origins.ca, certificate)
    shutil.copytree(PROGRAMS, public / "programs")
    environment = {**origins.environment, "SSL_CERT_FILE": str(certificate), "HOME": str(public), "TMPDIR": str(public)}
    words = [str(word).replace(str(PROGRAMS), str(public / "programs")) for word in CLIENTS[client](public)]
    command = ["sh", "-c", 'id -u >&2; exec "$@"', "sh", *words]
    first = run_isolated(command, *origins.resolve, by=by, cassette=public / "cassette", env=environment, cwd=public)
    assert first.code == 0 and first.count("recorded") > 1 and "65534\n" in first.log, first.log
    again = run_isolated(command, "--mode", "none", by=by, cassette=public / "cassette", env=environment, cwd=public)
    assert (again.code, again.output) == (0, first.output), again.log


def test_a_program_that_trusts_only_its_own_authorities_is_named(tmp_path, origins):
    bundle = base64.b64encode(Path(origins.ca).read_bytes()).decode()
    static = build_go(tmp_path, "with_own_authorities", "-ldflags", f"-X main.bundle={bundle}")
    url = origins.environment["ONE"]
    refused = run_isolated([static, f"{url}/text"], *origins.resolve, env=origins.environment)
    assert refused.code == 1 and "certificate" in refused.output
    assert refused.log.count("a client does not trust the certificate for api.one.test") == 1, refused.log
    shared = run_isolated(
        [static, f"{url}/text"], *origins.resolve, "--share", url.removeprefix("https://"), env=origins.environment)
    assert (shared.code, shared.output) == (0, "200 api.one.test /text\n\n"), shared.log


PROBE = """
import socket, os
def attempt(what, kind, address, text=b""):
    try:
        with socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET, kind) as one:
            one.settimeout(20)
            one.connect(address)
            if text:
                one.send(text)
                print(what, one.recv(100)[:20])
    except OSError as error:
        print(what, type(error).__name__)
attempt("database", socket.SOCK_STREAM, (socket.gethostbyname("db.example.com"), 5432), b"\\0\\0\\0\\x08\\x04\\xd2\\x16\\x2f")
attempt("address", socket.SOCK_STREAM, ("192.0.2.1", 6379), b"*1\\r\\n")
attempt("address6", socket.SOCK_STREAM, ("2001:db8::1", 6379), b"*1\\r\\n")
attempt("quic", socket.SOCK_DGRAM, (socket.gethostbyname("db.example.com"), 443), b"x")
attempt("own", socket.SOCK_STREAM, ("127.0.0.1", 443), b"x")
print(sorted(name for name in os.environ if name.lower().endswith("_proxy")))
print(os.listdir("/sys/class/net") and [name for _, name in socket.if_nameindex()])
"""


def test_nothing_else_can_be_reached_and_the_summary_names_it():
    ran = run_isolated([sys.executable, "-c", PROBE], env={"http_proxy": "http://127.0.0.1:1", "HTTPS_PROXY": "http://127.0.0.1:1"})
    assert ran.output.splitlines() == [
        "database ConnectionResetError", "address ConnectionResetError", "address6 ConnectionResetError",
        "quic ConnectionRefusedError", "own ConnectionRefusedError", "[]", "['lo']"], ran.log
    assert "reached for 192.0.2.1:6379, [2001:db8::1]:6379, db.example.com:5432" in ran.log
    assert "refused as neither HTTP/1.1 nor TLS (--share lets it through): 192.0.2.1:6379, [2001:db8::1]:6379, db.example.com:5432" in ran.log


ECHO = """
import socket, sys, threading
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        one, _ = server.accept()
        one.sendall(b"server first\\n")
        one.close()
"""


@pytest.fixture
def greeter():
    """A server on this machine that speaks first. Gives its port."""
    with subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True) as process:
        yield int(process.stdout.readline())
        process.kill()


def greeting(host: str, port: int) -> list:
    return [sys.executable, "-c",
            f"import socket; s = socket.create_connection(('{host}', {port}), 20); print(s.recv(100))"]


def test_what_is_shared_passes_also_in_replay(tmp_path, origins, greeter):
    url = f"{origins.environment['ONE']}/text"
    options = {"cassette": tmp_path / "cassette", "env": origins.environment}
    assert run_isolated(["curl", "-sSf", url], *origins.resolve, **options).code == 0
    for share, host in ((greeter, "127.0.0.1"), (f"localhost:{greeter}", "127.0.0.1"),
                        (f"mail.test:{greeter}", "mail.test")):
        ran = run_isolated(
            greeting(host, greeter), "--share", share, "--resolve", f"mail.test:{greeter}:127.0.0.1", **options)
        assert (ran.code, ran.output) == (0, "b'server first\\n'\n"), ran.log
        assert ran.count("tunnelled") == 1
    # Without it, loopback is the command's own, and a name is refused.
    assert "ConnectionRefusedError" in run_isolated(greeting("127.0.0.1", greeter), **options).log
    ran = run_isolated(greeting("mail.test", greeter), "--resolve", f"mail.test:{greeter}:127.0.0.1", **options)
    assert "ConnectionResetError" in ran.log and f"(--share lets it through): mail.test:{greeter}" in ran.log


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes the network around the run")
def test_a_replay_sends_no_packet(tmp_path, origins):
    """In a network around the run whose only interface counts its packets."""
    url = f"{origins.environment['ONE']}/text"
    options = {"cassette": tmp_path / "cassette", "env": origins.environment}
    assert run_isolated(["curl", "-sSf", url], *origins.resolve, **options).code == 0
    counted = 'ip link set lo up; "$@"; code=$?; grep -h . /sys/class/net/*/statistics/?x_packets >&2; exit $code'
    around = ["unshare", "--net", "--mount", "sh", "-c", f"mount -t sysfs none /sys; {counted}", "sh", binary()]
    again = run_isolated(["curl", "-sSf", url], by=around, **options)
    assert (again.code, again.output) == (0, "api.one.test /text\n"), again.log
    assert again.log.endswith("\n0\n0\n") and again.count("replayed") == 1


def test_a_miss_is_told_offline(tmp_path, origins):
    url = f"{origins.environment['ONE']}/text"
    options = {"cassette": tmp_path / "cassette", "env": origins.environment}
    assert run_isolated(["curl", "-sSf", url], *origins.resolve, **options).code == 0
    other = run_isolated(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", f"{url}?other"], **options)
    assert (other.code, other.output) == (3, "502") and "unmatched: GET /text?other" in other.log


def test_the_process_is_as_without_isolation(tmp_path):
    command = ["sh", "-c", "pwd; id; ulimit -n; ulimit -u; cat /proc/self/stat | cut -d' ' -f5-8; ls /proc/self/fd | wc -l; exit 7"]
    plain = run_command(command, cwd=tmp_path, env={"CI": "1"})
    isolated = run_isolated(command, cwd=tmp_path, env={"CI": "1"})
    assert isolated.code == plain.code == 7

    def comparable(output):  # the process group is another in each run
        lines = output.splitlines()
        return lines[:4] + lines[5:]
    assert comparable(isolated.output) == comparable(plain.output)


def test_signals_reach_the_command():
    process = subprocess.Popen(
        [binary(), "run", "--isolate", "--", "sh", "-c", 'trap "echo caught; exit 5" TERM; echo ready; while :; do sleep 0.1; done'],
        env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=30)[0] == "caught\n" and process.returncode == 5


def test_a_command_that_does_not_exist_is_told_as_without():
    ran = run_isolated(["no-such-command"])
    assert ran.code == 127 and 'cannot run "no-such-command": no such command in PATH' in ran.log


def test_without_us_the_command_ends_with_an_error(origins):
    url = f"{origins.environment['ONE']}/text"
    process = subprocess.Popen(
        [binary(), "run", "--isolate", *origins.resolve, "--", "sh", "-c",
         f'while curl -sSf --max-time 10 {url}; do :; done; echo failed'],
        env={**CLEAN, **origins.environment}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert "/text" in process.stdout.readline()
    process.kill()
    assert process.communicate(timeout=30)[0].endswith("failed\n")


def namespaces() -> set[str]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        for kind in ("net", "mnt", "user"):
            try:
                found.add(os.readlink(process / "ns" / kind))
            except OSError:
                pass
    return found


def test_runs_side_by_side_leave_nothing_behind(tmp_path, origins):
    """Each has its own cassette and the same port."""
    count, workers = (1000, 100) if LONG else (12, 6)
    before, folders = namespaces(), set(os.listdir(tempfile.gettempdir()))

    def one(number: int):
        url = f"{origins.environment['ONE']}/text?{number}"
        return run_isolated(
            ["curl", "-sSf", url], *origins.resolve, cassette=tmp_path / f"{number}", env=origins.environment).output

    with ThreadPoolExecutor(workers) as pool:
        outputs = list(pool.map(one, range(count)))
    assert outputs == [f"api.one.test /text?{number}\n" for number in range(count)]
    # The kernel ends a namespace a moment after its last process.
    eventually(lambda: namespaces() <= before, "the namespaces are gone", 20)
    left = set(os.listdir(tempfile.gettempdir())) - folders
    assert not [name for name in left if name.startswith("tapedeck-run-")]


@pytest.mark.skipif(os.geteuid() != 0, reason="the limits of a namespace are set by root")
def test_where_it_cannot_be_a_line_says_why_and_what_allows_it(tmp_path):
    def limited(*options: str):
        limits = "for kind in user net mnt; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done; exec \"$@\""
        return subprocess.run(
            ["unshare", "--user", "--map-root-user", "sh", "-c", limits, "sh", binary(), "run", *options, "--", "env"],
            env=CLEAN, capture_output=True, text=True, timeout=60)

    refused = limited("--isolate")
    assert refused.returncode == 1 and refused.stdout == ""
    line = next(line for line in refused.stderr.splitlines() if "cannot isolate" in line)
    assert "the limit of user namespaces is 0" in line and "sysctl user.max_user_namespaces=10000" in line
    for options in (["--isolate=try"], ["--isolate", "try"]):
        tried = limited(*options)
        assert tried.returncode == 0 and "http_proxy=http://127.0.0.1:" in tried.stdout
        assert "not isolated, going on with proxy variables" in tried.stderr


@pytest.mark.parametrize("options, message", [
    (["--isolate", "--upstream", "https://example.com"], "--isolate and --upstream exclude each other"),
    (["--isolate", "--proxy-auth", "a:b"], "--isolate and --proxy-auth exclude each other"),
    (["--isolate=maybe"], "--isolate takes no value but try"),
    (["--isolate-ports", "8080"], "--isolate-ports needs --isolate"),
    (["--share", "5432"], "--share needs --isolate"),
    (["--isolate", "--share", "db:x"], '--share takes PORT or HOST:PORT, not "db:x"'),
    (["--isolate", "--isolate-ports", "80,x"], '--isolate-ports takes ports from 1 to 65535 but 53, not "x"'),
])
def test_what_makes_no_sense_is_refused(options, message):
    ran = run_command(["true"], *options)
    assert ran.code == 2 and message in ran.log, ran.log
