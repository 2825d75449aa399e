"""A Debian root of our own, as a machine on which nothing was installed yet."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from deck import CLEAN

# ENTER ROOT FOLDER COMMAND...: the folder is the same inside. The mounts end with the command.
ENTER = """
mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc" && mkdir -p "$1$2" && mount --bind "$2" "$1$2" || exit 125
root=$1; shift 2; unset TMPDIR; exec chroot "$root" "$@"
"""
# What a package manager keeps for itself.
KEPT = ("var/cache", "var/log", "var/lib/apt", "var/lib/dpkg", "dev", "proc")


def release() -> str:
    facts = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return facts.get("VERSION_CODENAME", "") if facts.get("ID") == "debian" else ""


def mirror() -> str | None:
    """Where this machine's own packages come from."""
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages"],
        capture_output=True, text=True)
    return next((line.split()[1] for line in done.stdout.splitlines() if line.split()[0] == release()), None)


class Debian:
    """Begins to make the root at once; `finish` waits for it."""

    def __init__(self, folder: Path):
        if os.geteuid() != 0:
            pytest.skip("only root can make a Debian root")
        if not shutil.which("debootstrap"):
            pytest.skip("debootstrap is not installed")
        if not release() or not mirror():
            pytest.skip("this machine is no Debian with a mirror")
        self.path = folder
        self._log = folder.with_suffix(".log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ["debootstrap", "--variant=minbase", "--include=bash-completion,man-db", release(), folder, mirror()],
                stdout=log, stderr=log)

    def finish(self) -> "Debian":
        if self._process.wait(600) != 0:
            pytest.skip(f"debootstrap made no root: {self._log.read_text()[-500:]}")
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        return self

    @classmethod
    def at(cls, folder: Path) -> "Debian":
        """A root that is there already."""
        other = object.__new__(cls)
        other.path = folder
        return other

    def copy(self, folder: Path) -> "Debian":
        subprocess.run(["cp", "-a", "--reflink=auto", self.path, folder], check=True)
        return Debian.at(folder)

    def remove(self) -> None:
        subprocess.run(["rm", "-rf", "--one-file-system", self.path], check=True)

    def wrapper(self, shared: Path) -> list:
        """What to put before a command that is to run in this root."""
        return ["unshare", "--mount", "sh", "-c", ENTER, "sh", self.path, shared]

    def run(self, *command, shared: Path = Path("/mnt"), **environment) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*self.wrapper(shared), *command],
            env={**CLEAN, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root", **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=170)

    def files(self) -> set[str]:
        found = set()
        for folder, folders, files in os.walk(self.path):
            inside = os.path.relpath(folder, self.path)
            folders[:] = [each for each in folders if os.path.normpath(os.path.join(inside, each)) not in KEPT]
            found.update(os.path.normpath(os.path.join(inside, each)) for each in [*folders, *files])
        return found
