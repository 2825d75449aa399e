"""What names the origin comes to name the proxy, live and replayed alike; what does not is told of."""

import gzip
import json
import subprocess

import pytest

from deck import eventually, run
from origin import chunk, reply
from servers import Nginx
from wire import fetch

REWRITES = "--rewrite-bodies"


def page(exchange, *fields: bytes, kind: bytes = b"application/json") -> bytes:
    base = b"http://" + exchange.request.value(b"Host")
    body = b'{"next": "%s/users?page=2", "escaped": "%s\\/a", "other": "http://elsewhere.test/x"}' % (
        base, base.replace(b"/", b"\\/"))
    return reply(body, b"Content-Type: " + kind, b"Link: <" + base + b'/users?page=2>; rel="next"', *fields)


def test_texts_and_links_come_to_name_the_proxy(recording, both):
    upstream, deck = recording(lambda exchange: page(exchange, b"Content-MD5: AAAAAAAAAAAAAAAAAAAAAA=="), REWRITES)
    for url in both(deck):
        ours = url.rstrip("/")
        answer = fetch(url, "/users")
        assert json.loads(answer.body) == {
            "next": f"{ours}/users?page=2", "escaped": f"{ours}/a", "other": "http://elsewhere.test/x"}
        assert answer.values(b"Content-Length") == [b"%d" % len(answer.body)]
        assert answer.values(b"Link") == [b"<%s/users?page=2>; rel=\"next\"" % ours.encode()]
        assert answer.values(b"Content-MD5") == []


def test_the_cassette_keeps_what_the_origin_said(recording, cassette):
    upstream, deck = recording(page, REWRITES)
    fetch(deck.url, "/users")
    deck.stop()
    text = "".join(path.read_text() for path in cassette.glob("get-*.json"))
    assert f"http://{upstream.authority}/users?page=2" in text and deck.url.rstrip("/") not in text


def test_without_the_flag_bodies_stay(recording, both):
    upstream, deck = recording(page)
    for url in both(deck):
        assert json.loads(fetch(url, "/users").body)["next"] == f"http://{upstream.authority}/users?page=2"


@pytest.mark.parametrize("pieces", [1, 7, 1000])
def test_a_stream_of_chunks_is_rewritten_across_them(recording, both, pieces):
    def streamed(exchange):
        text = b"data: http://" + exchange.request.value(b"Host") + b"/x\n\n"
        body = text * 20
        size = max(1, len(body) // pieces)
        chunks = b"".join(chunk(body[start:start + size]) for start in range(0, len(body), size))
        return (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks + b"0\r\n\r\n")

    _, deck = recording(streamed, REWRITES)
    for url in both(deck):
        assert fetch(url, "/events").body == f"data: {url.rstrip('/')}/x\n\n".encode() * 20


def test_a_large_text_goes_out_in_chunks(recording, both):
    def large(exchange):
        return reply((b"http://" + exchange.request.value(b"Host") + b"/x " + b"." * 1000) * 1000, b"Content-Type: text/plain")

    _, deck = recording(large, REWRITES)
    for url in both(deck):
        assert fetch(url, "/large").body == (url.rstrip("/").encode() + b"/x " + b"." * 1000) * 1000


def test_what_is_encoded_partial_or_no_text_stays(recording, both):
    def answer(exchange):
        base = b"http://" + exchange.request.value(b"Host") + b"/x"
        if exchange.request.target == b"/gzip":
            return reply(gzip.compress(base, mtime=0), b"Content-Type: text/plain", b"Content-Encoding: gzip")
        if exchange.request.target == b"/part":
            return reply(base, b"Content-Type: text/plain", b"Content-Range: bytes 0-9/100", status=b"206 Partial Content")
        return reply(base, b"Content-Type: application/octet-stream")

    upstream, deck = recording(answer, REWRITES)
    base = f"http://{upstream.authority}/x".encode()
    for url in both(deck):
        assert gzip.decompress(fetch(url, "/gzip").body) == base
        assert fetch(url, "/part").body == base
        assert fetch(url, "/binary").body == base


def test_the_two_flags_exclude_each_other(tmp_path):
    ended = run("serve", "--upstream", "http://127.0.0.1:9", REWRITES, "--no-rewrite", cwd=tmp_path)
    assert ended.returncode == 2 and "exclude each other" in ended.stderr


# What is rewritten by default

def base_of(exchange) -> bytes:
    return b"http://" + exchange.request.value(b"Host")


def redirecting(exchange):
    target = base_of(exchange).replace(b"http://", b"http://user:pass@") + b"/next"
    return reply(b"", b"Location: " + target, status=b"302 Found")


def test_a_location_with_user_information_does_not_lead_away(recording, both):
    _, deck = recording(redirecting, "--keep", "url-password")
    for url in both(deck):
        location = fetch(url, "/start").value(b"Location").decode()
        user, _, rest = location.removeprefix("http://").partition("@")
        assert user.startswith("user") and f"http://{rest}" == f"{url.rstrip('/')}/next"


LEADING = [
    (b"Location", b"%s/a", b"%s/a"), (b"Content-Location", b"%s/a?b=1", b"%s/a?b=1"),
    (b"Operation-Location", b"%s/operations/7", b"%s/operations/7"),
    (b"Azure-AsyncOperation", b"%s/operations/7", b"%s/operations/7"),
    (b"Link", b'<%s/u?page=2>; rel="next", </u?page=1>; rel="first"', b'<%s/u?page=2>; rel="next", </u?page=1>; rel="first"'),
    (b"Refresh", b"5; url=%s/a", b"5; url=%s/a"),
    (b"WWW-Authenticate", b'Bearer realm="%s/token",service="registry"', b'Bearer realm="%s/token",service="registry"'),
]


def test_paging_polling_and_tokens_lead_to_the_proxy_without_a_flag(recording, both, cassette):
    def answer(exchange):
        return reply(b"", *(name + b": " + theirs % base_of(exchange) for name, theirs, _ in LEADING))

    upstream, deck = recording(answer)
    for url in both(deck):
        got = fetch(url, "/x")
        for name, _, ours in LEADING:
            assert got.values(name) == [ours % url.rstrip("/").encode()]
    stored = next(cassette.glob("get-*.json")).read_text()
    assert upstream.authority in stored and stored.count(upstream.authority) >= len(LEADING)
    assert json.loads((cassette / "cassette.json").read_text())["tapedeck"] == 1


def test_a_realm_that_is_only_a_name_stays(recording, both):
    def answer(exchange):
        return reply(b"", b'WWW-Authenticate: Basic realm="%s/"' % base_of(exchange), status=b"401 Unauthorized")

    upstream, deck = recording(answer)
    for url in both(deck):
        assert fetch(url, "/x").values(b"WWW-Authenticate") == [b'Basic realm="http://%s/"' % upstream.authority.encode()]


def test_links_lose_the_path_prefix_of_the_upstream(recording, both):
    def answer(exchange):
        return reply(b"", b"Link: <%s/v2/u?page=2>; rel=next, </v2/u?page=1>; rel=first" % base_of(exchange))

    _, deck = recording(answer, path="/v2")
    for url in both(deck):
        ours = url.rstrip("/").encode()
        assert fetch(url, "/u").values(b"Link") == [b"<%s/u?page=2>; rel=next, </u?page=1>; rel=first" % ours]


# Flags are the cassette's

NEXT = "--rewrite-fields", "X-Next-Page,X-Prev-Page"


def paging(exchange):
    page = base_of(exchange) + b"/items?page=2"
    return reply(b'{"items": [], "next": "%s"}' % page, b"Content-Type: application/json", b"X-Next-Page: " + page)


def leads(url):
    answer = fetch(url, "/items")
    return answer.value(b"X-Next-Page").decode(), json.loads(answer.body)["next"]


def manifest(cassette):
    return json.loads((cassette / "cassette.json").read_text())


def test_replay_needs_no_flag_that_recording_was_given(recording, both, cassette):
    _, deck = recording(paging, REWRITES, *NEXT)
    for url in both(deck):
        ours = f"{url.rstrip('/')}/items?page=2"
        assert leads(url) == (ours, ours)
    assert manifest(cassette)["rewrite"] == {"fields": ["X-Next-Page", "X-Prev-Page"], "bodies": True}
    assert manifest(cassette)["tapedeck"] == 2


def test_no_rewrite_is_kept_until_its_opposite_is_given(recording, start, cassette):
    upstream, deck = recording(redirecting, "--no-rewrite")
    assert upstream.authority.encode() in fetch(deck.url, "/start").value(b"Location")
    assert deck.stop() == 0
    assert manifest(cassette)["rewrite"] is False
    for options, is_ours in [((), False), ((REWRITES,), False), (("--rewrite",), True)]:
        deck = start("replay", "--cassette", cassette, *options)
        location = fetch(deck.url, "/start").value(b"Location")
        assert (deck.url.removeprefix("http://").rstrip("/").encode() in location) is is_ours
        assert ("was recorded with --no-rewrite, which holds; --rewrite is its opposite" in deck.stderr) is (options == (REWRITES,))
        assert ("in this run" in deck.stderr) is is_ours


def test_a_flag_that_is_given_only_for_replay_is_said_and_holds_for_the_run(recording, start, cassette):
    upstream, deck = recording(paging, REWRITES)
    leads(deck.url)
    assert deck.stop() == 0
    theirs = f"http://{upstream.authority}/items?page=2"
    deck = start("replay", "--cassette", cassette, "--no-rewrite-bodies")
    assert leads(deck.url) == (theirs, theirs)
    assert "rewriting Location and its kin for clients in this run" in deck.stderr
    deck = start("replay", "--cassette", cassette, *NEXT)
    ours = f"{deck.url.rstrip('/')}/items?page=2"
    assert leads(deck.url) == (ours, ours)
    assert "itself rewrites Location and its kin and text bodies" in deck.stderr
    assert manifest(cassette)["rewrite"] == {"bodies": True}


def test_a_later_recording_adds_to_what_is_rewritten_and_says_so(recording, record, cassette):
    upstream, deck = recording(paging, REWRITES)
    leads(deck.url)
    assert deck.stop() == 0 and "for clients" not in deck.stderr
    deck = record(upstream.url, "--rewrite-fields", "X-Next-Page")
    ours = f"{deck.url.rstrip('/')}/items?page=2"
    assert leads(deck.url) == (ours, ours)
    assert deck.stop() == 0
    assert "will rewrite Location and its kin, X-Next-Page and text bodies for clients; it rewrote" in deck.stderr
    assert manifest(cassette)["rewrite"] == {"fields": ["X-Next-Page"], "bodies": True}


def test_what_is_rewritten_survives_a_kill(recording, start, cassette):
    _, deck = recording(paging, REWRITES, *NEXT)
    leads(deck.url)
    deck.kill()
    deck = start("replay", "--cassette", cassette)
    ours = f"{deck.url.rstrip('/')}/items?page=2"
    assert leads(deck.url) == (ours, ours)
    assert deck.stop() == 0
    deck = start("serve", "--mode", "new_episodes", "--upstream", "http://127.0.0.1:9", "--cassette", cassette)
    assert deck.stop() == 0
    assert manifest(cassette)["rewrite"] == {"fields": ["X-Next-Page", "X-Prev-Page"], "bodies": True}


def test_a_har_keeps_what_is_rewritten(recording, start, cassette, tmp_path):
    _, deck = recording(paging, REWRITES, *NEXT)
    leads(deck.url)
    assert deck.stop() == 0
    assert run("export", cassette, "-o", tmp_path / "x.har").returncode == 0
    deck = start("replay", "--cassette", tmp_path / "x.har")
    ours = f"{deck.url.rstrip('/')}/items?page=2"
    assert leads(deck.url) == (ours, ours)


@pytest.mark.parametrize("options", [
    ("--rewrite", "--no-rewrite"), ("--no-rewrite", *NEXT), ("--no-rewrite-bodies", REWRITES),
])
def test_opposites_exclude_each_other(tmp_path, options):
    ended = run("serve", "--upstream", "http://127.0.0.1:9", *options, cwd=tmp_path)
    assert ended.returncode == 2 and "exclude each other" in ended.stderr


def test_a_name_that_no_field_can_have_is_refused(tmp_path, cassette):
    ended = run("serve", "--upstream", "http://127.0.0.1:9", "--rewrite-fields", "X Next", cwd=tmp_path)
    assert ended.returncode == 2 and "is not a header name" in ended.stderr


# What is left is told

FIELD = "the origin is named by field X-Next-Page of GET /items; --rewrite-fields X-Next-Page makes it name the proxy"
BODY = "the origin is named by `next` in the body of GET /items; --rewrite-bodies makes text bodies name the proxy"


def test_what_leads_away_is_told_once_with_the_flag_that_cures_it(recording, start, cassette, tmp_path):
    upstream, deck = recording(paging, "--report", tmp_path / "report.json")
    for _ in range(3):
        leads(deck.url)
    for line in (FIELD, BODY):
        assert eventually(lambda: deck.stderr.count(line), line) == 1
    assert deck.stop() == 0
    assert [deck.stderr.count(line) for line in (FIELD, BODY)] == [2, 2]  # live, and in the summary
    mentions = json.loads((tmp_path / "report.json").read_text())["originMentions"]
    assert [(each["what"], each["request"]) for each in mentions] == [
        ("`next` in the body", "GET /items"), ("field X-Next-Page", "GET /items")]
    deck = start("replay", "--cassette", cassette)
    assert [deck.stderr.count(line) for line in (FIELD, BODY)] == [1, 1]  # from the start on
    assert deck.stop() == 0
    # The printed flags are the cure.
    deck = start("record", "--upstream", upstream.url, "--cassette", cassette, REWRITES, "--rewrite-fields", "X-Next-Page")
    ours = f"{deck.url.rstrip('/')}/items?page=2"
    assert leads(deck.url) == (ours, ours)
    assert deck.stop() == 0
    assert "is named by" not in deck.stderr


def test_what_passes_through_is_told_of_as_well(start, origin):
    deck = start("serve", "--upstream", origin(paging).url)
    leads(deck.url)
    assert deck.stop() == 0
    assert deck.stderr.count(FIELD) == 2


def test_who_wants_no_rewriting_is_told_nothing(recording):
    _, deck = recording(paging, "--no-rewrite")
    leads(deck.url)
    assert deck.stop() == 0
    assert "is named by" not in deck.stderr


def test_an_origin_that_names_nobody_is_not_told_of(recording):
    def answer(exchange):
        return reply(b'{"url": "http://elsewhere.test/x"}', b"Content-Type: application/json", b"X-Other: http://elsewhere.test/",
                     b"Access-Control-Allow-Origin: " + base_of(exchange), b"Location: " + base_of(exchange))

    _, deck = recording(answer)
    fetch(deck.url, "/x")
    assert deck.stop() == 0
    assert "is named by" not in deck.stderr


# Cookies

def cookies(*lines: bytes):
    return lambda exchange: reply(b"", *(b"Set-Cookie: " + line for line in lines))


@pytest.mark.parametrize("domain", [b".0.0.1", b"0.0.1", b"1"])
def test_a_cookie_for_the_suffix_of_an_address_does_not_become_storable(recording, both, tmp_path, domain):
    _, deck = recording(cookies(b"a=1; domain=" + domain))
    for url in both(deck):
        assert fetch(url, "/").value(b"Set-Cookie") == b"a=1; domain=" + domain
        jar = tmp_path / "jar"
        subprocess.run(["curl", "-s", "-c", jar, url], check=True, timeout=10, capture_output=True)
        assert "a\t1" not in jar.read_text()


def test_secure_stays_with_an_origin_that_speaks_plain_http(recording, both):
    lines = [b"a=1; Secure; SameSite=None", b"__Host-b=2; Secure; Path=/", b"c=3; Domain=other.test; Secure"]
    _, deck = recording(cookies(*lines), "--no-redact")
    for url in both(deck):
        assert fetch(url, "/").values(b"Set-Cookie") == lines


def test_secure_goes_only_from_the_own_cookies_of_an_https_origin(start, servers, authority, cassette, both):
    ca, sign = authority
    certificate, key = sign("cookies", "IP:127.0.0.1")
    lines = ["a=1; Secure; SameSite=None", "c=3; Domain=other.test; Secure", "__Secure-d=4; Secure"]
    fields = "".join(f'add_header Set-Cookie "{line}";' for line in lines)
    nginx = servers(Nginx, f'location / {{ {fields} return 200 "x"; }}', certificate, key)
    deck = start("record", "--upstream", nginx.url, "--cacert", ca, "--cassette", cassette, "--no-redact")
    for url in both(deck):
        assert fetch(url, "/").values(b"Set-Cookie") == [b"a=1", *(line.encode() for line in lines[1:])]
    assert "cookie __Secure-d of GET /; it stays Secure, as its name demands" in deck.stderr


# Requests that say which page they come from

def same_site(exchange):
    """As Django, Rails and others check forms: Origin or Referer must be of our own host."""
    ours = base_of(exchange)
    come_from = exchange.request.value(b"Origin") or exchange.request.value(b"Referer") or b""
    is_own = come_from == ours or come_from.startswith(ours + b"/")
    return reply(b"done" if is_own else b"CSRF", status=b"200 OK" if is_own else b"403 Forbidden")


@pytest.mark.parametrize("options", [(), ("--match", "headers:origin+referer")])
def test_a_form_on_a_page_of_the_proxy_is_no_forgery_to_the_origin(recording, both, options):
    upstream, deck = recording(same_site, *options)
    for url in both(deck):
        ours = url.rstrip("/").encode()
        for target, field in [("/a", b"Origin: " + ours), ("/b", b"Referer: " + ours + b"/form?x=1")]:
            assert fetch(url, target, field, method=b"POST", body=b"a=1").body == b"done"
        assert fetch(url, "/c", b"Origin: http://evil.test", method=b"POST", body=b"a=1").status == 403
    assert upstream.requests[1].value(b"Referer") == f"http://{upstream.authority}/form?x=1".encode()


def test_without_rewriting_a_request_goes_on_as_it_came(recording):
    _, deck = recording(same_site, "--no-rewrite")
    assert fetch(deck.url, "/a", b"Origin: " + deck.url.rstrip("/").encode(), method=b"POST", body=b"").status == 403
