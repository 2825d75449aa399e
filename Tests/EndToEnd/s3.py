"""S3-compatible servers, and buckets in them."""

import os
import sys
from pathlib import Path

import boto3
from botocore.config import Config

from servers import Server, listening_socket

KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


class Store:
    """A server with one bucket, and what `tapedeck` needs to know of it."""

    def __init__(self, url: str, bucket: str):
        self.url, self.bucket = url, bucket
        self.client = boto3.client(
            "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET,
            config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 5}))
        self.client.create_bucket(Bucket=bucket)

    def env(self, cache: Path, **others: str) -> dict[str, str]:
        return environment(self.url, cache, **others)

    def keys(self, prefix: str = "") -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def read(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.bucket, Key=key)["Body"].read()


def environment(url: str, cache: Path, **others: str) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1",
        "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "XDG_CACHE_HOME": str(cache), **others}


class PyS3Local(Server):
    """A server that checks every signature, and knows no conditions."""

    def __init__(self, folder: Path):
        listener = listening_socket()
        env = {**os.environ, "S3_FOLDER": str(folder / "store"), "S3_KEY": KEY, "S3_SECRET": SECRET}
        super().__init__(
            [sys.executable, "-m", "uvicorn", "--fd", str(listener.fileno()), "--app-dir", Path(__file__).parent,
             "--log-level", "warning", "pys3local_app:app"],
            folder / "pys3local.log", listener, env=env)
        self.url = f"http://{self.authority}"


