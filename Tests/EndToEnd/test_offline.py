"""Replay asks nobody and changes nothing: the kernel is the witness."""

import re
import shutil
import subprocess

import pytest

from deck import Deck, eventually, fingerprint, run
from wire import fetch

WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
CHANGING = re.compile(
    r"\b(rename|renameat2?|unlink|unlinkat|rmdir|mkdir|mkdirat|link|linkat|symlink|symlinkat|mknod|mknodat"
    r"|chmod|fchmodat|chown|fchownat|truncate|utime|utimensat|setxattr)\(")


def assert_answers(url: str, answers) -> None:
    for target, recorded in answers:
        assert fetch(url, target).essence == recorded.essence


@pytest.fixture
def read_only(small_cassette, tmp_path):
    """The small cassette on a file system that cannot be written."""
    place = tmp_path / "read-only"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "none", place], capture_output=True).returncode:
        pytest.skip("mounting a file system is not permitted here")
    try:
        shutil.copytree(small_cassette[0], place / "cassette")
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        yield place / "cassette"
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture(scope="module")
def traced(small_cassette, tmp_path_factory):
    """The system calls of one replay, start to end."""
    path, answers = small_cassette
    folder = tmp_path_factory.mktemp("traced")
    trace = folder / "trace"
    # -D keeps the proxy our own child, so that signals reach it and not strace.
    strace = ["strace", "-D", "-f", "-y", "-e", "trace=network,file", "-o", trace]
    with Deck(folder, "replay", "--cassette", path, wrapper=strace) as deck:
        assert_answers(deck.url, answers)
        assert deck.stop() == 0
        ended = f"{deck.process.pid} +++ exited with 0 +++"
    eventually(lambda: ended in re.sub(" +", " ", trace.read_text()), "strace has written its last line")
    return trace.read_text().splitlines()


def test_replay_connects_to_nobody(traced):
    assert any("accept" in line for line in traced), "the trace saw no network at all"
    assert [line for line in traced if re.search(r"\bconnect\(", line)] == []


def test_replay_opens_nothing_in_the_cassette_for_writing(traced, small_cassette):
    inside = [line for line in traced if str(small_cassette[0]) in line]
    assert any(re.search(r"\bopen(at2?)?\(.*O_RDONLY", line) for line in inside), "the trace saw no cassette at all"
    assert [line for line in inside if WRITING.search(line) or CHANGING.search(line)] == []


def test_replay_leaves_every_file_as_it_was(start, small_cassette):
    path, answers = small_cassette
    before = fingerprint(path)
    deck = start("replay", "--cassette", path)
    assert_answers(deck.url, answers)
    assert fetch(deck.url, "/never-recorded").status == 502
    assert deck.stop() == 3
    assert fingerprint(path) == before


def test_replay_works_on_a_read_only_file_system(start, read_only, small_cassette):
    deck = start("replay", "--cassette", read_only)
    assert_answers(deck.url, small_cassette[1])
    assert deck.stop() == 0


def test_record_on_a_read_only_file_system_says_which_folder(read_only, mirror):
    done = run("record", "--upstream", mirror.url, "--cassette", read_only, "--port", "0")
    assert done.returncode == 1
    assert str(read_only) in done.stderr
    assert "listening" not in done.stderr
