"""Origins that cannot be reached or say nothing that makes sense (F01 to F14, F21, F32, F33): each failure is made for
real, the client gets the right status and Proxy-Status, the cassette nothing, and the proxy goes on.
"""

import os
import resource
import signal
import socket
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from deck import eventually, interactions
from failing import assert_fails, assert_nothing_recorded, descriptors, quietly, takes, takes_at_most
from namespaces import NameServer
from origin import HangUp, bare, reply
from peers import proxy_status
from servers import Server, free_port, listening_socket
from wire import PATIENCE, Wire, fetch


closed_port = pytest.fixture(free_port)


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
    namespace.set_ports(50001, 50001)
    with holder, other:
        holder.ask(b"/hold")
        eventually(lambda: upstream.requests, "the only port is taken")
        other.ask(b"/row")
        answer = other.answer()
        assert (answer.status, proxy_status(answer)) == (503, "connection_limit_reached")
        release.set()
        assert holder.answer().body == b"here"
        namespace.set_ports(50001, 50009)
        other.ask(b"/row")
        assert other.answer().body == b"here"
    assert_nothing_recorded(deck, cassette, "/hold", "/row")


@contextmanager
def no_more_descriptors(deck):
    taken = set(descriptors(deck))
    free = next(number for number in range(1 << 16) if number not in taken)
    limits = resource.prlimit(deck.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(deck.process.pid, resource.RLIMIT_NOFILE, (free, limits[1]))
    yield
    resource.prlimit(deck.process.pid, resource.RLIMIT_NOFILE, limits)


def test_f07_descriptors_that_run_out_are_503_until_there_are_more(record, origin, cassette):
    deck = record(origin(lambda exchange: reply(b"here", b"Connection: close")).url)
    with Wire(deck.url) as wire:
        wire.ask(b"/before", method=b"POST")  # the client's connection is accepted; the origin's is a new one each time
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
            # A thread on another core runs on for a moment.
            status = Path(f"/proc/{server.process.pid}/status")
            eventually(lambda: "State:\tT" in status.read_text(), "the origin to stand still")
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
