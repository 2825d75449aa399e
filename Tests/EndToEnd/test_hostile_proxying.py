"""A forward proxy among hostile clients and origins: spellings of forbidden addresses, smuggling, leaks, floods and early ends."""

import base64
import os
import socket
import ssl
import struct
import subprocess
import time
from pathlib import Path

import pytest

from deck import CLEAN, binary, eventually, interactions
from origin import CHUNKED_HEAD, HangUp, bare, chunk, reply
from peers import server_context
from servers import free_port
from wire import Answer, Wire, read_body, read_head, request

METADATA = [
    "169.254.169.254", "169.254.169.254.", "2852039166", "0xA9FEA9FE", "025177524776", "0251.0376.0251.0376",
    "0xa9.0xfe.0xa9.0xfe", "169.254.43518", "169.16689662", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]",
    "[0:0:0:0:0:ffff:a9fe:a9fe]", "[::169.254.169.254]", "[::ffff:0:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::169.254.169.254]", "[2002:a9fe:a9fe::1]", "[fe80::1]", "[febf::1]", "169.254.0.1", "[fd00:ec2::254]",
    "[fd00:0ec2:0::0254]", "[fd20:ce::254]", "[fd20:00ce:0::254]", "metadata.google.internal", "METADATA.GOOGLE.INTERNAL",
    "metadata.google.internal.", "100.100.100.200", "1684301000", "0x646464c8", "100.100.25800", "[::ffff:100.100.100.200]",
    "[64:ff9b::6464:64c8]", "168.63.129.16", "2822734096", "192.0.0.192", "0300.0.0.0300", "rebound.test", "rebound6.test",
]
METADATA_ADDRESSES = [
    "169.254.169.254", "169.254.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "64:ff9b::a9fe:a9fe", "64:ff9b::6464:64c8",
    "2002:a9fe:a9fe::1", "fd00:ec2::254", "fd20:ce::254", "::ffff:0:169.254.169.254",
]
REBOUND = ["--resolve", "rebound.test:80:100.100.100.200", "--resolve", "rebound6.test:80:[fd00:ec2::254]"]
STRANGE_HOSTS = [
    b"169%2e254%2e169%2e254", b"169.254.169.254%00.example.test", b"\xef\xbc\x91\xef\xbc\x96\xef\xbc\x99.254.169.254",
    b"\xe2\x91\xa0\xe2\x91\xa5\xe2\x91\xa8.254.169.254", b"169\xe3\x80\x82254\xe3\x80\x82169\xe3\x80\x82254",
    b"user:secret@a.test", b"@a.test", b"a.test\\@b.test", b"a..test", b"a.test,b.test", b"a b.test", b"<a>.test",
    b"[::1", b"::1", b"[v1.fe80::1]", b"[::1]]", b"[127.0.0.1]", b"[::1]a.test", b"a" * 64 + b".test", b"a." * 127 + b"test",
]
LOOPBACK = [
    "127.0.0.1", "localhost", "LocalHost", "localhost.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0177.0.0.1",
    "0x7f.1", "017700000001", "0.0.0.0", "0", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::]",
    "[::ffff:0.0.0.0]", "127.0.0.1.",
]
NO_TUNNELS = [
    b"CONNECT a.test HTTP/1.1", b"CONNECT a.test: HTTP/1.1", b"CONNECT a.test:0 HTTP/1.1", b"CONNECT a.test:65536 HTTP/1.1",
    b"CONNECT a.test:4294967739 HTTP/1.1", b"CONNECT a.test:-1 HTTP/1.1", b"CONNECT a.test:+443 HTTP/1.1",
    b"CONNECT a.test:0x1bb HTTP/1.1", b"CONNECT a.test:443:443 HTTP/1.1", b"CONNECT :443 HTTP/1.1", b"CONNECT / HTTP/1.1",
    b"CONNECT * HTTP/1.1", b"CONNECT http://a.test/ HTTP/1.1", b"CONNECT https://a.test:443 HTTP/1.1",
    b"CONNECT a.test:443/path HTTP/1.1", b"CONNECT a.test:443?q HTTP/1.1", b"CONNECT a.test:443#f HTTP/1.1",
    b"CONNECT u:p@a.test:443 HTTP/1.1", b"CONNECT ::1:443 HTTP/1.1", b"CONNECT [::1:443 HTTP/1.1", b"CONNECT [::1] HTTP/1.1",
    b"CONNECT [::g]:443 HTTP/1.1", b"CONNECT a.te\x00st:443 HTTP/1.1", b"CONNECT a.test:443 \xa0 HTTP/1.1",
    b"CONNECT  a.test:443 HTTP/1.1", b"CONNECT a.test:443", b"CONNECT a.test:443 HTTP/2.0", b"connect a.test:443 HTTP/1.1",
    b"CONNECT a.test:443 HTTP/1.1 ", b"CONNECT a.test%3a443:443 HTTP/1.1", b"CONNECT " + b"a" * 70000 + b":443 HTTP/1.1",
]


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A home with an authority of tapedeck's own."""
    home = tmp_path_factory.mktemp("home")
    subprocess.run([binary(), "ca", "create"], env={**CLEAN, **at(home)}, check=True, capture_output=True)
    return home


def at(home: Path) -> dict:
    return {"HOME": str(home), "XDG_DATA_HOME": str(home / ".local/share")}


@pytest.fixture
def forward(start, home, authority):
    """A forward proxy that records nothing, unless a mode is given."""

    def forward(*options, mode="passthrough", **how):
        return start("serve", "--forward", "--mode", mode, "--cacert", authority[0], *options, env=at(home), **how)

    return forward


@pytest.fixture
def tls_peer(peer, authority):
    def tls_peer(script):
        return peer(script, tls=server_context(*authority[1]("hostile", "DNS:localhost,IP:127.0.0.1")))

    return tls_peer


@pytest.fixture
def trust(home):
    return ssl.create_default_context(cafile=home / ".local/share/tapedeck/authority.pem")


def status_of(stream) -> int:
    head = read_head(stream, Answer)
    return head.status if head else 0


def tunnel(deck, authority: str | bytes, *fields: bytes) -> Wire:
    """A connection on which a CONNECT was agreed to."""
    authority = authority.encode() if isinstance(authority, str) else authority
    wire = Wire(deck.url)
    wire.send(b"\r\n".join([b"CONNECT " + authority + b" HTTP/1.1", b"Host: " + authority, *fields]) + b"\r\n\r\n")
    assert status_of(wire.stream) == 200
    return wire


def encrypt(wire: Wire, trust, name="127.0.0.1") -> Wire:
    wire.stream.close()
    wire.socket = trust.wrap_socket(wire.socket, server_hostname=name)
    wire.stream = wire.socket.makefile("rb")
    return wire


def everything(wire: Wire) -> bytes:
    data = b""
    try:
        while more := wire.stream.read1(65536):
            data += more
    except (ConnectionError, ssl.SSLError):
        pass
    return data


def one_shot(deck, data: bytes) -> Answer | None:
    with Wire(deck.url) as wire:
        wire.send(data)
        try:
            answer = read_head(wire.stream, Answer)
        except ConnectionError:
            return None
        if answer:
            read_body(wire.stream, answer, until_close=False)
        return answer


def still_serves(deck, upstream) -> None:
    with Wire(deck.url) as wire:
        wire.send(request(f"{upstream.url}/still".encode(), b"Connection: close", host=upstream.authority.encode()))
        assert wire.answer().status == 200


def ok(exchange):
    return reply(b"fine", b"Content-Type: text/plain")


def descriptors(deck) -> int:
    return len(os.listdir(f"/proc/{deck.process.pid}/fd"))


# Where a request may lead


@pytest.fixture
def cloud(namespace, forward):
    """A machine of a cloud, where every address of a metadata service is our own, so that none outside can be asked."""
    for address in METADATA_ADDRESSES:
        namespace.run("ip", "address", "add", address, "dev", "lo", *(["nodad"] if ":" in address else []))
    with namespace.entered():
        service = socket.create_server(("::", 80), family=socket.AF_INET6, dualstack_ipv6=True)
    service.setblocking(False)

    def cloud(*options, **how):
        return namespace, forward("--connect-timeout", "2", *REBOUND, *options, wrapper=namespace.wrapper(), **how)

    yield cloud
    with service, pytest.raises(BlockingIOError):
        service.accept()


def refused_by_the_proxy(answer: Answer | None) -> bool:
    return answer is not None and answer.status in (400, 403) and answer.value(b"Content-Type") == b"application/problem+json"


@pytest.mark.parametrize("host", [*METADATA, "[fe80::1%25lo]", "[fe80::1%lo]"])
def test_no_spelling_of_a_metadata_service_is_asked(cloud, host):
    namespace, deck = cloud()
    host = host.encode()
    with namespace.entered():
        assert refused_by_the_proxy(one_shot(deck, b"GET http://%s/latest HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, host)))
        with Wire(deck.url) as wire:
            wire.send(b"CONNECT %s:80 HTTP/1.1\r\nHost: %s:80\r\n\r\n" % (host, host))
            answer = read_head(wire.stream, Answer)
            if answer.status == 200:
                wire.send(b"GET /latest HTTP/1.1\r\nHost: %s\r\n\r\n" % host)
                answer = read_head(wire.stream, Answer)
            assert refused_by_the_proxy(answer)


@pytest.mark.parametrize("host", METADATA)
def test_no_spelling_of_a_metadata_service_is_tunnelled_to(cloud, host):
    namespace, deck = cloud("--ignore-hosts", "*")
    with namespace.entered():
        assert refused_by_the_proxy(one_shot(deck, b"CONNECT %s:80 HTTP/1.1\r\nHost: a\r\n\r\n" % host.encode()))


@pytest.mark.parametrize("host", STRANGE_HOSTS)
def test_what_is_no_host_is_refused(cloud, host):
    namespace, deck = cloud()
    with namespace.entered():
        for data in (b"GET http://%s/ HTTP/1.1\r\nHost: a\r\n\r\n" % host, b"CONNECT %s:80 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n" % host):
            with Wire(deck.url) as wire:
                wire.send(data)
                answer = read_head(wire.stream, Answer)
                if answer.status == 200:  # a tunnel to a name that leads nowhere
                    answer = read_head(wire.stream, Answer)
                assert 400 <= answer.status < 503, answer.head
    assert deck.stop() in (0, 3)
    assert "secret" not in deck.stderr


@pytest.mark.parametrize("host", LOOPBACK)
def test_no_spelling_of_loopback_reaches_the_proxy_or_its_admin_api(forward, tmp_path, host):
    ready = tmp_path / "admin"
    deck = forward("--admin-port", "0", "--admin-ready-file", ready, "--connect-timeout", "2")
    raw = forward("--ignore-hosts", "*", "--admin-port", "0", "--admin-ready-file", tmp_path / "raw", "--connect-timeout", "2")
    for proxy, admin in ((deck, ready), (raw, tmp_path / "raw")):
        for port in (proxy.url.rsplit(":", 1)[1], admin.read_text().strip().rsplit(":", 1)[1]):
            name = f"{host}:{port}".encode()
            answer = one_shot(proxy, b"GET http://%s/v1/health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (name, name))
            assert 400 <= answer.status < 600 and answer.value(b"Content-Type") == b"application/problem+json", answer.head
            with Wire(proxy.url) as wire:
                wire.send(b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (name, name))
                if (status := status_of(wire.stream)) == 200:
                    wire.send(b"GET /v1/health HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % name)
                    status = status_of(wire.stream)
                assert status == 0 or status >= 400
    for proxy in (deck, raw):  # a request that came back would stand in the log a second time
        assert proxy.stop() in (0, 3)
        assert proxy.stderr.count("GET /v1/health") <= 2 * 3, proxy.stderr


@pytest.mark.parametrize("line", NO_TUNNELS)
def test_a_connect_without_one_meaning_opens_no_tunnel(forward, line):
    answer = one_shot(forward(), line + b"\r\nHost: a.test:443\r\n\r\n")
    assert answer is None or 400 <= answer.status < 600, answer.head


@pytest.mark.parametrize("fields", [
    [], [b"Host: a", b"Host: b"], [b"Host: 127.0.0.1:1", b"Content-Length: 5"], [b"Host: x", b"Transfer-Encoding: chunked"],
    [b"Host: x", b"Content-Length: 5", b"Transfer-Encoding: chunked"], [b"Host : x"], [b" Host: x"], [b"Host: x", b"Content-Length: -1"],
    [b"Host: x", b"Transfer-Encoding: identity"], [b"Host: a b"],
])
def test_a_connect_with_content_or_without_a_host_is_refused(forward, origin, fields):
    upstream, deck = origin(ok), forward()
    head = b"\r\n".join([b"CONNECT %s HTTP/1.1" % upstream.authority.encode(), *fields, b"", b""])
    with Wire(deck.url) as wire:
        wire.send(head + b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
        assert 400 <= status_of(wire.stream) < 502
        everything(wire)
    assert upstream.requests == []
    still_serves(deck, upstream)


@pytest.mark.parametrize("field", [
    b"Connection: close", b"Connection: keep-alive", b"Proxy-Connection: keep-alive", b"Expect: 100-continue",
    b"Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__", b"Content-Length: 0", b"X: \xff\xfe",
    b"Accept: " + b"a" * 8000,
])
def test_a_connect_with_harmless_fields_opens_a_tunnel(forward, origin, field):
    upstream, deck = origin(ok), forward()
    with tunnel(deck, upstream.authority, field) as wire:
        wire.ask(b"/inside", b"Connection: close")
        assert wire.answer().body == b"fine"
    assert [each.target for each in upstream.requests] == [b"/inside"]


def test_a_connect_of_http_1_0_opens_a_tunnel(forward, origin):
    upstream, deck = origin(ok), forward()
    with Wire(deck.url) as wire:
        wire.send(b"CONNECT %s HTTP/1.0\r\n\r\nGET /glued HTTP/1.0\r\n\r\n" % upstream.authority.encode())
        assert status_of(wire.stream) == 200
        assert wire.answer().body == b"fine"
        assert wire.is_closed()


# What stands inside of a tunnel


def test_requests_glued_to_a_connect_are_read_once_and_in_order(forward, origin):
    upstream = origin(lambda exchange: reply(exchange.request.target))
    deck = forward()
    name = upstream.authority.encode()
    with Wire(deck.url) as wire:
        wire.send(request(name, method=b"CONNECT", host=name) + b"".join(request(b"/%d" % n, host=name) for n in range(50)))
        assert status_of(wire.stream) == 200
        assert [wire.answer().body for _ in range(50)] == [b"/%d" % n for n in range(50)]


def test_what_follows_a_refused_connect_is_never_a_request(forward, origin):
    upstream, deck = origin(ok), forward("--proxy-auth", "u:pass-word-1")
    with Wire(deck.url) as wire:
        wire.send(request(upstream.authority.encode(), method=b"CONNECT") + request(b"%s/smuggled" % upstream.url.encode()))
        assert status_of(wire.stream) == 407
        rest = everything_within(wire, 3)
    assert upstream.requests == [] and b" 200 " not in rest


def everything_within(wire: Wire, seconds: float) -> bytes:
    wire.socket.settimeout(seconds)
    data = b""
    try:
        while more := wire.socket.recv(65536):
            data += more
    except OSError:
        pass
    return data


@pytest.mark.parametrize("inside", [
    b"POST /x HTTP/1.1\r\nHost: {}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: {}\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: {}\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
    b"GET /x HTTP/1.1\r\nHost: {}\r\nTransfer-Encoding: xchunked\r\n\r\n",
    b"GET /x HTTP/1.1\r\n\r\n", b"GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"CONNECT {} HTTP/1.1\r\nHost: {}\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
    b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /x HTTP/1.1\r\nHost: {}\r\n\r\n",
    b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x7f\x00\x00\x01\x7f\x00\x00\x01\x00\x50\x00\x50",
    b"SSH-2.0-OpenSSH_9.2\r\n", b"\x00" * 100, bytes(range(128, 256)), b"HELP\r\n", b"GET /x\r\n",
    b"\x16", b"\x16\x03\x01\xff\xff" + b"\x00" * 70000, b"\x80\x2e\x01\x00\x02",
])
def test_what_is_no_request_for_the_tunnels_host_reaches_no_origin(forward, origin, inside):
    upstream, deck = origin(ok), forward("--head-timeout", "1", "--idle-timeout", "2")
    with tunnel(deck, upstream.authority) as wire:
        try:
            wire.send(inside.replace(b"{}", upstream.authority.encode()))
        except OSError:
            pass
        data = everything_within(wire, 12)
    assert b" 200 " not in data, data
    assert [each.target for each in upstream.requests] in ([], [b"/x"])
    if upstream.requests:
        assert inside.startswith(b"PROXY") is False and b"Content-Length" not in inside
    still_serves(deck, upstream)


@pytest.mark.parametrize("host", [b"other.test", b"169.254.169.254", b"127.0.0.1:1", b"a.test:99"])
def test_a_host_field_inside_of_a_tunnel_steers_nothing(forward, origin, host):
    upstream, deck = origin(ok), forward()
    with tunnel(deck, upstream.authority) as wire:
        wire.send(b"GET /x HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % host)
        assert wire.answer().status in (200, 400, 421)
    assert all(each.value(b"Host") in (host, upstream.authority.encode()) for each in upstream.requests)


def test_a_host_field_that_differs_from_an_absolute_target_is_replaced(forward, origin):
    upstream, deck = origin(ok), forward()
    with Wire(deck.url) as wire:
        wire.send(b"GET %s/x HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n" % upstream.url.encode())
        assert wire.answer().status in (200, 400)
    assert [each.values(b"Host") for each in upstream.requests] in ([], [[upstream.authority.encode()]])  # RFC 9112 §3.2.2


@pytest.mark.parametrize("target", [b"{}", b"{}?q=1", b"{}/%2e%2e/x", b"{}//x", b"{}/a;b=c?d#e"])
def test_an_absolute_target_keeps_its_path(forward, origin, target):
    upstream, deck = origin(ok), forward()
    answer = one_shot(deck, b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (
        target.replace(b"{}", upstream.url.encode()), upstream.authority.encode()))
    if b"#" in target:
        assert answer.status == 400
    else:
        path = target.removeprefix(b"{}")
        assert [each.target for each in upstream.requests] == [path if path.startswith(b"/") else b"/" + path]


@pytest.mark.parametrize("scheme", [b"ftp", b"ws", b"file", b"gopher", b"javascript", b"http+unix", b"HTTPX"])
def test_other_schemes_are_refused(forward, scheme):
    answer = one_shot(forward(), b"GET %s://127.0.0.1:1/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n" % scheme)
    assert 400 <= answer.status < 500


def test_tls_inside_of_a_tunnel_cut_into_bytes_and_glued_to_the_connect(forward, tls_peer, trust):
    upstream = tls_peer(lambda line: (line.request(), line.send(reply(b"fine"))))
    deck = forward()
    name = upstream.authority.encode()
    for piece in (1, 7, 100000):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = trust.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        with pytest.raises(ssl.SSLWantReadError):
            tls.do_handshake()
        with Wire(deck.url) as wire:
            data = request(name, method=b"CONNECT", host=name) + outgoing.read()
            for at_byte in range(0, len(data), piece):
                wire.send(data[at_byte:at_byte + piece])
            assert status_of(wire.stream) == 200
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    incoming.write(wire.stream.read1(65536))
            tls.write(request(b"/x", b"Connection: close", host=name))
            wire.send(outgoing.read())
            heard = b""
            while b"fine" not in heard:
                incoming.write(wire.stream.read1(65536))
                try:
                    heard += tls.read(65536)
                except ssl.SSLWantReadError:
                    pass
    assert upstream.hits(b"/x") == 3


@pytest.mark.parametrize("answer,method,status,body", [
    (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", b"HEAD", 200, b""),
    (b"HTTP/1.1 204 No Content\r\n\r\n", b"GET", 204, b""),
    (b"HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", b"GET", 304, b""),
    (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", b"GET", 200, b"x"),
    (b"HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=9\r\nSet-Cookie: a=b; Secure; Domain=127.0.0.1\r\nContent-Length: 1\r\n\r\nx", b"GET", 200, b"x"),
])
def test_responses_without_content_keep_a_tunnel_usable(forward, tls_peer, trust, answer, method, status, body):
    def script(line):
        while True:
            line.request()
            line.send(answer)

    upstream = tls_peer(script)
    with encrypt(tunnel(forward(), upstream.authority), trust) as wire:
        for _ in range(3):
            wire.ask(b"/x", method=method)
            heard = wire.answer(method)
            while 100 <= heard.status < 200:
                heard = wire.answer(method)
            assert (heard.status, heard.body) == (status, body)
            if b"Secure" in answer:  # a forward proxy rewrites nothing
                assert heard.value(b"Set-Cookie") == b"a=b; Secure; Domain=127.0.0.1"
                assert heard.value(b"Strict-Transport-Security") == b"max-age=9"


# What must not be passed on


@pytest.mark.parametrize("way", ["absolute", "tunnel"])
def test_fields_of_the_hop_do_not_reach_the_origin(forward, origin, way):
    upstream, deck = origin(ok), forward()
    fields = [
        b"Proxy-Authorization: Basic dTpwYXNzd29yZDEyMw==", b"Proxy-Connection: keep-alive", b"Connection: close, X-Hop, x-Other, HTTP2-Settings",
        b"X-Hop: 1", b"X-Other: 2", b"Keep-Alive: timeout=5", b"TE: trailers", b"Upgrade: h2c", b"HTTP2-Settings: AAMA",
        b"Proxy-Authentication-Info: x", b"X-Kept: 3",
    ]
    if way == "absolute":
        with Wire(deck.url) as wire:
            wire.ask(f"{upstream.url}/x".encode(), *fields)
            assert wire.answer().status == 200
    else:
        with tunnel(deck, upstream.authority, b"Proxy-Authorization: Basic dTpwYXNzd29yZDEyMw==") as wire:
            wire.ask(b"/x", *fields)
            assert wire.answer().status == 200
    names = {name.lower() for name, _ in upstream.requests[0].fields}
    assert b"x-kept" in names
    assert not names & {b"proxy-authorization", b"proxy-connection", b"x-hop", b"x-other", b"keep-alive", b"upgrade", b"http2-settings"}


def test_fields_of_the_hop_do_not_reach_the_client(forward, origin):
    upstream = origin(lambda exchange: reply(
        b"x", b"Connection: X-Hop", b"X-Hop: 1", b"Keep-Alive: timeout=5", b"Proxy-Connection: close", b"X-Kept: 2"))
    answer = one_shot(forward(), request(f"{upstream.url}/x".encode()))
    names = {name.lower() for name, _ in answer.fields}
    assert b"x-kept" in names and not names & {b"x-hop", b"proxy-connection"}


@pytest.mark.parametrize("status", [b"407 Proxy Authentication Required", b"401 Unauthorized"])
def test_an_origin_that_asks_for_credentials_gets_none_of_the_proxys(forward, origin, status):
    upstream = origin(lambda exchange: reply(b"", b"Proxy-Authenticate: Basic realm=x", b"WWW-Authenticate: Basic realm=x", status=status))
    deck = forward("--proxy-auth", "u:pass-word-1")
    credentials = b"Proxy-Authorization: Basic " + base64.b64encode(b"u:pass-word-1")
    answer = one_shot(deck, request(f"{upstream.url}/x".encode(), credentials))
    assert answer.status in (int(status[:3]), 502)
    assert all(each.value(b"Proxy-Authorization") is None for each in upstream.requests)


@pytest.mark.parametrize("value", [
    b"", b"Basic", b"Basic ", b"Basic !!!!", b"Basic " + base64.b64encode(b"u:wrong"), b"Basic " + base64.b64encode(b"u"),
    b"Basic " + base64.b64encode(b"u:pass-word-1x"), b"Basic " + base64.b64encode(b"U:pass-word-1"),
    b"Basic " + base64.b64encode(b"u:pass-word-1\x00"), b"Basic " + base64.b64encode(b"u:pass-word-1").rstrip(b"=") + b"=A",
    b"Bearer " + base64.b64encode(b"u:pass-word-1"), b"Digest username=u", b"Basic " + b"QUFB" * 10000, b"Basic \xff\xfe",
    b"Negotiate " + base64.b64encode(b"u:pass-word-1"), base64.b64encode(b"u:pass-word-1"),
])
def test_no_wrong_credentials_open_the_proxy(forward, origin, value):
    upstream, deck = origin(ok), forward("--proxy-auth", "u:pass-word-1")
    name = upstream.authority.encode()
    for data in (request(name, b"Proxy-Authorization: " + value, method=b"CONNECT", host=name),
                 request(b"http://" + name + b"/x", b"Proxy-Authorization: " + value, host=name)):
        answer = one_shot(deck, data)
        assert answer.status in (400, 407, 431)
        if answer.status == 407:
            assert answer.value(b"Proxy-Authenticate").startswith(b"Basic ")
    assert upstream.requests == []


def test_right_credentials_after_wrong_ones_and_in_any_case(forward, origin):
    upstream, deck = origin(ok), forward("--proxy-auth", "u:pass-word-1")
    name = upstream.authority.encode()
    right = base64.b64encode(b"u:pass-word-1")
    for scheme in (b"Basic ", b"basic ", b"BASIC   "):
        data = request(b"http://" + name + b"/x", b"Proxy-Authorization: " + scheme + right, host=name)
        assert one_shot(deck, data).status == 200
    with Wire(deck.url) as wire:  # curl --proxy-anyauth asks again on the same connection
        wire.send(request(b"http://" + name + b"/x", host=name))
        assert wire.answer().status == 407
        wire.send(request(b"http://" + name + b"/x", b"Proxy-Authorization: Basic " + right, host=name))
        assert wire.answer().status == 200
        wire.send(request(b"http://" + name + b"/x", host=name))
        assert wire.answer().status == 407, "credentials hold for one request, not for its connection"


SECRET = "sk-live-9f8a7b6c5d4e3f2a1b0c"


@pytest.mark.parametrize("way", ["query", "proxy-authorization", "tunnel-authorization", "connect-userinfo", "absolute-userinfo", "tunnel-query"])
def test_a_secret_on_its_way_is_left_nowhere(forward, origin, cassette, tmp_path, way):
    upstream = origin(ok)
    report, ready, token = tmp_path / "report.json", tmp_path / "admin", "t" * 32
    deck = forward("--cassette", cassette, "--report", report, "--admin-port", "0", "--admin-ready-file", ready,
                   "--admin-token", token, "--proxy-auth", f"u:{SECRET}", mode="new_episodes")
    name, secret = upstream.authority.encode(), SECRET.encode()
    credentials = b"Proxy-Authorization: Basic " + base64.b64encode(b"u:" + secret)
    data = {
        "query": request(b"http://%s/x?api_key=%s" % (name, secret), credentials),
        "proxy-authorization": request(b"http://%s/x" % name, credentials),
        "tunnel-authorization": request(name, credentials, method=b"CONNECT") + request(b"/x", b"Authorization: Bearer " + secret),
        "tunnel-query": request(name, credentials, method=b"CONNECT") + request(b"/x?access_token=" + secret),
        "connect-userinfo": request(b"u:%s@%s" % (secret, name), credentials, method=b"CONNECT"),
        "absolute-userinfo": request(b"http://u:%s@%s/x" % (secret, name), credentials),
    }[way]
    with Wire(deck.url) as wire:
        wire.send(data)
        everything_within(wire, 2)
    with Wire(ready.read_text().strip()) as wire:
        wire.ask(b"/v1/requests", b"Authorization: Bearer " + token.encode(), b"Connection: close")
        seen = [wire.answer().body]
    assert deck.stop() == 0
    seen += [path.read_bytes() for path in [report, *cassette.rglob("*")] if path.is_file()] + [deck.stderr.encode()]
    for each in (secret, base64.b64encode(b"u:" + secret)):
        assert all(each not in text for text in seen), [text for text in seen if each in text]


def test_a_miss_tells_no_secret_of_a_forward_cassette(forward, origin, cassette):
    upstream = origin(ok)
    deck = forward("--cassette", cassette, mode="new_episodes")
    one_shot(deck, request(f"{upstream.url}/x?api_key={SECRET}".encode(), host=upstream.authority.encode()))
    assert deck.stop() == 0
    deck = forward("--cassette", cassette, mode="none")
    answer = one_shot(deck, request(f"{upstream.url}/y?api_key={SECRET}".encode(), b"Authorization: Bearer " + SECRET.encode()))
    assert answer.status == 502 and SECRET.encode() not in answer.body
    assert deck.stop() == 3
    assert SECRET not in deck.stderr


# Early ends, and many


@pytest.mark.parametrize("phase", ["half-connect", "after-connect", "half-hello", "half-head", "half-body", "before-response", "reset"])
def test_a_client_that_leaves_in_any_phase_leaves_nothing_behind(forward, tls_peer, trust, phase):
    upstream = tls_peer(lambda line: (line.request(), line.wait_for_close()))
    deck = forward("--threads", "1")
    before = descriptors(deck)
    for _ in range(20):
        if phase == "half-connect":
            with Wire(deck.url) as wire:
                wire.send(b"CONNECT 127.0.0.1:44")
            continue
        with tunnel(deck, upstream.authority) as wire:
            if phase == "half-hello":
                wire.send(b"\x16\x03\x01\x02\x00\x01\x00")
            elif phase != "after-connect":
                encrypt(wire, trust)
                if phase == "half-head":
                    wire.send(b"GET / HTTP/1.1\r\nHo")
                elif phase == "half-body":
                    wire.send(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
                else:
                    wire.ask(b"/x")
                if phase == "reset":
                    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    eventually(lambda: descriptors(deck) <= before + 8, "connections of clients that left are closed")
    assert deck.stop() == 0


@pytest.mark.parametrize("end", ["close", "reset", "half-head", "truncated-tls", "chunk"])
def test_an_origin_that_ends_inside_of_intercepted_tls_is_heard_to_have_ended(forward, tls_peer, trust, end, cassette):
    def script(line):
        line.request()
        if end == "half-head":
            line.send(b"HTTP/1.1 200 OK\r\nContent-Le")
        elif end == "chunk":
            line.send(CHUNKED_HEAD + chunk(b"one") + b"5\r\ntw")
        else:
            line.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        if end == "reset":
            line.reset()
        if end == "truncated-tls":
            line.socket.shutdown(socket.SHUT_RDWR)
        raise HangUp

    upstream = tls_peer(script)
    deck = forward("--cassette", cassette, mode="new_episodes")
    with encrypt(tunnel(deck, upstream.authority), trust) as wire:
        wire.ask(b"/x")
        with pytest.raises((ConnectionError, ssl.SSLError, AssertionError)):
            answer = wire.answer()
            assert answer.status < 500
    deck.stop()
    assert interactions(cassette) == {}


def test_keep_alive_across_many_requests_and_hosts(forward, origin):
    origins = [origin(lambda exchange: reply(exchange.request.value(b"Host") + exchange.request.target)) for _ in range(4)]
    deck = forward()
    with Wire(deck.url) as wire:
        for number in range(400):
            upstream = origins[number % 4]
            name = upstream.authority.encode()
            wire.send(request(b"http://%s/%d" % (name, number), host=name))
            assert wire.answer().body == b"%s/%d" % (name, number)
        wire.send(request(name, method=b"CONNECT", host=name))  # and ends as a tunnel
        assert wire.answer(b"HEAD").status == 200
        wire.ask(b"/last")
        assert wire.answer().status == 200


def test_2000_tunnels_opened_and_dropped_leave_nothing_behind(forward, origin):
    upstream, deck = origin(ok), forward()
    before = descriptors(deck)
    name = upstream.authority.encode()
    for number in range(2000):
        with socket.create_connection(("127.0.0.1", int(deck.url.rsplit(":", 1)[1])), timeout=30) as line:
            line.sendall(b"CONNECT %s HTTP/1.1\r\nHost: a\r\n\r\n" % name)
            if number % 3:
                assert line.recv(12) == b"HTTP/1.1 200"
            if number % 3 == 2:
                line.sendall(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % name)
    eventually(lambda: descriptors(deck) <= before + 16, "dropped tunnels are closed", 30)
    assert deck.mebibytes("VmRSS") < 120
    still_serves(deck, upstream)
    assert deck.stop() == 0


def test_1000_untouched_tunnels_dropped_leave_nothing_behind(forward, peer):
    upstream = peer(lambda line: line.wait_for_close())
    deck = forward("--ignore-hosts", "*")
    before = descriptors(deck)
    for number in range(1000):
        wire = tunnel(deck, upstream.authority)
        if number % 2:
            wire.send(b"anything")
        if number % 3 == 0:
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wire.close()
    eventually(lambda: descriptors(deck) <= before + 8, "dropped tunnels are closed", 30)
    assert deck.stop() == 0


def test_an_untouched_tunnel_may_be_closed_one_way_first(forward, peer):
    def script(line):
        line.send(b"heard %d" % len(line.stream.read()))

    upstream = peer(script)
    with tunnel(forward("--ignore-hosts", "*"), upstream.authority) as wire:
        wire.send(b"x" * 100000)
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.stream.read() == b"heard 100000"


def test_the_first_bytes_of_an_untouched_tunnel_may_be_the_origins(forward, peer):
    upstream = peer(lambda line: line.send(b"SSH-2.0-x\r\n"))
    with tunnel(forward("--ignore-hosts", "*"), upstream.authority) as wire:
        assert wire.stream.read() == b"SSH-2.0-x\r\n"


def test_an_untouched_tunnel_to_nowhere_is_refused_aloud(forward):
    answer = one_shot(forward("--ignore-hosts", "*"), request(b"127.0.0.1:%d" % free_port(), method=b"CONNECT"))
    assert answer.status == 502


def test_a_slow_reader_of_a_tunnel_holds_no_memory(forward, peer):
    def script(line):
        try:
            for _ in range(1600):
                line.send(b"x" * 65536)
        except OSError:
            pass

    upstream = peer(script)
    deck = forward("--ignore-hosts", "*")
    with tunnel(deck, upstream.authority) as wire:
        heard = 0
        time.sleep(1)
        assert deck.mebibytes("VmRSS") < 80
        while data := wire.stream.read1(1 << 20):
            heard += len(data)
    assert heard == 1600 * 65536


@pytest.mark.parametrize("size", [100 << 20])
def test_100_mb_pass_both_ways_inside_of_intercepted_tls(forward, tls_peer, trust, size):
    def script(line):
        message = line.request()
        line.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(message.body))
        line.send(message.body)

    upstream = tls_peer(script)
    deck = forward()
    with encrypt(tunnel(deck, upstream.authority), trust) as wire:
        body = os.urandom(1 << 20) * (size >> 20)
        wire.ask(b"/echo", method=b"POST", body=body)
        assert wire.answer().body == body
    assert deck.mebibytes("VmHWM") < 3 * (size >> 20) + 120
    assert deck.stop() == 0


def test_kill_9_of_a_client_in_a_tunnel_harms_nobody(forward, origin, home):
    upstream = origin(lambda exchange: exchange.send_until_close(b"x" * 65536) if exchange.request.target == b"/x" else ok(exchange))
    deck = forward()
    client = subprocess.Popen(["curl", "-s", "-o", "/dev/null", "-p", "-x", deck.url, f"{upstream.url}/x"], env=CLEAN)
    eventually(lambda: upstream.requests, "the client asked")
    client.kill()
    client.wait()
    still_serves(deck, upstream)
    assert deck.stop() == 0
