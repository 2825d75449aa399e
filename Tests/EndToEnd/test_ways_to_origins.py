"""Ways to an origin that are not the direct one: a client certificate, an address of one's own, a proxy."""

import json
import shutil
import socket
import subprocess
import sys
import time

import pytest

from deck import interactions, run
from peers import openssl
from servers import Httpbin, Nginx, free_port
from wire import fetch

PASSWORD = "pr0xy-Pa55word"


@pytest.fixture(scope="module")
def mutual(servers, authority):
    """An nginx that asks its clients for a certificate of the authority."""
    ca, sign = authority
    known = f"""
      ssl_client_certificate {ca}; ssl_verify_client on;
      location / {{ return 200 "$ssl_client_s_dn\\n"; }}
    """
    return servers(Nginx, known, *sign("mutual", "DNS:mutual.test,IP:127.0.0.1"))


@pytest.fixture(scope="module")
def client(authority):
    """The certificate of a client, and its key."""
    return authority[1]("client", "DNS:client.test")


@pytest.fixture(scope="module")
def httpbin(servers):
    return servers(Httpbin)


def record_mutual(record, mutual, ca, *options):
    return record(mutual.url, "--cacert", ca, *options)


def test_an_origin_gets_the_clients_certificate(record, mutual, authority, client, cassette):
    certificate, key = client
    deck = record_mutual(record, mutual, authority[0], "--client-cert", certificate, "--client-key", key)
    assert fetch(deck.url, "/").body == b"CN=client\n"
    assert deck.stop() == 0
    assert "client.key" not in json.dumps(interactions(cassette))


def test_the_key_may_stand_in_the_file_of_the_certificate(record, mutual, authority, client, tmp_path):
    both = tmp_path / "both.pem"
    both.write_bytes(b"".join(path.read_bytes() for path in client))
    assert fetch(record_mutual(record, mutual, authority[0], "--client-cert", both).url, "/").status == 200


def test_without_a_certificate_the_origin_says_no(record, mutual, authority):
    assert fetch(record_mutual(record, mutual, authority[0]).url, "/").status == 400


def encrypted(key, folder):
    openssl("pkey", "-in", key, "-aes256", "-passout", "pass:" + PASSWORD, "-out", folder / "locked.key")
    return folder / "locked.key"


def another(key, folder):
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder / "other.key")
    return folder / "other.key"


@pytest.mark.parametrize("spoil", [encrypted, another])
def test_a_key_that_does_not_fit_is_told_and_nothing_waits_for_a_password(
        record, mutual, authority, client, tmp_path, cassette, spoil):
    key = spoil(client[1], tmp_path)
    deck = record_mutual(record, mutual, authority[0], "--client-cert", client[0], "--client-key", key)
    response = fetch(deck.url, "/")
    assert response.status == 502 and b"the client certificate could not be used" in response.body
    deck.stop()
    assert interactions(cassette) == {}


@pytest.mark.parametrize(("url", "options", "words"), [
    ("http://a.test", ["--client-cert", "/dev/null"], "needs an https:// upstream"),
    ("https://a.test", ["--client-key", "/dev/null"], "needs --client-cert"),
    ("https://a.test", ["--client-cert", "none.pem"], "none.pem"),
    ("https://a.test", ["--resolve", "a.test:443"], "HOST:PORT:ADDRESS"),
    ("https://a.test", ["--resolve", "a.test:443:b.test"], "HOST:PORT:ADDRESS"),
    ("https://a.test", ["--resolve", "a.test:443:127.0.0.1,"], "HOST:PORT:ADDRESS"),
    ("https://a.test", ["--resolve", "b.test:443:127.0.0.1"], "not about the origin, which is a.test:443"),
    ("https://a.test", ["--resolve", "a.test:80:127.0.0.1"], "not about the origin, which is a.test:443"),
    ("https://a.test", ["--upstream-proxy", "ftp://a"], "--upstream-proxy takes env or a URL"),
    ("https://a.test", ["--upstream-proxy", f"me:{PASSWORD}@a:1"], "--upstream-proxy takes env or a URL"),
    ("https://a.test", ["--upstream-proxy", "http://me@"], "--upstream-proxy takes env or a URL"),
])
def test_a_way_that_leads_nowhere_is_refused_at_the_start(cassette, url, options, words):
    result = run("record", "--upstream", url, "--cassette", cassette, "--port", "0", *options)
    assert result.returncode in (1, 2), result.stderr
    assert words in result.stderr and PASSWORD not in result.stderr


def test_the_origins_name_may_have_an_address_of_ones_own(record, mutual, authority, client, cassette):
    name = f"mutual.test:{mutual.port}"
    deck = record(
        f"https://{name}", "--cacert", authority[0], "--client-cert", client[0], "--client-key", client[1],
        "--resolve", f"{name}:127.0.0.1")
    assert fetch(deck.url, "/").status == 200
    assert deck.stop() == 0
    assert json.loads((cassette / "cassette.json").read_text())["upstream"] == f"https://{name}"


# -- Proxies

class Way:
    """A real proxy on a port of its own."""

    def __init__(self, scheme: str, command: list, port: int, log):
        self.scheme, self.port, self.log = scheme, port, log
        with log.open("wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                time.sleep(0.05)
        raise AssertionError(log.read_text())

    def url(self, password: str = PASSWORD) -> str:
        return f"{self.scheme}://me:{password}@127.0.0.1:{self.port}"


def tinyproxy(folder, port: int) -> Way:
    configuration = folder / "tinyproxy.conf"
    configuration.write_text(
        f"Port {port}\nListen 127.0.0.1\nTimeout 60\nLogLevel Connect\nBasicAuth me {PASSWORD}\n")
    return Way("http", [shutil.which("tinyproxy", path="/usr/bin:/usr/sbin"), "-d", "-c", configuration], port, folder / "log")


def microsocks(folder, port: int) -> Way:
    return Way(
        "socks5h", ["microsocks", "-i", "127.0.0.1", "-p", str(port), "-u", "me", "-P", PASSWORD], port, folder / "log")


@pytest.fixture(params=[tinyproxy, microsocks])
def way(request, tmp_path):
    way = request.param(tmp_path, free_port())
    yield way
    way.process.terminate()
    way.process.wait(10)


def leaked(deck, cassette) -> list[str]:
    places = [str(path) for path in cassette.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()]
    return places + (["the terminal"] if PASSWORD in deck.stderr else [])


def test_an_origin_is_reached_through_a_proxy(record, way, httpbin, cassette):
    deck = record(httpbin.url, "--upstream-proxy", way.url())
    response = fetch(deck.url, "/headers")
    assert response.status == 200 and b"Proxy-" not in response.body and PASSWORD.encode() not in response.body
    assert deck.stop() == 0
    assert str(httpbin.port) in way.log.read_text() or way.scheme != "http"
    assert leaked(deck, cassette) == []


def test_a_proxy_that_refuses_us_is_told_without_its_password(record, way, httpbin, cassette):
    deck = record(httpbin.url, "--upstream-proxy", way.url(PASSWORD + "-not"))
    response = fetch(deck.url, "/headers")
    assert response.status == 502 and PASSWORD.encode() not in response.body
    deck.stop()
    assert interactions(cassette) == {} and leaked(deck, cassette) == []


def test_a_proxy_named_here_goes_before_that_of_the_environment(record, httpbin):
    deck = record(httpbin.url, "--upstream-proxy", "http://127.0.0.1:9", env={"no_proxy": "*", "http_proxy": httpbin.url})
    assert fetch(deck.url, "/headers").status == 502


def test_verify_shows_the_certificate_only_to_an_origin_of_the_command_line(record, mutual, authority, client, cassette):
    options = ["--cacert", authority[0], "--client-cert", client[0], "--client-key", client[1]]
    deck = record(mutual.url, *options)
    assert fetch(deck.url, "/").status == 200
    assert deck.stop() == 0
    result = run("verify", cassette, *options)
    assert result.returncode == 2 and f"give --upstream {mutual.url}" in result.stderr
    assert run("verify", cassette, *options, "--upstream", mutual.url).returncode == 0


# -- Unix sockets

@pytest.fixture(scope="module")
def unix(tmp_path_factory):
    """httpbin behind a unix socket, as Docker's API is."""
    path = tmp_path_factory.mktemp("unix") / "httpbin.sock"
    command = [sys.executable, "-m", "gunicorn", "--bind", f"unix:{path}", "--no-control-socket", "httpbin:app"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        for _ in range(200):
            if path.exists():
                break
            time.sleep(0.05)
        yield path
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("spelling", ["http+unix://{}", "http+unix://{quoted}", "HTTP+UNIX://{quoted}/"])
def test_an_origin_may_listen_on_a_unix_socket(start, record, unix, cassette, spelling):
    url = spelling.format(unix, quoted=str(unix).replace("/", "%2F"))
    deck = record(url)
    response = fetch(deck.url, "/get?a=1")
    assert response.status == 200 and json.loads(response.body)["headers"]["Host"] == "localhost"
    moved = fetch(deck.url, "/redirect-to?url=http%3A%2F%2Flocalhost%2Fget&status_code=302", b"Host: proxy.test")
    assert moved.value(b"Location") == b"http://proxy.test/get"
    assert deck.stop() == 0, deck.stderr
    upstream = json.loads((cassette / "cassette.json").read_text())["upstream"]
    assert upstream == "http+unix://" + str(unix).replace("/", "%2F")
    assert fetch(start("replay", "--cassette", cassette).url, "/get?a=1").body == response.body
    assert run("verify", cassette).returncode == 0
    har = json.loads(run("export", cassette, "--format", "har").stdout)
    assert har["log"]["entries"][0]["request"]["url"].startswith("http://localhost/")


def test_a_path_prefix_follows_an_encoded_socket(record, unix):
    deck = record("http+unix://" + str(unix).replace("/", "%2F") + "/anything")
    assert json.loads(fetch(deck.url, "/v1").body)["url"] == "http://localhost/anything/v1"


@pytest.mark.parametrize("url", ["http+unix://", "http+unix://run%2Fdocker.sock", "http+unix:///a?b", "http+unix:///" + "a" * 108])
def test_what_is_no_path_of_a_socket_is_refused(cassette, url):
    result = run("record", "--upstream", url, "--cassette", cassette, "--port", "0")
    assert result.returncode == 2 and "absolute path of a unix socket" in result.stderr


def test_a_socket_that_nobody_listens_on_is_told(record, tmp_path):
    response = fetch(record(f"http+unix://{tmp_path}/none.sock").url, "/")
    assert response.status == 502 and b"none.sock" in response.body
