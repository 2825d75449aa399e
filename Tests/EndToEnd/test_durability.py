"""Durability D1–D12, against the real binary and a disk that fails at every place it can.

The laws, after any one fault or the process's death at any one call on the cassette:
- every client that was told an answer to its end finds it recorded (D1), and what is recorded is a prefix of the
  session and nothing else (D3);
- until all that is new is safe on the disk, the files of the old cassette are byte-identical (D4); from then on each
  file is either the old or the new one, and the journal completes them;
- a failing disk costs the recording, never the traffic: exit code 1, with the system's own word for it (D6);
- the next run, with nothing repaired by hand, ends in a cassette without debris (D6, D12).
"""

import os
import re
import shutil
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import faults
from deck import CLEAN, Deck, binary, eventually, fingerprint, interactions, journal, run
from faults import (
    CHANGING, ERRORS, NEW, OLD, PHASES, Fault, Session, debris, files, fresh, lasting, recorded_count, stable)
from origin import Origin, reply
from wire import fetch

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


def traced(stage, *options) -> list[str]:
    """The calls of a whole session on files and towards clients, in order."""
    session = stage.session(options)
    calls = "trace=openat2,write,fsync,fdatasync,syncfs,renameat,unlinkat,sendmsg,sendto,writev"
    wrapper = ["strace", "-D", "-f", "-y", "-s", "9999", "-o", session.trace, "-e", calls]
    deck = Deck(session.folder, *session.arguments, wrapper=wrapper)
    for target in NEW:
        fetch(deck.url, target)
    assert deck.stop() == 0, deck.stderr
    eventually(lambda: "exited with 0" in session.trace.read_text().splitlines()[-1], "the trace's end")
    return [line.split(maxsplit=1)[1] for line in session.trace.read_text().splitlines()]


def positions(lines: list[str], pattern: str) -> list[int]:
    return [index for index, line in enumerate(lines) if re.search(pattern, line)]


JOURNAL_LINE = r'^write\(\d+<.*/journal\.jsonl>, "\{\\"crc32'
LAST_PIECE = r'^(sendmsg|sendto|writev?)\(\d+<(socket|TCP).*new /\w+\\n'


def test_D1_the_kernel_has_the_record_before_the_client_has_the_answer(stage):
    lines = traced(stage)
    written, told = positions(lines, JOURNAL_LINE), positions(lines, LAST_PIECE)
    assert len(written) == len(told) == len(NEW)
    assert sorted(written + told) == [index for pair in zip(written, told) for index in pair]
    assert positions(lines, r"^fdatasync\(") == [], "durability=process waits for no disk"


@pytest.mark.parametrize("durability", ["process", "power"])
def test_D1_exchanges_that_end_in_one_turn_share_a_write(tmp_path, origin, durability):
    count = 40
    together = threading.Barrier(count)

    def told(exchange):
        together.wait(30)
        return reply(b"told " + exchange.request.target + b"\n")

    trace = tmp_path / "trace"
    calls = "trace=write,fdatasync,sendto,sendmsg,writev"
    wrapper = ["strace", "-D", "-f", "-y", "-s", "99999", "-o", trace, "-e", calls]
    deck = Deck(
        tmp_path / "deck", "record", "--upstream", origin(told).url, "--cassette", tmp_path / "c", "--threads", "1",
        "--durability", durability, wrapper=wrapper)
    with ThreadPoolExecutor(count) as clients:
        answers = clients.map(lambda number: fetch(deck.url, f"/one/{number}/"), range(count))
        assert [answer.status for answer in answers] == [200] * count
    assert deck.stop() == 0, deck.stderr
    eventually(lambda: "exited with 0" in trace.read_text().splitlines()[-1], "the trace's end")
    lines = [line.split(maxsplit=1)[1] for line in trace.read_text().splitlines()]
    assert len(positions(lines, JOURNAL_LINE)) < count
    for number in range(count):
        (written,) = positions(lines, rf'^write\(\d+<.*/journal\.jsonl>.*\\"target\\":\\"/one/{number}/')
        (passed_on,) = positions(lines, rf"^(sendmsg|sendto|writev?)\(\d+<(socket|TCP).*told /one/{number}/")
        assert written < passed_on
        if durability == "power":
            assert any(written < synced < passed_on for synced in positions(lines, r"^fdatasync\(.*journal\.jsonl"))


def test_D2_sealing_waits_for_the_disk(stage):
    lines = traced(stage)
    synced, renamed = positions(lines, r"^syncfs\("), positions(lines, r"^renameat\(.*\.tmp")
    gone, last = positions(lines, r"^unlinkat\(.*journal"), positions(lines, r"^fsync\(\d+<.*/cassette>")
    assert len(synced) == 1 and len(gone) == 1 and len(last) == 2
    assert synced[0] < renamed[0] and renamed[-1] < last[0] < gone[0] < last[1]
    staged = positions(lines, r'^openat2\(.*"\.tapedeck-')
    assert staged[-1] < synced[0]


def test_D2_durability_power_waits_at_every_exchange(stage):
    lines = traced(stage, "--durability", "power")
    written, synced = positions(lines, JOURNAL_LINE), positions(lines, r"^fdatasync\(.*journal\.jsonl")
    assert len(written) == len(synced) == len(NEW)
    for line, sync in zip(written, synced):
        between = lines[line + 1:sync]
        assert [call for call in between if re.search(LAST_PIECE, call)] == [], between
    (spooled,) = positions(lines, r"^fdatasync\(.*\.spool-0")
    (named,) = positions(lines, r"^renameat\(.*\.spool-0")
    (lasting_name,) = positions(lines, r"^fsync\(.*/bodies>")
    assert spooled < named < lasting_name < written[1]


@pytest.fixture
def small_disk(tmp_path):
    """A file system that takes a size, and can be mounted again with another."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(options: str) -> bool:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], capture_output=True)
        return done.returncode == 0

    if not mount("size=64k"):
        pytest.skip("mounting a file system is not permitted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


PAGE = b"".join(b"line %d of an answer\n" % number for number in range(150))


def test_D6_a_full_disk_costs_the_recording_and_nothing_else(start, origin, small_disk):
    cassette = small_disk / "cassette"
    upstream = origin(lambda exchange: reply(PAGE + exchange.request.target, b"Content-Type: text/plain"))
    first = start("record", "--upstream", upstream.url, "--cassette", cassette)
    assert fetch(first.url, "/old").status == 200
    assert first.stop() == 0
    before = files(cassette)

    deck = start("record", "--upstream", upstream.url, "--cassette", cassette)
    for number in range(60):
        target = f"/new/{number}"
        assert fetch(deck.url, target).body == PAGE + target.encode()
    assert deck.stop() == 1
    assert len([line for line in deck.stderr.splitlines() if REASONS["ENOSPC"] in line]) == 2, deck.stderr
    assert lasting(files(cassette)) == before
    assert debris(cassette) == ["journal.jsonl"]

    replay = start("replay", "--cassette", cassette)
    answers = [fetch(replay.url, f"/new/{number}") for number in range(60)]
    kept = [answer.status for answer in answers].count(200)
    assert 5 < kept < 20 and all(answer.status == 200 for answer in answers[:kept])
    assert fetch(replay.url, "/old").body == PAGE + b"/old"

    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    again = start("record", "--upstream", upstream.url, "--cassette", cassette)
    assert fetch(again.url, "/late").status == 200
    assert again.stop() == 0, again.stderr
    assert len(interactions(cassette)) == 1 + kept + 1
    assert debris(cassette) == []


def test_D6_many_at_once_on_a_full_disk_are_counted_as_they_are_kept(start, origin, small_disk):
    cassette, count = small_disk / "cassette", 60
    upstream = origin(lambda exchange: reply(PAGE + exchange.request.target, b"Content-Type: text/plain"))
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette)
    assert fetch(deck.url, "/first").status == 200
    with ThreadPoolExecutor(count) as clients:
        answers = list(clients.map(lambda number: fetch(deck.url, f"/new/{number}"), range(count)))
    assert [answer.body for answer in answers] == [PAGE + b"/new/%d" % number for number in range(count)]
    assert deck.stop() == 1
    recorded = int(re.search(r"(\d+) recorded", deck.stderr)[1])
    assert 1 <= recorded < 20, deck.stderr
    replay = start("replay", "--cassette", cassette)
    targets = ["/first", *(f"/new/{number}" for number in range(count))]
    assert [fetch(replay.url, target).status for target in targets].count(200) == recorded


def test_D6_a_disk_that_is_full_from_the_start(origin, small_disk):
    with pytest.raises(OSError), (small_disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))
    upstream = origin(lambda exchange: reply(PAGE, b"Content-Type: text/plain"))
    cassette = small_disk / "cassette"
    done = run("record", "--upstream", upstream.url, "--cassette", cassette, "--port", "0")
    assert done.returncode == 1
    assert REASONS["ENOSPC"] in done.stderr
    assert not cassette.exists()


@pytest.fixture
def read_only(stage, small_disk):
    subprocess.run(["mount", "-o", "remount,size=1m", small_disk], check=True)
    shutil.copytree(stage.old, small_disk / "cassette")
    for path in [small_disk / "cassette", *(small_disk / "cassette").rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    return small_disk / "cassette"


def test_D6_recording_into_a_read_only_disk_is_refused(stage, read_only):
    before = fingerprint(read_only)
    done = run("record", "--upstream", stage.url, "--cassette", read_only, "--port", "0")
    assert done.returncode == 1
    assert REASONS["EROFS"] in done.stderr
    assert fingerprint(read_only) == before
    done = run("record", "--upstream", stage.url, "--cassette", read_only.parent / "another", "--port", "0")
    assert (done.returncode, REASONS["EROFS"] in done.stderr) == (1, True)


def test_D8_replay_needs_no_right_to_write(read_only, tmp_path):
    before = fingerprint(read_only)
    assert faults.observed(tmp_path, read_only) == faults.expected(0)
    assert fingerprint(read_only) == before


def test_D7_a_second_writer_is_refused_at_once_and_readers_are_not(stage, start):
    session = stage.session()
    first = start("record", "--upstream", stage.url, "--cassette", session.cassette)
    fetch(first.url, "/fresh")
    for _ in range(2):
        second = run("record", "--upstream", stage.url, "--cassette", session.cassette, "--port", "0", timeout=5)
        assert second.returncode == 1
        assert f"process {first.process.pid}" in second.stderr
    with start("replay", "--cassette", session.cassette) as reader:
        assert fetch(reader.url, "/fresh").body == faults.answer_of("new", "/fresh")
    assert first.stop() == 0
    third = start("record", "--upstream", stage.url, "--cassette", session.cassette)
    assert third.stop() == 0


def test_D7_no_lock_no_recording(stage):
    session = stage.session()
    fault = Fault("start", "flock", 1, "error=ENOLCK")
    outcome = session.run("start", [fault.injection])
    assert outcome.returncode == 1
    assert "No locks available" in outcome.stderr
    assert lasting(files(session.cassette)) == stage.old_files


def test_D9_a_failed_sync_is_final_for_what_it_was_about(stage):
    session = stage.session()
    outcome = session.run("seal", [Fault("seal", "syncfs", 1, "error=EIO").injection])
    assert outcome.returncode == 1
    assert lasting(files(session.cassette)) == stage.old_files
    assert debris(session.cassette)[-1] == "journal.jsonl"
    assert not list(session.cassette.glob(".tapedeck-*"))
    stage.assert_next_run_works(session, len(NEW))


def test_D9_after_a_failed_sync_the_journal_gets_no_more(stage):
    session = stage.session(["--durability", "power"])
    outcome = session.run("traffic", [Fault("traffic", "fdatasync", 1, "error=EIO").injection])
    assert (outcome.returncode, outcome.told) == (1, NEW)
    calls = [line.split(maxsplit=1)[1] for line in session.trace.read_text().splitlines()]
    (failed,) = positions(calls, "INJECTED")
    assert positions(calls[failed:], r"^(write|fdatasync|fsync)\(") == [0]
    assert recorded_count(session.folder, session.cassette) == 0


def test_D11_files_are_for_the_owner_and_for_no_child(stage, tmp_path):
    cassette = tmp_path / "cassette"
    wrapper = ["sh", "-c", 'umask 000; exec "$@"', "sh"]
    deck = Deck(tmp_path / "deck", "record", "--upstream", stage.url, "--cassette", cassette, wrapper=wrapper)
    for target in NEW:
        fetch(deck.url, target)
    assert {path.stat().st_mode & 0o077 for path in [cassette, *cassette.rglob("*")]} == {0}
    for descriptor in os.listdir(f"/proc/{deck.process.pid}/fd"):
        try:
            place = os.readlink(f"/proc/{deck.process.pid}/fd/{descriptor}")
        except FileNotFoundError:
            continue  # A connection that ended since the folder was listed.
        if place.startswith(str(cassette)):
            with open(f"/proc/{deck.process.pid}/fdinfo/{descriptor}") as facts:
                flags = int(re.search(r"flags:\s+(\d+)", facts.read())[1], 8)
            assert flags & os.O_CLOEXEC, place
    assert deck.stop() == 0
    assert {path.stat().st_mode & 0o077 for path in [cassette, *cassette.rglob("*")]} == {0}


def test_D12_short_writes_leave_nothing_short(stage, tmp_path):
    if shutil.which("fiu-run") is None:
        pytest.skip("libfiu is not installed")
    session = stage.session()
    prefix = tmp_path / "fiu"
    deck = Deck(session.folder, *session.arguments, wrapper=["fiu-run", "-x", "-f", prefix])
    rule = "enable_random name=posix/io/rw/write/reduce,probability=0.7"
    subprocess.run(["fiu-ctrl", "-f", prefix, "-c", rule, str(deck.process.pid)], check=True)
    session.process = deck.process
    session.attach()
    for target in NEW:
        assert fetch(deck.url, target).body == faults.answer_of("new", target)
    session.detach()
    subprocess.run(
        ["fiu-ctrl", "-f", prefix, "-c", "disable name=posix/io/rw/write/reduce", str(deck.process.pid)], check=True)
    assert deck.stop() == 0, deck.stderr
    writes = positions(session.trace.read_text().splitlines(), r"\bwrite\(")
    assert len(writes) > len(NEW) + 1, "no write was short"
    assert stable(session.cassette) == stage.reference
    assert debris(session.cassette) == []
