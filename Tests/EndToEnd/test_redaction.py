"""Secrets of every kind in every place: the client gets them, and nothing that is left holds them.

Each cell of the matrix (kind × place) is an exchange of its own, with secrets that stand nowhere else: what one cell
gives away cannot help another. `hiding.py` has the places, `planted.py` the kinds and the search.
"""

import json
from pathlib import Path

import pytest

from deck import Deck, journal, run
from hiding import PLACES, Cell, Writer
from origin import Origin, reply
from planted import KINDS, Plants, Search
from wire import Wire, fetch


def matrix(seed: str) -> tuple[dict[str, Cell], Plants]:
    plants, cells = Plants(seed), {}
    for kind in KINDS:
        for place in PLACES:
            path = f"/{kind.label}/{place.__name__}"
            cells[path] = place(Writer(kind, lambda: plants.new(kind, place.__name__), path))
    return cells, plants


def ask(url: str, cells: dict[str, Cell]) -> dict[str, object]:
    with Wire(url) as wire:
        answers = {}
        for path, cell in cells.items():
            wire.ask(cell.target.encode(), *cell.fields, method=cell.method, body=cell.body)
            answers[path] = wire.answer(cell.method)
        return answers


def lasting(answer) -> list[tuple[bytes, bytes]]:
    """Without what no proxy hands on (RFC 9110 §11.7.2)."""
    return [each for each in answer.lasting_fields if each[0] != b"Proxy-Authorization"]


class Session:
    """All that is left of the matrix: a recording, one that was killed, one without redaction, a replay, refusals, and
    what the verbs say. `left` has a file or folder for each of them."""

    def __init__(self, folder: Path):
        self.folder, self.left = folder, folder / "left"
        self.left.mkdir()
        self.cells, self.plants = matrix("sixty kinds")
        with Origin(self._answer) as origin:
            self.direct = ask(origin.url, self.cells)
            self.recorded, self.code = self._record(origin, "sealed")
            self._record(origin, "killed", "--log-format", "json", is_killed=True)
            self._record(origin, "bare", "--no-redact")
        self.replayed, self.replay_code = self._replay(self.cells, "replay", "--strict", "--explain")
        some = list(self.cells.items())[::11]  # a refusal looks at every recording
        elsewhere = {path: Cell(cell.target.replace("/", "/other/", 1), cell.fields, cell.body) for path, cell in some}
        self.refused, _ = self._replay(elsewhere, "refusing", "--log-format", "json")
        (self.left / "refusals").write_bytes(b"\n".join(answer.head + answer.body for answer in self.refused.values()))
        self._speak()
        self.leaks = Search(folder / "search", self.plants.made).found(self.left)

    def _answer(self, exchange) -> bytes:
        path = exchange.request.target.decode().partition("?")[0]
        return self.cells["/".join(path.split("/")[:3])].answer

    def _log(self, deck: Deck, name: str) -> None:
        (self.left / f"log-{name}").write_text(deck.stderr, errors="surrogateescape")

    def _record(self, origin: Origin, name: str, *options, is_killed=False):
        deck = Deck(self.folder / name, "record", "--upstream", origin.url, "--cassette", self.left / name, *options)
        try:
            answers = ask(deck.url, self.cells)
            code = deck.kill() if is_killed else deck.stop()
        finally:
            deck.kill()
        if name != "bare":
            self._log(deck, name)
        return answers, code

    def _replay(self, cells: dict[str, Cell], name: str, *options):
        reports = ("--report", self.left / f"{name}.json", "--report-junit", self.left / f"{name}.xml")
        deck = Deck(self.folder / name, "replay", "--cassette", self.left / "sealed", *reports, *options)
        try:
            answers = ask(deck.url, cells)
            code = deck.stop()
        finally:
            deck.kill()
        self._log(deck, name)
        return answers, code

    def _speak(self) -> None:
        sealed, killed = self.left / "sealed", self.left / "killed"
        for words in (
            ("ls", sealed), ("ls", "--json", sealed), ("show", sealed), ("show", "--json", sealed), ("show", "--curl", sealed),
            ("diff", sealed, killed), ("lint", sealed), ("export", sealed, "-o", self.left / "export.har"),
            ("export", sealed, "--format", "curl", "-o", self.left / "export.sh"),
        ):
            done = run(*words, timeout=60)
            assert done.returncode in (0, 1, 4), (words, done.stderr)
            name = "-".join(str(word) for word in words if not str(word).startswith("/")).replace("---", "-")
            (self.left / f"said-{name}").write_text(done.stdout + done.stderr, errors="surrogateescape")


@pytest.fixture(scope="module")
def session(tmp_path_factory) -> Session:
    return Session(tmp_path_factory.mktemp("secrets"))


def test_the_matrix_is_large_enough(session):
    assert len({kind.label for kind in KINDS}) >= 60 and len(PLACES) >= 15
    planted = {label for label, _ in session.plants.made}
    assert planted == {f"{kind.label} in {place.__name__}" for kind in KINDS for place in PLACES}


def test_the_client_gets_every_byte(session):
    assert session.code == 0
    for path, answer in session.recorded.items():
        direct = session.direct[path]
        assert (answer.status, lasting(answer), answer.body) == (direct.status, lasting(direct), direct.body), path


def test_the_search_finds_them(session):
    """Without redaction, in every cell."""
    handed_on = {label for label, _ in session.plants.made} - {
        "proxy-basic in request_header", "proxy-basic in response_header"}
    assert not handed_on - set(session.leaks["bare"])


ARTEFACTS = [
    "sealed", "killed", "log-sealed", "log-killed", "log-replay", "log-refusing", "refusals", "replay.json", "replay.xml",
    "refusing.json", "refusing.xml", "export.har", "export.sh", "said-ls", "said-ls-json", "said-show", "said-show-json",
    "said-show-curl", "said-diff", "said-lint",
]


@pytest.mark.parametrize("artefact", ARTEFACTS)
def test_no_secret_is_left(session, artefact, figure):
    leaks = session.leaks[artefact]
    figure(f"secrets left in {artefact}, of {len(session.plants.made)} in {len(session.cells)} cells", len(leaks))
    assert not leaks, "\n".join(f"{label}: {place}" for label, place in sorted(leaks.items()))


def test_the_killed_recorder_left_a_journal(session):
    assert journal(session.left / "killed").stat().st_size > 1 << 20


def test_every_artefact_was_looked_at(session):
    # What export says about its file, it says on standard error.
    assert set(session.leaks) - set(ARTEFACTS) <= {"bare", "said-export--o", "said-export-format-curl--o"}


def test_the_redacted_cassette_replays_the_same_client_run(session):
    assert session.replay_code == 0
    for path, answer in session.replayed.items():
        recorded = session.recorded[path]
        fields = [name for name, _ in lasting(answer) if name != b"Tapedeck-Answer"]
        assert (answer.status, fields) == (recorded.status, [name for name, _ in lasting(recorded)]), path
        if answer.value(b"Content-Type") == b"application/json" and not answer.value(b"Content-Encoding"):
            json.loads(answer.body)


def test_a_request_that_was_never_recorded_is_refused(session):
    assert {answer.status for answer in session.refused.values()} == {502}


def test_the_log_hides_what_an_answer_gave_away(start, origin, cassette):
    """A path that names no secret: only the cookie that the answer sets says that it is one."""
    secret = b"s3cr3tvalue99887766"
    upstream = origin(lambda exchange: reply(b"", b"Set-Cookie: sessionid=" + secret + b"; Path=/"))
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette)
    fetch(deck.url, "/login/" + secret.decode())
    fetch(deck.url, "/again/" + secret.decode())
    deck.stop()
    assert secret.decode() not in deck.stderr
    assert "/login/REDACTED:secret:" in deck.stderr and "/again/REDACTED:secret:" in deck.stderr
