"""One session that every foreign tool records: an origin with the answers that files get wrong, and what is asked of it.

What a file of a tool must give back is what the origin said, so the origin itself is the expectation."""

import gzip
import itertools
import zlib

from origin import HangUp
from wire import fetch

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360000002000001e221bc330000000049454e44ae426082")
PAGE = b'<!doctype html><meta charset="utf-8"><title>Session</title>\n'
BOUNDARY = b"a-boundary-of-ours"
PARTS = (
    b'--%(b)s\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'
    b'--%(b)s\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhi\n\r\n'
    b"--%(b)s--\r\n")
TEXT = "tab\there: 'q' \"d\" # no comment\n\n  indented \nlong " + "word " * 60 + "\n- x: y\n---\nend: "

# name, method, target, content type, body
SESSION = [
    ("page", "GET", "/", None, None),
    ("json", "GET", "/json", None, None),
    ("query", "GET", "/json?q=1&r=%C3%BC", None, None),
    ("latin1", "GET", "/latin1", None, None),
    ("redirect", "GET", "/old", None, None),
    ("no content", "GET", "/empty", None, None),
    ("empty", "GET", "/nothing", None, None),
    ("stream", "GET", "/stream", None, None),
    ("bytes", "GET", "/bytes", None, None),
    ("gzip", "GET", "/gzip", None, None),
    ("deflate", "GET", "/deflate", None, None),
    ("image", "GET", "/image.png", None, None),
    ("text", "GET", "/text", None, None),
    ("missing", "GET", "/missing", None, None),
    ("first", "GET", "/count", None, None),
    ("second", "GET", "/count", None, None),
    ("post json", "POST", "/echo", "application/json", '{"a":"ü"}'.encode()),
    ("post form", "POST", "/echo", "application/x-www-form-urlencoded", b"a=1+2&b=%26"),
    ("post text", "POST", "/echo", "text/plain", TEXT.encode()),
    ("post binary", "POST", "/echo", "application/octet-stream", b"\x00\x01\xff\xfe"),
    ("post multipart", "POST", "/echo", "multipart/form-data", PARTS % {b"b": BOUNDARY}),
    ("head", "HEAD", "/json", None, None),
]


def answer(status: bytes, body: bytes, *fields: bytes) -> tuple:
    return status, fields, body


def said(method: str, target: str, content_type: str | None, count: int) -> tuple[bytes, tuple, bytes]:
    """What the origin says: status line, fields and body."""
    match target.partition("?")[0]:
        case "/": return answer(b"200 OK", PAGE, b"Content-Type: text/html; charset=utf-8", b"Set-Cookie: a=1; Path=/", b"Set-Cookie: b=2; HttpOnly")
        case "/json": return answer(b"200 OK", '{"id": 1, "name": "Jürgen"}\n'.encode(), b"Content-Type: application/json")
        case "/latin1": return answer(b"200 OK", "café\n".encode("latin-1"), b"Content-Type: text/plain; charset=iso-8859-1")
        case "/old": return answer(b"302 Found", b"", b"Location: /json")
        case "/empty": return answer(b"204 No Content", b"")
        case "/nothing": return answer(b"200 OK", b"", b"Content-Type: text/plain")
        case "/bytes": return answer(b"200 OK", bytes(range(256)), b"Content-Type: application/octet-stream")
        case "/gzip": return answer(b"200 OK", gzip.compress(b"var x = 1;\n" * 20, mtime=0), b"Content-Type: text/javascript", b"Content-Encoding: gzip")
        case "/deflate": return answer(b"200 OK", zlib.compress(b'{"deflated": true}'), b"Content-Type: application/json", b"Content-Encoding: deflate")
        case "/image.png": return answer(b"200 OK", PNG, b"Content-Type: image/png")
        case "/text": return answer(b"200 OK", TEXT.encode(), b"Content-Type: text/plain; charset=utf-8")
        case "/count": return answer(b"200 OK", b"%d\n" % count, b"Content-Type: text/plain", b"Cache-Control: no-store")
        case "/stream": return answer(b"200 OK", b"data: one\n\ndata: two\n\n", b"Content-Type: text/event-stream")
        case "/echo": return answer(b"200 OK", b"received %s\n" % (content_type or "").partition(";")[0].encode(), b"Content-Type: text/plain")
        case _: return answer(b"404 Not Found", b"no such page\n", b"Content-Type: text/plain")


def handler():
    """A handler for `Origin`; `/count` counts from 1 in every session, which begins with `/`."""
    counts = itertools.count(1)

    def handle(exchange):
        nonlocal counts
        request = exchange.request
        target = request.target.decode()
        if target == "/":
            counts = itertools.count(1)
        if target == "/fail":
            raise HangUp
        count = next(counts) if target == "/count" else 0
        status, fields, body = said(request.method.decode(), target, (request.value(b"Content-Type") or b"").decode(), count)
        head = [b"HTTP/1.1 " + status, *fields]
        if target == "/stream":
            pieces = [body[:11], body[11:]]
            head.append(b"Transfer-Encoding: chunked")
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        else:
            head.append(b"Content-Length: %d" % len(body))
        return b"\r\n".join(head) + b"\r\n\r\n" + (b"" if request.method == b"HEAD" else body)

    return handle


def decoded(body: bytes, coding: bytes | None) -> bytes:
    match coding:
        case b"gzip": return gzip.decompress(body)
        case b"deflate": return zlib.decompress(body)
        case _: return body


def expect_answer(asked: tuple, count: int, status: int, coding: bytes | None, body: bytes) -> list[tuple]:
    """What the origin says, in whatever coding; gives back the fields that must be as it says them."""
    name, method, target, content_type, _ = asked
    said_status, fields, said_body = said(method, target, content_type, count)
    said_coding = next((field.split(b": ")[1] for field in fields if field.startswith(b"Content-Encoding")), None)
    assert status == int(said_status[:3]), name
    assert decoded(body, coding) == (b"" if method == "HEAD" else decoded(said_body, said_coding)), name
    return [tuple(field.split(b": ")) for field in fields if field.startswith((b"Content-Type", b"Location"))]


def expect(url: str, missing=(), untold=()) -> None:
    """Asks for the whole session: what the origin said, or a miss; and nothing that is untold."""
    count = 0
    for asked in SESSION:
        name, method, target, content_type, body = asked
        count += target == "/count"
        if name in untold:
            continue
        if name == "post multipart":
            content_type, body = "multipart/form-data; boundary=another", PARTS % {b"b": b"another"}
        fields = [b"Content-Type: " + content_type.encode()] if content_type else []
        answer = fetch(url, target, *fields, method=method.encode(), body=body)
        if name in missing:
            assert answer.status == 502, f"{name}: {answer.body[:200]!r}"
            continue
        for key, value in expect_answer(asked, count, answer.status, answer.value(b"Content-Encoding"), answer.body):
            assert answer.value(key) == value, name
