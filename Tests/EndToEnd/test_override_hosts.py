"""Overrides, routes and the request log behind a forward proxy: which host a request is for."""

import json
import subprocess

import pytest

from deck import run
from origin import reply
from steering import TOKEN, steered
from wire import fetch

HOSTS = ["https://a.test", "https://b.test", "http://a.test", "https://b.test:8443"]
RULES = {
    "routes": [
        {"id": "a", "path": "/users", "when": {"host": "a.test"}, "text": "a"},
        {"id": "tls", "path": "/users", "when": {"host": ["a.test:443", "c.test"], "query": {"tls": True}}, "text": "a over TLS"},
    ],
    "resources": [{"id": "items", "path": "/items", "when": {"host": "*.test:8443"}, "seed": [{"id": 1}]}],
    "patches": [{"id": "marked", "path": "/*", "when": {"host": "b.test"}, "headers": {"X-Mark": "b"}}],
    "faults": [{"id": "down", "path": "/*", "when": {"host": "down.test"}, "type": "empty_response"}],
}


@pytest.fixture
def asked(start, tmp_path):
    """A forward proxy with the rules and a recording of each host, its admin API, and a way to ask it."""
    home = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert run("ca", "create", env=home).returncode == 0
    entries = [{
        "startedDateTime": "2026-11-22T00:00:00Z", "time": 1, "request": {"method": "GET", "url": f"{host}/users", "headers": []},
        "response": {"status": 200, "headers": [], "content": {"text": f"recorded at {host}", "mimeType": "text/plain"}}}
        for host in HOSTS]
    (tmp_path / "hosts.har").write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    deck, admin = steered(
        start, "serve", "--forward", "--cassette", tmp_path / "hosts.har", "--mode", "none", "--overrides", tmp_path / "rules.json",
        env=home)
    pem = run("ca", "path", env=home).stdout.strip()

    def ask(url):
        done = subprocess.run(
            ["curl", "-sS", "-i", "--noproxy", "", "-x", deck.url, "--suppress-connect-headers", "--cacert", pem, url],
            capture_output=True, text=True, timeout=30)
        head, _, body = done.stdout.partition("\n\n") if "\r" not in done.stdout else done.stdout.partition("\r\n\r\n")
        return (int(head.split()[1]), body, head.lower()) if done.returncode == 0 else (done.returncode, "", "")

    return deck, admin, ask


def test_rules_act_on_their_hosts(asked):
    _, admin, ask = asked
    assert [ask(f"{host}/users")[1] for host in HOSTS] == ["a", "recorded at https://b.test", "a", "recorded at https://b.test:8443"]
    assert ask("https://a.test/users?tls=1")[1] == "a over TLS" and ask("http://a.test/users?tls=1")[1] == "a"
    assert "x-mark: b" in ask("https://b.test/users")[2] and "x-mark" not in ask("http://a.test/users")[2]
    assert ask("https://b.test:8443/items/1")[:2] == (200, '{"id":1}') and ask("https://b.test/items/1")[0] == 502
    assert ask("http://down.test/users")[0] == 52
    decisions = {
        entry["origin"]: {step["link"]: step["why"] for step in admin.get(f"/requests/{entry['number']}")["decisions"]}
        for entry in admin.get("/requests")["entries"]}
    assert decisions["https://b.test"]["store items"] == "it wants: host is *.test:8443"
    assert decisions["https://b.test:8443"]["fault down"] == "it wants: host is down.test"


def test_the_request_log_knows_the_hosts(asked):
    deck, admin, ask = asked
    for host in HOSTS:
        ask(f"{host}/users")
    assert [entry.get("origin") for entry in admin.get("/requests")["entries"]] == HOSTS
    assert [entry["origin"] for entry in admin.get("/requests", host="b.*")["entries"]] == [HOSTS[1], HOSTS[3]]
    assert [entry["origin"] for entry in admin.get("/requests", host="B.test:443")["entries"]] == [HOSTS[1]]
    assert "api.example.com" in admin.call("GET", "/requests", expect=400, host="https://a")["detail"]
    listed = run("ctl", "--admin-port", admin.port, "--admin-token", TOKEN, "requests", "host=a.test")
    assert json.loads(listed.stdout)["matching"] == 2
    har = admin.post("/exports", {"format": "har"})
    assert [entry["request"]["url"] for entry in har["log"]["entries"]] == [f"{host}/users" for host in HOSTS]
    assert all(f"GET {host}/users 200" in deck.stderr for host in HOSTS)


def test_a_verification_may_name_hosts(asked):
    _, admin, ask = asked
    for host in HOSTS:
        ask(f"{host}/users")
    expected = [{"path": "/users", "when": {"host": host}, "times": times} for host, times in [("a.test", 2), ("*:8443", 1), ("c.test", 0)]]
    assert admin.post("/verifications", {"requests": expected})["holds"]
    finding = admin.post("/verifications", {"requests": [{"path": "/users", "when": {"host": "c.test"}}]})["findings"][0]
    assert not finding["holds"] and finding["nearest"][0]["obstacle"] == "host is c.test"


def test_exports_know_the_origin_of_a_request_that_names_none(start, origin):
    """With --forward and --upstream, the log has requests of both kinds."""
    other = origin(lambda exchange: reply(b"other"))
    deck, admin = steered(start, "serve", "--forward", "--upstream", other.url, "--mode", "passthrough")
    fetch(deck.url, "/plain")
    subprocess.run(["curl", "-s", "--noproxy", "", "-x", deck.url, f"{other.url}/named"], check=True, capture_output=True, timeout=30)
    assert [entry.get("origin") for entry in admin.get("/requests")["entries"]] == [None, other.url]
    har = admin.post("/exports", {"format": "har"})
    assert [entry["request"]["url"] for entry in har["log"]["entries"]] == [f"{other.url}/plain", f"{other.url}/named"]


@pytest.mark.parametrize("host", ["https://a.test", "a/b", [], 1])
def test_what_is_no_host_is_refused(tmp_path, host):
    (tmp_path / "rules.json").write_text(json.dumps({"routes": [{"path": "/", "when": {"host": host}}]}))
    done = run("lint", "rules.json", cwd=tmp_path)
    assert done.returncode == 4 and "routes[0].when.host: must be a host like" in done.stdout + done.stderr
