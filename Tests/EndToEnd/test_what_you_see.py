"""A person's view, in real terminals: aligned, never wrapped, and as the reference shows it."""

import importlib.machinery
import importlib.util
import re
import shlex

import pytest

from deck import ROOT, binary

loader = importlib.machinery.SourceFileLoader("capture", str(ROOT / "Tools" / "capture"))
capture = importlib.util.module_from_spec(importlib.util.spec_from_loader("capture", loader))
loader.exec_module(capture)

LINE = re.compile(
    r"\d\d:\d\d:\d\d (?P<method>[A-Z]+) +(?P<target>\S+) +(?P<status>\d{3}) +(?P<size>\d+ \w+) "
    r"(?P<responder>.+?) +(?P<duration>[\d.]+ m?s)")


@pytest.fixture(scope="module", params=capture.WIDTHS)
def seen(request):
    blocks, broken = capture.captures(binary(), request.param)
    return request.param, blocks, broken


def test_no_line_wraps(seen):
    columns, blocks, broken = seen
    assert broken == 0, "\n".join(sum(blocks, []))
    assert max(len(line) for block in blocks for line in block) < columns


def test_columns_are_aligned(seen):
    columns, blocks, _ = seen
    rows = [found for block in blocks for line in block if (found := LINE.fullmatch(line.rstrip()))]
    assert len(rows) == 10, blocks
    for name in ("method", "target", "status", "responder"):
        assert len({row.start(name) for row in rows}) == 1, (name, blocks)
    for name in ("status", "size", "duration"):
        assert len({row.end(name) for row in rows}) == 1, (name, blocks)
    assert {row.end("duration") for row in rows} == {columns - 1}, "the width is used"


def test_long_targets_keep_both_ends(seen):
    _, blocks, _ = seen
    long = [found["target"] for block in blocks for line in block
            if (found := LINE.fullmatch(line.rstrip())) and "…" in found["target"]]
    assert len(long) == 2
    assert all(target.startswith("/users/2") and target.endswith("page=1") for target in long)


def test_a_start_says_mode_origin_and_size(seen):
    _, (recorded, replayed), _ = seen
    start = "\n".join(recorded[:4])
    assert "recording into Cassettes/shop, which is new (mode all)" in start
    assert "origin http://127.0.0.1:40000" in start
    assert re.search(r"replaying Cassettes/shop: 5 interactions, \d+ KiB \(mode none\)", "\n".join(replayed))
    assert "tapedeck: recorded from http://127.0.0.1:40000" in replayed


def test_an_end_says_what_came_and_what_to_do(seen):
    _, (recorded, replayed), _ = seen
    assert "   5 recorded" in recorded and "tapedeck: next: tapedeck replay --cassette shop" in recorded
    assert "   4 replayed, of them 1 repeated" in replayed and "   1 unmatched" in replayed
    assert any(re.fullmatch(r" +3  GET /users/\{id\} +200 +0.25 ms", line) for line in replayed)
    end = replayed[replayed.index("   1 unmatched"):]
    assert "unmatched: POST /orders" in end
    assert any(line.startswith("    tapedeck serve --mode new_episodes") for line in end)


def test_the_reference_shows_it(seen):
    columns, blocks, _ = seen
    page = capture.PAGE.read_text()
    for block in blocks:
        assert "\n".join(line.rstrip() for line in block) in page, f"run Tools/capture: not as at {columns} columns"


def test_the_command_of_a_miss_runs_as_it_is_shown(seen, tmp_path):
    """Over several lines, a shell still reads one command."""
    _, (_, replayed), _ = seen
    start = next(number for number, line in enumerate(replayed) if line.startswith("    tapedeck serve"))
    lines = [replayed[start]]
    while lines[-1].endswith("\\"):
        lines.append(replayed[start + len(lines)])
    words = shlex.split("\n".join(lines).replace("\\\n", " "))
    assert words[:4] == ["tapedeck", "serve", "--mode", "new_episodes"]
    assert words[4::2] == ["--upstream", "--cassette"]
