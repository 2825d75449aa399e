"""The session of the golden cassettes, and the origin that it was recorded from."""

import itertools
import uuid

import requests

from origin import LAST_CHUNK, bare, chunk, reply

_SECONDS = itertools.count()
JSON = b"Content-Type: application/json"


def origin(exchange) -> bytes:
    """The same responses every time, but for what is new in every response."""
    path, _, _ = exchange.request.target.partition(b"?")
    second = next(_SECONDS) % 3600
    moment = b"Sat, 21 Nov 2026 05:%02d:%02d GMT" % divmod(second, 60)
    new = [b"Date: " + moment, b"X-Request-Id: " + uuid.uuid4().hex.encode()]
    if path == b"/stream":
        return bare(
            b"HTTP/1.1 200 OK", b"Content-Type: text/plain", b"Transfer-Encoding: chunked", *new,
            body=chunk(b"one\n") + chunk(b"two\n") + LAST_CHUNK)
    if path == b"/old":
        return reply(b"", b"Location: /new", b"Set-Cookie: a=1; Path=/", *new, status=b"302 Found")
    if path == b"/twice":
        return reply(b"twice dated", b"Content-Type: text/plain", b"Date: " + moment, *new)
    if path == b"/bytes":
        return reply(bytes(range(256)) * 8, b"Content-Type: application/octet-stream", b"Last-Modified: " + moment, *new)
    if path == b"/error":
        return reply(b'{"error": "none", "request_id": "%s"}' % new[1].split()[1], JSON, *new, status=b"404 Not Found")
    body = exchange.request.body or b"null"
    return reply(b'{"path": "%s", "sent": %s}' % (path, body), JSON, *new)


def visit(url: str) -> list[tuple]:
    """What a client does, and what it gets."""
    session, seen = requests.Session(), []
    session.trust_env = False

    def ask(method, path, **fields):
        fields = {"User-Agent": "golden", "X-Amz-Date": f"20261121T{next(_SECONDS):06}Z", **fields}
        body = fields.pop("body", None)
        response = session.request(method, url + path, headers=fields, data=body, allow_redirects=False, timeout=30)
        seen.append((response.status_code, response.content, response.headers.get("Content-Type")))
        return response.headers

    for path in ("/users/1", "/users/1?page=2", "/stream", "/old", "/bytes", "/error", "/twice"):
        ask("GET", path)
    for body in (b'{"name": "Ada"}', b'{"name": "Bob"}'):
        ask("POST", "/users", body=body, **{"Content-Type": "application/json"})
    ask("PUT", "/users/1", body=b"\x22\xc3\xa9\x22", Authorization="AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20261121/a/b/aws4_request, Signature=00")
    return seen
