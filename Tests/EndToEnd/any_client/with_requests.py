import os

import requests

one, two, httpbin, moto = (os.environ[name] for name in ("ONE", "TWO", "HTTPBIN", "MOTO"))
print(requests.get(f"{one}/text?client=requests", timeout=30).text)
print(requests.get(f"{two}/text", timeout=30).text)
with requests.Session() as session:
    print(session.post(f"{httpbin}/anything", json={"name": "Ada"}, timeout=30).json()["json"])
    print(session.get(f"{httpbin}/uuid", timeout=30).text)
print(requests.put(f"{moto}/bucket-requests", timeout=30).status_code, requests.get(moto, timeout=30).text)
