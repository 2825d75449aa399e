import os
from urllib.request import Request, urlopen

one, two, httpbin, moto = (os.environ[name] for name in ("ONE", "TWO", "HTTPBIN", "MOTO"))
for request in (
    f"{one}/text", f"{two}/text", f"{httpbin}/uuid", f"{moto}/moto-api/data.json",
    Request(f"{httpbin}/anything", data=b"name=Ada"), Request(f"{moto}/bucket-urllib", method="PUT"),
):
    with urlopen(request, timeout=30) as response:
        print(response.status, response.read())
