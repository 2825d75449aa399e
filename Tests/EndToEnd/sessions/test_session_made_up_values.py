"""Values that a client makes up anew for every run: the miss names the field, and the fix that it prints, run as printed,
cures it in one step."""

import base64
import gzip
import hashlib
import hmac
import json
import secrets
import time
import uuid

import pytest
import requests

from origin import reply
from rehearsal import PrintedFix, problem_of


def clock():
    return time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime()) + f"{time.time_ns() % 10 ** 9:09}Z"


def seconds():
    """A time in seconds that is another one at each call, as if the runs were minutes apart."""
    return int(time.time()) + secrets.randbelow(1_000_000)


def jwt():
    part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")
    head = part({"alg": "HS256", "typ": "JWT"}) + b"." + part({
        "iss": "client-7", "aud": "deck", "iat": seconds(), "exp": seconds() + 60, "jti": str(uuid.uuid4())})
    return (head + b"." + base64.urlsafe_b64encode(hmac.digest(b"key", head, "sha256")).rstrip(b"=")).decode()


def post(path="/orders", **options):
    return lambda url: requests.post(url + path, timeout=15, **options)


# What each makes up is made up when it is called. The second word is what the miss must name.
MADE_UP = {
    "an idempotency key": ("idempotencyKey", lambda: post(json={"idempotencyKey": str(uuid.uuid4()), "item": 7})),
    "a time in JSON": ("sentAt", lambda: post(json={"sentAt": clock(), "item": 7})),
    "an epoch in JSON": ("ts", lambda: post(json={"ts": time.time_ns() // 1_000_000, "item": 7})),
    "a nonce deep in JSON": ("nonce", lambda: post(json={"a": {"b": {"nonce": secrets.token_hex(16)}}, "item": 7})),
    "ids in a list": ("id", lambda: post(json={"events": [{"id": str(uuid.uuid4()), "kind": kind} for kind in "xy"]})),
    "a name with a blank": ("request id", lambda: post(json={"request id": str(uuid.uuid4()), "item": 7})),
    "a name with a dot": ("app.nonce", lambda: post(json={"app.nonce": secrets.token_hex(16), "item": 7})),
    "a name with a quote": ("it's", lambda: post(json={"it's": secrets.token_hex(16), "item": 7})),
    "a name with a comma": ("a,b", lambda: post(json={"a,b": secrets.token_hex(16), "item": 7})),
    "a name with a dollar": ("$nonce", lambda: post(json={"$nonce": secrets.token_hex(16), "item": 7})),
    "a JSON-RPC id": ("id", lambda: post(json={"jsonrpc": "2.0", "method": "add", "params": [1], "id": str(uuid.uuid4())})),
    "two at once": ("nonce", lambda: post(json={"nonce": secrets.token_hex(16), "ts": time.time_ns() // 1000, "item": 7})),
    "a form's nonce": ("nonce", lambda: post(data={"nonce": secrets.token_hex(16), "item": "7"})),
    "a form's name in brackets": ("user[nonce]", lambda: post(data={"user[nonce]": secrets.token_hex(16), "item": "7"})),
    "a multipart field": ("nonce", lambda: post(data={"nonce": secrets.token_hex(16)}, files={"file": ("a", b"same")})),
    "a time in the query": ("ts", lambda: post(params={"ts": time.time_ns(), "item": 7}, data=b"x")),
    "jQuery's underscore": ("_", lambda: lambda url: requests.get(f"{url}/orders", params={"_": time.time_ns() // 1000, "q": 7}, timeout=15)),
    "a signature in the query": ("sig", lambda: lambda url: requests.get(
        f"{url}/orders", params={"sig": hashlib.sha256(secrets.token_bytes(8)).hexdigest(), "expires": seconds(), "q": 7}, timeout=15)),
    "a client assertion": ("client_assertion", lambda: post("/token", data={"grant_type": "client_credentials", "client_assertion": jwt()})),
    "a PKCE verifier": ("code_verifier", lambda: post("/token", data={"code": "x", "code_verifier": secrets.token_urlsafe(48)})),
    "a body compressed anew": ("", lambda: post(data=gzip.compress(b'{"item": 7}', mtime=seconds()), headers={
        "Content-Encoding": "gzip", "Content-Type": "application/json"})),
}


def fixed(exchange):
    return reply(b'{"made": true}', b"Content-Type: application/json")


@pytest.mark.parametrize("kind", MADE_UP)
def test_the_fix_as_printed_cures_it_in_one_step(rehearsal, origin, tmp_path, kind):
    names, make = MADE_UP[kind]
    recorded = rehearsal.record(origin(fixed), lambda url: make()(url).text)
    seen = []
    result, code, log = rehearsal.attempt(lambda url: seen.append(make()(url)) or seen[0].status_code)
    if result == 200:
        assert code == 0 and seen[0].text == recorded, log
        return
    problem = problem_of(seen[0])
    assert code == 3
    differences = [each for near in problem["nearest"] for each in near["differences"]]
    assert any(names in each for each in differences), differences
    with PrintedFix(problem["fix"], tmp_path) as deck:
        cured = make()(deck.url)
        assert (cured.status_code, cured.text) == (200, recorded), f"{problem['fix']}\n{cured.text}"
        assert deck.stop() == 0, deck.stderr


def test_the_fix_repeats_the_rules_in_force(rehearsal, origin, tmp_path):
    """What was ignored by an option of this run stays ignored by the command that ignores more."""
    ask = lambda url: requests.post(
        f"{url}/a", params={"ts": time.time_ns()}, json={"nonce": secrets.token_hex(16), "item": 7}, timeout=15)
    rehearsal.record(origin(fixed), lambda url: ask(url).text)
    seen = []
    _, code, log = rehearsal.attempt(lambda url: seen.append(ask(url)), "--match", "query:ignore=ts")
    assert code == 3, log
    with PrintedFix(problem_of(seen[0])["fix"], tmp_path) as deck:
        assert ask(deck.url).status_code == 200, deck.command
        assert deck.stop() == 0, deck.stderr


def test_the_fix_for_a_header_that_is_compared(rehearsal, origin, tmp_path):
    ask = lambda url: requests.get(f"{url}/a", headers={"X-Request-Id": str(uuid.uuid4()), "X-Version": "1"}, timeout=15)
    rehearsal.record(origin(fixed), lambda url: ask(url).text, "--match", "method,path,query,body,headers:X-Request-Id,X-Version")
    seen = []
    _, code, log = rehearsal.attempt(lambda url: seen.append(ask(url)))
    assert code == 3, log
    with PrintedFix(problem_of(seen[0])["fix"], tmp_path) as deck:
        assert ask(deck.url).status_code == 200, deck.command
        assert deck.stop() == 0, deck.stderr


@pytest.mark.parametrize("ask", [
    lambda url: requests.get(f"{url}/never?x={{1}}", timeout=15), lambda url: requests.delete(f"{url}/known", timeout=15),
    lambda url: requests.put(f"{url}/items/{uuid.uuid4()}", data=b"it's <x>&", timeout=15),
    lambda url: requests.post(f"{url}/soap", data=f"<a><id>{uuid.uuid4()}</id></a>", headers={"Content-Type": "text/xml"}, timeout=15),
], ids=["target", "method", "path", "XML"])
def test_the_fix_for_what_was_never_recorded_records_it(rehearsal, origin, start, cassette, tmp_path, ask):
    served = origin(fixed)
    recorder = start("record", "--upstream", served.url, "--cassette", cassette)
    for known in (lambda url: requests.get(f"{url}/known", timeout=15), ask):
        known(recorder.url.rstrip("/"))
    assert recorder.stop() == 0
    for path in (path for name in ("never", "delete") for path in cassette.glob(f"*{name}*")):
        path.unlink()
    seen = []
    other = lambda url: seen.append(ask(url))
    _, code, log = rehearsal.attempt(other)
    assert code == 3, log
    command = problem_of(seen[0])["fix"]
    with PrintedFix(command, tmp_path) as deck:
        assert ask(deck.url).status_code == 200, command
        assert deck.stop() == 0, deck.stderr
