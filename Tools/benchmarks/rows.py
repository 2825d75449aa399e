"""The rows of the table: what each measures, what it is compared with, and the goal."""

from dataclasses import dataclass, field
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
#: One after another: compared by how soon the next can follow.
ROUND_TRIPS = {"rate": "{:,.0f}/s", "cpu": "{:.1f} µs CPU"}
CALLS = {"calls": "{:.2f} system calls", "waits": "{:.4f} of them to wait for another thread"}
INSTRUCTIONS = {"instructions": "{:,.0f} instructions"}
LOADING = {"rate": "{:.1f}/s", "milliseconds": "{:.0f} ms"}
HELD = {"resident": "{:.1f} MiB", "asked": "{:.1f} MiB when each was asked for"}
LATENCY = {"p99": "p99 +{:.2f} ms", "p50": "p50 +{:.2f} ms", "p999": "p99.9 +{:.2f} ms"}


def load(
    title, start, against=None, needs=None, content=("item", SMALL_COUNT), connections=None, is_warm=False):
    """Throughput of what `start(bench)` starts, beside `needs(bench)`, which is started before it.

    A warm one has been asked everything once before: answers are read from a cassette when they are first asked for.
    """

    def take(bench):
        name, number = content(bench) if callable(content) else content
        script = bench.content.script(name, number)
        with Together(bench, needs, start) as server:
            if is_warm:
                measure.asked_once(server, name, number)
            return measure.throughput(server, script, connections or bench.options.connections, bench.options.seconds)

    return Row(title, take, ROUND_TRIPS if connections == 1 else REQUESTS, against or {})


def calls(title, start, needs=None):
    def take(bench):
        with Together(bench, needs, start) as server:
            return measure.system_calls(server, bench.content.script(), bench.options.seconds)

    return Row(title, take, CALLS, is_exact=True)


def count(title, start, against=None, needs=None, posts=False):
    """Instructions of what `start(bench, under)` starts."""

    def take(bench):
        script = bench.content.post_script() if posts else bench.content.script()
        with Together(bench, needs, None):
            return measure.instructions(lambda under: start(bench, under=under), script, bench.options.seconds)

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


LARGE = ("large", LARGE_COUNT)

ROWS = {
    # The yardsticks.
    "nginx-static": load("nginx, static files", lambda b: b.nginx.static()),
    "nginx-return": load("nginx, `return 200`", lambda b: b.nginx.prepared()),
    "nginx-proxy": load("nginx, proxy_pass", lambda b: b.nginx.proxy(), needs=origin),
    "mitmproxy-replay": load("mitmproxy, server replay", lambda b: b.mitmproxy.replay(SMALL_COUNT)),
    "mitmproxy-reverse": load("mitmproxy, reverse", lambda b: b.mitmproxy.reverse(), needs=origin),
    "nginx-static-64k": load("nginx, static files of 64 kB", lambda b: b.nginx.static(), content=LARGE),
    "nginx-proxy-64k": load("nginx, proxy_pass, 64 kB", lambda b: b.nginx.proxy(), needs=origin, content=LARGE),
    "nginx-static-1": load("nginx, static files, 1 connection", lambda b: b.nginx.static(), connections=1),
    "nginx-static-1000": load("nginx, static files, 1,000 connections", lambda b: b.nginx.static(), connections=1000),
    "nginx-proxy-1": load("nginx, proxy_pass, 1 connection", lambda b: b.nginx.proxy(), needs=origin, connections=1),
    # Replay.
    "replay": load(
        "replay, 1,000 interactions", lambda b: b.tapedeck.replay(),
        {"nginx-static": 1.3, "nginx-return": 0.9, "mitmproxy-replay": 150}),
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
    "record": load("record", lambda b: b.tapedeck.record(), {"nginx-proxy": 0.4}, needs=origin),
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
    "memory": Row("resident with 20,000 interactions", hold_documents, HELD),
    "memory-100k": Row("resident with 100,000 interactions", hold_many, HELD),
    "crowd": Row(
        "resident with 10,000 connections", crowd,
        {"crowded": "{:.1f} MiB", "idle": "{:.1f} MiB idle", "clients": "{:,.0f} clients"}),
    # Instructions: what can be compared between machines, and between one day and the next.
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
        "replay of a POST of 1 kB JSON, --no-redact", lambda b, **o: b.tapedeck.replay_posts("--no-redact", **o), posts=True),
    "instructions-post": count(
        "replay of a POST of 1 kB JSON", lambda b, **o: b.tapedeck.replay_posts(**o), {"instructions-post-clear": 0.8},
        posts=True),
    "instructions-record-post-clear": count(
        "record of a POST of 1 kB JSON, --no-redact", lambda b, **o: b.tapedeck.record("--no-redact", **o),
        needs=any_origin, posts=True),
    "instructions-record-post": count(
        "record of a POST of 1 kB JSON", lambda b, **o: b.tapedeck.record(**o), {"instructions-record-post-clear": 0.71},
        needs=any_origin, posts=True),
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
