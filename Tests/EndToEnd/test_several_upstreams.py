"""Several origins behind one address, by path and by host: recorded with flags, replayed without."""

import json
import subprocess

import pytest

from deck import interactions, log_lines, run
from servers import Gunicorn, Nginx
from wire import Wire, fetch


def servers_and_flags(servers):
    """Two applications and an nginx, and the flags that put them behind one address."""
    auth, api = servers(Gunicorn, "several_apps:auth"), servers(Gunicorn, "several_apps:api")
    shop = servers(Nginx, f"""
        location /cart {{ add_header Link "<{api.url}/items>; rel=items" always; return 200 "cart of {auth.url}/login\\n"; }}
        location /buy {{ return 302 /cart; }}
        location / {{ return 302 {auth.url}/; }}""")
    flags = ("--upstream", api.url, "--upstream", f"/auth={auth.url}", "--upstream", f"shop.localhost={shop.url}")
    return auth, api, shop, flags


@pytest.fixture(scope="module")
def three(servers):
    return servers_and_flags(servers)


def curl(jar, url, *options):
    """The addresses that curl went to, and the last body."""
    done = subprocess.run(
        ["curl", "-sS", "-L", "--max-redirs", "5", "-b", jar, "-c", jar, *options, "-w", "\n%{num_redirects} %{url_effective}", url],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    body, _, last = done.stdout.rpartition("\n")
    redirects, _, effective = last.partition(" ")
    return int(redirects), effective, body


def session(deck, jar, api):
    """A login that ends at another origin, and a purchase by host; ports of the proxy left out."""
    port = deck.url.rsplit(":", 1)[1]
    shop = deck.url.replace("127.0.0.1", "shop.localhost")
    heard = [
        curl(jar, f"{deck.url}/auth/login?next={api.url}/items"),
        curl(jar, f"{shop}/buy"),
        curl(jar, f"{shop}/"),
        curl(jar, f"{deck.url}/auth/seen", "-e", f"{shop}/cart", "-H", f"Origin: {shop}"),
    ]
    return [(count, url.replace(port, "PORT"), body) for count, url, body in heard]


def files(cassette):
    return {str(path.relative_to(cassette)): path.read_bytes() for path in cassette.rglob("*") if path.is_file()}


def stored(cassette):
    """Every file's bytes up to its volatile block, which is its last member."""
    return {name: data.rpartition(b'"volatile"')[0] or data for name, data in files(cassette).items()}


def test_a_login_by_prefix_and_a_purchase_by_host_replay_without_flags(start, servers, cassette, tmp_path):
    auth, api, shop, flags = servers_and_flags(servers)
    deck = start("record", *flags, "--cassette", cassette)
    live = session(deck, tmp_path / "jar", api)
    assert deck.stop() == 0, deck.stderr
    cookie = next(line for line in (tmp_path / "jar").read_text().splitlines() if "\tsession\t" in line)
    assert "\t/auth\t" in cookie
    login, buy, home, seen = live
    assert login[:2] == (2, "http://127.0.0.1:PORT/items") and json.loads(login[2])["hasSession"] is False
    assert buy[:2] == (1, "http://shop.localhost:PORT/cart")
    assert home == (1, "http://shop.localhost:PORT/auth/", "auth")
    assert json.loads(seen[2]) == {"Host": auth.authority, "Origin": shop.url, "Referer": f"{shop.url}/cart"}

    manifest = json.loads((cassette / "cassette.json").read_text())
    assert manifest["upstreams"] == [flags[1], flags[3], flags[5]] and "forward" not in manifest
    for server in (auth, api, shop):
        server.stop()
    before = files(cassette)
    replay = start("replay", "--cassette", cassette)
    assert session(replay, tmp_path / "jar again", api) == live
    assert replay.stop() == 0, replay.stderr
    assert files(cassette) == before


def test_links_and_texts_lead_by_the_route_of_their_origin(start, three, cassette):
    auth, api, shop, flags = three
    recorder = start("record", *flags, "--cassette", cassette, "--rewrite-bodies")
    for deck in (recorder, None):
        deck = deck or start("replay", "--cassette", cassette)
        port = deck.url.rsplit(":", 1)[1]
        cart = fetch(deck.url, "/cart", f"Host: shop.localhost:{port}".encode())
        assert cart.value(b"Link") == f"<{deck.url}/items>; rel=items".encode()
        assert cart.body == f"cart of http://shop.localhost:{port}/auth/login\n".encode()
        items = fetch(deck.url, "/items")
        assert json.loads(items.body)["next"] == f"{deck.url}/items"
        assert deck.stop() == 0, deck.stderr


def test_two_recordings_are_equal(start, three, tmp_path):
    _, api, _, flags = three
    for name in ("one", "two"):
        deck = start("record", *flags, "--cassette", tmp_path / name)
        session(deck, tmp_path / f"jar {name}", api)
        assert deck.stop() == 0
    assert stored(tmp_path / "one") == stored(tmp_path / "two")
    assert len(stored(tmp_path / "one")) == 9


def test_other_patterns_are_told(start, three, cassette):
    auth, api, _, flags = three
    deck = start("record", *flags, "--cassette", cassette)
    fetch(deck.url, "/items")
    fetch(deck.url, "/auth/")
    deck.stop()
    replay = start("serve", "--mode", "none", "--cassette", cassette, "--upstream", api.url, "--upstream", f"/login={auth.url}")
    assert fetch(replay.url, "/login/").body == b"auth"
    assert fetch(replay.url, "/auth/").status == 502
    replay.stop()
    assert log_lines(replay, f"serving --upstream {api.url} --upstream /login={auth.url} in this run", flags[3])
    again = start("serve", "--mode", "new_episodes", "--cassette", cassette, "--upstream", api.url, "--upstream", f"/login={auth.url}")
    fetch(again.url, "/items?page=2")
    again.stop()
    assert log_lines(again, f"will be served with --upstream {api.url} --upstream /login={auth.url}", flags[3])
    assert json.loads((cassette / "cassette.json").read_text())["upstreams"] == [api.url, f"/login={auth.url}"]


def test_patterns_and_a_forward_proxy_replay_together(start, three, cassette):
    auth, api, _, flags = three
    deck = start("record", *flags[:4], "--forward", "--cassette", cassette)
    through = ["curl", "-sS", "--noproxy", "", "-x"]
    assert subprocess.run([*through, deck.url, f"{auth.url}/"], capture_output=True, text=True).stdout == "auth"
    assert fetch(deck.url, "/items").status == 200
    assert deck.stop() == 0
    assert json.loads((cassette / "cassette.json").read_text())["forward"] is True
    replay = start("replay", "--cassette", cassette)
    assert subprocess.run([*through, replay.url, f"{auth.url}/"], capture_output=True, text=True).stdout == "auth"
    assert [fetch(replay.url, path).status for path in ("/items", "/auth/")] == [200, 200]


def test_an_interrupted_recording_keeps_its_patterns(start, three, cassette):
    _, _, _, flags = three
    deck = start("record", *flags, "--cassette", cassette)
    fetch(deck.url, "/auth/")
    deck.kill()
    for _ in range(2):  # from the journal, and from the files that were made of it
        replay = start("replay", "--cassette", cassette)
        assert fetch(replay.url, "/auth/").body == b"auth"
        replay.stop()
        recorder = start("serve", "--mode", "new_episodes", *flags, "--cassette", cassette)
        assert recorder.stop() == 0
    assert (cassette / "cassette.json").exists()


def test_run_replays_behind_the_recorded_patterns(start, three, cassette):
    _, _, _, flags = three
    command = ["sh", "-c", "curl -sS $TAPEDECK_URL/auth/; test -z \"$https_proxy\""]
    first = run("run", *flags, "--mode", "once", "--cassette", cassette, "--", *command)
    second = run("run", "--cassette", cassette, "--", *command)
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
    assert first.stdout == second.stdout == "auth"


@pytest.mark.parametrize("change, problem", [
    (lambda manifest: manifest["upstreams"].append("ftp://x"), "ftp://x"),
    (lambda manifest: manifest.update(upstreams="x"), "upstreams"),
    (lambda manifest: manifest.update(upstreams=[], forward=False), "forward"),
    (lambda manifest: manifest.update(forward="yes"), "forward"),
    (lambda manifest: (manifest.pop("origins"), manifest.update(upstream="http://a.test")), "origins"),
])
def test_a_manifest_that_makes_no_sense_is_refused(start, three, cassette, change, problem):
    deck = start("record", *three[3], "--cassette", cassette)
    fetch(deck.url, "/items")
    deck.stop()
    manifest = json.loads((cassette / "cassette.json").read_text())
    change(manifest)
    (cassette / "cassette.json").write_text(json.dumps(manifest))
    done = run("replay", "--cassette", cassette, "--port", "0")
    assert done.returncode == 1 and problem in done.stderr and "cassette.json" in done.stderr, done.stderr


def asked(url, target, host="x"):
    with Wire(url) as wire:
        wire.send(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        return wire.answer()


@pytest.mark.parametrize("first, second", [
    ("/a=https://a.test", "/a/=https://b.test"), ("a.test=https://a.test", "A.test=https://b.test"),
    ("https://a.test", "https://b.test"), ("https://a.test", "https://a.test"),
])
def test_two_upstreams_for_the_same_requests_are_refused(first, second):
    done = run("serve", "--upstream", first, "--upstream", second)
    assert done.returncode == 2 and "are for the same requests" in done.stderr


@pytest.mark.parametrize("target, host, status", [
    ("/auth/", "127.0.0.1", 200), ("/auth/", "totally.other.example", 200), ("/items", "totally.other.example", 200),
    ("/cart", "shop.localhost", 200), ("http://shop.localhost/cart", "x", 200), ("http://shop.localhost:OURS/cart", "x", 200),
    ("http://127.0.0.1:OURS/auth/", "x", 200), ("http://localhost:OURS/items", "x", 200),
    ("http://AUTH/", "x", 200), ("https://AUTH/", "x", 200), ("http://API/items", "x", 200),
    ("http://totally.other.example/auth/", "x", 421), ("http://totally.other.example/", "127.0.0.1", 421),
    ("https://shop.localhost.evil/cart", "x", 421), ("http://127.0.0.1:1/items", "x", 421),
])
@pytest.mark.parametrize("mode", ["live", "replayed"])
def test_whose_request_it_is(start, three, cassette, target, host, status, mode):
    auth, api, shop, flags = three
    target = target.replace("AUTH", auth.authority).replace("API", api.authority)
    deck = start("record", *flags, "--cassette", cassette)
    for path, name in (("/auth/", "x"), ("/items", "x"), ("/cart", "shop.localhost")):
        assert asked(deck.url, path, name).status == 200
    if mode == "replayed":
        deck.stop()
        deck = start("replay", "--cassette", cassette)
    answer = asked(deck.url, target.replace("OURS", deck.url.rsplit(":", 1)[1]), host)
    assert answer.status == status
    if status == 421:
        assert "--forward" in json.loads(answer.body)["detail"]


def test_a_unix_socket_among_several_is_refused(cassette):
    done = run("record", "--upstream", "/docker=http+unix:///run/docker.sock", "--cassette", cassette)
    assert done.returncode == 2 and "unix socket" in done.stderr


def test_what_fits_no_pattern_is_told_which_there_are(start, three, cassette):
    auth = three[0]
    deck = start("record", "--upstream", f"/auth={auth.url}", "--cassette", cassette)
    answer = asked(deck.url, "/items")
    assert answer.status == 400 and f"/auth={auth.url}" in json.loads(answer.body)["detail"]
    assert deck.stop() in (0, 1, 3)
    assert interactions(cassette) == {}
