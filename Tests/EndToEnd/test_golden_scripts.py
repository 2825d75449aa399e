"""Shell and Python scripts of before, which use every verb and option in its old spelling: they print what they printed.

What a script prints stands beside it, in `NAME.out`. It changes only where a contract of the command changes.
"""

import os
import shutil
import subprocess

import pytest

import golden_session
from deck import CLEAN, assert_no_crash, binary
from test_golden import GOLDEN, recorded_from

SCRIPTS = sorted(path for path in (GOLDEN / "scripts").iterdir() if os.access(path, os.X_OK))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_of_before_prints_what_it_printed(script, origin, tmp_path):
    server = origin(golden_session.origin)
    (tmp_path / "Cassettes").mkdir()
    recorded_from(server, tmp_path / "Cassettes" / "example")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tapedeck").symlink_to(binary())
    env = {
        **CLEAN, "PATH": f"{tmp_path / 'bin'}:{CLEAN['PATH']}", "ORIGIN": server.url, "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run([script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
    log = tmp_path / "log"
    noted = done.stderr + (log.read_text(errors="replace") if log.exists() else "")
    assert_no_crash(done.returncode, noted)
    expected = script.with_suffix(".out").read_text()
    assert done.stdout.replace(server.url, "ORIGIN") == expected, noted
    assert done.returncode == 0, noted
