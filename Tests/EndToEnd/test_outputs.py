"""Where the command writes what it is asked to write, and what ends a run."""

import json
import os
import signal
import subprocess
import threading

import pytest

from deck import CLEAN, assert_no_crash, binary, eventually, interactions, journal, log_lines, run
from origin import counting
from wire import fetch


def reading(fifo):
    """Reads a FIFO to its end, in the background."""
    read = []
    thread = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
    thread.start()

    def result() -> bytes:
        thread.join(15)
        return read[0]

    return result


# Output files

def test_a_report_into_a_device_leaves_the_device(start, small_cassette, tmp_path):
    before = os.stat("/dev/null")
    deck = start("replay", "--cassette", small_cassette[0], "--report", "/dev/null", "--report-junit", "/dev/null")
    assert deck.stop() == 0
    after = os.stat("/dev/null")
    assert (before.st_ino, before.st_rdev) == (after.st_ino, after.st_rdev)


def test_an_export_into_a_fifo_is_written_in_place(small_cassette, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    result = reading(fifo)
    assert run("export", small_cassette[0], "-o", fifo).returncode == 0
    assert "log" in json.loads(result())
    assert fifo.is_fifo()


def test_an_export_through_a_symlink_writes_its_target(small_cassette, tmp_path):
    target, link = tmp_path / "target.har", tmp_path / "link.har"
    target.write_text("a longer text than nothing" * 100_000)
    link.symlink_to(target)
    assert run("export", small_cassette[0], "-o", link).returncode == 0
    assert link.is_symlink() and "log" in json.loads(target.read_bytes())


def test_the_ready_file_may_be_a_fifo_and_stays_one(small_cassette, tmp_path):
    fifo = tmp_path / "ready"
    os.mkfifo(fifo)
    result = reading(fifo)
    process = subprocess.Popen([binary(), "replay", "--cassette", small_cassette[0], "--port", "0", "--ready-file", fifo],
                               env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert fetch(result().decode(), "/json").status == 200
        assert fifo.is_fifo()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


def test_a_fifo_that_nobody_reads_does_not_keep_a_run_from_ending(small_cassette, tmp_path):
    fifo = tmp_path / "ready"
    os.mkfifo(fifo)
    process = subprocess.Popen([binary(), "replay", "--cassette", small_cassette[0], "--port", "0", "--ready-file", fifo],
                               env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        # It blocks the signals before it starts anything; until then one of them would simply end it.
        status = f"/proc/{process.pid}/status"
        eventually(lambda: int(next(line for line in open(status) if line.startswith("SigBlk")).split()[1], 16) & (1 << 14), "blocked")
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=30)
        assert process.returncode == 1 and f"cannot write {fifo}" in stderr
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("verb", ["export", "report"])
def test_a_dash_is_standard_output(small_cassette, tmp_path, verb):
    name = small_cassette[0]
    if verb == "export":
        done = run("export", name, "-o", "-", cwd=tmp_path)
        assert "log" in json.loads(done.stdout)
    else:
        done = run("run", "--cassette", name, "--report", "-", "--", "true", cwd=tmp_path)
        assert json.loads(done.stdout)["tapedeck-report"] == 1
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_an_output_file_that_is_there_is_replaced_whole(small_cassette, tmp_path):
    path = tmp_path / "session.har"
    path.write_text("old")
    inode = path.stat().st_ino
    with path.open() as old:
        assert run("export", small_cassette[0], "-o", path).returncode == 0
        assert old.read() == "old"
    assert path.stat().st_ino != inode
    assert [each.name for each in tmp_path.iterdir()] == ["session.har"]


@pytest.mark.parametrize("arguments", [["export", "{}", "-o", "."], ["replay", "--cassette", "{}", "--report", "."]], ids=lambda each: each[0])
def test_a_folder_is_no_output_file(small_cassette, tmp_path, arguments):
    done = run(*[each.format(small_cassette[0]) for each in arguments], cwd=tmp_path)
    assert done.returncode == 1
    assert "cannot write .: Is a directory" in done.stderr


# Standard output

@pytest.mark.parametrize("arguments", [
    ["ls", "{}"], ["show", "{}"], ["export", "{}"], ["export", "{}", "-o", "-"], ["diff", "{}", "{}", "--json"], ["lint", "{}"],
    ["scan", "{}", "--json"], ["--help"], ["help", "ls"], ["--version"], ["promote", "{}", "--out", "-", "--min-confidence", "0"],
], ids=lambda each: " ".join(each).replace("{} ", ""))
def test_a_failed_write_to_standard_output_exits_1(small_cassette, arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([binary(), *[each.format(small_cassette[0]) for each in arguments]], env=CLEAN,
                              stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=30)
    assert_no_crash(done.returncode, done.stderr)
    if b"" == subprocess.run([binary(), *[each.format(small_cassette[0]) for each in arguments]], env=CLEAN, capture_output=True).stdout:
        pytest.skip("it writes nothing")
    assert done.returncode == 1
    assert "cannot write standard output: No space left on device" in done.stderr


def test_a_reader_that_stops_early_is_not_complained_to(small_cassette):
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {binary()} export {small_cassette[0]} | true"],
                          env=CLEAN, capture_output=True, text=True, timeout=30)
    assert done.stderr == ""


# CI

@pytest.mark.parametrize(("value", "records"), [
    (None, True), ("", True), ("0", True), ("false", True), ("False", True), ("no", True), ("NO", True),
    ("1", False), ("true", False), ("True", False), ("yes", False), ("woodpecker", False),
])
def test_ci_is_detected_by_one_rule(start, origin, cassette, value, records):
    upstream = origin(counting())
    env = {} if value is None else {"CI": value}
    deck = start("serve", "--upstream", upstream.url, "--cassette", cassette, "--mode", "once", env=env)
    fetch(deck.url, "/known")
    assert deck.stop() == 0
    deck = start("serve", "--upstream", upstream.url, "--cassette", cassette, env=env)
    assert fetch(deck.url, "/new").status == (200 if records else 502)
    assert deck.stop() == (0 if records else 3)


# Signals

def test_a_hangup_seals_as_a_termination_does(recording, cassette):
    _, deck = recording(counting())
    fetch(deck.url, "/a")
    assert deck.stop(signal.SIGHUP) == 0
    assert len(interactions(cassette)) == 1 and not journal(cassette).exists()


def test_a_second_hangup_does_not_keep_it_from_sealing(recording, cassette):
    _, deck = recording(counting())
    for number in range(200):
        fetch(deck.url, f"/{number}")
    deck.process.send_signal(signal.SIGHUP)
    assert deck.stop(signal.SIGHUP) == 0
    assert len(interactions(cassette)) == 200 and not journal(cassette).exists()


def test_under_nohup_a_hangup_is_ignored(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], wrapper=["nohup"])
    deck.process.send_signal(signal.SIGHUP)
    assert fetch(deck.url, "/json").status == 200
    assert deck.process.poll() is None
    assert deck.stop() == 0


# Commands that cannot be run

@pytest.mark.parametrize(("make", "code", "words"), [
    (lambda folder: "no-such-command", 127, "no such command in PATH"),
    (lambda folder: "./no-such-command", 127, "No such file or directory"),
    (lambda folder: (folder / "plain").write_text("#!/bin/sh\n") and "./plain", 126, "it is not executable; chmod +x makes it so"),
    (lambda folder: "./", 126, ""),
], ids=["missing", "missing path", "not executable", "folder"])
def test_run_exits_as_shells_do_where_the_command_cannot_be_run(small_cassette, tmp_path, make, code, words):
    done = run("run", "--cassette", small_cassette[0], "--", make(tmp_path), cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "cannot run" in done.stderr and words in done.stderr
