"""Secrets in bodies under content codings, and in the parts of messages that are seldom looked at.

The client gets the true bytes; nothing that is left holds a secret; the replay answers. A body that cannot be opened
is told of, and refused where secrets are.
"""

import base64
import binascii
import gzip
import json
import zlib

import brotli
import pytest
import zstandard

from deck import Deck, interactions, journal, log_lines, run
from origin import chunk, reply
from wire import Wire, fetch

# Three secrets that stand nowhere else but in the exchange of one test.
SECRETS = [
    "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2", "a8Kz0Q3mP7xV2bN5cR9t", "Zq4Wn8Lk2Vt6Xy0Bd3Fh7Mp",
]
SHAPED, NAMED, SENT = SECRETS
JSON = b"Content-Type: application/json"
GIVEN = json.dumps({"id": 7, "text": f"see {SHAPED} there", "password": NAMED}).encode()
ASKED = json.dumps({"id": 8, "password": SENT}).encode()
NOISE = bytes(number * number * 31 >> 3 & 0xFF for number in range(3000))


def same(data: bytes) -> bytes:
    return data


CODINGS = {
    "utf-8": same, "none": same, "binary": same, "zzz": same, "gzip": same, "br": same, "zstd": same,
    "aws-chunked": lambda data: b"%x;chunk-signature=%s\r\n%s\r\n0;chunk-signature=%s\r\n\r\n" % (
        len(data), b"0" * 64, data, b"1" * 64),
    "GZIP": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "Br": brotli.compress,
    "ZSTD": zstandard.compress,
    "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
    "zstd, gzip": lambda data: gzip.compress(zstandard.compress(data)),
    "identity, gzip": gzip.compress,
}


def opened(coding: str, body: bytes) -> bytes:
    """What a client reads that undoes the coding, where it applies."""
    steps = {"gzip": gzip.decompress, "x-gzip": gzip.decompress, "deflate": zlib.decompress, "br": brotli.decompress,
             "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data)}
    if CODINGS[coding] in (same, CODINGS["aws-chunked"]):
        return body
    for name in reversed(coding.lower().split(", ")):
        body = steps.get(name, same)(body)
    return body


class Left:
    """Records one exchange twice, once sealed and once killed and recovered, replays it, and searches what is left."""

    def __init__(self, folder, origin, answer: bytes, ask):
        self.folder, self.left = folder, folder / "left"
        self.left.mkdir()
        url = origin(lambda exchange: answer).url
        self.direct, self.recorded = ask(url), self._record(url, "sealed", ask)
        self._record(url, "killed", ask, is_killed=True)
        self.replayed = self._replay("sealed", "replay", ask)
        self._replay("killed", "recovering", ask, "--mode", "new_episodes", verb="serve", upstream=url)

    def _record(self, url, name, ask, is_killed=False):
        deck = Deck(
            self.folder / name, "record", "--upstream", url, "--cassette", self.left / name,
            "--report", self.left / f"{name}.json", *(("--strict",) if not is_killed else ()))
        try:
            answer = ask(deck.url)
            if is_killed:
                deck.kill()
                (self.left / "journal").write_bytes(journal(self.left / name).read_bytes())
            else:
                assert deck.stop() == 0, deck.stderr
        finally:
            deck.kill()
        self._keep_log(deck, name)
        return answer

    def _replay(self, cassette, name, ask, *options, verb="replay", upstream=None):
        to = ("--upstream", upstream) if upstream else ("--strict",)
        deck = Deck(
            self.folder / name, verb, "--cassette", self.left / cassette, "--report", self.left / f"{name}.json", *to,
            *options)
        try:
            answer = ask(deck.url)
            assert deck.stop() == 0, deck.stderr
        finally:
            deck.kill()
        assert not journal(self.left / cassette).exists()
        self._keep_log(deck, name)
        return answer

    def _keep_log(self, deck, name) -> None:
        (self.left / f"log-{name}").write_text(deck.stderr, errors="surrogateescape")

    def assert_hidden(self, *secrets: str) -> None:
        for file in self.left.rglob("*"):
            if file.is_file():
                for content in contents(file):
                    for secret in secrets or SECRETS:
                        assert secret.encode() not in content, f"{file} holds {secret}"


def contents(file):
    """A file's bytes, and the bodies that an interaction or a journal holds in base64."""
    data = file.read_bytes()
    yield data
    for line in [data, *data.splitlines()]:
        try:
            value = json.loads(line[line.index(b"{"):])
        except ValueError:
            continue
        yield from bodies(value)


def bodies(value):
    """Every text in a JSON value, decoded as base64 and from each coding, as far as that goes."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from bodies(each)
    elif isinstance(value, str):
        yield value.encode()
        yield from unpacked(value)


def unpacked(text: str):
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return
    for _ in range(3):
        yield data
        for open_ in (gzip.decompress, zlib.decompress, brotli.decompress,
                      lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data)):
            try:
                data = open_(data)
                break
            except (OSError, EOFError, zlib.error, brotli.error, zstandard.ZstdError):
                continue
        else:
            return


@pytest.mark.parametrize("coding", CODINGS)
def test_bodies_under_a_coding(tmp_path, origin, coding):
    name, encode = b"Content-Encoding: " + coding.encode(), CODINGS[coding]
    given, asked = encode(GIVEN), encode(ASKED)
    left = Left(tmp_path, origin, reply(given, JSON, name),
                lambda url: fetch(url, "/coded", JSON, name, method=b"POST", body=asked))
    assert left.recorded.body == left.direct.body == given
    left.assert_hidden()
    text = opened(coding, left.replayed.body)
    assert b'"id": 7' in text and b'"password": "REDACTED:secret:' in text and b"see REDACTED:github:" in text
    assert left.replayed.value(b"Content-Encoding") == coding.encode()


def simple(url):
    return fetch(url, "/")


def with_interim(url):
    with Wire(url) as wire:
        wire.ask(b"/early")
        early = wire.answer()
        return early, wire.answer()


def test_the_file_name_of_a_part(tmp_path, origin):
    body = (f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{SHAPED}.txt"\r\n'
            f"X-Api-Key: {NAMED}\r\n\r\nhello\r\n--cut--\r\n").encode()
    kind = b"Content-Type: multipart/form-data; boundary=cut"
    left = Left(tmp_path, origin, reply(body, kind), lambda url: fetch(url, "/", kind, method=b"POST", body=body))
    assert left.recorded.body == body
    left.assert_hidden()
    assert b'filename="REDACTED:github:' in left.replayed.body and b"hello" in left.replayed.body


def test_authentication_info(tmp_path, origin):
    info = b'Authentication-Info: nextnonce="%s", qop=auth, rspauth="%s", nc=00000001' % (NAMED.encode(), SENT.encode())
    left = Left(tmp_path, origin, reply(b"ok", info), simple)
    assert left.recorded.value(b"Authentication-Info") == info.split(b": ")[1]
    left.assert_hidden()
    replayed = left.replayed.value(b"Authentication-Info")
    assert replayed.startswith(b'nextnonce="REDACTED:') and b"qop=auth" in replayed and b"nc=00000001" in replayed


def test_trailers(tmp_path, origin):
    answer = (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTrailer: X-Api-Key\r\nTransfer-Encoding: chunked\r\n\r\n"
              + chunk(b"hello") + b"0\r\nX-Api-Key: %s\r\nX-Note: saw %s\r\n\r\n" % (NAMED.encode(), SHAPED.encode()))
    left = Left(tmp_path, origin, answer, simple)
    assert left.recorded.trailers == left.direct.trailers
    left.assert_hidden()
    assert left.replayed.body == b"hello"
    assert [value[:9] for _, value in left.replayed.trailers] == [b"REDACTED:", b"saw REDAC"]


def test_interim_responses(tmp_path, origin):
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css?token=%s>; rel=preload\r\nX-Api-Key: %s\r\n\r\n" % (
        SHAPED.encode(), NAMED.encode())
    left = Left(tmp_path, origin, early + reply(b"late"), with_interim)
    assert left.recorded[0].fields == left.direct[0].fields and left.recorded[1].body == b"late"
    left.assert_hidden()
    assert left.replayed[0].status == 103 and left.replayed[0].value(b"X-Api-Key").startswith(b"REDACTED:")
    assert b"rel=preload" in left.replayed[0].value(b"Link")


def test_reason_phrases(tmp_path, origin):
    early = b"HTTP/1.1 103 Hints for %s\r\n\r\n" % SHAPED.encode()
    answer = early + reply(b"no", status=f"401 Token {SHAPED} rejected".encode())
    left = Left(tmp_path, origin, answer, with_interim)
    assert [one.reason for one in left.recorded] == [one.reason for one in left.direct]
    left.assert_hidden()
    assert left.replayed[1].reason.startswith(b"Token REDACTED:github:")
    assert left.replayed[1].reason.endswith(b" rejected") and left.replayed[1].status == 401


# MARK: Bodies that cannot be opened


UNOPENED = {
    "zzz": NOISE, "gzip": gzip.compress(GIVEN)[:-12], "br": NOISE, "zstd": NOISE, "gzip, zzz": NOISE,
    "deflate": NOISE, "bomb": gzip.compress(b" " * (8 << 20)),
}


@pytest.fixture
def unopened(record, origin, cassette):
    """Records a body that cannot be opened; returns the deck, stopped, and its exit code."""

    def unopened(kind, *options, **how):
        coding = b"Content-Encoding: " + (b"gzip" if kind == "bomb" else kind.encode())
        deck = record(origin(lambda exchange: reply(UNOPENED[kind], JSON, coding)).url, *options, **how)
        assert fetch(deck.url, "/coded").body == UNOPENED[kind]
        return deck, deck.stop()

    return unopened


@pytest.mark.parametrize("kind", UNOPENED)
def test_what_cannot_be_opened_is_not_sealed_where_secrets_are_refused(unopened, cassette, kind):
    deck, code = unopened(kind, "--strict")
    assert code == 4
    coding = "gzip" if kind == "bomb" else kind
    said = "\n".join(log_lines(deck, ""))
    assert "holds a body that could not be searched for secrets" in said
    assert "get-coded-" in said and f"response.body: a body that could not be opened: Content-Encoding {coding}" in said
    assert f"tapedeck scan {cassette} --fix --keep content-encoding" in said
    assert "failed: 1 body that was recorded could not be searched" in said
    assert "0 recorded" not in said and "1 bodies not searched" in said
    assert interactions(cassette) == {} and journal(cassette).exists()


@pytest.mark.parametrize(("options", "how"), [
    (("--fail-on", "secrets"), {}), ((), {"env": {"CI": "true"}}),
], ids=str)
def test_every_way_to_refuse_secrets_refuses_it(unopened, cassette, options, how):
    _, code = unopened("zzz", *options, **how)
    assert code == 4 and interactions(cassette) == {}


def test_it_is_sealed_with_a_warning_where_nothing_is_refused(unopened, cassette, tmp_path):
    deck, code = unopened("zzz", "--report", tmp_path / "report.json")
    assert code == 0
    assert len(log_lines(deck, "warning: bodies in content coding zzz are recorded without being scanned")) == 1
    assert "could not be" not in deck.stderr
    assert len(interactions(cassette)) == 1
    assert json.loads((tmp_path / "report.json").read_bytes())["secrets"] == []
    done = run("scan", cassette)
    assert done.returncode == 4
    assert "not searched: " in done.stdout and "no secrets, 1 body not searched" in done.stdout
    assert run("scan", cassette, "--keep", "content-encoding").returncode == 0
    assert run("scan", cassette, "--fix").returncode == 4
    assert run("scan", cassette, "--fix", "--keep", "content-encoding").returncode == 0
    assert run("scan", cassette).returncode == 0


def test_import_and_merge_say_it_as_recording_does(unopened, cassette, tmp_path):
    said = "warning: bodies in content coding zzz are recorded without being scanned for secrets"
    unopened("zzz")
    har = tmp_path / "session.har"
    assert run("export", cassette, "--format", "har", "-o", har).returncode == 0
    imported = run("import", har, "--cassette", tmp_path / "imported")
    assert imported.returncode == 0 and imported.stderr.count(said) == 1, imported.stderr
    merged = run("merge", cassette, tmp_path / "imported", "--into", tmp_path / "merged")
    assert merged.returncode == 0 and merged.stderr.count(said) == 1, merged.stderr


def test_a_refused_recording_is_sealed_once_such_bodies_are_accepted(unopened, cassette, start):
    unopened("zzz", "--strict")
    before = journal(cassette).read_bytes()
    assert run("scan", cassette, "--fix").returncode == 4
    assert journal(cassette).read_bytes() == before
    done = run("scan", cassette, "--fix", "--keep", "content-encoding")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not journal(cassette).exists()
    deck = start("replay", "--cassette", cassette, "--strict")
    assert fetch(deck.url, "/coded").body == NOISE


def test_a_recording_that_accepts_such_bodies_is_sealed(unopened, cassette):
    deck, code = unopened("zzz", "--strict", "--keep", "content-encoding")
    assert code == 0, deck.stderr
    assert len(interactions(cassette)) == 1
    assert json.loads((cassette / "cassette.json").read_bytes())["redaction"]["keep"] == ["content-encoding"]


def test_an_image_under_a_name_that_encodes_nothing_is_sealed(record, origin, cassette):
    deck = record(origin(lambda exchange: reply(NOISE, b"Content-Encoding: " + exchange.request.target[1:])).url, "--strict")
    for name in ("binary", "none", "utf-8", "aws-chunked"):
        assert fetch(deck.url, f"/{name}").body == NOISE
    assert deck.stop() == 0, deck.stderr
    assert len(interactions(cassette)) == 4


# MARK: Bodies too large to hold


FILLING = b"0123456789 abcdef\n" * 260_000


@pytest.mark.parametrize("coding", ["zzz", "utf-8", "gzip"])
def test_a_large_text_under_a_coding_that_does_not_apply_is_searched(record, origin, cassette, start, coding):
    body = FILLING + f"password={NAMED}\nsee {SHAPED} there\n".encode()
    answer = reply(body, b"Content-Type: text/plain", b"Content-Encoding: " + coding.encode())
    deck = record(origin(lambda exchange: answer).url, "--strict")
    assert fetch(deck.url, "/large").body == body
    assert deck.stop() == 0, deck.stderr
    for file in cassette.rglob("*"):
        assert not file.is_file() or not any(secret.encode() in file.read_bytes() for secret in SECRETS), file
    replayed = fetch(start("replay", "--cassette", cassette).url, "/large").body
    assert replayed.startswith(FILLING + b"password=REDACTED:secret:") and b"see REDACTED:github:" in replayed


def test_a_large_packed_body_is_searched_before_it_is_sealed(record, origin, cassette):
    noise = b"".join(b"%x " % (number * number * 2654435761 & 0xFFFFFFFFFFFF) for number in range(900_000))
    packed = gzip.compress(noise + SHAPED.encode() + b"\n", 1)
    assert len(packed) > 4 << 20
    answers = {b"/dirty": packed, b"/clean": gzip.compress(noise, 1)}
    upstream = origin(lambda exchange: reply(
        answers[exchange.request.target], b"Content-Type: text/plain", b"Content-Encoding: gzip"))
    deck = record(upstream.url, "--strict")
    assert fetch(deck.url, "/clean").body == answers[b"/clean"]
    assert deck.stop() == 0, deck.stderr
    deck = record(upstream.url, "--strict")
    assert fetch(deck.url, "/dirty").body == packed
    assert deck.stop() == 4
    assert "response.body: a GitHub token (ghp…)" in deck.stderr and SHAPED not in deck.stderr
