"""Commands under `tapedeck run`, and origins with names of their own, which only Tapedeck can reach."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from deck import CLEAN, assert_no_crash, binary
from servers import Httpbin, Moto, Nginx

PROGRAMS = Path(__file__).with_name("any_client")


@dataclass(frozen=True)
class Ran:
    code: int
    output: str
    log: str

    def count(self, what: str) -> int:
        """A number of the summary, such as that of `recorded`."""
        found = re.search(rf"(\d+) {what}", self.log)
        assert found, f"no {what} in:\n{self.log}"
        return int(found[1])


def run_command(command, *options, cassette=None, env=None, cwd=None, timeout=150) -> Ran:
    """`tapedeck run OPTIONS -- COMMAND`."""
    to = ("--cassette", cassette) if cassette else ()
    done = subprocess.run(
        [binary(), "run", *map(str, (*to, *options)), "--", *map(str, command)], cwd=cwd, env={**CLEAN, **(env or {})},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="surrogateescape", timeout=timeout)
    assert_no_crash(done.returncode, done.stderr)
    return Ran(done.returncode, done.stdout, done.stderr)


class FourOrigins:
    """Three hosts of HTTPS, whose authority no system knows, and one of HTTP."""

    def __init__(self, folder: Path, authority, files: Path):
        ca, sign = authority
        certificate = sign("four", ",".join(f"DNS:{name}.test" for name in ("api.one", "api.two", "httpbin")))
        for name in ("httpbin", "moto"):
            (folder / name).mkdir(parents=True)
        static = f"""
          root {files}; add_header Access-Control-Allow-Origin *;
          location /text {{ return 200 "$host $request_uri\\n"; }}
          location ~ \\.html$ {{ types {{ text/html html; }} }}
          location /simple/ {{ default_type text/html; index index.html; types {{ text/html html; }} }}
          location /repository.git/ {{ }}
          location ~ \\.whl$ {{ }}
        """
        self.moto = Moto(folder / "moto")
        self.httpbin = Httpbin(folder / "httpbin", *certificate)
        self.one = Nginx(folder / "one", static, *certificate)
        aws = f"location / {{ proxy_pass http://{self.moto.authority}; proxy_set_header Host $http_host; }}"
        self.two = Nginx(folder / "two", static + aws, *certificate)
        self.ca = ca

    @property
    def environment(self) -> dict[str, str]:
        """Where the four are, and that their authority is trusted: all that is set, for both runs."""
        servers = {"ONE": ("https", "api.one.test", self.one), "TWO": ("https", "api.two.test", self.two),
                   "HTTPBIN": ("https", "httpbin.test", self.httpbin), "MOTO": ("http", "moto.test", self.moto)}
        return {
            **{name: f"{scheme}://{host}:{server.port}" for name, (scheme, host, server) in servers.items()},
            "SSL_CERT_FILE": str(self.ca),
        }

    @property
    def resolve(self) -> list[str]:
        """Options that say where the names lead."""
        hosts = {"api.one.test": self.one, "api.two.test": self.two, "httpbin.test": self.httpbin, "moto.test": self.moto}
        return [word for host, server in hosts.items() for word in ("--resolve", f"{host}:{server.port}:127.0.0.1")]

    def stop(self) -> None:
        for server in (self.one, self.two, self.httpbin, self.moto):
            server.stop()


def git(folder: Path, *words) -> None:
    subprocess.run(
        ["git", "-c", "user.name=Test", "-c", "user.email=test@localhost", *words], cwd=folder, check=True,
        capture_output=True, timeout=60)


def shell(program: str) -> list:
    return ["sh", PROGRAMS / program]


def temporary_folders(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith("tapedeck-run-")]


def assert_recorded(first: Ran, cassette: Path, hosts: set[str]) -> None:
    """The command succeeded, and the cassette has a folder for each host that it called."""
    assert first.code == 0, first.log + first.output
    assert first.count("recorded") > 1 and first.count("unmatched") == 0
    folders = {path.name.rpartition("_")[0] for path in cassette.iterdir() if path.is_dir() and path.name != "bodies"}
    assert folders == hosts, folders


def assert_replayed(again: Ran, first: Ran, may_leave_one: bool) -> None:
    """The same output from every recording, and nobody was asked.

    A browser may leave one: it ends before or after it asks for the icon of a page.
    """
    assert (again.code, again.output) == (0, first.output), again.log
    assert again.count("upstream connections? opened") == 0 and again.count("unmatched") == 0
    assert again.count("recorded") == 0
    assert again.count("replayed") + again.count("unused") == first.count("recorded")
    assert again.count("unused") <= may_leave_one
