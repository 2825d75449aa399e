"""The recipes of the reference, each as a newcomer would follow it: every block of the page is written to a file or typed
into a shell as it stands. The hosts have their real names and ports; their servers are of this test, and stop before
anything is replayed."""

import errno
import json
import os
import re
import secrets
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from deck import CLEAN, ROOT, assert_no_crash, binary, interactions
from forward import Ran
from servers import Gunicorn

PAGE = (ROOT / "Sources" / "Tapedeck" / "Tapedeck.docc" / "Recipes.md").read_text()


def blocks(title: str, language: str) -> list[str]:
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.M | re.S)


def well_known_port() -> socket.socket:
    """Port 443 on an address of this machine that nobody else uses: hosts need no port of a test's in their URLs."""
    while True:
        try:
            return socket.create_server((f"127.{secrets.randbelow(250) + 1}.{secrets.randbelow(256)}.1", 443), backlog=1024)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM):
                pytest.skip("only root may listen on port 443 here")
            if error.errno != errno.EADDRINUSE:
                raise


@dataclass
class Recipe:
    """A folder with the programs of a recipe, and a shell in which its hosts are known."""

    folder: Path
    authority: tuple
    hosts: list[str]
    environment: dict[str, str]
    server: Gunicorn | None = None

    def open(self, app: str) -> None:
        """Starts the server of all hosts, in place of the one before."""
        self.close()
        certificate = self.authority[1](f"recipe-{secrets.token_hex(4)}", ",".join(f"DNS:{host}" for host in self.hosts))
        listener = well_known_port()
        address = listener.getsockname()[0]
        self.server = Gunicorn(self.folder, f"recipes.{app}:app", *certificate, listener=listener)
        # A program's timeout is not for the start of the server.
        subprocess.run(["curl", "-sk", "-o", "/dev/null", f"https://{address}/"], check=True, timeout=60)
        self._install(" ".join(f"--resolve {host}:443:{address}" for host in self.hosts))

    def close(self) -> None:
        if self.server:
            self.server.stop()
            self.server = None

    def _install(self, options: str) -> None:
        """A `tapedeck` that knows where the hosts are: what name servers tell elsewhere."""
        tool = self.folder / "bin" / "tapedeck"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(f"""#!/bin/sh
            verb=$1; shift
            case $verb in run|verify) set -- {options} "$@" ;; esac
            exec "{binary()}" "$verb" "$@"
        """)
        tool.chmod(0o755)

    def follow(self, title: str) -> list[str]:
        """Writes the section's programs, and returns its commands."""
        for text in blocks(title, "python") + blocks(title, "ini"):
            file = self.folder / text.split()[1].removeprefix("~/")
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        overrides = re.search(r"--overrides (\S+)", "".join(blocks(title, "sh")))
        for rules in blocks(title, "json"):
            (self.folder / overrides[1]).write_text(rules)
        return [command for block in blocks(title, "sh") for command in block.splitlines()]

    def type(self, command: str, **environment: str) -> Ran:
        path = f"{self.folder}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
            env={**CLEAN, "HOME": str(self.folder), "PATH": path, "SSL_CERT_FILE": str(self.authority[0]),
                 **self.environment, **environment})
        assert_no_crash(done.returncode, done.stderr)
        return Ran(done.returncode, done.stdout, done.stderr)

    def cassette(self, name: str) -> Path:
        return self.folder / "Cassettes" / name


@pytest.fixture
def prepare(tmp_path, authority, monkeypatch):
    opened = []

    def prepare(app: str, *hosts: str, **environment: str) -> Recipe:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)  # for the server
        opened.append(Recipe(tmp_path, authority, list(hosts), environment))
        opened[-1].open(app)
        return opened[-1]

    yield prepare
    for each in opened:
        each.close()


def assert_replayed(again: Ran, first: Ran) -> None:
    assert again.code == 0, again.log
    assert again.count("upstream connections? opened") == again.count("unmatched") == again.count("unused") == 0
    assert again.count("replayed") == first.count("recorded")


def assert_hidden(recipe: Recipe, name: str, *texts: str) -> None:
    for path in recipe.cassette(name).rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not [text for text in texts if text.encode() in content], path


def later(command: str, days: int = 40) -> str:
    """The command, with the clock of everything that it starts set forward."""
    return command.replace("tapedeck", f"faketime -f +{days}d tapedeck")


def test_an_llm_application(prepare):
    keys = {
        "OPENAI_API_KEY": f"sk-proj-{secrets.token_urlsafe(48)}",
        "ANTHROPIC_API_KEY": f"sk-ant-api03-{secrets.token_urlsafe(69)}"}
    recipe = prepare("llm", "api.openai.com", "api.anthropic.com", **keys)
    record, replay, scan, ls, trim, refresh = recipe.follow("An LLM application")
    first = recipe.type(record)
    assert first.code == 0, first.log
    assert [line.split(" ")[2] for line in first.output.splitlines()] == ["Oslo,", "raining", "Oslo", "raining"]
    statuses = sorted(each["response"]["status"] for each in interactions(recipe.cassette("chat")).values())
    assert statuses == [200] * 6 + [429, 529], "each SDK tried once more"
    recipe.close()
    again = recipe.type(replay)
    assert_replayed(again, first)
    assert again.output == first.output
    assert recipe.type(scan).code == 0
    assert_hidden(recipe, "chat", *keys.values())
    other = replay.replace("-- python chat.py", "--miss-status 400 -- python other.py")
    missed = recipe.type(f"sed s/Oslo/Rome/ chat.py >other.py; {other}")
    assert missed.code == 1 and missed.count("unmatched") == 1, missed.log
    assert '"What is the weather in Oslo?" → "What is the weather in Rome?"' in missed.log
    recipe.open("llm")
    assert trim.split()[-1] in recipe.type(ls).output
    # And one that sends back a signature, which was replayed and which the provider checks.
    recorded = interactions(recipe.cassette("chat"))
    signed = next(name for name, each in recorded.items() if "signature" in str(each["request"]))
    for command in (trim, f"tapedeck trim chat {signed}"):
        trimmed = recipe.type(command)
        assert trimmed.code == 0, trimmed.log
    again = recipe.type(refresh)
    assert (again.code, again.count("recorded"), again.count("replayed")) == (0, 2, 6), again.log
    changed = [one != other for one, other in zip(first.output.splitlines(), again.output.splitlines(), strict=True)]
    assert changed == [True, False, False, False], again.output


def test_aws(prepare):
    secret = secrets.token_urlsafe(30)
    recipe = prepare(
        "aws", "playing-cards.s3.amazonaws.com", "s3.amazonaws.com", "sts.us-east-1.amazonaws.com", "sts.amazonaws.com",
        "dynamodb.us-east-1.amazonaws.com", AWS_ACCESS_KEY_ID="AKIAIOSFODNN7EXAMPLE", AWS_SECRET_ACCESS_KEY=secret,
        AWS_DEFAULT_REGION="us-east-1")
    record, prolong, replay = recipe.follow("AWS")
    first = recipe.type(record)
    assert first.code == 0, first.log
    assert re.fullmatch(r"123456789012\nace of spades\n.*\nAda .*\n13\n", first.output), first.output
    recipe.close()
    expired = recipe.type(later(replay))
    assert expired.code == 1 and "still expired" in expired.log, expired.log
    assert recipe.type(prolong).code == 0
    again = recipe.type(later(replay))
    assert_replayed(again, first)
    assert again.output == first.output
    assert_hidden(recipe, "aws", secret)
    assert recipe.type("tapedeck scan aws").code == 0


def test_graphql(prepare):
    recipe = prepare("orders", "api.example.com")
    record, replay, ls = recipe.follow("GraphQL")
    first = recipe.type(record)
    assert first.code == 0, first.log
    assert re.findall(r"'total': (\d+)", first.output) == ["1000", "1001", "1002", "1003"], first.output
    recipe.close()
    again = recipe.type(replay)
    assert_replayed(again, first)
    assert again.output == first.output
    names = re.findall(r"api.example.com/(\w+-graphql.*)-", recipe.type(ls).output)
    queries = ["get-graphql", "get-graphql", "get-graphql-order", "post-graphql-introspectionquery"]
    assert sorted(names) == queries + 2 * ["post-graphql-order"]


def test_oauth(prepare):
    known = {"CLIENT_ID": "reports", "CLIENT_SECRET": secrets.token_urlsafe(24), "ADA_PASSWORD": secrets.token_urlsafe(12)}
    recipe = prepare("oauth", "auth.example.com", "api.example.com", **known)
    record, replay, scan = recipe.follow("OAuth")
    first = recipe.type(record)
    assert first.code == 0, first.log
    assert re.findall(r"'grant': '(\w+)'", first.output) == ["client_credentials", "refresh_token"], first.output
    recipe.close()
    again = recipe.type(later(replay))
    assert_replayed(again, first)
    assert again.output == first.output
    assert recipe.type(scan).code == 0
    assert_hidden(recipe, "report", known["CLIENT_SECRET"], known["ADA_PASSWORD"])

    # Without the rule, the miss tells it.
    file = recipe.cassette("report") / "cassette.json"
    manifest = json.loads(file.read_text())
    manifest["match"].remove("body:ignore=password")
    file.write_text(json.dumps(manifest))
    missed = recipe.type(replay)
    assert missed.code == 1 and missed.count("unmatched") == 1, missed.log
    fix = re.search(r"to ignore form \"password\" \(.*\): (tapedeck run .*) -- COMMAND", missed.log)
    assert fix, missed.log
    again = recipe.type(replay.replace("tapedeck run --cassette report", fix[1]))
    assert_replayed(again, first)


def test_a_browser(prepare):
    recipe = prepare("shop", "shop.example.com", "api.example.com")
    record, replay, bent = recipe.follow("A browser")
    first = recipe.type(record)
    assert first.code == 0, first.log + first.output
    recorded = {(each["request"]["method"], each["origin"]) for each in interactions(recipe.cassette("shop")).values()}
    api = "https://api.example.com"
    assert recorded == {("GET", "https://shop.example.com"), ("GET", api), ("OPTIONS", api), ("POST", api)}
    recipe.close()
    assert_replayed(recipe.type(replay), first)
    closed = recipe.type(bent)
    assert closed.code == 0 and closed.count("unmatched") == 0, closed.log + closed.output


def test_flaky_networks(prepare):
    recipe = prepare("shop", "api.example.com")
    record, flaky = recipe.follow("Flaky networks")
    first = recipe.type(record)
    assert first.code == 0 and first.output.endswith("\n1 attempts\n"), first.log
    recipe.close()
    again = recipe.type(flaky)
    assert (again.code, again.output) == (0, first.output.replace("1 attempts", "5 attempts")), again.log


def test_contract_drift(prepare, monkeypatch):
    recipe = prepare("shop", "api.example.com")
    recipe.follow("Flaky networks")
    record, verify = recipe.follow("Contract drift")
    first = recipe.type(record)
    assert first.code == 0, first.log
    same = recipe.type(verify)
    assert same.code == 0, same.output
    assert 'failures="0" errors="0"' in (recipe.folder / "drift.xml").read_text()
    monkeypatch.setenv("SHOP_VERSION", "2")
    recipe.open("shop")
    drifted = recipe.type(verify)
    assert drifted.code == 4 and "$[*].price" in drifted.output, drifted.output
    assert 'failures="1" errors="0"' in (recipe.folder / "drift.xml").read_text()
    recipe.close()
    assert recipe.type(verify).code == 1, "an API out of reach is no drift"
