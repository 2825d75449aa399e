"""WebSockets pass through, with real clients and servers at both ends (RFC 6455)."""

import contextlib
import json
import ssl
import threading

import pytest
from websockets.sync.client import connect
from websockets.sync.server import serve
from websockets.exceptions import ConnectionClosed, InvalidStatus

from deck import ROOT, eventually, run
from wire import fetch


@contextlib.contextmanager
def websocket_server(handler, **options):
    """A real server on a thread; its port."""
    with serve(handler, "127.0.0.1", 0, **options) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.socket.getsockname()[1]
        server.shutdown()


def echo(ws):
    for message in ws:
        ws.send(message)


def at(deck, path="/chat"):
    return deck.url.replace("http", "ws", 1) + path


def log_lines(deck, *words):
    return [line for line in deck.stderr.splitlines() if all(word in line for word in words)]


def test_messages_pings_and_codes_pass_both_ways(start, cassette):
    with websocket_server(echo, subprotocols=["chat", "other"], max_size=None) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        with connect(at(deck), subprotocols=["nobody", "chat"], max_size=None) as ws:
            assert ws.subprotocol == "chat"
            # Extensions change frames, so none is agreed on, though the client offers compression.
            assert not ws.protocol.extensions
            for message in ["hello", "grüße", "", b"\0\xff", b"x" * 70_000, "y" * 3_000_000]:
                ws.send(message)
                assert ws.recv(10) == message
            ws.send(["a", "b", "c"])
            assert ws.recv(10) == "abc"
            assert ws.ping(b"there?").wait(10)
            ws.close(4001, "enough")
        assert ws.close_code == 4001


def test_the_end_of_the_server_is_the_end_of_the_client(start, cassette):
    with websocket_server(lambda ws: ws.close(4002, "gone")) as port:
        deck = start("serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}")
        with connect(at(deck)) as ws, pytest.raises(ConnectionClosed) as ended:
            ws.recv(10)
        assert (ended.value.rcvd.code, ended.value.rcvd.reason) == (4002, "gone")
        deck.stop()
        assert log_lines(deck, "GET /chat 101")


def test_a_refused_handshake_is_a_response_like_any_other(start, cassette):
    refuse = lambda connection, request: connection.respond(401, "who are you?\n")
    with websocket_server(echo, process_request=refuse) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        with pytest.raises(InvalidStatus) as refused:
            connect(at(deck))
        assert (refused.value.response.status_code, refused.value.response.body) == (401, b"who are you?\n")


HANDSHAKE = [
    b"Connection: keep-alive, Upgrade", b"Upgrade: WebSocket", b"Sec-WebSocket-Version: 13",
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
]
SWITCHED = [b"Upgrade: websocket", b"Connection: Upgrade"]


@pytest.mark.parametrize("fields, why", [
    ([*SWITCHED, b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo!"], "Sec-WebSocket-Accept"),
    (SWITCHED, "Sec-WebSocket-Accept"),
    ([b"Upgrade: h2c", b"Connection: Upgrade", b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="], "another protocol"),
    ([*SWITCHED, b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", b"Sec-WebSocket-Protocol: mqtt"], "subprotocol"),
    ([*SWITCHED, b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", b"Sec-WebSocket-Extensions: permessage-deflate"],
     "extension"),
])
def test_a_101_that_does_not_open_what_was_asked_for_is_refused(start, origin, fields, why):
    upstream = origin(lambda exchange: b"\r\n".join([b"HTTP/1.1 101 Switching Protocols", *fields, b"", b""]))
    deck = start("serve", "--mode", "passthrough", "--upstream", upstream.url)
    answer = fetch(deck.url, "/ws", *HANDSHAKE)
    assert answer.status == 502 and why.encode() in answer.body


@pytest.fixture
def home(tmp_path):
    """A user's data folder with an authority in it."""
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert run("ca", "create", env=env).returncode == 0
    return env


def test_tls_to_the_origin_and_inside_of_a_tunnel(start, home, authority):
    ca, sign = authority
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sign("chat", "DNS:localhost,IP:127.0.0.1"))
    trust = ssl.create_default_context(cafile=run("ca", "path", env=home).stdout.strip())
    with websocket_server(echo, ssl=context) as port:
        reverse = start("serve", "--mode", "passthrough", "--upstream", f"https://127.0.0.1:{port}", "--cacert", ca)
        with connect(at(reverse)) as ws:
            ws.send("to TLS")
            assert ws.recv(10) == "to TLS"
        forward = start("serve", "--forward", "--mode", "passthrough", "--cacert", ca, env=home)
        with connect(f"wss://localhost:{port}/chat", proxy=forward.url, ssl=trust) as ws:
            for size in (1, 200_000):
                ws.send("z" * size)
                assert ws.recv(10) == "z" * size


def test_a_side_that_does_not_read_stops_the_other(start):
    """Neither side is read faster than the other takes: what is under way stays bounded."""
    release, sent = threading.Event(), []

    def flood(ws):
        try:
            for _ in range(400):
                ws.send(b"z" * 250_000)
                sent.append(250_000)
        except ConnectionClosed:
            pass

    with websocket_server(flood) as port:
        deck = start("serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}")
        with connect(at(deck), max_size=None, max_queue=1, compression=None) as ws:
            assert len(ws.recv(10)) == 250_000
            release.wait(0.7)
            stalled = sum(sent)
            assert stalled < 60_000_000
            got = 1
            while got < 400:
                assert len(ws.recv(10)) == 250_000
                got += 1
        resident = int(next(
            line for line in open(f"/proc/{deck.process.pid}/status") if line.startswith("VmHWM")).split()[1])
        assert resident < 120_000


def test_a_handshake_that_was_not_recorded_is_a_miss(start):
    offline = start("serve", "--mode", "none", "--cassette", "Cassettes/events", cwd=ROOT)
    with pytest.raises(InvalidStatus) as refused:
        connect(at(offline))
    assert refused.value.response.status_code == 502
    eventually(lambda: log_lines(offline, "GET /chat 502"), "the log's line")


def test_a_patch_of_no_messages_leaves_a_websocket_alone_and_says_so(start, tmp_path):
    rules = tmp_path / "overrides.json"
    rules.write_text(json.dumps({"patches": [{"id": "late", "path": "/chat", "status": 503}]}))
    with websocket_server(echo) as port:
        deck = start(
            "serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}", "--overrides", rules,
            "--log-format", "json")
        with connect(at(deck)) as ws:
            ws.send("hello")
            assert ws.recv(10) == "hello"
        deck.stop()
        assert log_lines(deck, "of which only messages are patched")
