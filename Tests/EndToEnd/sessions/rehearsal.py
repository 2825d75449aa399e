"""A client's session, recorded from the real origin and run again against the recording.

A script is a function that takes the base URL, does what its client does, and returns all that the client got to see.
It runs unchanged against the recorder and against a replay with default settings, which listens on another port; the
base URL within a result is compared as `{base}`.
"""

import re
import shlex
import subprocess
from urllib.parse import urlsplit

from deck import CLEAN, assert_no_crash, binary, eventually, interactions, log_lines


class Rehearsal:
    def __init__(self, start, cassette):
        self._start = start
        self.cassette = cassette
        self.recorder = self.replayer = None

    def record(self, origin, script, *options):
        """The script's result, seen through the recorder. The origin is stopped."""
        self.recorder = self._start("record", "--upstream", origin.url, "--cassette", self.cassette, *options)
        result = self.run(script, self.recorder)
        assert self.recorder.stop() == 0, self.recorder.stderr
        origin.stop()
        return result

    def replay(self, script, *options, exit_code=0):
        """The script's result, seen through a replay with default settings."""
        self.replayer = self._start("replay", "--cassette", self.cassette, *options)
        result = self.run(script, self.replayer)
        code = self.replayer.stop()
        assert code == exit_code, f"replay exits with {code}:\n{self.tail()}"
        if exit_code == 0:
            assert log_lines(self.replayer, " 0 unmatched", " 0 upstream connections"), self.tail()
        return result

    def attempt(self, script, *options):
        """A replay that may fail: the result or the error, the exit code, and the log."""
        self.replayer = self._start("replay", "--cassette", self.cassette, *options)
        result = without_base(failing(script, self.replayer.url.rstrip("/")), self.replayer.url)
        return result, self.replayer.stop(), self.replayer.stderr

    def both(self, origin, script, *options):
        """Records, replays, and holds the two results against each other; returns the recorded one."""
        recorded = self.record(origin, script, *options)
        try:
            replayed = self.replay(script)
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"the client fails at replay: {error!r}\n{self.tail()}") from error
        assert_same(recorded, replayed, self)
        return recorded

    @staticmethod
    def run(script, deck):
        return without_base(script(deck.url.rstrip("/")), deck.url)

    def tail(self) -> str:
        return self.replayer.stderr[-6000:] if self.replayer else ""

    @property
    def exchanges(self) -> int:
        return len(interactions(self.cassette))


def failing(script, url):
    """The script's result; of one that fails, the error: a miss fails nearly every client."""
    try:
        return script(url)
    except Exception as error:
        return repr(error)


def without_base(value, url: str):
    """The same value with the server's authority as `{base}`, however deep it lies."""
    authority = urlsplit(url).netloc
    if isinstance(value, str):
        return value.replace(authority, "{base}")
    if isinstance(value, bytes):
        return value.replace(authority.encode(), b"{base}")
    if isinstance(value, dict):
        return {name: without_base(each, url) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_base(each, url) for each in value]
    return value


def assert_same(recorded, replayed, rehearsal) -> None:
    """Step by step, so that a failure names the first step that differs."""
    if isinstance(recorded, list) and isinstance(replayed, list):
        for number, (before, after) in enumerate(zip(recorded, replayed)):
            assert after == before, f"step {number} differs:\n{first_difference(before, after)}\n{rehearsal.tail()}"
    assert replayed == recorded, rehearsal.tail()


def first_difference(before, after) -> str:
    """Both values, from a little before where they part."""
    before, after = repr(before), repr(after)
    at = max(0, next((at for at, pair in enumerate(zip(before, after)) if pair[0] != pair[1]), 0) - 60)
    return f"recorded …{before[at:at + 300]}\nreplayed …{after[at:at + 300]}"


def problem_of(response) -> dict:
    """The explanation of a miss, as the client got it."""
    assert response.status_code == 502, (response.status_code, response.text)
    assert response.headers["Content-Type"].startswith("application/problem+json"), response.headers
    return response.json()


class PrintedFix:
    """A command from a miss, started as it was printed: only where it listens is ours to say."""

    def __init__(self, command: str, folder):
        self.command = command
        words = shlex.split(command)
        assert words[0] == "tapedeck", command
        assert words[1] in ("replay", "serve", "run"), f"not a command that replays: {command}"
        listening = [] if {"--port", "--listen"} & set(words) else ["--port", "0"]
        self._log = folder / "fixed-log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [binary(), *words[1:], *listening], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                cwd=folder, env=CLEAN)
        self.url = eventually(self._address, f"listening: {command}", 30)

    def _address(self) -> str | None:
        assert self.process.poll() is None, f"{self.command} ends with {self.process.returncode}: {self.stderr}"
        told = re.search(r"listening on (http://\S+)", self.stderr)
        return told and told[1].rstrip("/")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @property
    def stderr(self) -> str:
        return self._log.read_text(errors="surrogateescape")

    def stop(self) -> int:
        self.process.terminate()
        code = self.process.wait(30)
        assert_no_crash(code, self.stderr)
        return code
