"""Cassettes in an object store: moto's, and pys3local, which checks signatures and knows no conditions."""

import json
import os
import random
import re
import shlex
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from deck import Deck, eventually, interactions, run
from origin import HangUp, counting, reply
from s3 import KEY, SECRET, PyS3Local, Store, environment
from servers import Moto
from steering import steered
from test_large_cassette import as_we_write, interaction
from wire import fetch

LONG = "TAPEDECK_LONG_TESTS" in os.environ
TOKEN = "FwoGZXIvYXdzEXAMPLETOKEN"


@pytest.fixture(scope="module", params=[Moto, PyS3Local], ids=["moto", "pys3local"])
def server(request, servers):
    return servers(request.param)


@pytest.fixture(scope="module")
def moto(servers):
    return servers(Moto)


@pytest.fixture
def store(server, request):
    return Store(server.url, "deck-" + sha256(request.node.nodeid.encode()).hexdigest()[:12])


@pytest.fixture
def moto_store(moto, request):
    return Store(moto.url, "deck-" + sha256(request.node.nodeid.encode()).hexdigest()[:12])


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def put(start, origin, store, cache, name, *targets, verb="record") -> list[bytes]:
    """Records some targets into a cassette of the store."""
    deck = start(verb, "--cassette", name, "--upstream", origin(counting()).url, env=store.env(cache))
    answers = [fetch(deck.url, target).body for target in targets]
    assert deck.stop() == 0, deck.stderr
    assert f"published {name}" in deck.stderr
    return answers


def manifest(store, prefix: str) -> dict:
    return json.loads(store.read(f"{prefix}/manifest.json"))


def assert_whole(store, prefix: str, seen: set[str] | None = None) -> dict:
    """Whether everything that the manifest names is there, and what it says; what was seen must only be there still."""
    sealed, seen, keys = manifest(store, prefix), set() if seen is None else seen, set(store.keys(prefix))
    for file in sealed["files"]:
        key = f"{prefix}/objects/{file['object']}"
        assert key in keys, file
        if key in seen:
            continue
        content = store.read(key)
        assert len(content) == file["bytes"] and sha256(content).hexdigest() == file["object"].split("/")[1], file
        seen.add(key)
    return sealed


def test_what_one_machine_records_another_replays(store, start, origin, cache, tmp_path):
    name = f"s3://{store.bucket}/team/api"
    answers = put(start, origin, store, cache, name, "/a", "/b", "/b")
    assert_whole(store, "team/api")
    other = tmp_path / "other"
    deck = start("replay", name, env=store.env(other))
    assert [fetch(deck.url, target).body for target in ("/a", "/b", "/b")] == answers
    assert deck.stop() == 0, deck.stderr
    assert f"replaying {name}: 3 interactions" in deck.stderr
    for folder in [other / "tapedeck", *(other / "tapedeck").rglob("*")]:
        assert stat.S_IMODE(folder.stat().st_mode) & 0o077 == 0, folder


def test_the_verbs_read_either(store, start, origin, cache, tmp_path):
    name = f"s3://{store.bucket}/verbs"
    put(start, origin, store, cache, name, "/a", "/b")
    env = store.env(cache)
    copied = tmp_path / "copied"
    assert run("copy", name, copied, env=env).returncode == 0
    assert len(interactions(copied)) == 2
    again = f"s3://{store.bucket}/again"
    done = run("copy", copied, again, env=env)
    assert done.returncode == 0 and "published" in done.stderr, done.stderr
    refused = run("copy", copied, again, env=env)
    assert refused.returncode == 1 and "already exists" in refused.stderr
    for first in (name, copied):
        for second in (again, copied):
            assert run("diff", "--exit-code", first, second, env=env).returncode == 0
    refused = run("scan", "--fix", name, env=env)
    assert refused.returncode == 2 and "tapedeck copy" in refused.stderr
    done = run("ls", f"s3://{store.bucket}/absent", env=env)
    assert done.returncode == 1 and "there is no cassette at s3://" in done.stderr
    for wrong in ("s3://", "s3://x", "s3://bucket/../x", "s3://bucket//x", "gs://bucket/x"):
        assert run("ls", wrong, env=env).returncode == 2


POSTS = [{"id": number, "title": f"post {number}"} for number in (1, 2, 3)]


@pytest.mark.parametrize("verb", [
    ["ls"], ["ls", "--json"], ["show"], ["show", "--json"], ["show", "/posts/2"], ["show", "/absent"], ["scan"], ["scan", "--json"],
    ["lint"], ["lint", "--json"], ["export"], ["export", "--format", "vcrpy"], ["export", "--format", "curl"],
    ["promote", "--min-confidence", "10", "--out", "-"], ["diff", "--exit-code", "LOCAL"], ["merge", "LOCAL", "--into", "NEW"],
    ["verify"], ["verify", "--json"]], ids=" ".join)
def test_a_verb_says_of_a_cassette_in_a_store_what_it_says_of_a_local_one(verb, store, start, origin, cache, tmp_path):
    def respond(exchange):
        number = exchange.request.target.rpartition(b"/")[2]
        return reply(json.dumps(POSTS[int(number) - 1] if number.isdigit() else POSTS).encode(), b"Content-Type: application/json")

    name, local, env, url = f"s3://{store.bucket}/posts", tmp_path / "local", store.env(cache), origin(respond).url
    deck = start("record", "--cassette", local, "--upstream", url)
    for target in ("/posts", "/posts/1", "/posts/2"):
        fetch(deck.url, target)
    assert deck.stop() == 0
    assert run("copy", local, name, env=env).returncode == 0

    def said(cassette, new):
        words = [{"LOCAL": local, "NEW": tmp_path / new}.get(word, word) for word in verb[1:]]
        done = run(verb[0], cassette, *words, env=env, timeout=60)
        text = (done.stdout + done.stderr).replace(str(cassette), "CASSETTE").replace(new, "NEW")
        return done.returncode, re.sub(r"\d+ s\b", "0 s", text)

    here, there = said(local, "new-1"), said(name, "new-2")
    assert there == here
    assert str(cache) not in there[1]
    assert there[0] == (1 if "/absent" in verb else 0), there


def test_a_recording_goes_on_from_what_is_there(store, start, origin, cache):
    name = f"s3://{store.bucket}/more"
    put(start, origin, store, cache, name, "/a")
    before = {file["name"]: file["object"] for file in manifest(store, "more")["files"]}
    put(start, origin, store, cache, name, "/b", verb="serve")
    after = {file["name"]: file["object"] for file in assert_whole(store, "more")["files"]}
    kept = {name: key for name, key in before.items() if name != "cassette.json"}
    assert kept.items() <= after.items(), "what did not change is not sent again"
    assert len(after) == len(before) + 1
    deck = start("serve", "--cassette", name, "--upstream", origin(counting()).url, env=store.env(cache))
    fetch(deck.url, "/a")
    assert deck.stop() == 0
    assert f"{name} is as it was" in deck.stderr and "published" not in deck.stderr


def test_the_second_of_two_writers_is_told_and_can_merge(store, start, origin, cache, tmp_path):
    name = f"s3://{store.bucket}/two"
    put(start, origin, store, cache, name, "/base")
    first, second = (
        start("serve", "--cassette", name, "--upstream", origin(counting()).url, env=store.env(tmp_path / who)) for who in "ab")
    fetch(first.url, "/first")
    fetch(second.url, "/second")
    assert first.stop() == 0, first.stderr
    assert second.stop() == 1
    assert "another writer has changed it" in second.stderr
    assert len(assert_whole(store, "two")["files"]) == 3
    command = re.search(rf"tapedeck (merge \S+ \S+ --into \S+)", second.stderr)[1].split()
    done = run(*command, env=store.env(tmp_path / "b"))
    assert done.returncode == 0, done.stderr
    targets = json.loads(run("ls", "--json", name, env=store.env(tmp_path / "c")).stdout)
    assert {item["target"] for item in targets} == {"/base", "/first", "/second"}


def test_a_warm_cache_needs_no_store(servers, start, origin, cache, tmp_path):
    server = servers(Moto)
    store = Store(server.url, "deck-warm")
    name = "s3://deck-warm/offline"
    answers = put(start, origin, store, cache, name, "/a", "/b")
    assert run("ls", name, env=store.env(cache)).returncode == 0
    server.stop()
    env = store.env(cache)
    gone = run("ls", name, env=env, timeout=60)
    assert gone.returncode == 1 and "the store cannot be reached" in gone.stderr, gone.stderr
    deck = start("replay", "--cassette", name, "--offline", env=env)
    assert [fetch(deck.url, target).body for target in ("/a", "/b")] == answers
    assert deck.stop() == 0
    cold = run("ls", name, "--offline", env=store.env(tmp_path / "cold"))
    assert cold.returncode == 1 and "not in the local cache" in cold.stderr
    assert run("record", "--cassette", name, "--upstream", "http://127.0.0.1:1", "--offline", env=env).returncode == 2


def test_a_cache_that_was_damaged_is_mended(moto_store, start, origin, cache):
    name = f"s3://{moto_store.bucket}/damage"
    put(start, origin, moto_store, cache, name, "/a", "/b")
    env = moto_store.env(cache)
    good = run("show", name, "--json", env=env).stdout
    for folder in ("objects", "cassettes"):
        for path in (cache / "tapedeck" / folder).rglob("*"):
            if path.is_file() and path.stat().st_size > 2 and path.suffix != ".lock" and path.parent.name != "cassettes":
                path.chmod(0o600)
                path.write_bytes(b"{}")
    assert run("show", name, "--json", env=env).stdout == good


def test_a_replica_follows_its_cassette(moto_store, start, origin, cache, tmp_path):
    name = f"s3://{moto_store.bucket}/followed"
    put(start, origin, moto_store, cache, name, "/a")
    replica = start("replay", "--cassette", name, "--follow", "1", "--health-path", "/healthz", env=moto_store.env(tmp_path / "replica"))
    assert fetch(replica.url, "/a").status == 200 and fetch(replica.url, "/new").status == 502
    put(start, origin, moto_store, cache, name, "/new", verb="serve")
    eventually(lambda: fetch(replica.url, "/new").status == 200, "the replica has the new cassette")
    eventually(lambda: "every recorded sequence begins anew" in replica.stderr, "it says so")
    assert fetch(replica.url, "/healthz").status == 200
    replica.stop()


# MARK: What stores say

def error(code: str, status: bytes, *fields: bytes, more: str = "") -> bytes:
    """An error as S3 sends it, with all that a store could repeat in it."""
    echo = f"{KEY} {SECRET} {TOKEN} Authorization: AWS4-HMAC-SHA256 Credential={KEY}"
    body = f"<Error><Code>{code}</Code><Message>{echo}</Message><AWSAccessKeyId>{KEY}</AWSAccessKeyId><StringToSign>{echo}</StringToSign>{more}</Error>"
    return reply(body.encode(), b"Content-Type: application/xml", *fields, status=status)


YESTERDAY = format_datetime(datetime.now(timezone.utc) - timedelta(days=1), usegmt=True).encode()


@pytest.mark.parametrize(("response", "text"), [
    (error("AccessDenied", b"403 Forbidden"), "access is denied (403)"),
    (error("InvalidAccessKeyId", b"403 Forbidden"), "does not know the access key"),
    (error("SignatureDoesNotMatch", b"403 Forbidden"), "refuses the signature"),
    (error("RequestTimeTooSkewed", b"403 Forbidden", b"Date: " + YESTERDAY), "(it is fast)"),
    (error("ExpiredToken", b"400 Bad Request"), "session token has expired"),
    (error("PermanentRedirect", b"301 Moved", b"x-amz-bucket-region: eu-north-1"), "set AWS_REGION=eu-north-1"),
    (error("AuthorizationHeaderMalformed", b"400 Bad Request", more="<Region>eu-west-3</Region>"), "AWS_REGION=eu-west-3"),
    (error("AuthorizationHeaderMalformed", b"400 Bad Request", more=f"<Region>{SECRET}</Region>"), "AWS_REGION to its own"),
    (error("NoSuchBucket", b"404 Not Found"), "there is no such bucket"),
    (error(SECRET, b"418 Teapot"), "refuses the request (418)"),
    (reply(b"{}"), "the manifest is not valid"),
], ids=lambda value: value if isinstance(value, str) else None)
def test_an_error_of_a_store_is_one_clear_line_without_credentials(response, text, origin, cache):
    env = environment(origin(lambda _: response).url, cache, AWS_SESSION_TOKEN=TOKEN)
    done = run("ls", "s3://bucket/cassette", env=env)
    assert done.returncode == 1
    assert text in done.stderr and done.stderr.count("\n") == 1, done.stderr
    for secret in (SECRET, TOKEN, KEY):
        assert secret not in done.stderr + done.stdout
        assert not any(secret.encode() in path.read_bytes() for path in cache.rglob("*") if path.is_file())


@pytest.mark.parametrize(("response", "text"), [
    (error("SlowDown", b"503 Slow Down"), "asks to slow down (503), 6 times"),
    (error("InternalError", b"500 Oops"), "could not serve the request (500), 6 times"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut", "cut short"),
], ids=lambda value: value if isinstance(value, str) else None)
def test_what_may_pass_is_tried_again_and_then_told(response, text, origin, cache):
    def handler(exchange):
        exchange.send(response)
        raise HangUp

    server = origin(handler)
    done = run("ls", "s3://bucket/cassette", env=environment(server.url, cache), timeout=60)
    assert done.returncode == 1 and text in done.stderr, done.stderr
    assert len(server.requests) == 6


def listing(keys, next_token=None, modified="2020-01-01T00:00:00.000Z") -> bytes:
    items = "".join(
        f"<Contents><Key>{quote(key)}</Key><LastModified>{modified}</LastModified><Size>7</Size></Contents>" for key in keys)
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{next_token}</NextContinuationToken>" if next_token else ""
    return reply(f"<ListBucketResult><EncodingType>url</EncodingType>{items}{more}</ListBucketResult>".encode(), b"Date: " + format_datetime(
        datetime.now(timezone.utc), usegmt=True).encode())


def test_trim_lists_by_pages_and_removes_what_is_a_day_old(origin, cache):
    total, removed = 100_000, []
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def handler(exchange):
        target = exchange.request.target.decode()
        if exchange.request.method == b"DELETE":
            removed.append(target)
            return reply(status=b"204 No Content")
        query = parse_qs(urlsplit(target).query)
        if "list-type" not in query:
            return error("NoSuchKey", b"404 Not Found")
        if query["prefix"] != ["big/objects/"]:
            return listing([])
        page = int(query.get("continuation-token", ["0"])[0])
        last = page == total // 1000 - 1
        keys = [f"big/objects/s/{page}-{number} ä&+" for number in range(1000)]
        return listing(keys, None if last else page + 1, "2020-01-01T00:00:00.000Z" if last else now)

    env = environment(origin(handler).url, cache)
    done = run("trim", "s3://bucket/big", "--dry-run", "--json", env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert len(report["removedObjects"]) == 1000 and report["young"] == total - 1000 and not removed
    assert report["removedObjects"][0] == "big/objects/s/99-0 ä&+"
    done = run("trim", "s3://bucket/big", env=env, timeout=60)
    assert done.returncode == 0 and "removed 1,000 objects" in done.stdout.replace("1000", "1,000"), done.stdout
    assert sorted(removed) == sorted("/bucket/" + quote(f"big/objects/s/99-{number} ä&+") for number in range(1000))


def test_trim_leaves_what_is_sealed_and_what_may_be(moto_store, start, origin, cache):
    name = f"s3://{moto_store.bucket}/trim"
    put(start, origin, moto_store, cache, name, "/a")
    moto_store.client.put_object(Bucket=moto_store.bucket, Key="trim/objects/dead/beef", Body=b"half")
    keys = moto_store.keys()
    done = run("trim", name, env=moto_store.env(cache))
    assert done.returncode == 0 and "2 kept, and 1 less than a day old" in done.stdout, done.stdout
    assert moto_store.keys() == keys


def test_a_hostile_manifest_leads_nowhere(moto_store, cache, tmp_path):
    content = b"owned"
    digest = sha256(content).hexdigest()
    moto_store.client.put_object(Bucket=moto_store.bucket, Key=f"bad/objects/s/{digest}", Body=content)
    names = ["../x.json", "/etc/x.json", "a/../x.json", "a/b/c.json", "..json/x.json", ".ssh/x.json", "journal.jsonl", "bodies/../../x.bin", "a\0.json", ""]
    for name in names:
        files = [{"name": name, "bytes": len(content), "object": f"s/{digest}"}]
        body = json.dumps({"tapedeckRemoteCassette": 1, "seal": "s", "files": files}).encode()
        moto_store.client.put_object(Bucket=moto_store.bucket, Key="bad/manifest.json", Body=body)
        done = run("ls", f"s3://{moto_store.bucket}/bad", env=moto_store.env(cache))
        assert done.returncode == 1 and "the manifest is not valid" in done.stderr, (name, done.stderr)
    files = [{"name": "get-a-000000.json", "bytes": len(content), "object": f"s/{'0' * 64}"}]
    moto_store.client.put_object(Bucket=moto_store.bucket, Key=f"bad/objects/s/{'0' * 64}", Body=content)
    body = json.dumps({"tapedeckRemoteCassette": 1, "seal": "s", "files": files}).encode()
    moto_store.client.put_object(Bucket=moto_store.bucket, Key="bad/manifest.json", Body=body)
    done = run("ls", f"s3://{moto_store.bucket}/bad", env=moto_store.env(cache), timeout=60)
    assert done.returncode == 1 and "not what the manifest says" in done.stderr, done.stderr


# MARK: Credentials

def test_credentials_of_a_container_and_of_a_web_identity(moto_store, start, origin, cache, tmp_path):
    name = f"s3://{moto_store.bucket}/who"
    put(start, origin, moto_store, cache, name, "/a")

    def container(exchange):
        assert exchange.request.value(b"Authorization") == b"letmein"
        return reply(json.dumps({"AccessKeyId": KEY, "SecretAccessKey": SECRET, "Token": TOKEN}).encode())

    without = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    env = moto_store.env(cache, **without)
    nobody = run("ls", name, env=env)
    assert nobody.returncode == 1 and "there are no credentials" in nobody.stderr
    service = origin(container)
    done = run("ls", name, env={
        **env, "AWS_CONTAINER_CREDENTIALS_FULL_URI": service.url + "/creds", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "letmein"})
    assert done.returncode == 0 and len(service.requests) == 1, done.stderr
    token = tmp_path / "token"
    token.write_text("a.web.token\n")
    done = run("ls", name, env={
        **env, "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/ci", "AWS_WEB_IDENTITY_TOKEN_FILE": str(token)})
    assert done.returncode == 0, done.stderr


def planted(source: str, folder: Path, service: str) -> tuple[dict[str, str], list[str]]:
    """Variables that give credentials from a source, and the secrets among them."""
    secrets = {name: f"planted{name}{sha256((source + name).encode()).hexdigest()[:24]}" for name in ("key", "secret", "token", "proof")}
    key, secret, token, proof = secrets.values()
    variables = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    match source:
        case "environment": variables |= {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token}
        case "profile":
            (folder / "credentials").write_text(
                f"[ci]\naws_access_key_id = {key}\naws_secret_access_key={secret}\naws_session_token = {token}\n")
            variables |= {"AWS_PROFILE": "ci", "AWS_SHARED_CREDENTIALS_FILE": str(folder / "credentials")}
        case "container": variables |= {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{service}/creds", "AWS_CONTAINER_AUTHORIZATION_TOKEN": proof}
        case "web identity":
            (folder / "token").write_text(f"{proof}\n")
            variables |= {
                "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/ci", "AWS_WEB_IDENTITY_TOKEN_FILE": str(folder / "token"),
                "AWS_ENDPOINT_URL_STS": service}
    return variables, list(secrets.values())


@pytest.mark.parametrize("source", ["environment", "profile", "container", "web identity"])
def test_credentials_reach_nothing_that_is_kept_or_shown(source, moto_store, start, origin, cache, tmp_path, tmp_path_factory):
    signed, proofs, is_refusing = [], [], False

    def service(exchange):
        request = exchange.request
        proofs.append(request.body.decode() + (request.value(b"Authorization") or b"").decode())
        if is_refusing:
            return error(proofs[-1], b"403 Forbidden", b"X-Echo: " + proofs[-1].encode())
        if request.method == b"GET":
            return reply(json.dumps({"AccessKeyId": key, "SecretAccessKey": secret, "Token": token}).encode())
        return reply(f"<R><Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey>"
                     f"<SessionToken>{token}</SessionToken></Credentials></R>".encode())

    def refusing(exchange):
        """A store that repeats all that it was told."""
        fields = [exchange.request.value(name) for name in (b"Authorization", b"x-amz-security-token", b"x-amz-date")]
        signed.append(fields)
        echo = b" ".join(fields).decode()
        return error(echo, b"403 Forbidden", b"x-amz-bucket-region: " + fields[0], b"ETag: " + fields[1], more=f"<Region>{echo}</Region>")

    variables, secrets = planted(source, tmp_path_factory.mktemp("source"), origin(service).url)
    key, secret, token, proof = secrets
    name, env = f"s3://{moto_store.bucket}/planted", moto_store.env(cache, **variables)
    shown = []

    def tell(*words, **more):
        done = run(*words, env={**env, **more}, timeout=60)
        shown.append(done.stdout + done.stderr)
        return done

    def kept():
        return [path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file() and not path.is_symlink()]

    deck = start(
        "serve", "--cassette", name, "--upstream", origin(counting()).url, "--log-format", "json", "--verbose",
        "--report", tmp_path / "report.json", "--report-junit", tmp_path / "report.xml", env=env)
    fetch(deck.url, "/a")
    shown += kept()
    assert any('"/a"' in text for text in shown), "the journal is among them"
    assert deck.stop() == 0, deck.stderr
    assert f"published {name}" in deck.stderr
    for words in (["replay", name, "--print-config"], ["ls", "--json", name], ["verify", "--report", tmp_path / "drift.json", name],
                  ["scan", name], ["trim", name], ["copy", name, tmp_path / "copied"], ["export", name]):
        assert tell(*words).returncode == 0, shown[-1]
    store = origin(refusing).url
    assert tell("ls", f"{name}/2", AWS_ENDPOINT_URL=store).returncode == 1
    assert tell("record", f"{name}/2", "--upstream", "http://127.0.0.1:1", AWS_ENDPOINT_URL=store).returncode == 1
    if source in ("container", "web identity"):
        is_refusing = True
        assert tell("ls", name).returncode == 1 and "no credentials were given (403)" in shown[-1]
        assert all(proof in text for text in proofs)
    assert signed and all(key.encode() in fields[0] and fields[1] == token.encode() for fields in signed)
    shown += kept() + moto_store.keys() + [moto_store.read(each).decode() for each in moto_store.keys()]
    signatures = [fields[0].rpartition(b"Signature=")[2].decode() for fields in signed]
    for text in shown:
        assert not [each for each in [*secrets, *signatures, "Signature="] if each in text], text


@pytest.mark.parametrize("variable", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"])
@pytest.mark.parametrize("odd", ["planted\n", "planted\r\nX-Forged: 1", "plan ted", "plänted"])
def test_what_cannot_stand_in_a_field_is_refused_before_anything_is_sent(variable, odd, origin, cache):
    server = origin(lambda _: reply(b"{}"))
    done = run("ls", "s3://bucket/cassette", env=environment(server.url, cache, **{variable: odd}))
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert ("no name of a region" if variable == "AWS_REGION" else "the credentials hold a blank") in done.stderr
    assert not server.requests and "plan" not in done.stderr and "plänt" not in done.stderr


# MARK: What an author would try

@pytest.mark.parametrize("prefix", ["sp ace/ü漢", "a'b", "q?x=1#f%20", "a+b&c=", "-dash", "$(id)`id`", 'dq"*~', ""], ids=ascii)
def test_any_prefix_is_taken_as_it_is_and_quoted_in_commands(prefix, store, start, origin, cache, tmp_path, request):
    if "?" in prefix and "pys3local" in request.node.name:
        pytest.skip("pys3local cannot verify the signature of such a path, of boto3 neither")
    name = f"s3://{store.bucket}" + (f"/{prefix}" if prefix else "")
    absent = run("ls", name, env=store.env(cache))
    assert shlex.split(absent.stderr.splitlines()[0].partition("record one with: ")[2])[:3] == ["tapedeck", "record", name]
    answers = put(start, origin, store, cache, name, "/a")
    assert all(key.startswith(prefix) for key in store.keys())
    first, second = (
        start("serve", "--cassette", name, "--upstream", origin(counting()).url, env=store.env(tmp_path / who)) for who in "ab")
    fetch(first.url, "/first")
    fetch(second.url, "/second")
    assert first.stop() == 0 and second.stop() == 1
    command = shlex.split(re.search(r"To put both together: (tapedeck merge .*)", second.stderr)[1])
    assert run(*command[1:], env=store.env(tmp_path / "b")).returncode == 0
    deck = start("replay", name, env=store.env(cache))
    assert [fetch(deck.url, "/a").body] == answers and fetch(deck.url, "/second").status == 200
    missed = fetch(deck.url, "/absent")
    assert str(cache).encode() not in missed.body and json.loads(missed.body)["detail"].count(name) == 1
    assert deck.stop() == 3
    fix = re.search(r"tapedeck serve --mode new_episodes .*", deck.stderr)[0]
    assert name in shlex.split(fix) and str(cache) not in deck.stderr


@pytest.mark.parametrize("denied", ["/objects/", "/manifest.json"])
def test_a_recording_that_cannot_be_published_is_kept_and_goes_on(denied, start, origin, cache, tmp_path):
    serve, is_denied = small_store([]), True

    def handler(exchange):
        if is_denied and exchange.request.method == b"PUT" and denied in exchange.request.target.decode():
            return error("AccessDenied", b"403 Forbidden")
        return serve(exchange)

    store, url, name = origin(handler).url, origin(counting()).url, "s3://bucket/kept"

    def record(target: str):
        deck = start("serve", "--cassette", name, "--upstream", url, env=environment(store, cache))
        fetch(deck.url, target)
        return deck.stop(), deck.stderr

    code, text = record("/a")
    assert code == 1 and text.count("access is denied (403)") == text.count("Nothing is lost") == 1, text
    assert run("ls", name, env=environment(store, tmp_path / "other")).returncode == 1, "nothing half"
    is_denied = False
    code, text = record("/b")
    assert code == 0 and f"published {name}" in text, text
    found = json.loads(run("ls", "--json", name, env=environment(store, tmp_path / "other")).stdout)
    assert {item["target"] for item in found} == {"/a", "/b"}


@pytest.mark.parametrize(("response", "text"), [
    (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut", "cut short"),
    (reply(b"other"), "not what the manifest says"), (reply(b"x" * 100_000), "not what the manifest says"),
    (error("NoSuchKey", b"404 Not Found"), "there is no such object (404)"), (error("AccessDenied", b"403 Forbidden"), "access is denied (403)"),
    (error("SlowDown", b"503 Slow Down"), "asks to slow down (503), 6 times"),
], ids=["cut", "other", "longer", "404", "403", "503"])
def test_an_object_that_does_not_come_leaves_nothing_half(response, text, start, origin, cache, tmp_path):
    serve, is_broken = small_store([]), False

    def handler(exchange):
        if is_broken and exchange.request.method == b"GET" and b"/objects/" in exchange.request.target:
            exchange.send(response)
            raise HangUp
        return serve(exchange)

    server = origin(handler).url
    deck = start("record", "s3://bucket/half", "--upstream", origin(counting()).url, env=environment(server, tmp_path / "writer"))
    answers = [fetch(deck.url, target).body for target in ("/a", "/b", "/c")]
    assert deck.stop() == 0, deck.stderr
    is_broken = True
    for words in (["replay", "s3://bucket/half"], ["copy", "s3://bucket/half", tmp_path / "copied"]):
        done = run(*words, env=environment(server, cache), timeout=60)
        assert done.returncode == 1 and text in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "copied").exists()
    left = [path for path in (cache / "tapedeck").rglob("*") if path.is_file() and path.suffix not in (".json", ".lock")]
    assert not left and not [path for path in (cache / "tapedeck/cassettes").iterdir() if path.is_dir()], left
    is_broken = False
    deck = start("replay", "s3://bucket/half", env=environment(server, cache))
    assert [fetch(deck.url, target).body for target in ("/a", "/b", "/c")] == answers
    assert deck.stop() == 0


def test_a_bucket_that_does_not_exist_is_told_of_before_anything_is_done(store, cache, tmp_path):
    env, absent = store.env(cache), "s3://deck-absent-bucket/x"
    for words in (["ls", absent], ["replay", absent], ["trim", absent], ["copy", absent, tmp_path / "copied"],
                  ["record", absent, "--upstream", "http://127.0.0.1:1"], ["run", "--cassette", absent, "--", "false"]):
        done = run(*words, env=env)
        assert done.returncode == 1 and "there is no such bucket (404)" in done.stderr, (words, done.stderr)
        assert done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "copied").exists()


def test_a_cache_smaller_than_its_cassettes_serves_them_all_the_same(moto_store, cache, tmp_path):
    """Several processes at once; what none of them uses any more is removed when something is fetched next."""
    names = [f"s3://{moto_store.bucket}/large-{number}" for number in range(4)]
    for name in names:
        local = tmp_path / name.rpartition("/")[2]
        local.mkdir()
        (local / "cassette.json").write_text('{"tapedeck": 1, "upstream": "http://api.test"}\n')
        for number in range(150):
            body = {"name": local.name, "text": f"{number:05} " * 2000}
            (local / f"get-item-{number}.json").write_text(as_we_write(interaction(number, body)))
        assert run("copy", local, name, env=moto_store.env(tmp_path / "writer"), timeout=60).returncode == 0
    env = moto_store.env(cache)
    with ThreadPoolExecutor(6) as pool:
        for done in pool.map(lambda name: run("ls", name, "--cache-size", "1", env=env, timeout=60), names[:3] * 2):
            assert done.returncode == 0 and done.stdout.count("/item/") == 150, done.stderr
    assert run("ls", names[3], "--cache-size", "1", env=env, timeout=60).returncode == 0
    # 150 bodies of 12 kB, and the files that are at hand for the last of them.
    kept = sum(path.stat().st_size for path in (cache / "tapedeck/objects").rglob("*") if path.is_file())
    assert 1_800_000 < kept < 3_000_000


def test_a_cache_that_cannot_be_written_is_named(moto_store, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "open/tapedeck").mkdir(parents=True, mode=0o755)
    (tmp_path / "open/tapedeck").chmod(0o755)
    for folder in ("file", "open"):
        done = run("ls", f"s3://{moto_store.bucket}/x", env=moto_store.env(tmp_path / folder))
        assert done.returncode == 1 and done.stderr.startswith("tapedeck: the cache of object stores (XDG_CACHE_HOME)"), done.stderr


def test_nothing_is_recorded_where_nothing_would_publish_it(moto_store, start, origin, cache):
    """By the admin API, a proxy that replays a copy could be told to record into it, or into a folder beside it."""
    name = f"s3://{moto_store.bucket}/steered"
    put(start, origin, moto_store, cache, name, "/a")
    for options, changes in ((["--mode", "none"], ["/mode", "/cassette"]), ([], ["/cassette"])):
        deck, admin = steered(start, "serve", name, "--upstream", origin(counting()).url, *options, env=moto_store.env(cache))
        assert admin.get("/health")["cassette"] == name
        for path in changes:
            body = {"mode": "new_episodes"} | ({"name": "other"} if path == "/cassette" else {})
            assert name in admin.call("PUT", path, body, 409)["detail"]
        assert name in admin.call("PUT", "/sessions/s", None, 409, cassette="own", mode="all")["detail"]
        deck.stop()
    assert not [path for path in cache.rglob("*") if path.name in ("other", "own")]


# MARK: Writers that are killed

@pytest.mark.timeout(1800)
def test_writers_that_are_killed_leave_a_sealed_whole(moto_store, origin, tmp_path, figure):
    """Three machines record into one cassette and are killed at any moment. Not in pys3local, whose puts are not atomic."""
    kills = 200 if LONG else 10
    name = f"s3://{moto_store.bucket}/killed"
    url = origin(counting()).url
    random.seed(7)
    sealed, found, seen, killed, serial = set(), set(), set(), 0, 0

    def writer(machine: int, number: int):
        nonlocal killed
        folder = tmp_path / f"machine-{machine}-{number}"
        target = f"/machine/{machine}/{number}"
        deck = Deck(folder, "serve", "--cassette", name, "--upstream", url, "--quiet", env=moto_store.env(tmp_path / f"cache-{machine}-{number // 40}"))
        for part in range(4):
            fetch(deck.url, f"{target}/{part}")
        deck.process.terminate()
        try:
            deck.process.wait(random.uniform(0, 0.3))
        except Exception:
            deck.process.kill()
            deck.process.wait()
            killed += 1
        if f"published {name}" in deck.stderr:
            sealed.update(f"{target}/{part}" for part in range(4))

    with ThreadPoolExecutor(3) as pool:
        while killed < kills or not sealed:
            serial += 1
            list(pool.map(lambda machine: writer(machine, serial), range(3)))
            if "killed/manifest.json" not in moto_store.keys("killed/manifest.json"):
                continue
            assert_whole(moto_store, "killed", seen)
            done = run("ls", "--json", name, env=moto_store.env(tmp_path / "reader"), timeout=60)
            assert done.returncode == 0, done.stderr
            found = {item["target"] for item in json.loads(done.stdout)}
            assert sealed <= found, f"lost: {sorted(sealed - found)}"
    figure("writers killed, published, left in the cassette", f"{killed}, {len(sealed) // 4}, {len(found)}")


# MARK: How it grows

def small_store(log: list[tuple[str, int]]):
    """A store in memory, as much of it as a cassette needs; logs methods and statuses."""
    objects: dict[str, bytes] = {}

    def respond(request) -> tuple[int, bytes, str | None]:
        key, match, none_match = request.target.decode(), request.value(b"If-Match"), request.value(b"If-None-Match")
        tag = f'"{sha256(objects[key]).hexdigest()[:32]}"' if key in objects else None
        if request.method == b"PUT":
            if none_match == b"*" and tag or match and match.decode() != tag:
                return 412, b"", None
            objects[key] = request.body
            return 200, b"", f'"{sha256(request.body).hexdigest()[:32]}"'
        if request.method == b"DELETE":
            objects.pop(key, None)
            return 204, b"", None
        if tag is None:
            return 404, b"<Error><Code>NoSuchKey</Code></Error>", None
        return (304, b"", tag) if none_match and none_match.decode() == tag else (200, objects[key], tag)

    def handler(exchange):
        status, body, tag = respond(exchange.request)
        log.append((exchange.request.method.decode(), status))
        fields = [b"ETag: " + tag.encode()] if tag else []
        if status in (204, 304):
            return b"\r\n".join([b"HTTP/1.1 %d -" % status, *fields]) + b"\r\n\r\n"
        return reply(body, *fields, status=b"%d -" % status)

    return handler


def test_requests_to_a_store_are_as_few_as_the_page_says(start, origin, tmp_path):
    log, url = [], origin(counting()).url
    server = origin(small_store(log)).url

    def counted(act) -> dict[str, int]:
        log.clear()
        act()
        return {method: sum(each == method for each, _ in log) for method in {method for method, _ in log}}

    def record(cache, *targets):
        deck = start("serve", "--cassette", "s3://bucket/count", "--upstream", url, env=environment(server, tmp_path / cache))
        for target in targets:
            fetch(deck.url, target)
        assert deck.stop() == 0, deck.stderr

    def read(cache):
        done = run("ls", "s3://bucket/count", env=environment(server, tmp_path / cache))
        assert done.returncode == 0, done.stderr

    # The probe: a put, two that must be refused, a delete.
    assert counted(lambda: record("a", "/1", "/2", "/3")) == {"GET": 1, "PUT": 4 + 1 + 3, "DELETE": 1}
    assert counted(lambda: record("a", "/4", "/5")) == {"GET": 1, "PUT": 2 + 1}
    assert counted(lambda: record("a", "/4")) == {"GET": 1}
    assert counted(lambda: read("b")) == {"GET": 1 + 6}
    assert counted(lambda: read("b")) == {"GET": 1} and log == [("GET", 304)]
    assert counted(lambda: record("a", "/6")) == {"GET": 1, "PUT": 2}
    assert counted(lambda: read("b")) == {"GET": 1 + 1}
