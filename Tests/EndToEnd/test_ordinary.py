"""What is no secret stays: ids, digests, dates, names and links of real sessions with httpbin and moto."""

import random
import uuid

import pytest
import requests

from clients import ask_with_requests
from deck import Deck, interactions
from endpoints import ENDPOINTS
from planted import HEX, LETTERS, UPPER, b64, some
from servers import Httpbin, Moto
from test_aws import ENVIRONMENT, Account

# Names under which the sessions hold what is a secret.
SECRET = {"authorization", "cookie", "set-cookie", "x-amz-security-token", "signature", "awsaccesskeyid", "www-authenticate"}


def ordinary(seed: str, count: int) -> list[dict]:
    """Records as APIs give them, without a secret in them."""
    source = random.Random(seed)
    make = {
        "id": lambda: str(uuid.UUID(int=source.getrandbits(128), version=4)),
        "node_id": lambda: b64("04:User" + str(source.randrange(10**7))),
        "etag": lambda: '"' + some("{HEX:32}")(source) + '"',
        "sha": lambda: some("{HEX:40}")(source),
        "digest": lambda: "sha256:" + some("{HEX:64}")(source),
        "created_at": lambda: f"2026-{source.randrange(1, 13):02}-{source.randrange(1, 29):02}T10:{source.randrange(60):02}:07.{source.randrange(1000):03}Z",
        "request_id": lambda: some("{UPPER:16}")(source),
        "trace": lambda: f"00-{some('{HEX:32}')(source)}-{some('{HEX:16}')(source)}-01",
        "login": lambda: source.choice(["octocat", "ada-lovelace", "grace.hopper", "m_curie"]) + str(source.randrange(1000)),
        "email": lambda: f"user{source.randrange(10**5)}@example.test",
        "html_url": lambda: f"https://example.test/repos/{source.randrange(10**5)}/commits/{some('{HEX:40}')(source)}?page=2&per_page=30",
        "arn": lambda: f"arn:aws:iam::123456789012:role/service-{source.randrange(1000)}",
        "image": lambda: "data:image/png;base64," + b64(bytes.fromhex("89504e470d0a1a0a") + source.randbytes(90)),
        "key": lambda: f"photos/2026/{source.randrange(10**6)}/img_{source.randrange(10**4)}.jpeg",
        "video_id": lambda: some("{LETTERS:11}")(source),
        "object_id": lambda: some("{HEX:24}")(source),
        "next_page_token": lambda: b64(f"offset:{source.randrange(10**6)}"),
        "version": lambda: f"{source.randrange(20)}.{source.randrange(99)}.{source.randrange(99)}-beta.{source.randrange(9)}",
        "pod": lambda: f"web-{some('{HEX:10}')(source)}-{some('{LETTERS:5}')(source).lower()}",
        "customer": lambda: "cus_" + some("{LETTERS:14}")(source),
        "amount": lambda: str(source.randrange(10**9)),
        "author": lambda: source.choice(["Ada Lovelace", "Grace Hopper", "Marie Curie"]),
        "token_type": lambda: "bearer",
        "description": lambda: "Reset your password: it is required, see the token page for the key = value pairs",
    }
    return [{name: each() for name, each in make.items()} for _ in range(count)]


def leaves(value, name=""):
    """Every value with its name; of pairs like fields the first is the name."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, key)
    elif isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value):
        yield value[0], value[1]
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, name)
    else:
        yield name, str(value)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Both sessions, and a thousand and more ordinary values echoed by httpbin."""
    folder = tmp_path_factory.mktemp("ordinary")
    values = ordinary("ordinary", 100)
    httpbin, moto = Httpbin(folder), Moto(folder)
    try:
        with Deck(folder / "a", "record", "--upstream", httpbin.url, "--cassette", folder / "httpbin") as deck:
            ask_with_requests(deck.url, ENDPOINTS, folder)
            for each in values:
                requests.post(deck.url + "/anything", json=each, params={"id": each["id"], "key": each["key"]}, headers={
                    "If-None-Match": each["etag"], "X-Request-Id": each["request_id"], "Traceparent": each["trace"]})
            assert deck.stop() == 0
        with pytest.MonkeyPatch.context() as patch:
            for name, value in ENVIRONMENT.items():
                patch.setenv(name, value)
            with Deck(folder / "b", "record", "--upstream", moto.url, "--cassette", folder / "moto") as deck:
                account = Account(deck.url)
                account.use_bucket(), account.use_table(), account.use_queue(), account.use_transaction(), account.share()
                assert deck.stop() == 0
    finally:
        httpbin.stop(), moto.stop()
    return folder, values


@pytest.mark.parametrize("name", ["httpbin", "moto"])
def test_at_most_one_in_a_thousand_ordinary_values_is_hidden(recorded, figure, name):
    found = [leaf for each in interactions(recorded[0] / name).values() for leaf in leaves(each)]
    ordinary_ones = [(key, value) for key, value in found if key.lower() not in SECRET]
    hidden = [(key, value) for key, value in ordinary_ones if "REDACTED:" in value and not holds_secret(value)]
    figure(f"ordinary values of a {name} session hidden, of {len(ordinary_ones)}", len(hidden))
    assert len(ordinary_ones) > (5000 if name == "httpbin" else 200)
    assert len(hidden) <= len(ordinary_ones) / 1000, hidden[:20]


def holds_secret(value: str) -> bool:
    """Targets with a signed link's parameters, and the names of files made of them."""
    return any(f"{name}=REDACTED:" in value for name in ("Signature", "AWSAccessKeyId", "X-Amz-Signature", "X-Amz-Credential"))


def test_every_echoed_value_is_as_it_was(recorded):
    folder, values = recorded
    sent = {each["id"]: each for each in values}
    echoed = [each["response"]["body"]["json"]["json"] for each in interactions(folder / "httpbin").values()
              if isinstance(each["response"].get("body"), dict) and isinstance((each["response"]["body"].get("json") or {}), dict)
              and isinstance((each["response"]["body"].get("json") or {}).get("json"), dict)
              and "node_id" in each["response"]["body"]["json"]["json"]]
    assert len(echoed) == len(values)
    changed = [(name, value, each[name]) for each in echoed for name, value in sent[each["id"]].items() if each[name] != value]
    assert len(changed) <= len(values) * len(values[0]) / 1000, changed[:20]
