"""Which response a request gets: ranges and conditions, other clients, bodies and operations."""

import io
import json
import random
import subprocess

import boto3
import pytest
import requests
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

from deck import interactions, log_lines, run
from origin import reply
from servers import Moto
from wire import fetch

FILE = b"".join(b"%04d" % number for number in range(100))
ETAG = b'"v1"'


def answered(exchange):
    """A file with an entity tag that can be asked for in parts."""
    condition = exchange.request.value(b"If-None-Match")
    if condition == ETAG:
        return reply(b"", b"ETag: " + ETAG, status=b"304 Not Modified")
    asked = exchange.request.value(b"Range")
    if asked is None:
        return reply(FILE, b"ETag: " + ETAG)
    first, last = (int(number) for number in asked.removeprefix(b"bytes=").split(b"-"))
    return reply(FILE[first:last + 1], b"Content-Range: bytes %d-%d/%d" % (first, last, len(FILE)),
                 b"ETag: " + ETAG, status=b"206 Partial Content")


def curl(*arguments) -> str:
    return subprocess.run(["curl", "-s", "-g", "-w", "|%{http_code}", *map(str, arguments)], capture_output=True,
                          text=True, timeout=20, check=False).stdout


RANGES = {"0-4": FILE[:5], "10-14": FILE[10:15], "100-109": FILE[100:110]}


def test_ranges_conditions_and_plain_requests_share_no_sequence(recording, start, cassette):
    def ask(url):
        seen = {bounds: curl("-r", bounds, f"{url}/file") for bounds in RANGES}
        seen["plain"] = curl(f"{url}/file")
        seen["condition"] = curl("-H", f"If-None-Match: {ETAG.decode()}", f"{url}/file")
        return seen

    _, recorder = recording(answered)
    live = ask(recorder.url)
    assert live["10-14"] == f"{RANGES['10-14'].decode()}|206" and live["condition"] == "|304"
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette, "--strict")
    url = f"{replayer.url}/file"
    for _ in range(2):
        assert curl("-H", f"If-None-Match: {ETAG.decode()}", url) == "|304"
        assert curl(url) == f"{FILE.decode()}|200"
        for bounds in reversed(RANGES):
            assert curl("-r", bounds, url) == f"{RANGES[bounds].decode()}|206"
    # Never recorded: the whole file is right for any range and any condition, and said to be another variant.
    assert curl("-r", "200-209", url) == f"{FILE.decode()}|200"
    assert curl("-H", 'If-None-Match: "v0"', url) == f"{FILE.decode()}|200"
    assert curl("-I", url).endswith("|502")
    assert replayer.stop() == 3
    assert len(log_lines(replayer, "(other-variant)")) == 2


def test_a_range_that_was_never_recorded_is_a_miss_that_names_it(recording, start, cassette):
    _, recorder = recording(answered)
    curl("-r", "0-4", f"{recorder.url}/file")
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette)
    for fields in ([b"Range: bytes=5-9"], []):
        answer = fetch(replayer.url, "/file", *fields)
        assert answer.status == 502
        assert json.loads(answer.body)["nearest"][0]["differences"][0].startswith("header range: ")
    assert replayer.stop() == 3


def test_a_variant_that_was_not_recorded_is_recorded_by_new_episodes(origin, start, cassette):
    upstream = origin(answered)
    for fields, status in [([], 200), ([b"Range: bytes=0-4"], 206), ([b"Range: bytes=0-4"], 206)]:
        deck = start("serve", "--mode", "new_episodes", "--upstream", upstream.url, "--cassette", cassette)
        assert fetch(deck.url, "/file", *fields).status == status
        assert deck.stop() == 0
    assert len(upstream.requests) == 2 and len(interactions(cassette)) == 2


def test_a_browsers_reload_replays_with_its_entity_tags(both, recording):
    """What a browser does: the first load, then revalidation of what it has, then a load past the cache."""
    _, recorder = recording(answered)

    def load(session, url, is_reload):
        seen = []
        for name in ("index", "style", "script"):
            etag = session.get(name)
            fields = [b"If-None-Match: " + etag] if is_reload and etag else [b"Cache-Control: no-cache"]
            answer = fetch(url, f"/{name}", *fields)
            session[name] = answer.value(b"ETag")
            seen.append((answer.status, answer.body))
        return seen

    orders = iter([[False, True, False], [False, True, True, False, True]])
    pages = []
    for url in both(recorder):
        session = {}
        pages.append([load(session, url, is_reload) for is_reload in next(orders)])
    live, replayed = pages
    assert [status for page in live for status, _ in page] == [200] * 3 + [304] * 3 + [200] * 3
    assert replayed == [live[0], live[1], live[1], live[2], live[1]]


@pytest.fixture
def aws(monkeypatch):
    for name, value in {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null",
                        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)

    def client(service, url, key="AKIAIOSFODNN7EXAMPLE"):
        return boto3.client(service, endpoint_url=url, region_name="us-east-1", aws_access_key_id=key,
                            aws_secret_access_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                            config=Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}))

    return client


def test_boto3s_parallel_download_of_24_parts_replays(servers, record, start, cassette, aws):
    content = random.Random(13).randbytes(24 << 16)
    transfer = TransferConfig(multipart_threshold=1 << 16, multipart_chunksize=1 << 16, max_concurrency=8)
    moto = servers(Moto)
    s3 = aws("s3", moto.url)
    s3.create_bucket(Bucket="parts")
    s3.put_object(Bucket="parts", Key="large", Body=content)

    def download(url) -> bytes:
        file = io.BytesIO()
        aws("s3", url).download_fileobj("parts", "large", file, Config=transfer)
        return file.getvalue()

    recorder = record(moto.url)
    assert download(recorder.url) == content
    assert recorder.stop() == 0
    assert len([one for one in interactions(cassette).values() if one["response"]["status"] == 206]) == 24
    replayer = start("replay", "--cassette", cassette, "--strict")
    assert download(replayer.url) == content
    assert replayer.stop() == 0, replayer.stderr


TOKENS = {user: f"{user[0]}9f8e7d6c5b4a3f2e1d" for user in ("alice", "bob", "carol")}


def whoami(exchange):
    token = exchange.request.value(b"Authorization")
    user = next((name for name, known in TOKENS.items() if token == f"Bearer {known}".encode()), None)
    if user is None:
        return reply(b"who?", status=b"401 Unauthorized")
    return reply(user.encode(), b"Content-Type: text/plain")


def ask_as(url, user, token=None):
    return fetch(url, "/whoami", f"Authorization: Bearer {token or TOKENS[user]}".encode()).body.decode()


@pytest.mark.parametrize("options", [(), ("--no-redact",), ("--session-header", "X-Session")])
def test_three_users_in_any_order_get_their_own(recording, start, cassette, options):
    session = options if options[:1] == ("--session-header",) else ()
    _, recorder = recording(whoami, *(options if not session else ()))
    for user in TOKENS:
        assert ask_as(recorder.url, user) == user
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette, "--strict", *session)
    for user in ("carol", "alice", "bob"):
        assert ask_as(replayer.url, user) == user
    assert replayer.stop() == 0, replayer.stderr
    assert not log_lines(replayer, "other-client")


def test_a_client_that_was_not_recorded_is_noted_and_fails_nothing(recording, start, cassette, tmp_path):
    _, recorder = recording(whoami)
    for user in TOKENS:
        ask_as(recorder.url, user)
    assert recorder.stop() == 0
    report = tmp_path / "report.json"
    replayer = start("replay", "--cassette", cassette, "--strict", "--report", report)
    assert [ask_as(replayer.url, "dave", "0d1e2f3a4b5c6d7e8f") for _ in TOKENS] == list(TOKENS)
    assert replayer.stop() == 0, replayer.stderr
    assert len(log_lines(replayer, "GET /whoami", "(other-client)")) == 3
    assert log_lines(replayer, "3 replayed, 3 of them recorded for another client")
    assert json.loads(report.read_text())["counts"]["otherClients"] == 3


def test_a_login_whose_token_is_new_in_every_run_replays(recording, start, cassette):
    """Anonymous first, then with a token that an identity provider of another run gave."""
    def handler(exchange):
        if exchange.request.value(b"Authorization") is None:
            return reply(b"log in", status=b"401 Unauthorized")
        return reply(b"welcome")

    def visit(url, token):
        return [fetch(url, "/home").status, *(fetch(url, "/home", f"Authorization: Bearer {token}".encode()).status
                                              for _ in range(2))]

    _, recorder = recording(handler)
    assert visit(recorder.url, "1a2b3c4d5e6f7a8b9c") == [401, 200, 200]
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette, "--strict")
    assert visit(replayer.url, "9c8b7a6f5e4d3c2b1a") == [401, 200, 200]
    assert replayer.stop() == 0, replayer.stderr


def test_session_cookies_tell_browsers_apart(recording, start, cassette):
    def handler(exchange):
        cookie = exchange.request.value(b"Cookie") or b""
        return reply(b"cart of " + cookie.split(b"owner=")[-1], b"Vary: Cookie")

    def cart(url, session, owner):
        return fetch(url, "/cart", f"Cookie: theme=dark; session={session}; owner={owner}".encode()).body

    browsers = {"ann": "f0e1d2c3b4a59687", "ben": "0f1e2d3c4b5a6978"}
    _, recorder = recording(handler)
    for owner, session in browsers.items():
        cart(recorder.url, session, owner)
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette, "--strict")
    for owner in ("ben", "ann", "ben"):
        assert cart(replayer.url, browsers[owner], owner) == f"cart of {owner}".encode()
    assert replayer.stop() in (0, 4)


def echo(exchange):
    return reply(b"ok", b"Content-Type: text/plain")


def test_json_that_curl_calls_a_form_is_the_json_of_a_client_that_says_so(recording, start, cassette):
    _, recorder = recording(echo)
    curl("-d", '{"a":1}', f"{recorder.url}/things")
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette, "--strict")
    assert requests.post(f"{replayer.url}/things", json={"a": 1}, timeout=10).status_code == 200
    assert replayer.stop() == 0, replayer.stderr


def test_where_only_the_type_differs_the_miss_says_that_and_its_fix_works(recording, start, cassette):
    _, recorder = recording(echo)
    curl("-d", "a=1&b=2", f"{recorder.url}/things")
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette)
    asked = {"method": b"POST", "body": b"a=1&b=2"}
    problem = json.loads(fetch(replayer.url, "/things", b"Content-Type: text/plain", **asked).body)
    assert problem["nearest"][0]["differences"] == [
        "header content-type: application/x-www-form-urlencoded → text/plain"]
    assert replayer.stop() == 3
    rule = problem["fix"].split("--match ")[1]
    mended = start("replay", "--cassette", cassette, "--match", rule)
    assert fetch(mended.url, "/things", b"Content-Type: text/plain", **asked).status == 200
    assert mended.stop() == 0


def test_curls_nested_multipart_compares_without_its_inner_boundary(recording, start, cassette, tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(f"file {name}\n")
    form = f"file=@{tmp_path}/a,{tmp_path}/b"
    _, recorder = recording(echo)
    assert curl("-F", form, f"{recorder.url}/upload") == "ok|200"
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette, "--strict")
    assert curl("-F", form, f"{replayer.url}/upload") == "ok|200"
    (tmp_path / "b").write_text("another\n")
    assert curl("-F", form, f"{replayer.url}/upload").endswith("|502")
    assert replayer.stop() == 3


def test_paths_compare_as_rfc_3986_normalizes_them(recording, start, cassette):
    _, recorder = recording(echo)
    fetch(recorder.url, "/%7euser/%c3%a9%2Fx")
    assert recorder.stop() == 0
    replayer = start("replay", "--cassette", cassette, "--strict")
    assert fetch(replayer.url, "/~user/%C3%A9%2fx").status == 200
    assert fetch(replayer.url, "/~user/%C3%A9/x").status == 502
    assert replayer.stop() == 3


DOCUMENTS = {
    "GetUser": "query GetUser($id: ID!) { user(id: $id) { name, email } }",
    "AddUser": "mutation AddUser { addUser(name: \"Ada  Lovelace\") { id } }",
}


def test_graphql_is_compared_by_tokens_and_told_apart_by_operation(recording, start, cassette):
    def send(url, document, **more):
        return requests.post(f"{url}/graphql", json={"query": document, **more}, timeout=10).status_code

    _, recorder = recording(echo)
    for document in DOCUMENTS.values():
        assert send(recorder.url, document) == 200
    assert recorder.stop() == 0
    assert sorted(name.rsplit("-", 1)[0] for name in interactions(cassette)) == [
        "post-graphql-adduser", "post-graphql-getuser"]
    listed = run("ls", cassette).stdout
    assert "OPERATION" in listed and all(name in listed for name in DOCUMENTS)
    assert {one["operation"] for one in json.loads(run("ls", "--json", cassette).stdout)} == set(DOCUMENTS)
    replayer = start("replay", "--cassette", cassette)
    respelled = "\n# as another client writes it\nquery GetUser( $id : ID ! ) {\n  user( id : $id ) {\n    name\n    email\n  }\n}\n"
    assert send(replayer.url, respelled) == 200
    assert send(replayer.url, DOCUMENTS["AddUser"].replace("Ada  ", "Ada ")) == 502
    assert replayer.stop() == 3
    assert log_lines(replayer, "nearest: ", "POST /graphql (AddUser)")


def test_operations_of_aws_stand_in_names_and_in_ls(servers, record, start, cassette, aws):
    moto = servers(Moto)

    def use(url, *order):
        clients = {"dynamodb": aws("dynamodb", url), "kinesis": aws("kinesis", url), "iam": aws("iam", url)}
        calls = {"dynamodb": lambda: clients["dynamodb"].list_tables()["TableNames"],
                 "kinesis": lambda: clients["kinesis"].list_streams()["StreamNames"],
                 "iam": lambda: [user["UserName"] for user in clients["iam"].list_users()["Users"]]}
        return {service: calls[service]() for service in order}

    recorder = record(moto.url)
    live = use(recorder.url, "dynamodb", "kinesis", "iam")
    assert recorder.stop() == 0
    assert sorted(name.rsplit("-", 1)[0] for name in interactions(cassette)) == [
        "post-root-liststreams", "post-root-listtables", "post-root-listusers"]
    assert "ListTables" in run("ls", cassette).stdout
    # Equal but for the field that names the operation: one body, one path.
    replayer = start("replay", "--cassette", cassette, "--strict")
    assert use(replayer.url, "iam", "kinesis", "dynamodb") == live
    assert replayer.stop() == 0, replayer.stderr
