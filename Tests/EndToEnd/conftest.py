import pytest

from deck import Deck, binary, is_release, run
from peers import Peer, openssl
from namespaces import Namespace
from origin import CHUNKED_HEAD, LAST_CHUNK, Origin, chunk, counting, reply
from servers import Nginx
from wire import fetch


def pytest_configure(config):
    try:
        binary()
    except FileNotFoundError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_report_header():
    return f"tapedeck: {binary()} ({'release' if is_release() else 'debug'})"


def pytest_terminal_summary(terminalreporter):
    reports = [report for reports in terminalreporter.stats.values() for report in reports if getattr(report, "when", "") == "call"]
    figures = [value for report in reports for name, value in report.user_properties if name == "figure"]
    if figures:
        terminalreporter.section("figures")
        for what, value in figures:
            terminalreporter.write_line(f"{what:<64} {value}")


@pytest.fixture
def figure(record_property):
    """Notes a measurement, to be printed at the end."""
    return lambda what, value: record_property("figure", (what, value))


@pytest.fixture
def start(tmp_path):
    """Starts a proxy; whatever still runs at the end of the test is stopped."""
    decks = []

    def start(*arguments, **options) -> Deck:
        decks.append(Deck(tmp_path / f"deck-{len(decks)}", *arguments, **options))
        return decks[-1]

    yield start
    running = [deck for deck in decks if deck.process.poll() is None]
    try:
        for deck in running:
            deck.stop()
    finally:
        for deck in running:
            deck.kill()


@pytest.fixture
def origin():
    """Starts a scripted origin."""
    origins = []

    def origin(handler) -> Origin:
        origins.append(Origin(handler))
        return origins[-1]

    yield origin
    for each in origins:
        each.stop()
        assert each.failure is None, f"the origin itself failed: {each.failure!r}"


@pytest.fixture
def peer():
    """Starts a raw peer, which need not even speak HTTP."""
    peers = []

    def peer(script, **options) -> Peer:
        peers.append(Peer(script, **options))
        return peers[-1]

    yield peer
    for each in peers:
        each.stop()
        assert each.failure is None, f"the peer itself failed: {each.failure!r}"


@pytest.fixture
def namespace(tmp_path):
    """A network of our own; the test is skipped where none can be made."""
    namespace = Namespace(tmp_path / "namespace")
    yield namespace
    namespace.remove()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """Our own certificate authority, and what it signs."""
    folder = tmp_path_factory.mktemp("authority")
    ca, ca_key = folder / "ca.pem", folder / "ca.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=Tapedeck test authority", "-addext", "keyUsage=critical,keyCertSign",
            "-keyout", ca_key, "-out", ca)

    def sign(name: str, alternatives: str, days: int = 2):
        key, ask, certificate, extensions = (folder / f"{name}.{kind}" for kind in ("key", "csr", "pem", "ext"))
        extensions.write_text(f"subjectAltName={alternatives}")
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", f"/CN={name}", "-keyout", key, "-out", ask)
        openssl("x509", "-req", "-in", ask, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days", days,
                "-extfile", extensions, "-out", certificate)
        return certificate, key

    return ca, sign


@pytest.fixture
def cassette(tmp_path):
    """Where a cassette may come to be."""
    return tmp_path / "cassette"


@pytest.fixture
def record(start, cassette):
    """A recorder before a URL."""
    return lambda url, *options, **how: start("record", "--upstream", url, "--cassette", cassette, *options, **how)


@pytest.fixture
def recorded(start, origin, cassette):
    """Records some targets, each answered `answer 1`, `answer 2`, ... in turn."""

    def recorded(*targets) -> list[bytes]:
        deck = start("record", "--upstream", origin(counting()).url, "--cassette", cassette)
        answers = [fetch(deck.url, target).body for target in targets]
        assert deck.stop() == 0, deck.stderr
        return answers

    return recorded


@pytest.fixture
def recording(start, origin, cassette):
    """Starts an origin with a recorder before it."""

    def recording(handler, *options, path=""):
        upstream = origin(handler)
        return upstream, start("record", "--upstream", upstream.url + path, "--cassette", cassette, *options)

    return recording


@pytest.fixture
def both(start, cassette):
    """A recorder's address, then the address of a replay of what it recorded."""

    def both(recorder, *options):
        yield recorder.url
        assert recorder.stop() == 0
        yield start("replay", "--cassette", cassette, *options).url

    return both


@pytest.fixture(scope="session")
def servers(tmp_path_factory):
    started = []

    def start(kind, *arguments):
        started.append(kind(tmp_path_factory.mktemp(kind.__name__.lower()), *arguments))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def mirror(servers):
    """An nginx that answers every request with the request's own target."""
    return servers(Nginx, 'location / { return 200 "$request_uri\\n"; }')


SMALL = ["/json", "/text", "/binary", "/stream", "/again", "/again", "/missing"]


def small_origin(exchange):
    match exchange.request.target:
        case b"/json":
            return reply(b'{"name": "octocat", "id": 1}', b"Content-Type: application/json")
        case b"/text":
            return reply(b"hello\nworld\n", b"Content-Type: text/plain; charset=utf-8", b"Set-Cookie: a=1", b"Set-Cookie: b=2")
        case b"/binary":
            return reply(bytes(range(256)) * 64, b"Content-Type: application/octet-stream")
        case b"/stream":
            return CHUNKED_HEAD + chunk(b"one") + chunk(b"two") + LAST_CHUNK
        case b"/again":
            return reply(b"again\n", b"Content-Type: text/plain")
        case _:
            return reply(b"no such page\n", b"Content-Type: text/plain", status=b"404 Not Found")


@pytest.fixture(scope="session")
def small_cassette(tmp_path_factory):
    """A cassette of seven exchanges, with what was answered: read it, do not write it."""
    folder = tmp_path_factory.mktemp("small")
    path = folder / "cassette"
    with Origin(small_origin) as origin, Deck(folder, "record", "--upstream", origin.url, "--cassette", path) as deck:
        answers = [(target, fetch(deck.url, target)) for target in SMALL]
        assert deck.stop() == 0, deck.stderr
    return path, answers


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """The session as our own recorder saw it, and its HAR."""
    from foreign import make, session
    folder = tmp_path_factory.mktemp("exported")
    with Origin(session.handler()) as origin, Deck(folder, "record", "--upstream", origin.url, "--cassette", folder / "cassette") as deck:
        make.ask_with_requests(deck.url)
        assert deck.stop() == 0, deck.stderr
    assert run("export", folder / "cassette", "-o", folder / "session.har").returncode == 0
    return folder
