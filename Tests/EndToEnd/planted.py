"""Secrets to plant: of every kind, as they look in the world, and each one used only once, so that nothing but its own
place can give it away."""

import base64
import gzip
import random
import re
import string
import subprocess
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Callable
from urllib.parse import quote

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
LETTERS = LOWER + UPPER + DIGITS
WORD = LETTERS + "_-"
HEX = DIGITS + "abcdef"
HUMAN = LETTERS + "!@#$%^&*+?"


def b64(data: str | bytes) -> str:
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def b64url(data: str | bytes) -> str:
    return b64(data).rstrip("=").replace("+", "-").replace("/", "_")


@dataclass(frozen=True)
class Kind:
    label: str
    # With this name (as in headers) it is a secret; without one, its looks tell.
    name: str | None
    make: Callable[[random.Random], str]
    # How it is written: behind a scheme, within a URL.
    written: Callable[[str], str] = staticmethod(lambda value: value)

    @property
    def needs_link(self) -> bool:
        """Whether a value that stands alone must have been seen in its own place."""
        return self.name is not None or self.written("") != ""


def some(pattern: str) -> Callable[[random.Random], str]:
    """Makes values of a pattern: `ghp_{LETTERS:36}` is 36 letters and digits behind a prefix."""
    def make(source: random.Random) -> str:
        def fill(match) -> str:
            return "".join(source.choices(globals()[match[1]], k=int(match[2])))
        return re.sub(r"\{(\w+):(\d+)\}", fill, pattern)
    return make


def blob(count: int) -> Callable[[random.Random], str]:
    return lambda source: b64(source.randbytes(count))


def token(*parts: str | int):
    """Parts joined by full stops: texts, and counts of random bytes."""
    return lambda source: ".".join(
        b64url(source.randbytes(part)) if isinstance(part, int) else b64url(part) for part in parts)


def pem(label: str, count: int):
    def make(source: random.Random) -> str:
        text = b64(source.randbytes(count))
        lines = "\n".join(text[start:start + 64] for start in range(0, len(text), 64))
        return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----"
    return make


def behind(scheme: str):
    return lambda value: scheme.replace("{}", value)


BY_NAME = [
    Kind("bearer", "Authorization", some("{WORD:43}"), behind("Bearer {}")),
    Kind("basic", "Authorization", some("{HUMAN:16}"), lambda value: "Basic " + b64(f"me:{value}")),
    Kind("digest", "Authorization", some("{HEX:32}"), behind(
        'Digest username="me", realm="deck", nonce="n0nce", uri="/", qop=auth, nc=00000001, response="{}"')),
    Kind("aws4", "Authorization", some("{HEX:64}"), behind(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261121/us-east-1/s3/aws4_request, "
        "SignedHeaders=host;x-amz-date, Signature={}")),
    Kind("token", "Authorization", some("{HEX:40}"), behind("Token {}")),
    Kind("apikey", "Authorization", some("{LETTERS:32}"), behind("ApiKey {}")),
    Kind("oauth1", "Authorization", blob(20), behind(
        'OAuth oauth_consumer_key="ck", oauth_nonce="8a1", oauth_version="1.0", oauth_signature="{}"')),
    Kind("negotiate", "Authorization", blob(200), behind("Negotiate {}")),
    Kind("raw-authorization", "Authorization", some("{HEX:48}")),
    Kind("proxy-basic", "Proxy-Authorization", some("{LETTERS:20}"), lambda value: "Basic " + b64(f"me:{value}")),
    Kind("x-api-key", "X-Api-Key", some("{LETTERS:40}")),
    Kind("api-key", "api-key", some("{HEX:32}")),
    Kind("x-auth-token", "X-Auth-Token", some("{LETTERS:24}")),
    Kind("x-vault-token", "X-Vault-Token", some("s.{LETTERS:24}")),
    Kind("security-token", "X-Amz-Security-Token", blob(240)),
    Kind("subscription-key", "Ocp-Apim-Subscription-Key", some("{HEX:32}")),
    Kind("private-token", "Private-Token", some("{WORD:20}")),
    Kind("csrf", "X-CSRF-Token", blob(64)),
    Kind("session-id", "X-Session-Id", some("{HEX:32}")),
    Kind("phpsessid", "PHPSESSID", some("{LETTERS:26}")),
    Kind("connect-sid", "session.sid", some("s:{WORD:32}.{LETTERS:43}")),
    Kind("access-token", "access_token", some("{LETTERS:64}")),
    Kind("refresh-token", "refreshToken", some("1//{WORD:60}")),
    Kind("client-secret", "client-secret", some("{WORD:40}")),
    Kind("password", "password", some("{HUMAN:14}")),
    Kind("user-password", "userPassword", some("{HUMAN:24}")),
    Kind("azure-sig", "sig", blob(32)),
    Kind("amz-signature", "X-Amz-Signature", some("{HEX:64}")),
    Kind("goog-signature", "X-Goog-Signature", some("{HEX:512}")),
    Kind("aws-secret", "aws_secret_access_key", blob(30)),
    Kind("connection", "connectionString", blob(64), behind(
        "DefaultEndpointsProtocol=https;AccountName=deck;AccountKey={};EndpointSuffix=core.windows.net")),
    Kind("private-key", "privateKey", some("0x{HEX:64}")),
    Kind("encryption-key", "encryption-key", blob(32)),
    Kind("code-verifier", "code_verifier", some("{WORD:64}")),
    Kind("assertion", "client_assertion", some("{WORD:90}")),
]

BY_LOOKS = [
    Kind("jwt", None, token('{"alg":"HS256","typ":"JWT"}', 60, 32)),
    Kind("jwe", None, token('{"alg":"dir","enc":"A256GCM"}', 16, 12, 60, 16)),
    Kind("pem-rsa", None, pem("RSA PRIVATE KEY", 600)),
    Kind("pem-ec", None, pem("EC PRIVATE KEY", 121)),
    Kind("pem-pkcs8", None, pem("PRIVATE KEY", 300)),
    Kind("pem-encrypted", None, pem("ENCRYPTED PRIVATE KEY", 300)),
    Kind("pem-openssh", None, pem("OPENSSH PRIVATE KEY", 260)),
    Kind("pem-pgp", None, pem("PGP PRIVATE KEY BLOCK", 400)),
    Kind("github", None, some("ghp_{LETTERS:36}")),
    Kind("github-server", None, some("ghs_{LETTERS:36}")),
    Kind("github-fine", None, some("github_pat_{LETTERS:22}_{LETTERS:59}")),
    Kind("gitlab", None, some("glpat-{WORD:20}")),
    Kind("slack-bot", None, some("xoxb-{DIGITS:12}-{DIGITS:13}-{LETTERS:24}")),
    Kind("slack-user", None, some("xoxp-{DIGITS:12}-{DIGITS:12}-{DIGITS:13}-{HEX:32}")),
    Kind("slack-app", None, some("xapp-1-A0{UPPER:9}-{DIGITS:13}-{HEX:64}")),
    Kind("slack-webhook", None, some("T0{UPPER:8}/B0{UPPER:9}/{LETTERS:24}"), behind("https://hooks.slack.com/services/{}")),
    Kind("stripe", None, some("sk_live_{LETTERS:24}")),
    Kind("stripe-long", None, some("sk_live_51{LETTERS:97}")),
    Kind("stripe-restricted", None, some("rk_live_{LETTERS:24}")),
    Kind("stripe-webhook", None, some("whsec_{LETTERS:32}")),
    Kind("aws-id", None, lambda source: "AKIA" + "".join(source.choices(UPPER + "234567", k=16))),
    Kind("aws-session-id", None, lambda source: "ASIA" + "".join(source.choices(UPPER + "234567", k=16))),
    Kind("google-api", None, some("AIza{WORD:35}")),
    Kind("google-oauth", None, some("ya29.a0{WORD:160}")),
    Kind("google-client", None, some("GOCSPX-{WORD:28}")),
    Kind("sendgrid", None, some("SG.{WORD:22}.{WORD:43}")),
    Kind("npm", None, some("npm_{LETTERS:36}")),
    Kind("pypi", None, some("pypi-AgEIcHlwaS5vcmc{WORD:150}")),
    Kind("openai", None, some("sk-proj-{WORD:74}T3BlbkFJ{WORD:74}")),
    Kind("openai-old", None, some("sk-{LETTERS:48}")),
    Kind("anthropic", None, some("sk-ant-api03-{WORD:93}AA")),
    Kind("huggingface", None, some("hf_{LETTERS:34}")),
    Kind("shopify", None, some("shpat_{HEX:32}")),
    Kind("digitalocean", None, some("dop_v1_{HEX:64}")),
    Kind("vault", None, some("hvs.CAESI{WORD:90}")),
    Kind("databricks", None, some("dapi{HEX:32}")),
    Kind("twilio", None, some("SK{HEX:32}")),
    Kind("mailgun", None, some("key-{HEX:32}")),
    Kind("telegram", None, some("{DIGITS:9}:AA{WORD:33}")),
    Kind("docker", None, some("dckr_pat_{WORD:27}")),
    Kind("newrelic", None, lambda source: "NRAK-" + "".join(source.choices(UPPER + DIGITS, k=27))),
    Kind("grafana", None, some("glsa_{LETTERS:32}_{HEX:8}")),
    Kind("linear", None, some("lin_api_{LETTERS:40}")),
    Kind("planetscale", None, some("pscale_tkn_{WORD:43}")),
    Kind("discord-bot", None, lambda source: b64url(some("{DIGITS:18}")(source)) + some(".G{LETTERS:5}.{WORD:38}")(source)),
    Kind("discord-webhook", None, some("{DIGITS:19}/{WORD:68}"), behind("https://discord.com/api/webhooks/{}")),
    Kind("url-password", None, some("{LETTERS:22}"), behind("postgres://app:{}@db.test:5432/app")),
]

KINDS = BY_NAME + BY_LOOKS


class Plants:
    """Makes values, and keeps them."""

    def __init__(self, seed: str):
        self._source = random.Random(seed)
        self.made: list[tuple[str, str]] = []

    def new(self, kind: Kind, place: str) -> str:
        value = kind.make(self._source)
        self.made.append((f"{kind.label} in {place}", value))
        return value


# A stretch of this many bytes is a leak; of a value, four are looked for.
WINDOW, STRIDE = 12, 6


def windows(plants: list[tuple[str, str]]) -> dict[bytes, str]:
    """Stretches of the values that are in no other one: not their prefixes, nor PEM's first line."""
    seen, owner = Counter(), {}
    for label, value in plants:
        last = max(0, len(value) - WINDOW)
        for start in {*range(0, last, max(STRIDE, last // 3)), last}:
            part = value[start:start + WINDOW]
            if "\n" not in part:
                seen[part] += 1
                owner[part] = label
    return {part.encode(): owner[part] for part, count in seen.items() if count == 1}


def forms(window: bytes) -> set[bytes]:
    """What a stretch of a value looks like in the encodings of the world; base64 at all three alignments."""
    percent = quote(window, safe="").encode()
    every = b"".join(b"%%%02X" % byte for byte in window)
    found = {
        window, percent, re.sub(rb"%..", lambda match: match[0].lower(), percent), quote(window, safe="/:+=").encode(), every, every.lower(),
        window.hex().encode(), window.hex().upper().encode(), quote(percent, safe="").encode(),
        window.replace(b"/", b"\\/"), window.replace(b"&", b"&amp;"), window.replace(b"&", b"\\u0026"),
    }
    for skipped, cut in (0, 0), (1, 2), (2, 3):
        whole = (skipped + len(window)) // 3 * 3
        text = base64.b64encode((b"\0" * skipped + window)[:whole])[cut:]
        found |= {text, text.replace(b"+", b"-").replace(b"/", b"_")}
    return {form for form in found if len(form) >= 10}


class Search:
    """A search for what is left of secrets, by `grep -F`, in files as they are and with their gzip and base64 opened."""

    def __init__(self, folder: Path, plants: list[tuple[str, str]]):
        folder.mkdir()
        self._folder = folder
        self._owner = {form: label for window, label in windows(plants).items() for form in forms(window)}
        self._needles = folder / "needles"
        self._needles.write_bytes(b"".join(form + b"\n" for form in self._owner if b"\n" not in form))

    def found(self, artefacts: Path) -> dict[str, dict[str, str]]:
        """For each artefact, a file or folder of this one: whose secrets are in it, and where."""
        opened = self._folder / "opened"
        leaks: dict[str, dict[str, str]] = {}
        for file in sorted(artefacts.rglob("*")):
            if file.is_file():
                name = file.relative_to(artefacts)
                leaks[name.parts[0]] = {}
                for kind, content in unpacked(file.read_bytes()):
                    copy = opened / name.with_name(f"{name.name}.{kind}")
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    copy.write_bytes(content)
        done = subprocess.run(
            ["grep", "-raoFZf", self._needles, artefacts, opened], capture_output=True, env={"LC_ALL": "C"}, timeout=150)
        assert done.returncode in (0, 1), done.stderr
        for line in done.stdout.splitlines():
            place, _, form = line.partition(b"\0")
            file = Path(place.decode())
            name = file.relative_to(opened if file.is_relative_to(opened) else artefacts)
            artefact = name.parts[0] if name.parts[0] in leaks else Path(name.parts[0]).stem
            leaks[artefact].setdefault(self._owner.get(form, "?"), f"{name}: {form.decode('latin-1')}")
        return leaks


def unpacked(data: bytes):
    """What is in compressed data, and in what is written as base64."""
    if content := decompressed(data):
        yield "compressed", content
    runs = (decoded(run) for run in re.findall(rb"[A-Za-z0-9+/_-]{40,}", data))
    if opened := b"\n".join(filter(None, runs)):
        yield "base64", opened


def decoded(run: bytes) -> bytes:
    run = run.replace(b"-", b"+").replace(b"_", b"/")
    data = base64.b64decode(run[:len(run) // 4 * 4])
    return data + (decompressed(data) or b"")


def decompressed(data: bytes) -> bytes | None:
    for bits in (31, 15, -15):
        try:
            content = zlib.decompressobj(bits).decompress(data)
        except zlib.error:
            continue
        if content:
            return content
    return None
