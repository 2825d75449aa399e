"""Chromium: a page with its parts, a reload that revalidates, scripts that fetch what people name oddly."""

import hashlib
import struct
import zlib

import pytest

from chromium import Chromium
from origin import CHUNKED_HEAD, bare, chunk, reply

PAGE = """<!doctype html><meta charset="utf-8"><title>deck</title><link rel="stylesheet" href="/style.css?v=1|2">
<link rel="icon" href="/logo.png"><h1>Tape</h1><img id="logo" src="/logo.png"><img src="/img/{size}x^2.png"><script src="/app.js"></script>
<script>
const text = async (url, options) => { const r = await fetch(url, options); return [url, r.status, await r.text()]; };
window.results = (async () => {
  const out = [typeof appVersion === "undefined" ? null : appVersion, getComputedStyle(document.querySelector("h1")).color];
  for (const url of ['/echo?filter={"id":1}', "/echo/a|b", "/echo?re=^a$&list[]=1", "/echo/`tick`", "/echo/caf\\u00e9?x=\\u00fc",
                     "/echo?path=C:\\\\dir", "/echo/😀", "/echo?x=<y>", "/echo/%7Bdone%7D", "/echo;p=1?a=b;c"])
    out.push(await text(url));
  out.push(await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(n => text("/echo?n=" + n))));
  out.push(await text("/echo/post", { method: "POST", headers: { "content-type": "application/json" }, body: '{"b": 1, "a": [2]}' }));
  out.push(await text("/blob", { headers: { range: "bytes=5-9" } }));
  out.push(await text("/blob", { headers: { range: "bytes=20-" } }));
  out.push(await text("/data.json", { cache: "no-cache" }));
  out.push(await text("/data.json", { cache: "reload" }));
  out.push(await text("/moved"));
  out.push(await text("/whoami", { credentials: "include" }));
  out.push(await new Promise(resolve => {
    const events = [], source = new EventSource("/events");
    source.onmessage = event => { events.push([event.lastEventId, event.data]); if (events.length === 3) { source.close(); resolve(events); } };
    source.onerror = () => { source.close(); resolve(["error", ...events]); };
  }));
  return out;
})();
</script>"""


def png(seed: int) -> bytes:
    piece = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + hashlib.sha256(b"%d %d" % (seed, row)).digest()[:24] for row in range(8))
    return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) + piece(
        b"IDAT", zlib.compress(rows)) + piece(b"IEND", b"")


FILES = {
    b"/": (PAGE.encode(), b"text/html; charset=utf-8"), b"/app.js": (b"var appVersion = '1.0';", b"text/javascript"),
    b"/style.css": (b"h1 { color: rgb(1, 2, 3) }", b"text/css"), b"/logo.png": (png(1), b"image/png"),
    b"/data.json": (b'{"numbers": [1, 2.50, 1e3]}', b"application/json"), b"/blob": (bytes(range(65, 91)), b"text/plain")}


def site(exchange):
    request = exchange.request
    path = request.target.split(b"?")[0]
    if path == b"/":
        body, kind = FILES[path]
        return conditional(request, body, kind, b"Set-Cookie: visitor=5f2b8c1e; Path=/; HttpOnly; SameSite=Lax")
    if path == b"/events":
        exchange.send(CHUNKED_HEAD.replace(b"text/plain", b"text/event-stream"))
        for number in range(200):  # the client leaves after three
            exchange.send(chunk(b"id: %d\ndata: event %d\n\n" % (number, number)))
            if number >= 3:
                exchange.wait_for_close()
                return None
        return None
    if path == b"/moved":
        return reply(b"", b"Location: http://" + request.value(b"Host") + b"/data.json?from=moved", status=b"302 Found")
    if path == b"/whoami":
        return reply(request.value(b"Cookie") or b"nobody", b"Content-Type: text/plain", b"Cache-Control: no-store")
    if path.startswith(b"/img/"):
        return reply(png(2), b"Content-Type: image/png", b"Cache-Control: max-age=600")
    if path in FILES:
        return conditional(request, *FILES[path])
    return reply(b"%s %s %s" % (request.method, request.target, request.body), b"Content-Type: text/plain", b"Cache-Control: no-store")


def conditional(request, body, kind, *fields):
    tag = b'"' + hashlib.md5(body).hexdigest().encode() + b'"'
    fields = (b"Content-Type: " + kind, b"ETag: " + tag, b"Cache-Control: no-cache", b"Accept-Ranges: bytes", *fields)
    if tag in (request.value(b"If-None-Match") or b""):
        return bare(b"HTTP/1.1 304 Not Modified", *fields)
    if bounds := request.value(b"Range"):
        first, last = bounds.removeprefix(b"bytes=").split(b"-")
        part = body[int(first):int(last or len(body)) + 1]
        return reply(part, *fields, b"Content-Range: bytes %d-%d/%d" % (int(first), int(first) + len(part) - 1, len(body)),
                     status=b"206 Partial Content")
    return reply(body, *fields)


@pytest.fixture
def script(tmp_path):
    runs = []

    def script(url, *reloads):
        runs.append(tmp_path / f"browser-{len(runs)}")
        runs[-1].mkdir()
        steps = []
        with Chromium(runs[-1]) as browser:
            browser.load(url + "/")
            steps.append(browser.evaluate("window.results"))
            steps.append(browser.statuses())
            for ignore_cache in reloads or (False,):
                browser.reload(ignore_cache)
                steps.append(browser.evaluate("window.results"))
                steps.append(browser.statuses())
        return steps

    return script


def test_a_page_its_parts_and_a_reload(rehearsal, origin, script):
    first, loaded, second, reloaded = rehearsal.both(origin(site), script)
    assert first[:2] == ["1.0", "rgb(1, 2, 3)"] and second == first
    assert all(step[1] in (200, 206) for step in first[2:12])
    assert first[14][1:] == [206, "FGHIJ"] and first[-1] == [[str(n), f"event {n}"] for n in range(3)]
    assert 304 in [status for _, status in reloaded] and ["http://{base}/", 304] in reloaded


def test_a_reload_past_the_cache(rehearsal, origin, script):
    """Recorded with conditional requests; the replayed browser has none of what it would revalidate."""
    recorded = rehearsal.record(origin(site), script)
    replayed = rehearsal.replay(lambda url: script(url, True))
    assert [replayed[0], replayed[2]] == [recorded[0], recorded[2]]
    parts = [status for path, status in replayed[3] if path.endswith(("/", "/app.js", "?v=1|2"))]
    assert parts == [200] * 3, replayed[3]
