"""A short recording session in which any one system call on the cassette can fail, or be the last thing that happens.

strace counts calls per thread, so a session has three phases, each of one thread: `start` (the lock, the index, the
journal's header), `traffic` (bodies and journal lines) and `seal`. strace is there from the first instruction or is
attached at the beginning of the phase, sees only what touches the cassette, and so numbers the same calls every time.
"""

import collections
import json
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from deck import CLEAN, Deck, assert_no_crash, binary, eventually, interactions, run
from origin import reply
from wire import fetch

PHASES = ("start", "traffic", "seal")
CALLS = (
    "write", "pwrite64", "writev", "pread64", "fsync", "fdatasync", "syncfs", "rename", "renameat", "renameat2",
    "openat", "openat2", "mkdir", "mkdirat", "ftruncate", "unlink", "unlinkat", "flock", "newfstatat", "fstat",
    "getdents64",
)
CHANGING = (
    "write", "fsync", "fdatasync", "syncfs", "renameat", "openat", "openat2", "mkdir", "mkdirat", "ftruncate",
    "unlinkat",
)
ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS")

OLD = ["/kept", "/changed", "/changed", "/binary"]
NEW = ["/changed", "/binary", "/fresh", "/changed"]
TEMPORARY = re.compile(r"^\.tapedeck-\d+\.tmp$|^bodies/\.spool-\d+$")


class TwoGenerations:
    """An origin's handler that answers everything differently once `age` says so."""

    age = b"old"

    def __call__(self, exchange):
        body = self.age + b" " + exchange.request.target + b"\n"
        if exchange.request.target == b"/binary":
            return reply(bytes(range(256)) * 16 + body, b"Content-Type: application/octet-stream")
        return reply(body, b"Content-Type: text/plain")


def answer_of(age: str, target: str) -> bytes:
    body = f"{age} {target}\n".encode()
    return bytes(range(256)) * 16 + body if target == "/binary" else body


@dataclass(frozen=True)
class Fault:
    phase: str
    call: str
    nth: int
    action: str
    forever: bool = False

    def __str__(self):
        return f"{self.phase}: {self.call} {self.nth}{'+' if self.forever else ''} {self.action}"

    @property
    def injection(self) -> str:
        return f"inject={self.call}:{self.action}:when={self.nth}{'+' if self.forever else ''}"


@dataclass
class Outcome:
    started: bool = False
    told: list[str] = field(default_factory=list)
    returncode: int | None = None
    stderr: str = ""
    fired: bool = False


def strace_arguments(cassette: Path, trace: Path, *expressions: str) -> list[str]:
    places = [cassette, cassette / "journal.jsonl", cassette / "bodies"]
    places += [cassette / f".tapedeck-{number}.tmp" for number in range(8)]
    places += [cassette / "bodies" / f".spool-{number}" for number in range(4)]
    arguments = ["strace", "-f", "-o", str(trace), "-e", "trace=" + ",".join(CALLS)]
    for place in places:
        arguments += ["-P", str(place)]
    for expression in expressions:
        arguments += ["-e", expression]
    return arguments


class Session:
    """One run of `record` over a copy of the old cassette, `NEW` asked in turn."""

    def __init__(self, folder: Path, origin_url: str, cassette: Path, options=()):
        self.folder, self.origin_url, self.cassette, self.options = folder, origin_url, cassette, options
        self.trace = folder / "trace"
        self.process: subprocess.Popen | None = None
        self.tracer: subprocess.Popen | None = None
        # Whether a fault of the traffic goes on when the cassette is sealed.
        self.lasts = False

    @property
    def arguments(self) -> list[str]:
        return [
            "record", "--upstream", self.origin_url, "--cassette", str(self.cassette), "--threads", "1", "--quiet",
            *self.options]

    def command(self) -> list[str]:
        return [str(binary()), *self.arguments, "--port", "0", "--ready-file", str(self.folder / "ready")]

    def run(self, phase: str | None = None, expressions=(), targets=NEW) -> Outcome:
        """Starts, asks, stops; without targets at all, is killed once it is ready."""
        outcome = Outcome()
        log = self.folder / "stderr"
        wrapper = strace_arguments(self.cassette, self.trace, *expressions) + ["-D"] if phase == "start" else []
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*wrapper, *self.command()], env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=output)
        try:
            self._through(phase, expressions, targets, outcome)
            outcome.returncode = self.process.wait(30)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.detach()
        outcome.stderr = log.read_text(errors="surrogateescape")
        if phase is not None:
            outcome.fired = self._fired(wrapper, outcome.returncode)
        assert_no_crash(outcome.returncode, outcome.stderr)
        return outcome

    def _through(self, phase, expressions, targets, outcome: Outcome) -> None:
        ready = self.folder / "ready"
        eventually(lambda: ready.exists() or self.process.poll() is not None, "ready", 30)
        if self.process.poll() is not None:
            return
        outcome.started = True
        if targets is None:
            return self.process.kill()
        url = ready.read_text().strip()
        if phase == "traffic":
            self.attach(expressions)
        for target in targets:
            try:
                answer = fetch(url, target)
            except OSError:
                assert phase == "traffic" and self.process.wait(10) == -signal.SIGKILL, f"{target} was not answered"
                return
            assert (answer.status, answer.body) == (200, answer_of("new", target)), target
            outcome.told.append(target)
        if phase == "traffic" and not self.lasts:
            self.detach()
        if phase == "seal":
            self.attach(expressions)
        self.process.send_signal(signal.SIGTERM)

    def attach(self, expressions=()) -> None:
        arguments = strace_arguments(self.cassette, self.trace, *expressions)
        self.tracer = subprocess.Popen(
            [*arguments, "-p", str(self.process.pid)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        line = self.tracer.stderr.readline()
        assert "attached" in line, line

    def detach(self) -> None:
        if self.tracer is not None:
            self.tracer.terminate()
            self.tracer.communicate()
            self.tracer = None

    def _fired(self, wrapper, returncode: int) -> bool:
        if wrapper:
            end = f"{self.process.pid} +++"
            eventually(lambda: end in re.sub(" +", " ", self.trace.read_text()), "the trace's end")
        return "INJECTED" in self.trace.read_text() or returncode == -signal.SIGKILL


def calls_of(folder: Path, origin_url: str, old: Path, phase: str) -> collections.Counter:
    """How often one phase makes each call."""
    place = fresh(folder, old)
    session = Session(place, origin_url, place / "cassette")
    session.run(phase, targets=None if phase == "start" else NEW)
    lines = session.trace.read_text().splitlines()
    return collections.Counter(match[1] for line in lines if (match := re.match(r"\d+ +(\w+)\(", line)))


def fresh(folder: Path, old: Path) -> Path:
    """An empty folder with a copy of the old cassette."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(old, folder / "cassette", copy_function=shutil.copy2)
    return folder


def files(cassette: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(cassette)): path.read_bytes() for path in sorted(cassette.rglob("*")) if path.is_file()}


def lasting(contents: dict[str, bytes]) -> dict[str, bytes]:
    """Without the journal, what a crash may have left half made, and bodies no file refers to."""
    said = b"".join(content for name, content in contents.items() if re.fullmatch(r"[^./].*\.json", name))
    return {
        name: content for name, content in contents.items()
        if name != "journal.jsonl" and not TEMPORARY.match(name)
        and (not name.startswith("bodies/") or name.encode() in said)}


def stable(cassette: Path) -> dict[str, dict]:
    """The sealed interactions without what differs between any two recordings."""
    found = interactions(cassette)
    for interaction in found.values():
        interaction.pop("volatile")
    return found


def expected(recorded: int) -> dict[str, tuple[int, bytes]]:
    """What a cassette answers, and how many answers it has, when this many of `NEW` are recorded over `OLD`."""
    new = collections.Counter(NEW[:recorded])
    targets = {target: ("old", count) for target, count in collections.Counter(OLD).items()}
    targets |= {target: ("new", count) for target, count in new.items()}
    return {target: (count, answer_of(age, target)) for target, (age, count) in targets.items()}


def observed(folder: Path, cassette: Path) -> dict[str, tuple[int, bytes]]:
    """The same, as `ls` and a replay tell it."""
    listed = run("ls", "--json", cassette)
    assert listed.returncode == 0, listed.stderr
    counts = collections.Counter(row["target"] for row in json.loads(listed.stdout))
    with Deck(folder / "replay", "replay", "--cassette", cassette, "--quiet") as deck:
        found = {target: (count, fetch(deck.url, target).body) for target, count in counts.items()}
    shutil.rmtree(folder / "replay")
    return found


def recorded_count(folder: Path, cassette: Path) -> int:
    """How many of `NEW` a cassette holds: always a prefix, and nothing invented."""
    found = observed(folder, cassette)
    matching = [count for count in range(len(NEW) + 1) if expected(count) == found]
    assert matching, f"no prefix of the session explains {found}"
    return matching[0]


def debris(cassette: Path) -> list[str]:
    contents = files(cassette)
    return [name for name in contents if name not in lasting(contents)]
