"""Clients that live on secrets: each reads what it was given, uses it, and does so again on its redacted recording with
default settings. Who records such a session twice gets the same files."""

import json
import os
import shutil
import time
import types

import httpx
import pytest
import requests

import aws
import models
import oidc_client
from servers import Gunicorn
from still import MOMENT, Seeded
from test_concurrency import lasting_bytes
from test_session_language_models import use_openai


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name, value in aws.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def moto(origins):
    return origins(Gunicorn, "sessions.still:moto()")


@pytest.fixture
def provider(origins):
    return origins(Gunicorn, "sessions.still:provider()")


def use_aws(url):
    return aws.Account(url).use_all()


def contents(cassette):
    return {str(path.relative_to(cassette)): path.read_bytes() for path in cassette.rglob("*") if path.is_file()}


def assert_hidden(cassette, *secrets):
    for name, content in contents(cassette).items():
        for secret in secrets:
            assert secret.encode() not in content, f"{name} holds {secret}"


# MARK: Replayed with default settings


def test_boto3_with_json_in_the_string_of_a_secret(rehearsal, moto):
    steps = rehearsal.both(moto, use_aws)
    kinds = [step for step in steps if isinstance(step, list) and ["port", "int"] in step]
    assert len(kinds) == 2 and ["tls", "bool"] in kinds[0] and ["replicas", "list"] in kinds[0]
    assert_hidden(rehearsal.cassette, aws.DATABASE["password"], "n3w!One#5xQ2-Lm8", "wJalrXUtnFEMI")
    stored = [json.loads(content)["response"]["body"] for name, content in contents(rehearsal.cassette).items()
              if name.startswith("post-root-getsecretvalue")]
    for body in stored:
        given = json.loads(json.loads("\n".join(body["text"]))["SecretString"])
        assert given["password"].startswith("REDACTED:secret:") and given.keys() == aws.DATABASE.keys()


def test_openai(rehearsal, origins):
    steps = rehearsal.both(origins(models.Models), use_openai)
    assert steps[1]["object"] == "chat.completion"
    assert_hidden(rehearsal.cassette, "sk-proj-")


def test_flask_with_a_login_whose_token_is_decoded(rehearsal, provider):
    steps = rehearsal.both(provider, oidc_client.sign_in)
    assert steps[0] == 200 and steps[1]["claims"]["email"] == "ada@example.com" and steps[1]["active"]
    text = b"".join(contents(rehearsal.cassette).values()).decode()
    assert ".cmVkYWN0ZWQ6" in text and "code=REDACTED:secret:" in text and "provider_session=REDACTED:secret:" in text
    assert_hidden(rehearsal.cassette, "correct horse", "correct+horse", "s6BhdRkqt3")


def test_flask_with_a_login_whose_token_is_verified_with_keep_jwt(rehearsal, provider):
    """Authlib verifies the signature, and `at_hash`, which needs the access token as it was."""
    steps = rehearsal.both(provider, lambda url: oidc_client.sign_in(url, verifies=True), "--keep", "jwt")
    assert steps[0] == 200 and steps[1]["claims"]["email"] == "ada@example.com" and steps[1]["active"]
    text = b"".join(contents(rehearsal.cassette).values()).decode()
    assert "Bearer REDACTED:jwt:" in text and "Bearer eyJ" not in text and "code=REDACTED:secret:" in text


# MARK: Recorded twice


@pytest.fixture
def twice(start, tmp_path):
    """Records a session with an origin that begins anew each time; returns the first cassette."""

    def twice(url, restart, script):
        def record(cassette):
            restart()
            time.sleep(1.1 - time.time() % 1)  # Signatures have another date.
            deck = start("record", "--upstream", url, "--cassette", cassette, "--quiet")
            seen = script(deck.url.rstrip("/"))
            assert deck.stop() == 0, deck.stderr
            return str(seen).replace(deck.url.rstrip("/"), "")

        first, second = tmp_path / "first", tmp_path / "second"
        assert record(first) == record(second), "the origin does not stand still"
        differ(lasting_bytes(first), lasting_bytes(second))
        # Recorded over the first, not even the volatile facts change.
        before = contents(first)
        shutil.copytree(first, tmp_path / "before")
        record(first)
        differ(before, contents(first))
        return first

    return twice


def differ(first, second):
    assert sorted(first) == sorted(second)
    for name in first:
        lines = [part for part in zip(first[name].splitlines(), second[name].splitlines()) if part[0] != part[1]]
        assert second[name] == first[name], f"{name}: {lines}"


def test_boto3_recorded_twice_gives_equal_files(twice, moto):
    use_aws(moto.url)  # What it loads at first use makes up values too.
    cassette = twice(moto.url, lambda: requests.get(f"{moto.url}/still", timeout=30), use_aws)
    assert len(contents(cassette)) > 70
    assert_hidden(cassette, aws.DATABASE["password"])


def test_openai_recorded_twice_gives_equal_files(twice, origins, monkeypatch):
    generator = Seeded()
    monkeypatch.setattr(models, "secrets", generator)
    monkeypatch.setattr(models, "time", types.SimpleNamespace(time=lambda: MOMENT, sleep=time.sleep))
    # The boundary of the client's multipart body is the one thing that it makes up.
    boundaries = Seeded()
    monkeypatch.setattr(httpx._multipart, "os", types.SimpleNamespace(urandom=boundaries.randbytes, path=os.path))
    origin = origins(models.Models)

    def restart():
        generator.restart(), boundaries.restart()
        origin.busy.clear()

    twice(origin.url, restart, use_openai)


def test_flask_with_a_login_recorded_twice_gives_equal_files(twice, provider):
    twice(provider.url, lambda: requests.get(f"{provider.url}/still", timeout=30), oidc_client.sign_in)
