"""The inspector: opened in a real browser, and used as a person would use it."""

import json
import os
import random
import re
import shutil
import socket
from urllib.parse import quote

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from websockets.sync.client import connect

from deck import Deck
from inspector import PICTURES, Page, launch
from origin import reply
from servers import Httpbin
from steering import Admin, steered
from test_websocket import at, websocket_server
from wire import fetch

LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"
pytestmark = pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def inspect(browser):
    """Opens the page of a proxy; at the end nothing harmful has happened in any."""
    pages = []

    def inspect(admin: Admin, **how) -> Page:
        pages.append(Page(browser, admin, **how))
        return pages[-1]

    yield inspect
    for page in pages:
        page.close()


# The pictures of the reference, which TAPEDECK_WRITE_PICTURES=1 takes anew.
SHOWN = {"inspector-light-1280-miss", "inspector-light-1280-response", "inspector-dark-360-miss"}


def pictures(name: str, tmp_path):
    return PICTURES if name in SHOWN and os.environ.get("TAPEDECK_WRITE_PICTURES") == "1" else tmp_path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder with httpbin recorded as `shop`; it has stopped."""
    folder = tmp_path_factory.mktemp("inspected")
    httpbin = Httpbin(folder)
    try:
        with Deck(folder / "record", "record", "--upstream", httpbin.url, "--cassette", folder / "Cassettes" / "shop") as deck:
            for path in ["/json", "/get?page=1&ts=1", "/image/png", "/gzip", "/html", "/uuid", "/stream/3", "/status/404", "/robots.txt"]:
                requests.get(deck.url + path, timeout=10)
            requests.post(deck.url + "/post", json={"user": {"name": "Ada", "roles": ["admin"]}, "nonce": 12345678901234567890}, timeout=10)
            requests.post(deck.url + "/anything/form", data={"name": "Ada L.", "tick": "✓"}, timeout=10)
            requests.post(deck.url + "/anything/parts", files={"file": ("a.txt", b"text", "text/plain")}, timeout=10)
    finally:
        httpbin.stop()
    return folder


def ask_all(deck) -> None:
    for path in ["/json", "/get?page=1&ts=1", "/image/png", "/gzip", "/html", "/uuid", "/stream/3", "/status/404", "/robots.txt"]:
        requests.get(deck.url + path, timeout=10)
    requests.post(deck.url + "/anything/form", data={"name": "Ada L.", "tick": "✓"}, timeout=10)


# MARK: A day's work


def test_a_person_cures_a_miss_and_overrides_a_response(start, inspect, recorded, tmp_path):
    overrides = tmp_path / "overrides.json"
    overrides.write_text("{}\n")
    deck, admin = steered(start, "replay", "--cassette", "shop", "--overrides", overrides, cwd=recorded)
    page = inspect(admin)
    page.wait_for_text("#empty", "No request yet")

    ask_all(deck)
    page.wait_for_text("#count", "10 requests")
    assert requests.get(f"{deck.url}/get?page=1&ts=2", timeout=10).status_code == 502
    page.open_row("ts=2")
    page.wait_for_text("#exchange-content", "Decision chain")
    page.wait_for_text(".differences .differs", "ts")

    # The cure: the field is ignored in matching, and the next request is served.
    page.page.get_by_role("button", name="Ignore").first.click()
    page.wait_for_text("#announcement", "--match")
    assert requests.get(f"{deck.url}/get?page=1&ts=3", timeout=10).status_code == 200
    page.click("Undo", "#announcement")
    page.wait_for_text("#announcement", "compared again")
    assert requests.get(f"{deck.url}/get?page=1&ts=4", timeout=10).status_code == 502

    # An override: the editor opens with the response as it was.
    page.press("Escape")
    page.open_row("/json")
    page.wait_for_text("#exchange-title", "/json")
    page.press("o")
    area = page.page.locator("#declaration")
    declaration = json.loads(area.input_value())
    assert declaration["json"] == requests.get(f"{deck.url}/json", timeout=10).json()
    area.fill('{"path": "/json", "status": ')
    page.wait_for_text("#check[data-kind=problem]", "")
    area.fill('{"path": "/json", "status": 77}')
    page.click("Save", "dialog")
    page.wait_for_text("#check[data-kind=problem]", "status")
    assert requests.get(f"{deck.url}/json", timeout=10).status_code == 200, "a wrong rule changes nothing"
    area.fill('{"id": "empty-shop", "path": "/json", "status": 201, "json": {"items": []}}')
    page.press("Control+Enter")
    page.wait_for_text("#announcement", "empty-shop")
    changed = requests.get(f"{deck.url}/json", timeout=10)
    assert (changed.status_code, changed.json()) == (201, {"items": []})

    # It is in the list, with its count, and saved to the file.
    page.press("O")
    page.wait_for_text("#overrides-content", "empty-shop")
    page.click("Save to the overrides file", "#overrides")
    page.wait_for_text("#announcement", "Saved 1 route")
    assert json.loads(overrides.read_text())["routes"][0]["id"] == "empty-shop"

    # A new page, with a new code, shows the same; the old code is gone from the URL.
    page.open()
    assert "#" not in page.page.url
    page.press("O")
    page.wait_for_text("#overrides-content", "empty-shop")
    page.click("Remove", "#overrides-content")
    page.wait_for_text("#announcement", "Removed")
    assert requests.get(f"{deck.url}/json", timeout=10).status_code == 200
    page.assert_harmless()


def test_requests_fail_as_chosen_and_are_whole_again_after_undo(start, inspect, recorded):
    deck, admin = steered(start, "replay", "--cassette", "shop", cwd=recorded)
    page = inspect(admin)
    requests.get(f"{deck.url}/html", timeout=10)
    page.open_row("/html")
    for choice, value, seen in [("status", "429", 429), ("reset", "0", None), ("truncation", "10", None)]:
        page.press("x")
        page.page.locator(f"#failure-{choice}").check()
        page.page.locator(f"#value-{choice}").fill(value)
        page.click("Fail them", "dialog")
        page.wait_for_text("#announcement", "It fails")
        if seen:
            assert requests.get(f"{deck.url}/html", timeout=10).status_code == seen
        else:
            with pytest.raises(requests.RequestException):
                requests.get(f"{deck.url}/html", timeout=10)
        page.click("Undo", "#announcement")
        page.wait_for_text("#announcement", "Removed")
        assert requests.get(f"{deck.url}/html", timeout=10).status_code == 200
    page.assert_harmless()


def test_a_person_records_anew_scans_compares_and_promotes(start, origin, inspect, tmp_path):
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    users = {1: {"id": 1, "name": "Ada", "note": secret}}
    version = [1]

    def respond(exchange):
        parts = exchange.request.target.split(b"/")
        if parts[1] == b"version":
            return reply(b'{"version": %d}' % version[0], b"Content-Type: application/json")
        found = list(users.values()) if len(parts) == 2 else users[int(parts[2])]
        return reply(json.dumps(found).encode(), b"Content-Type: application/json")

    server = origin(respond)
    folder = tmp_path / "Cassettes"
    for name in ("one", "two"):
        with Deck(tmp_path / name, "record", "--no-redact", "--upstream", server.url, "--cassette", folder / name) as deck:
            for path in ["/users", "/users/1", "/version"]:
                requests.get(deck.url + path, timeout=10)
        version[0] += 1
    deck, admin = steered(start, "serve", "--mode", "once", "--upstream", server.url, "--cassette", folder / "one")
    page = inspect(admin)
    assert requests.get(f"{deck.url}/version", timeout=10).json() == {"version": 1}
    page.open_row("/version")
    page.press("r")
    page.wait_for_text("#announcement", "Recorded anew: get-version")
    page.wait_for_text("#exchange-content .differs", "$.version")
    assert requests.get(f"{deck.url}/version", timeout=10).json() == {"version": 3}
    page.click("Undo", "#announcement")
    page.wait_for_text("#announcement", "as it was before")
    assert requests.get(f"{deck.url}/version", timeout=10).json() == {"version": 1}

    page.press("C")
    page.wait_for_text("#cassette-part", "3 interactions")
    choices = page.page.locator("#cassette-content .choices")
    choices.get_by_role("button", name="Secrets").click()
    page.wait_for_text("#cassette-part", "GitHub")
    page.page.locator("#cassette-part tr").filter(has_text="$[0].note").get_by_role("button").click()
    page.wait_for_text("dialog .found", "note")
    page.press("Escape")
    choices.get_by_role("button", name="Compare").click()
    page.page.locator("#cassette-part").get_by_role("button", name="Compare").click()
    page.wait_for_text("#cassette-part .differs", "$.version")
    choices.get_by_role("button", name="As a backend").click()
    page.click("Use these resources now", "#cassette-part")
    page.wait_for_text("#announcement", "1 resource in force")
    assert requests.post(f"{deck.url}/users", json={"name": "Bea"}, timeout=10).status_code == 201
    page.click("Undo", "#announcement")
    page.wait_for_text("#announcement", "Removed them")
    page.page.locator("#cassette-name").fill("two")
    page.click("Switch to it", "#cassette")
    page.wait_for_text("#announcement", "The cassette is two")
    assert requests.get(f"{deck.url}/version", timeout=10).json() == {"version": 2}
    page.assert_harmless()


# MARK: The list


def pipeline(deck, targets) -> None:
    """Many requests on one connection, without waiting for each response."""
    host, port = deck.authority.split(b":")
    with socket.create_connection((host.decode(), int(port))) as connection:
        connection.settimeout(60)
        for start in range(0, len(targets), 200):
            batch = targets[start:start + 200]
            connection.sendall(b"".join(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target, deck.authority) for target in batch))
            got = b""
            while got.count(b"HTTP/1.1 ") < len(batch):
                got += connection.recv(1 << 20)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 20):
            pass


def test_the_list_follows_filters_pauses_and_clears(start, inspect, recorded):
    deck, admin = steered(start, "replay", "--cassette", "shop", cwd=recorded)
    page = inspect(admin)
    number = 50_000 if LONG else 6_000
    pipeline(deck, [b"/json"] * (number - 10) + [b"/absent/%d" % index for index in range(10)])
    page.wait_for_text("#count", f"{number:,} requests")
    assert page.page.locator("#space .line").count() < 200, "only rows in sight are in the document"
    assert "/absent/9" in page.text("#space .line:visible >> nth=-1") or page.page.locator("#space .line").filter(has_text="/absent/9").count()

    page.press("/")
    for words, count in [
        ("from:miss", 10), ("status:5xx -/absent/3", 9), ("path:/absent/7", 1), ("method:get from:cassette", number - 10),
        ('"absent/1"', 1), ("nothing-like-it", 0),
    ]:
        page.page.locator("#filter").fill(words)
        page.wait_for_text("#count", f"{count:,} of {number:,} requests" if count else f"0 of {number:,} requests")
    page.page.locator("#filter").fill("colour:red")
    page.wait_for_text("#filter-problem", "colour")
    page.page.locator("#filter").fill("")
    page.click("miss", "#sources")
    page.wait_for_text("#count", f"10 of {number:,} requests")
    page.page.locator("#filter").fill("")

    page.press("Escape", "p")
    pipeline(deck, [b"/html"])
    page.wait_for_text("#pause", "Resume (1)")
    page.press("p")
    page.wait_for_text("#count", f"{number + 1:,} requests")
    page.press("g")
    assert page.page.get_attribute("#rows", "aria-activedescendant") == "selected-row"
    assert page.page.get_attribute("#follow", "aria-pressed") == "false"
    page.press("c")
    page.wait_for_text("#count", "0 requests")
    page.assert_harmless()


def test_a_lost_connection_is_seen_and_resumed_without_loss(start, inspect, recorded):
    deck, admin = steered(start, "replay", "--cassette", "shop", cwd=recorded)
    page = inspect(admin)
    pipeline(deck, [b"/json"] * 5)
    page.wait_for_text("#count", "5 requests")
    page.context.set_offline(True)
    pipeline(deck, [b"/html"] * 5)
    page.context.set_offline(False)
    page.wait_for_text("#count", "10 requests")
    page.assert_harmless()
    deck.stop()
    page.wait_for_text("#connection", "connection lost")


def test_a_used_code_opens_nothing(start, inspect, recorded):
    _, admin = steered(start, "replay", "--cassette", "shop", cwd=recorded)
    page = inspect(admin)
    url = admin.post("/ui/codes", None)["url"]
    page.page.goto(url)
    page.wait_for_text("#connection", "live")
    page.page.goto("about:blank")
    page.page.goto(url)
    page.wait_for_text("#connection", "no access")
    page.wait_for_text("#empty", "tapedeck ui")


# MARK: What is shown


def test_bodies_are_shown_by_what_they_are(start, inspect, recorded):
    deck, admin = steered(start, "replay", "--cassette", "shop", cwd=recorded)
    page = inspect(admin)
    ask_all(deck)
    requests.post(deck.url + "/anything/parts", files={"file": ("a.txt", b"text", "text/plain")}, timeout=10)
    for row, tab, kind, shown in [
        ("/json", "3", "Tree", ".tree details"), ("/image/png", "3", "Image", "img.picture"), ("/gzip", "3", "Tree", ".tree details"),
        ("/html", "3", "Raw", "pre"), ("/anything/form", "2", "Form", ".body table"), ("/anything/parts", "2", "Parts", ".pieces table"),
    ]:
        page.open_row(row)
        page.wait_for_text("#exchange-title", row)
        page.press(tab)
        page.click(kind, "#exchange-content")
        page.page.locator(f"#exchange-content {shown}").first.wait_for()
    page.open_row("/image/png")
    page.wait_for_text("#exchange-title", "/image/png")
    page.press("3")
    page.click("Image", "#exchange-content")
    page.wait_for_text("#exchange-content", "100 × 100")
    page.assert_harmless()


def test_a_large_body_is_shown_by_its_beginning_and_says_so(start, origin, inspect):
    body = b"0123456789abcdef" * 65_536
    deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", origin(lambda *_: reply(body)).url)
    page = inspect(admin)
    requests.get(f"{deck.url}/large", timeout=20)
    page.open_row("/large")
    page.press("3")
    page.wait_for_text("#exchange-content .notice", "256 KiB of 1 MiB")
    page.assert_harmless()


def test_the_messages_of_a_websocket_appear_as_they_are_said(start, inspect):
    def talk(ws):
        ws.send('{"hello": ["<img src=x onerror=window.__ran=1>", 1]}')
        for message in ws:
            ws.send(message)

    with websocket_server(talk) as port:
        deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}")
        page = inspect(admin)
        with connect(at(deck)) as ws:
            ws.recv(10)
            page.open_row("/chat")
            page.press("6")
            page.wait_for_text("#exchange-content", "1 message, and it is still open")
            ws.send(b"\0\1\2")
            ws.recv(10)
            page.wait_for_text("#exchange-content", "3 messages")
            page.wait_for_text(".messages .client", "binary")
            page.page.locator(".messages .server summary").first.click()
            page.page.locator(".messages .tree details").first.wait_for()
            page.page.locator(".messages .server summary").first.click()
        page.wait_for_text("#exchange-content", "it has ended")
        page.wait_for_text("#exchange-content", "Closed by the client: code 1000")
        page.assert_harmless()


# MARK: For everyone


@pytest.mark.parametrize("theme, width, height", [("light", 1280, 720), ("dark", 2560, 1200), ("dark", 360, 640)])
def test_views_fit_their_window_and_axe_finds_nothing_serious(start, inspect, recorded, tmp_path, theme, width, height):
    deck, admin = steered(start, "replay", "--cassette", "shop", cwd=recorded)
    admin.post("/routes", {"id": "maintenance", "path": "/orders/{id}", "status": 503, "json": {"error": "closed"}})
    page = inspect(admin, theme=theme, width=width, height=height)
    ask_all(deck)
    requests.get(f"{deck.url}/orders/7", timeout=10)
    requests.get(f"{deck.url}/get?page=2&ts=9", timeout=10)
    page.wait_for_text("#count", "12 requests")
    name = f"inspector-{theme}-{width}"

    def look(view: str) -> None:
        page.assert_harmless()
        page.take_picture(pictures(f"{name}-{view}", tmp_path), f"{name}-{view}")
        found = [f"{view}: {each['id']}: {each['nodes'][0]['html'][:200]}: {each['nodes'][0]['failureSummary'][:300]}"
                 for each in Axe().run(page.page).response["violations"] if each["impact"] in ("serious", "critical")]
        assert found == []
        page.page.evaluate("window.__reports = []")

    look("list")
    page.open_row("page=2")
    page.wait_for_text("#exchange-title", "page=2")
    page.wait_for_text("#exchange-content", "Nearest recordings")
    look("miss")
    page.press("4")
    page.wait_for_text("#exchange-content", "Response of that recording")
    look("beside")
    page.press("3")
    look("response")
    page.press("o")
    page.page.wait_for_selector("#declaration")
    look("editor")
    page.press("Escape", "x")
    page.page.wait_for_selector("#times")
    look("fail")
    page.press("Escape", "?")
    page.wait_for_text("dialog", "Keys")
    look("keys")
    page.press("Escape", "O")
    page.wait_for_text("#overrides-content", "maintenance")
    look("overrides")
    page.press("C")
    page.wait_for_text("#cassette-content", "unused in this run")
    look("cassette")
    choices = page.page.locator("#cassette-content .choices")
    choices.get_by_role("button", name="Secrets").click()
    page.wait_for_text("#cassette-part", "no secrets")
    look("secrets")
    choices.get_by_role("button", name="As a backend").click()
    page.page.locator("#cassette-part .stack > .none, #cassette-part .stack > .wide").first.wait_for()
    look("backend")


# MARK: Bad input

RUNS = [
    "<img src=x onerror=window.__ran=1>", "<script>window.__ran=1</script>", "\"><svg onload=window.__ran=1>",
    "javascript:window.__ran=1", "'+(window.__ran=1)+'", "${window.__ran=1}", "{{constructor.constructor('window.__ran=1')()}}",
    "</textarea><script>window.__ran=1</script>", "]]><x onclick=window.__ran=1>", "<iframe srcdoc='<script>parent.__ran=1</script>'>",
    "<style>*{display:none}</style>", "<base href=//evil.example>", "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<a href=javascript:window.__ran=1 autofocus onfocus=window.__ran=1>", "<form action=//evil.example><input name=x>",
    "__proto__", "constructor", "toString", "\u202etxt.exe\u202c", "\u2066\u2067\u202b", "a\u0300" * 50, "\u200b\u200d\ufeff", "\u0000\u0001\u001b[31m\u007f",
    "\ud83d\ude00" * 2, "ﷺ" * 20, "%00%0d%0a", "x" * 300, "\\u003cscript\\u003e", "&lt;b&gt;&#x3c;script&#x3e;",
]


def hostile_strings(count: int) -> list[str]:
    """Reproducible: each of the above, then mixtures of them."""
    chance = random.Random(19)
    mixed = ["".join(chance.choice(RUNS) for _ in range(chance.randint(1, 4))) for _ in range(count)]
    return (RUNS + mixed)[:count]


def bodies(text: str) -> list[tuple[str, bytes]]:
    """The text in every kind of body that the page opens."""
    raw = text.encode(errors="surrogatepass")
    return [
        ("application/json", json.dumps({text: text, "list": [text, {text: [text]}], "__proto__": {"x": text}}).encode()),
        ("text/html", raw), ("application/x-www-form-urlencoded", f"{quote(text, errors='surrogatepass')}={quote(text, errors='surrogatepass')}&{text[:50]}".encode(errors="replace")),
        ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="' + raw + b'"\r\nContent-Type: image/png\r\n\r\n' + raw + b"\r\n--b--\r\n"),
        ("text/event-stream", b"data: " + raw + b"\n\ndata: {\"a\": " + json.dumps(text).encode() + b"}\n\n"),
        ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.__ran=1">' + raw + b"</svg>"),
        ("image/png", raw), ("application/x-ndjson", b"{\"a\": 1}\n" + raw + b"\n"),
    ]


@pytest.mark.timeout(3600)
def test_hostile_texts_stay_texts_in_every_place(start, origin, inspect, cassette):
    """In paths, queries, fields, bodies, rules, the filter and the editor; 2,000 of them with TAPEDECK_LONG_TESTS=1."""
    strings = hostile_strings(2000 if LONG else 32)
    served = {}
    for index, text in enumerate(strings):
        served[index] = bodies(text)[index % 8]

    def respond(exchange):
        index = int(exchange.request.target.split(b"/")[1])
        kind, body = served[index]
        value = re.sub(rb"[\x00-\x08\x0a-\x1f\x7f]", b"?", strings[index].encode(errors="surrogatepass"))[:2000]
        return b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nX-Hostile: %s\r\nContent-Length: %d\r\n\r\n" % (kind.encode(), value, len(body)) + body

    deck, admin = steered(start, "serve", "--upstream", origin(respond).url, "--cassette", cassette, "--mode", "new_episodes")
    page = inspect(admin, width=1000)
    for index, text in enumerate(strings):
        kind, body = bodies(text)[(index + 3) % 8]
        value = re.sub(rb"[\x00-\x08\x0a-\x1f\x7f]", b"?", text.encode(errors="surrogatepass"))[:2000]
        target = f"/{index}/{quote(text, safe='', errors='surrogatepass')}?{quote(text, errors='surrogatepass')}={quote(text, errors='surrogatepass')}"
        fetch(deck.url, target, b"Content-Type: " + kind.encode(), b"X-Hostile: " + value, method=b"POST", body=body)
    page.wait_for_text("#count", f"{len(strings):,} requests")
    page.press("g", "Enter")
    page.page.wait_for_selector("#exchange:not([hidden])")
    for index, text in enumerate(strings):
        page.wait_for_text("#exchange-title", f"/{index}/")
        for tab in "12345":
            page.press(tab)
            if tab in "23":
                for choice in page.page.locator("#exchange-content > div > .choices button").all():
                    choice.click()
        page.assert_harmless()
        if index % 10 == 0:
            page.press("o")
            page.page.wait_for_selector("#declaration")
            page.press("Escape")
            page.page.locator("#filter").fill(text[:500])
            page.page.locator("#filter").fill("")
            page.press("Escape")
            admin.post("/routes", {"path": f"/rule/{index}", "template": False, "headers": {"X-Hostile": re.sub(r"[\x00-\x1f\x7f]", "?", text)}, "json": {text: text}})
            page.press("O", "C", "R")
            page.page.locator("#rows").focus()
        page.press("j")
    page.press("O")
    page.wait_for_text("#overrides-content", "/rule/0")
    page.assert_harmless()
    # Sealed, they can be looked at one by one.
    admin.put("/mode", {"mode": "none"})
    page.press("C")
    page.wait_for_text("#cassette-part", "interactions")
    page.assert_harmless()
    page.page.locator("#cassette-part .link").first.click()
    page.page.wait_for_selector("dialog h3")
    page.assert_harmless()
    page.press("Escape")
    # Beside another cassette, they are scanned, compared and promoted.
    other = cassette.parent / "other"
    shutil.copytree(cassette, other)
    for path in sorted(other.glob("*.json"))[::3]:
        if path.name != "cassette.json":
            changed = json.loads(path.read_text())
            changed["response"]["headers"].append(["X-Other", re.sub(r"[\x00-\x1f\x7f]", "?", strings[len(path.name) % len(strings)])])
            path.write_text(json.dumps(changed))
    page.page.locator("#cassette-content .choices").get_by_role("button", name="Secrets").click()
    page.wait_for_text("#cassette-part", "file")
    page.assert_harmless()
    page.page.locator("#cassette-content .choices").get_by_role("button", name="Compare").click()
    page.page.locator("#cassette-part").get_by_role("button", name="Compare").click()
    page.wait_for_text("#cassette-part .note", "changed")
    page.assert_harmless()
    page.page.locator("#cassette-content .choices").get_by_role("button", name="As a backend").click()
    page.page.locator("#cassette-part .stack > *").first.wait_for()
    page.assert_harmless()


def test_hostile_messages_of_a_websocket_stay_texts(start, inspect):
    strings = [text for text in hostile_strings(2000 if LONG else 60) if not re.search("[\ud800-\udfff]", text)]

    def talk(ws):
        for index, text in enumerate(strings):
            ws.send(json.dumps({text: [text]}) if index % 3 == 0 else text if index % 3 == 1 else text.encode())
        ws.close(4000, "<img src=x onerror=window.__ran=1>\u202e")

    with websocket_server(talk) as port:
        deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", f"http://127.0.0.1:{port}")
        with connect(at(deck, "/%3Cb%3E")) as ws:
            for _ in strings:
                ws.recv(10)
        page = inspect(admin, width=360)
        page.open_row("%3Cb%3E")
        page.press("6")
        page.wait_for_text("#exchange-content", "code 4000")
        for summary in page.page.locator(".messages > li > details > summary").all()[:60]:
            summary.click()
        page.assert_harmless()


def test_a_line_of_a_mebibyte_breaks_no_layout(start, origin, inspect):
    line = b"<b>" + b"x" * (1 << 20)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (len(line) + 8)
    deck, admin = steered(start, "serve", "--mode", "passthrough", "--upstream", origin(lambda *_: head + b'{"a": "' + line[:-1] + b'"}').url)
    page = inspect(admin, width=360)
    requests.get(f"{deck.url}/{'y' * 4000}", timeout=20)
    page.open_row("/yyyy")
    for tab in "12345":
        page.press(tab)
        page.assert_harmless()
