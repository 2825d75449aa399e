"""A session recorded again into the same cassette: what changes, what stays, what is left over."""

import itertools
import json
import re
import shlex
import uuid

import boto3
import pytest
import requests
from botocore.config import Config

from deck import interactions, run
from origin import reply
from servers import Moto
from wire import fetch

ENVIRONMENT = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


def use_nine_services(url: str) -> None:
    """82 exchanges; five of the responses hold a time or an id of something that was made."""
    def client(service):
        return boto3.client(
            service, endpoint_url=url, region_name="us-east-1", aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
            aws_secret_access_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            config=Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}))

    s3 = client("s3")
    s3.create_bucket(Bucket="deck")
    for number in range(8):
        s3.put_object(Bucket="deck", Key=f"k{number}", Body=b"hello %d" % number)
    for number in range(8):
        s3.get_object(Bucket="deck", Key=f"k{number}")["Body"].read()
        s3.head_object(Bucket="deck", Key=f"k{number}")
    s3.put_object_tagging(Bucket="deck", Key="k1", Tagging={"TagSet": [{"Key": "a", "Value": "b"}]})
    s3.get_object_tagging(Bucket="deck", Key="k1")
    with pytest.raises(s3.exceptions.NoSuchKey):
        s3.get_object(Bucket="deck", Key="absent")
    s3.list_buckets()  # a time
    dynamodb = client("dynamodb")
    dynamodb.create_table(  # a time
        TableName="users", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
    for number in range(8):
        dynamodb.put_item(TableName="users", Item={"id": {"S": f"u{number}"}})
        dynamodb.get_item(TableName="users", Key={"id": {"S": f"u{number}"}})
    dynamodb.scan(TableName="users"), dynamodb.list_tables()
    sqs = client("sqs")
    queue = sqs.create_queue(QueueName="jobs")["QueueUrl"]
    sqs.list_queues(), sqs.get_queue_url(QueueName="jobs")
    sqs.send_message(QueueUrl=queue, MessageBody="x")  # an id
    sqs.purge_queue(QueueUrl=queue), sqs.list_queue_tags(QueueUrl=queue)
    sns = client("sns")
    topic = sns.create_topic(Name="t")["TopicArn"]
    sns.list_topics(), sns.get_topic_attributes(TopicArn=topic), sns.list_subscriptions(), sns.list_tags_for_resource(ResourceArn=topic)
    client("sts").get_caller_identity()
    iam = client("iam")
    iam.list_users(), iam.list_roles(), iam.list_groups(), iam.list_account_aliases()
    ssm = client("ssm")
    ssm.put_parameter(Name="/a", Value="1", Type="String")
    ssm.get_parameter(Name="/a")  # a time
    ssm.put_parameter(Name="/b", Value="2", Type="String"), ssm.delete_parameter(Name="/b"), ssm.delete_parameter(Name="/a")
    kms = client("kms")
    kms.list_keys(), kms.list_aliases()
    logs = client("logs")
    logs.create_log_group(logGroupName="g"), logs.create_log_stream(logGroupName="g", logStreamName="s")
    logs.describe_log_groups()  # a time
    events = client("events")
    for name in ("one", "two"):
        events.put_rule(Name=name, ScheduleExpression="rate(1 day)")
    events.list_rules(), events.describe_rule(Name="one"), events.list_targets_by_rule(Rule="one"), events.list_tags_for_resource(
        ResourceARN="arn:aws:events:us-east-1:123456789012:rule/one")
    for name in ("one", "two"):
        events.delete_rule(Name=name)


def contents(cassette) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in cassette.glob("*.json")}


@pytest.fixture
def moto(servers):
    server = servers(Moto)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield server


def again(start, moto, cassette, session) -> str:
    """Records a session with a fresh account, and returns what was said at the end."""
    requests.post(f"{moto.url}/moto-api/reset", timeout=30)
    deck = start("record", "--upstream", moto.url, "--cassette", cassette, "--quiet")
    session(deck.url)
    assert deck.stop() == 0, deck.stderr
    return deck.stderr


def test_recording_boto3_again_changes_at_most_five_of_82_files(start, moto, cassette, figure):
    """Dates, signatures and ids of requests changed all 82."""
    again(start, moto, cassette, use_nine_services)
    first = contents(cassette)
    said = again(start, moto, cassette, use_nine_services)
    second = contents(cassette)
    assert first.keys() == second.keys()
    changed = sorted(name for name in first if first[name] != second[name])
    figure("files that a second recording of boto3 changes", f"{len(changed)} of {len(first) - 1}")
    assert len(first) - 1 == 82
    assert len(changed) <= 5, changed
    assert "not recorded again" not in said
    # Each of those differs in what its body says, outside of the volatile facts.
    for name in changed:
        old, new = json.loads(first[name]), json.loads(second[name])
        assert old["response"]["body"] != new["response"]["body"], name
        assert old["request"] == new["request"], name


def test_what_is_new_in_every_request_stands_in_its_place_for_people_and_clients(start, origin, cassette, tmp_path):
    """A doubled Date, which Flask and gunicorn send, made every file differ."""
    numbers = itertools.count(10)

    def handler(exchange):
        moment = b"Sat, 21 Nov 2026 05:00:%02d GMT" % next(numbers)
        return reply(
            b"same", b"Date: " + moment, b"Content-Type: text/plain", b"x-request-ID: " + uuid.uuid4().hex.encode(),
            b"Date: " + moment)

    server = origin(handler)
    exact = {"traceparent": f"00-{uuid.uuid4().hex}-00f067aa0ba902b7-01", "Accept": "text/plain"}

    def record():
        deck = start("record", "--upstream", server.url, "--cassette", cassette, "--quiet")
        live = requests.get(deck.url + "/a", headers={**exact, "Idempotency-Key": uuid.uuid4().hex}, timeout=30)
        assert deck.stop() == 0, deck.stderr
        return live

    live = record()
    first = contents(cassette)
    record()
    assert contents(cassette) == first
    assert json.loads(first["cassette.json"])["tapedeck"] == 2
    (interaction,) = interactions(cassette).values()
    dates = [pair for pair in interaction["volatile"]["responseHeaders"] if pair[0] == "Date"]
    assert len(dates) == 2 and "date" not in interaction["volatile"]
    assert [pair for pair in interaction["response"]["headers"] if pair[0] == "Date"] == [["Date", None]] * 2

    deck = start("replay", "--cassette", cassette, "--quiet")
    replayed = requests.get(deck.url + "/a", timeout=30)
    assert replayed.raw.headers.items() == live.raw.headers.items(), "every field, in order, byte for byte"
    assert deck.stop() == 0
    name = next(iter(interactions(cassette))).removesuffix(".json")
    for text in (run("show", cassette, name).stdout, run("export", cassette, "--format", "curl").stdout):
        assert exact["traceparent"] in text
    # Whoever has a field compared finds it among the others.
    for value, expected in ((exact["traceparent"], 200), ("00-another", 502)):
        deck = start("replay", "--cassette", cassette, "--match", "headers:traceparent", "--quiet")
        assert requests.get(deck.url + "/a", headers={"traceparent": value}, timeout=30).status_code == expected
        deck.stop()


@pytest.mark.parametrize(("member", "value"), [
    ("requestHeaders", [["X-Other", "1"]]), ("requestHeaders", [["traceparent", "1"], ["traceparent", "2"]]), ("requestHeaders", 1),
    ("responseHeaders", []),
])
def test_a_volatile_value_without_its_field_is_an_error_that_names_it(member, value, start, origin, cassette):
    server = origin(lambda exchange: reply(b"same", b"X-Request-Id: 1"))
    deck = start("record", "--upstream", server.url, "--cassette", cassette, "--quiet")
    requests.get(deck.url + "/a", headers={"traceparent": "1"}, timeout=30)
    assert deck.stop() == 0
    file = next(file for file in cassette.glob("get-*.json"))
    tree = json.loads(file.read_text())
    tree["volatile"][member] = value
    file.write_text(json.dumps(tree))
    done = run("replay", "--cassette", cassette, "--port", "0")
    assert done.returncode == 1 and file.name in done.stderr and "eaders" in done.stderr


def test_files_of_earlier_runs_are_named_with_the_command_that_removes_them(start, origin, cassette):
    """Keys that are new in every run left files behind, and nobody said so."""
    server = origin(lambda exchange: reply(b"same", b"Content-Type: text/plain"))

    def record(*targets):
        deck = start("record", "--upstream", server.url, "--cassette", cassette, "--quiet")
        for target in targets:
            fetch(deck.url, target)
        assert deck.stop() == 0, deck.stderr
        return deck.stderr

    first = [f"/jobs?token={uuid.uuid4().hex}" for _ in range(3)]
    assert "not recorded again" not in record("/always", *first)
    stale = {name for name in contents(cassette) if name.startswith("get-jobs")}
    said = record("/always", f"/jobs?token={uuid.uuid4().hex}")
    assert "3 files of earlier runs not recorded again" in said
    assert all(name in said for name in stale)
    command = re.search(r"tapedeck (trim .*)", said)[1]
    done = run(*shlex.split(command))
    assert done.returncode == 0, done.stderr
    assert not stale & contents(cassette).keys() and len(contents(cassette)) == 3
