"""A program that uses nine of AWS's services through boto3, and what it gets to see."""

import hashlib
import io
import json

import boto3
import requests
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

ENVIRONMENT = {
    "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    "AWS_MAX_ATTEMPTS": "1"}
LARGE = b"".join(hashlib.sha512(b"%d" % number).digest() for number in range(24 * 512))  # 24 parts, each of its own
PART = len(LARGE) // 24


def client(url, service, key="AKIAIOSFODNN7EXAMPLE"):
    settings = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}, connect_timeout=10, read_timeout=30)
    return boto3.client(
        service, endpoint_url=url, region_name="us-east-1", aws_access_key_id=key,
        aws_secret_access_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", config=settings)


DATABASE = {
    "engine": "postgres", "username": "deck_owner", "password": "Pq7!zR2vLx9#Kd4w", "host": "db.internal.example.com",
    "port": 5432, "replicas": ["10.0.0.4", "10.0.0.5"], "tls": True}
# A replay holds placeholders in their places.
HIDDEN = {"SecretString", "Plaintext", "Credentials", "AccessKey", "UserId", "CustomerMasterKeySpec"}


def without_hidden(value):
    if isinstance(value, dict):
        return {name: without_hidden(each) for name, each in value.items() if name not in HIDDEN}
    return [without_hidden(each) for each in value] if isinstance(value, list) else value


class Account:
    def __init__(self, url):
        self.url, self.seen = url, []

    def see(self, result):
        """Keeps all of a result but what is about the connection, and what a recording hides."""
        body = result.get("Body")
        kept = without_hidden({name: value for name, value in result.items() if name not in ("ResponseMetadata", "Body")})
        status = result["ResponseMetadata"]["HTTPStatusCode"]
        self.seen.append((status, json.dumps(kept, default=str, sort_keys=True), body.read() if body else None))
        return result

    def use_s3(self):
        s3 = client(self.url, "s3")
        self.see(s3.create_bucket(Bucket="deck"))
        self.see(s3.put_bucket_versioning(Bucket="deck", VersioningConfiguration={"Status": "Enabled"}))
        self.see(s3.put_object(Bucket="deck", Key="a/one.txt", Body=b"hello", ContentType="text/plain", Metadata={"owner": "ada"}))
        self.see(s3.put_object(Bucket="deck", Key="a/ünï cödé+&.txt", Body="päth".encode()))
        self.see(s3.put_object(Bucket="deck", Key="a/two.bin", Body=bytes(range(256)) * 64))
        for name in range(3):
            self.see(s3.put_object(Bucket="deck", Key=f"many/{name}", Body=b"%d" % name, Tagging="kind=small"))
        self.see(s3.list_objects_v2(Bucket="deck", Prefix="a/"))
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket="deck", Prefix="many/", PaginationConfig={"PageSize": 2})
        self.seen.append([[each["Key"] for each in page["Contents"]] for page in pages])
        for key in ("a/one.txt", "a/two.bin", "a/ünï cödé+&.txt"):
            self.see(s3.get_object(Bucket="deck", Key=key))
        tag = self.see(s3.head_object(Bucket="deck", Key="a/one.txt"))["ETag"]
        self.see(s3.get_object(Bucket="deck", Key="a/two.bin", Range="bytes=100-109"))
        self.fails(s3.get_object, Bucket="deck", Key="a/one.txt", IfNoneMatch=tag)
        self.see(s3.get_object(Bucket="deck", Key="a/one.txt", IfMatch=tag))
        self.fails(s3.get_object, Bucket="deck", Key="absent")
        self.see(s3.copy_object(Bucket="deck", Key="copy", CopySource={"Bucket": "deck", "Key": "a/one.txt"}))
        self.see(s3.delete_objects(Bucket="deck", Delete={"Objects": [{"Key": "many/0"}, {"Key": "many/1"}]}))
        self.multipart(s3)

    def multipart(self, s3):
        """By hand, in order, with the ids that the origin gives."""
        upload = self.see(s3.create_multipart_upload(Bucket="deck", Key="parts"))["UploadId"]
        parts = [
            {"PartNumber": number, "ETag": self.see(s3.upload_part(
                Bucket="deck", Key="parts", UploadId=upload, PartNumber=number, Body=bytes([number]) * size))["ETag"]}
            for number, size in ((1, 5 << 20), (2, 1000))]
        self.see(s3.list_parts(Bucket="deck", Key="parts", UploadId=upload))
        self.see(s3.complete_multipart_upload(Bucket="deck", Key="parts", UploadId=upload, MultipartUpload={"Parts": parts}))

    def fails(self, call, **arguments):
        try:
            call(**arguments)
        except Exception as error:
            self.seen.append(str(error))
        else:
            raise AssertionError(f"{call.__name__} of {arguments} does not fail")

    def use_dynamodb(self):
        dynamodb = client(self.url, "dynamodb")
        self.see(dynamodb.create_table(
            TableName="users", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}]))
        for number in range(4):
            self.see(dynamodb.put_item(TableName="users", Item={
                "id": {"S": f"u{number}"}, "age": {"N": "7"}, "raw": {"B": bytes([number, 255])}, "tags": {"SS": ["x", "y"]}}))
        self.see(dynamodb.get_item(TableName="users", Key={"id": {"S": "u1"}}))
        self.see(dynamodb.update_item(
            TableName="users", Key={"id": {"S": "u1"}}, UpdateExpression="SET age = age + :n", ReturnValues="ALL_NEW",
            ExpressionAttributeValues={":n": {"N": "1"}}))
        self.fails(dynamodb.put_item, TableName="users", Item={"id": {"S": "u1"}}, ConditionExpression="attribute_not_exists(id)")
        self.see(dynamodb.batch_get_item(RequestItems={"users": {"Keys": [{"id": {"S": "u0"}}, {"id": {"S": "u3"}}]}}))
        self.see(dynamodb.scan(TableName="users"))
        self.see(dynamodb.get_item(TableName="users", Key={"id": {"S": "u1"}}))

    def use_sqs(self):
        sqs = client(self.url, "sqs")
        url = self.see(sqs.create_queue(QueueName="jobs"))["QueueUrl"]
        self.see(sqs.send_message(QueueUrl=url, MessageBody="first"))
        self.see(sqs.send_message_batch(QueueUrl=url, Entries=[{"Id": f"{n}", "MessageBody": f"batch {n}"} for n in range(3)]))
        for _ in range(2):
            for message in self.see(sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=2)).get("Messages", []):
                self.see(sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"]))
        self.see(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"]))

    def use_sns(self):
        sns = client(self.url, "sns")
        topic = self.see(sns.create_topic(Name="news"))["TopicArn"]
        self.see(sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint="arn:aws:sqs:us-east-1:123456789012:jobs"))
        self.see(sns.publish(TopicArn=topic, Message="hello", Subject="s", MessageAttributes={
            "kind": {"DataType": "String", "StringValue": "greeting"}}))
        self.see(sns.list_topics())

    def use_secrets(self):
        secrets = client(self.url, "secretsmanager")
        self.see(secrets.create_secret(
            Name="db", SecretString=json.dumps(DATABASE), ClientRequestToken="0b8a1ea2-5a4c-4f0e-9f0c-2f6f3a1c7d11"))
        self.see(secrets.describe_secret(SecretId="db"))
        for token in ("9d1f6a50-3c1b-4f3e-8a52-0f3a1f0a7b21", "5e0c7b8e-17a2-4f0c-b1b4-6d1a4c2e9f32"):
            given = self.database(self.see(secrets.get_secret_value(SecretId="db"))["SecretString"])
            # What it was given goes back, beside what is new.
            changed = json.dumps({**given, "password": "n3w!One#5xQ2-Lm8"})
            self.see(secrets.put_secret_value(SecretId="db", SecretString=changed, ClientRequestToken=token))
        self.see(secrets.list_secrets())

    def database(self, secret):
        """Reads a secret in JSON as a program does that connects with it."""
        given = json.loads(secret)
        self.seen.append([(name, type(value).__name__) for name, value in given.items()])
        self.seen.append(f"{given['username']}:{given['port'] + 1}")
        page = requests.get(f"{self.url}/deck", auth=(given["username"], given["password"]), timeout=30)
        self.seen.append((page.status_code, page.text))
        return given

    def use_sts_and_iam(self):
        sts, iam = client(self.url, "sts"), client(self.url, "iam")
        self.see(sts.get_caller_identity())
        trust = json.dumps({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]})
        role = self.see(iam.create_role(RoleName="deck", AssumeRolePolicyDocument=trust))["Role"]["Arn"]
        taken = self.see(sts.assume_role(RoleArn=role, RoleSessionName="test"))["Credentials"]
        assumed = boto3.client(
            "sts", endpoint_url=self.url, region_name="us-east-1", aws_access_key_id=taken["AccessKeyId"],
            aws_secret_access_key=taken["SecretAccessKey"], aws_session_token=taken["SessionToken"])
        self.see(assumed.get_caller_identity())  # as somebody else than before
        self.see(iam.create_user(UserName="ada"))
        self.see(iam.create_access_key(UserName="ada"))
        self.see(iam.list_users())
        self.fails(iam.get_user, UserName="nobody")

    def use_kms(self):
        kms = client(self.url, "kms")
        key = self.see(kms.create_key(Description="deck"))["KeyMetadata"]["KeyId"]
        box = self.see(kms.encrypt(KeyId=key, Plaintext=b"in the box"))["CiphertextBlob"]
        self.see(kms.decrypt(CiphertextBlob=box))
        data_key = self.see(kms.generate_data_key(KeyId=key, KeySpec="AES_256"))
        self.seen.append(len(data_key["Plaintext"]) > 0)

    def use_logs(self):
        logs = client(self.url, "logs")
        self.see(logs.create_log_group(logGroupName="/deck"))
        self.see(logs.create_log_stream(logGroupName="/deck", logStreamName="one"))
        self.see(logs.put_log_events(logGroupName="/deck", logStreamName="one", logEvents=[
            {"timestamp": 1_790_000_000_000, "message": "started"}]))
        self.see(logs.get_log_events(logGroupName="/deck", logStreamName="one"))

    def use_all(self):
        self.use_s3(), self.use_dynamodb(), self.use_sqs(), self.use_sns(), self.use_secrets()
        self.use_sts_and_iam(), self.use_kms(), self.use_logs()
        return self.seen

    def transfer(self, parallel=10):
        """TransferManager: 24 ranges down and three parts up, at once."""
        s3 = client(self.url, "s3")
        self.see(s3.create_bucket(Bucket="large"))
        s3.put_object(Bucket="large", Key="down", Body=LARGE)
        ranged = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=parallel)
        sink = io.BytesIO()
        s3.download_fileobj("large", "down", sink, Config=ranged)
        self.seen.append(sink.getvalue())
        s3.upload_fileobj(io.BytesIO(LARGE * 15), "large", "up", Config=TransferConfig(
            multipart_threshold=5 << 20, multipart_chunksize=5 << 20, max_concurrency=parallel))
        self.see(s3.head_object(Bucket="large", Key="up"))
        return self.seen


def presigned_get(url):
    """A link that is signed for an hour, as it is given to a browser."""
    s3 = client(url, "s3")
    s3.create_bucket(Bucket="deck")
    s3.put_object(Bucket="deck", Key="a.txt", Body=b"by link")
    link = s3.generate_presigned_url("get_object", Params={"Bucket": "deck", "Key": "a.txt"}, ExpiresIn=3600)
    response = requests.get(link, timeout=30)
    return [response.status_code, response.text]


def presigned_post(url):
    """A form for a browser, with a policy that holds when it ends."""
    s3 = client(url, "s3")
    s3.create_bucket(Bucket="deck")
    form = s3.generate_presigned_post("deck", "uploads/${filename}", Fields={"acl": "private"}, ExpiresIn=600, Conditions=[
        {"acl": "private"}, ["content-length-range", 1, 1000]])
    response = requests.post(form["url"], data=form["fields"], files={"file": ("x.txt", b"posted")}, timeout=30)
    return [response.status_code, [each["Key"] for each in s3.list_objects_v2(Bucket="deck").get("Contents", [])]]


def client_token(url):
    """botocore makes up the ClientRequestToken of each call."""
    dynamodb = client(url, "dynamodb")
    dynamodb.create_table(
        TableName="t", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}])
    account = Account(url)
    account.see(dynamodb.transact_write_items(TransactItems=[{"Put": {"TableName": "t", "Item": {"id": {"S": "1"}}}}]))
    account.see(client(url, "secretsmanager").create_secret(Name="token", SecretString="hidden-value-9081"))
    account.see(dynamodb.get_item(TableName="t", Key={"id": {"S": "1"}}))
    return account.seen
