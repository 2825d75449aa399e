"""Whose request it is: a client that takes us for the proxy of another host, or for a WebSocket server, is told so."""

import json
import subprocess

from deck import interactions, log_lines
from origin import counting, reply
from wire import Wire, fetch


def echo(exchange):
    return reply(exchange.request.target)


def through(proxy, url, *options):
    """The status and the body that curl gets for a URL through a proxy."""
    done = subprocess.run(
        ["curl", "-sS", "--noproxy", "", "-x", proxy, *options, "-w", "\n%{http_code}", url], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


FOREIGN = "http://totally.other.example/users/1"


def test_a_client_that_takes_us_for_a_forward_proxy_got_another_hosts_response(recording, start, cassette):
    upstream, deck = recording(counting())
    assert through(deck.url, f"{upstream.url}/users/1") == (200, "answer 1")
    status, body = through(deck.url, FOREIGN)
    assert status == 421 and "--match host" in json.loads(body)["detail"]
    assert deck.stop() == 0
    assert len(upstream.requests) == 1 and len(interactions(cassette)) == 1

    replay = start("replay", "--cassette", cassette)
    assert through(replay.url, f"{upstream.url}/users/1") == (200, "answer 1")
    status, body = through(replay.url, FOREIGN)
    assert status == 421
    assert upstream.authority in json.loads(body)["detail"] and "totally.other.example" in json.loads(body)["detail"]
    replay.stop()
    assert log_lines(
        replay, f"GET {FOREIGN} 421 server", ": the request is for totally.other.example, not for this proxy")


def test_passthrough_asked_the_origin_for_another_port(start, origin):
    upstream = origin(echo)
    deck = start("serve", "--mode", "passthrough", "--upstream", upstream.url)
    other = upstream.url.rsplit(":", 1)[0] + ":1"
    assert through(deck.url, f"{other}/x")[0] == 421
    assert upstream.requests == []


def test_our_own_address_and_a_foreign_host_field_are_no_reason(recording):
    upstream, deck = recording(echo)
    port = deck.url.rsplit(":", 1)[1]
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        with Wire(deck.url) as wire:
            wire.send(f"GET http://{host}:{port}/x HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert wire.answer().status == 200
    assert fetch(deck.url, "/x", b"Host: totally.other.example").status == 200
    assert len(upstream.requests) == 5


def test_match_host_accepts_any(recording, start, cassette):
    _, deck = recording(echo, "--match", "host")
    assert through(deck.url, FOREIGN) == (200, "/users/1")
    assert deck.stop() == 0
    replay = start("replay", "--cassette", cassette)
    assert through(replay.url, FOREIGN) == (200, "/users/1")
    assert through(replay.url, "http://another.example/users/1")[0] == 502


def test_a_recording_of_several_hosts_responds_for_each(start, tmp_path):
    """HAR of a page and what it took from elsewhere: every host that it names is its own."""
    def entry(url):
        return {
            "startedDateTime": "2026-11-22T00:00:00Z", "time": 1,
            "request": {"method": "GET", "url": url, "headers": [{"name": "Host", "value": url.split("/")[2]}]},
            "response": {"status": 200, "headers": [], "content": {"text": url, "mimeType": "text/plain"}}}

    urls = ["http://page.example/", "http://page.example/x", "http://cdn.example/a.js"]
    har = tmp_path / "page.har"
    har.write_text(json.dumps({"log": {"version": "1.2", "entries": [entry(url) for url in urls]}}))
    replay = start("replay", "--cassette", har)
    for url in urls:
        assert through(replay.url, url) == (200, url)
    assert through(replay.url, FOREIGN)[0] == 421


def test_an_override_does_not_respond_for_a_foreign_host(start, tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"routes": [{"path": "/users/1", "json": {"id": 1}}]}))
    deck = start("serve", "--overrides", rules)
    assert fetch(deck.url, "/users/1").status == 200
    assert through(deck.url, FOREIGN)[0] == 421


def test_without_a_log_a_notice_says_why_once(start, origin):
    deck = start("serve", "--mode", "passthrough", "--upstream", origin(echo).url, "--quiet")
    for _ in range(3):
        assert through(deck.url, FOREIGN)[0] == 421
    deck.stop()
    assert len(log_lines(deck, "421: the request is for totally.other.example")) == 1


# Upgrades


def test_a_websocket_handshake_went_on_as_a_plain_get(recording):
    upstream, deck = recording(lambda exchange: reply(b"why", status=b"426 Upgrade Required"))
    answer = fetch(
        deck.url, "/ws", b"Connection: keep-alive, Upgrade", b"Upgrade: WebSocket", b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Extensions: permessage-deflate", b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
    assert answer.status == 426
    asked = upstream.requests[0]
    assert (asked.values(b"Upgrade"), asked.values(b"Connection")) == ([b"websocket"], [b"Upgrade"])
    assert not asked.values(b"Sec-WebSocket-Extensions")


def test_another_upgrade_is_left_out_of_the_request(recording):
    upstream, deck = recording(echo)
    assert fetch(deck.url, "/x", b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AA").status == 200
    assert not upstream.requests[0].values(b"Upgrade")


def test_a_426_lost_its_upgrade(recording, both, cassette):
    _, deck = recording(lambda exchange: reply(
        b"why", b"Upgrade: TLS/1.2, HTTP/1.1", b"Connection: Upgrade", status=b"426 Upgrade Required"))
    for url in both(deck):
        answer = fetch(url, "/x")
        assert (answer.value(b"Upgrade"), answer.value(b"Connection")) == (b"TLS/1.2, HTTP/1.1", b"upgrade")
    [each] = interactions(cassette).values()
    assert ["Upgrade", "TLS/1.2, HTTP/1.1"] in each["response"]["headers"]
