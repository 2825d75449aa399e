"""WebSockets declared in an overrides file, and faults of messages, with a real client and a real server."""

import base64
import json
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from deck import eventually, interactions, log_lines, run
from steering import steered
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
    arguments = options.pop("arguments", [])
    return serving("--mode", mode, "--upstream", f"http://127.0.0.1:{port}", *arguments, faults=list(faults), **options)


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


def patching(*edits, **rule):
    return {"id": "p", "path": "/chat", "messages": list(edits), **rule}


def test_patches_change_what_is_forwarded_and_what_is_replayed(serving, start, cassette, tmp_path):
    """A recording holds what the origin said; the same patch makes the same of it when it is replayed."""
    edits = [
        {"at": 1, "json": [{"set": "$.price", "value": 0}]}, {"at": 2, "drop": True},
        {"when": {"body": {"contains": "three"}}, "replace": {"text": "three", "with": "drei"},
         "before": [{"json": {"room": "{{path}}"}}], "after": [b64("\0\1")]},
        {"from": "client", "when": {"body": "secret word"}, "replace": {"text": "secret", "with": "other"}},
        {"when": {"body": "bye"}, "close": {"code": 4009, "reason": "closed by a patch"}},
    ]

    def session(deck):
        heard = []
        with connect(at(deck)) as ws:
            for message in ['{"price": 1.50, "id": 1}', "two", "one two three", "secret word", b"bytes", "bye"]:
                ws.send(message)
            while True:
                try:
                    heard.append(ws.recv(10))
                except ConnectionClosed as end:
                    return heard, (end.rcvd.code, end.rcvd.reason)

    heard = ['{"price": 0, "id": 1}', '{"room":"/chat"}', "one two drei", b"\0\1", "other word", b"bytes", "bye"]
    with websocket_server(echo) as port:
        deck = through(serving, port, mode="all", arguments=["--cassette", cassette], patches=[patching(*edits)])
        assert session(deck) == (heard, (4009, "closed by a patch"))
        assert deck.stop() == 0
    [recorded] = interactions(cassette).values()
    said = recorded["webSocket"]["messages"]
    server = [message.get("text", message.get("base64")) for message in said if message["from"] == "server"]
    assert server == ['{"price": 1.50, "id": 1}', "two", "one two three", "other word", "Ynl0ZXM=", "bye"]
    # The origin was sent what the patch made of the client's words.
    assert "other word" in [message.get("text") for message in said if message["from"] == "client"]
    assert session(start("replay", "--cassette", cassette, "--overrides", tmp_path / "overrides.json")) == (
        heard, (4009, "closed by a patch"))
    plain = start("replay", "--cassette", cassette)
    with connect(at(plain)) as ws:
        for message in ['{"id": 1, "price": 1.50}', "two", "one two three", "other word", b"bytes", "bye"]:
            ws.send(message)
        assert [ws.recv(10) for _ in range(3)] == ['{"price": 1.50, "id": 1}', "two", "one two three"]


def b64(text):
    return {"base64": base64.b64encode(text.encode()).decode()}


def test_a_patch_that_changes_no_message_says_so(serving):
    with websocket_server(echo) as port:
        deck = through(
            serving, port, arguments=["--explain"],
            patches=[patching({"at": 5, "drop": True}), patching({"json": [{"set": "$.a", "value": 1}]}, id="q", status=500)])
        with connect(at(deck)) as ws:
            ws.send("not JSON")
            assert ws.recv(10) == "not JSON"
        eventually(lambda: log_lines(deck, "GET /chat 101", "p (no message fits)"), "the log")
        assert log_lines(deck, "q (the response opens a WebSocket, of which only messages are patched; the body is not JSON)")
        fetch(deck.url, "/chat")
        eventually(lambda: log_lines(deck, "GET /chat 500", "p (this opens no WebSocket)"), "the log")


def test_a_patch_at_the_admin_api_changes_messages_from_the_next_websocket_on(start):
    with websocket_server(echo) as port:
        deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}")
        say = lambda: [ask(deck, "a"), ask(deck, "b")]

        def ask(deck, message):
            with connect(at(deck)) as ws:
                ws.send(message)
                return ws.recv(10)

        assert say() == ["a", "b"]
        admin.post("/patches", patching({"replace": {"text": "a", "with": "A"}}), expect=201)
        assert say() == ["A", "b"]
        assert [(rule["used"], rule["unchanged"]) for rule in admin.get("/patches")] == [(2, 1)]
        problem = admin.call("POST", "/patches", patching({"at": 1}), expect=422)
        assert problem["place"] == "messages[0]" and "changes nothing" in problem["detail"]


def test_a_side_that_breaks_the_protocol_under_a_patch_closes_the_websocket(serving):
    """What came before is not sent twice, and the client gets the code."""
    with websocket_server(echo) as port:
        deck = through(serving, port, patches=[patching({"at": 9, "drop": True})])
        with connect(at(deck)) as ws:
            frame = bytes([0x81, 0x81, 0, 0, 0, 0]) + b"a"
            ws.socket.sendall(frame + bytes([0xC1, 0x80, 0, 0, 0, 0]))
            heard = []
            with pytest.raises(ConnectionClosed) as end:
                while True:
                    heard.append(ws.recv(10))
        assert heard in ([], ["a"]) and end.value.rcvd.code == 1002


def test_a_patch_closes_behind_a_message_of_the_client(serving):
    """The server gets that message, and the client what was said before."""
    heard = []

    def listen(ws):
        for message in ws:
            heard.append(message)
            ws.send(f"heard {message}")

    with websocket_server(listen) as port:
        deck = through(serving, port, patches=[patching({"from": "client", "at": 2, "close": 4001})])
        with connect(at(deck)) as ws:
            ws.send("one")
            assert ws.recv(10) == "heard one"
            ws.send("two")
            assert ended(ws) == (4001, "")
        eventually(lambda: heard == ["one", "two"], "both messages")
