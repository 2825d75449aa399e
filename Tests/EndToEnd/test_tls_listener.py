"""TLS on the listener: with a certificate of the user's, or with leaves by the authority of `tapedeck ca`."""

import os
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import time
import xml.etree.ElementTree as XML
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
import requests

from deck import CLEAN, Deck, eventually, log_lines, run
from origin import reply
from peers import openssl
from servers import Nginx
from wire import fetch

VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


@pytest.fixture
def home(tmp_path):
    """A user's data folder with an authority in it."""
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    done = run("ca", "create", env=env)
    assert done.returncode == 0, done.stderr
    return env


@pytest.fixture
def ca(home):
    return run("ca", "path", env=home).stdout.strip()


@pytest.fixture
def deck(start, recorded, cassette, home):
    recorded("/a", "/b")
    return start("replay", "--cassette", cassette, "--tls", env=home)


def port(deck: Deck) -> int:
    return urlsplit(deck.url).port


def context(ca, version=None, alpn=()) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca)
    # As Python 3.13 does by default.
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    if version:
        context.minimum_version = context.maximum_version = version
    if alpn:
        context.set_alpn_protocols(alpn)
    return context


def connect(deck, context, name="localhost", session=None) -> ssl.SSLSocket:
    line = socket.create_connection(("127.0.0.1", port(deck)), timeout=30)
    return context.wrap_socket(line, server_hostname=name, session=session, suppress_ragged_eofs=False)


def get(line, target="/a", *fields) -> bytes:
    line.sendall("\r\n".join([f"GET {target} HTTP/1.1", "Host: here", *fields, "", ""]).encode())
    data = b""
    while b"\r\n\r\n" not in data:
        data += line.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(int(l.split(b":")[1]) for l in head.lower().split(b"\r\n") if l.startswith(b"content-length:"))
    while len(body) < length:
        body += line.recv(65536)
    return body


def hello(name="localhost") -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


# Clients


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["api.example.com", "localhost", "127.0.0.1", "a" * 60 + ".example.com"])
def test_a_client_is_served_under_any_name(version, name, deck, ca):
    with connect(deck, context(ca, version, ["h2", "http/1.1"]), name) as line:
        assert line.selected_alpn_protocol() == "http/1.1"
        assert line.compression() is None
        assert get(line) == b"answer 1"
        assert get(line, "/b", "Connection: close") == b"answer 2"
        # The end is said, so that a cut is told from it.
        assert line.recv(1) == b""
    assert deck.stop() == 0


def test_one_port_speaks_http_and_https(deck, ca):
    assert fetch(deck.url, "/a").body == b"answer 1"
    assert requests.get(f"https://localhost:{port(deck)}/a", verify=ca).text == "answer 1"
    curl = subprocess.run(
        ["curl", "-sS", "--cacert", ca, f"https://127.0.0.1:{port(deck)}/b"], env=CLEAN, capture_output=True, text=True)
    assert (curl.stdout, curl.stderr) == ("answer 2", "")


def test_the_user_s_own_certificate_is_served_with_its_chain(start, recorded, cassette, authority):
    ca, sign = authority
    certificate, key = sign("listener", "DNS:shop.test")
    recorded("/a")
    deck = start("replay", "--cassette", cassette, "--tls-cert", certificate, "--tls-key", key)
    assert deck.url.startswith("https://127.0.0.1:")
    assert log_lines(deck, f"listening on {deck.url}")
    with socket.create_connection(("127.0.0.1", port(deck)), timeout=30) as line:
        trusting = ssl.create_default_context(cafile=ca)
        with trusting.wrap_socket(line, server_hostname="shop.test") as line:
            assert get(line) == b"answer 1"


def test_openssl_finds_the_leaf_strictly_valid(deck, ca, tmp_path):
    shown = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port(deck)}", "-servername", "API.example.com."],
        stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    leaf = tmp_path / "leaf.pem"
    leaf.write_text(shown[shown.index("-----BEGIN"):shown.index("-----END")] + "-----END CERTIFICATE-----\n")
    openssl("verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "api.example.com", "-CAfile", ca, leaf)
    text = subprocess.run(
        ["openssl", "x509", "-in", leaf, "-noout", "-text"], capture_output=True, text=True, check=True).stdout
    assert "DNS:api.example.com\n" in text and "TLS Web Server Authentication" in text and "Digital Signature" in text


def test_large_bodies_pass_both_ways(start, origin, cassette, home, ca):
    body = os.urandom(3_000_000)
    record = start(
        "record", "--upstream", origin(lambda exchange: reply(exchange.request.body)).url, "--cassette", cassette, "--tls",
        env=home)
    with ThreadPoolExecutor(8) as clients:
        url = f"https://localhost:{port(record)}"
        answers = clients.map(lambda i: requests.post(f"{url}/{i}", data=body + bytes([i]), verify=ca).content, range(8))
        assert all(answer == body + bytes([i]) for i, answer in enumerate(answers))
    assert record.stop() == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_sessions_are_resumed_on_every_loop_for_their_own_name(version, deck, ca):
    trusting = context(ca, version)
    with connect(deck, trusting, "one.test") as line:
        get(line)
        session = line.session
    for _ in range(20):
        with connect(deck, trusting, "one.test", session) as line:
            assert line.session_reused
            get(line)


def test_a_ticket_is_of_no_use_under_another_name(deck, tmp_path):
    ticket = tmp_path / "ticket"

    def client(name, *options):
        return subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{port(deck)}", "-servername", name, "-ign_eof", "-tls1_3",
             *options],
            input="GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", capture_output=True, text=True, timeout=30
        ).stdout

    assert "answer 1" in client("one.test", "-sess_out", ticket)
    assert "\nReused, " in client("one.test", "-sess_in", ticket)
    assert "\nNew, " in client("two.test", "-sess_in", ticket)


def test_links_and_cookies_suit_the_client_s_scheme(start, servers_of, cassette, home, ca, authority):
    url, origin_ca = servers_of
    deck = start("record", "--upstream", url, "--cassette", cassette, "--tls", "--cacert", origin_ca, env=home)
    over_tls = requests.get(f"https://localhost:{port(deck)}/moved", verify=ca, allow_redirects=False)
    assert over_tls.headers["Location"] == f"https://localhost:{port(deck)}/there"
    assert over_tls.headers["Set-Cookie"] == "a=1; Secure"
    plain = requests.get(f"http://localhost:{port(deck)}/moved", allow_redirects=False)
    assert plain.headers["Location"] == f"http://localhost:{port(deck)}/there"
    assert plain.headers["Set-Cookie"] == "a=1"
    deck.stop()
    again = start("replay", "--cassette", cassette, "--tls", env=home)
    replayed = requests.get(f"https://localhost:{port(again)}/moved", verify=ca, allow_redirects=False)
    assert replayed.headers["Location"] == f"https://localhost:{port(again)}/there"
    assert replayed.headers["Set-Cookie"] == "a=1; Secure"


@pytest.fixture
def servers_of(tmp_path, authority):
    ca, sign = authority
    nginx = Nginx(
        tmp_path / "nginx", 'location = /moved { add_header Set-Cookie "a=1; Secure"; return 301 /there; }',
        *sign("origin", "IP:127.0.0.1"))
    yield nginx.url, ca
    nginx.stop()


@pytest.mark.parametrize("client", ["node", "java"])
def test_other_clients_trust_the_authority_as_ca_trust_says(client, deck, ca, home, tmp_path):
    told = run("ca", "trust", env=home).stdout
    url = f"https://localhost:{port(deck)}/a"
    if client == "node":
        assert f"export NODE_EXTRA_CA_CERTS={ca}" in told
        script = f"require('https').get('{url}', r => r.on('data', d => process.stdout.write(d)))"
        command, env = ["node", "-e", script], {"NODE_EXTRA_CA_CERTS": ca}
    else:
        if not (shutil.which("java") and shutil.which("keytool")):
            pytest.skip("no Java is installed")
        keytool = next(line.strip() for line in told.splitlines() if "keytool" in line)
        subprocess.run(keytool, shell=True, cwd=tmp_path, check=True, capture_output=True, env=CLEAN)
        options = re.search(r"JAVA_TOOL_OPTIONS='([^']*)'", told)[1]
        (tmp_path / "Get.java").write_text("""
            import java.net.URI; import java.net.http.*;
            class Get { public static void main(String[] url) throws Exception {
              System.out.print(HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(url[0])).build(),
                HttpResponse.BodyHandlers.ofString()).body()); } }""")
        command, env = ["java", "Get.java", url], {"JAVA_TOOL_OPTIONS": options}
    done = subprocess.run(command, cwd=tmp_path, env={**CLEAN, **env}, capture_output=True, text=True, timeout=120)
    if "jdk.compiler" in done.stderr:
        pytest.skip("the Java that is installed has no compiler")
    assert done.stdout == "answer 1", done.stderr


# Hostile and unlucky clients


def test_a_client_of_http2_only_is_refused_aloud(deck, ca):
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        connect(deck, context(ca, alpn=["h2"]), "api.example.com")
    eventually(lambda: log_lines(deck, 'a TLS client for api.example.com was refused: it speaks "h2" only'), "told")
    assert fetch(deck.url, "/a").status == 200


def test_a_client_that_does_not_trust_us_is_told_of(deck):
    with pytest.raises(ssl.SSLError, match="certificate verify failed"):
        connect(deck, ssl.create_default_context(), "api.example.com")
    eventually(lambda: log_lines(deck, "does not trust the certificate for api.example.com", "unknown ca"), "told")


def test_an_alert_is_told_of_though_a_reset_follows_it(deck):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="reset.example.com")
    line = socket.create_connection(("127.0.0.1", port(deck)), timeout=30)
    with pytest.raises(ssl.SSLCertVerificationError):
        while True:
            try:
                session.do_handshake()
            except ssl.SSLWantReadError:
                if outgoing.pending:
                    line.sendall(outgoing.read())
                incoming.write(line.recv(65536))
    os.kill(deck.process.pid, signal.SIGSTOP)
    line.sendall(outgoing.read())
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()
    os.kill(deck.process.pid, signal.SIGCONT)
    eventually(
        lambda: log_lines(deck, "does not trust the certificate for reset.example.com", "unknown ca"), "told")


@pytest.mark.parametrize("name", [b"a b", b"a\nb", b"\xff\xfe", b"*.test", b"x" * 64 + b".test", b"..", b"-" * 254])
def test_a_hostile_name_gets_an_alert_and_one_line(name, deck):
    place = (("n" * 60 + ".") * 5)[:len(name) - 1] + "n"
    with socket.create_connection(("127.0.0.1", port(deck)), timeout=30) as line:
        line.sendall(hello(place).replace(place.encode(), name, 1))
        alert = line.recv(100)
        # unrecognized_name, fatal (RFC 8446 §6.2).
        assert alert[0] == 21 and alert[5:7] == b"\x02\x70"
        assert line.recv(100) == b""
    assert len(eventually(lambda: log_lines(deck, "a TLS client was refused"), "told")) == 1


def test_a_hello_in_pieces_is_served(deck):
    whole = hello()
    # Byte by byte, and in records of three bytes each (RFC 8446 §5.1 allows both).
    body = whole[5:]
    fragments = b"".join(
        whole[:3] + len(body[i:i + 3]).to_bytes(2, "big") + body[i:i + 3] for i in range(0, len(body), 3))
    for pieces in ([bytes([byte]) for byte in whole], [fragments], [bytes([byte]) for byte in fragments]):
        with socket.create_connection(("127.0.0.1", port(deck)), timeout=30) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in pieces:
                line.sendall(piece)
            assert line.recv(1)[0] == 22, "a ServerHello"


@pytest.mark.parametrize("garbage", [
    b"\x16", b"\x16\x03\x01\x40\x01" + b"\x01" * 100, b"\x16\x03\x01\x00\x04\x01\xff\xff\xff", b"\x16" * 70_000,
    b"\x16\x03\x01\x00\x04\x01\x00\x00\x00", b"\x16\x03\x03\x00\x05hello"])
def test_garbage_after_the_first_byte_harms_nobody(garbage, deck):
    with socket.create_connection(("127.0.0.1", port(deck)), timeout=30) as line:
        try:
            line.sendall(garbage)
            line.shutdown(socket.SHUT_WR)
            while line.recv(65536):
                pass
        except ConnectionError:
            pass
    assert fetch(deck.url, "/a").status == 200
    assert deck.stop() == 0


def test_a_client_of_an_old_version_is_refused_aloud(deck):
    subprocess.run(
        ["openssl", "s_client", "-connect", deck.authority.decode(), "-tls1_1", "-cipher", "ALL@SECLEVEL=0"],
        stdin=subprocess.DEVNULL, capture_output=True)
    eventually(lambda: log_lines(deck, "a TLS handshake failed: unsupported protocol"), "told")


def test_a_stalled_handshake_ends_in_ten_seconds(deck):
    with socket.create_connection(("127.0.0.1", port(deck)), timeout=30) as line:
        began = time.monotonic()
        line.sendall(hello()[:100])
        assert line.recv(1) == b""
        assert 9 < time.monotonic() - began < 15


def test_thousands_of_half_open_handshakes_do_not_hurt_plain_clients(deck, ca, figure):
    count = 4_000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 500
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    count = min(count, min(wanted, hard) - 500)
    part, before = hello()[:200], deck.mebibytes("VmRSS")
    lines = []
    try:
        for _ in range(count):
            lines.append(socket.create_connection(("127.0.0.1", port(deck)), timeout=30))
            lines[-1].sendall(part)
        began = time.monotonic()
        for _ in range(100):
            assert fetch(deck.url, "/a").status == 200
        took = (time.monotonic() - began) * 10
        figure(f"plain request beside {count} half-open handshakes", f"{took:.1f} ms")
        figure("resident memory they cost", f"{deck.mebibytes('VmRSS') - before:.0f} MiB")
        assert took < 50
    finally:
        for line in lines:
            line.close()

    def works():
        try:
            with connect(deck, context(ca)) as line:
                return get(line) == b"answer 1"
        except (ssl.SSLError, OSError):
            return False

    eventually(works, "handshakes are served again")


def test_renegotiation_is_refused(deck):
    # s_client renegotiates at a line that is R.
    client = subprocess.Popen(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{port(deck)}", "-tls1_2"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(0.5)
    try:
        client.stdin.write("R\n")
        client.stdin.flush()
        client.wait(20)
    finally:
        client.kill()
    assert "no renegotiation" in client.stdout.read()
    assert fetch(deck.url, "/a").status == 200


def test_a_client_that_cuts_off_still_gets_its_response(deck, ca):
    with connect(deck, context(ca)) as line:
        line.sendall(b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        # A FIN without close_notify.
        socket.socket.shutdown(line, socket.SHUT_WR)
        data = b""
        while piece := line.recv(65536):
            data += piece
        assert data.endswith(b"answer 1")


def test_close_notify_in_the_middle_of_a_request_ends_the_connection(deck, ca):
    with connect(deck, context(ca)) as line:
        line.sendall(b"GET /a HTTP/1.1\r\nHo")
        assert line.unwrap() is not None
    assert fetch(deck.url, "/a").status == 200


def test_sslscan_finds_nothing_weak(deck, tmp_path, authority, figure):
    def scan(address):
        done = subprocess.run(
            ["sslscan", "--no-colour", "--xml=-", address], capture_output=True, text=True, timeout=120, check=True)
        return XML.fromstring(done.stdout).find("ssltest")

    found = scan(f"127.0.0.1:{port(deck)}")
    nginx = Nginx(tmp_path / "nginx", "", *authority[1]("beside", "IP:127.0.0.1"))
    try:
        beside = scan(nginx.authority)
    finally:
        nginx.stop()

    def facts(report):
        protocols = {f"{each.get('type')}{each.get('version')}" for each in report.findall("protocol")
                     if each.get("enabled") == "1"}
        # The three suites of TLS 1.3 are all that OpenSSL has, and sslscan calls each of them acceptable.
        older = {each.get("strength") for each in report.findall("cipher") if each.get("sslversion") != "TLSv1.3"}
        return sorted(protocols), older

    figure("sslscan: ours", facts(found))
    figure("sslscan: nginx", facts(beside))
    assert facts(found) == (["tls1.2", "tls1.3"], {"strong"})
    assert all(each.get("vulnerable") == "0" for each in found.findall("heartbleed"))
    assert found.find("renegotiation").get("supported") == "0" or found.find("renegotiation").get("secure") == "1"


# Wrong files


def test_what_cannot_be_served_is_told_at_the_start(recorded, cassette, authority, tmp_path):
    recorded("/a")
    _, sign = authority
    certificate, key = sign("one", "DNS:one.test")
    _, other = sign("two", "DNS:two.test")
    locked = tmp_path / "locked.key"
    openssl("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", locked)
    (tmp_path / "empty").write_text("")

    def told(*options):
        done = run("replay", "--cassette", cassette, "--port", "0", *options)
        assert done.returncode in (1, 2)
        return done.stderr

    assert f"{other} is not the key of the certificate in {certificate}" in told(
        "--tls-cert", certificate, "--tls-key", other)
    assert "is encrypted; store it decrypted" in told("--tls-cert", certificate, "--tls-key", locked)
    assert "No such file" in told("--tls-cert", tmp_path / "none.pem")
    assert "holds no private key" in told("--tls-cert", certificate)
    assert "holds no certificate" in told("--tls-cert", tmp_path / "empty", "--tls-key", key)
    assert "--tls-key needs --tls-cert" in told("--tls-key", key)
    assert "exclude each other" in told("--tls", "--tls-cert", certificate)


# tapedeck ca


def test_the_authority_is_kept_from_others(home, ca, recorded, cassette, tmp_path):
    folder = tmp_path / "data" / "tapedeck"
    assert oct(folder.stat().st_mode)[-3:] == "700"
    key = folder / "authority.key"
    assert oct(key.stat().st_mode)[-3:] == "600"
    assert "there is an authority" in run("ca", "create", env=home).stderr
    secret = key.read_text().splitlines()[1]
    for verb in (["ca", "path"], ["ca", "trust"]):
        done = run(*verb, env=home)
        assert done.returncode == 0
        assert secret not in done.stdout + done.stderr
    recorded("/a")
    key.chmod(0o640)
    for verb in (["ca", "trust"], ["replay", "--cassette", cassette, "--tls", "--port", "0"]):
        done = run(*verb, env=home)
        assert done.returncode == 1
        assert f"chmod 600 {key}" in done.stderr
    key.chmod(0o600)
    before = folder.joinpath("authority.pem").read_text()
    assert run("ca", "rotate", env=home).returncode == 0
    assert folder.joinpath("authority.pem").read_text() != before
    assert run("ca", "trust", env=home).returncode == 0


def test_without_an_authority_the_way_to_one_is_told(tmp_path, recorded, cassette):
    recorded("/a")
    env = {"XDG_DATA_HOME": str(tmp_path / "none")}
    for verb in (["ca", "path"], ["replay", "--cassette", cassette, "--tls", "--port", "0"]):
        done = run(*verb, env=env)
        assert done.returncode == 1
        assert "make one with: tapedeck ca create" in done.stderr
    assert run("ca", env=env).returncode == 2
    assert "did you mean create?" in run("ca", "crate", env=env).stderr
    assert run("ca", "create", "--days", "826", env=env).returncode == 2
    assert "neither a domain" in run("ca", "create", "--domain", "a b", env=env).stderr


def test_constraints_hold_on_both_sides(start, recorded, cassette, tmp_path):
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert run("ca", "create", "--domain", "example.com", "--days", "2", env=env).returncode == 0
    ca = run("ca", "path", env=env).stdout.strip()
    recorded("/a")
    deck = start("replay", "--cassette", cassette, "--tls", env=env)
    with connect(deck, context(ca), "api.example.com") as line:
        assert get(line) == b"answer 1"
    for name in ("example.org", "badexample.com", "127.0.0.1"):
        with pytest.raises(ssl.SSLError, match="(?i)unrecognized.name"):
            connect(deck, context(ca), name)
    assert log_lines(deck, "may certify example.com only")
