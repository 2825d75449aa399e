import re

import pytest

from rehearsal import PrintedFix, Rehearsal, failing, without_base


@pytest.fixture
def rehearsal(start, cassette) -> Rehearsal:
    """Records a client's session with an origin, and lets the client run again without the origin."""
    return Rehearsal(start, cassette)


@pytest.fixture
def origins(tmp_path):
    """Starts real servers, each in a folder of its own; what still runs at the end of the test is stopped."""
    started = []

    def start(kind, *arguments, **options):
        folder = tmp_path / f"origin-{len(started)}"
        folder.mkdir()
        started.append(kind(folder, *arguments, **options))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def cured(rehearsal, tmp_path):
    """Replays a script; where it misses, runs the fix as the miss prints it, which must cure that miss in one step.

    A script with several kinds of misses takes as many steps: each run must end with fewer kinds than the one before.
    """
    def cured(script, most_steps=1):
        kinds, command = None, None
        for _ in range(most_steps + 1):
            result, code, log = attempt(rehearsal, command, script, tmp_path)
            now = fixes_in(log)
            if code == 0:
                assert not now, log
                return result
            assert code == 3 and now, f"exit {code} without a fix:\n{log}"
            assert kinds is None or len(now) < len(kinds), f"not cured by {command}:\n{log}"
            kinds, command = now, now[0]
            assert "new_episodes" not in command and "record" not in command.split()[1:2], f"not a cure: {command}\n{log}"
        raise AssertionError(f"still not cured after {most_steps} steps, by {command}:\n{log}")

    return cured


def attempt(rehearsal, command, script, folder):
    """One run of a script that may fail; what it saw, the exit code, and the log in JSON lines or text."""
    if command is None:
        return rehearsal.attempt(script)
    with PrintedFix(command, folder) as deck:
        result = failing(script, deck.url)
        return without_base(result, deck.url), deck.stop(), deck.stderr


def fixes_in(log: str) -> list[str]:
    """The commands that the end of a run prints, one for each kind of miss."""
    return list(dict.fromkeys(re.findall(r"^tapedeck:   .*?: (tapedeck .+)$", log, re.M)))
