"""Random requests as botocore signs them, one a line: python make_signed_requests.py COUNT > FILE"""

import json
import random
import string
import sys
from urllib.parse import quote

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

chance = random.Random(22)
LETTERS = string.ascii_letters + string.digits
ODD = LETTERS + " !\"#$%&'()*+,-.:;<=>?@[]^_`{|}~éß漢🎈"


def text(letters: str, least: int, most: int) -> str:
    return "".join(chance.choices(letters, k=chance.randint(least, most)))


def line() -> dict:
    host = text(string.ascii_lowercase, 1, 9) + chance.choice(["", ":9000"]) + ""
    path = "/" + "/".join(text(ODD, 0, 9) for _ in range(chance.randint(0, 4)))
    query = [[text(ODD, 1, 6), text(ODD + "/", 0, 9)] for _ in range(chance.randint(0, 4))]
    names = chance.sample(["Range", "If-Match", "If-None-Match", "X-Amz-Meta-A", "x-amz-storage-class", "Content-Type"], chance.randint(0, 4))
    fields = [[name, text(LETTERS + "  \t=/\"*", 1, 20)] for name in names]
    body = text(ODD, 0, 40) if chance.random() < 0.5 else ""
    key, secret, region = text(string.ascii_uppercase, 16, 20), text(LETTERS + "/+", 40, 40), text(string.ascii_lowercase + "-1", 4, 12)
    token = text(LETTERS + "/+=", 20, 200) if chance.random() < 0.5 else None
    target = quote(path, safe="/-_.~")
    if query:
        target += "?" + "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query)
    method = chance.choice(["GET", "PUT", "HEAD", "DELETE", "POST"])
    request = AWSRequest(method, f"http://{host}{target}", headers=dict(fields), data=body.encode())
    S3SigV4Auth(Credentials(key, secret, token), "s3", region).add_auth(request)
    assert request.headers["X-Amz-Content-SHA256"] != "UNSIGNED-PAYLOAD"
    return {
        "method": method, "path": path, "query": query, "fields": [["Host", host], *fields], "body": body,
        "date": request.headers["X-Amz-Date"], "keyID": key, "secret": secret, "token": token, "region": region,
        "authorization": request.headers["Authorization"]}


for _ in range(int(sys.argv[1])):
    print(json.dumps(line()))
