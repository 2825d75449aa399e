"""The rows of the table: what each measures, what it is compared with, and the goal."""

from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Callable

import measure
from content import DOCUMENT_COUNT, LARGE_COUNT, SMALL_COUNT


@dataclass
class Row:
    title: str
    measure: Callable
    #: The figures that are shown, by name, and how.
    shows: dict
    #: The row to compare with → the least ratio that is wanted, or None.
    against: dict = field(default_factory=dict)
    #: The most that some of the figures may be.
    at_most: dict = field(default_factory=dict)
    #: Whether one round is enough.
    is_exact: bool = False


#: Compared by what a second of the server's processor is good for: where the load's core is at its end before the
#: server's, the rate tells how fast the load is.
REQUESTS = {"capacity": "{:,.0f} a second of CPU", "rate": "{:,.0f}/s", "busy": "{:.0%} busy"}
#: Where there is an origin.
FORWARDED = {**REQUESTS, "with_origin": "{:,.0f} a second of CPU with the origin's"}
#: One after another: compared by how soon the next can follow.
ROUND_TRIPS = {"rate": "{:,.0f}/s", "cpu": "{:.1f} µs CPU"}
CALLS = {"calls": "{:.2f} system calls", "waits": "{:.4f} of them to wait for another thread"}
INSTRUCTIONS = {"instructions": "{:,.0f} instructions"}
LOADING = {"rate": "{:.1f}/s", "milliseconds": "{:.0f} ms"}
HELD = {"resident": "{:.1f} MiB", "asked": "{:.1f} MiB when each was asked for"}
LATENCY = {"p99": "p99 +{:.2f} ms", "p50": "p50 +{:.2f} ms", "p999": "p99.9 +{:.2f} ms"}


def load(
    title, start, against=None, needs=None, content=("item", SMALL_COUNT), connections=None, is_warm=False, posts=None):
    """Throughput of what `start(bench)` starts, beside `needs(bench)`, which is started before it.

    A warm one has been asked everything once before: answers are read from a cassette when they are first asked for.
    With `posts`, what `Content.post_script` takes, it is sent these, first for a second that does not count.
    """

    def take(bench):
        name, number = content(bench) if callable(content) else content
        script = bench.content.script(name, number) if posts is None else bench.content.post_script(**posts)
        together = Together(bench, needs, start)
        with together as server:
            if is_warm:
                measure.asked_once(server, name, number)
            if posts is not None:
                measure.throughput(server, script, connections or bench.options.connections, 1)
            return measure.throughput(
                server, script, connections or bench.options.connections, bench.options.seconds, together.first)

    return Row(title, take, ROUND_TRIPS if connections == 1 else FORWARDED if needs else REQUESTS, against or {})


def handshakes(title, start, against=None, how=("-new",)):
    def take(bench):
        with start(bench) as server:
            return measure.handshakes(server, bench.options.seconds, *how)

    return Row(title, take, REQUESTS, against or {})


def calls(title, start, needs=None):
    def take(bench):
        with Together(bench, needs, start) as server:
            return measure.system_calls(server, bench.content.script(), bench.options.seconds)

    return Row(title, take, CALLS, is_exact=True)


def count(title, start, against=None, needs=None, posts=None):
    """Instructions of what `start(bench, under)` starts."""

    def take(bench):
        script = bench.content.script() if posts is None else bench.content.post_script(**posts)
        with Together(bench, needs, None):
            return measure.instructions(
                lambda under: start(bench, under=under), script, bench.options.seconds, 0 if posts is None else SMALL_COUNT)

    return Row(title, take, INSTRUCTIONS, against or {}, is_exact=True)


def added(title, start, at_most=None):
    def take(bench):
        with origin(bench) as direct, start(bench) as server:
            return measure.added_latency(bench.probe, direct, server, 500, 2 * bench.options.seconds)

    return Row(title, take, LATENCY, at_most=at_most or {})


class Together:
    """Two servers, of which the second is measured; either may be absent."""

    def __init__(self, bench, first, second):
        self.bench, self.makers, self.running = bench, [first, second], []

    def __enter__(self):
        self.running = [make(self.bench) for make in self.makers if make]
        return self.running[-1] if self.running else None

    @property
    def first(self):
        return self.running[0] if len(self.running) > 1 else None

    def __exit__(self, *_):
        for server in reversed(self.running):
            server.__exit__()


def origin(bench):
    return bench.nginx.origin()


def any_origin(bench):
    return bench.nginx.any_origin()


def start_small(bench):
    """In megabytes, as the goal is."""
    figures = measure.start_up(lambda: bench.tapedeck.replay(10), 5 if bench.options.quick else 20)
    return {**figures, "resident": figures["resident"] * 2**20 / 1e6}


def load_documents(bench):
    """On all cores, as it is started by anyone."""
    return measure.loading(lambda: bench.tapedeck.replay_documents(core=None), 1 if bench.options.quick else 3)


def decode_documents(bench):
    return measure.decoding(bench.decoding, bench.tapedeck.documents())


def hold_documents(bench):
    with bench.tapedeck.replay_documents() as server:
        return measure.asked_once(server, "document", DOCUMENT_COUNT)


def hold_many(bench):
    with bench.tapedeck.replay(bench.many) as server:
        return measure.asked_once(server, "item", bench.many)


def crowd(bench):
    with bench.tapedeck.replay(10) as server:
        return measure.crowd(server, 10_000)


def load_many(bench):
    return measure.loading(lambda: bench.tapedeck.replay(bench.many, core=None), 1 if bench.options.quick else 3)


def read_many(bench):
    return measure.reading(bench.tapedeck.cassette("item", bench.many))


def seal_documents(bench):
    bench.nginx.content.add_documents()
    with origin(bench):
        return measure.sealing(lambda: bench.tapedeck.record(core=None), "document", DOCUMENT_COUNT)


def copy_documents(bench):
    return measure.copying(bench.tapedeck.documents(), bench.tapedeck.folder / "copies")


def miss(bench):
    with bench.tapedeck.replay(10_000) as server:
        return measure.misses(server, "/item/10000")


def miss_post(bench):
    with bench.tapedeck.replay_posts(count=10_000) as server:
        return measure.misses(server, "/query", bench.content.posts(10_001)[-1])


def beside_misses(bench):
    with bench.tapedeck.replay_posts(count=10_000) as server:
        *posts, other = bench.content.posts(10_001)
        recorded = bench.content.folder / "recorded.json"
        recorded.write_text(posts[0])
        return measure.beside_misses(bench.probe, server, "/query", recorded, other, 2 * bench.options.seconds)


LARGE = ("large", LARGE_COUNT)
POSTS_64K = {"count": 100, "size": 64_000}

ROWS = {
    # The yardsticks.
    "nginx-static": load("nginx, static files", lambda b: b.nginx.static()),
    "nginx-return": load("nginx, `return 200`", lambda b: b.nginx.prepared()),
    "nginx-proxy": load("nginx, proxy_pass", lambda b: b.nginx.proxy(), needs=origin),
    "mitmproxy-replay": load("mitmproxy, server replay", lambda b: b.mitmproxy.replay(SMALL_COUNT)),
    # Without the origin's CPU, which is most of what a request takes beside it.
    "mitmproxy-reverse": replace(
        load("mitmproxy, reverse", lambda b: b.mitmproxy.reverse(), needs=origin), shows=REQUESTS),
    "floor": load("a bare epoll loop in C", lambda b: b.floor.start()),
    "nginx-return-post-64k": load(
        "nginx, `return 200` to a POST of 64 kB JSON", lambda b: b.nginx.prepared(), posts=POSTS_64K),
    "nginx-proxy-post": load(
        "nginx, proxy_pass, POST of 1 kB JSON", lambda b: b.nginx.proxy(), needs=any_origin, posts={}),
    "nginx-static-64k": load("nginx, static files of 64 kB", lambda b: b.nginx.static(), content=LARGE),
    "nginx-proxy-64k": load("nginx, proxy_pass, 64 kB", lambda b: b.nginx.proxy(), needs=origin, content=LARGE),
    "nginx-static-1": load("nginx, static files, 1 connection", lambda b: b.nginx.static(), connections=1),
    "nginx-static-1000": load("nginx, static files, 1,000 connections", lambda b: b.nginx.static(), connections=1000),
    "nginx-proxy-1": load("nginx, proxy_pass, 1 connection", lambda b: b.nginx.proxy(), needs=origin, connections=1),
    # Replay.
    "replay": load(
        "replay, 1,000 interactions, each asked for before", lambda b: b.tapedeck.replay(),
        {"floor": 0.9, "nginx-static": 1.3, "nginx-return": 0.9, "mitmproxy-replay": 150}, is_warm=True),
    "replay-10": load("replay, 10 interactions", lambda b: b.tapedeck.replay(10), content=("item", 10)),
    "replay-100": load("replay, 100 interactions", lambda b: b.tapedeck.replay(100), content=("item", 100)),
    "replay-100k": load(
        "replay, 100,000 interactions, each asked for before", lambda b: b.tapedeck.replay(b.many),
        {"replay-10": 0.9, "replay-100": 0.9}, content=lambda b: ("item", b.many), is_warm=True),
    "replay-100k-cold": load(
        "replay, 100,000 interactions, from the start", lambda b: b.tapedeck.replay(b.many), {"replay-100": None},
        content=lambda b: ("item", b.many)),
    "replay-64k": load(
        "replay, 64 kB", lambda b: b.tapedeck.replay_large(), {"nginx-static-64k": 1.0}, content=LARGE),
    "replay-post": load(
        "replay, POST of 1 kB JSON, 1,000 to one URL", lambda b: b.tapedeck.replay_posts(),
        {"replay": 0.75, "replay-post-10": 0.95}, posts={}),
    "replay-post-10": load(
        "replay, POST of 1 kB JSON, 10 to one URL", lambda b: b.tapedeck.replay_posts(count=10), posts={"count": 10}),
    "replay-post-reordered": load(
        "replay, POST of 1 kB JSON with members in another order", lambda b: b.tapedeck.replay_posts(),
        {"replay": 0.45}, posts={"reorders": True}),
    "replay-post-unique": load(
        "replay, POST of 1 kB JSON with a field of its own in each", lambda b: b.tapedeck.replay_posts(),
        {"replay": None}, posts={"is_unique": True}),
    "replay-post-64k": load(
        "replay, POST of 64 kB JSON", lambda b: b.tapedeck.replay_posts(**POSTS_64K), {"nginx-return-post-64k": 0.5},
        posts=POSTS_64K),
    "replay-1": load("replay, 1 connection", lambda b: b.tapedeck.replay(), {"nginx-static-1": None}, connections=1),
    "replay-1000": load(
        "replay, 1,000 connections", lambda b: b.tapedeck.replay(), {"nginx-static-1000": None}, connections=1000),
    "replay-overridden": load(
        "replay behind 1,000 routes and 100 patches that do not match, journal on", lambda b: b.tapedeck.overridden(),
        {"replay": 0.9}),
    "route": load("a route with a parameter", lambda b: b.tapedeck.route(), {"replay": 0.6}),
    "route-store": load(
        "a dynamic route: an entity of four properties from the store", lambda b: b.tapedeck.mock(b.mock),
        {"replay": 0.6}),
    "reflection": Row(
        "1,000 entities of four properties written by reflection", lambda b: measure.printed(b.mock, "serialise"),
        {"milliseconds": "{:.2f} ms", "bytes": "{:,.0f} bytes"}, at_most={"milliseconds": 1}),
    # Two loops on two cores, of which the load takes its part: what counts is what a request costs.
    "one-core": load("replay with one loop", lambda b: b.tapedeck.replay(core=None)),
    "two-cores": load(
        "replay with two loops, which would take both cores", lambda b: b.tapedeck.replay(threads=2, core=None),
        {"one-core": 0.85}),
    # TLS.
    "nginx-static-tls": load("nginx, static files over TLS", lambda b: b.nginx.static_tls()),
    "replay-tls": load("replay over TLS", lambda b: b.tapedeck.replay_tls(), {"nginx-static-tls": 0.8}),
    "nginx-handshakes": handshakes("nginx, TLS handshakes", lambda b: b.nginx.static_tls()),
    "handshakes": handshakes("TLS handshakes", lambda b: b.tapedeck.replay_tls(), {"nginx-handshakes": 0.7}),
    "nginx-resumptions": handshakes(
        "nginx, TLS 1.2 sessions resumed", lambda b: b.nginx.static_tls(), how=("-reuse", "-tls1_2")),
    "resumptions": handshakes(
        "TLS 1.2 sessions resumed", lambda b: b.tapedeck.replay_tls(), {"nginx-resumptions": 0.7},
        how=("-reuse", "-tls1_2")),
    # Proxying.
    "passthrough": load(
        "passthrough", lambda b: b.tapedeck.passthrough(), {"nginx-proxy": 0.6, "mitmproxy-reverse": 40},
        needs=origin),
    "passthrough-64k": load(
        "passthrough, 64 kB", lambda b: b.tapedeck.passthrough(), {"nginx-proxy-64k": None}, needs=origin,
        content=LARGE),
    "passthrough-1": load(
        "passthrough, 1 connection", lambda b: b.tapedeck.passthrough(), {"nginx-proxy-1": None}, needs=origin,
        connections=1),
    "record": load("record", lambda b: b.tapedeck.record(), {"nginx-proxy": 0.7}, needs=origin),
    "record-post": load(
        "record, POST of 1 kB JSON", lambda b: b.tapedeck.record(), {"nginx-proxy-post": 0.6}, needs=any_origin, posts={}),
    "record-64k": load(
        "record, 64 kB", lambda b: b.tapedeck.record(), {"nginx-proxy-64k": None}, needs=origin, content=LARGE),
    # Time and memory.
    "latency-passthrough": added("passthrough at 500 requests/s", lambda b: b.tapedeck.passthrough(), {"p50": 0.15, "p99": 1}),
    "latency-record": added("record at 500 requests/s", lambda b: b.tapedeck.record()),
    "latency-nginx": added("nginx, proxy_pass at 500 requests/s", lambda b: b.nginx.proxy()),
    "start": Row(
        "start to ready, 10 interactions", start_small,
        {"milliseconds": "{:.1f} ms", "resident": "{:.1f} MB"}, at_most={"milliseconds": 20, "resident": 24}),
    "loading-decoder": Row("JSONDecoder, 20,000 interaction files of 36 MB", decode_documents, LOADING),
    "loading": Row(
        "start to ready, 20,000 interactions of 36 MB", load_documents,
        {**LOADING, "resident": "{:.1f} MiB"}, {"loading-decoder": 4}),
    "reading-100k": Row("cat, the files of 100,000 interactions", read_many, LOADING),
    "loading-100k": Row(
        "start to ready, 100,000 interactions", load_many, {**LOADING, "resident": "{:.1f} MiB"},
        {"reading-100k": 0.67}, at_most={"resident": 64}),
    "copying": Row("`cp -r` and `sync` of 20,000 interactions", copy_documents, LOADING),
    "sealing": Row("sealing 20,000 interactions", seal_documents, LOADING, {"copying": 0.33}),
    "miss": Row(
        "a miss among 10,000 interactions", miss, {"milliseconds": "{:.1f} ms"}, at_most={"milliseconds": 50}),
    "miss-post": Row(
        "a miss among 10,000 POSTs to one URL", miss_post, {"milliseconds": "{:.1f} ms"}, at_most={"milliseconds": 50}),
    "beside-misses": Row(
        "misses at 500 requests/s while one client is refused among 10,000", beside_misses, LATENCY),
    "memory": Row("resident with 20,000 interactions", hold_documents, HELD),
    "memory-100k": Row("resident with 100,000 interactions", hold_many, HELD),
    "crowd": Row(
        "resident with 10,000 connections", crowd,
        {"crowded": "{:.1f} MiB", "idle": "{:.1f} MiB idle", "clients": "{:,.0f} clients"}),
    # Instructions: what can be compared between machines, and between one day and the next.
    "instructions-floor": count("a bare epoll loop in C", lambda b, **o: b.floor.start(**o)),
    "instructions-nginx": count("nginx, static files", lambda b, **o: b.nginx.static(**o)),
    "instructions-replay": count(
        "replay", lambda b, **o: b.tapedeck.replay(**o), {"instructions-nginx": None}),
    "instructions-overridden": count(
        "replay behind 1,000 routes and 100 patches, journal on", lambda b, **o: b.tapedeck.overridden(**o),
        {"instructions-replay": None}),
    "instructions-nginx-proxy": count("nginx, proxy_pass", lambda b, **o: b.nginx.proxy(**o), needs=origin),
    "instructions-passthrough": count(
        "passthrough", lambda b, **o: b.tapedeck.passthrough(**o), {"instructions-nginx-proxy": None}, needs=origin),
    "instructions-record": count(
        "record", lambda b, **o: b.tapedeck.record(**o), {"instructions-nginx-proxy": None}, needs=origin),
    # The ratios that are wanted: redaction costs a quarter more in replay, two fifths in recording.
    "instructions-post-clear": count(
        "replay of a POST of 1 kB JSON, --no-redact", lambda b, **o: b.tapedeck.replay_posts("--no-redact", **o), posts={}),
    "instructions-post": count(
        "replay of a POST of 1 kB JSON", lambda b, **o: b.tapedeck.replay_posts(**o), {"instructions-post-clear": 0.8},
        posts={}),
    "instructions-post-reordered": count(
        "replay of a POST of 1 kB JSON with members in another order", lambda b, **o: b.tapedeck.replay_posts(**o),
        posts={"reorders": True}),
    "instructions-post-unique": count(
        "replay of a POST of 1 kB JSON with a field of its own in each", lambda b, **o: b.tapedeck.replay_posts(**o),
        posts={"is_unique": True}),
    "instructions-record-post-clear": count(
        "record of a POST of 1 kB JSON, --no-redact", lambda b, **o: b.tapedeck.record("--no-redact", **o),
        needs=any_origin, posts={}),
    "instructions-record-post": count(
        "record of a POST of 1 kB JSON", lambda b, **o: b.tapedeck.record(**o), {"instructions-record-post-clear": 0.71},
        needs=any_origin, posts={}),
    "instructions-two-loops": count(
        "replay with two loops", lambda b, **o: b.tapedeck.replay(threads=2, **o), {"instructions-replay": None}),
    # System calls: the same.
    "calls-replay": calls("replay with two loops", lambda b: b.tapedeck.replay(threads=2, core=None)),
    "calls-passthrough": calls("passthrough", lambda b: b.tapedeck.passthrough(), needs=origin),
    "calls-record": calls("record", lambda b: b.tapedeck.record(), needs=origin),
}


def chosen(names):
    """The rows that one of `names` fits, `*` standing for anything, and those they are compared with."""
    wanted = [name for name in ROWS if not names or any(fnmatch(name, pattern) for pattern in names)]
    bases = {base for name in wanted for base in ROWS[name].against}
    return [name for name in ROWS if name in wanted or name in bases]
