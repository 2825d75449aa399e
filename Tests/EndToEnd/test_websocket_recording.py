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


def test_verify_skips_it_and_har_has_its_messages(start, cassette, tmp_path):
    with websocket_server(room) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        converse(at(deck), "one", b"\1\2")
        deck.stop()
        verified = run("verify", cassette)
        assert verified.returncode == 0 and "WebSocket" in verified.stdout + verified.stderr
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
