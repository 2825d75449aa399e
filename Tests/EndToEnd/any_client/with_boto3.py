import os

import boto3
import requests

one, two, httpbin, moto = (os.environ[name] for name in ("ONE", "TWO", "HTTPBIN", "MOTO"))


def client(service, url):
    return boto3.client(
        service, endpoint_url=url, region_name="us-east-1", aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")


s3 = client("s3", two)
s3.create_bucket(Bucket="deck")
s3.put_object(Bucket="deck", Key="one.txt", Body=b"hello")
print(s3.get_object(Bucket="deck", Key="one.txt")["Body"].read(), s3.list_objects_v2(Bucket="deck")["Contents"])
sqs = client("sqs", moto)
queue = sqs.create_queue(QueueName="jobs")["QueueUrl"]
sqs.send_message(QueueUrl=queue, MessageBody="first")
print(sqs.receive_message(QueueUrl=queue)["Messages"])
print(requests.get(f"{one}/text", timeout=30).text, requests.get(f"{httpbin}/uuid", timeout=30).text)
