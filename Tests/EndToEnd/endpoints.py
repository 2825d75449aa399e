"""What httpbin is asked: every kind of request and answer it knows."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Endpoint:
    name: str
    path: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    form: dict[str, str] | None = None
    parts: dict[str, str] | None = None
    file: bytes | None = None
    chunked: bool = False
    follow: bool = False
    steady: bool = False  # the same answer to everyone, each time


def json_body(text: str) -> dict:
    return {"headers": {"Content-Type": "application/json"}, "body": text.encode()}


BINARY = bytes(range(256)) * 1200

ENDPOINTS = [
    # JSON
    Endpoint("get", "/get"),
    Endpoint("get-query", "/get?b=2&a=1&a=3&empty=&flag"),
    Endpoint("json", "/json", steady=True),
    Endpoint("headers", "/headers", headers={"X-Mixed-Case": "Kept", "x-lower": "kept too"}),
    Endpoint("ip", "/ip", steady=True),
    Endpoint("user-agent", "/user-agent"),
    Endpoint("uuid-first", "/uuid"),
    Endpoint("uuid-second", "/uuid"),
    Endpoint("uuid-third", "/uuid"),
    Endpoint("anything-deep", "/anything/a/b/c?x=1"),
    # text and unicode
    Endpoint("html", "/html", steady=True),
    Endpoint("xml", "/xml", steady=True),
    Endpoint("robots", "/robots.txt", steady=True),
    Endpoint("unicode-page", "/encoding/utf8", steady=True),
    Endpoint("unicode-target", "/anything/caf%C3%A9/%E6%97%A5?q=%E2%9C%93+%F0%9F%8E%9E"),
    Endpoint("base64", "/base64/VGFwZWRlY2sg8J+TvA==", steady=True),
    Endpoint("links", "/links/3/1", steady=True),
    # binary
    Endpoint("bytes", "/bytes/4096?seed=7", steady=True),
    Endpoint("bytes-none", "/bytes/0", steady=True),
    Endpoint("png", "/image/png", steady=True),
    Endpoint("jpeg", "/image/jpeg", steady=True),
    Endpoint("webp", "/image/webp", steady=True),
    Endpoint("svg", "/image/svg", steady=True),
    # compressed, whatever was asked for
    Endpoint("gzip", "/gzip"),
    Endpoint("deflate", "/deflate"),
    Endpoint("brotli", "/brotli"),
    # streams
    Endpoint("stream", "/stream/5"),
    Endpoint("stream-bytes", "/stream-bytes/10000?seed=3&chunk_size=700", steady=True),
    Endpoint("drip", "/drip?duration=0.2&numbytes=5&delay=0", steady=True),
    Endpoint("delay", "/delay/0.2"),
    # ranges and validators
    Endpoint("range-whole", "/range/2000?chunk_size=300", steady=True),
    Endpoint("range-part", "/range/2001", headers={"Range": "bytes=100-199"}, steady=True),
    Endpoint("range-tail", "/range/2002", headers={"Range": "bytes=-50"}, steady=True),
    Endpoint("range-impossible", "/range/2003", headers={"Range": "bytes=5000-6000"}, steady=True),
    Endpoint("etag", "/etag/abc"),
    Endpoint("etag-unchanged", "/etag/xyz", headers={"If-None-Match": '"xyz"'}, steady=True),
    Endpoint("cache", "/cache"),
    Endpoint("cache-control", "/cache/60"),
    # redirects
    Endpoint("redirect", "/redirect/2", steady=True),
    Endpoint("redirect-relative", "/relative-redirect/2", steady=True),
    Endpoint("redirect-absolute", "/absolute-redirect/2", steady=True),
    Endpoint("redirect-to-307", "/redirect-to?url=%2Fget%3Ffrom%3D307&status_code=307", steady=True),
    Endpoint("redirect-away", "/redirect-to?url=https%3A%2F%2Felsewhere.test%2Fx%3Fy%3D1", steady=True),
    Endpoint("redirect-followed", "/redirect/3", follow=True),
    Endpoint("redirect-relative-followed", "/relative-redirect/3", follow=True),
    Endpoint("redirect-absolute-followed", "/absolute-redirect/3", follow=True),
    # cookies
    Endpoint("cookies-none", "/cookies"),
    Endpoint("cookies-set", "/cookies/set?flavour=oat&size=big", steady=True),
    Endpoint("cookies-set-followed", "/cookies/set?flavour=rye&shape=round", follow=True),
    Endpoint("cookies-sent", "/cookies?again", headers={"Cookie": "mine=1; yours=2"}),
    Endpoint("cookies-deleted", "/cookies/delete?flavour=", steady=True),
    # fields
    Endpoint("response-headers", "/response-headers?X-One=1&X-Two=2", steady=True),
    Endpoint("response-headers-repeated", "/response-headers?X-Dup=one&X-Dup=two&X-Dup=three", steady=True),
    Endpoint("basic-auth-refused", "/basic-auth/user/word", steady=True),
    Endpoint("basic-auth", "/basic-auth/user/pass", headers={"Authorization": "Basic dXNlcjpwYXNz"}, steady=True),
    # methods
    Endpoint("head", "/get?head", "HEAD"),
    Endpoint("head-binary", "/bytes/300?seed=1", "HEAD", steady=True),
    Endpoint("options", "/get?options", "OPTIONS", steady=True),
    Endpoint("delete", "/delete", "DELETE"),
    Endpoint("patch", "/patch", "PATCH", **json_body('{"op": "replace"}')),
    Endpoint("put", "/put", "PUT", **json_body("[1, 2.50, 1e3]")),
    # uploads
    Endpoint("post-nothing", "/post?nothing", "POST", body=b""),
    Endpoint("post-form", "/post?form", "POST", form={"name": "Ada Lovelace", "motto": "ünïcode & more=less"}),
    Endpoint("post-json", "/post?json", "POST", **json_body('{ "b": 1.10, "a": "\u00fc\\u00fc", "deep": [[], {}] }')),
    Endpoint("post-text", "/post?text", "POST", headers={"Content-Type": "text/plain"}, body="żółw\r\n\ttab".encode()),
    Endpoint("post-binary", "/post?binary", "POST", headers={"Content-Type": "application/octet-stream"}, body=BINARY),
    Endpoint("post-multipart", "/post?parts", "POST", parts={"title": "A title", "note": "ünïcode"}, file=BINARY[:5000]),
    Endpoint(
        "post-chunked", "/post?chunked", "POST", headers={"Content-Type": "text/plain"},
        body=b"in pieces " * 500, chunked=True),
    # statuses
    *(
        Endpoint(f"status-{code}", f"/status/{code}", steady=True)
        for code in (200, 201, 204, 304, 400, 404, 406, 418, 429, 500, 503)
    ),
    Endpoint("status-put-202", "/status/202", "PUT", body=b"", steady=True),
]
