"""Other languages: `Tools/clients` in real runners. Each test has a cassette, overrides and a verdict of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deck import CLEAN, ROOT, binary, eventually, interactions
from jest import jest
from servers import Httpbin

CLIENTS = ROOT / "Tools" / "clients"
PAGE = ROOT / "Sources" / "Tapedeck" / "Tapedeck.docc" / "PytestAndNode.md"
FILES, TESTS = 8, 25  # 200 tests
# Of each of three runners, with TAPEDECK_LONG_TESTS=1 as many.
NODE_TESTS_EACH = TESTS if os.environ.get("TAPEDECK_LONG_TESTS") else 4


class Project:
    """A folder of somebody's tests, and what a run of them leaves."""

    def __init__(self, folder: Path, upstream: str | None):
        self.folder, self.temporary, self.results = folder / "project", folder / "tmp", folder / "results"
        for each in (self.folder, self.temporary, self.results):
            each.mkdir()
        self.upstream = upstream

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def environment(self, **more) -> dict:
        clean = {name: value for name, value in CLEAN.items() if not name.startswith(("PYTEST_", "NODE_", "JEST_"))}
        upstream = {"TAPEDECK_UPSTREAM": self.upstream} if self.upstream else {}
        # Debian's packages find each other there, whoever made the `node` that runs them.
        return {
            **clean, **upstream, "TAPEDECK": str(binary()), "TMPDIR": str(self.temporary), "RESULTS": str(self.results),
            "NODE_PATH": "/usr/share/nodejs", **more}

    def run(self, *command, **environment) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [*map(str, command)], cwd=self.folder, env=self.environment(**environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=150)
        eventually(lambda: not self.processes(), "every process has ended")
        return done

    def pytest(self, *arguments, **environment) -> subprocess.CompletedProcess:
        # Of the plugins that are installed here only the one that is needed, which takes a tenth of the time to start.
        xdist = ["-p", "xdist"] if "-n" in arguments else []
        return self.run(
            sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--basetemp", self.results / "basetemp", *xdist, *arguments,
            PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(CLIENTS), **environment)

    def processes(self) -> list[str]:
        """What still runs in the folder, where the proxy runs too."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cwd").readlink() == self.folder:
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found

    def take_results(self) -> dict[str, str]:
        """What each test has seen, by its name."""
        taken = {path.name: path.read_text() for path in self.results.iterdir() if path.is_file()}
        shutil.rmtree(self.results)
        self.results.mkdir()
        return taken

    def cassettes(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "Cassettes").iterdir())

    def assert_clean(self) -> None:
        """Nothing is left but sealed cassettes."""
        assert list(self.temporary.glob("*tapedeck*")) == []
        left = [path for path in self.folder.rglob("*") if path.name.startswith("journal") or path.suffix in (".part", ".tmp")]
        assert left == []


@pytest.fixture
def project(tmp_path):
    return lambda upstream=None: Project(tmp_path, upstream)


@pytest.fixture
def httpbin(tmp_path):
    server = Httpbin(tmp_path)
    yield server
    server.stop()


def twice(project: Project, server, count: int, run) -> None:
    """Runs the tests with the origin, then without it: each sees again what it alone recorded."""
    first = run(False)
    assert first.returncode == 0, first.stdout
    live = project.take_results()
    assert len(live) == len(set(live.values())) == count, "each test has had a response of its own"
    assert len(project.cassettes()) == count
    assert {len(interactions(project.folder / "Cassettes" / name)) for name in project.cassettes()} == {2}
    project.assert_clean()
    server.stop()
    second = run(True)
    assert second.returncode == 0, second.stdout
    assert project.take_results() == live
    project.assert_clean()


PYTHON_TESTS = f"""
import os, pathlib, pytest, requests

@pytest.mark.parametrize("number", range({TESTS}))
def test_own(tapedeck, number):
    mine = f"{{tapedeck.cassette}}-{{number}}"
    tapedeck.override(path="/mine", json={{"mine": mine}})
    if number % 2:
        tapedeck.override("patches", path="/anything/{{id}}", json=[{{"set": "$.method", "value": mine}}])
    http = requests.Session()
    seen = http.get(f"{{tapedeck.url}}/uuid", timeout=60).json()["uuid"]
    assert http.get(f"{{tapedeck.url}}/mine", timeout=60).json() == {{"mine": mine}}
    anything = http.get(f"{{tapedeck.url}}/anything/{{number}}", timeout=60).json()
    assert anything["url"].endswith(f"/anything/{{number}}")
    assert anything["method"] == (mine if number % 2 else "GET")
    assert [entry["source"] for entry in tapedeck.requests()][1] == "route" and len(tapedeck.requests()) == 3
    pathlib.Path(os.environ["RESULTS"], tapedeck.cassette).write_text(seen)
"""


def test_pytest_with_8_workers_has_200_tests_on_one_proxy(project, httpbin, figure):
    tests = project(httpbin.url)
    tests.write("conftest.py", """
import json, os, pathlib
pytest_plugins = ["tapedeck_pytest"]

def pytest_sessionfinish(session):
    import tapedeck_pytest
    if not hasattr(session.config, "workerinput"):
        left = tapedeck_pytest.Tapedeck(session.config.stash[tapedeck_pytest.PROXY], "none").call("GET", "/health")
        assert left["sessions"] == 0, left
""")
    for number in range(FILES):
        tests.write(f"test_{number}.py", PYTHON_TESTS)

    def run(offline):
        return tests.pytest("-q", "-n", "8", **({"CI": "true"} if offline else {}))

    twice(tests, httpbin, FILES * TESTS, run)
    figure("pytest -n 8, 200 tests on one proxy, twice, the second offline", "0 leaks")


def test_a_request_without_a_response_fails_its_test(project, httpbin):
    tests = project(httpbin.url)
    tests.write("conftest.py", 'pytest_plugins = ["tapedeck_pytest"]\n')
    tests.write("test_it.py", """
import pytest, requests

def test_hidden(tapedeck):
    requests.get(f"{tapedeck.url}/get?page=1", timeout=60)

def test_seen(tapedeck):
    requests.get(f"{tapedeck.url}/get?page=1", timeout=60).raise_for_status()

@pytest.mark.cassette("shared")
def test_one(tapedeck):
    assert requests.get(f"{tapedeck.url}/get?shared", timeout=60).status_code == 200

@pytest.mark.cassette("shared")
def test_two(tapedeck):
    assert requests.get(f"{tapedeck.url}/get?shared", timeout=60).status_code == 200
""")
    first = tests.pytest("-q", "-n", "4")
    assert first.returncode == 0, first.stdout
    assert tests.cassettes() == ["shared", "test_it.test_hidden", "test_it.test_seen"]
    text = (tests.folder / "test_it.py").read_text().replace("page=1", "page=2")
    tests.write("test_it.py", text)
    second = tests.pytest(CI="true")
    assert second.returncode == 1 and "2 failed, 2 passed" in second.stdout, second.stdout
    for name in ("hidden", "seen"):
        assert f"GET /get?page=2 is not in cassette Cassettes/test_it.test_{name} (mode none)" in second.stdout
        assert f"pytest --tapedeck-mode new_episodes 'test_it.py::test_{name}'" in second.stdout
    assert 'query "page"' in second.stdout
    shutil.rmtree(tests.folder / "Cassettes" / "shared")
    absent = tests.pytest(CI="true")
    assert "4 failed" in absent.stdout and "there is no cassette shared" in absent.stdout, absent.stdout
    third = tests.pytest("--tapedeck-mode", "new_episodes", CI="true")
    assert third.returncode == 0, third.stdout
    assert len(interactions(tests.folder / "Cassettes" / "test_it.test_seen")) == 2
    tests.assert_clean()


def test_pytest_leads_clients_of_any_host_through_the_proxy(project, tmp_path, authority):
    ca, sign = authority
    server = Httpbin(tmp_path, *sign("clients", "DNS:api.example.test"))
    tests = project()
    tests.write("pytest.ini", f"""[pytest]
tapedeck_options = --cacert {ca} --resolve api.example.test:{server.port}:127.0.0.1
""")
    tests.write("conftest.py", 'pytest_plugins = ["tapedeck_pytest"]\n')
    tests.write("test_any.py", f"""
import os, pathlib, httpx, pytest, requests
BASE = "https://api.example.test:{server.port}"

@pytest.mark.cassette()
@pytest.mark.parametrize("number", range(8))
def test_own(number):
    seen = requests.get(BASE + "/uuid", timeout=60).json()["uuid"]
    assert httpx.get(BASE + f"/anything/{{number}}", timeout=60).json()["url"].endswith(f"/{{number}}")
    pathlib.Path(os.environ["RESULTS"], str(number)).write_text(seen)

def test_override(tapedeck):
    tapedeck.override(path="/status/{{code}}", status=418)
    assert httpx.Client(proxy=tapedeck.proxy).get(BASE + "/status/200").status_code == 418
    assert tapedeck.url is None
""")
    try:
        first = tests.pytest("-q", "-n", "2")
        assert first.returncode == 0, first.stdout
    finally:
        server.stop()
    live = tests.take_results()
    assert len(live) == len(set(live.values())) == 8
    second = tests.pytest("-q", "-n", "2", CI="1")
    assert second.returncode == 0, second.stdout
    assert tests.take_results() == live
    tests.assert_clean()


def test_the_proxy_ends_when_pytest_is_killed(project, httpbin):
    tests = project(httpbin.url)
    tests.write("conftest.py", 'pytest_plugins = ["tapedeck_pytest"]\n')
    tests.write("test_it.py", """
import os, signal, requests

def test_killed(tapedeck):
    assert requests.get(f"{tapedeck.url}/uuid", timeout=60).status_code == 200
    os.kill(os.getpid(), signal.SIGKILL)
""")
    assert tests.pytest().returncode == -signal.SIGKILL
    # What it had recorded is sealed all the same.
    assert len(interactions(tests.folder / "Cassettes" / "test_it.test_killed")) == 1
    tests.assert_clean()


def test_without_tapedeck_each_test_says_so(project):
    tests = project("http://127.0.0.1:1")
    tests.write("conftest.py", 'pytest_plugins = ["tapedeck_pytest"]\n')
    tests.write("test_it.py", "def test_one(tapedeck): pass\ndef test_other(): pass\n")
    done = tests.pytest("-n", "2", TAPEDECK="/nonexistent/tapedeck")
    assert "1 passed, 1 error" in done.stdout and "there is no program /nonexistent/tapedeck" in done.stdout, done.stdout
    done = tests.pytest(TAPEDECK_UPSTREAM="ftp://example.com")
    assert "1 passed, 1 error" in done.stdout and "ftp://example.com" in done.stdout, done.stdout
    tests.assert_clean()


NODE_TESTS = f"""
const assert = require("node:assert");
const fs = require("node:fs");
const {{ withCassette }} = require("./tapedeck.cjs");

for (let number = 0; number < {NODE_TESTS_EACH}; number += 1) {{
  const name = `FILE-${{number}}`;
  it(`own ${{number}}`, withCassette(name, async (tapedeck) => {{
    await tapedeck.override({{ path: "/mine", json: {{ mine: name }} }});
    if (number % 2) {{
      await tapedeck.override({{ path: "/anything/{{id}}", json: [{{ set: "$.method", value: name }}] }}, "patches");
    }}
    const get = async (path) => (await fetch(`${{tapedeck.url}}${{path}}`)).json();
    const seen = (await get("/uuid")).uuid;
    assert.deepEqual(await get("/mine"), {{ mine: name }});
    const anything = await get(`/anything/${{number}}`);
    assert.ok(anything.url.endsWith(`/anything/${{number}}`));
    assert.equal(anything.method, number % 2 ? name : "GET");
    assert.equal((await tapedeck.requests()).length, 3);
    fs.writeFileSync(`${{process.env.RESULTS}}/${{name}}`, seen);
  }}));
}}
"""


def mocha() -> list[str]:
    program = shutil.which("mocha")
    if not program:
        pytest.skip("mocha is not installed (debian-packages.txt)")
    return [program, "--parallel", "--jobs", "8", "--timeout", "60000"]


RUNNERS = {
    "node": lambda: [shutil.which("node"), "--test"],
    "mocha": mocha,
    "jest": lambda: [*jest(), "--maxWorkers=8"],
}


@pytest.mark.parametrize("runner", RUNNERS)
def test_node_has_the_tests_of_8_files_on_one_proxy(project, httpbin, figure, runner):
    command = RUNNERS[runner]()
    tests = project(httpbin.url)
    shutil.copy(CLIENTS / "tapedeck.cjs", tests.folder)
    tests.write("package.json", "{}")
    names = [f"users{number}.test.js" for number in range(FILES)]
    for name in names:
        start = 'const { it } = require("node:test");\n' if runner == "node" else ""
        tests.write(name, start + NODE_TESTS.replace("FILE", name.removesuffix(".test.js")))

    def run(offline):
        return tests.run(*command, *names, **({"CI": "true"} if offline else {}))

    twice(tests, httpbin, FILES * NODE_TESTS_EACH, run)
    figure(f"{runner}, {FILES * NODE_TESTS_EACH} tests in 8 files on one proxy, twice, the second offline", "0 leaks")


def test_node_tells_why_a_request_got_no_response(project, httpbin):
    tests = project(httpbin.url)
    shutil.copy(CLIENTS / "tapedeck.cjs", tests.folder)
    tests.write("it.test.mjs", """
import { test } from "node:test";
import { withCassette } from "./tapedeck.cjs";
test("hidden", withCassette("one", async (tapedeck) => { await fetch(`${tapedeck.url}/get?page=1`); }));
""")
    first = tests.run(shutil.which("node"), "--test", "it.test.mjs")
    assert first.returncode == 0, first.stdout
    tests.write("it.test.mjs", (tests.folder / "it.test.mjs").read_text().replace("page=1", "page=2"))
    second = tests.run(shutil.which("node"), "--test", "it.test.mjs", CI="true")
    assert second.returncode == 1, second.stdout
    assert f"GET /get?page=2 is not in cassette Cassettes/one (mode none)" in second.stdout
    assert "TAPEDECK_MODE=new_episodes" in second.stdout
    done = tests.run(shutil.which("node"), "--test", "it.test.mjs", TAPEDECK="/nonexistent/tapedeck")
    assert done.returncode == 1 and "there is no program /nonexistent/tapedeck" in done.stdout, done.stdout
    tests.assert_clean()


def blocks(language: str) -> dict[str, str]:
    """The page's files, by the name in the first line."""
    found = re.findall(rf"```{language}\n(?:#|//) (\S+\.\w+)[^\n]*\n(.*?)```", PAGE.read_text(), re.S)
    assert found
    return dict(found)


def test_the_examples_of_the_page_run_as_written(project, httpbin):
    tests = project(httpbin.url)
    for name, text in (blocks("ini") | blocks("python") | blocks("js")).items():
        tests.write(name, text)
    tests.write("package.json", re.search(r"```json\n(.*?)```", PAGE.read_text(), re.S)[1])
    json.loads((tests.folder / "package.json").read_text())
    shutil.copy(CLIENTS / "tapedeck.cjs", tests.folder)
    for offline in ({}, {"CI": "1"}):
        done = tests.pytest(**offline)
        assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout
        done = tests.run(shutil.which("node"), "--test", "users.test.js", **offline)
        assert done.returncode == 0 and "pass 2" in done.stdout, done.stdout
        httpbin.stop()
    tests.assert_clean()
