"""TLS that cannot be trusted, or is none (F08)."""

import socket
import ssl

import pytest

from failing import assert_fails, assert_nothing_recorded, quietly, takes
from origin import HangUp, reply
from peers import openssl, server_context


# TLS


@pytest.fixture
def tls_fault(record, peer, authority):
    """A recorder before a TLS origin with this certificate, told to trust our authority."""

    def tls_fault(certificate, key, adjust=lambda context: None, trust=True):
        context = server_context(certificate, key)
        adjust(context)
        upstream = peer(quietly, tls=context)
        return upstream, record(upstream.url, *(["--cacert", authority[0]] if trust else []))

    return tls_fault


def assert_tls_fails(upstream, deck, cassette, *tokens: str) -> None:
    assert_fails(deck, 502, *tokens)
    assert upstream.requests == [], "the request went out over a connection that cannot be trusted"
    assert_nothing_recorded(deck, cassette)


def test_f08_an_expired_certificate_is_502(tls_fault, authority, cassette):
    pair = authority[1]("expired", "IP:127.0.0.1", days=-1)
    assert_tls_fails(*tls_fault(*pair), cassette, "tls_certificate_error")


def test_f08_a_self_signed_certificate_is_502(tls_fault, tmp_path, cassette):
    certificate, key = tmp_path / "self.pem", tmp_path / "self.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate)
    assert_tls_fails(*tls_fault(certificate, key), cassette, "tls_certificate_error")


def test_f08_a_certificate_for_another_host_is_502(tls_fault, authority, cassette):
    assert_tls_fails(*tls_fault(*authority[1]("other", "DNS:elsewhere.test")), cassette, "tls_certificate_error")


def test_f08_an_unknown_authority_is_502(tls_fault, authority, cassette):
    pair = authority[1]("unknown", "IP:127.0.0.1")
    assert_tls_fails(*tls_fault(*pair, trust=False), cassette, "tls_certificate_error")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_f08_tls_1_0_is_502(tls_fault, authority, cassette):
    def only_tls_1_0(context):
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1

    pair = authority[1]("old", "IP:127.0.0.1")
    assert_tls_fails(*tls_fault(*pair, only_tls_1_0), cassette, "tls_protocol_error", "tls_alert_received")


@pytest.mark.parametrize("data, token", [
    pytest.param(reply(b"", status=b"400 Bad Request"), "tls_protocol_error", id="plain HTTP"),
    pytest.param(b"\x15\x03\x03\x00\x02\x02\x28", "tls_alert_received", id="alert"),
    pytest.param(b"", "tls_protocol_error", id="hang up"),
    pytest.param(b"\x16\x03\x03\xff\xff" + b"x" * 100, "tls_protocol_error", id="garbage"),
])
def test_f08_no_tls_at_all_is_502(record, peer, cassette, data, token):
    def script(line):
        line.socket.recv(65536)
        line.send(data)
        raise HangUp

    deck = record(f"https://127.0.0.1:{peer(script).port}")
    assert_fails(deck, 502, token)
    assert_nothing_recorded(deck, cassette)


def test_f08_a_handshake_that_stalls_is_504(record, peer, cassette):
    upstream = peer(lambda line: line.wait_for_close())
    deck = record(f"https://127.0.0.1:{upstream.port}", "--connect-timeout", "0.4")
    with takes(0.4):
        assert_fails(deck, 504, "connection_timeout")
    assert_nothing_recorded(deck, cassette)
