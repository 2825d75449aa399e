"""`tapedeck run` before any host: what its command's environment is, what stays the command's own, and what is told."""

import json
import shutil
import signal
import subprocess
import sys
from datetime import datetime, timedelta, timezone

import pytest

from deck import CLEAN, binary, eventually
from forward import run_command, temporary_folders
from peers import openssl
from servers import Nginx

SECRET = "sk-live-4eC39HqLyjWDarjtT1zdp7dcTYooMQau"
CURL = ["curl", "-sS", "--max-time", "20"]


@pytest.fixture(scope="module")
def secure(servers, authority):
    """An origin by HTTPS, under any name of example.test."""
    certificate = authority[1]("secure", "DNS:*.example.test,DNS:localhost,IP:127.0.0.1")
    return servers(Nginx, 'location / { return 200 "$http_host $request_uri $http_proxy_authorization\\n"; }', *certificate)


@pytest.fixture
def forward(cassette, authority, secure, tmp_path):
    """Runs a command with the origin's names known, and its authority trusted."""
    (tmp_path / "temporary").mkdir()

    def forward(*command, options=(), env=None):
        names = [
            word for name in ("api", "other", "pinned")
            for word in ("--resolve", f"{name}.example.test:{secure.port}:127.0.0.1")]
        return run_command(
            command, "--cacert", authority[0], *names, *options, cassette=cassette, cwd=tmp_path,
            env={"TMPDIR": str(tmp_path / "temporary"), **(env or {})})

    return forward


def url(secure, path: str = "/", name: str = "api") -> str:
    return f"https://{name}.example.test:{secure.port}{path}"


def all_text(cassette) -> str:
    return "".join(path.read_text(errors="replace") for path in cassette.rglob("*") if path.is_file())


# -- One host, and none

def test_a_run_that_met_one_host_is_repeated_offline(forward, secure, cassette):
    first = forward(*CURL, url(secure, "/once"))
    assert (first.code, first.count("recorded")) == (0, 1), first.log
    manifest = json.loads((cassette / "cassette.json").read_text())
    assert manifest["tapedeck"] == 2 and manifest["origins"] == [url(secure, "")], "one origin is several"
    again = forward(*CURL, url(secure, "/once"))
    assert (again.code, again.output) == (0, first.output), again.log
    assert again.count("upstream connections? opened") == 0
    other = forward(*CURL, url(secure, "/once", "other"))
    assert other.code == 3 and other.count("upstream connections? opened") == 0, other.log


def test_a_run_that_met_no_host_says_so_and_the_next_one_records(forward, secure, cassette):
    first = forward("true")
    assert first.code == 0
    assert "no request of the command was served" in first.log, first.log
    assert all(reason in first.log for reason in ("proxy variables", "this machine", "asks nobody")), first.log
    second = forward(*CURL, url(secure))
    assert (second.code, second.count("recorded")) == (0, 1), second.log
    assert "no request of the command" not in second.log


def test_a_client_that_reads_no_variables_goes_its_own_way_and_that_is_said(forward, secure):
    alone = f"""
import aiohttp, asyncio
async def ask():
    async with aiohttp.ClientSession() as session:
        await session.get({url(secure)!r})
asyncio.run(ask())
"""
    ran = forward(sys.executable, "-c", alone)
    assert ran.code == 1 and "Cannot connect to host api.example.test" in ran.log
    assert "no request of the command was served" in ran.log, ran.log


# -- What stays the command's own

LOCAL = f"""
import os, threading, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"own")
    def log_message(self, *_): pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for host in ("localhost", "127.0.0.1"):
    print(urllib.request.urlopen(f"http://{{host}}:{{server.server_port}}/", timeout=20).read())
"""


def test_a_server_that_the_command_starts_is_its_own(forward, cassette):
    for _ in range(2):
        ran = forward(sys.executable, "-c", LOCAL)
        assert ran.output == "b'own'\n" * 2 and ran.code == 0, ran.log
        assert ran.count("recorded") == 0 and ran.count("replayed") == 0


def test_proxy_localhost_takes_this_machine_in(forward, secure):
    local = f"https://localhost:{secure.port}/local"
    first = forward(*CURL, local, options=["--proxy-localhost"])
    assert (first.code, first.count("recorded")) == (0, 1), first.log
    again = forward(*CURL, local, options=["--proxy-localhost"])
    assert (again.output, again.count("replayed")) == (first.output, 1), again.log


@pytest.mark.parametrize("client", ["node-https", "java", "curl"])
def test_proxy_localhost_holds_for_every_client(forward, secure, client, tmp_path):
    local = f"https://localhost:{secure.port}/local"
    node = f"fetch({local!r}).then(r => r.text()).then(console.log)"
    (tmp_path / "Main.java").write_text("""
      import java.net.URI; import java.net.http.*;
      public class Main { public static void main(String[] a) throws Exception {
        System.out.print(HttpClient.newHttpClient().send(
          HttpRequest.newBuilder(URI.create(a[0])).build(), HttpResponse.BodyHandlers.ofString()).body()); } }""")
    command = {"node-https": ["node", "-e", node], "java": ["java", "Main.java", local], "curl": [*CURL, local]}[client]
    ran = forward(*command, options=["--proxy-localhost"])
    assert (ran.code, ran.count("recorded")) == (0, 1), ran.log
    assert "/local" in ran.output


# -- The environment

def environment_of(ran) -> dict[str, str]:
    return dict(line.split("=", 1) for line in ran.output.splitlines() if "=" in line)


def test_a_users_own_settings_are_kept(forward, tmp_path, authority):
    (tmp_path / "own.cjs").write_text("")
    own = {
        "NO_PROXY": "internal.test,.corp.test", "NODE_OPTIONS": "--no-deprecation", "JAVA_TOOL_OPTIONS": "-Xmx77m",
        "NODE_EXTRA_CA_CERTS": str(authority[0])}
    seen = environment_of(forward("env", env=own))
    for name in ("NO_PROXY", "no_proxy"):
        assert seen[name] == "internal.test,.corp.test,localhost,127.0.0.1,::1"
    assert seen["NODE_OPTIONS"].startswith("--no-deprecation --require=")
    assert seen["JAVA_TOOL_OPTIONS"].startswith("-Xmx77m -D")
    assert "nonProxyHosts=internal.test|*.internal.test|corp.test|*.corp.test|localhost" in seen["JAVA_TOOL_OPTIONS"]


def test_what_the_user_trusts_is_still_trusted(forward, authority):
    show = [sys.executable, "-c", "import os; print(open(os.environ['SSL_CERT_FILE']).read())"]
    own = authority[0].read_text().strip()
    assert own not in forward(*show).output
    assert own in forward(*show, env={"NODE_EXTRA_CA_CERTS": str(authority[0])}).output


def test_a_temporary_folder_with_a_blank_in_its_name_troubles_nobody(forward, secure, tmp_path):
    blank = tmp_path / "with a blank"
    blank.mkdir()
    ran = forward("node", "-e", f"fetch({url(secure)!r}).then(r => r.text()).then(console.log)", env={"TMPDIR": str(blank)})
    assert (ran.code, ran.count("recorded")) == (0, 1), ran.log
    version = forward("java", "-version", env={"TMPDIR": str(blank)})
    assert version.code == 0, version.log


def test_a_variable_of_trust_that_leads_nowhere_is_said_and_not_followed(tmp_path, cassette):
    ran = run_command(["true"], cassette=cassette, cwd=tmp_path, env={"SSL_CERT_FILE": "/nonexistent.pem"})
    assert ran.code == 0 and "SSL_CERT_FILE names /nonexistent.pem, which cannot be read" in ran.log, ran.log


@pytest.mark.parametrize(("options", "words"), [
    (["--cacert", "/nonexistent.pem"], "/nonexistent.pem cannot be read"),
    (["--resolve", "a.test:443"], "HOST:PORT:ADDRESS"),
    (["--upstream-proxy", "ftp://a"], "--upstream-proxy takes env or a URL"),
    (["--client-key", "/dev/null"], "needs --client-cert")])
def test_a_way_that_leads_to_no_host_is_refused_at_the_start(tmp_path, cassette, options, words):
    ran = run_command(["touch", "started"], *options, cassette=cassette, cwd=tmp_path)
    assert ran.code in (1, 2) and words in ran.log, ran.log
    assert not (tmp_path / "started").exists()


def test_a_proxy_of_the_environment_is_not_left_out_in_silence(forward, secure):
    env = {"https_proxy": "http://me:pr0xy-Pa55@127.0.0.1:9"}
    ran = forward(*CURL, url(secure), env=env)
    assert (ran.code, ran.count("recorded")) == (0, 1) and "--upstream-proxy env" in ran.log, ran.log
    assert "Pa55" not in ran.log
    assert "--upstream-proxy" not in forward(*CURL, url(secure), options=["--mode", "none"], env=env).log


# -- The temporary folder

def test_nothing_is_left_in_the_temporary_folder(forward, secure, tmp_path):
    seen = forward("sh", "-c", 'ls -ld "$(dirname "$SSL_CERT_FILE")"; ls -l "$(dirname "$SSL_CERT_FILE")"')
    assert seen.output.startswith("drwx------"), seen.output
    assert all(line.startswith("-rw-------") for line in seen.output.splitlines()[2:]), seen.output
    assert "PRIVATE" not in forward("sh", "-c", 'cat "$(dirname "$SSL_CERT_FILE")"/*').output
    assert temporary_folders(tmp_path / "temporary") == []


def test_it_goes_when_the_command_is_killed(forward, tmp_path):
    assert forward("sh", "-c", "kill -TERM $$").code == 128 + signal.SIGTERM
    assert forward("sh", "-c", "kill -KILL $$").code == 128 + signal.SIGKILL
    assert temporary_folders(tmp_path / "temporary") == []


def test_it_goes_when_the_command_does_not_start(forward, tmp_path):
    assert forward("no-such-command").code == 127
    assert temporary_folders(tmp_path / "temporary") == []


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_goes_when_tapedeck_gets_a_signal(cassette, tmp_path, with_signal):
    process = subprocess.Popen(
        [binary(), "run", "--cassette", cassette, "--", "sh", "-c", "touch started; exec sleep 60"], cwd=tmp_path,
        env={**CLEAN, "TMPDIR": str(tmp_path)}, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: (tmp_path / "started").exists(), "the command runs")
        assert len(temporary_folders(tmp_path)) == 1
        process.send_signal(with_signal)
        assert process.wait(20) == 128 + with_signal
    finally:
        process.kill()
        process.wait()
    assert temporary_folders(tmp_path) == []


# -- Clients that do not trust, and hosts that are let alone

def test_a_client_that_does_not_trust_the_authority_is_told_of_once(forward, secure, authority):
    twice = f"curl -sS --cacert {authority[0]} {url(secure)}; curl -sS --cacert {authority[0]} {url(secure)}"
    ran = forward("sh", "-c", twice)
    assert ran.code == 60
    told = [line for line in ran.log.splitlines() if "does not trust the certificate" in line]
    assert len(told) == 1 and "api.example.test" in told[0], ran.log
    assert ran.count("recorded") == 0


def test_an_ignored_host_passes_unread_and_is_refused_offline(forward, secure, authority):
    pinned = f"curl -sS --cacert {authority[0]} {url(secure, '/pinned', 'pinned')}"
    options = ["--ignore-hosts", "pinned.example.test"]
    first = forward("sh", "-c", f"{pinned}; curl -sS {url(secure)}", options=options)
    assert first.code == 0 and "/pinned" in first.output, first.log
    assert first.count("recorded") == 1
    assert "pinned.example.test" in first.log, "the summary names what passed unread"
    again = forward("sh", "-c", f"curl -sS {url(secure)}; {pinned}", options=options)
    assert again.code == 56, again.log
    assert again.count("replayed") == 1 and again.count("upstream connections? opened") == 0
    told = [line for line in again.log.splitlines() if "pinned.example.test" in line]
    assert told and any("--ignore-hosts" in line or "--allow-hosts" in line for line in told), again.log


# -- Secrets

def test_secrets_in_urls_of_https_are_in_neither_cassette_nor_log(forward, secure, cassette):
    first = forward(*CURL, url(secure, f"/v1?api_key={SECRET}"), options=["--log-format", "text"])
    assert first.code == 0 and SECRET in first.output
    assert SECRET not in all_text(cassette) and SECRET not in first.log, first.log
    again = forward(*CURL, url(secure, f"/v1?api_key={SECRET}"), options=["--log-format", "json"])
    assert again.count("replayed") == 1 and SECRET not in again.log
    missed = forward(*CURL, url(secure, f"/v2?api_key={SECRET}"))
    assert missed.code == 3 and SECRET not in missed.log, missed.log


def test_the_proxys_password_reaches_no_origin_and_no_cassette(forward, secure, cassette):
    options = ["--proxy-auth", "me:pr0xy-Pa55%/word"]
    for _ in range(2):
        ran = forward(*CURL, url(secure, "/with"), options=options)
        assert ran.code == 0 and ran.output == f"api.example.test:{secure.port} /with \n", ran.log
        assert "Pa55" not in all_text(cassette) + ran.log
    direct = forward("sh", "-c", f"https_proxy=http://${{https_proxy#*@}} curl -sS {url(secure)}", options=options)
    assert direct.code == 56 and "407" in direct.log, direct.log


@pytest.mark.parametrize("name", ["requests", "node"])
def test_clients_authenticate_themselves_to_the_proxy(forward, secure, name):
    command = {
        "requests": [sys.executable, "-c", f"import requests; print(requests.get({url(secure)!r}, timeout=20).text)"],
        "node": ["node", "-e", f"fetch({url(secure)!r}).then(r => r.text()).then(console.log)"]}[name]
    ran = forward(*command, options=["--proxy-auth", "me:pr0xy-Pa55%/word"])
    assert (ran.code, ran.count("recorded")) == (0, 1), ran.log


# -- Certificates of origins

@pytest.fixture(scope="module")
def expired(authority, tmp_path_factory):
    """A certificate of the authority whose time is over."""
    folder = tmp_path_factory.mktemp("expired")
    ca = authority[0]
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=expired",
            "-keyout", folder / "key", "-out", folder / "csr")
    (folder / "ext").write_text("subjectAltName=DNS:api.example.test")
    began = datetime.now(timezone.utc) - timedelta(days=5)
    subprocess.run(
        [shutil.which("faketime"), began.strftime("%Y-%m-%d %H:%M:%S"), "openssl", "x509", "-req", "-in", folder / "csr",
         "-CA", ca, "-CAkey", ca.with_suffix(".key"), "-CAcreateserial", "-days", "2", "-extfile", folder / "ext",
         "-out", folder / "pem"], check=True, capture_output=True, timeout=30)
    return folder / "pem", folder / "key"


@pytest.fixture(scope="module")
def self_signed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("self-signed")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=api.example.test", "-addext", "subjectAltName=DNS:api.example.test",
            "-keyout", folder / "key", "-out", folder / "pem")
    return folder / "pem", folder / "key"


@pytest.mark.parametrize(("kind", "words"), [
    ("expired", "expired"), ("another", "not valid for the host name"), ("self-signed", "self-signed"),
    ("unknown", "--cacert")])
def test_a_bad_certificate_of_an_origin_is_a_502_inside_of_tls(
        request, authority, cassette, tmp_path, kind, words):
    makers = {
        "expired": lambda: request.getfixturevalue("expired"), "self-signed": lambda: request.getfixturevalue("self_signed"),
        "another": lambda: authority[1]("another", "DNS:elsewhere.test"),
        "unknown": lambda: authority[1]("unknown", "DNS:api.example.test")}
    origin = Nginx(tmp_path / "origin", 'location / { return 200 "reached\\n"; }', *makers[kind]())
    try:
        trust = [] if kind == "unknown" else ["--cacert", authority[0]]
        ran = run_command(
            [*CURL, "-w", "%{http_code} %{ssl_verify_result}\n", f"https://api.example.test:{origin.port}/"], *trust,
            "--resolve", f"api.example.test:{origin.port}:127.0.0.1", cassette=cassette)
    finally:
        origin.stop()
    body, _, end = ran.output.rpartition("\n")[0].rpartition("}")
    assert "502 0" in ran.output and "reached" not in ran.output, ran.output
    assert "api.example.test" in ran.output and words in ran.output.lower(), ran.output
    assert words in ran.log.lower() and ran.count("recorded") == 0, ran.log
    assert not cassette.exists() or not list(cassette.rglob("get-*.json"))


# -- URLSession

SWIFT = """
import Foundation
import FoundationNetworking
do {
  let (data, _) = try await URLSession.shared.data(from: URL(string: CommandLine.arguments[1])!)
  print(String(decoding: data, as: UTF8.self))
} catch {
  exit(1)
}
"""


def test_swifts_urlsession_reads_the_proxy_and_no_variable_of_trust(forward, secure, mirror, tmp_path):
    (tmp_path / "main.swift").write_text(SWIFT)
    subprocess.run(
        ["swiftc", "main.swift", "-o", "ask"], cwd=tmp_path, env={**CLEAN, "TMPDIR": str(tmp_path)}, check=True,
        capture_output=True, timeout=120)
    plain = f"other.example.test:{mirror.port}"
    ran = forward(tmp_path / "ask", f"http://{plain}/plain", options=["--resolve", f"{plain}:127.0.0.1"])
    assert (ran.code, ran.output.strip(), ran.count("recorded")) == (0, "/plain", 1), ran.log
    refused = forward(tmp_path / "ask", url(secure))
    assert refused.code == 1 and "a client does not trust the certificate for api.example.test" in refused.log, refused.log
