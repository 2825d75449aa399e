"""Of more than 3,000 ordinary values, at most 5 are hidden in a recording or reported by a scan.

With `TAPEDECK_ORDINARY_REPORT=FILE` everything that was hidden or found is also written there.
"""

import base64
import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from deck import Deck, interactions, run
from ordinary_kinds import Body, Message, leaves
from ordinary_values import messages, values
from origin import Origin, reply
from wire import Wire

COUNT = 3000
ALLOWED = 5
EXTENSIONS = {
    "json": "json", "html": "html", "xml": "xml", "svg": "svg", "javascript": "js", "css": "css", "csv": "csv",
    "markdown": "md", "yaml": "yaml", "toml": "toml", "event-stream": "txt"}


@dataclass(frozen=True)
class Spoiled:
    """A value that was hidden or found: in which exchange, on which side, where there, and how."""

    number: str
    side: str
    where: str
    how: str

    @property
    def key(self):
        return self.number, self.side, self.where.lower()

    def line(self, titles: dict[str, str]) -> str:
        return f"{titles[self.number]}: {self.side} {self.where}: {self.how}"


@pytest.fixture(scope="module")
def exchanges() -> list[Message]:
    return messages()


@pytest.fixture(scope="module")
def titles(exchanges) -> dict[str, str]:
    return {number_of(message): message.title for message in exchanges}


@pytest.fixture(scope="module")
def recordings(exchanges, tmp_path_factory) -> tuple[Path, Path]:
    """The same session, recorded as by default and with `--no-redact`."""
    folder = tmp_path_factory.mktemp("ordinary")
    return record(exchanges, folder / "redacted"), record(exchanges, folder / "plain", "--no-redact")


@pytest.fixture(scope="module")
def hidden(exchanges, recordings) -> list[Spoiled]:
    return changed(exchanges, recordings[0])


@pytest.fixture(scope="module")
def found_in_cassette(recordings) -> list[Spoiled]:
    return scanned(recordings[1])


@pytest.fixture(scope="module")
def found_in_files(exchanges, tmp_path_factory) -> list[Spoiled]:
    folder = tmp_path_factory.mktemp("files")
    for message in exchanges:
        write_files(folder, message)
    return scanned(folder)


def test_there_are_3000_different_values(exchanges):
    assert len({value.text for value in values(exchanges)}) >= COUNT


def test_a_recording_without_redaction_changes_nothing(exchanges, recordings):
    assert changed(exchanges, recordings[1]) == []


def test_recording_hides_at_most_five(hidden, titles):
    assert len(hidden) <= ALLOWED, listing("hidden in the cassette", hidden, titles)


def test_scan_finds_at_most_five_in_a_cassette(found_in_cassette, titles):
    assert len(found_in_cassette) <= ALLOWED, listing("found in the cassette", found_in_cassette, titles)


def test_scan_finds_at_most_five_in_files(found_in_files, titles):
    assert len(found_in_files) <= ALLOWED, listing("found in files", found_in_files, titles)


def test_at_most_five_are_hidden_or_found(exchanges, hidden, found_in_cassette, found_in_files, titles):
    """What one way hides and another finds is one value."""
    ways = {"hidden": hidden, "found in the cassette": found_in_cassette, "found in files": found_in_files}
    together = Counter()
    for each in ways.values():
        together |= Counter(spoiled.key for spoiled in each)
    if report := os.environ.get("TAPEDECK_ORDINARY_REPORT"):
        write_report(Path(report), exchanges, ways, together, titles)
    everything = [each for way in ways.values() for each in way]
    assert together.total() <= ALLOWED, listing(f"hidden or found, {together.total()} values", everything, titles)


def listing(what: str, each: list[Spoiled], titles) -> str:
    return f"{len(each)} {what}:\n  " + "\n  ".join(spoiled.line(titles) for spoiled in each)


def write_report(path: Path, exchanges, ways, together: Counter, titles) -> None:
    """Each value with its exchange and place, and below it what each way did."""
    total = len({value.text for value in values(exchanges)})
    rows = [f"{total} different values in {len(exchanges)} exchanges; {together.total()} hidden or found: "
            + ", ".join(f"{len(each)} {way}" for way, each in ways.items()), ""]
    for key in together:
        same = {way: [spoiled for spoiled in each if spoiled.key == key] for way, each in ways.items()}
        first = next(each[0] for each in same.values() if each)
        rows.append(f"{titles[first.number]}: {first.side} {first.where}" + "".join(f" [{way}]" for way, each in same.items() if each))
        rows += [f"    {spoiled.how}" for spoiled in same["hidden"] or same["found in files"] or same["found in the cassette"]]
    path.write_text("\n".join(rows) + "\n")


# Recording


def number_of(message: Message) -> str:
    return message.target.split("/")[1]


def record(exchanges: list[Message], folder: Path, *options) -> Path:
    """Records every exchange through one proxy, each as its client and its origin say it."""
    cassette = folder / "cassette"
    answers = {message.target.encode(): answer(message) for message in exchanges}
    with Origin(lambda exchange: answers[exchange.request.target]) as origin, \
            Deck(folder, "record", "--upstream", origin.url, "--cassette", cassette, *options) as deck:
        with Wire(deck.url) as wire:
            for message in exchanges:
                ask(wire, message, [] if "--no-redact" in options else message.credentials)
        assert deck.stop() == 0, deck.stderr
        assert origin.failure is None
    return cassette


def lines(fields: list[tuple[str, str]], body: Body | None) -> list[bytes]:
    """Field lines, with the type of the body."""
    kinds = [("Content-Type", body.kind)] if body else []
    return [f"{name}: {value}".encode() for name, value in [*kinds, *fields]]


def answer(message: Message) -> bytes:
    body = message.body.data if message.body else b""
    return reply(body, *lines(message.response_fields, message.body), status=message.status.encode())


def ask(wire: Wire, message: Message, credentials: list[tuple[str, str]]) -> None:
    fields = lines([*message.request_fields, *credentials], message.sent)
    method = message.method.encode()
    wire.ask(message.target.encode(), *fields, method=method, body=message.sent.data if message.sent else None)
    wire.answer(method)


# What the cassette holds


def changed(exchanges: list[Message], cassette: Path) -> list[Spoiled]:
    """Whatever stands otherwise in the cassette than it was said, of all exchanges."""
    kept = {value["request"]["target"].split("/")[1]: value for value in interactions(cassette).values()}
    return [each for message in exchanges for each in changes(message, kept[number_of(message)], cassette)]


def changes(message: Message, interaction: dict, cassette: Path) -> list[Spoiled]:
    volatile = interaction.get("volatile", {})
    request, response = interaction["request"], interaction["response"]
    number = number_of(message)
    found = changed_target(number, message.target, request["target"])
    for side, fields, body, part in (
            ("request", message.request_fields, message.sent, request),
            ("response", message.response_fields, message.body, response)):
        kept = part["headers"] + volatile.get(f"{side}Headers", [])
        found += changed_fields(number, side, fields, [tuple(pair) for pair in kept])
        if body is not None and body.text:
            found += changed_body(number, side, body, part["body"], cassette)
    return found


def became(value, other) -> str:
    return f"{value!r} became {other!r}"


def changed_target(number: str, said: str, kept: str) -> list[Spoiled]:
    before, after = (re.split(r"(?=[?&])", each) for each in (said, kept))
    if len(before) != len(after):
        return [Spoiled(number, "request", "target", became(said, kept))]
    return [Spoiled(number, "request", "target", became(one, other)) for one, other in zip(before, after) if one != other]


def changed_fields(number: str, side: str, said, kept) -> list[Spoiled]:
    return [Spoiled(number, side, f"field {name}", became(value, [other for same, other in kept if same == name]))
            for name, value in said if (name, value) not in kept]


def changed_body(number: str, side: str, body: Body, kept: dict, cassette: Path) -> list[Spoiled]:
    if body.tree is not None and "json" in kept:
        return changed_leaves(number, side, body.tree, kept["json"])
    content = content_of(kept, cassette)
    return [] if content == body.text else changed_lines(number, side, body, content)


def changed_leaves(number: str, side: str, said, kept) -> list[Spoiled]:
    after = {place: value for place, _, value in leaves(kept)}
    found = [Spoiled(number, side, place, became(value, after.get(place)))
             for place, _, value in leaves(said) if after.get(place, ...) != value]
    if found or json.dumps(said) == json.dumps(kept):
        return found
    return [Spoiled(number, side, "$", became(said, kept))]


def changed_lines(number: str, side: str, body: Body, content: str) -> list[Spoiled]:
    """Lines that differ: of these the values that are gone, or all of them if none of the counted is."""
    before, after = body.text.split("\n"), content.split("\n")
    found = []
    for kind, start, end, other_start, other_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            line, other = "\n".join(before[start:end]), "\n".join(after[other_start:other_end])
            gone = {value: name for name, value in body.marked if line.count(value) > other.count(value)}
            longer = {value: name for value, name in gone.items() if len(value) > 3}  # digits are parts of others
            found += [Spoiled(number, side, f"text {last_word(name)}", became(value, other))
                      for value, name in (longer or gone or {line: line}).items()]
    return found


def last_word(text: str) -> str:
    return (re.findall(r"[\w.-]+", text) or ["line"])[-1]


def content_of(kept: dict, cassette: Path) -> str:
    if "text" in kept:
        return kept["text"] if isinstance(kept["text"], str) else "".join(kept["text"])
    if "base64" in kept:
        return base64.b64decode(kept["base64"]).decode()
    if "json" in kept:
        return json.dumps(kept["json"], ensure_ascii=False)
    return (cassette / kept["file"]).read_bytes().decode()


# Scanning


def write_files(folder: Path, message: Message) -> None:
    """The bodies as files of their kind, and the heads as a client prints them."""
    number = number_of(message)
    for side, start, fields, body in (
            ("request", f"{message.method} {message.target} HTTP/1.1", message.request_fields, message.sent),
            ("response", f"HTTP/1.1 {message.status}", message.response_fields, message.body)):
        head = [start, *(f"{name}: {value}" for name, value in fields)]
        (folder / f"{number}-{side}.http").write_text("\n".join([*head, ""]))
        if body is not None:
            extension = next((end for kind, end in EXTENSIONS.items() if kind in body.kind), "txt")
            (folder / f"{number}-{side}.{extension}").write_bytes(body.data)


def scanned(folder: Path) -> list[Spoiled]:
    """What a scan reports, each where it would be reported as changed."""
    done = run("scan", "--json", folder, timeout=60)
    assert done.returncode in (0, 4), done.stderr
    return [spoiled(folder, find) for report in json.loads(done.stdout) for find in report["finds"]]


def spoiled(folder: Path, find: dict) -> Spoiled:
    path, place = Path(find["file"]), find["place"] or ""
    if "…" in path.name:  # the scan does not print a name that holds what it found
        path = next(folder.glob("*" + path.name.rsplit("…", 1)[1]))
    number, side = re.search(r"(?:^|-)(\d+)-(?:(request|response)\.)?", path.name).groups()
    how = f"{find['name']}: {find['looksLike']} ({find['beginning']}…) in {path.name}, {place or 'line ' + str(find['line'])}"
    if path.suffix == ".http":
        return Spoiled(number, side, field_at(path, find["line"]), how)
    side = side or place.split(".")[0]
    place = place.removeprefix(f"{side}.")
    if place.startswith("headers "):
        return Spoiled(number, side, "field " + place.split(" ")[1], how)
    json_place = re.search(r"\$\S*", place)
    where = json_place[0] if json_place else "target" if place.startswith("target") else f"text {find['name']}"
    return Spoiled(number, side, where, how)


def field_at(path: Path, line: int) -> str:
    return "target" if line == 1 else "field " + path.read_text().split("\n")[line - 1].split(":")[0]
