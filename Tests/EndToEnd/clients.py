"""Real clients, each asking a list of endpoints in order and telling all it heard."""

import base64
import json
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

import requests

from deck import CLEAN
from endpoints import Endpoint
from wire import PASSING


@dataclass(frozen=True)
class Heard:
    """One answer as the client heard it; a followed redirect is heard as several."""

    status: int
    reason: str
    fields: list[tuple[str, str]]
    body: bytes

    def without_passing(self, base: str) -> "Heard":
        """Without the connection's own fields and Date, and with the server's address as `{base}`."""
        fields = [
            (name, value.replace(base, "{base}"))
            for name, value in self.fields if name.lower().encode() not in PASSING]
        return Heard(self.status, self.reason, fields, self.body)


Answers = dict[str, list[Heard]]


def heard_or_failed(ask, *arguments) -> list[Heard]:
    """What was heard; of a failed request, status 0 and why: it fails its own test, not all the others."""
    try:
        return ask(*arguments)
    except Exception as error:
        return [Heard(0, repr(error), [], b"")]


def ask_with_requests(base: str, endpoints: list[Endpoint], folder: Path, headers=None) -> Answers:
    session = requests.Session()
    session.trust_env = False
    session.headers.update(headers or {})
    return {endpoint.name: heard_or_failed(one_with_requests, session, base, endpoint) for endpoint in endpoints}


def one_with_requests(session: requests.Session, base: str, endpoint: Endpoint) -> list[Heard]:
    data = endpoint.form if endpoint.form else endpoint.body
    files = None
    if endpoint.parts:
        data, files = endpoint.parts, {"file": ("file.bin", endpoint.file)}
    if endpoint.chunked:
        data = iter([endpoint.body[at:at + 1000] for at in range(0, len(endpoint.body), 1000)])
    last = session.request(
        endpoint.method, base + endpoint.path, headers=endpoint.headers, data=data, files=files,
        allow_redirects=endpoint.follow, stream=True, timeout=30)
    heard = []
    for response in [*last.history, last]:
        raw = response.raw
        # requests itself reads what redirects; that body is gone from the wire, and was not compressed.
        body = response.content if response._content_consumed else raw.read(decode_content=False)
        fields = raw._original_response.getheaders()  # in order, with duplicates; Response.headers hides both
        heard.append(Heard(raw.status, raw.reason, fields, body))
    return heard


def ask_with_curl(base: str, endpoints: list[Endpoint], folder: Path) -> Answers:
    return {endpoint.name: heard_or_failed(one_with_curl, base, endpoint, folder) for endpoint in endpoints}


def one_with_curl(base: str, endpoint: Endpoint, folder: Path) -> list[Heard]:
    head, body, upload, cookies = (folder / name for name in ("head", "body", "upload", "cookies"))
    command = ["curl", "-q", "-sS", "--max-time", "30", "--globoff", "--path-as-is", "-D", head, "-o", body]
    command += ["-b", cookies, "-c", cookies]
    command += ["--head"] if endpoint.method == "HEAD" else ["-X", endpoint.method]
    command += ["-L"] if endpoint.follow else []
    for name, value in endpoint.headers.items():
        command += ["-H", f"{name}: {value}"]
    for name, value in (endpoint.form or {}).items():
        command += ["--data-urlencode", f"{name}={value}"]
    for name, value in (endpoint.parts or {}).items():
        command += ["--form-string", f"{name}={value}"]
    if endpoint.file is not None:
        upload.write_bytes(endpoint.file)
        command += ["-F", f"file=@{upload};filename=file.bin"]
    if endpoint.body is not None:
        upload.write_bytes(endpoint.body)
        command += ["--data-binary", f"@{upload}"]
        command += [] if "Content-Type" in endpoint.headers else ["-H", "Content-Type:"]
        command += ["-H", "Transfer-Encoding: chunked"] if endpoint.chunked else []
    body.write_bytes(b"")
    subprocess.run([*command, base + endpoint.path], env=CLEAN, check=True, stdin=subprocess.DEVNULL)
    heard = [heard_from(block) for block in head.read_bytes().decode("latin-1").split("\r\n\r\n") if block]
    final = [each for each in heard if each.status >= 200]
    if endpoint.method != "HEAD":  # with --head, curl writes the head where the body would go
        final[-1] = Heard(final[-1].status, final[-1].reason, final[-1].fields, body.read_bytes())
    return final


def heard_from(block: str) -> Heard:
    start, *lines = block.split("\r\n")
    _, status, reason = start.split(" ", 2)
    fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    return Heard(int(status), reason, fields, b"")


def ask_with_fetch(base: str, endpoints: list[Endpoint], folder: Path) -> Answers:
    def portable(value):
        return base64.b64encode(value).decode() if isinstance(value, bytes) else value

    asked = [{name: portable(value) for name, value in asdict(endpoint).items()} for endpoint in endpoints]
    done = subprocess.run(
        ["node", Path(__file__).with_name("fetch.mjs")], input=json.dumps({"base": base, "requests": asked}),
        env=CLEAN, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return {
        endpoint.name: [
            Heard(each["status"], each["reason"], [tuple(pair) for pair in each["fields"]], base64.b64decode(each["body"]))
            for each in heard
        ]
        for endpoint, heard in zip(endpoints, json.loads(done.stdout), strict=True)
    }


CLIENTS = {"requests": ask_with_requests, "curl": ask_with_curl, "fetch": ask_with_fetch}
