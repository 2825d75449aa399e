"""The program under test: one running `tapedeck`, and the cassettes it leaves."""

import json
import os
import re
import signal
import subprocess
import time
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A test's surroundings decide nothing: no CI switch, no proxies but those it sets itself.
CLEAN = {
    name: value for name, value in os.environ.items()
    if name not in ("CI", "NO_COLOR") and not name.lower().endswith("_proxy")
}
# What a sanitizer needs loaded before the program (Tools/sanitize).
if preload := os.environ.get("TAPEDECK_PRELOAD"):
    CLEAN["LD_PRELOAD"] = preload
CRASHES = {signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGBUS, signal.SIGSEGV, signal.SIGFPE}
CRASH_TEXT = ("Fatal error", "Program crashed", "Thread 0 crashed", "Sanitizer")


def binary() -> Path:
    choices = [Path(os.environ["TAPEDECK"])] if "TAPEDECK" in os.environ else [
        ROOT / ".build" / kind / "tapedeck" for kind in ("debug", "release")]
    for choice in choices:
        if choice.is_file() and os.access(choice, os.X_OK):
            return choice.resolve()
    raise FileNotFoundError(f"no tapedeck at {' or '.join(map(str, choices))}: build it, or set TAPEDECK to its path")


def is_release() -> bool:
    return "debug" not in binary().parts


def eventually(condition, what: str, seconds: float = 15):
    """Waits for a condition, not for a time."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"after {seconds} s still not: {what}"
        time.sleep(0.002)
    return value


def assert_no_crash(returncode: int, stderr: str) -> None:
    assert -returncode not in CRASHES, f"crashed by signal {-returncode}:\n{stderr}"
    for text in CRASH_TEXT:
        assert text not in stderr, stderr


def run(*arguments, cwd=None, env=None, timeout=15) -> subprocess.CompletedProcess:
    """Runs a command that ends by itself."""
    done = subprocess.run(
        [binary(), *map(str, arguments)], cwd=cwd, env={**CLEAN, **(env or {})}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="surrogateescape", timeout=timeout)
    assert_no_crash(done.returncode, done.stderr)
    return done


class Deck:
    """A running proxy; ready once constructed."""

    def __init__(self, folder: Path, *arguments, cwd=None, env=None, wrapper=()):
        folder.mkdir(parents=True, exist_ok=True)
        self.ready_file = folder / "ready"
        self._log = folder / "stderr"
        listening = () if {"--port", "--listen"} & set(arguments) else ("--port", "0")
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*wrapper, binary(), *map(str, arguments), *listening, "--ready-file", self.ready_file],
                cwd=cwd, env={**CLEAN, **(env or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        try:
            eventually(lambda: self.ready_file.exists() or self.process.poll() is not None, "ready", 30)
            assert self.process.poll() is None, f"ended with {self.process.returncode} before it was ready:\n{self.stderr}"
        except BaseException:
            self.kill()
            raise
        self.url = self.ready_file.read_text().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    @property
    def stderr(self) -> str:
        return self._log.read_text(errors="surrogateescape")

    @property
    def authority(self) -> bytes:
        return self.url.removeprefix("http://").encode()

    def stop(self, with_signal=signal.SIGTERM) -> int:
        """Asks it to end, and returns its exit code."""
        self.process.send_signal(with_signal)
        try:
            returncode = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running 60 s after {with_signal!r}:\n{self.stderr[-2000:]}") from None
        assert_no_crash(returncode, self.stderr)
        return returncode

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def mebibytes(self, fact: str) -> float:
        """A size from the kernel's account of the process, such as VmHWM or VmRSS."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"^{fact}:\s+(\d+) kB", status, re.M)[1]) / 1024


def interactions(cassette: Path) -> dict[str, dict]:
    """The sealed exchanges by file name; of several origins, with the folder of the host."""
    paths = sorted(cassette.glob("*.json")) + sorted(path for path in cassette.glob("*/*.json") if b'"origin"' in path.read_bytes())
    files = {path.relative_to(cassette).as_posix(): json.loads(path.read_bytes()) for path in paths}
    return {name: value for name, value in files.items() if "request" in value and "response" in value}


def log_lines(deck: Deck, *needles: str) -> list[str]:
    """The lines on standard error that hold every one of these."""
    return [line for line in deck.stderr.splitlines() if all(needle in line for needle in needles)]


def journal(cassette: Path) -> Path:
    return cassette / "journal.jsonl"


def fingerprint(folder: Path) -> dict:
    """Every file's bytes and times: equal before and after means untouched."""
    facts = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        content = sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        facts[str(path.relative_to(folder))] = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, content)
    return facts
