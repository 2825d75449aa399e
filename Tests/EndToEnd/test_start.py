"""Quick to start, small in memory."""

import subprocess
import time
from statistics import median

import pytest
from deck import CLEAN, binary, is_release, run
from wire import fetch

STARTS = 20


def milliseconds_to_ready(cassette) -> float:
    began = time.monotonic()
    process = subprocess.Popen(
        [binary(), "replay", "--cassette", cassette, "--port", "0"],
        env=CLEAN, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if "listening on" in line:
                return (time.monotonic() - began) * 1000
        raise AssertionError("it ended without being ready")
    finally:
        process.kill()
        process.communicate()


def test_ready_in_well_under_fifty_milliseconds(small_cassette, figure):
    middle = median(milliseconds_to_ready(small_cassette[0]) for _ in range(STARTS))
    figure("start to ready, median of twenty", f"{middle:.1f} ms")
    assert middle < (50 if is_release() else 250)


def test_resident_memory_stays_small(start, small_cassette, figure):
    path, answers = small_cassette
    deck = start("replay", "--cassette", path)
    for target, _ in answers:
        fetch(deck.url, target)
    resident = deck.mebibytes("VmRSS")
    figure("resident after a small replay", f"{resident:.1f} MiB")
    assert resident < (24 if is_release() else 64)


def linked_libraries() -> dict[str, str]:
    listed = subprocess.run(["ldd", binary()], capture_output=True, text=True, timeout=15, check=True).stdout
    return {words[0]: words[2] for line in listed.splitlines() if len(words := line.split()) > 2}


@pytest.mark.parametrize("library", ["libcurl.so.4", "libcrypto.so.3", "libssl.so.3", "libz.so.1"])
def test_an_absent_library_is_an_error_at_start_that_names_it(library, small_cassette, tmp_path):
    """An absent libcrypto was a trap in the middle of `ls`; an absent libcurl was found out by the first request."""
    assert library in linked_libraries()
    # The loader takes a library by its name from here first, and this one is none.
    (tmp_path / library).write_bytes(b"")
    done = run("ls", small_cassette[0], env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 127, done.stderr
    assert library in done.stderr
    assert done.stdout == ""
