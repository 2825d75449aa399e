"""What the page of secrets promises, line by line: each case is recorded, killed and recovered, replayed and scanned.

The client gets the true bytes; nothing that is left holds the secret; what stands around it is as it was; a scan finds
what redaction would have hidden, and nothing in what it left.
"""

import base64
import json
from urllib.parse import quote

import pytest

from deck import run
from origin import reply
from steering import TOKEN, Admin
from test_secrets_in_codings import Left
from wire import fetch

JSON, TEXT, XML = (f"Content-Type: {kind}".encode() for kind in ("application/json", "text/plain", "application/xml"))
PASSWORD, RANDOM, HEX = "Kibotuli123", "q7Zk2Vt9Lx4Rb8Nw3Yc6", "9f86d081884c7d659a2feaa0c55ad015"
BEARER = "Zq4Wn8Lk2Vt6Xy0Bd3Fh7MpAa"
BOT = "123456789:AAF0wDJp3GfPzM1nQ8sTvX5yB7cE9hK2dLo"
SEED = "abandon ability absorb acoustic balcony bamboo cabbage cactus damage dance eager eagle"
KINDS = {"{": JSON, "[": JSON, "<": XML}


@pytest.fixture
def hides(tmp_path, origin):
    """Sends a text in the body of a request and gets it in that of the response."""

    def hides(text: str, *secrets: str, kept=()) -> str:
        body, kind = text.encode(), KINDS.get(text[0], TEXT)
        left = Left(tmp_path, origin, reply(body, kind), lambda url: fetch(url, "/", kind, method=b"POST", body=body))
        assert left.recorded.body == body, "the client gets the true bytes"
        left.assert_hidden(*secrets)
        replayed = left.replayed.body.decode()
        for word in kept:
            assert word in replayed, f"{word} is gone from {replayed}"
        raw = tmp_path / f"raw{'.json' if kind is JSON else '.xml' if kind is XML else '.txt'}"
        raw.write_bytes(body)
        assert run("scan", raw).returncode == 4, "redaction hides what a scan does not find"
        assert run("scan", left.left / "sealed").returncode == 0, "a scan finds what redaction leaves"
        return replayed

    return hides


def cases(table):
    return pytest.mark.parametrize(("text", "secrets", "kept"), table.values(), ids=table)


# MARK: A telling name protects everything under it

UNDER_A_NAME = {
    "a typed value": ('{"password":{"S":"Kibotuli123"},"id":{"S":"ada"}}', [PASSWORD], ['"id":{"S":"ada"}']),
    "another typed value": ('{"apiKey":{"stringValue":"Kibotuli123"},"n":1}', [PASSWORD], ['"stringValue":', '"n":1']),
    "lists": ('{"passwords":["Kibotuli123","Sumalefo987"],"n":1}', [PASSWORD, "Sumalefo987"], ['"n":1']),
    "numbers in lists": ('{"backup_codes":[84738261,19283746],"n":1}', ["84738261", "19283746"], ['"n":1']),
    "pairs": (f'{{"headers":[["Authorization","Bearer {BEARER}"],["Accept","*/*"]]}}', [BEARER], ['["Accept","*/*"]']),
    "entries with a key": ('<map><entry key="password">Kibotuli123</entry><entry key="host">db1</entry></map>', [PASSWORD], ["db1"]),
    "plist pairs": (
        "<plist><dict><key>password</key><string>Kibotuli123</string><key>host</key><string>db1</string></dict></plist>",
        [PASSWORD], ["<string>db1</string>"]),
    "elements with attributes": (
        '<wsse:UsernameToken xmlns:wsse="urn:w"><wsse:Username>ada</wsse:Username><wsse:Password Type="urn:x#PasswordText">'
        "Kibotuli123</wsse:Password></wsse:UsernameToken>", [PASSWORD], ['Type="urn:x#PasswordText"', "ada"]),
    "XML namespaces": ("<a:login xmlns:a='u'><a:password>Kibotuli123</a:password><a:user>ada</a:user></a:login>", [PASSWORD], ["ada"]),
}


@cases(UNDER_A_NAME)
def test_a_telling_name_protects_everything_under_it(hides, text, secrets, kept):
    hides(text, *secrets, kept=kept)


# MARK: Places where no name stands, or another one

PLACES = {
    "a token behind a prefix": (f"see https://api.telegram.org/bot{BOT}/getMe today", [BOT], ["/getMe today"]),
    "PASSWORD in SQL": ("CREATE USER app WITH PASSWORD 'Kibotuli123' VALID UNTIL 'x'", [PASSWORD], ["VALID UNTIL 'x'"]),
    "-pPW": ("$ mysql -uroot -pKibotuli123 app < dump.sql", [PASSWORD], ["-uroot", "app < dump.sql"]),
    "curl -u": ("$ curl -u ada:Kibotuli123 https://api.example.com/", [PASSWORD], ["https://api.example.com/"]),
    "define": ("<?php\ndefine('DB_PASSWORD', 'Kibotuli123');\ndefine('DB_HOST', 'db1');\n", [PASSWORD], ["'DB_HOST', 'db1'"]),
    "YAML block scalars": ("db:\n  password: |\n    Kibotuli123\n    and more\n  port: 1\n", [PASSWORD, "and more"], ["port: 1"]),
    "URL fragments": (f"at https://app.example.com/cb#access_token={RANDOM}&state=s1", [RANDOM], ["state=s1"]),
    "CAS tickets": ("at https://app.example.com/?ticket=ST-1856339-aA5Yuvrxzpv8Tau1cYQ7-cas1", ["aA5Yuvrxzpv8Tau1cYQ7"], ["?ticket="]),
    "seed phrases": (f'{{"mnemonic":"{SEED}","n":1}}', [SEED, "abandon ability", "eager eagle"], ['"n":1']),
    "digit-only backup codes": ('{"backup_code":"84738261","n":1}', ["84738261"], ['"n":1']),
    "a JWK": (
        f'{{"kty":"EC","crv":"P-256","x":"WKn-ZIGevcwGIyyrzFoZNBdaq9_TsqzGl96oc0CWuis","d":"{BEARER}"}}', [BEARER],
        ["WKn-ZIGevcwGIyyrzFoZNBdaq9_TsqzGl96oc0CWuis"]),
    "a symmetric JWK": (f'{{"kty":"oct","alg":"HS256","k":"{BEARER}"}}', [BEARER], ['"alg":"HS256"']),
    "a URL's password": ("redis://ada:Kibotuli123@cache.example.com:6379/0", [PASSWORD], ["@cache.example.com:6379/0"]),
}


@cases(PLACES)
def test_a_secret_in_its_place_is_hidden(hides, text, secrets, kept):
    hides(text, *secrets, kept=kept)


NAMES = {name: ({name: PASSWORD, "id": 7}, PASSWORD) for name in ("pw", "psw", "pswd", "dbpass", "user_pw")}
NAMES |= {name: ({name: RANDOM, "id": 7}, RANDOM) for name in ("privKey", "sid", "priv_key")}
NAMES |= {"pin": ({"pin": "4711", "id": 7}, "4711")}
# The ten languages that most people speak, and some more.
NAMES |= {name: ({name: PASSWORD, "id": 7}, PASSWORD) for name in (
    "password", "密码", "पासवर्ड", "contraseña", "motDePasse", "mot de passe", "كلمة المرور", "পাসওয়ার্ড", "পাসওয়ার্ড", "senha", "пароль",
    "پاس ورڈ", "kata sandi", "Passwort", "パスワード", "비밀번호")}


@pytest.mark.parametrize(("value", "secret"), NAMES.values(), ids=NAMES)
def test_the_name_of_a_secret_hides_it(hides, value, secret):
    hides(json.dumps(value, ensure_ascii=False), secret, kept=['"id": 7'])


# MARK: Placeholders


def part(value) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def claims(token: str) -> dict:
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


JWT = f"{part({'alg': 'RS256', 'typ': 'JWT'})}.{part({'sub': 'ada-1815', 'exp': 1790000000, 'api_key': RANDOM})}.{BEARER * 3}"


def test_a_json_web_token_decodes_and_its_claims_pass_the_same_engine(hides):
    replayed = json.loads(hides(json.dumps({"id_token": JWT}), BEARER, RANDOM, JWT.split(".")[1]))
    given = claims(replayed["id_token"])
    assert given["sub"] == "ada-1815" and given["exp"] == 1790000000 and given["api_key"].startswith("REDACTED:secret:")


def test_json_in_a_string_is_hidden_leaf_by_leaf_and_parses(hides):
    inner = {"username": "ada", "password": PASSWORD, "port": 5432, "tls": True, "keys": [RANDOM]}
    text = json.dumps({"ARN": "arn:aws:secretsmanager:us-east-1:123456789012:secret:db-TrvHoI", "SecretString": json.dumps(inner)})
    replayed = json.loads(hides(text, PASSWORD, RANDOM, kept=["secret:db-TrvHoI"]))
    given = json.loads(replayed["SecretString"])
    assert given.keys() == inner.keys() and given["tls"] is True and isinstance(given["port"], int) and len(given["keys"]) == 1


def test_a_number_stays_a_number(hides):
    replayed = json.loads(hides('{"pin": 471108, "id": 7}', "471108"))
    assert isinstance(replayed["pin"], int) and replayed["id"] == 7


@pytest.mark.parametrize("keep", ["authorization", "cookie", "set-cookie", "jwt", "session", "*"])
def test_credentials_are_hidden_whatever_is_kept(record, origin, cassette, keep):
    fields = [f"Authorization: Bearer {BEARER}".encode(), f"Cookie: session={RANDOM}; jwt={JWT}".encode()]
    deck = record(origin(lambda exchange: reply(b"ok", f"Set-Cookie: session={HEX}".encode())).url, "--keep", keep)
    fetch(deck.url, "/", *fields)
    assert deck.stop() == 0, deck.stderr
    for path in cassette.glob("*.json"):
        assert not any(secret in path.read_text() for secret in (BEARER, RANDOM, HEX, JWT))


# MARK: What is ordinary

ORDINARY = {
    "ClientRequestToken": '{"ClientRequestToken":"0b8a1ea2-5a4c-4f0e-9f0c-2f6f3a1c7d11","Name":"db"}',
    "tokenizer": '{"tokenizer":"whitespace_lowercase_v2","model":"cl100k_base"}',
    "serviceKey": '{"serviceKey":"search","name":"Search"}',
    "ARNs": '{"SecretArn":"arn:aws:secretsmanager:us-east-1:123456789012:secret:db/main-TrvHoI","KeyArn":'
            '"arn:aws:kms:us-east-1:123456789012:key/0b8a1ea2-5a4c-4f0e-9f0c-2f6f3a1c7d11"}',
    "ids, hashes and dates": json.dumps({
        "id": "01HZX3K9M2N4P6Q8R0S2T4V6W8", "sha256": HEX * 2, "etag": f'W/"{HEX}"', "uuid": "0b8a1ea2-5a4c-4f0e-9f0c-2f6f3a1c7d11",
        "next_page_token": "CAUQAA", "token_type": "Bearer", "password_min_length": 12, "at": "2026-01-01T00:00:00Z"}),
}


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_what_is_ordinary_is_no_find_in_either(tmp_path, origin, text):
    body = text.encode()
    left = Left(tmp_path, origin, reply(body, JSON), lambda url: fetch(url, "/", JSON, method=b"POST", body=body))
    assert left.replayed.body == body
    raw = tmp_path / "raw.json"
    raw.write_bytes(body)
    assert run("scan", raw, left.left / "sealed").returncode == 0


# MARK: All that is written


TARGET = f"/bot{BOT}/reset?password={quote(PASSWORD)}&next={quote(f'/x?token={RANDOM}')}"


def test_file_names_log_reports_misses_and_request_log_pass_the_same_engine(tmp_path, start, origin):
    """A request whose path, query, fields and body are secret, recorded, replayed, and missed with a body of its own."""
    folder, secrets = tmp_path / "left", [BOT, BOT[10:], PASSWORD, RANDOM, BEARER, HEX, JWT]
    folder.mkdir()
    upstream = origin(lambda exchange: reply(json.dumps({"access_token": HEX}).encode(), JSON))
    fields = [f"Authorization: Bearer {BEARER}".encode(), JSON, f"Cookie: sid={HEX}".encode()]

    def ask(deck, name, target):
        body = json.dumps({"client_secret": RANDOM, "assertion": JWT}).encode()
        answer = fetch(deck.url, target, *fields, method=b"POST", body=body)
        admin = Admin(deck)
        rows = admin.get("/requests")["entries"]
        told = [rows, *(admin.get(f"/requests/{row['number']}") for row in rows)]
        (folder / f"{name}-requests").write_text(json.dumps(told, ensure_ascii=False))
        assert deck.stop() in (0, 3, 4)
        (folder / f"{name}-log").write_text(deck.stderr)
        return answer

    steered = ("--admin-port", "0", "--admin-token", TOKEN, "--journal", "10")
    for verb, name, target, options in [
        ("record", "recorded", TARGET, ("--upstream", upstream.url, "--strict")),
        ("record", "as-json", TARGET, ("--upstream", upstream.url, "--log-format", "json")),
        ("replay", "replayed", TARGET, ("--strict",)),
        ("replay", "missed", TARGET + "&also=1", ("--strict", "--log-format", "json")),
        ("replay", "missed-in-text", TARGET + "&also=1", ("--strict",)),
    ]:
        deck = start(verb, "--cassette", folder / "cassette", *options, *steered, "--report", folder / f"{name}.json",
                     "--report-junit", folder / f"{name}.xml")
        answer = ask(deck, name, target)
        assert answer.status == (502 if "missed" in name else 200)
        if "missed" in name:
            (folder / f"{name}-response").write_bytes(answer.body)
            assert b"curl" in answer.body and b"nearest" in answer.body
    for path in folder.rglob("*"):
        for secret in secrets:
            assert secret.lower() not in path.name.lower(), path.name
            assert path.is_dir() or secret.encode() not in path.read_bytes(), f"{path.name} holds {secret}"
    text = "".join(path.read_text() for path in folder.iterdir() if path.is_file())
    assert text.count("REDACTED:") > 20 and "/reset" in text


# MARK: What cannot be seen, and what the user can do

UNSEEN = {
    "a nameless random string": f'{{"x":"{RANDOM}"}}'.encode(), "a sentence": b'{"x":"correct horse battery staple"}',
    "a card number": b'{"x":"4111 1111 1111 1111","card_number":"4111111111111111"}',
    "a word under a likely name": b'{"token":"summer"}',
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
}


@pytest.mark.parametrize("body", UNSEEN.values(), ids=UNSEEN)
def test_what_cannot_be_seen_is_what_the_page_says(tmp_path, origin, body):
    kind = JSON if body.startswith(b"{") else b"Content-Type: image/png"
    left = Left(tmp_path, origin, reply(body, kind), lambda url: fetch(url, "/"))
    assert left.replayed.body == body
    assert run("scan", left.left / "sealed").returncode == 0


def test_a_word_under_a_secrets_name_that_goes_on_needs_keep(record, origin, start, cassette):
    """The host of a database is hidden where it is given, and stands in the request that names it."""
    secret = json.dumps({"SecretString": json.dumps({"host": "db.internal.example.com", "password": PASSWORD})}).encode()
    url = origin(lambda exchange: reply(secret if exchange.request.target == b"/secret" else b"ok", JSON)).url

    def ask(url):
        host = json.loads(json.loads(fetch(url, "/secret").body)["SecretString"])["host"]
        return fetch(url, "/connect", JSON, method=b"POST", body=json.dumps({"to": host}).encode()).status

    for options, status in [((), 502), (("--keep", "host"), 200)]:
        deck = record(url, *options)
        assert ask(deck.url) == 200 and deck.stop() == 0, deck.stderr
        assert ask(start("replay", "--cassette", cassette).url) == status
    assert PASSWORD.encode() not in b"".join(path.read_bytes() for path in cassette.glob("*.json"))


@pytest.mark.parametrize(("option", "hidden", "kept"), [
    (("--redact", "x-internal-*"), ["int-1", "int-2"], ["ACME-7", "ada@example.com"]),
    (("--redact", "$.user.email"), ["ada@example.com"], ["int-1", "ACME-7"]),
    (("--redact", "text:ACME-*"), ["ACME-7"], ["int-1", "ada@example.com"]),
    (("--keep", "api_key"), [], [RANDOM]),
    (("--keep", "github"), [], ["ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"]),
    (("--no-redact",), [], [RANDOM, BEARER]),
], ids=str)
def test_rules_of_the_user_do_what_the_page_says(record, origin, cassette, option, hidden, kept):
    body = json.dumps({
        "user": {"email": "ada@example.com"}, "x-internal-a": "int-1", "n": "order ACME-7", "api_key": RANDOM,
        "note": "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"}).encode()
    deck = record(origin(lambda exchange: reply(body, JSON, b"X-Internal-B: int-2")).url, *option)
    fetch(deck.url, "/", f"Authorization: Bearer {BEARER}".encode())
    assert deck.stop() == 0, deck.stderr
    text = next(cassette.glob("get-*.json")).read_text()
    assert all(each not in text for each in hidden) and all(each in text for each in kept), text
