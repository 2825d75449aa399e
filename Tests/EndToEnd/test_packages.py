"""What people install (`Tools/package`), on machines that have neither Swift nor this repository."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path

import pytest

from deck import CLEAN, ROOT, Deck, binary, interactions
from roots import Debian
from terminal import on_terminal
from wire import fetch

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
BYTES_MAX = 18_000_000
pytestmark = [pytest.mark.timeout(600), pytest.mark.skipif(
    "libswiftCore" in subprocess.run(["ldd", binary()], capture_output=True, text=True).stdout,
    reason="packages are made of a release build: TAPEDECK=.build/release/tapedeck")]


def package(*kind, **environment) -> Path:
    """Makes a package of the command under test."""
    done = subprocess.run(
        [ROOT / "Tools/package", *kind], env={**CLEAN, "TAPEDECK": binary(), **environment}, cwd="/",
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / done.stdout.splitlines()[-1].split()[0]


@pytest.fixture(scope="module")
def minimal(tmp_path_factory):
    debian = Debian(tmp_path_factory.mktemp("debian") / "root")
    yield debian
    debian.remove()


@pytest.fixture(scope="module")
def deb(minimal) -> Path:
    return package("deb")  # while debootstrap works


@pytest.fixture(scope="module")
def fresh(minimal, deb):
    return minimal.finish()


@pytest.fixture(scope="module")
def installed(fresh, deb, tmp_path_factory):
    """A root in which the package was installed the way people do."""
    debian = fresh.copy(tmp_path_factory.mktemp("installed") / "root")
    shutil.copy(deb, debian.path / "root")
    for command in ("apt-get update -q", f"cd /root && apt-get install -q -y ./{deb.name}"):
        done = debian.run("sh", "-c", command)
        assert done.returncode == 0, done.stdout + done.stderr
    yield debian
    debian.remove()


@pytest.fixture(scope="module")
def archive() -> Path:
    """The unpacked tarball, where every user can read it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        subprocess.run(["tar", "-xzf", package("tarball"), "-C", folder], check=True)
        yield next(Path(folder).iterdir())


def test_nothing_of_swift_is_needed(installed, figure):
    assert not [each for each in installed.files() if re.match(r"(swiftc?$|libswift)", Path(each).name)]
    command = installed.path / "usr/bin/tapedeck"
    figure("the stripped command, bytes", command.stat().st_size)
    assert command.stat().st_size <= BYTES_MAX
    loaded = installed.run("ldd", "/usr/bin/tapedeck").stdout
    assert "libcurl.so.4" in loaded and "not found" not in loaded


def test_the_demo_runs_to_its_end(installed):
    done = installed.run("tapedeck", "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "To do the same with your own backend" in done.stdout


def test_man_shows_its_pages(installed):
    verbs = re.findall(r"^  (\w+)  ", installed.run("tapedeck", "--help").stdout, re.M)
    assert "replay" in verbs
    for page in ["tapedeck", *(f"tapedeck-{verb}" for verb in verbs), "tapedeck-overrides", "tapedeck-cassette"]:
        done = installed.run("man", page, MANWIDTH="80", MAN_KEEP_FORMATTING="")
        assert done.returncode == 0 and not done.stderr, page + done.stderr
        assert re.search(r"^NAME\n +tapedeck", re.sub(r".\x08", "", done.stdout), re.M), done.stdout[:500]


def test_bash_completes_verbs_and_cassettes(installed, tmp_path):
    (tmp_path / "Cassettes/github").mkdir(parents=True)
    (tmp_path / "Cassettes/github/cassette.json").write_text("{}")
    # A login shell, in which Debian's bash-completion is on.
    seen = on_terminal(
        command=[*installed.wrapper(tmp_path), "env", "-C", tmp_path, "HOME=/root", "TERM=dumb", "bash", "-li"],
        columns=200, keys={b"# ": b"tapedeck repl\t", b"tapedeck replay ": b"git\t", b"replay github": b"\x15exit\r"})
    assert "tapedeck replay github" in seen.plain


def test_records_and_replays(installed, mirror, tmp_path):
    inside = [*installed.wrapper(tmp_path), "env", "-C", tmp_path, "sh", "-c", 'exec tapedeck "$@"']
    with Deck(tmp_path / "record", "record", "--upstream", mirror.url, "--cassette", "nginx", wrapper=inside) as deck:
        live = fetch(deck.url, "/a?b=1")
        assert deck.stop() == 0, deck.stderr
    assert (live.status, live.body) == (200, b"/a?b=1\n")
    assert len(interactions(tmp_path / "Cassettes/nginx")) == 1
    with Deck(tmp_path / "replay", "replay", "--cassette", "nginx", wrapper=inside) as deck:
        assert fetch(deck.url, "/a?b=1").body == live.body
        assert fetch(deck.url, "/c").status == 502
        assert deck.stop() == 3, deck.stderr


def test_the_reference_is_in_the_package(installed):
    pages = installed.path / "usr/share/doc/tapedeck/html/documentation/tapedeck"
    assert (pages / "index.html").is_file() and (pages / "verbs/index.html").is_file()


def test_the_package_keeps_debians_rules(deb):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    done = subprocess.run(["lintian", "--fail-on", "error,warning", deb], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_a_removed_package_leaves_nothing(fresh, installed, tmp_path):
    debian = installed.copy(tmp_path / "root")
    done = debian.run("apt-get", "purge", "-q", "-y", "--autoremove", "tapedeck")
    assert done.returncode == 0, done.stdout + done.stderr
    left = {each for each in debian.files() - fresh.files() if "tapedeck" in each}
    assert {each for each in left if not each.endswith(".deb")} == set()
    debian.remove()


def test_the_same_commit_gives_the_same_bytes():
    def made(kind, zone):
        return sha256(package(kind, TZ=zone, LC_ALL="C").read_bytes()).hexdigest()

    for kind in ("deb", "tarball") if LONG else ("tarball",):
        assert made(kind, "UTC") == made(kind, "Asia/Tokyo")


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def install(archive: Path, *arguments) -> subprocess.CompletedProcess:
    """Runs the tarball's install.sh, without root."""
    user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    return subprocess.run(
        [archive / "install.sh", *map(str, arguments)], env={**CLEAN, "HOME": str(archive.parent)}, cwd="/",
        capture_output=True, text=True, **user)


@pytest.fixture
def home(archive):
    """A folder that belongs to the user of `install`."""
    home = archive.parent / "home"
    home.mkdir()
    if os.geteuid() == 0:
        os.chown(home, 65534, 65534)
    yield home
    shutil.rmtree(home)


def test_the_tarball_installs_without_root_and_leaves_nothing(archive, home):
    before = everything(home)
    done = install(archive, "--prefix", home / "a b/local")
    assert done.returncode == 0, done.stderr
    prefix = home / "a b/local"
    assert f"{prefix}/bin is not in PATH" in done.stdout
    assert subprocess.run([prefix / "bin/tapedeck", "--version"], env=CLEAN).returncode == 0
    expected = {"bin/tapedeck", "share/man/man1/tapedeck.1.gz", "share/man/man5/tapedeck-cassette.5.gz",
                "share/bash-completion/completions/tapedeck", "share/zsh/site-functions/_tapedeck",
                "share/fish/vendor_completions.d/tapedeck.fish"}
    assert expected <= everything(prefix)
    done = install(archive, "--uninstall", "--prefix", prefix)
    assert done.returncode == 0, done.stderr
    assert everything(home) - {"a b"} == before


def test_the_tarball_leaves_what_others_put_there(archive, home):
    prefix = home / "local"
    (prefix / "bin").mkdir(parents=True)
    os.chown(prefix, home.stat().st_uid, -1), os.chown(prefix / "bin", home.stat().st_uid, -1)
    for _ in range(2):  # the second replaces the first
        assert install(archive, f"--prefix={prefix}").returncode == 0
    (prefix / "share/man/man1/other.1").touch()
    assert install(archive, f"--prefix={prefix}", "--uninstall").returncode == 0
    assert everything(prefix) == {"bin", "share", "share/man", "share/man/man1", "share/man/man1/other.1"}


def test_the_tarball_says_what_is_in_the_way(archive, home):
    foreign = home / "foreign"
    (foreign / "bin").mkdir(parents=True)
    (foreign / "bin/tapedeck").touch()
    for path in (foreign, foreign / "bin"):
        os.chown(path, home.stat().st_uid, -1)
    for arguments, code, text in [
        (["--prefix", foreign], 1, "was not installed by this script"),
        (["--prefix", home / "nothing", "--uninstall"], 1, "is it below another --prefix?"),
        (["--prefix", home / "foreign/bin/tapedeck"], 1, "is not a folder"),
        (["--prefix"], 1, "--prefix needs a folder"),
        (["--prefx", home], 2, "unknown option --prefx"),
    ]:
        done = install(archive, *arguments)
        assert (done.returncode, text in done.stderr) == (code, True), (arguments, done)
    if os.geteuid() == 0:
        done = install(archive)
        assert done.returncode == 1 and "install elsewhere" in done.stderr and "--prefix ~/.local" in done.stderr


def test_the_tarball_names_missing_libraries(fresh, archive, tmp_path):
    debian = fresh.copy(tmp_path / "root")
    shutil.copytree(archive, debian.path / "opt/tapedeck")
    done = debian.run("/opt/tapedeck/install.sh")
    assert done.returncode == 1 and "libcurl.so.4 => not found" in done.stderr, done
    advice = re.search(r"^  Debian, Ubuntu +(apt-get install .*)$", done.stderr, re.M)[1]
    for command in ("apt-get update -q", f"{advice} -q -y --no-install-recommends", "/opt/tapedeck/install.sh"):
        done = debian.run("sh", "-c", command)
        assert done.returncode == 0, done.stdout + done.stderr
    assert debian.run("tapedeck", "--version").returncode == 0
    assert debian.run("man", "-w", "tapedeck").stdout.strip().endswith("/man/man1/tapedeck.1.gz")
    debian.remove()


@pytest.mark.skipif(not LONG, reason="a minute of building an image: TAPEDECK_LONG_TESTS=1")
def test_the_image(fresh, mirror, tmp_path):
    if not shutil.which("buildah"):
        pytest.skip("buildah is not installed")
    # In a folder of its own, and without what nested containers lack.
    (tmp_path / "storage.conf").write_text(
        f'[storage]\ndriver = "vfs"\nrunroot = "{tmp_path}/run"\ngraphroot = "{tmp_path}/graph"\n')
    storage = {"CONTAINERS_STORAGE_CONF": str(tmp_path / "storage.conf"), "BUILDAH_ISOLATION": "chroot"}

    def buildah(*arguments) -> str:
        done = subprocess.run(
            ["buildah", *map(str, arguments)], env={**CLEAN, **storage}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    made = package("image", "--base", str(fresh.path), **storage)
    (image,) = json.loads(subprocess.run(
        ["tar", "-xOf", made, "manifest.json"], capture_output=True, check=True).stdout)
    # The names by which Docker and Podman know `tapedeck:VERSION`.
    version = made.name.split("-")[1]
    assert {f"{place}/tapedeck:{version}" for place in ("docker.io/library", "localhost")} == set(image["RepoTags"])
    container = buildah("from", f"docker-archive:{made}")
    facts = json.loads(buildah("inspect", container))["Docker"]["config"]
    assert facts["Entrypoint"] == ["tapedeck"] and facts["User"] == "tapedeck" and "8080/tcp" in facts["ExposedPorts"]
    assert "TAPEDECK_LISTEN=0.0.0.0:8080" in facts["Env"]
    # What an engine does with these facts, on the network of this machine.
    root = Debian.at(Path(buildah("mount", container)))
    assert not list(root.path.glob("packages/*")) and not list(root.path.glob("var/lib/apt/lists/*"))

    def inside(*arguments) -> Deck:
        folder = tmp_path / arguments[0]
        folder.mkdir()
        folder.chmod(0o777)
        user = ["setpriv", "--reuid=tapedeck", "--regid=tapedeck", "--clear-groups", "env", "-C", facts["WorkingDir"]]
        return Deck(folder, *arguments, wrapper=[*root.wrapper(folder), *user, "sh", "-c", 'exec tapedeck "$@"'])

    with inside("record", "--upstream", mirror.url, "--cassette", "nginx") as deck:
        assert fetch(deck.url, "/a").body == b"/a\n"
        health = [word.replace("8080", deck.url.rpartition(":")[2]) for word in facts["Healthcheck"]["Test"][1:]]
        assert root.run(*health).returncode == 0
        assert deck.stop() == 0, deck.stderr
    assert root.run(*health).returncode != 0
    with inside("replay", "--cassette", "nginx") as deck:
        assert fetch(deck.url, "/a").body == b"/a\n"
        assert deck.stop() == 0, deck.stderr
    assert (root.path / "work/Cassettes/nginx/cassette.json").stat().st_uid == 1000
