"""A forward proxy: any host, through absolute-form requests and CONNECT, TLS inside of it opened and bad input refused."""

import base64
import http.client
import json
import os
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deck import eventually, log_lines, run
from origin import reply
from servers import Nginx
from wire import fetch

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
HOSTS = [f"api{number}.one.test" for number in range(20)]
CLIENTS = 64
TOLD = 20_000 if LONG else 2_000


@pytest.fixture
def home(tmp_path):
    """A user's data folder with an authority in it."""
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert run("ca", "create", env=env).returncode == 0
    return env


@pytest.fixture
def trust(home):
    return ssl.create_default_context(cafile=run("ca", "path", env=home).stdout.strip())


@pytest.fixture
def hosts(servers, authority):
    """One nginx that is every host, over TLS, and the options by which it is reached."""
    ca, sign = authority
    certificate, key = sign("hosts", ",".join(f"DNS:{host}" for host in HOSTS))
    nginx = servers(Nginx, 'location / { return 200 "$host $request_uri\\n"; }', certificate, key)
    port = urlsplit(nginx.url).port
    resolve = [word for host in HOSTS for word in ("--resolve", f"{host}:{port}:127.0.0.1")]
    return port, ["--cacert", ca, *resolve]


def address(deck) -> tuple[str, int]:
    url = urlsplit(deck.url)
    return url.hostname, url.port


def through(deck, url, *options):
    """The status and the body that curl gets for a URL through the proxy."""
    done = subprocess.run(
        ["curl", "-sS", "--noproxy", "", "-x", deck.url, *options, "-w", "\n%{http_code}", url],
        capture_output=True, text=True, timeout=60)
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def connect(deck, target: bytes, *fields: bytes) -> tuple[int, bytes]:
    """The status and the body of the response to CONNECT."""
    with socket.create_connection(address(deck), timeout=20) as line:
        lines = [b"CONNECT " + target + b" HTTP/1.1", b"Host: " + target, *fields]
        line.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
        response = http.client.HTTPResponse(line, method="GET")
        response.begin()
        return response.status, b"" if response.status == 200 else response.read()


class Asking:
    """Clients that ask many hosts through tunnels, and note each response that they received whole."""

    def __init__(self, deck, port: int, trust, limit: int):
        self.told: list[tuple[str, str]] = []
        self.crossed: list[tuple[str, bytes]] = []
        self.limit = limit
        self._lock = threading.Lock()
        self._address, self._port, self._trust = address(deck), port, trust
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _ask(self, client: int) -> None:
        lines = {}
        try:
            for nth in range(self.limit // CLIENTS + 1):
                host, target = HOSTS[(client + nth) % len(HOSTS)], f"/c{client}/{nth}"
                if host not in lines:
                    lines[host] = http.client.HTTPSConnection(*self._address, context=self._trust, timeout=60)
                    lines[host].set_tunnel(host, self._port)
                lines[host].request("GET", target)
                body = lines[host].getresponse().read()
                with self._lock:
                    self.told.append((host, target))
                    if body != f"{host} {target}\n".encode():
                        self.crossed.append((f"{host} {target}", body))
        except (OSError, http.client.HTTPException):
            pass
        finally:
            for line in lines.values():
                line.close()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(300)


def assert_replays(deck, port: int, trust, told) -> None:
    """Asks again for all that was told, by host."""
    for host in HOSTS:
        line = http.client.HTTPSConnection(*address(deck), context=trust, timeout=60)
        line.set_tunnel(host, port)
        for target in (target for asked, target in told if asked == host):
            line.request("GET", target)
            response = line.getresponse()
            assert (response.status, response.read()) == (200, f"{host} {target}\n".encode())
        line.close()


def test_64_clients_of_20_intercepted_hosts_cross_nothing(start, home, trust, hosts, cassette, figure):
    port, reaching = hosts
    deck = start("record", "--forward", "--cassette", cassette, "--quiet", *reaching, env=home)
    asking = Asking(deck, port, trust, TOLD)
    asking.join()
    assert len(asking.told) >= TOLD and asking.crossed == []
    assert deck.stop() == 0
    files = {path.parent.name for path in cassette.glob("*/get-*.json")}
    assert files == {f"{host}_{port}" for host in HOSTS}
    assert len(list(cassette.glob("*/get-*.json"))) == len(asking.told)
    replay = start("replay", "--cassette", cassette, "--quiet", env=home)
    assert_replays(replay, port, trust, asking.told)
    assert replay.stop() == 0
    figure("interactions of 20 intercepted hosts recorded by 64 clients, none crossed", len(asking.told))


@pytest.mark.parametrize("round", range(20 if LONG else 3))
def test_kill_9_loses_nothing_that_a_client_of_a_tunnel_was_told(start, home, trust, hosts, cassette, round):
    port, reaching = hosts
    deck = start("record", "--forward", "--cassette", cassette, "--quiet", *reaching, env=home)
    asking = Asking(deck, port, trust, 100_000)
    eventually(lambda: len(asking.told) >= 300 + 37 * round, "enough was told", 120)
    deck.kill()
    asking.join()
    assert asking.crossed == []
    replay = start("replay", "--cassette", cassette, "--quiet", env=home)
    assert_replays(replay, port, trust, asking.told)
    assert replay.stop() == 0


def test_a_host_that_is_not_intercepted_passes_unread_and_is_refused_offline(start, hosts, cassette, authority, home):
    port, reaching = hosts
    ca, _ = authority
    options = ["--cacert", str(ca), f"https://{HOSTS[0]}:{port}/pinned"]
    # Tunnelled, the client resolves nothing and sees the origin's own certificate.
    deck = start("record", "--forward", "--cassette", cassette, "--ignore-hosts", "*.one.test", *reaching, env=home)
    assert through(deck, options[-1], *options[:-1]) == (200, f"{HOSTS[0]} /pinned\n")
    assert deck.stop() == 0
    assert log_lines(deck, "passed unread", f"{HOSTS[0]}:{port}")
    assert not list(cassette.glob("*/*.json"))

    deck = start("serve", "--forward", "--mode", "none", "--ignore-hosts", "*.one.test", env=home)
    status, body = connect(deck, f"{HOSTS[0]}:{port}".encode())
    assert status == 403 and "--ignore-hosts" in json.loads(body)["detail"]


def test_a_client_must_authenticate_itself_where_it_is_asked_to(start, origin):
    upstream = origin(lambda exchange: reply(exchange.request.value(b"Proxy-Authorization") or b"none"))
    deck = start("serve", "--forward", "--proxy-auth", "ann:secret:word")
    assert through(deck, f"{upstream.url}/a")[0] == 407
    assert through(deck, f"{upstream.url}/a", "--proxy-user", "ann:secret")[0] == 407
    assert through(deck, f"{upstream.url}/a", "--proxy-user", "bob:secret:word")[0] == 407
    assert through(deck, f"{upstream.url}/a", "--proxy-user", "ann:secret:word") == (200, "none")
    # Inside a tunnel the credentials of CONNECT count.
    assert through(deck, f"{upstream.url}/a", "-p", "--proxy-user", "ann:secret:word") == (200, "none")
    assert connect(deck, upstream.authority.encode())[0] == 407
    assert "secret:word" not in deck.stderr


def test_the_user_of_a_tunnel_names_its_session(start, origin, cassette):
    upstream = origin(lambda exchange: reply(b"origin"))
    deck = start("serve", "--forward", "--session-user", "--proxy-auth", "any:key")
    for user in ["one", "two"]:
        assert through(deck, f"{upstream.url}/a", "-p", "--proxy-user", f"{user}:key") == (200, "origin")
    assert connect(deck, upstream.authority.encode(), b"Proxy-Authorization: Basic " + base64.b64encode(b"one:no"))[0] == 407


@pytest.mark.parametrize("target", [
    "169.254.169.254:80", "metadata.google.internal:80", "[fe80::1]:443", "[::ffff:169.254.169.254]:80", "0xA9FEA9FE:80",
    "2852039166:80",
])
def test_link_local_addresses_and_metadata_services_are_refused(start, target):
    deck = start("serve", "--forward")
    status, body = connect(deck, target.encode())
    if status == 200:
        # What only the resolver can tell is refused when it is connected to.
        status, body = through(deck, f"http://{target}/latest/meta-data/")
        body = body.encode()
    assert status == 403, body
    assert "link-local" in json.loads(body)["detail"]


def test_the_proxy_and_its_admin_api_cannot_be_reached_through_it(start, tmp_path):
    ready = tmp_path / "admin"
    deck = start("serve", "--forward", "--admin-port", "0", "--admin-ready-file", ready)
    admin = urlsplit(eventually(lambda: ready.exists() and ready.read_text(), "the admin API listens").strip())
    assert connect(deck, deck.authority)[0] == 403
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1"]:
        status, body = through(deck, f"http://{host}:{admin.port}/v1/health")
        assert status in (403, 502), (host, status, body)
    assert through(deck, f"{deck.url}/x")[0] == 400


def test_the_authority_and_a_pac_file_are_public_on_the_admin_listener(start, tmp_path, home):
    ready = tmp_path / "admin"
    deck = start("serve", "--forward", "--admin-port", "0", "--admin-ready-file", ready, env=home)
    admin = eventually(lambda: ready.exists() and ready.read_text(), "the admin API listens").strip().removesuffix("/v1")
    certificate = fetch(admin, b"/ca.pem")
    assert certificate.body.decode() == Path(run("ca", "path", env=home).stdout.strip()).read_text()
    assert b"PRIVATE" not in certificate.body
    script = fetch(admin, b"/proxy.pac")
    assert script.value(b"Content-Type") == b"application/x-ns-proxy-autoconfig"
    assert b"PROXY " + deck.authority in script.body
    reverse = start("serve", "--admin-port", "0", "--admin-ready-file", tmp_path / "reverse")
    url = (tmp_path / "reverse").read_text().strip().removesuffix("/v1")
    assert fetch(url, b"/ca.pem").status == 404
    assert reverse.stop() == 0


@pytest.mark.parametrize("options", [[], ["--allow-hosts", "*.example.com"], ["--proxy-auth", "a:b"]])
def test_a_forward_proxy_that_others_reach_demands_hosts_and_credentials(options):
    done = run("serve", "--forward", "--listen", "0.0.0.0:0", *options)
    assert done.returncode == 2 and "--allow-hosts" in done.stderr and "--proxy-auth" in done.stderr


def test_beyond_loopback_a_name_that_leads_to_loopback_is_refused(start, origin):
    upstream = origin(lambda exchange: reply(b"secret"))
    port = urlsplit(upstream.url).port
    deck = start(
        "serve", "--forward", "--listen", "0.0.0.0:0", "--allow-hosts", "*.one.test", "--proxy-auth", "a:b",
        "--resolve", f"inside.one.test:{port}:127.0.0.1")
    listener = f"http://127.0.0.1:{urlsplit(deck.url).port}"
    done = subprocess.run(
        ["curl", "-sS", "-x", listener, "--proxy-user", "a:b", "-w", "%{http_code}", f"http://inside.one.test:{port}/"],
        capture_output=True, text=True)
    assert done.stdout.endswith("403") and "loopback" in done.stdout
    assert upstream.requests == []


@pytest.mark.parametrize("request_bytes, status", [
    (b"CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\nContent-Length: 5\r\n\r\nhello", 400),
    (b"CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    (b"CONNECT a.test HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
    (b"CONNECT http://a.test:80/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
    (b"CONNECT user@a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
    (b"CONNECT a.test:99999 HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
    (b"CONNECT /path HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
    (b"GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
    (b"GET http://user:pw@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
])
def test_malformed_requests_for_other_hosts_are_refused(start, request_bytes, status):
    deck = start("serve", "--forward")
    with socket.create_connection(address(deck), timeout=20) as line:
        line.sendall(request_bytes)
        assert line.recv(65536).startswith(b"HTTP/1.1 %d " % status)


def test_a_tunnel_inside_of_a_tunnel_is_refused(start):
    deck = start("serve", "--forward")
    with socket.create_connection(address(deck), timeout=20) as line:
        head = b"CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n"
        line.sendall(head)
        assert line.recv(65536).startswith(b"HTTP/1.1 200 ")
        line.sendall(head)
        assert line.recv(65536).startswith(b"HTTP/1.1 501 ")


def test_a_tunnel_that_never_speaks_is_closed(start):
    deck = start("serve", "--forward", "--idle-timeout", "1", "--head-timeout", "1")
    with socket.create_connection(address(deck), timeout=20) as line:
        line.sendall(b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        assert line.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert line.recv(65536) == b""


def test_a_tunnel_carries_any_protocol_with_back_pressure(start):
    """20 MB each way through an unread tunnel to an echo server that reads slowly at first."""
    listener = socket.create_server(("127.0.0.1", 0))
    size = 20_000_000

    def echo():
        line, _ = listener.accept()
        with line:
            while piece := line.recv(65536):
                line.sendall(piece)

    threading.Thread(target=echo, daemon=True).start()
    port = listener.getsockname()[1]
    deck = start("serve", "--forward", "--ignore-hosts", "127.0.0.1")
    with socket.create_connection(address(deck), timeout=60) as line:
        line.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % port)
        assert line.recv(65536).startswith(b"HTTP/1.1 200 ")
        data = os.urandom(1_000_000) * (size // 1_000_000)
        sender = threading.Thread(target=lambda: (line.sendall(data), line.shutdown(socket.SHUT_WR)))
        sender.start()
        got = bytearray()
        while piece := line.recv(1 << 20):
            got += piece
        sender.join()
    assert bytes(got) == data
    assert deck.mebibytes("VmHWM") < 200
    listener.close()


def test_a_client_that_finishes_before_its_tunnel_is_open_is_heard(start):
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        line, _ = listener.accept()
        with line:
            while line.recv(65536):
                pass
            line.sendall(b"bye")

    threading.Thread(target=answer, daemon=True).start()
    port = listener.getsockname()[1]
    deck = start("serve", "--forward", "--ignore-hosts", "127.0.0.1")
    with socket.create_connection(address(deck), timeout=20) as line:
        line.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % port)
        line.shutdown(socket.SHUT_WR)
        got = b""
        while piece := line.recv(65536):
            got += piece
    assert got.startswith(b"HTTP/1.1 200 ") and got.endswith(b"bye")
    listener.close()


def test_the_refusal_of_our_own_port_advises_nothing_that_would_not_help(start, tmp_path):
    ready = tmp_path / "admin"
    deck = start("serve", "--forward", "--admin-port", "0", "--admin-ready-file", ready)
    admin = urlsplit(eventually(lambda: ready.exists() and ready.read_text(), "the admin API listens").strip())
    status, body = through(deck, f"http://127.0.0.1:{admin.port}/v1/health")
    assert status == 403 and "never served" in json.loads(body)["detail"] and "--allow-hosts" not in body
