"""A real AWS client, boto3, whose signatures, dates and ids are new in every request."""

import io
import json

import boto3
import pytest
import requests
from botocore.config import Config

from deck import Deck, interactions, log_lines
from servers import Moto

ENVIRONMENT = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}


@pytest.fixture(autouse=True, scope="module")
def environment():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield


class Account:
    """What one program does with AWS, and what it gets to see."""

    def __init__(self, url: str, key: str = "AKIAIOSFODNN7EXAMPLE"):
        settings = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
        self.seen = []
        self._client = lambda service: boto3.client(
            service, endpoint_url=url, region_name="us-east-1", aws_access_key_id=key,
            aws_secret_access_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", config=settings)

    def see(self, result: dict) -> dict:
        """Keeps all of a result but what is about the connection."""
        body = result.get("Body")
        kept = {name: value for name, value in result.items() if name not in ("ResponseMetadata", "Body")}
        status = result["ResponseMetadata"]["HTTPStatusCode"]
        self.seen.append((status, json.dumps(kept, default=str, sort_keys=True), body.read() if body else None))
        return result

    def use_bucket(self) -> None:
        s3 = self._client("s3")
        self.see(s3.create_bucket(Bucket="deck"))
        self.see(s3.put_object(Bucket="deck", Key="a/one.txt", Body=b"hello", ContentType="text/plain"))
        self.see(s3.put_object(Bucket="deck", Key="a/two.bin", Body=bytes(range(256)) * 64))
        s3.upload_fileobj(io.BytesIO(b"x" * (9 << 20)), "deck", "large")
        self.see(s3.list_objects_v2(Bucket="deck"))
        for key in ("a/one.txt", "a/two.bin", "large"):
            self.see(s3.get_object(Bucket="deck", Key=key))
        with pytest.raises(s3.exceptions.NoSuchKey):
            s3.get_object(Bucket="deck", Key="absent")

    def use_table(self) -> None:
        dynamodb = self._client("dynamodb")
        self.see(dynamodb.create_table(
            TableName="users", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}]))
        for number in range(3):
            self.see(dynamodb.put_item(TableName="users", Item={"id": {"S": f"u{number}"}, "age": {"N": "7"}}))
        self.see(dynamodb.get_item(TableName="users", Key={"id": {"S": "u1"}}))
        self.see(dynamodb.scan(TableName="users"))

    def use_queue(self) -> None:
        sqs = self._client("sqs")
        url = self.see(sqs.create_queue(QueueName="jobs"))["QueueUrl"]
        self.see(sqs.send_message(QueueUrl=url, MessageBody="first"))
        received = self.see(sqs.receive_message(QueueUrl=url))["Messages"][0]
        self.see(sqs.delete_message(QueueUrl=url, ReceiptHandle=received["ReceiptHandle"]))
        self.see(sqs.receive_message(QueueUrl=url))

    def use_transaction(self) -> None:
        put = {"Put": {"TableName": "users", "Item": {"id": {"S": "t"}}}}
        self.see(self._client("dynamodb").transact_write_items(TransactItems=[put]))

    def share(self, seconds=3600) -> None:
        """A link that is signed for an hour, as it is given to a browser."""
        link = self._client("s3").generate_presigned_url(
            "get_object", Params={"Bucket": "deck", "Key": "a/one.txt"}, ExpiresIn=seconds)
        answer = requests.get(link, timeout=30)
        self.seen.append((answer.status_code, answer.text, None))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A session with moto, which is gone when it is over."""
    folder = tmp_path_factory.mktemp("aws")
    moto = Moto(folder)
    try:
        with Deck(folder / "record", "record", "--upstream", moto.url, "--cassette", folder / "cassette") as deck:
            account = Account(deck.url)
            account.use_bucket(), account.use_table(), account.use_queue()
            usual = list(account.seen)
            account.use_transaction(), account.share()
            assert deck.stop() == 0, deck.stderr
    finally:
        moto.stop()
    return folder / "cassette", usual, account.seen[len(usual):]


def test_boto3_sees_the_same_though_it_signs_anew(start, recorded):
    cassette, usual, _ = recorded
    deck = start("replay", "--cassette", cassette)
    account = Account(deck.url, key="AKIAI44QH8DHBEXAMPLE")
    account.use_bucket(), account.use_table(), account.use_queue()
    assert account.seen == usual
    assert deck.stop() == 0
    assert log_lines(deck, "0 unmatched", "0 upstream connections opened")


def test_what_boto3_makes_up_is_named_by_a_miss_and_left_out_on_wish(start, recorded):
    cassette, _, special = recorded
    deck = start("replay", "--cassette", cassette, "--log-format", "json")
    account = Account(deck.url)
    with pytest.raises(Exception, match="502"):
        account.use_transaction()
    account.share(3601)  # within a second of the recording the same link would be made
    assert account.seen[0][0] == 502
    assert deck.stop() == 3
    fixes = {line["fix"] for line in map(json.loads, log_lines(deck, '"fix"'))}
    assert any("body:ignore=$.ClientRequestToken" in fix for fix in fixes), fixes
    assert any("query:ignore=X-Amz-Signature" in fix or "query:ignore=Signature" in fix for fix in fixes), fixes

    deck = start(
        "replay", "--cassette", cassette, "--match", "body:ignore=$.ClientRequestToken",
        "--match", "query:ignore=X-Amz-*,Signature,Expires,AWSAccessKeyId")
    account = Account(deck.url)
    account.use_transaction(), account.share()
    assert account.seen == special
    assert deck.stop() == 0, deck.stderr


def test_what_is_recorded_can_be_read(recorded):
    cassette, *_ = recorded
    tables = [each for each in interactions(cassette).values() if "users" in json.dumps(each["request"].get("body"))]
    assert tables and all("json" in each["request"]["body"] for each in tables), "AWS's own JSON is JSON"
