"""WebSockets recorded, killed, recovered and replayed offline, with real clients and servers."""

import json
import signal

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from deck import run
from test_websocket import at, websocket_server
from wire import fetch

TOKEN = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"


def room(ws):
    """Greets, answers each message twice, and ends the conversation when it is asked to."""
    ws.send(json.dumps({"hello": ws.request.path}))
    for message in ws:
        if message == "bye":
            return ws.close(4000, "see you")
        ws.send(b"\0\1" if isinstance(message, bytes) else f"heard {message}")
        ws.send(json.dumps({"count": len(message), "token": TOKEN}))


def converse(url, *said, last="bye"):
    heard = []
    with connect(url) as ws:
        heard.append(ws.recv(10))
        for message in said:
            ws.send(message)
            heard += [ws.recv(10), ws.recv(10)]
        ws.send(last)
        with pytest.raises(ConnectionClosed) as ended:
            ws.recv(10)
    return heard, ended.value.rcvd.code, ended.value.rcvd.reason


SAID = ["one", b"\x01\x02", json.dumps({"a": 1, "b": [2, 3]}), "grüße"]


def files(cassette):
    return {path.name: json.loads(path.read_text()) for path in cassette.glob("*.json") if path.name != "cassette.json"}


def test_a_conversation_is_replayed_offline_as_it_was(start, cassette):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        told = converse(at(deck), *SAID)
        assert deck.stop() == 0
    [recorded] = files(cassette).values()
    assert TOKEN not in json.dumps(recorded)
    messages = recorded["webSocket"]["messages"]
    assert [message["from"] for message in messages[:4]] == ["server", "client", "server", "server"]
    assert recorded["webSocket"]["close"] == {"from": "server", "code": 4000, "reason": "see you"}
    for options in ([], ["--pace", "recorded"]):
        offline = start("replay", "--cassette", cassette, *options)
        # JSON is compared as JSON.
        again = converse(at(offline), *SAID[:2], json.dumps({"b": [2, 3], "a": 1}), SAID[3])
        assert (len(again[0]), again[1:]) == (len(told[0]), told[1:])
        assert [text for text in again[0] if "token" not in str(text)] == [text for text in told[0] if "token" not in str(text)]
        assert offline.stop() == 0


def test_another_message_is_a_miss_that_is_explained(start, cassette):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        converse(at(deck), "one")
        deck.stop()
    offline = start("replay", "--cassette", cassette)
    with connect(at(offline)) as ws:
        ws.recv(10)
        ws.send("two")
        with pytest.raises(ConnectionClosed) as ended:
            ws.recv(10)
    assert ended.value.rcvd.code == 1008 and "message 1 of the client" in ended.value.rcvd.reason
    assert offline.stop() == 3
    assert "message 1: one → two" in offline.stderr


@pytest.mark.parametrize("round", range(3))
def test_kill_9_loses_no_message_that_a_side_was_told(start, cassette, round):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        with connect(at(deck)) as ws:
            heard = [ws.recv(10)]
            for number in range(20 * round + 1):
                ws.send(f"message {number}")
                heard += [ws.recv(10), ws.recv(10)]
            deck.process.send_signal(signal.SIGKILL)
            deck.process.wait(10)
    listed = run("show", cassette)
    assert listed.returncode == 0
    offline = start("replay", "--cassette", cassette)
    with connect(at(offline)) as ws:
        again = [ws.recv(10)]
        for number in range(20 * round + 1):
            ws.send(f"message {number}")
            again += [ws.recv(10), ws.recv(10)]
        assert len(again) == len(heard)
        assert [text for text in again if "token" not in text] == [text for text in heard if "token" not in text]


def test_a_plain_request_never_gets_a_websocket(start, cassette):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        converse(at(deck))
        deck.stop()
    offline = start("replay", "--cassette", cassette)
    assert fetch(offline.url, "/chat").status == 502


def verified(cassette, port, *options):
    done = run("verify", cassette, "--upstream", f"http://127.0.0.1:{port}", "--json", *options)
    assert done.returncode in (0, 1, 4), done.stderr
    [request] = json.loads(done.stdout)["requests"]
    drifts = {(drift["severity"], drift["kind"], drift["place"]) for drift in request.get("drift", [])}
    return done.returncode, request["outcome"], drifts, request.get("reason", "")


def test_verify_has_the_conversation_again(start, cassette):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        converse(at(deck), "one", b"\1\2", json.dumps({"a": 1}))
        deck.stop()
        assert verified(cassette, port)[1:] == (
            "skipped", set(), "what its client said over the WebSocket may change something")
        assert verified(cassette, port, "--unsafe-methods")[:3] == (0, "same", set())

    heard = []

    def changed(ws):
        ws.send(json.dumps({"hello": 7, "motd": "hi"}))
        for message in ws:
            heard.append(message)
            if len(heard) == 1:
                ws.send("heard")
                ws.send(json.dumps({"count": "3", "token": TOKEN}))
            elif len(heard) == 2:
                ws.send(b"only bytes")
        ws.close(1000)

    with websocket_server(changed) as port:
        code, outcome, drifts, _ = verified(cassette, port, "--unsafe-methods")
    # What was not answered held up nothing: the client has said everything.
    assert heard == ["one", b"\1\2", json.dumps({"a": 1}), "bye"]
    assert (code, outcome) == (4, "drifted")
    assert drifts == {
        ("breaking", "type-changed", "first messages $.hello"), ("info", "field-added", "first messages $.motd"),
        ("breaking", "type-changed", "messages after the client's message 1 $.count"),
        ("breaking", "message-removed", "messages after the client's message 3"), ("notable", "close-changed", "close"),
    }


@pytest.mark.parametrize("behaviour, expected", [
    ("same", (0, "same", set())),
    ("other", (4, "drifted", {
        ("breaking", "type-changed", 'message "tick" $.price'), ("info", "message-added", 'message "tock"'),
        ("breaking", "message-removed", 'message "hello"')})),
    ("sudden", (4, "drifted", {("breaking", "close-changed", "close"), ("breaking", "message-removed", 'message "tick"')})),
    ("refused", (4, "drifted", {("breaking", "status-changed", "status")})),
    ("gone", (1, "failed", set())),
])
def test_verify_opens_a_websocket_whose_client_only_listens(start, cassette, behaviour, expected):
    kind = ["same"]

    def ticker(ws):
        if kind[0] != "other":
            ws.send(json.dumps({"type": "hello"}))
        if kind[0] == "sudden":
            return ws.close(1011)
        for number in range(3):
            ws.send(json.dumps({"type": "tick", "price": f"{number}" if kind[0] == "other" else 1.5 + number}))
        if kind[0] == "other":
            ws.send(json.dumps({"type": "tock"}))
        ws.recv()

    def refuse(connection, request):
        return connection.respond(401, "who are you?\n") if kind[0] == "refused" else None

    with websocket_server(ticker, process_request=refuse) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        with connect(at(deck)) as ws:
            assert [json.loads(ws.recv(10))["type"] for _ in range(4)] == ["hello", "tick", "tick", "tick"]
        deck.stop()
        kind[0] = behaviour
        if behaviour != "gone":
            assert verified(cassette, port)[:3] == expected
    if behaviour == "gone":
        assert verified(cassette, port)[:3] == expected


def test_har_has_its_messages(start, cassette, tmp_path):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        converse(at(deck), "one", b"\1\2")
        deck.stop()
    exported = run("export", cassette, "--format", "har", "--output", tmp_path / "a.har")
    assert exported.returncode == 0, exported.stderr
    [entry] = json.loads((tmp_path / "a.har").read_text())["log"]["entries"]
    messages = entry["_webSocketMessages"]
    assert [(each["type"], each["opcode"], each["data"]) for each in messages if each["type"] == "send"] == [
        ("send", 1, "one"), ("send", 2, "AQI="), ("send", 1, "bye")]


def test_frames_that_break_the_protocol_pass_and_are_not_recorded(start, cassette):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        with connect(at(deck)) as ws:
            ws.recv(10)
            # A reserved bit.
            ws.socket.sendall(bytes([0xC1, 0x80, 0, 0, 0, 0]))
            with pytest.raises(ConnectionClosed) as ended:
                ws.recv(10)
        assert ended.value.rcvd.code == 1002
        deck.stop()
        assert "is not recorded: its client broke RFC 6455: a reserved bit is set" in deck.stderr
    assert not cassette.exists() or not files(cassette)


def test_verbs_tell_its_messages_and_har_brings_them_back(start, cassette, tmp_path):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        converse(at(deck), *SAID)
        deck.stop()
    [name] = files(cassette)
    assert f"{2 + 3 * len(SAID)} messages" in run("ls", cassette).stdout
    assert json.loads(run("ls", "--json", cassette).stdout)[0]["messages"] == 2 + 3 * len(SAID)
    shown = run("show", cassette).stdout
    assert "heard one" in shown and "closes 4000 see you" in shown and "2 B of binary data" in shown
    # Out and back, with times and how it closed.
    assert run("export", cassette, "--format", "har", "--output", tmp_path / "a.har").returncode == 0
    again = tmp_path / "again"
    imported = run("import", tmp_path / "a.har", "--cassette", again)
    assert imported.returncode == 0, imported.stderr
    assert (again / name).read_bytes() == (cassette / name).read_bytes()
    assert run("diff", "--exit-code", cassette, again).returncode == 0
    changed = files(again)[name]
    changed["webSocket"]["messages"][2]["text"] = "heard two"
    (again / name).write_text(json.dumps(changed, indent=2, ensure_ascii=False) + "\n")
    differing = run("diff", "--exit-code", cassette, again)
    assert differing.returncode == 4 and "message 3" in differing.stdout
    # The HAR itself is replayed in place.
    offline = start("replay", "--cassette", tmp_path / "a.har")
    assert converse(at(offline), *SAID)[1:] == (4000, "see you")
