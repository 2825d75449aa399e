"""The jobs of the page "In CI" and the services of the page "In containers", run as they stand there."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import requests
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from deck import CLEAN, ROOT, binary, eventually, interactions, run
from origin import reply
from steering import TOKEN

ARTICLES = ROOT / "Sources" / "Tapedeck" / "Tapedeck.docc"
JSON = b"Content-Type: application/json"
USER = b'{"id": 1, "name": "octocat"}'


def blocks(article: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ARTICLES / f"{article}.md").read_text(), re.S)


TESTS, CONTRACT, GITLAB, PRE_COMMIT = map(yaml.safe_load, blocks("InCI", "yaml"))
COMPOSE, PROBE, SCRAPE = map(yaml.safe_load, blocks("Containers", "yaml"))


class Job:
    """A checkout in which the shell parts of a job run, with the command in PATH."""

    def __init__(self, folder: Path, upstream):
        self.path = folder / "checkout"
        self.summary = folder / "summary.md"
        self.upstream = upstream
        (folder / "bin").mkdir()
        (folder / "bin" / "tapedeck").symlink_to(binary())
        self.env = {
            **CLEAN, "CI": "true", "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_WORKSPACE": str(self.path), "GITHUB_STEP_SUMMARY": str(self.summary),
            "API_URL": upstream.url, "API_TOKEN": "a-token-of-the-job"}
        self.path.mkdir()
        self.asks("/users/1", "/users/2")
        subprocess.run(["git", "init", "-q"], cwd=self.path, check=True)
        made = run("run", "--upstream", upstream.url, "--cassette", "example", "--", "./run-tests.sh", cwd=self.path)
        assert made.returncode == 0, made.stderr

    def asks(self, *targets: str):
        """Makes the tests of the project ask for these."""
        script = self.path / "run-tests.sh"
        script.write_text("#!/bin/sh\n" + "".join(f'curl -sS "$TAPEDECK_URL{target}"\n' for target in targets))
        script.chmod(0o755)

    def run(self, script: str) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-e", "-c", script], cwd=self.path, env=self.env, capture_output=True, text=True,
                              timeout=60)

    @property
    def cassette(self) -> Path:
        return self.path / "Cassettes" / "example"


@pytest.fixture
def users():
    """What the API says; a test may change it."""
    return {"body": USER}


@pytest.fixture
def job(tmp_path, origin, users):
    return Job(tmp_path, origin(lambda exchange: reply(users["body"], JSON)))


def steps(workflow: dict, job: str) -> dict[str, str]:
    return {step["name"]: step["run"] for step in workflow["jobs"][job]["steps"] if "run" in step}


def scripts(job: str) -> list[str]:
    """The commands of a GitLab job; each ends it when it fails."""
    return GITLAB["default"]["before_script"] + GITLAB[job]["script"]


def test_the_jobs_have_what_their_servers_need():
    for workflow in (TESTS, CONTRACT):
        # YAML 1.1 reads `on` as true.
        assert workflow[True] and all("runs-on" in job for job in workflow["jobs"].values())
    for name in ("tests", "verify"):
        assert GITLAB[name]["stage"] in GITLAB["stages"]
        assert GITLAB[name]["artifacts"]["reports"]["junit"] in "".join(GITLAB[name]["script"])
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    assert PRE_COMMIT["repos"][0]["hooks"] == [{"id": hook["id"]}]


def test_github_tests_pass_offline(job):
    job.upstream.stop()
    for name, script in steps(TESTS, "tests").items():
        done = job.run(script)
        assert done.returncode == 0, f"{name}:\n{done.stderr}"
    assert job.summary.read_text().count(": good\n") == 2
    cases = ElementTree.parse(job.path / "tapedeck.xml").findall(".//testcase")
    assert len(cases) == 3
    assert not (job.path / ".tapedeck").exists(), "a command that is there is not installed again"


@pytest.mark.parametrize(("targets", "code", "title"), [
    (("/users/1", "/users/2", "/users/3"), 3, "GET /users/3"), (("/users/1",), 4, "GET /users/2"),
])
def test_github_tests_fail_where_the_run_is_not_what_was_recorded(job, targets, code, title):
    job.asks(*targets)
    done = job.run(steps(TESTS, "tests")["Test against the recordings"])
    assert done.returncode == code, done.stderr
    assert re.search(rf"^::error .*title={re.escape(title)}", done.stderr, re.M)
    assert f"failed, exit code {code}" in job.summary.read_text()


def test_a_secret_in_a_cassette_fails_the_scan(job):
    (job.cassette / "notes.txt").write_text("a note\n")
    file = sorted(job.cassette.glob("get-users-1-*.json"))[0]
    file.write_text(file.read_text().replace("octocat", "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"))
    done = job.run(steps(TESTS, "tests")["Look for secrets in the cassettes"])
    assert done.returncode == 4, done.stderr
    assert f"::error file=Cassettes/example/{file.name},title=Secret" in done.stderr


def test_github_verifies_and_records_anew(job, users):
    compare, anew = (steps(CONTRACT, "verify")[name] for name in ("Compare with the live API", "Record anew"))
    assert job.run(steps(CONTRACT, "verify")["Install Tapedeck"]).returncode == 0
    done = job.run(compare)
    assert done.returncode == 0, done.stderr
    users["body"] = b'{"id": "one"}'
    done = job.run(compare)
    assert done.returncode == 4 and "::error file=Cassettes/example/" in done.stderr
    assert ElementTree.parse(job.path / "drift.xml").findall(".//failure")
    done = job.run(anew)
    assert done.returncode == 0, done.stderr
    recorded = interactions(job.cassette)
    assert len(recorded) == 2 and all("one" in json.dumps(one["response"]) for one in recorded.values())
    assert "a-token-of-the-job" not in "".join(file.read_text() for file in job.cassette.glob("*.json"))
    assert job.run(compare).returncode == 0


def test_gitlab_tests_and_verifies(job, users):
    for name, report in (("tests", "tapedeck.xml"), ("verify", "drift.xml")):
        done = job.run("\n".join(scripts(name)))
        assert done.returncode == 0, done.stderr
        assert ElementTree.parse(job.path / report).findall(".//testcase")
    users["body"] = b'{"id": "one"}'
    assert job.run("\n".join(scripts("verify"))).returncode == 4
    job.asks("/users/1", "/never")
    assert job.run("\n".join(scripts("tests"))).returncode == 3


# MARK: Containers

class Services:
    """The services of the compose file as processes of this machine, with ports of its own."""

    def __init__(self, job: Job):
        self.job = job
        # By the port that the page names; those of a service are known once it listens.
        self.ports = {"8080": "0", "9090": "0"}
        self.env = {**job.env, "TAPEDECK_ADMIN_TOKEN": TOKEN}

    def words(self, command) -> list[str]:
        words = command if isinstance(command, list) else shlex.split(command)
        for port, own in self.ports.items():
            words = [word.replace(f"api:{port}", f"127.0.0.1:{own}").replace(port, own) for word in words]
        return words

    def start(self, command) -> subprocess.Popen:
        """The entry point of the image is the command."""
        log = self.job.path / "log"
        with log.open("wb") as file:
            process = subprocess.Popen(["tapedeck", *self.words(command)], cwd=self.job.path, env=self.env,
                                       stdout=subprocess.DEVNULL, stderr=file)
        eventually(lambda: "listening on" in log.read_text() or process.poll() is not None, "listening")
        for port, line in (("8080", r"listening on http://\S+:(\d+)\n"), ("9090", r"admin API on http://\S+:(\d+)/v1")):
            if found := re.search(line, log.read_text()):
                self.ports[port] = found[1]
        return process

    def call(self, command) -> subprocess.CompletedProcess:
        return subprocess.run(self.words(command), cwd=self.job.path, env=self.env, capture_output=True, text=True)


@pytest.fixture
def services(job):
    return Services(job)


def ended(process: subprocess.Popen) -> int:
    process.terminate()
    return process.wait(30)


def test_the_services_of_the_compose_file_work_together(services):
    api, tests = COMPOSE["services"]["api"], COMPOSE["services"]["tests"]
    assert api["volumes"] == ["./Cassettes:/work/Cassettes:ro"] and set(api["environment"]) == {"TAPEDECK_ADMIN_TOKEN"}
    kind, *check = api["healthcheck"]["test"]
    assert kind == "CMD"
    process = services.start(api["command"])
    try:
        checked = services.call(check)
        assert checked.returncode == 0, checked.stderr
        assert tests["depends_on"] == {"api": {"condition": "service_healthy"}}
        done = services.call(tests["command"])
        assert (done.returncode, done.stdout) == (0, USER.decode())
        probed = requests.get(f"http://127.0.0.1:{services.ports[str(PROBE['livenessProbe']['httpGet']['port'])]}"
                              + PROBE["livenessProbe"]["httpGet"]["path"])
        assert probed.json() == {"status": "ok"}
        (job,) = SCRAPE["scrape_configs"]
        (target,) = services.words(job["static_configs"][0]["targets"])
        scraped = requests.get(f"http://{target}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        values = {sample.labels.get("outcome"): sample.value for family in text_string_to_metric_families(scraped.text)
                  for sample in family.samples if sample.name == "tapedeck_requests_total"}
        assert values["replayed"] == 1 and sum(values.values()) == 1
    finally:
        assert ended(process) == 0
    assert services.call(check).returncode != 0, "healthy after its end"


def test_the_image_with_recordings_replays_them(services):
    (text,) = blocks("Containers", "dockerfile")
    base, copy, command = text.splitlines()
    version = run("--version").stdout.split()[1]
    assert base == f"FROM tapedeck:{version}" and COMPOSE["services"]["api"]["image"] == f"tapedeck:{version}"
    assert copy == "COPY Cassettes /work/Cassettes"
    process = services.start(json.loads(command.removeprefix("CMD ")))
    try:
        url = f"http://127.0.0.1:{services.ports['8080']}"
        assert requests.get(url + "/healthz").json() == {"status": "ok"}
        assert requests.get(url + "/users/1").content == USER
    finally:
        assert ended(process) == 0
