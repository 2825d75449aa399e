"""Durability D1–D12, against the real binary and a disk that fails at every place it can.

The laws, after any one fault or the process's death at any one call on the cassette:
- every client that was told an answer to its end finds it recorded (D1), and what is recorded is a prefix of the
  session and nothing else (D3);
- until all that is new is safe on the disk, the files of the old cassette are byte-identical (D4); from then on each
  file is either the old or the new one, and the journal completes them;
- a failing disk costs the recording, never the traffic: exit code 1, with the system's own word for it (D6);
- the next run, with nothing repaired by hand, ends in a cassette without debris (D6, D12).
"""

import itertools
import os
import shutil
import signal
import subprocess

import pytest

import faults
from deck import Deck, eventually, fingerprint, interactions, journal, run
from faults import CHANGING, ERRORS, NEW, OLD, PHASES, Fault, Session, debris, files, fresh, lasting, recorded_count, stable
from origin import Origin, reply
from wire import Wire, fetch

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
REASONS = {
    "ENOSPC": "No space left on device", "EIO": "Input/output error", "EDQUOT": "Disk quota exceeded",
    "EROFS": "Read-only file system",
}
SHORT_CASES = 30


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """An origin of two generations, the cassette of the old one, and what recording the new one over it comes to."""
    folder = tmp_path_factory.mktemp("stage")
    handler = faults.TwoGenerations()
    with Origin(handler) as origin:
        old = folder / "old"
        with Deck(folder / "deck", "record", "--upstream", origin.url, "--cassette", old, "--quiet") as deck:
            for target in OLD:
                fetch(deck.url, target)
            assert deck.stop() == 0, deck.stderr
        handler.age = b"new"
        place = fresh(folder / "reference", old)
        assert Session(place, origin.url, place / "cassette").run().returncode == 0
        yield Stage(folder, origin.url, old, stable(place / "cassette"))
        assert origin.failure is None


class Stage:
    def __init__(self, folder, url, old, reference):
        self.folder, self.url, self.old, self.reference = folder, url, old, reference
        self.old_files = files(old)
        self.old_stable = stable(old)
        self._counts = {}

    def session(self, options=()) -> Session:
        place = fresh(self.folder / "run", self.old)
        return Session(place, self.url, place / "cassette", options)

    def places(self, calls):
        """Every (phase, call, nth) of a session."""
        for phase in PHASES:
            if phase not in self._counts:
                self._counts[phase] = faults.calls_of(self.folder / "count", self.url, self.old, phase)
            for call in sorted(set(self._counts[phase]) & set(calls)):
                yield from ((phase, call, nth) for nth in range(1, self._counts[phase][call] + 1))

    def assert_old_or_new(self, cassette) -> None:
        for name, content in stable(cassette).items():
            assert content in (self.old_stable.get(name), self.reference.get(name)), f"{name} is neither old nor new"

    def assert_next_run_works(self, session: Session, recorded: int) -> None:
        """A run with no fault and no traffic repairs everything."""
        (session.folder / "ready").unlink(missing_ok=True)
        again = Session(session.folder, self.url, session.cassette).run(targets=[])
        assert again.returncode == 0, again.stderr
        assert recorded_count(session.folder, session.cassette) == recorded
        assert debris(session.cassette) == []
        if recorded == len(NEW):
            assert stable(session.cassette) == self.reference


def sampled(cases, count: int):
    """All of them in the long form, else some, spread evenly."""
    cases = list(cases)
    if LONG or len(cases) <= count:
        return cases
    return [cases[index * len(cases) // count] for index in range(count)]


@pytest.mark.timeout(3600 if LONG else 180)
def test_D1_D3_D4_killed_at_every_call(stage, figure):
    cases = sampled(stage.places(CHANGING), SHORT_CASES)
    for phase, call, nth in cases:
        fault = Fault(phase, call, nth, "signal=KILL")
        session = stage.session()
        outcome = session.run(phase, [fault.injection])
        assert outcome.returncode == -signal.SIGKILL, f"{fault}: never happened"
        recorded = recorded_count(session.folder, session.cassette)
        assert len(outcome.told) <= recorded <= len(outcome.told) + 1, str(fault)
        if phase == "seal":
            assert recorded == len(NEW), str(fault)
            stage.assert_old_or_new(session.cassette)
        else:
            assert lasting(files(session.cassette)) == stage.old_files, str(fault)
        stage.assert_next_run_works(session, recorded)
    figure("system calls on the cassette a recorder was killed at", len(cases))


def error_cases(stage):
    for place in stage.places(faults.CALLS):
        for error in ERRORS:
            yield Fault(*place, f"error={error}")
        yield Fault(*place, "error=ENOSPC", forever=True)


@pytest.mark.timeout(3600 if LONG else 180)
def test_D4_D6_an_error_at_every_call(stage, figure):
    cases = sampled(error_cases(stage), SHORT_CASES + 7)
    for fault in cases:
        session = stage.session()
        session.lasts = fault.forever
        outcome = session.run(fault.phase, [fault.injection])
        assert outcome.fired, f"{fault}: never happened"
        assert outcome.returncode in (0, 1), f"{fault}: {outcome.stderr}"
        assert outcome.told == (NEW if outcome.started else []), f"{fault}: traffic did not go on"
        recorded = recorded_count(session.folder, session.cassette)
        if outcome.returncode == 0:
            assert (recorded, stable(session.cassette)) == (len(NEW), stage.reference), str(fault)
        else:
            assert_told(fault, outcome.stderr)
            if lasting(files(session.cassette)) != stage.old_files:
                assert (fault.phase, recorded) == ("seal", len(NEW)), f"{fault}: the old cassette has changed"
                stage.assert_old_or_new(session.cassette)
        stage.assert_next_run_works(session, recorded)
    figure("errors injected into calls on the cassette", len(cases))


def assert_told(fault: Fault, stderr: str) -> None:
    reason = REASONS[fault.action.removeprefix("error=")]
    lines = [line for line in stderr.splitlines() if reason in line]
    assert 1 <= len(lines) <= 2, f"{fault}: told {len(lines)} times: {stderr}"
