"""What a stranger's scanner would find: nothing, in anything that a recording leaves behind."""

import base64
import gzip
import html
import json
import re
import zlib
from functools import cache
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from deck import Deck, run
from origin import Origin, chunk
from steering import TOKEN, Admin
from strange_secrets import ENTRIES, Entry
from strange_secrets_second import LEFT
from wire import Wire

pytestmark = pytest.mark.timeout(240)

BY_NUMBER = {entry.number: entry for entry in ENTRIES}
FORMATS = ("har", "curl", "vcr", "vcrpy", "wiremock", "hoverfly")
WINDOW = 8  # bytes of a needle that are looked up before the whole is compared


def number_of(message) -> int:
    return int(message.value(b"X-Case"))


def handler(exchange):
    if exchange.request.target == b"/endless":
        exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"one"))
        exchange.wait_for_close()
        return None
    return BY_NUMBER[number_of(exchange.request)].answer.wire


class Client:
    """One connection, opened anew whenever the other side has closed it."""

    def __init__(self, url: str):
        self.url = url
        self.wire = None

    def ask(self, message):
        try:
            return self._once(message)
        except (OSError, AttributeError):
            self.wire = Wire(self.url)
            return self._once(message)

    def _once(self, message):
        self.wire.send(message.wire)
        method = message.start.split(" ")[0].encode()
        answer = self.wire.answer(method)
        if (answer.value(b"Connection") or b"").lower() == b"close":
            self.wire.close()
            self.wire = None
        return answer


def wrapped_base64(data: bytes) -> set[bytes]:
    """The characters that stand for this value in base64, wherever in the text it begins."""
    found = set()
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + data)
        start = (0, 2, 3)[offset]
        end = (offset + len(data)) * 8 // 6
        found |= {text[start:end], text[start:end].replace(b"+", b"-").replace(b"/", b"_")}
    return found


def spellings(text: str) -> set[bytes]:
    """Every way to write a value that still says it."""
    once = {text, quote(text, safe=""), quote(text), quote_plus(text), html.escape(text), html.escape(text, False)}
    once |= {json.dumps(each)[1:-1] for each in list(once)} | {json.dumps(text, ensure_ascii=False)[1:-1]}
    once |= {json.dumps(each)[1:-1] for each in list(once)} | {each.replace("/", "\\/") for each in list(once)}
    found = {each.encode() for each in once} | {text.encode().hex().encode()}
    if len(text) >= 8:
        found |= wrapped_base64(text.encode())
    return {each.lower() for each in found}


def needles(entry: Entry) -> frozenset[bytes]:
    """The secret and, if it is long, its lines, its words in threes and its halves: a piece gives it away as well."""
    secret = entry.secret
    pieces = {secret}
    words = secret.split()
    if len(words) > 3:
        pieces |= {" ".join(words[at:at + 3]) for at in range(len(words) - 2)}
    elif len(words) > 1:
        pieces |= {word for word in words if len(word) >= 8}
    if len(words) == 1 and len(secret) >= 32:
        pieces |= {secret[len(secret) // 2:], secret[-64:]}
    return frozenset().union(*map(spellings, pieces))


@cache
def index():
    """Long needles by their first bytes, and one expression for each short one."""
    long, short = {}, []
    for entry in ENTRIES:
        for needle in needles(entry):
            if len(needle) >= WINDOW:
                long.setdefault(needle[:WINDOW], []).append((needle, entry))
            else:
                # A few digits turn up by chance in times and hashes: only as a word of their own do they count.
                short.append((re.compile(rb"(?<![0-9a-z.])" + re.escape(needle) + rb"(?![0-9a-z]|\.\d)"), entry))
    return long, short


def leaks(data: bytes) -> dict[int, bytes]:
    """The entries whose secret stands in these bytes, each with the line around it."""
    long, short = index()
    data, found = data.lower(), {}
    for at in range(len(data) - WINDOW + 1):
        for needle, entry in long.get(data[at:at + WINDOW], ()):
            if entry.number not in found and data.startswith(needle, at):
                found[entry.number] = around(data, at, len(needle))
    for pattern, entry in short:
        if entry.number not in found and (match := pattern.search(data)):
            found[entry.number] = around(data, match.start(), len(match[0]))
    return found


def around(data: bytes, at: int, length: int) -> bytes:
    start = max(data.rfind(b"\n", 0, at) + 1, at - 120)
    return data[start:at + length + 60].split(b"\n")[0]


def unpacked(data: bytes) -> bytes:
    """What base64 in a file hides, opened: compressed bodies above all."""
    found = []
    for text in re.findall(rb'"base64": ?"([^"]+)"', data):
        try:
            found.append(opened(base64.b64decode(text)))
        except ValueError:
            pass
    return data + b"\n" + b"\n".join(found)


def opened(body: bytes) -> bytes:
    for open in (gzip.decompress, zlib.decompress):
        try:
            return open(body)
        except (OSError, zlib.error, EOFError):
            pass
    return body


class Findings:
    """Leaks of all artefacts, told at once."""

    def __init__(self):
        self.found: dict[int, dict[str, bytes]] = {}

    def look(self, artefact: str, data: bytes) -> None:
        for number, line in leaks(data).items():
            self.found.setdefault(number, {}).setdefault(artefact, line)

    def look_through(self, artefact: str, folder: Path) -> None:
        assert folder.exists(), artefact
        for path in sorted(folder.rglob("*")):
            self.look(f"{artefact} (file name)", path.name.encode())
            if path.is_file():
                self.look(artefact, unpacked(path.read_bytes()) + b"\n" + opened(path.read_bytes()))

    def report(self) -> str:
        lines = [f"{len(self.found)} of {len(ENTRIES)} secrets leak"]
        for number, places in sorted(self.found.items()):
            entry = BY_NUMBER[number]
            lines += ["", f"{number} {entry.name} ({entry.source})", f"  secret: {entry.secret}"]
            lines += [f"  in {artefact}: {line.decode(errors='replace')}" for artefact, line in places.items()]
            lines += ["    " + line for line in entry.story.splitlines()]
        return "\n".join(lines)

    def assert_none(self) -> None:
        for number in [number for number in self.found if BY_NUMBER[number].name in LEFT]:
            del self.found[number]
        assert not self.found, self.report()


def request_through(url: str, messages) -> list:
    client = Client(url)
    return [client.ask(message) for message in messages]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Everything recorded once: the folder, the recorder's words and what the client got."""
    folder = tmp_path_factory.mktemp("strange")
    with Origin(handler) as origin:
        with Deck(folder / "text", "record", "--upstream", origin.url, "--cassette", folder / "cassette",
                  "--report", folder / "report.json", "--report-junit", folder / "report.xml",
                  "--admin-port", "0", "--admin-token", TOKEN, "--journal", "64") as deck:
            answers = request_through(deck.url, [entry.ask for entry in ENTRIES])
            admin = Admin(deck)
            log = requests_seen(admin)
            assert deck.stop() == 0, deck.stderr[-2000:]
        asked = list(origin.requests)
    return folder, deck, answers, asked, log


def requests_seen(admin: Admin) -> bytes:
    """The request log: the list, and some exchanges in full."""
    listed = admin.call("GET", "/requests", limit=10000)
    log = json.dumps(listed, ensure_ascii=False).encode()
    rows = listed if isinstance(listed, list) else next(v for v in listed.values() if isinstance(v, list))
    for row in rows:
        key = row.get("number", row.get("id"))
        log += b"\n" + json.dumps(admin.get(f"/requests/{key}"), ensure_ascii=False).encode()
    return log


def test_the_list_is_long_and_each_secret_is_used_once():
    assert len(ENTRIES) >= 300
    assert len({entry.secret for entry in ENTRIES}) == len(ENTRIES)


def test_the_search_finds_every_secret_that_is_not_redacted(origin, start, tmp_path):
    cassette = tmp_path / "cassette"
    deck = start("record", "--upstream", origin(handler).url, "--cassette", cassette, "--no-redact", "--quiet")
    request_through(deck.url, [entry.ask for entry in ENTRIES])
    assert deck.stop() == 0, deck.stderr[-2000:]
    findings = Findings()
    findings.look_through("cassette", cassette)
    assert [entry.name for entry in ENTRIES if entry.number not in findings.found] == []


def test_client_and_origin_get_the_true_bytes_while_recording(recorded):
    _, _, answers, asked, _ = recorded
    for entry, answer, request in zip(ENTRIES, answers, asked, strict=True):
        assert answer.status == int(entry.answer.start.split(" ")[1]), entry.name
        assert answer.body == entry.answer.body, entry.name
        assert request.body == entry.ask.body, entry.name
        assert request.start == entry.ask.start.encode(), entry.name
        got = [name + b": " + value for name, value in answer.fields]
        rewritten = ("Location", "Content-Length", "Transfer-Encoding", "Link", "Refresh", "Set-Cookie")
        for field in entry.answer.fields:
            if not field.startswith(rewritten):
                assert field.encode() in got, entry.name


def test_nothing_that_is_sealed_or_reported_holds_a_secret(recorded):
    folder, deck, _, _, _ = recorded
    findings = Findings()
    findings.look_through("cassette", folder / "cassette")
    findings.look("live log", deck.stderr.encode(errors="surrogateescape"))
    findings.look("report", (folder / "report.json").read_bytes())
    findings.look("JUnit report", (folder / "report.xml").read_bytes())
    findings.assert_none()


def test_what_is_left_is_what_the_list_says(recorded):
    findings = Findings()
    findings.look_through("cassette", recorded[0] / "cassette")
    assert {BY_NUMBER[number].name for number in findings.found} == set(LEFT)


def test_the_request_log_holds_no_secret(recorded):
    findings = Findings()
    findings.look("request log", recorded[4])
    findings.assert_none()


def test_no_export_holds_a_secret(recorded):
    folder = recorded[0]
    findings = Findings()
    for kind in FORMATS:
        done = run("export", folder / "cassette", "--format", kind, "-o", folder / f"export.{kind}", timeout=60)
        assert done.returncode == 0, done.stderr
        findings.look(f"what export says of {kind}", done.stderr.encode(errors="surrogateescape"))
        findings.look(f"export as {kind}", unpacked((folder / f"export.{kind}").read_bytes()))
    for verb in ("show", "ls"):
        findings.look(verb, run(verb, folder / "cassette", timeout=60).stdout.encode(errors="surrogateescape"))
    findings.assert_none()


@pytest.mark.parametrize("kind", ["text", "json"])
def test_no_miss_tells_a_secret(recorded, start, kind, tmp_path):
    deck = start("replay", "--cassette", recorded[0] / "cassette", "--log-format", kind, "--explain",
                 "--report", tmp_path / "report.json")
    findings = Findings()
    answers = request_through(deck.url, [entry.changed() for entry in ENTRIES])
    assert {answer.status for answer in answers} == {502}
    deck.stop()
    findings.look("miss response", b"\n".join(answer.head + answer.body for answer in answers))
    findings.look(f"{kind} log of misses", deck.stderr.encode(errors="surrogateescape"))
    findings.look("report of misses", (tmp_path / "report.json").read_bytes())
    findings.assert_none()


def test_every_recorded_request_is_found_again_and_answered_without_its_secret(recorded, start):
    deck = start("replay", "--cassette", recorded[0] / "cassette", "--log-format", "json")
    answers = request_through(deck.url, [entry.ask for entry in ENTRIES])
    assert [e.name for e, a in zip(ENTRIES, answers) if a.status != int(e.answer.start.split(" ")[1])] == []
    assert deck.stop() == 0, deck.stderr[-2000:]
    findings = Findings()
    for answer in answers:
        trailers = b"\n".join(name + b": " + value for name, value in answer.trailers)
        findings.look("replayed response", answer.head + opened(answer.body) + b"\n" + trailers)
    findings.look("json log of a replay", deck.stderr.encode(errors="surrogateescape"))
    findings.assert_none()


def test_a_killed_recording_and_its_recovery_hold_no_secret(origin, start, tmp_path):
    upstream, cassette = origin(handler), tmp_path / "cassette"
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette, "--log-format", "json")
    request_through(deck.url, [entry.ask for entry in ENTRIES])
    with Wire(deck.url) as wire:
        wire.ask(b"/endless")
        wire.head()
        assert wire.chunk() == b"one"
        deck.kill()
    findings = Findings()
    findings.look_through("what a kill leaves", cassette)
    findings.look("json log", deck.stderr.encode(errors="surrogateescape"))
    again = start("record", "--upstream", upstream.url, "--cassette", cassette)
    assert again.stop() == 0, again.stderr[-2000:]
    findings.look_through("what is recovered", cassette)
    findings.look("log of the recovery", again.stderr.encode(errors="surrogateescape"))
    findings.assert_none()


def test_nothing_sealed_under_strict_holds_a_secret(origin, start, tmp_path):
    cassette = tmp_path / "cassette"
    deck = start("record", "--upstream", origin(handler).url, "--cassette", cassette, "--strict")
    request_through(deck.url, [entry.ask for entry in ENTRIES])
    deck.stop()
    findings = Findings()
    findings.look("log", deck.stderr.encode(errors="surrogateescape"))
    if cassette.exists():
        findings.look_through("cassette", cassette)
    findings.assert_none()
