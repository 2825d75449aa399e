"""Debian's Jest, unpacked: the package asks for Debian's own Node, which cannot stand beside another one."""

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

from deck import CLEAN, ROOT

FOLDER = ROOT / ".build" / "jest"
# Debian's Jest looks for modules where Debian's Node was built to, and another Node was built to none.
CONFIGURATION = """\
const config = JSON.parse(JSON.stringify(process.config));
config.variables.node_prefix = "{root}/usr";
config.variables.node_relative_path = "share/nodejs";
Object.defineProperty(process, "config", {{ value: config }});
"""


def run(*command, folder: Path = ROOT) -> str:
    done = subprocess.run([*map(str, command)], cwd=folder, env=CLEAN, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command[:3]}: {done.stderr}"
    return done.stdout


def packages() -> list[str]:
    kinds = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"]
    lines = run("apt-cache", "depends", "--recurse", *(f"--no-{kind}" for kind in kinds), "jest").splitlines()
    return sorted({line for line in lines if line.startswith(("jest", "node-", "libjs-"))})


def unpack(root: Path) -> None:
    """Puts Jest and what it needs of JavaScript below a folder; for this, apt asks for no root."""
    if "jest" not in run("apt-cache", "search", "--names-only", "^jest$"):
        run("apt-get", "update", "-qq")
    archives = root.with_name("archives")
    archives.mkdir(parents=True, exist_ok=True)
    run("apt-get", "download", "-qq", *packages(), folder=archives)
    for archive in sorted(archives.glob("*.deb")):
        run("dpkg", "-x", archive, root)
    shutil.rmtree(archives)


def jest() -> list[str]:
    """The command of the Jest that is installed, else of Debian's, unpacked once for all runs."""
    if installed := shutil.which("jest"):
        return [installed]
    if not shutil.which("apt-get"):
        pytest.skip("there is no jest, and no apt-get to fetch it with")
    root = FOLDER / "root"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        configuration = FOLDER / "configuration.cjs"
        if not configuration.exists():
            shutil.rmtree(root, ignore_errors=True)
            unpack(root)
            configuration.write_text(CONFIGURATION.format(root=root))
    modules = root / "usr/share/nodejs"
    return [
        "env", f"NODE_PATH={modules}", f"NODE_OPTIONS=--require={configuration}", shutil.which("node"),
        str(modules / "jest-cli/bin/jest.js")]
