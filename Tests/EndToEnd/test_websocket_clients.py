"""Real clients of WebSocket, recorded and replayed offline with default settings: the same messages in the same order."""

import asyncio
import contextlib
import json
import shutil
import ssl
import subprocess
import sys
import threading
import time

import pytest
from websockets.sync.client import connect

from deck import CLEAN, interactions, run
from test_websocket import at, home, websocket_server  # noqa: F401 (a fixture)


def serving_chat():
    """A chat: who joins is announced, and what one says all hear, with a number."""
    room, lock, number = [], threading.Lock(), [0]

    def chat(ws):
        name = ws.request.path.rsplit("/", 1)[1]
        with lock:
            room.append(ws)
            ws.send(json.dumps({"from": "the room", "to": name}))
        try:
            for message in ws:
                with lock:
                    number[0] += 1
                    for member in room:
                        member.send(json.dumps({"from": name, "number": number[0], "said": message}))
        finally:
            with lock:
                room.remove(ws)
    return chat


def chatter(url):
    """Three clients take turns; what each of them heard, with the time since the message that it answers."""
    heard = {name: [] for name in ("ann", "ben", "cem")}
    with connect(f"{url}/ann") as ann, connect(f"{url}/ben") as ben, connect(f"{url}/cem") as cem:
        sockets = {"ann": ann, "ben": ben, "cem": cem}
        for name, ws in sockets.items():  # who is not in the room yet hears nothing
            heard[name].append(json.loads(ws.recv(10)))
        for turn in range(4):
            for name, ws in sockets.items():
                ws.send(f"{name} says {turn}")
                for each, other in sockets.items():
                    heard[each].append(json.loads(other.recv(10)))
    return heard


def test_a_chat_of_three_clients(start, cassette):
    with websocket_server(serving_chat()) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        told = chatter(at(deck, "/room"))
        assert deck.stop() == 0
    assert len(interactions(cassette)) == 3
    offline = start("replay", "--cassette", cassette)
    # Each WebSocket replays what was said over it: what others said follows its own last message.
    heard = {name: [] for name in told}
    for name in told:
        with connect(at(offline, f"/room/{name}")) as ws:
            said = 0
            while len(heard[name]) < len(told[name]):
                due = told[name][len(heard[name])]
                if due["from"] == name:
                    ws.send(f"{name} says {said}")
                    said += 1
                heard[name].append(json.loads(ws.recv(10)))
    assert heard == told
    assert offline.stop() == 0


def rpc(ws):
    for message in ws:
        call = json.loads(message)
        time.sleep(call["params"]["wait"])
        ws.send(json.dumps({"jsonrpc": "2.0", "method": "progress", "params": [call["id"]]}))
        time.sleep(0.05)
        ws.send(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": call["params"]}))


def calls(url):
    heard, times = [], []
    with connect(url) as ws:
        for number, wait in enumerate([0.08, 0.15, 0.03]):
            start = time.monotonic()
            ws.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "work", "params": {"wait": wait}}))
            for _ in range(2):
                heard.append(json.loads(ws.recv(10)))
                times.append(time.monotonic() - start)
    return heard, times


def test_a_json_rpc_session_at_its_recorded_pace(start, cassette):
    with websocket_server(rpc) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        told, times = calls(at(deck))
        assert deck.stop() == 0
    instant = start("replay", "--cassette", cassette)
    assert calls(at(instant))[0] == told
    assert instant.stop() == 0
    for attempt in range(3):
        paced = start("replay", "--cassette", cassette, "--pace", "recorded")
        heard, again = calls(at(paced))
        assert heard == told
        assert paced.stop() == 0
        off = max(abs(new - old) for old, new in zip(times, again))
        if off <= 0.020:
            return
    # The machine may be busy once, not three times.
    assert off <= 0.020, (times, again)


@pytest.mark.parametrize("way", ["TLS to the origin", "inside of CONNECT"])
def test_a_session_over_tls_is_recorded_and_replayed(start, home, authority, cassette, way):  # noqa: F811
    ca, sign = authority
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sign("chat", "DNS:localhost,IP:127.0.0.1"))
    trust = ssl.create_default_context(cafile=run("ca", "path", env=home).stdout.strip())

    def session(deck, port):
        options = {} if way == "TLS to the origin" else {"proxy": deck.url, "ssl": trust}
        url = at(deck) if way == "TLS to the origin" else f"wss://localhost:{port}/chat"
        with connect(url, **options) as ws:
            heard = []
            for size in (3, 70_000):
                ws.send("z" * size)
                heard.append(ws.recv(10))
            return heard

    def twice(ws):
        for message in ws:
            ws.send(message + message)

    with websocket_server(twice, ssl=context) as port:
        origin = ["--upstream", f"https://127.0.0.1:{port}"] if way == "TLS to the origin" else ["--forward"]
        deck = start("record", *origin, "--cacert", ca, "--cassette", cassette, env=home)
        told = session(deck, port)
        assert deck.stop() == 0
    assert told == ["z" * 6, "z" * 140_000]
    forward = ["--forward"] if way != "TLS to the origin" else []
    offline = start("serve", "--mode", "none", *forward, "--cassette", cassette, env=home)
    assert session(offline, port) == told
    assert offline.stop() == 0


SOCKET_IO = """
import asyncio, sys
import socketio
async def main():
    client = socketio.AsyncClient()
    heard = asyncio.Queue()
    client.on("heard", heard.put)
    await client.connect(sys.argv[1], transports=["websocket"])
    for number in range(3):
        answer = await client.call("add", {"left": number, "right": 2})
        await client.emit("say", f"message {number}")
        print(answer, await asyncio.wait_for(heard.get(), 10))
    await client.disconnect()
asyncio.run(main())
"""


@contextlib.contextmanager
def aiohttp_server(make):
    """An application that `make` makes on the thread of its loop; its port."""
    from aiohttp import web
    ready, loop, port = threading.Event(), asyncio.new_event_loop(), []

    async def begin():
        runner = web.AppRunner(make())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.append(site._server.sockets[0].getsockname()[1])
        ready.set()

    threading.Thread(target=lambda: (loop.create_task(begin()), loop.run_forever()), daemon=True).start()
    assert ready.wait(20)
    yield port[0]
    loop.call_soon_threadsafe(loop.stop)


@pytest.fixture
def socket_io_server():
    import socketio
    from aiohttp import web

    def make():
        # Ids are those of the session, the same in each run.
        server = socketio.AsyncServer(async_mode="aiohttp", cors_allowed_origins="*")
        server.eio.generate_id = lambda: "session"

        @server.event
        async def add(sid, data):
            return data["left"] + data["right"]

        @server.event
        async def say(sid, data):
            await server.emit("heard", {"said": data}, to=sid)

        app = web.Application()
        server.attach(app)
        return app

    with aiohttp_server(make) as port:
        yield port


def script(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, env=CLEAN)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_socket_io(start, cassette, socket_io_server):
    # Engine.IO adds the time to each handshake, against caches.
    deck = start(
        "record", "--upstream", f"http://127.0.0.1:{socket_io_server}", "--cassette", cassette, "--match", "query:ignore=t")
    told = script(SOCKET_IO, deck.url)
    assert deck.stop() == 0
    assert told.count("message") == 3
    offline = start("replay", "--cassette", cassette)
    assert script(SOCKET_IO, offline.url) == told
    assert offline.stop() == 0


SUBSCRIPTION = """
import asyncio, json, sys
from gql import Client, gql
from gql.transport.websockets import WebsocketsTransport
async def main():
    transport = WebsocketsTransport(url=sys.argv[1], subprotocols=["graphql-transport-ws"])
    async with Client(transport=transport) as session:
        async for result in session.subscribe(gql("subscription { count(to: 3) }")):
            print(json.dumps(result))
        print(await session.execute(gql("{ hello }")))
asyncio.run(main())
"""


@pytest.fixture
def graphql_server():
    import strawberry
    from typing import AsyncGenerator
    from aiohttp import web
    from strawberry.aiohttp.views import GraphQLView

    @strawberry.type
    class Query:
        @strawberry.field
        def hello(self) -> str:
            return "world"

    async def count(to: int) -> AsyncGenerator[int, None]:
        for number in range(to):
            yield number
            await asyncio.sleep(0.05)

    Subscription = strawberry.type(type("Subscription", (), {"count": strawberry.subscription(resolver=count)}))
    view = GraphQLView(schema=strawberry.Schema(query=Query, subscription=Subscription))

    def make():
        app = web.Application()
        app.router.add_route("*", "/graphql", view)
        return app

    with aiohttp_server(make) as port:
        yield port


def test_a_graphql_subscription(start, cassette, graphql_server):
    deck = start("record", "--upstream", f"http://127.0.0.1:{graphql_server}", "--cassette", cassette)
    told = script(SUBSCRIPTION, at(deck, "/graphql"))
    assert deck.stop() == 0
    assert told.splitlines() == [*(json.dumps({"count": number}) for number in range(3)), "{'hello': 'world'}"]
    offline = start("replay", "--cassette", cassette)
    assert script(SUBSCRIPTION, at(offline, "/graphql")) == told
    assert offline.stop() == 0


NODE_WS = """
const WebSocket = require('/usr/share/nodejs/ws');
const ws = new WebSocket(process.argv[1] + '/chat');
const said = ['one', '{"a": 1}', 'bye'];
ws.on('message', (data, isBinary) => {
  console.log(isBinary ? data.toString('hex') : data.toString());
  if (said.length) ws.send(said.shift());
});
ws.on('close', (code, reason) => console.log(code, reason.toString()));
ws.on('error', error => { console.error(error); process.exit(1); });
"""


def polite(ws):
    ws.send("hello")
    for message in ws:
        if message == "bye":
            return ws.close(4000, "see you")
        ws.send(message.encode() if message == "one" else message.upper())


def test_node_ws(start, cassette):
    def session(deck):
        done = subprocess.run(
            ["node", "-e", NODE_WS, at(deck, "")], capture_output=True, text=True, timeout=30, env=CLEAN)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with websocket_server(polite) as port:
        deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
        told = session(deck)
        assert deck.stop() == 0
    assert told.splitlines() == ["hello", "6f6e65", '{"A": 1}', "4000 see you"]
    offline = start("replay", "--cassette", cassette)
    assert session(offline) == told
    assert offline.stop() == 0


CHROMIUM = """async url => {
  const heard = [], said = ['one', '{"a": 1}', 'bye'];
  return await new Promise((resolve, reject) => {
    const ws = new WebSocket(url + '/chat');
    ws.binaryType = 'arraybuffer';
    ws.onmessage = event => {
      heard.push(typeof event.data === 'string' ? event.data : new Uint8Array(event.data).join());
      if (said.length) ws.send(said.shift());
    };
    ws.onclose = event => resolve([...heard, event.code, event.reason]);
    ws.onerror = reject;
  });
}"""


def test_chromium(start, cassette):
    sync_api = pytest.importorskip("playwright.sync_api")
    if not (executable := shutil.which("chromium")):
        pytest.skip("needs chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page()
        with websocket_server(polite) as port:
            deck = start("record", "--upstream", f"http://127.0.0.1:{port}", "--cassette", cassette)
            told = page.evaluate(CHROMIUM, at(deck, ""))
            assert deck.stop() == 0
        assert told == ["hello", "111,110,101", '{"A": 1}', 4000, "see you"]
        offline = start("replay", "--cassette", cassette)
        assert page.evaluate(CHROMIUM, at(offline, "")) == told
        assert offline.stop() == 0
        browser.close()
