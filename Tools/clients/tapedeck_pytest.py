"""Tapedeck in pytest: a cassette, overrides and a verdict for each test, on one proxy for the whole run.

    # conftest.py, unless the plugin is installed
    pytest_plugins = ["tapedeck_pytest"]

    # pytest.ini
    [pytest]
    tapedeck_upstream = https://api.example.com

    # test_users.py
    @pytest.mark.cassette("users")
    def test_users(tapedeck):
        tapedeck.override(path="/users/{id}", status=503)
        assert requests.get(f"{tapedeck.url}/users/1").status_code == 503

Without `tapedeck_upstream` the proxy serves every host, over HTTPS too, and each test has the environment variables by
which HTTP clients find the proxy and trust it.

Each test is a session of the proxy with a cassette of its own. The proxy belongs to the process that pytest was started
as: pytest-xdist's workers are told where it is, and it ends when the pipe to that process closes, however that comes.
"""

import hashlib
import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from itertools import count
from pathlib import Path

import pytest

MODES = ("none", "once", "new_episodes", "all", "passthrough")
SESSION_PATH = "/session"
# Prints the variables that `tapedeck run` sets, lives until its input ends, and tidies up even if pytest is killed.
WATCH = 'env -0; printf "\\0"; cat; rm -r "$0"'

PROXY = pytest.StashKey["Proxy"]()
TAPEDECK = pytest.StashKey["Tapedeck"]()
numbers = count(1)


class TapedeckError(Exception):
    """The proxy could not be started, or refused what it was asked."""

    def __init__(self, message: str, status: int | None = None):
        super().__init__(message)
        self.status = status


def pytest_addoption(parser):
    group = parser.getgroup("tapedeck")
    group.addoption(
        "--tapedeck-mode", choices=MODES,
        help="the mode of all cassettes: none replays only, once records a cassette that is absent; the default is "
        "TAPEDECK_MODE, else none where CI is set, else once")
    parser.addini("tapedeck_upstream", "the origin that tapedeck.url leads to; without one every host is served")
    parser.addini("tapedeck_options", "further options of 'tapedeck run', such as --match or --redact", type="args")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "cassette(name): replay the test's requests from this cassette, or record them; "
        "the default name is the test's own")
    config.stash[PROXY] = Proxy(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Tells a worker of pytest-xdist where the proxy is, or why there is none."""
    try:
        node.workerinput["tapedeck"] = node.config.stash[PROXY].facts()
    except TapedeckError as error:
        node.workerinput["tapedeck"] = {"error": str(error)}


def pytest_unconfigure(config):
    if proxy := config.stash.get(PROXY, None):
        proxy.stop()


class Proxy:
    """The proxy that all tests of a run share, started for the first of them."""

    def __init__(self, config):
        self.config = config
        self.process = self.folder = self.errors = None
        self.known = getattr(config, "workerinput", {}).get("tapedeck")

    @property
    def mode(self) -> str:
        is_ci = os.environ.get("CI", "").lower() not in ("", "0", "false", "no")
        chosen = self.config.getoption("--tapedeck-mode") or os.environ.get("TAPEDECK_MODE")
        return chosen or ("none" if is_ci else "once")

    def facts(self) -> dict:
        """The admin API's URL and token, and the environment variables of clients."""
        if self.known is None:
            try:
                self.known = self._start()
            except FileNotFoundError as error:
                self.known = {"error": f"there is no program {error.filename}; install tapedeck, or set TAPEDECK to its path"}
            except (OSError, TapedeckError) as error:
                self.known = {"error": f"tapedeck cannot be started: {error}"}
        if problem := self.known.get("error"):
            raise TapedeckError(problem)
        return self.known

    def _start(self) -> dict:
        self.folder = Path(tempfile.mkdtemp(prefix="tapedeck-"))
        ready, token = self.folder / "admin", secrets.token_urlsafe(24)
        self.errors = (self.folder / "stderr").open("w+b")
        upstream = os.environ.get("TAPEDECK_UPSTREAM") or self.config.getini("tapedeck_upstream")
        kind = ["--upstream", upstream, "--session-path", SESSION_PATH] if upstream else ["--forward", "--session-user"]
        # A session of its own, so that Ctrl-C reaches pytest first.
        self.process = subprocess.Popen(
            [os.environ.get("TAPEDECK", "tapedeck"), "run", "--mode", "none", *kind, "--admin-port", "0",
             "--admin-ready-file", ready, *self.config.getini("tapedeck_options"), "--", "sh", "-c", WATCH, self.folder],
            cwd=self.config.rootpath, env={**os.environ, "TAPEDECK_ADMIN_TOKEN": token}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors, start_new_session=True)
        output = b""
        while not output.endswith(b"\0\0"):
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                raise TapedeckError(self._said())
            output += piece
        variables = dict(entry.split("=", 1) for entry in os.fsdecode(output).split("\0") if "=" in entry)
        del variables["TAPEDECK_ADMIN_TOKEN"]
        changed = {name: value for name, value in variables.items() if os.environ.get(name) != value}
        return {"admin": ready.read_text().strip(), "token": token, "environment": changed}

    def _said(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip()

    def stop(self):
        if self.process:
            self.process.stdin.close()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()
            # 3 says that requests were unmatched, which their tests have told.
            if "error" not in self.known and self.process.returncode not in (0, 3):
                print(self._said())
        if self.folder:
            self.errors.close()
            shutil.rmtree(self.folder, ignore_errors=True)


class Tapedeck:
    """The proxy as one test sees it."""

    def __init__(self, proxy: Proxy, cassette: str):
        self._facts = proxy.facts()
        self.cassette = cassette
        self._lacks_cassette = False
        #: The session's name.
        self.name = f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{os.getpid()}-{next(numbers)}"
        environment = self._facts["environment"]
        base = environment.get("TAPEDECK_PROXY")
        #: The base URL that leads to the origin; `None` without `tapedeck_upstream`.
        self.url = None if base else f"{environment['TAPEDECK_URL']}{SESSION_PATH}/{self.name}"
        #: The URL of the forward proxy; `None` with `tapedeck_upstream`.
        self.proxy = base and base.replace("://", f"://{self.name}:x@")
        #: The variables by which HTTP clients of the test find the proxy.
        self.environment = {
            name: self.proxy if base and value == base else value for name, value in environment.items()}
        if self.url:
            self.environment["TAPEDECK_URL"] = self.url

    def call(self, method: str, path: str, body=None, **query):
        """Asks the admin API; `path` is below `/v1`."""
        target = f"{self._facts['admin'].rstrip('/')}{path}"
        if query:
            target += "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(target, None if body is None else json.dumps(body).encode(), method=method)
        request.add_header("Authorization", f"Bearer {self._facts['token']}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as response:
                content = response.read()
        except urllib.error.HTTPError as error:
            raise TapedeckError(json.loads(error.read()).get("detail", str(error)), error.code) from None
        return json.loads(content) if content else None

    def override(self, kind: str = "routes", /, **declaration) -> dict:
        """Adds a rule for this test: one of `routes`, `patches`, `faults` or `resources`, as in an overrides file."""
        return self.call("POST", f"/{kind}", declaration, session=self.name)

    def requests(self, **filters) -> list[dict]:
        """The requests of this test; filters are those of `tapedeck ctl requests`."""
        return self.call("GET", "/requests", session=self.name, **filters)["entries"]

    def explanation(self) -> str | None:
        """Why requests got no response; `None` where all of them got one."""
        problems = []
        for entry in self.requests(source="unmatched"):
            exchange = self.call("GET", f"/requests/{entry['number']}", session=self.name)
            body = exchange["response"].get("body")
            problems.append(body["detail"] if isinstance(body, dict) and "detail" in body else entry["why"])
        if problems and self._lacks_cassette:
            problems.append(f"there is no cassette {self.cassette}")
        return "\n".join(dict.fromkeys(problems)) or None

    def _begin(self, mode: str):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.call("PUT", f"/sessions/{self.name}", cassette=self.cassette, mode=mode)
            except TapedeckError as error:
                if error.status == 404:
                    # Nothing is recorded: overrides alone may respond.
                    self._lacks_cassette = True
                    return self.call("PUT", f"/sessions/{self.name}")
                # Another test is recording into the cassette.
                if error.status != 423 or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _end(self):
        self.call("DELETE", f"/sessions/{self.name}")


def default_name(nodeid: str) -> str:
    """A cassette's name for a test: its path in dots, with a hash where that would not be a name or not be unique."""
    path = nodeid.replace(".py::", ".").replace("::", ".").replace("/", ".")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", path).lstrip(".-")
    if name == path and len(name) <= 100:
        return name
    return f"{name[:91].rstrip('.-')}-{hashlib.sha256(nodeid.encode()).hexdigest()[:8]}"


@pytest.fixture
def tapedeck(request):
    """The proxy with the test's own cassette, overrides and request log."""
    marker = request.node.get_closest_marker("cassette")
    name = marker.args[0] if marker and marker.args else default_name(request.node.nodeid)
    proxy = request.config.stash[PROXY]
    try:
        test = Tapedeck(proxy, name)
        test._begin(proxy.mode)
    except TapedeckError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    request.node.stash[TAPEDECK] = test
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in test.environment.items():
            patch.setenv(variable, value)
        yield test
    test._end()


@pytest.fixture(autouse=True)
def _tapedeck_cassette(request):
    """Gives a marked test its cassette, whether or not it asks for the fixture."""
    if request.node.get_closest_marker("cassette"):
        request.getfixturevalue("tapedeck")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fails a test whose requests got no response, and adds the reason where it has failed already."""
    try:
        result = yield
    except (Exception, pytest.fail.Exception):
        if explanation := _explanation(item):
            item.add_report_section("call", "tapedeck", explanation)
        raise
    if explanation := _explanation(item):
        pytest.fail(explanation, pytrace=False)
    return result


def _explanation(item) -> str | None:
    test = item.stash.get(TAPEDECK, None)
    reasons = test and test.explanation()
    return reasons and (
        f"{reasons}\nto record what is new: pytest --tapedeck-mode new_episodes '{item.nodeid}'")
