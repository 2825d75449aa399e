"""Commands under `tapedeck run --isolate` that do not behave: each works, or ends with a line that says why not."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from deck import CLEAN, binary, eventually
from test_isolation import NOBODY, kernel_that_permits, origins, public, run_isolated  # noqa: F401, fixtures

pytestmark = pytest.mark.timeout(300)
as_root = pytest.mark.skipif(not NOBODY, reason="needs root, to become another user")


def python(program: str, *words) -> list:
    return [sys.executable, "-c", program, *map(str, words)]


@pytest.fixture
def by_nobody(public):
    """The words that run `tapedeck` as another user, who can read and write the folder."""
    shutil.copy(binary(), public / "tapedeck")
    return [*NOBODY, "env", f"HOME={public}", f"TMPDIR={public}", public / "tapedeck"]


@as_root
def test_a_setuid_program_has_no_rights_of_roots(public, by_nobody):
    shutil.copy("/usr/bin/id", public / "id")
    (public / "id").chmod(0o4755)
    assert "euid=0" in subprocess.run([*NOBODY, public / "id"], capture_output=True, text=True).stdout
    ran = run_isolated([public / "id"], by=by_nobody, cwd=public)
    assert ran.code == 0 and "uid=65534" in ran.output and "euid=0" not in ran.output, ran.output


CAPABILITIES = r"""
import ctypes, os, re
print(re.findall(r"Cap(?:Prm|Eff|Amb):\s*(\w+)", open("/proc/self/status").read()))
print(ctypes.CDLL(None).umount2(b"/etc/resolv.conf", 2))
"""


@as_root
def test_another_user_has_no_capability_and_cannot_undo_the_files(public, by_nobody):
    shutil.copy(sys.executable, public / "python")  # the tests' own may lie where only its owner enters
    program = public / "program.py"
    program.write_text(CAPABILITIES)
    ran = run_isolated(["/usr/bin/python3", program], by=by_nobody, cwd=public)
    assert ran.output.splitlines() == [str(["0" * 16] * 3), "-1"], ran.output + ran.log


FORK_UNTIL_REFUSED = """
import os, resource, time
resource.setrlimit(resource.RLIMIT_NPROC, (40, 40))
count = 0
try:
    while count < 1000:
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
        count += 1
except BlockingIOError:
    print("refused", 0 < count <= 40)
for _ in range(count):
    os.wait()
"""


@as_root
def test_processes_are_bounded_as_outside(public, by_nobody):
    program = public / "program.py"
    program.write_text(FORK_UNTIL_REFUSED)
    ran = run_isolated(["/usr/bin/python3", program], by=by_nobody, cwd=public)
    assert (ran.code, ran.output) == (0, "refused True\n"), ran.log


DAEMON = """
import os, socket, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in range(3):
            os.close(descriptor)
        open(sys.argv[1] + "/pid", "w").write(str(os.getpid()))
        while os.path.exists(sys.argv[1] + "/wait"):
            time.sleep(0.05)
        try:
            socket.create_connection(("192.0.2.1", 80), 10)
            found = "connected"
        except OSError as error:
            found = type(error).__name__
        open(sys.argv[1] + "/found", "w").write(found)
    os._exit(0)
os.wait()
while not os.path.exists(sys.argv[1] + "/pid"):
    time.sleep(0.05)
"""


def test_a_daemon_that_outlives_the_command_has_no_network_left(tmp_path):
    (tmp_path / "wait").touch()
    ran = run_isolated(python(DAEMON, tmp_path))
    pid = int((tmp_path / "pid").read_text())
    assert ran.code == 0
    line = next(line for line in ran.log.splitlines() if "still run" in line)
    assert f"({pid})" in line and "reach nothing" in line, line
    (tmp_path / "wait").unlink()
    eventually(lambda: (tmp_path / "found").exists() and (tmp_path / "found").read_text(), "the daemon tried", 20)
    assert (tmp_path / "found").read_text() == "ConnectionRefusedError"
    eventually(lambda: not Path(f"/proc/{pid}").exists(), "the daemon ended", 20)


def test_descriptors_that_were_left_open_are_closed(tmp_path):
    with open(tmp_path / "leaked", "w") as leaked:
        os.set_inheritable(leaked.fileno(), True)
        done = subprocess.run(
            [binary(), "run", "--isolate", "--", "ls", "-l", "/proc/self/fd"], env=CLEAN, capture_output=True, text=True,
            close_fds=False, timeout=60)
    # The last is that of the folder which is being listed.
    names = re.findall(r" (\d+) -> (\S+)", done.stdout)
    assert [name for name, _ in names] == ["0", "1", "2", "3"] and "leaked" not in done.stdout, done.stdout


def mounts() -> str:
    return Path("/proc/self/mounts").read_text()


def test_killing_the_command_or_us_leaves_nothing(tmp_path):
    before = mounts()
    ran = run_isolated(["sh", "-c", "kill -9 $$"])
    assert ran.code == 128 + signal.SIGKILL
    process = subprocess.Popen(
        [binary(), "run", "--isolate", "--", "sh", "-c", f"readlink /proc/self/ns/net; cat; echo $? > {tmp_path}/code"],
        env={**CLEAN, "TMPDIR": str(tmp_path)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True)
    namespace = process.stdout.readline().strip()
    assert namespace.startswith("net:[")
    process.kill()
    process.wait()
    process.stdin.close()  # the command sees the end of its input, and ends by itself
    eventually((tmp_path / "code").exists, "the command ended", 20)
    process.stdout.close()

    def is_gone():
        for link in Path("/proc").glob("[0-9]*/ns/net"):
            try:
                if os.readlink(link) == namespace:
                    return False
            except OSError:
                pass
        return True
    eventually(is_gone, "no process is in the namespace", 20)
    assert mounts() == before


def test_a_command_that_unshares_has_less_and_not_more(tmp_path):
    inner = python("import socket\ntry: socket.create_connection(('192.0.2.1', 80), 10)\nexcept OSError as error: print(error)")
    ran = run_isolated(["unshare", "--user", "--map-root-user", "--net", "--mount", *inner])
    assert (ran.code, ran.output) == (0, "[Errno 101] Network is unreachable\n"), ran.log


def test_isolation_inside_of_isolation_is_served_by_both(tmp_path, origins):
    url = f"{origins.environment['MOTO']}/"
    inner = [binary(), "run", "--isolate", "--cassette", tmp_path / "inner", "--", "curl", "-sS", url]
    ran = run_isolated(inner, *origins.resolve, cassette=tmp_path / "outer", env=origins.environment)
    assert ran.code == 0 and "ListAllMyBucketsResult" in ran.output, ran.log
    assert (tmp_path / "inner" / "cassette.json").exists() == (tmp_path / "outer" / "cassette.json").exists()
    again = run_isolated(inner, cassette=tmp_path / "outer", env=origins.environment)
    assert (again.code, again.output) == (0, ran.output), again.log


SOCKETS = r"""
import socket, sys, os
def attempt(what, work):
    try: print(what, work())
    except OSError as error: print(what, type(error).__name__)
def stream(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(20)
        one.connect(address)
        one.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return one.recv(12)
def query(kind, address):
    message = b"\x12\x34\x01\x00\x00\x01" + bytes(6) + b"\x03api\x03one\x04test\x00\x00\x01\x00\x01"
    with socket.socket(socket.AF_INET, kind) as one:
        one.settimeout(20)
        one.connect(address)
        if kind == socket.SOCK_STREAM: message = bytes([0, len(message)]) + message
        one.send(message)
        return one.recv(512)[-4:-2] == b"\xc6\x12"
def raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP).sendto(bytes(8), ("192.0.2.1", 0))
    return "sent"
def abstract():
    with socket.socket(socket.AF_UNIX) as one: one.connect("\0" + sys.argv[1]); return "connected"
def multicast():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        one.sendto(bytes(12), ("224.0.0.251", 5353))
        return one.recv(10)
attempt("ipv6", lambda: stream(socket.AF_INET6, ("2001:db8::7", 80)))
attempt("dns by tcp", lambda: query(socket.SOCK_STREAM, ("198.18.0.1", 53)))
attempt("dns of another", lambda: query(socket.SOCK_DGRAM, ("192.0.2.53", 53)))
attempt("stub", lambda: query(socket.SOCK_DGRAM, ("127.0.0.53", 53)))
attempt("abstract", abstract)
attempt("mdns", multicast)
print("resolv.conf", open("/etc/resolv.conf").read().split())
"""


def test_sockets_of_every_kind_are_served_or_refused():
    import socket as sockets
    with sockets.socket(sockets.AF_UNIX) as outside:
        name = f"tapedeck-test-{os.getpid()}"
        outside.bind("\0" + name)
        outside.listen()
        ran = run_isolated(python(SOCKETS, name))
    assert ran.output.splitlines() == [
        "ipv6 b'HTTP/1.1 502'", "dns by tcp True", "dns of another True", "stub True",
        "abstract ConnectionRefusedError", ran.output.splitlines()[5], "resolv.conf ['nameserver', '198.18.0.1']"], ran.log
    assert ran.output.splitlines()[5] in ("mdns TimeoutError", "mdns ConnectionRefusedError", "mdns OSError")
    assert "reached for [2001:db8::7]:80" in ran.log


# A filter of system calls (seccomp(2)): refuses `unshare`, as Docker's profile does, or sockets of netfilter.
FILTER = r"""
import ctypes, os, struct, sys
LOAD, EQUAL, RETURN, ALLOW = 0x20, 0x15, 0x06, 0x7FFF0000
UNSHARE, SOCKET = {"x86_64": (272, 41), "aarch64": (97, 198)}[os.uname().machine]
def step(code, value, yes=0, no=0): return struct.pack("HBBI", code, yes, no, value)
if sys.argv[1] == "unshare":
    program = [step(LOAD, 0), step(EQUAL, UNSHARE, 0, 1), step(RETURN, 0x00050000 | 1), step(RETURN, ALLOW)]
else:
    program = [step(LOAD, 0), step(EQUAL, SOCKET, 0, 5), step(LOAD, 16), step(EQUAL, 16, 0, 3), step(LOAD, 32),
               step(EQUAL, 12, 0, 1), step(RETURN, 0x00050000 | 93), step(RETURN, ALLOW)]
code = ctypes.create_string_buffer(b"".join(program))
class Program(ctypes.Structure): _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_void_p)]
loaded = Program(len(program), ctypes.cast(code, ctypes.c_void_p))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(loaded), 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_filter_of_system_calls_is_named_with_what_allows_it():
    ran = run_isolated(["true"], by=python(FILTER, "unshare", binary()))
    assert ran.code == 1 and "--security-opt seccomp=unconfined" in ran.log, ran.log


PORTS = r"""
import socket
for port in (80, 8080, 9090):
    try:
        with socket.create_connection((socket.gethostbyname(f"port{port}.test"), port), 20) as one:
            one.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            print(port, one.recv(12))
    except OSError as error:
        print(port, type(error).__name__)
"""


def test_without_redirection_the_ports_are_told(tmp_path):
    report = tmp_path / "report.json"
    ran = run_isolated(
        python(PORTS), "--isolate-ports", "8080", "--report", report, by=python(FILTER, "netfilter", binary()))
    assert ran.output.splitlines() == ["80 b'HTTP/1.1 502'", "8080 b'HTTP/1.1 502'", "9090 ConnectionRefusedError"], ran.log
    assert "the kernel has no rules of nf_tables for a namespace" in ran.log
    assert "--isolate-ports adds others: 80, 443, 8080" in ran.log
    assert "looked up, and not connected to at a port that --isolate-ports serves: port9090.test" in ran.log
    isolation = json.loads(report.read_text())["isolation"]
    assert isolation["ports"] == [80, 443, 8080] and isolation["unreachedNames"] == ["port9090.test"]


# What the reports say.

REACH = r"""
import socket
for host, port, text in (("db.test", 5432, b"\0\0\0\x08"), ("192.0.2.1", 80, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")):
    try:
        with socket.create_connection((socket.gethostbyname(host), port), 20) as one:
            one.send(text)
            one.recv(12)
    except OSError:
        pass
socket.gethostbyname("idle.test")
"""


def test_the_reports_say_what_was_reached_for_and_that_nothing_else_was_there(tmp_path):
    files = {name: tmp_path / name for name in ("report.json", "report.xml", "summary.md")}
    options = ["--report", files["report.json"], "--report-junit", files["report.xml"], "--report-github"]
    ran = run_isolated(python(REACH), "--share", "5999", *options, env={"GITHUB_STEP_SUMMARY": str(files["summary.md"])})
    assert json.loads(files["report.json"].read_text())["isolation"] == {
        "isolated": True, "refusal": None, "otherWaysOut": ["127.0.0.1:5999"], "ports": None, "reached": [
            {"origin": "192.0.2.1:80", "connections": 1, "server": "proxy"},
            {"origin": "db.test:5432", "connections": 1, "server": "nobody"}],
        "unlistedConnections": 0, "unreachedNames": ["idle.test"]}, ran.log
    texts = ["isolated: the command reached nothing but this proxy and 127.0.0.1:5999",
             "isolated: reached for 192.0.2.1:80, db.test:5432", "looked up, and not connected to: idle.test"]
    case = ElementTree.parse(files["report.xml"]).find(".//testcase[@name='isolation']")
    assert all(text in case.findtext("system-out") for text in texts)
    assert all(text in files["summary.md"].read_text() for text in texts)
    assert "::warning title=Isolation::" in ran.log


SCAN = """
import socket
for port in range(1000, 11_050):
    with socket.create_connection(("192.0.2.1", port), 20) as line:
        line.sendall(b"\\x00")
        try:
            line.recv(1)
        except ConnectionResetError:
            pass
"""


def test_a_scan_of_ports_is_counted_in_bounded_memory(tmp_path):
    report = tmp_path / "report.json"
    ran = run_isolated(python(SCAN), "--report", report)
    isolation = json.loads(report.read_text())["isolation"]
    assert (len(isolation["reached"]), isolation["unlistedConnections"]) == (10_000, 50), ran.log[-2000:]
    assert "connections to origins beyond the first 10000: 50" in ran.log


def test_the_reports_say_that_it_could_not_be(tmp_path):
    files = {name: tmp_path / name for name in ("report.json", "report.xml")}
    ran = run_isolated(
        ["true"], "--report", files["report.json"], "--report-junit", files["report.xml"],
        by=[*python(FILTER, "unshare", binary())], mode="try")
    isolation = json.loads(files["report.json"].read_text())["isolation"]
    assert isolation["isolated"] is False and "the kernel refuses the namespaces" in isolation["refusal"], ran.log
    case = ElementTree.parse(files["report.xml"]).find(".//testcase[@name='isolation']")
    assert "not isolated" in case.find("skipped").get("message")


def test_without_the_option_the_report_has_none(tmp_path):
    subprocess.run([binary(), "run", "--report", tmp_path / "report", "--", "true"], env=CLEAN, check=True,
                   capture_output=True, timeout=60)
    assert json.loads((tmp_path / "report").read_text())["isolation"] is None
