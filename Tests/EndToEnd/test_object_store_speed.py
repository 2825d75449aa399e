"""What a replica of a cassette in a store costs: how long it takes to be ready, beside `aws s3 sync` and a local cassette,
and its memory and processor time."""

import json
import os
import re
import statistics
import subprocess
import sys
import time
from hashlib import sha256

import pytest

from deck import Deck, run
from s3 import Store, environment
from servers import Moto, Nginx
from test_large_cassette import as_we_write, interaction

COUNT = 20_000
COLD_RATIO, WARM_RATIO = 1.5, 1.2

pytestmark = [
    pytest.mark.alone, pytest.mark.timeout(1800),
    pytest.mark.skipif("TAPEDECK_LONG_TESTS" not in os.environ, reason="minutes of transfers: set TAPEDECK_LONG_TESTS")]


def entry(number: int) -> dict:
    request = {"method": "GET", "url": f"http://origin.test/items/{number}", "httpVersion": "HTTP/1.1", "headers": [],
               "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0}
    text = json.dumps({"id": number, "text": "x" * 800})
    response = {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "redirectURL": "",
                "headers": [{"name": "Content-Type", "value": "application/json"}], "headersSize": -1,
                "content": {"size": len(text), "mimeType": "application/json", "text": text}, "bodySize": len(text)}
    return {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "request": request, "response": response,
            "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}


@pytest.fixture(scope="module")
def aws(tmp_path_factory):
    """PyPI's awscli, in an environment of its own since it pins what boto3 wants newer."""
    folder = tmp_path_factory.mktemp("awscli")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--quiet", "awscli"], check=True)
    return folder / "bin/aws"


def test_a_large_cassette_is_ready_about_as_fast_as_it_can_be_copied(servers, aws, tmp_path, figure):
    server = servers(Moto)
    store, local, name = Store(server.url, "speed-bucket"), tmp_path / "local", "s3://speed-bucket/large"
    har = tmp_path / "session.har"
    har.write_text(json.dumps({"log": {
        "version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [entry(number) for number in range(COUNT)]}}))
    assert run("import", har, "--cassette", local, timeout=600).returncode == 0
    done = run("copy", local, name, env=store.env(tmp_path / "writer"), timeout=900)
    assert done.returncode == 0, done.stderr

    def ready(cassette, cache: str) -> float:
        begin = time.monotonic()
        with Deck(tmp_path / "deck", "replay", "--cassette", cassette, "--quiet", env=store.env(tmp_path / cache)) as deck:
            seconds = time.monotonic() - begin
            assert deck.stop() == 0, deck.stderr
        (tmp_path / "deck/ready").unlink()
        return seconds

    # The cache is filled by a verb that takes its time; `Deck` waits for a start no longer than 30 s.
    begin = time.monotonic()
    assert run("ls", "--json", name, env=store.env(tmp_path / "cache"), timeout=900).returncode == 0
    cold = time.monotonic() - begin
    begin = time.monotonic()
    subprocess.run(
        [aws, "s3", "sync", "--quiet", "--endpoint-url", server.url, "s3://speed-bucket/large", tmp_path / "synced"],
        env={**os.environ, **store.env(tmp_path / "cache"), "AWS_EC2_METADATA_DISABLED": "true"}, check=True, timeout=900)
    sync = time.monotonic() - begin
    warm, here = zip(*[(ready(name, "cache"), ready(local, "cache")) for _ in range(7)])
    ratio = statistics.median(warm) / statistics.median(here)
    figure(f"{COUNT} interactions, empty cache; aws s3 sync; ratio", f"{cold:.1f} s; {sync:.1f} s; {cold / sync:.2f}")
    figure("warm cache; local; ratio", f"{statistics.median(warm):.3f} s; {statistics.median(here):.3f} s; {ratio:.2f}")
    assert cold <= COLD_RATIO * sync
    assert ratio <= WARM_RATIO


def bucket(folder, count: int):
    """The objects of a cassette of GETs, each with 1 kB of JSON, as files that any server can serve."""
    objects, files = folder / "large/objects/s", []
    objects.mkdir(parents=True)

    def add(name: str, content: bytes):
        digest = sha256(content).hexdigest()
        (objects / digest).write_bytes(content)
        files.append({"name": name, "bytes": len(content), "object": f"s/{digest}"})

    add("cassette.json", b'{"tapedeck": 1, "upstream": "http://api.test"}\n')
    for number in range(count):
        add(f"get-item-{number}.json", as_we_write(interaction(number, {"id": number, "text": "prose " * 160})).encode())
    (folder / "large/manifest.json").write_text(json.dumps({"tapedeckRemoteCassette": 1, "seal": "s", "files": files}))


@pytest.mark.parametrize("count", [1_000, 20_000, 100_000])
def test_what_a_replica_costs(count, start, tmp_path, figure):
    bucket(tmp_path / "bucket", count)
    server = Nginx(tmp_path / "nginx", f"location /bucket/ {{ alias {tmp_path}/bucket/; }}")
    env, script = environment(server.url, tmp_path / "cache"), tmp_path / "wrk.lua"
    script.write_text(
        f"n = 0 request = function() n = (n + 7919) % {count} return wrk.format('GET', '/item/' .. n, {{['X-Session'] = 's' .. n % 200}}) end")

    def ready() -> tuple[float, Deck]:
        begin = time.monotonic()
        deck = start("replay", "s3://bucket/large", "--session-header", "X-Session", "--quiet", env=env)
        return time.monotonic() - begin, deck

    def cpu(deck) -> float:
        """Seconds of the processor that the process has used."""
        return sum(map(int, open(f"/proc/{deck.process.pid}/stat").read().rpartition(") ")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def load(deck, seconds: int) -> int:
        """How many requests were answered."""
        words = ["wrk", "-t1", "-c64", f"-d{seconds}s", "-s", script, deck.url]
        out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in out and "Socket errors" not in out, out
        return int(re.search(r"(\d+) requests in", out)[1])

    try:
        begin = time.monotonic()
        assert run("ls", "--json", "s3://bucket/large", env=env, timeout=900).returncode == 0
        cold = time.monotonic() - begin
        warm, deck = ready()
        begun, resident = cpu(deck), deck.mebibytes("VmRSS")
        seconds, first = 1, 0
        # Each run begins with the first request; both loops have to see all of them.
        while first < 4 * count:
            seconds *= 2
            first = load(deck, seconds)
        prepared = cpu(deck)
        asked = load(deck, 8)
        figure(f"{count}: cold start, s; warm start, s (CPU s)", f"{cold:.1f}; {warm:.2f} ({begun:.2f})")
        figure(f"{count}: resident when ready, MiB; later", f"{resident:.1f}; {deck.mebibytes('VmRSS'):.1f}")
        figure(f"{count}: requests a CPU second, all asked for before", f"{asked / (cpu(deck) - prepared):.0f}")
    finally:
        server.stop()
