"""Health and metrics of a running proxy, and the admin API beyond this machine."""

import json
import re
import socket
import subprocess

import pytest
import requests
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from deck import interactions, journal, log_lines, run
from origin import counting
from steering import TOKEN, Admin, steered

AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
ADMIN = ("--admin-token", TOKEN)


def base(admin: Admin) -> str:
    return admin.url.removesuffix("/v1")


def samples(text: str) -> dict:
    """Every sample by its name and its labels, as Prometheus understands them."""
    return {(sample.name, *sorted(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text) for sample in family.samples}


def scraped(admin: Admin, path="/__tapedeck/metrics", **options) -> dict:
    answer = requests.get(base(admin) + path, headers=AUTHORIZED, timeout=30, **options)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert answer.text.endswith("\n# EOF\n")
    return samples(answer.text)


def outcome(name: str) -> tuple:
    return ("tapedeck_requests_total", ("outcome", name))


def test_metrics_count_what_the_summary_counts(start, origin, cassette):
    upstream = origin(counting())
    deck, admin = steered(start, "serve", "--upstream", upstream.url, "--cassette", cassette, "--threads", "2")
    before = scraped(admin)
    assert before[outcome("recorded")] == 0 and before["tapedeck_request_duration_seconds_count",] == 0
    admin.put("/routes/mine", {"path": "/mine", "json": {}})
    for target in ("/a", "/b", "/mine"):
        # A connection for each, so that both loops serve.
        requests.get(deck.url + target)
    now = scraped(admin)
    assert now[outcome("recorded")] == 2 and now[outcome("overridden")] == 1 and now[outcome("unmatched")] == 0
    assert now["tapedeck_unsealed_interactions",] == 2
    assert now["tapedeck_upstream_connections_opened_total",] >= 1
    assert now["tapedeck_request_duration_seconds_count",] == 3
    assert now["tapedeck_request_duration_seconds_bucket", ("le", "+Inf")] == 3
    assert 0 < now["tapedeck_request_duration_seconds_sum",] < 30
    admin.put("/mode", {"mode": "none"})
    for target in ("/a", "/b", "/never"):
        requests.get(deck.url + target)
    last = scraped(admin, "/metrics")
    assert last[outcome("replayed")] == 2 and last[outcome("unmatched")] == 1
    assert last["tapedeck_unsealed_interactions",] == 0
    assert last["tapedeck_request_duration_seconds_count",] == 6
    (build,) = [dict(labels) for name, *labels in last if name == "tapedeck_build_info"]
    version = run("--version").stdout.split()[1]
    assert build["version"] == version and "libcurl" in build["libraries"]


def test_histogram_counts_a_slow_exchange_as_slow(start, cassette):
    deck, admin = steered(start, "serve")
    admin.put("/routes/slow", {"path": "/slow", "json": {}, "delay": 0.06})
    admin.put("/routes/fast", {"path": "/fast", "json": {}})
    for target in ("/slow", "/fast", "/fast"):
        assert requests.get(deck.url + target).status_code == 200
    counts = {float(dict(labels)["le"]): value for (name, *labels), value in scraped(admin).items()
              if name == "tapedeck_request_duration_seconds_bucket"}
    assert list(counts.values()) == sorted(counts.values())
    assert counts[0.05] <= 2 and counts[float("inf")] == 3


def test_health_takes_no_token_and_metrics_does(start, small_cassette):
    deck, admin = steered(start, "replay", "--cassette", small_cassette[0])
    health = requests.get(base(admin) + "/__tapedeck/health")
    assert health.headers["Content-Type"] == "application/json"
    assert health.json() == {"status": "ok", "mode": "none", "cassette": str(small_cassette[0])}
    assert requests.head(base(admin) + "/__tapedeck/health").status_code == 200
    for path in ("/__tapedeck/metrics", "/metrics"):
        assert requests.get(base(admin) + path).status_code == 401
        assert requests.get(base(admin) + path, headers={"Authorization": "Bearer no"}).status_code == 401
        assert requests.post(base(admin) + path, headers=AUTHORIZED).status_code == 404
    # Neither is on the port of the proxy.
    for path in ("/__tapedeck/health", "/metrics"):
        assert requests.get(deck.url + path, headers=AUTHORIZED).status_code == 502
    for field in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert requests.get(base(admin) + "/__tapedeck/health", headers=field).status_code in (403, 421)


def test_a_health_probe_leaves_no_trace(start, origin, cassette, tmp_path):
    upstream = origin(counting())
    deck, admin = steered(start, "record", "--upstream", upstream.url, "--cassette", cassette, "--health-path",
                          "/healthz", "--report", tmp_path / "report.json")
    for _ in range(3):
        probe = requests.get(deck.url + "/healthz?from=compose")
        assert (probe.status_code, probe.json()) == (200, {"status": "ok"})
    assert requests.head(deck.url + "/healthz").status_code == 200
    refused = requests.post(deck.url + "/healthz")
    assert refused.status_code == 405 and refused.headers["Allow"] == "GET, HEAD"
    assert requests.get(deck.url + "/healthz2").text == "answer 1"
    assert [entry["target"] for entry in admin.get("/requests")["entries"]] == ["/healthz2"]
    now = scraped(admin)
    assert sum(value for name, value in now.items() if name[0] == "tapedeck_requests_total") == 1
    assert now["tapedeck_request_duration_seconds_count",] == 1
    assert deck.stop() == 0
    assert [one["request"]["target"] for one in interactions(cassette).values()] == ["/healthz2"]
    assert not log_lines(deck, " /healthz ") and not log_lines(deck, "/healthz?")
    assert json.loads((tmp_path / "report.json").read_text())["counts"]["recorded"] == 1


def test_no_probe_is_served_unless_it_is_asked_for(start, origin, cassette):
    upstream = origin(counting())
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette)
    assert requests.get(deck.url + "/healthz").text == "answer 1"
    assert deck.stop() == 0
    assert len(interactions(cassette)) == 1


def test_a_forward_proxy_takes_no_probe_of_an_origin(start, origin, cassette):
    """`/healthz` of another host is that host's."""
    upstream = origin(counting())
    deck = start("record", "--forward", "--allow-hosts", "127.0.0.1", "--cassette", cassette, "--health-path", "/healthz")
    through = requests.get(f"{upstream.url}/healthz", proxies={"http": deck.url})
    assert through.text == "answer 1"
    assert requests.get(deck.url + "/healthz").json() == {"status": "ok"}


# MARK: Beyond this machine

def address() -> str:
    """An address of this machine that is not its loopback; the test is skipped where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but its loopback")
        return probe.getsockname()[0]


@pytest.mark.parametrize(("flags", "needle"), [
    (("--admin-listen", "0.0.0.0:0"), "needs TLS"),
    (("--admin-listen", "[::]:0"), "needs TLS"),
    (("--admin-listen", "127.example.com:0"), "needs TLS"),
    (("--admin-listen", "0.0.0.0:0", "--admin-port", "0"), "exclude each other"),
    (("--admin-listen", "nonsense"), "takes HOST:PORT"),
    (("--admin-listen", "unix:/tmp/x"), "takes HOST:PORT"),
    (("--admin-plaintext",), "needs --admin-listen"),
    (("--admin-token-file", "x"), "needs --admin-port, --admin-listen or --ui"),
    (("--health-path", "healthz"), "takes a path"),
    (("--health-path", "/a b"), "takes a path"),
    (("--health-path", "/a?b"), "takes a path"),
])
def test_wrong_use_is_refused_with_what_to_do(small_cassette, tmp_path, flags, needle):
    done = run("replay", "--cassette", small_cassette[0], "--port", "0", *flags, env={"XDG_DATA_HOME": str(tmp_path)})
    assert done.returncode == 2 and needle in done.stderr, done.stderr


def admin_url(deck) -> str:
    return re.search(r"admin API on (\S+?)/v1", deck.stderr)[1]


def test_plain_http_beyond_loopback_is_said_aloud(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--admin-listen", "0.0.0.0:0", "--admin-plaintext", *ADMIN)
    assert log_lines(deck, "warning", "reachable from other machines without TLS")
    url = admin_url(deck).replace("0.0.0.0", address())
    # Any name: only those who reach it know by which one.
    assert requests.get(url + "/__tapedeck/health", headers={"Host": "tapedeck:9090"}).json()["status"] == "ok"
    assert requests.get(url + "/v1/health").status_code == 401
    assert requests.get(url + "/v1/health", headers=AUTHORIZED).status_code == 200
    # The page asks from its own origin, and no other may.
    assert requests.get(url + "/v1/health", headers={**AUTHORIZED, "Origin": url}).status_code == 200
    for origin in ("http://evil.example", url.replace("http", "https"), "null"):
        assert requests.get(url + "/v1/health", headers={**AUTHORIZED, "Origin": origin}).status_code == 403
    assert run("ctl", "--admin-port", url.rsplit(":", 1)[1], "--admin-token", TOKEN, "health").returncode == 0


def test_beyond_loopback_with_a_certificate(start, small_cassette, authority):
    ca, sign = authority
    here = address()
    certificate, key = sign("admin", f"IP:{here},DNS:localhost")
    deck = start("replay", "--cassette", small_cassette[0], "--admin-listen", f"{here}:0", "--tls-cert", certificate,
                 "--tls-key", key, *ADMIN)
    url = admin_url(deck)
    assert url.startswith(f"https://{here}:")
    assert requests.get(url + "/__tapedeck/health", verify=str(ca)).status_code == 200
    assert samples(requests.get(url + "/metrics", headers=AUTHORIZED, verify=str(ca)).text)
    plain = requests.get(url.replace("https", "http") + "/v1/health", headers=AUTHORIZED)
    assert plain.status_code == 403 and "TLS" in plain.text
    for name in (url, url + "/v1", url + "/v1/"):
        done = run("ctl", "--admin-url", name, "--cacert", ca, "--admin-token", TOKEN, "health")
        assert done.returncode == 0 and json.loads(done.stdout)["mode"] == "none", done.stderr
    # An authority that it does not know, and the port alone, which is that of plain HTTP on this machine.
    done = run("ctl", "--admin-url", url, "--admin-token", TOKEN, "health")
    assert done.returncode == 1 and f"no response from the admin API: {url}: SSL certificate problem" in done.stderr
    assert run("ctl", "--admin-port", url.rsplit(":", 1)[1], "--admin-token", TOKEN, "health").returncode == 1


@pytest.mark.parametrize(("arguments", "needle"), [
    (["--admin-url", "tapedeck:9090"], "--admin-url takes a URL like https://tapedeck.internal:9090"),
    (["--admin-url", "http://127.0.0.1:9/admin"], "--admin-url takes a URL like"),
    (["--admin-url", "http://127.0.0.1:9", "--admin-port", "9"], "--admin-url and --admin-port exclude each other"),
    ([], "ctl needs --admin-port N, the port of the admin API, or --admin-url URL"),
])
def test_ctl_says_how_to_name_the_admin_api(tmp_path, arguments, needle):
    done = run("ctl", *arguments, "--admin-token", TOKEN, "health", cwd=tmp_path)
    assert done.returncode == 2 and needle in done.stderr, done.stderr


def test_no_configuration_file_chooses_where_the_admin_token_goes(tmp_path):
    (tmp_path / "tapedeck.json").write_text('{"admin-url": "http://127.0.0.1:9"}')
    done = run("ctl", "--admin-token", TOKEN, "health", cwd=tmp_path)
    assert done.returncode == 2 and "it could send your admin token to a server of its choice" in done.stderr


def test_beyond_loopback_with_the_stored_authority(start, small_cassette, tmp_path):
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert run("ca", "create", env=env).returncode == 0
    ca = run("ca", "path", env=env).stdout.strip()
    here = address()
    deck = start("replay", "--cassette", small_cassette[0], "--admin-listen", f"{here}:0", *ADMIN, env=env)
    url = admin_url(deck)
    # It has names of hosts for clients that ask for one.
    done = subprocess.run(
        ["curl", "-sS", "--fail", "--cacert", ca, "--resolve", f"tapedeck.example:{url.rsplit(':', 1)[1]}:{here}",
         f"https://tapedeck.example:{url.rsplit(':', 1)[1]}/__tapedeck/health"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mode"] == "none"
    # Nothing needs to be named twice: it trusts that authority, and the environment says where.
    done = run("ctl", "health", env={**env, "TAPEDECK_ADMIN_URL": url, "TAPEDECK_ADMIN_TOKEN": TOKEN})
    assert done.returncode == 0, done.stderr


def test_on_loopback_it_is_plain_http(start, small_cassette):
    deck = start("replay", "--cassette", small_cassette[0], "--admin-listen", "127.0.0.1:0", *ADMIN)
    assert requests.get(admin_url(deck) + "/__tapedeck/health").status_code == 200
    assert not log_lines(deck, "reachable from other machines")
