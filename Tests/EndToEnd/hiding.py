"""Where secrets stand: for each place, one exchange that holds a secret there.

A secret is told by its *looks* wherever it stands, or by its *name* where it stands under that. In `path` and `echoed`
it stands alone: what only its name can tell is told by a *link* there, a field of the same request with its name.
"""

import gzip
import json
import zlib
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

from origin import LAST_CHUNK, chunk, reply
from planted import Kind, b64, b64url

JSON, TEXT = b"Content-Type: application/json", b"Content-Type: text/plain; charset=utf-8"
FORM = b"Content-Type: application/x-www-form-urlencoded"
HTML, XML = b"Content-Type: text/html", b"Content-Type: application/xml"


@dataclass
class Cell:
    """One exchange."""

    target: str
    fields: list[bytes] = field(default_factory=list)
    body: bytes | None = None
    answer: bytes = reply(b"ok", TEXT)

    @property
    def method(self) -> bytes:
        return b"GET" if self.body is None else b"POST"


class Writer:
    """Writes secrets of one kind, each a new one, into one place."""

    def __init__(self, kind: Kind, make, path: str):
        self.kind, self._make, self.path = kind, make, path

    @property
    def name(self) -> str:
        return self.kind.name or "note"

    def value(self) -> str:
        return self._make()

    def secret(self) -> str:
        """A new one, as it stands under its name."""
        return self.kind.written(self.value())

    def field(self, secret: str, name: str | None = None) -> bytes:
        return f"{name or self.kind.name or 'X-Mark'}: {one_line(secret)}".encode()

    def link(self, value: str) -> list[bytes]:
        """The field that gives a value away where it stands alone; one that a proxy hands on."""
        if not self.kind.needs_link:
            return []
        return [self.field(self.kind.written(value), (self.kind.name or "X-Mark").removeprefix("Proxy-"))]

    def named(self) -> dict:
        return {"id": 7, self.name: self.secret(), "ok": True}


def one_line(secret: str) -> str:
    """A key's line breaks where there is no place for any."""
    return secret.replace("\n", "\\n")


def as_json(value) -> bytes:
    return json.dumps(value).encode()


# MARK: One function a place

def request_header(write: Writer) -> Cell:
    return Cell(write.path, [write.field(write.secret())])


def response_header(write: Writer) -> Cell:
    return Cell(write.path, answer=reply(b"ok", TEXT, write.field(write.secret())))


def query(write: Writer) -> Cell:
    return Cell(f"{write.path}?page=2&{quote_plus(write.name)}={quote_plus(write.secret())}&x=1")


def path(write: Writer) -> Cell:
    value = write.value()
    return Cell(f"{write.path}/{quote(one_line(value), safe=':+=')}/end", write.link(value))


def form(write: Writer) -> Cell:
    body = f"page=2&{quote_plus(write.name)}={quote_plus(write.secret())}&x=1"
    answer = f"{quote_plus(write.name)}={quote_plus(write.secret())}"
    return Cell(write.path, [FORM], body.encode(), reply(answer.encode(), FORM))


def json_shallow(write: Writer) -> Cell:
    return Cell(write.path, [JSON], as_json(write.named()), reply(as_json(write.named()), JSON))


def json_deep(write: Writer) -> Cell:
    def deep():
        pair = {"name": write.name, "value": write.secret()}
        return {"data": [{"a": {"b": [[write.named()], pair, {write.name: [write.secret(), write.secret()]}]}}]}
    return Cell(write.path, [JSON], as_json(deep()), reply(json.dumps(deep(), indent=2).encode(), JSON))


def json_in_json(write: Writer) -> Cell:
    once, twice = json.dumps(write.named()), json.dumps({"inner": json.dumps(write.named())})
    slashed = json.dumps({"payload": json.dumps(write.named())}).replace("/", "\\/")
    return Cell(write.path, [JSON], as_json({"payload": once}), reply(as_json([twice, slashed]), JSON))


def cookies(write: Writer) -> Cell:
    sent, given = quote(write.secret(), safe=""), quote(write.secret(), safe="")
    name = write.name.lower()
    return Cell(
        write.path, [f"Cookie: theme=dark; {name}={sent}; lang=en".encode()],
        answer=reply(b"ok", TEXT, f"Set-Cookie: {name}={given}; Path=/; HttpOnly; SameSite=Lax".encode()))


def multipart(write: Writer) -> Cell:
    parts = (
        f'--cut\r\nContent-Disposition: form-data; name="{write.name}"\r\n\r\n{write.secret()}\r\n'
        f'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\nContent-Type: application/json\r\n\r\n'
        f"{json.dumps(write.named())}\r\n--cut--\r\n")
    return Cell(write.path, [b"Content-Type: multipart/form-data; boundary=cut"], parts.encode())


def percent_encoded(write: Writer) -> Cell:
    every = "".join(f"%{byte:02X}" for byte in write.secret().encode())
    lower = "".join(f"%{byte:02x}" for byte in write.secret().encode())
    within = quote(f"https://elsewhere.test/?x=1&{write.name}={quote(write.secret(), safe='')}", safe="")
    return Cell(
        f"{write.path}?{write.name}={every}&next={within}",
        answer=reply(f"see /x?a=1&{write.name}={lower}&b=2 for more".encode(), TEXT))


def in_base64(write: Writer) -> Cell:
    shifted = "".join(f"{b64('.' * skipped + ' ' + f'{write.name}={one_line(write.secret())}')}\n" for skipped in range(3))
    sent = {"data": b64(as_json(write.named())), "url": b64url(as_json(write.named()))}
    basic = b64(f"me:{write.value()}")
    return Cell(write.path, [JSON, f"Authorization: Basic {basic}".encode()], as_json(sent), reply(shifted.encode(), TEXT))


def compressed(write: Writer) -> Cell:
    sent, given = gzip.compress(as_json(write.named())), gzip.compress(as_json([write.named()]))
    return Cell(write.path, [JSON, b"Content-Encoding: gzip"], sent, reply(given, JSON, b"Content-Encoding: gzip"))


def deflated(write: Writer) -> Cell:
    raw = zlib.compressobj(wbits=-15)
    sent, given = zlib.compress(as_json(write.named())), raw.compress(as_json(write.named())) + raw.flush()
    return Cell(write.path, [JSON, b"Content-Encoding: deflate"], sent, reply(given, JSON, b"Content-Encoding: deflate"))


def cut_into_chunks(write: Writer) -> Cell:
    """Cut at every boundary of it, a new one each time; of the long ones at some."""
    lines = [f"{write.name}: {one_line(write.secret())}".encode()]
    step = max(1, len(lines[0]) // 64)
    parts = []
    for at in range(1, len(lines[0]), step):
        line = f"{write.name}: {one_line(write.secret())}".encode()
        parts += [line[:at], line[at:] + b"\n"]
    return Cell(write.path, answer=chunked(TEXT, filter(None, parts)))


def event_stream(write: Writer) -> Cell:
    events = b"".join(b"event: tick\nid: 1\ndata: %s\n\n" % as_json(write.named()) for _ in range(2))
    pieces = [events[start:start + 37] for start in range(0, len(events), 37)]
    return Cell(write.path, answer=chunked(b"Content-Type: text/event-stream", pieces))


def chunked(kind: bytes, pieces) -> bytes:
    head = b"HTTP/1.1 200 OK\r\n" + kind + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(map(chunk, pieces)) + LAST_CHUNK


def plain_text(write: Writer) -> Cell:
    text = f"it is\n{write.name}: {write.secret()}\n2026-11-21T10:00:00Z INFO got {write.name}={one_line(write.secret())} from 10.0.0.1\n"
    return Cell(write.path, [TEXT], text.encode(), reply(text_of(write).encode(), TEXT))


def text_of(write: Writer) -> str:
    return f"a: 1\n{write.name}: {json.dumps(write.secret())}\nexport {write.name.upper().replace('-', '_')}='{one_line(write.secret())}'\n"


def markup(write: Writer) -> Cell:
    sent = f'<?xml version="1.0"?><a><b x="1"/><{write.name}>{escape(write.secret())}</{write.name}></a>'
    given = (
        f'<html><body><input type="hidden" name="{write.name}" value="{attribute(write.secret())}">'
        f'<a href="/x?a=1&amp;{write.name}={quote(write.secret(), safe="")}">x</a></body></html>')
    return Cell(write.path, [XML], sent.encode(), reply(given.encode(), HTML))


def attribute(text: str) -> str:
    return escape(text, {'"': "&quot;"})


def in_a_url(write: Writer) -> Cell:
    def url():
        return f"https://me:{quote(write.value(), safe='')}@elsewhere.test/x?a=1&{write.name}={quote(write.secret(), safe='')}#top"
    return Cell(
        write.path, [JSON], as_json({"remote": url()}),
        reply(f"go to {url()} now".encode(), TEXT, f"Location: {url()}".encode(), f'Link: <{url()}>; rel="next"'.encode(),
              status=b"302 Found"))


def large_body(write: Writer) -> Cell:
    """Too large to stand in the interaction: it has a file of its own."""
    body = b", ".join([FILLING, as_json(write.named()), FILLING, as_json(write.named())])
    return Cell(write.path, answer=reply(b"[" + body + b"]", JSON))


FILLING = b", ".join(as_json({"id": number, "title": f"number {number}"}) for number in range(4000))


def echoed(write: Writer) -> Cell:
    """The origin gives back what it got, in encodings of its own."""
    value = write.value()
    said = one_line(value)
    echo = f"{quote(said, safe='')} {b64(said)} {b64('.' + said)} {b64url('..' + said)} {escape(said)} {json.dumps(value)}"
    if not value.startswith("-----"):
        echo += f" {value.encode().hex()}"
    return Cell(write.path, write.link(value) or [write.field(value)], answer=reply(echo.encode(), TEXT))


PLACES = [
    request_header, response_header, query, path, form, json_shallow, json_deep, json_in_json, cookies, multipart,
    percent_encoded, in_base64, compressed, deflated, cut_into_chunks, event_stream, plain_text, markup, in_a_url,
    large_body, echoed,
]
