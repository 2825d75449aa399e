"""Clients that read slower than we could send, and one that reads as fast as it can: neither costs the others."""

import selectors
import socket
import time

import pytest

from deck import Deck, eventually
from harness import LONG, NOISE, Facts, Probes, Watch, milliseconds, port_of
from origin import reply
from servers import Nginx
from wire import fetch

pytestmark = pytest.mark.alone

CLIENTS = 200
BODY_BYTES = 1 << 30 if LONG else 1 << 28
BYTES_A_SECOND = 10_000
SECONDS = 30 if LONG else 5
# What waits for each in our own memory: the high-water mark, the piece that crossed it, libcurl's buffer.
ROOM_KIB_EACH = 256
SLICE_SECONDS = 0.1
# After which idle connections to the origin are closed: on a busy machine the good requests open more than a few.
IDLE_SECONDS = 30
REQUEST = b"GET /big HTTP/1.1\r\nHost: load\r\n\r\n"


@pytest.fixture(scope="module")
def big_origin(tmp_path_factory):
    """An nginx with one big file, which takes no disk: it is a hole."""
    folder = tmp_path_factory.mktemp("big")
    folder.chmod(0o755)
    (folder / "small").write_bytes(b"small")
    with (folder / "big").open("wb") as file:
        file.truncate(BODY_BYTES)
    server = Nginx(folder, f"root {folder};")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def big_cassette(tmp_path_factory, big_origin):
    folder = tmp_path_factory.mktemp("big-cassette")
    with Deck(folder, "record", "--upstream", big_origin.url, "--cassette", folder / "cassette") as deck:
        fetch(deck.url, "/small")
        with Reader(port_of(deck.url)) as reader:
            while reader.received < BODY_BYTES:
                reader.read(1 << 20)
        assert deck.stop() == 0, deck.stderr
    return folder / "cassette"


@pytest.fixture(params=["replay", "passthrough"])
def deck(request, start, big_origin, big_cassette):
    if request.param == "replay":
        return start("replay", "--cassette", big_cassette, "--quiet")
    return start("serve", "--mode", "passthrough", "--upstream", big_origin.url, "--quiet")


class Reader:
    """One client of the big body."""

    def __init__(self, port: int, receive_buffer: int | None = None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(REQUEST)
        self.received = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read(self, count: int) -> None:
        piece = self.socket.recv(count)
        assert piece, f"the body ended after {self.received} bytes"
        self.received += len(piece)


def read_slowly(readers: list[Reader], seconds: float) -> None:
    """Each takes its share ten times a second; what has not come by then is not waited for."""
    selector = selectors.DefaultSelector()
    for reader in readers:
        selector.register(reader.socket, selectors.EVENT_READ, reader)
    begin = time.monotonic()
    for slice_number in range(int(seconds / SLICE_SECONDS)):
        for key, _ in selector.select(0):
            key.data.read(int(BYTES_A_SECOND * SLICE_SECONDS))
        time.sleep(max(0, begin + (slice_number + 1) * SLICE_SECONDS - time.monotonic()))


def test_slow_readers_stay_bounded(deck, tools, yardstick, big_origin, figure, request):
    """The others' latency is held against a bare loop's, in passthrough against the origin's own: it has the same
    slow readers to serve."""
    is_replay = request.node.callspec.id == "replay"
    bare_port = yardstick.port if is_replay else big_origin.port
    Probes(tools, port_of(deck.url), bare_port, "200:1").result()
    base = Facts(deck.process.pid)
    with Watch(deck.process.pid) as watch:
        readers = [Reader(port_of(deck.url), 8192) for _ in range(CLIENTS)]
        probes = Probes(tools, port_of(deck.url), bare_port, f"100:{SECONDS}")
        read_slowly(readers, SECONDS)
        good, bare = probes.result()
    rates = sorted(reader.received / SECONDS for reader in readers)
    for reader in readers:
        reader.socket.close()
    allowed = base.descriptors + (0 if is_replay else 30)
    eventually(lambda: Facts(deck.process.pid).descriptors <= allowed, "descriptors are back", IDLE_SECONDS + 15)
    after = Facts(deck.process.pid)
    peak = watch.highest("rss_kib") - base.rss_kib
    cpu = watch.samples[-1][1].cpu_seconds - base.cpu_seconds
    figure(
        f"{CLIENTS} clients at {rates[0] / 1000:.1f}-{rates[-1] / 1000:.1f} kB/s of {BODY_BYTES >> 20} MiB, {request.node.callspec.id}",
        f"+{peak / 1024:.1f} MiB at most; {cpu:.2f} s CPU in {SECONDS} s; others {milliseconds(good)} (bare {milliseconds(bare)}); "
        f"after: {after}, before: {base}")
    assert rates[0] > BYTES_A_SECOND / 2
    assert peak < CLIENTS * ROOM_KIB_EACH
    assert good["answers"] == good["asked"], good


def test_a_greedy_reader_leaves_room_for_others(start, big_cassette, big_origin, tools, yardstick, figure):
    """One event loop, and a client that takes all it can get: the loop must turn all the same."""
    deck = start("replay", "--cassette", big_cassette, "--quiet", "--threads", "1")
    schedule = "200:2"
    Probes(tools, port_of(deck.url), yardstick.port, schedule).result()
    probes = Probes(tools, port_of(deck.url), yardstick.port, schedule)
    end = time.monotonic() + 2
    received = 0
    buffer = bytearray(1 << 20)
    while time.monotonic() < end:
        with Reader(port_of(deck.url)) as reader:
            while reader.received < BODY_BYTES and time.monotonic() < end:
                count = reader.socket.recv_into(buffer)
                assert count
                reader.received += count
            received += reader.received
    good, bare = probes.result()
    figure("beside one greedy reader, one loop", f"{received / 2e9:.2f} GB/s to it; others {milliseconds(good)} (bare {milliseconds(bare)})")
    assert good["answers"] == good["asked"], good
    assert good["p99"] / 1000 < max(20 * NOISE, NOISE * bare["p99"] / 1000)


def test_a_steady_reader_does_not_swell_the_queue(deck, figure, request):
    """Slower than we are, so that the queue never runs dry: what was sent must be forgotten all the same."""
    total = 1 << 28
    with Watch(deck.process.pid, 0.02) as watch, Reader(port_of(deck.url), 1 << 17) as reader:
        while reader.received < total:
            reader.read(1 << 18)
            time.sleep(0.0005)
    peak = watch.highest("rss_kib") - watch.samples[0][1].rss_kib
    figure(f"a steady reader of 256 MiB, {request.node.callspec.id}", f"+{peak / 1024:.1f} MiB at most")
    assert peak < 4096


def test_an_answer_that_is_paused_at_once_is_not_taken_for_noise(start, origin):
    """On a kept connection to the origin: libcurl had not yet said that it waits for it, and it was shut down."""
    body = bytes(range(256)) * 8192
    deck = start("serve", "--mode", "passthrough", "--upstream", origin(lambda _: reply(body)).url, "--quiet")
    for _ in range(200):
        assert fetch(deck.url, "/body").body == body
