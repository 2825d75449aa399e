"""WebSockets declared in an overrides file, and faults of messages, with a real client and a real server."""

import json
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from deck import interactions, log_lines, run
from test_websocket import at, echo, websocket_server
from wire import fetch


@pytest.fixture
def serving(start, tmp_path):
    """A proxy with these rules."""
    def serve(*arguments, **rules):
        path = tmp_path / "overrides.json"
        path.write_text(json.dumps(rules))
        return start("serve", "--overrides", path, *arguments)
    return serve


def ended(ws):
    with pytest.raises(ConnectionClosed) as end:
        ws.recv(10)
    return end.value.rcvd and (end.value.rcvd.code, end.value.rcvd.reason)


def test_a_room_is_declared(serving):
    deck = serving(routes=[{"path": "/chat/{room}", "webSocket": {
        "subprotocols": ["v2.chat", "v1.chat"],
        "messages": [{"json": {"welcome": "{{components.room}}", "as": "{{query.name}}"}}],
        "replies": [
            {"when": {"jsonPath": {"$.method": "add"}}, "messages": [{"json": {"id": "{{body.id}}", "result": 3}}]},
            {"when": {"body": "bye"}, "messages": ["see you"], "close": {"code": 4000, "reason": "bye"}},
            {"when": {"body": {"startsWith": "later"}}, "messages": [{"text": "one", "delay": 0.2}, {"base64": "AAH/"}]},
        ],
    }}])
    with connect(at(deck, "/chat/7?name=ann"), subprotocols=["v1.chat", "v2.chat"]) as ws:
        assert ws.subprotocol == "v2.chat"
        assert json.loads(ws.recv(10)) == {"welcome": "7", "as": "ann"}
        ws.send("nobody replies to this")
        ws.send(json.dumps({"jsonrpc": "2.0", "method": "add", "id": 41}))
        assert json.loads(ws.recv(10)) == {"id": 41, "result": 3}
        assert ws.ping(b"x").wait(10)
        since = time.monotonic()
        ws.send("later")
        ws.send(json.dumps({"method": "add", "id": "after"}))
        assert ws.recv(10) == "one" and time.monotonic() - since >= 0.2
        assert ws.recv(10) == b"\x00\x01\xff"
        assert json.loads(ws.recv(10))["id"] == "after"
        ws.send("bye")
        assert ws.recv(10) == "see you"
        assert ended(ws) == (4000, "bye")
    # A request that opens no WebSocket passes on to what is behind, here nothing.
    assert fetch(deck.url, "/chat/7").status in (404, 502)


def test_a_handshake_that_is_not_valid_is_refused(serving):
    deck = serving(routes=[{"path": "/chat", "webSocket": {}}])
    fields = [b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    old = fetch(deck.url, "/chat", *fields, b"Sec-WebSocket-Version: 8")
    assert old.status == 426 and old.value(b"Sec-WebSocket-Version") == b"13"
    keyless = fetch(deck.url, "/chat", *fields[:2], b"Sec-WebSocket-Key: x", b"Sec-WebSocket-Version: 13")
    assert keyless.status == 400


def through(serving, port, *faults, mode="passthrough", **options):
    return serving("--mode", mode, "--upstream", f"http://127.0.0.1:{port}", *options.pop("arguments", []), faults=list(faults))


def test_faults_act_on_the_messages_they_name(serving):
    with websocket_server(echo) as port:
        deck = through(
            serving, port,
            {"path": "/drop", "type": "drop", "messages": {"on": 2}},
            {"path": "/deaf", "type": "drop", "messages": {"from": "client", "when": {"json": {"x": 1}}}},
            {"path": "/slow", "type": "latency", "latency": 200, "messages": {"on": [1]}},
            {"path": "/close", "type": "close", "code": 1013, "reason": "try later", "messages": {"after": 2}},
            {"path": "/garbage", "type": "malformed_frame", "messages": {"on": 2}},
            {"path": "/all", "type": "close"})

        def say(path, *messages):
            heard = []
            with connect(at(deck, path)) as ws:
                for message in messages:
                    ws.send(message)
                while True:
                    try:
                        heard.append(ws.recv(1))
                    except TimeoutError:
                        return heard, None
                    except ConnectionClosed as end:
                        return heard, end.rcvd.code if end.rcvd else end.sent and end.sent.code

        assert say("/drop", "a", "b", "c") == (["a", "c"], None)
        assert say("/deaf", "a", '{"x": 1, "y": 2}', '{"x": 2}') == (["a", '{"x": 2}'], None)
        assert say("/close", "a", "b", "c", "d") == (["a", "b"], 1013)
        assert say("/all", "a") == ([], 1011)
        # The client is the one that tells.
        assert say("/garbage", "a", "b", "c") == (["a"], 1002)
        assert say("/plain", "a", "b" * 100_000) == (["a", "b" * 100_000], None)
        since = time.monotonic()
        with connect(at(deck, "/slow")) as ws:
            for message in "ab":
                ws.send(message)
            assert [ws.recv(10), ws.recv(10)] == ["a", "b"]
        assert time.monotonic() - since >= 0.2
        assert deck.stop() == 0


def test_a_recording_holds_nothing_of_a_fault(serving, cassette):
    with websocket_server(echo) as port:
        deck = through(
            serving, port, {"path": "/chat", "type": "drop", "messages": {"on": 1}}, mode="all",
            arguments=["--cassette", cassette])
        with connect(at(deck)) as ws:
            ws.send("a")
            ws.send("b")
            assert ws.recv(10) == "b"
        deck.stop()
    [recorded] = interactions(cassette).values()
    assert [message["text"] for message in recorded["webSocket"]["messages"] if message["from"] == "server"] == ["a", "b"]


def test_a_delay_of_the_client_holds_back_no_more_than_it_must(serving):
    with websocket_server(echo, max_size=None) as port:
        deck = through(serving, port, {"path": "/*", "type": "latency", "latency": 50, "messages": {"from": "client"}})
        with connect(at(deck), max_size=None) as ws:
            for number in range(30):
                ws.send("x" * 50_000 + str(number))
            for number in range(30):
                assert ws.recv(20).endswith("x" + str(number))


def test_an_open_websocket_leaves_its_connection_to_others(start):
    """It does not count for --max-upstream-connections, which is there to spare origins requests."""
    with websocket_server(echo) as port:
        deck = start(
            "serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}", "--max-upstream-connections", "1")
        with connect(at(deck)) as first, connect(at(deck)) as second, connect(at(deck)) as third:
            for ws in (first, second, third):
                ws.send("here")
                assert ws.recv(10) == "here"


def test_what_is_dropped_is_not_counted_as_recorded(start, cassette):
    with websocket_server(echo) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        with connect(at(deck)) as ws:
            ws.send("a")
            ws.recv(10)
            ws.socket.sendall(bytes([0xC1, 0x80, 0, 0, 0, 0]))
            with pytest.raises(ConnectionClosed):
                ws.recv(10)
        deck.stop()
    assert not cassette.exists() or not interactions(cassette)
    assert not log_lines(deck, "1 recorded")


def test_a_wrong_declaration_is_told_with_its_place(tmp_path):
    rules = tmp_path / "overrides.json"
    rules.write_text(json.dumps({"routes": [{"path": "/a", "webSocket": {"replies": [{"messages": [{"txt": "a"}]}]}}]}))
    linted = run("lint", rules)
    assert linted.returncode == 4
    assert "webSocket.replies[0].messages[0].txt: unknown member; did you mean text?" in linted.stdout + linted.stderr
