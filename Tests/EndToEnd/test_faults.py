"""Origins that fail (the rows F01 to F35), each failure made for real: the right status, the right Proxy-Status, nothing
in the cassette, and a proxy that goes on. Timeouts hold within a quarter of a second.
"""

import os
import resource
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from deck import eventually, interactions, log_lines, run
from peers import heard_before_the_cut, openssl, proxy_status, server_context
from namespaces import NameServer
from origin import CHUNKED_HEAD, LAST_CHUNK, HangUp, bare, chunk, reply
from servers import Server, listening_socket
from wire import PATIENCE, Wire, fetch

MEBI = 1 << 20
TOLERANCE = 0.25
SSE = bare(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"Transfer-Encoding: chunked")


def targets(cassette) -> list[str]:
    return sorted(each["request"]["target"] for each in interactions(cassette).values())


def assert_fails(deck, status: int, *tokens: str, method=b"GET", body=None) -> None:
    answer = fetch(deck.url, "/row?key=hunter2", b"Authorization: Bearer hunter2", method=method, body=body)
    assert b"hunter2" not in answer.head + answer.body
    assert (answer.status, proxy_status(answer)) in [(status, token) for token in tokens], answer.body


def assert_nothing_recorded(deck, cassette, *but: str) -> None:
    assert deck.stop() == 0, deck.stderr
    assert targets(cassette) == sorted(but)


@contextmanager
def takes(seconds: float):
    began = time.monotonic()
    yield
    passed = time.monotonic() - began
    assert seconds - 0.02 <= passed <= seconds + TOLERANCE, f"took {passed:.3f} s and not {seconds} s"


@contextmanager
def takes_at_most(seconds: float):
    began = time.monotonic()
    yield
    passed = time.monotonic() - began
    assert passed <= seconds, f"took {passed:.3f} s"


def quietly(line) -> None:
    line.request()
    line.wait_for_close()


@pytest.fixture
def record(start, cassette):
    """A recorder before a URL."""
    return lambda url, *options, **how: start("record", "--upstream", url, "--cassette", cassette, *options, **how)


@pytest.fixture
def closed_port():
    with listening_socket() as listener:
        port = listener.getsockname()[1]
    return port


# Reaching the origin


def test_f01_a_closed_port_is_502_at_once(record, closed_port, cassette):
    deck = record(f"http://127.0.0.1:{closed_port}")
    with takes_at_most(0.1):
        assert_fails(deck, 502, "connection_refused")
    assert_nothing_recorded(deck, cassette)


@pytest.mark.parametrize("result", [pytest.param(3, id="NXDOMAIN"), pytest.param(2, id="SERVFAIL")])
def test_f02_a_name_that_does_not_resolve_is_502(record, namespace, cassette, result):
    with namespace.entered():
        server = NameServer(result)
    deck = record("http://origin.invalid", wrapper=namespace.wrapper())
    with namespace.entered():
        assert_fails(deck, 502, "dns_error")
    server.stop()
    assert server.questions > 0
    assert_nothing_recorded(deck, cassette)


def test_f03_a_name_server_that_says_nothing_is_504_and_holds_nothing_up(record, namespace, cassette):
    with namespace.entered():
        server = NameServer(None)
    deck = record("http://origin.test", "--connect-timeout", "0.5", wrapper=namespace.wrapper())
    with namespace.entered():
        for _ in range(2):
            with takes(0.5):
                assert_fails(deck, 504, "dns_timeout")
    assert server.questions > 0
    with takes_at_most(2):
        assert_nothing_recorded(deck, cassette)
    server.stop()


def test_f04_an_address_that_swallows_everything_is_504(record, namespace, cassette):
    namespace.add_silent_network("10.9.0.1/24", "10.9.0.2")
    deck = record("http://10.9.0.2", "--connect-timeout", "0.5", wrapper=namespace.wrapper())
    with namespace.entered(), takes(0.5):
        assert_fails(deck, 504, "connection_timeout")
    assert_nothing_recorded(deck, cassette)


def test_f04_a_full_backlog_is_504(record, cassette):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(8)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        deck = record(f"http://127.0.0.1:{address[1]}", "--connect-timeout", "0.5")
        with takes(0.5):
            assert_fails(deck, 504, "connection_timeout")
        assert_nothing_recorded(deck, cassette)
        for each in waiting:
            each.close()


@pytest.mark.parametrize("kind", ["none", "unreachable", "prohibit", "blackhole"])
def test_f05_no_route_is_502(record, namespace, cassette, kind):
    if kind != "none":
        namespace.run("ip", "route", "add", kind, "10.9.0.0/24")
    deck = record("http://10.9.0.2", wrapper=namespace.wrapper())
    with namespace.entered():
        assert_fails(deck, 502, "destination_ip_unroutable")
    assert_nothing_recorded(deck, cassette)


@pytest.mark.parametrize("dead", [pytest.param("::1", id="refused"), pytest.param("fd00:9::2", id="silent")])
def test_f06_a_dead_ipv6_address_does_not_matter(record, namespace, peer, cassette, dead):
    namespace.add_silent_network("fd00:9::1/64", "fd00:9::2")
    with namespace.entered():
        upstream = peer(lambda line: line.send(reply(line.request().target)))
    deck = record(
        f"http://both.test:{upstream.port}", wrapper=namespace.wrapper(f"{dead} both.test\n127.0.0.1 both.test\n"))
    with namespace.entered(), takes_at_most(1):
        assert fetch(deck.url, "/row").body == b"/row"
    assert_nothing_recorded(deck, cassette, "/row")


def test_f07_ports_that_run_out_are_503_until_one_is_free(record, namespace, peer, cassette):
    release = threading.Event()

    def script(line):
        if line.request().target == b"/hold":
            assert release.wait(PATIENCE)
        line.send(reply(b"here", b"Connection: close"))
        line.wait_for_close()

    with namespace.entered():
        upstream = peer(script)
    deck = record(upstream.url, wrapper=namespace.wrapper())
    with namespace.entered():
        holder, other = Wire(deck.url), Wire(deck.url)
    # A port that no connection to the origin has used yet.
    namespace.run("sysctl", "-w", "net.ipv4.ip_local_port_range=50001 50001")
    with holder, other:
        holder.ask(b"/hold")
        eventually(lambda: upstream.requests, "the only port is taken")
        other.ask(b"/row")
        answer = other.answer()
        assert (answer.status, proxy_status(answer)) == (503, "connection_limit_reached")
        release.set()
        assert holder.answer().body == b"here"
        namespace.run("sysctl", "-w", "net.ipv4.ip_local_port_range=50001 50009")
        other.ask(b"/row")
        assert other.answer().body == b"here"
    assert_nothing_recorded(deck, cassette, "/hold", "/row")


def descriptors(deck) -> list[int]:
    return sorted(int(name) for name in os.listdir(f"/proc/{deck.process.pid}/fd"))


@contextmanager
def no_more_descriptors(deck):
    taken = set(descriptors(deck))
    free = next(number for number in range(1 << 16) if number not in taken)
    limits = resource.prlimit(deck.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(deck.process.pid, resource.RLIMIT_NOFILE, (free, limits[1]))
    yield
    resource.prlimit(deck.process.pid, resource.RLIMIT_NOFILE, limits)


def test_f07_descriptors_that_run_out_are_503_until_there_are_more(record, origin, cassette):
    deck = record(origin(lambda exchange: reply(b"here")).url)
    with Wire(deck.url) as wire:
        wire.ask(b"/before", method=b"POST")  # the connection is accepted; a POST takes a new one each time
        assert wire.answer().body == b"here"
        with no_more_descriptors(deck):
            wire.ask(b"/row", method=b"POST")
            answer = wire.answer()
        assert (answer.status, proxy_status(answer)) == (503, "connection_limit_reached")
        wire.ask(b"/after", method=b"POST")
        assert wire.answer().body == b"here"
    assert_nothing_recorded(deck, cassette, "/after", "/before")


def test_f07_a_lookup_without_descriptors_is_503(record, namespace, origin, cassette):
    with namespace.entered():
        upstream = origin(lambda exchange: reply(b"here"))
    deck = record(
        f"http://origin.test:{upstream.port}", wrapper=namespace.wrapper("127.0.0.1 origin.test\n"))
    before = len(descriptors(deck))
    with namespace.entered():
        wire = Wire(deck.url)
    with wire:
        eventually(lambda: len(descriptors(deck)) > before, "the client is accepted")
        with no_more_descriptors(deck):
            wire.ask(b"/row")
            answer = wire.answer()
        assert (answer.status, proxy_status(answer)) == (503, "connection_limit_reached"), answer.body
        wire.ask(b"/after")
        assert wire.answer().body == b"here"
    assert_nothing_recorded(deck, cassette, "/after")


# TLS


@pytest.fixture
def tls_fault(record, peer, authority):
    """A recorder before a TLS origin with this certificate, told to trust our authority."""

    def tls_fault(certificate, key, adjust=lambda context: None, trust=True):
        context = server_context(certificate, key)
        adjust(context)
        upstream = peer(quietly, tls=context)
        return upstream, record(upstream.url, *(["--cacert", authority[0]] if trust else []))

    return tls_fault


def assert_tls_fails(upstream, deck, cassette, *tokens: str) -> None:
    assert_fails(deck, 502, *tokens)
    assert upstream.requests == [], "the request went out over a connection that cannot be trusted"
    assert_nothing_recorded(deck, cassette)


def test_f08_an_expired_certificate_is_502(tls_fault, authority, cassette):
    pair = authority[1]("expired", "IP:127.0.0.1", days=-1)
    assert_tls_fails(*tls_fault(*pair), cassette, "tls_certificate_error")


def test_f08_a_self_signed_certificate_is_502(tls_fault, tmp_path, cassette):
    certificate, key = tmp_path / "self.pem", tmp_path / "self.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate)
    assert_tls_fails(*tls_fault(certificate, key), cassette, "tls_certificate_error")


def test_f08_a_certificate_for_another_host_is_502(tls_fault, authority, cassette):
    assert_tls_fails(*tls_fault(*authority[1]("other", "DNS:elsewhere.test")), cassette, "tls_certificate_error")


def test_f08_an_unknown_authority_is_502(tls_fault, authority, cassette):
    pair = authority[1]("unknown", "IP:127.0.0.1")
    assert_tls_fails(*tls_fault(*pair, trust=False), cassette, "tls_certificate_error")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_f08_tls_1_0_is_502(tls_fault, authority, cassette):
    def only_tls_1_0(context):
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1

    pair = authority[1]("old", "IP:127.0.0.1")
    assert_tls_fails(*tls_fault(*pair, only_tls_1_0), cassette, "tls_protocol_error", "tls_alert_received")


@pytest.mark.parametrize("data, token", [
    pytest.param(reply(b"", status=b"400 Bad Request"), "tls_protocol_error", id="plain HTTP"),
    pytest.param(b"\x15\x03\x03\x00\x02\x02\x28", "tls_alert_received", id="alert"),
    pytest.param(b"", "tls_protocol_error", id="hang up"),
    pytest.param(b"\x16\x03\x03\xff\xff" + b"x" * 100, "tls_protocol_error", id="garbage"),
])
def test_f08_no_tls_at_all_is_502(record, peer, cassette, data, token):
    def script(line):
        line.socket.recv(65536)
        line.send(data)
        raise HangUp

    deck = record(f"https://127.0.0.1:{peer(script).port}")
    assert_fails(deck, 502, token)
    assert_nothing_recorded(deck, cassette)


def test_f08_a_handshake_that_stalls_is_504(record, peer, cassette):
    upstream = peer(lambda line: line.wait_for_close())
    deck = record(f"https://127.0.0.1:{upstream.port}", "--connect-timeout", "0.4")
    with takes(0.4):
        assert_fails(deck, 504, "connection_timeout")
    assert_nothing_recorded(deck, cassette)


# The head


@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_f09_a_reset_on_accept_is_502(record, peer, cassette, method):
    upstream = peer(lambda line: line.reset())
    deck = record(upstream.url)
    assert_fails(deck, 502, "connection_terminated", method=method)
    assert upstream.connections == 1
    assert_nothing_recorded(deck, cassette)


def test_f09_a_reset_after_the_request_is_502(record, peer, cassette):
    def script(line):
        line.request()
        line.reset()

    deck = record(peer(script).url)
    assert_fails(deck, 502, "connection_terminated")
    assert_nothing_recorded(deck, cassette)


def test_f10_a_connection_closed_without_a_byte_is_502(record, peer, cassette):
    def script(line):
        line.request()
        raise HangUp

    deck = record(peer(script).url)
    assert_fails(deck, 502, "http_response_incomplete")
    assert_nothing_recorded(deck, cassette)


def test_f11_silence_is_504(record, peer, cassette):
    upstream = peer(quietly)
    deck = record(upstream.url, "--first-byte-timeout", "0.3")
    for method in (b"GET", b"POST"):
        with takes(0.3):
            assert_fails(deck, 504, "http_response_timeout", method=method)
    assert len(upstream.requests) == 2
    assert_nothing_recorded(deck, cassette)


def test_f11_a_head_that_drips_gets_no_more_time(record, peer, cassette):
    gone = threading.Event()

    def script(line):
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\n")
        while not gone.wait(0.05):
            line.send(b"X: y\r\n")

    deck = record(peer(script).url, "--first-byte-timeout", "0.5")
    with takes(0.5):
        assert_fails(deck, 504, "http_response_timeout")
    gone.set()
    assert_nothing_recorded(deck, cassette)


@pytest.mark.parametrize("data", [b"HTTP/1.1 200 OK\r\nContent-", b"HTTP/1.1 2"])
@pytest.mark.parametrize("ending", ["FIN", "RST"])
def test_f12_a_head_that_breaks_off_is_502(record, peer, cassette, data, ending):
    def script(line):
        line.request()
        line.send(data)
        # A reset overtakes data that waits to be read: let it be read first.
        eventually(lambda: is_drained(line.socket), "the head's beginning is read")
        if ending == "RST":
            line.reset()
        raise HangUp

    deck = record(peer(script).url)
    assert_fails(deck, 502, "http_response_incomplete")
    assert_nothing_recorded(deck, cassette)


def is_drained(line: socket.socket) -> bool:
    """Whether the peer, on this machine, has nothing left to read."""
    here, there = line.getsockname(), line.getpeername()
    entry = f"{hexed(there)} {hexed(here)}"
    for text in Path("/proc/net/tcp").read_text().splitlines():
        if entry in text:
            return text.split()[4].endswith(":00000000")
    return True


def hexed(address) -> str:
    return "".join(f"{int(part):02X}" for part in reversed(address[0].split("."))) + f":{address[1]:04X}"


@pytest.mark.parametrize("data", [
    pytest.param(os.urandom(4096).replace(b"\n", b"?"), id="F13 garbage"),
    pytest.param(b"220 mail.test ESMTP\r\n", id="F13 another protocol"),
    pytest.param(b"just a body\n", id="F13 HTTP 0.9"),
    pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="F13 HTTP 2 preface"),
    pytest.param(b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80", id="F13 HTTP 2 frame"),
    pytest.param(bare(b"HTTP/1.1 200 OK", b"Content-Length: 1", b"Content-Length: 2"), id="F14 invalid framing"),
])
def test_f13_f14_what_is_not_http_1_is_502(record, peer, cassette, data):
    def script(line):
        line.request()
        line.send(data)
        line.wait_for_close()

    deck = record(peer(script).url, "--first-byte-timeout", "5")
    assert_fails(deck, 502, "http_protocol_error")
    assert_nothing_recorded(deck, cassette)


@pytest.mark.parametrize("piece", [
    pytest.param(b"X-Endless: yes\r\n", id="F21 endless header lines"),
    pytest.param(b"x" * 1000, id="F21 one endless line"),
    pytest.param(bare(b"HTTP/1.1 103 Early Hints"), id="F21 endless interim answers"),
    pytest.param(bare(b"HTTP/1.1 100 Continue"), id="F21 endless 100s"),
])
def test_f21_an_endless_head_is_502(record, origin, cassette, piece):
    def endless(exchange):
        if not piece.startswith(b"HTTP"):
            exchange.send(b"HTTP/1.1 200 OK\r\nX: ")
        exchange.send_until_close(piece * 64)
        raise HangUp

    deck = record(origin(endless).url)
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        answer = wire.answer()
        while answer.status == 103:
            answer = wire.answer()
    assert (answer.status, proxy_status(answer)) == (502, "http_response_header_section_size")
    assert_nothing_recorded(deck, cassette)


# The body

LENGTH_HEAD = bare(b"HTTP/1.1 200 OK", b"Content-Length: 100")
CLOSE_HEAD = bare(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("ending", ["FIN", "RST"])
@pytest.mark.parametrize("head, piece", [
    pytest.param(LENGTH_HEAD, b"some", id="F15 length"),
    pytest.param(CHUNKED_HEAD, chunk(b"some"), id="F16 chunked"),
    pytest.param(CLOSE_HEAD, b"some", id="F17 until close"),
])
def test_f15_f16_f17_a_body_that_breaks_off_is_seen_to(record, peer, cassette, head, piece, ending):
    if head is CLOSE_HEAD and ending == "FIN":
        pytest.skip("FIN is how such a body ends (B20)")
    heard = threading.Event()

    def script(line):
        line.request()
        line.send(head + piece)
        assert heard.wait(PATIENCE)
        if ending == "RST":
            line.reset()
        raise HangUp

    deck = record(peer(script).url)
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        answer = wire.head()
        assert answer.status == 200
        if answer.chunked:
            assert wire.chunk() == b"some"
        else:
            assert wire.stream.read(4) == b"some"
        heard.set()
        assert wire.is_closed()
    assert_nothing_recorded(deck, cassette)


def test_f17_an_http_1_0_client_sees_a_reset(record, peer, cassette):
    heard = threading.Event()

    def script(line):
        line.request()
        line.send(CLOSE_HEAD + b"some")
        assert heard.wait(PATIENCE)
        line.reset()

    deck = record(peer(script).url)
    with Wire(deck.url) as wire:
        wire.send(b"GET /row HTTP/1.0\r\n\r\n")
        wire.head()
        assert wire.stream.read(4) == b"some"
        heard.set()
        with pytest.raises(ConnectionResetError):
            wire.stream.read(1)
    assert_nothing_recorded(deck, cassette)


@pytest.mark.parametrize("head, piece", [(LENGTH_HEAD, b"some"), (CHUNKED_HEAD, chunk(b"some")), (CLOSE_HEAD, b"some")])
def test_f18_a_body_that_stalls_is_cut(record, peer, cassette, head, piece):
    def script(line):
        line.request()
        line.send(head + piece)
        line.wait_for_close()

    deck = record(peer(script).url, "--read-timeout", "0.4")
    with takes(0.4):
        heard_before_the_cut(deck.url, b"/row")
    assert_nothing_recorded(deck, cassette)


def test_f19_a_dripping_body_passes_byte_by_byte(record, peer, cassette):
    """Longer as a whole than the read timeout, each byte within it."""

    def script(line):
        line.request()
        line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 6"))
        for byte in b"dripps":
            threading.Event().wait(0.2)
            line.send(bytes([byte]))

    deck = record(peer(script).url, "--read-timeout", "0.5")
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        wire.head()
        for byte in b"dripp":
            assert wire.stream.read(1) == bytes([byte])
        assert wire.stream.read(1) == b"s"
    assert_nothing_recorded(deck, cassette, "/row")


def test_f20_an_endless_body_passes_unrecorded(record, origin, cassette, figure):
    closed = threading.Event()

    def serve(exchange):
        if exchange.request.target == b"/small":
            return reply(b"small")
        exchange.send(CHUNKED_HEAD)
        exchange.send_until_close(chunk(b"x" * 65536))
        closed.set()
        raise HangUp

    deck = record(origin(serve).url, "--max-record-body", "1")
    with Wire(deck.url) as wire:
        wire.ask(b"/endless")
        wire.head()
        for _ in range(64 * MEBI // 65536):
            assert wire.chunk()
        figure("64 MiB of an endless body, --max-record-body 1", f"{deck.mebibytes('VmHWM'):.1f} MiB at most")
        assert deck.mebibytes("VmHWM") < 64
        assert sum(path.stat().st_size for path in cassette.iterdir()) < MEBI
    assert closed.wait(PATIENCE)
    assert fetch(deck.url, "/small").body == b"small"
    assert_nothing_recorded(deck, cassette, "/small")


@pytest.mark.parametrize("framing", ["length", "chunked", "until close"])
def test_f20_an_answer_too_large_to_record_arrives_whole(record, peer, cassette, framing):
    body = os.urandom(MEBI + 1)
    heads = {"length": bare(b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body)), "chunked": CHUNKED_HEAD, "until close": CLOSE_HEAD}

    def script(line):
        size = MEBI if line.request().target == b"/fits" else len(body)
        head = heads[framing].replace(b"%d" % len(body), b"%d" % size)
        line.send(head + (chunk(body[:size]) + LAST_CHUNK if framing == "chunked" else body[:size]))
        raise HangUp

    deck = record(peer(script).url, "--max-record-body", "1")
    for _ in range(2):
        assert fetch(deck.url, "/large").body == body
    assert fetch(deck.url, "/fits").body == body[:MEBI]
    assert_nothing_recorded(deck, cassette, "/fits")
    assert len(log_lines(deck, "too large to be recorded")) == 1
    assert log_lines(deck, "1 recorded", "2 too large to record")


def test_f20_an_answer_in_too_many_chunks_arrives_whole(record, peer, cassette):
    count = (1 << 20) + 1

    def script(line):
        line.request()
        line.send(CHUNKED_HEAD + b"1\r\nx\r\n" * count + LAST_CHUNK)

    deck = record(peer(script).url)
    assert fetch(deck.url, "/row").body == b"x" * count
    assert_nothing_recorded(deck, cassette)
    assert log_lines(deck, "1 too large to record")


def test_f22_an_event_stream_may_rest_and_ends_with_its_client(record, peer, cassette):
    closed = threading.Event()

    def script(line):
        line.request()
        line.send(SSE + chunk(b"data: 1\n\n"))
        assert not closed.wait(0.6)  # three times the read timeout
        line.send(chunk(b"data: 2\n\n"))
        line.wait_for_close()
        closed.set()

    deck = record(peer(script).url, "--read-timeout", "0.2")
    with Wire(deck.url) as wire:
        wire.ask(b"/row")
        wire.head()
        assert wire.chunk() == b"data: 1\n\n"
        assert wire.chunk() == b"data: 2\n\n"
    with takes_at_most(1):
        assert closed.wait(PATIENCE)
    assert_nothing_recorded(deck, cassette)


@pytest.mark.parametrize("leaving", ["FIN", "RST"])
def test_f23_a_client_that_leaves_ends_the_transfer(record, origin, cassette, leaving):
    closed = threading.Event()

    def flood(exchange):
        exchange.send(LENGTH_HEAD.replace(b"100", b"10000000000"))
        exchange.send_until_close(b"x" * MEBI)
        closed.set()
        raise HangUp

    deck = record(origin(flood).url)
    wire = Wire(deck.url)
    wire.ask(b"/row")
    assert wire.stream.read(MEBI)
    if leaving == "RST":
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    wire.close()
    with takes_at_most(1):
        assert closed.wait(PATIENCE)
    assert_nothing_recorded(deck, cassette)


def test_f24_a_client_that_never_reads_costs_little(record, origin, cassette, figure):
    stalled = threading.Semaphore(0)

    def flood(exchange):
        exchange.send(CHUNKED_HEAD)
        while not exchange.stalls(0.5):
            exchange.send_some(chunk(b"x" * 65536))
        stalled.release()
        exchange.wait_for_close()
        raise HangUp

    deck = record(origin(flood).url)
    wires = [Wire(deck.url) for _ in range(50)]
    before = deck.mebibytes("VmRSS")
    for wire in wires:
        wire.ask(b"/row")
    for _ in wires:
        assert stalled.acquire(timeout=PATIENCE)
    figure("50 clients that never read a flood", f"{deck.mebibytes('VmHWM') - before:.1f} MiB")
    assert deck.mebibytes("VmHWM") - before < 100
    for wire in wires:
        wire.close()
    assert_nothing_recorded(deck, cassette)


def test_f25_an_origin_that_stops_reading_is_504(record, peer, cassette):
    done = threading.Event()
    deck = record(peer(lambda line: done.wait(PATIENCE)).url, "--first-byte-timeout", "0.4")
    assert_fails(deck, 504, "connection_write_timeout", method=b"POST", body=bytes(32 * MEBI))
    done.set()
    assert_nothing_recorded(deck, cassette)


# What is not a fault, and must be left alone


def test_f27_a_redirect_loop_is_the_clients_affair(record, peer, cassette):
    upstream = peer(lambda line: [line.send(reply(b"", b"Location: " + line.request().target, status=b"302 Found")) for _ in range(2)])
    deck = record(upstream.url)
    for _ in range(2):
        answer = fetch(deck.url, "/loop")
        assert (answer.status, answer.value(b"Location")) == (302, b"/loop")
    assert upstream.hits(b"/loop") == 2
    assert deck.stop() == 0
    assert targets(cassette) == ["/loop", "/loop"]


@pytest.mark.parametrize("status, fields", [
    (b"401 Unauthorized", (b'WWW-Authenticate: Basic realm="x"', b"WWW-Authenticate: Negotiate")),
    (b"407 Proxy Authentication Required", (b'Proxy-Authenticate: Basic realm="x"', b"Proxy-Authenticate: NTLM")),
    (b"421 Misdirected Request", ()),
    (b"425 Too Early", ()),
    (b"426 Upgrade Required", ()),
    (b"429 Too Many Requests", (b"Retry-After: 0",)),
    (b"503 Service Unavailable", (b"Retry-After: 0",)),
])
@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_f28_a_challenge_is_the_clients_affair(record, start, peer, cassette, status, fields, method):
    def script(line):
        while True:
            line.request()
            line.send(reply(b"why", *fields, status=status))

    upstream = peer(script)
    deck = record(upstream.url)
    heard = fetch(deck.url, "/row", b"Authorization: Basic dTpw", method=method)
    assert heard.start == b"HTTP/1.1 " + status
    assert heard.lasting_fields == [tuple(field.split(b": ")) for field in fields] + [(b"Content-Length", b"3")]
    assert upstream.hits(b"/row") == 1
    assert_nothing_recorded(deck, cassette, "/row")
    assert fetch(start("replay", "--cassette", cassette).url, "/row", method=method).essence == heard.essence


# Connections that are kept


def test_f30_a_connection_that_died_idle_is_not_used(record, peer, cassette):
    closed = threading.Event()

    def script(line):
        line.request()
        line.send(reply(b"here"))
        if line.index == 0:
            closed.set()
            raise HangUp
        line.wait_for_close()

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        wire.ask(b"/1")
        wire.answer()
        assert closed.wait(PATIENCE)
        wire.ask(b"/2")
        assert wire.answer().body == b"here"
    assert (upstream.hits(b"/1"), upstream.hits(b"/2")) == (1, 1)
    assert_nothing_recorded(deck, cassette, "/1", "/2")


def test_f30_a_get_on_a_dying_connection_is_repeated_once(record, peer, cassette):
    def script(line):
        line.request()
        line.send(reply(b"here"))
        line.request()
        raise HangUp

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        for target in (b"/1", b"/2"):
            wire.ask(target)
            assert wire.answer().body == b"here"
    assert (upstream.hits(b"/1"), upstream.hits(b"/2")) == (1, 2)
    assert_nothing_recorded(deck, cassette, "/1", "/2")


def test_f30_a_get_that_dies_twice_is_502(record, peer, cassette):
    def script(line):
        if line.request().target == b"/1":
            line.send(reply(b"here"))
            line.request()
        raise HangUp

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        wire.ask(b"/1")
        assert wire.answer().body == b"here"
        wire.ask(b"/2")
        answer = wire.answer()
    assert answer.status == 502
    assert proxy_status(answer) in ("connection_terminated", "http_response_incomplete")
    assert upstream.hits(b"/2") == 2
    assert_nothing_recorded(deck, cassette, "/1")


def test_f30_a_post_is_never_repeated(record, peer, cassette):
    def script(line):
        if line.request().method == b"GET":
            line.send(reply(b"here"))
            line.request()
        raise HangUp

    upstream = peer(script)
    deck = record(upstream.url)
    with Wire(deck.url) as wire:
        wire.ask(b"/1")
        assert wire.answer().body == b"here"
        wire.ask(b"/2", method=b"POST", body=b"pay")
        assert wire.answer().status == 502
    assert upstream.hits(b"/2") == 1
    assert_nothing_recorded(deck, cassette, "/1")


# Time


FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


@pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed (debian-packages.txt)")
def test_f32_a_clock_that_jumps_moves_no_timeout(record, peer, cassette, tmp_path):
    offset = tmp_path / "offset"
    asked = threading.Event()

    def script(line):
        while line.request().target != b"/row":
            line.send(reply(b"here"))
        asked.set()
        line.wait_for_close()

    def jump(text: str) -> None:
        (tmp_path / "new").write_text(text)
        (tmp_path / "new").rename(offset)

    jump("+0")
    # Through a shell: the library puts a variable into the environment of the first program it is loaded into,
    # and Swift's runtime finds no arguments in a program whose environment has moved.
    variables = {
        "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": offset, "FAKETIME_NO_CACHE": 1,
        "FAKETIME_DONT_FAKE_MONOTONIC": 1, "DONT_FAKE_MONOTONIC": 1,
    }
    deck = record(
        peer(script).url, "--first-byte-timeout", "0.6",
        wrapper=["env", *(f"{name}={value}" for name, value in variables.items()), "sh", "-c", 'exec "$@"', "sh"])
    for number, days in enumerate(["+1d", "-1d"]):
        asked.clear()
        with Wire(deck.url) as wire, takes(0.6):
            wire.ask(b"/row")
            assert asked.wait(PATIENCE)
            jump(days)
            answer = wire.answer()
        assert (answer.status, proxy_status(answer)) == (504, "http_response_timeout")
        assert fetch(deck.url, f"/{number}").body == b"here"
    assert_nothing_recorded(deck, cassette, "/0", "/1")
    days = [path["volatile"]["recordedAt"][:10] for path in interactions(cassette).values()]
    assert len(set(days)) == 2, f"the clock did not jump: {days}"


STOPPABLE = """
import http.server, socket, sys
class Handler(http.server.BaseHTTPRequestHandler):
  protocol_version = "HTTP/1.1"
  def do_GET(self):
    body = self.path.encode()
    self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
    self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
server.socket.close()
server.socket = socket.socket(fileno=int(sys.argv[1]))
server.serve_forever()
"""


def test_f33_a_frozen_origin_is_504_and_its_late_answer_is_nobodys(record, tmp_path, cassette):
    listener = listening_socket()
    server = Server([sys.executable, "-c", STOPPABLE, str(listener.fileno())], tmp_path / "log", listener)
    try:
        deck = record(f"http://{server.authority}", "--first-byte-timeout", "0.4")
        with Wire(deck.url) as wire:
            wire.ask(b"/before")
            assert wire.answer().body == b"/before"
            server.process.send_signal(signal.SIGSTOP)
            with takes(0.4):
                wire.ask(b"/frozen")
                answer = wire.answer()
            assert (answer.status, proxy_status(answer)) == (504, "http_response_timeout")
            server.process.send_signal(signal.SIGCONT)
            for number in range(5):
                wire.ask(b"/after-%d" % number)
                assert wire.answer().body == b"/after-%d" % number
    finally:
        server.process.send_signal(signal.SIGCONT)
        server.stop()
    assert_nothing_recorded(deck, cassette, "/before", *(f"/after-{number}" for number in range(5)))


# Limits


@pytest.mark.parametrize("option", ["--connect-timeout", "--first-byte-timeout", "--read-timeout"])
@pytest.mark.parametrize("value", ["0", "-1", "1e3", "1.", ".5", "1,5", "ten", "86401", "nan", "+1", "0.0001"])
def test_a_timeout_that_is_no_time_is_refused(cassette, option, value):
    done = run("record", "--upstream", "http://127.0.0.1:1", "--cassette", cassette, f"{option}={value}")
    assert done.returncode == 2
    assert f"{option} takes seconds" in done.stderr
    assert not cassette.exists()


def test_exchanges_beyond_the_limit_wait_for_their_turn(record, peer, cassette):
    release = threading.Event()

    def script(line):
        line.request()
        assert release.wait(PATIENCE)
        line.send(reply(b"here"))

    upstream = peer(script)
    deck = record(
        upstream.url, "--threads", "1", "--max-upstream-connections", "2", "--connect-timeout", "0.4")
    holders = [Wire(deck.url), Wire(deck.url)]
    for number, wire in enumerate(holders):
        wire.ask(b"/held-%d" % number)
    eventually(lambda: len(upstream.requests) == 2, "both connections are taken")
    with takes(0.4):
        assert_fails(deck, 503, "connection_limit_reached")
    with Wire(deck.url) as waiting:
        waiting.ask(b"/waited")
        release.set()
        assert waiting.answer().body == b"here"
    for wire in holders:
        assert wire.answer().body == b"here"
        wire.close()
    assert_nothing_recorded(deck, cassette, "/held-0", "/held-1", "/waited")


# Everything at once


def mixed(line):
    """Answers as the target says."""
    while True:
        request = line.request()
        kind, token = request.target.split(b"/")[1:]
        match kind:
            case b"good":
                line.send(reply(token, b"Connection: close"))
                raise HangUp
            case b"chunked":
                line.send(CHUNKED_HEAD + chunk(token) + LAST_CHUNK)
            case b"refused":
                line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 1", b"Content-Length: 2", body=token))
            case b"short":
                line.send(bare(b"HTTP/1.1 200 OK", b"Content-Length: 1000", body=token))
                raise HangUp
            case b"cut":
                line.send(CHUNKED_HEAD + chunk(token))
                raise HangUp
            case b"stray":
                line.send(reply(token) + reply(b"stray"))
            case b"silent":
                line.wait_for_close()
                raise HangUp
            case b"empty":
                raise HangUp
            case b"reset":
                line.reset()


MIXED = {
    "good": 200, "chunked": 200, "stray": 200, "refused": 502, "short": None, "cut": None, "silent": 504, "empty": 502,
    "reset": 502,
}


def heard(wire: Wire):
    try:
        answer = wire.answer()
        return answer.status, answer.body
    except ConnectionError:
        return None, b""


def test_f35_a_thousand_faults_at_once_leave_nothing_behind(record, peer, cassette, figure):
    upstream = peer(mixed)
    deck = record(upstream.url, "--first-byte-timeout", "3", "--quiet")
    assert fetch(deck.url, "/good/warm").body == b"warm"
    before = len(descriptors(deck))
    kinds = list(MIXED)
    asked = [(kinds[number % len(kinds)], b"token-%d" % number) for number in range(1000)]
    wires = [Wire(deck.url) for _ in asked]
    began = time.monotonic()
    for wire, (kind, token) in zip(wires, asked):
        wire.ask(b"/%s/%s" % (kind.encode(), token))
    most = len(descriptors(deck))
    for wire, (kind, token) in zip(wires, asked):
        status, body = heard(wire)
        assert status == MIXED[kind], (kind, token, status, body)
        if status == 200:
            assert body == token
        wire.close()
    figure("1,000 parallel faults of nine kinds", f"{time.monotonic() - began:.1f} s, {most} descriptors at most")
    upstream.stop()
    eventually(lambda: len(descriptors(deck)) <= before + 2, f"{before} descriptors again", 45)
    assert deck.stop() == 0
    good = [f"/{kind}/{token.decode()}" for kind, token in asked if MIXED[kind] == 200]
    assert targets(cassette) == sorted(["/good/warm", *good])
