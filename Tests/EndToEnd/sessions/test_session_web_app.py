"""A Flask application and the clients it has: forms, cookies, paging, caches, long polling."""

import http.cookiejar
import json
import re
import threading
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from deck import interactions
from origin import reply
from servers import Gunicorn

PASSWORDS = {"alice": "correct horse", "bob": "battery staple", "carol": "hunter2hunter2"}


@pytest.fixture
def web_app(origins):
    return origins(Gunicorn, "sessions.web_app:app")


def browser() -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    return session


def sign_in(session, url, user, password=None):
    page = session.get(f"{url}/login", timeout=20)
    token = re.search(r'name="csrf_token" value="([^"]+)"', page.text)[1]
    return session.post(
        f"{url}/login", data={"csrf_token": token, "user": user, "password": password or PASSWORDS[user]}, timeout=20)


def seen(response):
    return response.status_code, response.text


def test_login_with_a_csrf_token_and_a_session_cookie(rehearsal, web_app):
    def script(url):
        session, steps = browser(), []
        steps.append(seen(session.get(f"{url}/me", timeout=20)))
        refused = session.post(f"{url}/login", data={"csrf_token": "made up", "user": "alice", "password": "x"}, timeout=20)
        steps.append(seen(refused))
        steps.append(seen(sign_in(session, url, "alice", "wrong")))
        greeted = sign_in(session, url, "alice")
        steps.append([(each.status_code, each.headers["Location"]) for each in greeted.history])
        steps.append((greeted.status_code, greeted.url, re.search("<h1>.*", greeted.text)[0]))
        steps.append(seen(session.get(f"{url}/me", timeout=20)))
        token = re.search(r'content="([^"]+)"', greeted.text)[1]
        steps.append(seen(session.post(f"{url}/logout", headers={"X-CSRFToken": token}, timeout=20)))
        steps.append(seen(session.get(f"{url}/me", timeout=20)))
        steps.append(sorted(cookie.name for cookie in session.cookies))
        return steps

    steps = rehearsal.both(web_app, script)
    assert steps[1][0] == 400 and steps[2] == [403, "Wrong name or password."]
    assert steps[3] == [[303, "http://{base}/dashboard"]] and "Hello alice" in steps[4][2]
    assert [step[0] for step in (steps[0], steps[5], steps[7])] == [401, 200, 401]
    text = "".join(path.read_text() for path in rehearsal.cassette.glob("*.json"))
    assert not any(password in text for password in ("correct horse", "correct+horse"))


def test_urllib_with_a_cookie_jar(rehearsal, web_app):
    def script(url):
        jar = http.cookiejar.CookieJar()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(jar))
        page = opener.open(f"{url}/login", timeout=20).read().decode()
        token = re.search(r'value="([^"]+)"', page)[1]
        form = urllib.parse.urlencode({"csrf_token": token, "user": "bob", "password": PASSWORDS["bob"]}).encode()
        greeted = opener.open(f"{url}/login", form, timeout=20)
        return [greeted.url, opener.open(f"{url}/me", timeout=20).read(), sorted(cookie.name for cookie in jar)]

    assert b'"bob"' in rehearsal.both(web_app, script)[1]


@pytest.mark.parametrize("order", [["carol", "bob", "alice"], ["bob", "alice", "carol"]], ids=",".join)
def test_users_who_ask_in_another_order_each_see_their_own(rehearsal, web_app, order):
    """Their requests for /me differ in nothing but the cookie."""
    def script(url, order=("alice", "bob", "carol")):
        sessions = {user: browser() for user in PASSWORDS}
        for user, session in sessions.items():
            sign_in(session, url, user)
        return {user: seen(sessions[user].get(f"{url}/me", timeout=20)) for user in order}

    recorded = rehearsal.record(web_app, script)
    assert all(f'"{user}"' in text for user, (_, text) in recorded.items())
    assert rehearsal.replay(lambda url: script(url, order)) == recorded


def test_users_with_tokens_in_parallel_and_in_any_order(rehearsal, origin):
    tokens = {f"user{n}": f"ghp_{n:x}A9bQ7zLm2XcV5nK8pR1tY4wE6uJ3oZ0{n:x}end{n:02}" for n in range(12)}
    users = {f"Bearer {token}".encode(): user.encode() for user, token in tokens.items()}

    def whoami(exchange):
        user = users.get(exchange.request.value(b"Authorization"), b"nobody")
        return reply(b'{"user": "%s"}' % user, b"Content-Type: application/json")

    def script(url, order=tuple(tokens)):
        def ask(user):
            return [seen(requests.get(f"{url}/whoami", headers={"Authorization": f"Bearer {tokens[user]}"}, timeout=20))
                    for _ in range(3)]
        with ThreadPoolExecutor(6) as pool:
            return dict(zip(order, pool.map(ask, order)))

    recorded = rehearsal.record(origin(whoami), script)
    assert recorded == {user: [[200, f'{{"user": "{user}"}}']] * 3 for user in tokens}
    assert rehearsal.replay(lambda url: script(url, tuple(reversed(tokens)))) == recorded


def follow_links(url):
    pages, session, following = [], browser(), f"{url}/items"
    while following:
        response = session.get(following, timeout=20)
        pages.append((response.status_code, following, response.links, response.json(), response.headers["X-Total-Count"]))
        following = response.links.get("next", {}).get("url")
    return pages


def test_pages_linked_in_a_field_all_come_from_the_recording(rehearsal, web_app):
    pages = rehearsal.both(web_app, follow_links)
    assert len(pages) == 5 and all("{base}" in page[1] for page in pages)
    assert rehearsal.exchanges == 5


def follow_next(url):
    pages, session, following = [], browser(), f"{url}/v2/items"
    while following:
        response = session.get(following, timeout=20)
        pages.append((response.status_code, following, response.json()))
        following = response.json()["next"]
    return pages


def test_pages_linked_in_json_need_the_flag_that_the_run_itself_names(rehearsal, web_app, start, tmp_path):
    """Without the flag the client leaves the proxy after page 1; the run says so, and names what cures it."""
    first = start("record", "--upstream", web_app.url, "--cassette", tmp_path / "without")
    follow_next(first.url.rstrip("/"))
    assert first.stop() == 0
    flags = set(re.findall(r"--rewrite[\w-]*", first.stderr))
    assert flags == {"--rewrite-bodies"}, f"the run does not name the flag:\n{first.stderr}"
    assert len(interactions(tmp_path / "without")) == 1

    pages = rehearsal.both(web_app, follow_next, *flags)  # and replay is not given it again
    assert len(pages) == 5 and all("{base}" in page[1] for page in pages)


def test_pages_asked_for_in_parallel(rehearsal, web_app):
    def script(url):
        with ThreadPoolExecutor(5) as pool:
            return list(pool.map(lambda page: seen(requests.get(f"{url}/items?page={page}", timeout=20)), range(1, 6)))

    recorded = rehearsal.record(web_app, script)
    assert rehearsal.replay(lambda url: list(reversed([seen(requests.get(f"{url}/items?page={page}", timeout=20))
                                                       for page in range(5, 0, -1)]))) == recorded


def use_cache(url):
    """A client with a cache of its own: asks, asks again with the tag, changes it, is refused with an old tag."""
    session, steps = browser(), []

    def ask(method="GET", body=None, **fields):
        response = session.request(
            method, f"{url}/notes/readme", data=body, timeout=20,
            headers={name.replace("_", "-"): value for name, value in fields.items()})
        steps.append((response.status_code, response.headers.get("ETag"), response.text))
        return response.headers.get("ETag")

    first = ask()
    ask(If_None_Match=first)
    ask(If_None_Match=first)
    ask()
    second = ask("PUT", b"second edition", If_Match=first)
    ask(If_None_Match=first)
    ask(If_None_Match=second)
    ask("PUT", b"third edition", If_Match=first)
    ask(If_None_Match=f'W/"other", {second}')
    ask("GET", None, If_None_Match='"never-seen"')
    ask()
    return steps


def test_a_cache_that_revalidates(rehearsal, web_app):
    steps = rehearsal.both(web_app, use_cache)
    assert [step[0] for step in steps] == [200, 304, 304, 200, 200, 200, 304, 412, 304, 200, 200]


def test_a_client_without_a_cache_never_gets_a_304(rehearsal, web_app):
    rehearsal.record(web_app, use_cache)
    plain = rehearsal.replay(lambda url: [seen(requests.get(f"{url}/notes/readme", timeout=20)) for _ in range(6)])
    assert {status for status, _ in plain} == {200} and plain[0][1] == "first edition", plain


def test_a_cache_that_begins_with_a_tag_from_before(rehearsal, web_app):
    """The tag was never recorded: the full representation is a correct response to any condition."""
    rehearsal.record(web_app, lambda url: [seen(requests.get(f"{url}/notes/readme", timeout=20))])
    script = lambda url: seen(requests.get(f"{url}/notes/readme", headers={"If-None-Match": '"yesterday"'}, timeout=20))
    assert rehearsal.replay(script) == [200, "first edition"]


def test_long_polling(rehearsal, web_app):
    def script(url):
        session, steps = browser(), []
        steps.append(session.get(f"{url}/poll?since=0&timeout=0.2", timeout=20).status_code)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(session.get, f"{url}/poll?since=0", timeout=20)
            publisher = threading.Timer(0.3, lambda: requests.post(f"{url}/events", json={"text": "one"}, timeout=20))
            publisher.start()
            response = waiting.result()
            publisher.join()
        steps.append(seen(response))
        since = response.json()["next"]
        steps.append(seen(requests.post(f"{url}/events", json={"text": "two"}, timeout=20)))
        steps.append(seen(session.get(f"{url}/poll?since={since}", timeout=20)))
        steps.append(session.get(f"{url}/poll?since=2&timeout=0.2", timeout=20).status_code)
        return steps

    steps = rehearsal.both(web_app, script)
    assert steps[0] == 204 and "one" in steps[1][1] and "two" in steps[3][1] and steps[4] == 204


def test_an_upload_whose_boundary_is_new(rehearsal, web_app):
    def script(url):
        return [seen(requests.post(
            f"{url}/upload", files={"file": (name, content, "application/octet-stream")},
            data={"note": "ü", "tags": ["a", "b"]}, timeout=20))
            for name, content in (("a.bin", bytes(range(256))), ("naïve.txt", b"--not-a-boundary\r\n"), ("empty", b""))]

    assert all(step[0] == 200 for step in rehearsal.both(web_app, script))
