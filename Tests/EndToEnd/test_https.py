"""An https origin: verified, refused, or taken on trust out loud."""

import json

import pytest

from deck import interactions
from servers import Nginx
from wire import fetch


LOCATIONS = """
  location = /text { return 200 "over tls\\n"; }
  location = /json { default_type application/json; return 200 '{"safe": true}'; }
  location = /moved { return 301 /text; }
  location = /cookies { add_header Set-Cookie "a=1; Secure"; add_header Set-Cookie "b=2; Secure; HttpOnly"; return 204; }
  location /files/ { alias %s/; }
"""
FILE = bytes(range(256)) * 2000
ASKED = [
    (b"GET", b"/text", ()),
    (b"GET", b"/json", ()),
    (b"GET", b"/moved", ()),
    (b"GET", b"/cookies", ()),
    (b"GET", b"/files/data.bin", ()),
    (b"GET", b"/files/data.bin?part", (b"Range: bytes=1000-1999",)),
    (b"HEAD", b"/files/data.bin", ()),
    (b"GET", b"/files/none", ()),
    (b"POST", b"/text", ()),
]


@pytest.fixture(scope="module")
def tls(servers, authority, tmp_path_factory):
    files = tmp_path_factory.mktemp("files")
    (files / "data.bin").write_bytes(FILE)
    ca, sign = authority
    return servers(Nginx, LOCATIONS % files, *sign("origin", "IP:127.0.0.1,DNS:localhost"))


def ask_all(url: str):
    return [
        fetch(url, target, b"Host: proxy.test", *fields, method=method, body=b"" if method == b"POST" else None).essence
        for method, target, fields in ASKED
    ]


def assert_refused(deck, cassette, *words: str) -> None:
    answer = fetch(deck.url, "/text")
    assert answer.status == 502
    assert answer.value(b"Content-Type").startswith(b"application/problem+json")
    problem = json.loads(answer.body)
    assert problem["status"] == 502
    for word in words:
        assert word in answer.body.decode().lower()
    deck.stop()
    assert interactions(cassette) == {}


def test_records_and_replays_an_origin_whose_authority_is_given(start, servers, authority, tmp_path, cassette):
    ca, sign = authority
    (tmp_path / "data.bin").write_bytes(FILE)
    origin = Nginx(tmp_path / "origin", LOCATIONS % tmp_path, *sign("own", "IP:127.0.0.1"))
    try:
        recorder = start("record", "--upstream", origin.url, "--cassette", cassette, "--cacert", ca)
        recorded = ask_all(recorder.url)
    finally:
        origin.stop()
    assert [each[0] for each in recorded] == [200, 200, 301, 204, 200, 206, 200, 404, 200]
    assert (b"Location", b"http://proxy.test/text") in recorded[2][2]
    assert recorded[4][3] == FILE
    assert recorder.stop() == 0

    replayer = start("replay", "--cassette", cassette)
    assert ask_all(replayer.url) == recorded
    assert replayer.stop() == 0


def test_the_name_is_checked_as_well_as_the_address(start, tls, authority, cassette):
    url = f"https://localhost:{tls.port}"
    deck = start("record", "--upstream", url, "--cassette", cassette, "--cacert", authority[0])
    assert fetch(deck.url, "/text").body == b"over tls\n"


def test_refuses_an_unknown_authority(start, tls, cassette):
    assert_refused(start("record", "--upstream", tls.url, "--cassette", cassette), cassette, "certificate")


def test_refuses_a_certificate_for_another_name(start, servers, authority, cassette):
    ca, sign = authority
    other = servers(Nginx, LOCATIONS % "/nowhere", *sign("other", "DNS:elsewhere.test"))
    deck = start("record", "--upstream", other.url, "--cassette", cassette, "--cacert", ca)
    assert_refused(deck, cassette, "certificate is not valid for the host name 127.0.0.1", "it names dns:elsewhere.test")
    assert "--cacert" not in deck.stderr


def test_plain_http_to_an_https_port_is_told_and_not_recorded(start, tls, cassette):
    deck = start("record", "--upstream", f"http://127.0.0.1:{tls.port}", "--cassette", cassette)
    assert_refused(deck, cassette, "the port expects tls", f"https://127.0.0.1:{tls.port}")


def test_refuses_an_origin_that_does_not_speak_tls(start, mirror, cassette):
    url = f"https://{mirror.authority}"
    deck = start("record", "--upstream", url, "--cassette", cassette)
    assert_refused(deck, cassette, "does not speak tls", f"http://{mirror.authority}")


def test_insecure_works_and_warns(start, tls, cassette):
    deck = start("record", "--upstream", tls.url, "--cassette", cassette, "--insecure")
    assert fetch(deck.url, "/text").body == b"over tls\n"
    assert "insecure" in deck.stderr.lower()
    assert deck.stop() == 0
    assert len(interactions(cassette)) == 1
