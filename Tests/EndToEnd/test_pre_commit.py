"""The hook for pre-commit: what is staged in cassettes is scanned, and nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deck import CLEAN, ROOT, binary

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
SECRET = '{"token": "%s"}\n' % TOKEN


class Checkout:
    """A git repository whose commits run the hook of this repository."""

    def __init__(self, folder: Path):
        self.path = folder / "repository"
        (folder / "bin").mkdir()
        (folder / "bin" / "tapedeck").symlink_to(binary())
        self.env = {
            **CLEAN, "HOME": str(folder), "PRE_COMMIT_HOME": str(folder / "cache"), "GIT_CONFIG_GLOBAL": "/dev/null",
            "PATH": os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])}
        hooks = folder / "hooks"
        hooks.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        shutil.copytree(ROOT / "Cassettes" / "nginx", self.path / "Cassettes" / "nginx")
        for repository in (hooks, self.path):
            self.git("init", "-q", "-b", "main", cwd=repository)
            self.git("config", "user.email", "tester@example.com", cwd=repository)
            self.git("config", "user.name", "Tester", cwd=repository)
        self.git("add", ".", cwd=hooks)
        self.git("commit", "-q", "-m", "The hook", cwd=hooks)
        revision = self.git("rev-parse", "HEAD", cwd=hooks).stdout.strip()
        (self.path / ".pre-commit-config.yaml").write_text(
            f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: tapedeck-scan\n")
        self.git("add", ".")
        subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=self.path, env=self.env, check=True,
                       capture_output=True)

    def git(self, *arguments, cwd=None, check=True):
        done = subprocess.run(["git", *arguments], cwd=cwd or self.path, env=self.env, capture_output=True, text=True)
        assert not check or done.returncode == 0, done.stderr
        return done

    def commit(self, *staged: str):
        if staged:
            self.git("add", *staged)
        return self.git("commit", "-m", "A change", check=False)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    checkout = Checkout(tmp_path_factory.mktemp("pre-commit"))
    clean = checkout.commit()
    assert clean.returncode == 0 and "Passed" in clean.stdout + clean.stderr, clean.stderr
    return checkout


@pytest.fixture
def checkout(repository):
    """A repository whose cassettes are clean; each test begins with what the first commit left."""
    repository.git("reset", "-q", "--hard")
    repository.git("clean", "-qfd")
    return repository


def write(checkout, name, text):
    file = checkout.path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return name


def test_a_secret_in_a_recording_is_refused(checkout):
    recording = next((checkout.path / "Cassettes/nginx").glob("get-old-*.json"))
    recording.write_text(recording.read_text().replace("/old", f"/old?key={TOKEN}", 1))
    refused = checkout.commit(str(recording))
    said = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert recording.name in said and "secret" in said and TOKEN not in said


@pytest.mark.parametrize(("name", "isScanned"), [
    ("packages/api/Cassettes/new/notes.json", True), ("MyCassettes/notes.json", False),
])
def test_only_folders_of_cassettes_are_scanned(checkout, name, isScanned):
    assert (checkout.commit(write(checkout, name, SECRET)).returncode != 0) == isScanned


def test_what_is_not_staged_refuses_no_commit(checkout):
    write(checkout, "Cassettes/new/notes.json", SECRET)
    done = checkout.commit(write(checkout, "Cassettes/new/other.json", "{}\n"))
    assert done.returncode == 0, done.stdout + done.stderr
