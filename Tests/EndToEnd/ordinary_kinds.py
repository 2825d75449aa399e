"""Kinds of ordinary values, made from one seed, and the exchanges that carry them.

In a text, what counts as a value stands between ⟦ and ⟧. In JSON and forms every leaf counts by itself.
"""

import base64
import hashlib
import json
import random
import re
import string
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from urllib.parse import quote, urlencode

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
MARKED = re.compile("⟦(.*?)⟧", re.S)


class Kinds:
    """Draws values; two of the same seed draw the same."""

    def __init__(self, seed: str):
        self.random = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def digits(self, count: int) -> str:
        return str(self.random.randint(1, 9)) + self.of(string.digits, count - 1)

    def of(self, alphabet: str, count: int) -> str:
        return "".join(self.random.choice(alphabet) for _ in range(count))

    def one(self, *choices):
        return self.random.choice(choices)

    def bytes(self, count: int) -> bytes:
        return self.random.randbytes(count)

    def hex(self, count: int) -> str:
        return self.of("0123456789abcdef", count)

    def base62(self, count: int) -> str:
        return self.of(BASE62, count)

    def lower(self, count: int) -> str:
        return self.of(string.ascii_lowercase + string.digits, count)

    def upper(self, count: int) -> str:
        return self.of(string.ascii_uppercase + string.digits, count)

    def base64(self, count: int) -> str:
        return base64.b64encode(self.bytes(count)).decode()

    def base64url(self, count: int) -> str:
        return base64.urlsafe_b64encode(self.bytes(count)).decode().rstrip("=")

    def uuid4(self) -> str:
        return str(uuid.UUID(bytes=self.bytes(16), version=4))

    def uuid1(self) -> str:
        return str(uuid.UUID(bytes=self.bytes(16), version=1))

    def uuid7(self) -> str:
        head = (1_760_000_000_000 + self.number(0, 10**9)).to_bytes(6, "big")
        value = bytearray(head + self.bytes(10))
        value[6], value[8] = 0x70 | value[6] & 15, 0x80 | value[8] & 63
        return str(uuid.UUID(bytes=bytes(value)))

    def ulid(self) -> str:
        return "01J" + self.of(CROCKFORD, 23)

    def ksuid(self) -> str:
        return "2" + self.base62(26)

    def nanoid(self, count: int = 21) -> str:
        return self.of(BASE62 + "_-", count)

    def object_id(self) -> str:
        return f"65{self.hex(22)}"

    def snowflake(self) -> str:
        return str(self.number(10**18, 13 * 10**17))

    def md5(self) -> str:
        return hashlib.md5(self.bytes(16)).hexdigest()

    def sha1(self) -> str:
        return hashlib.sha1(self.bytes(16)).hexdigest()

    def sha256(self) -> str:
        return hashlib.sha256(self.bytes(16)).hexdigest()

    def sha512(self) -> str:
        return hashlib.sha512(self.bytes(16)).hexdigest()

    def moment(self) -> datetime:
        start = datetime(2023, 1, 1, tzinfo=timezone.utc)
        return start + timedelta(milliseconds=self.number(0, 10**11))

    def time(self) -> str:
        return self.moment().strftime("%Y-%m-%dT%H:%M:%SZ")

    def time_milliseconds(self) -> str:
        return self.moment().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def http_date(self) -> str:
        return self.moment().strftime("%a, %d %b %Y %H:%M:%S GMT")

    def epoch(self) -> int:
        return int(self.moment().timestamp())

    def ip(self) -> str:
        return f"10.{self.number(0, 255)}.{self.number(0, 255)}.{self.number(1, 254)}"

    def slug(self) -> str:
        return "-".join(self.random.sample(WORDS, self.number(2, 4)))

    def word(self) -> str:
        return self.random.choice(WORDS)

    def sentence(self, count: int = 8) -> str:
        return " ".join(self.random.sample(WORDS, count)).capitalize() + "."

    def name(self) -> str:
        return f"{self.random.choice(FIRST)} {self.random.choice(LAST)}"

    def rsa_public_der(self) -> bytes:
        head = bytes.fromhex("30820122300d06092a864886f70d01010105000382010f003082010a0282010100")
        return head + b"\xb5" + self.bytes(255) + bytes.fromhex("0203010001")

    def pem(self, label: str, der: bytes) -> str:
        text = base64.b64encode(der).decode()
        lines = "\n".join(text[at:at + 64] for at in range(0, len(text), 64))
        return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"

    def public_key(self) -> str:
        return self.pem("PUBLIC KEY", self.rsa_public_der())

    def ec_public_key(self) -> str:
        head = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
        return self.pem("PUBLIC KEY", head + self.bytes(64))

    def certificate_der(self) -> bytes:
        return bytes.fromhex("3082031530820 1fda0030201020214".replace(" ", "")) + self.bytes(760)

    def certificate(self) -> str:
        return self.pem("CERTIFICATE", self.certificate_der())

    def ssh_ed25519(self) -> str:
        blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + self.bytes(32)
        return "ssh-ed25519 " + base64.b64encode(blob).decode()

    def ssh_rsa(self) -> str:
        blob = b"\0\0\0\x07ssh-rsa\0\0\0\x03\1\0\1\0\0\1\1\0\xb5" + self.bytes(255)
        return "ssh-rsa " + base64.b64encode(blob).decode()

    def ssh_ecdsa(self) -> str:
        blob = b"\0\0\0\x13ecdsa-sha2-nistp256\0\0\0\x08nistp256\0\0\0\x41\x04" + self.bytes(64)
        return "ecdsa-sha2-nistp256 " + base64.b64encode(blob).decode()

    def ssh_fingerprint(self) -> str:
        return "SHA256:" + self.base64(32).rstrip("=")

    def github_node(self, kind: str) -> str:
        return base64.b64encode(f"{len(kind):03d}:{kind}{self.digits(9)}".encode()).decode()

    def global_id(self, kind: str) -> str:
        return base64.b64encode(f"{kind}:{self.digits(8)}".encode()).decode()

    def cursor(self) -> str:
        return base64.b64encode(json.dumps({"id": self.number(10**6, 10**9), "last": self.time()}).encode()).decode()

    def relay_cursor(self) -> str:
        return base64.b64encode(f"cursor:v2:{self.number(1, 10**9)}".encode()).decode()

    def png(self) -> str:
        data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\x1f\xf3\xffa" + self.bytes(90)
        return base64.b64encode(data + b"\0\0\0\0IEND\xaeB`\x82").decode()

    def gif(self) -> str:
        return base64.b64encode(b"GIF89a\x10\0\x10\0\x80\0\0" + self.bytes(40) + b";").decode()

    def jpeg(self) -> str:
        return base64.b64encode(b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0" + self.bytes(160) + b"\xff\xd9").decode()

    def woff2(self) -> str:
        return base64.b64encode(b"wOF2\0\1\0\0\0\0" + self.bytes(150)).decode()

    def integrity(self, kind: str = "sha512") -> str:
        return f"{kind}-{self.base64({'sha256': 32, 'sha384': 48, 'sha512': 64}[kind])}"

    def version(self) -> str:
        return f"{self.number(0, 12)}.{self.number(0, 40)}.{self.number(0, 90)}"

    def coordinates(self) -> list:
        return [round(self.random.uniform(-180, 180), 6), round(self.random.uniform(-85, 85), 6)]


WORDS = """amber anchor apple autumn badger balance bamboo basket beacon birch blossom border bridge bronze
canyon carbon castle cedar cherry cloud cobalt comet coral cotton crystal current desert dolphin dragon ember
falcon feather forest fossil garden ginger glacier granite harbor hazel helium horizon island ivory jasmine
juniper kernel lagoon lantern lemon linen lunar magnet maple marble meadow mirror monsoon mosaic nectar nickel
ocean olive orbit orchid oyster paper pebble pepper phoenix pine planet prairie quartz quiver rabbit raven ribbon
river saffron sailor salmon silver spruce summit sunset thunder timber topaz tulip tundra valley velvet violet
walnut willow winter zenith""".split()
FIRST = "Ada Alan Barbara Claude Dennis Edsger Frances Grace Hedy Ida Joan Katherine Leslie Margaret Niklaus".split()
LAST = "Allen Clarke Dijkstra Engelbart Hamilton Hopper Johnson Lamarr Liskov Lovelace Ritchie Shannon Turing".split()


@dataclass(frozen=True)
class Body:
    """What a message carries: `tree` if it is JSON, and in any case its bytes."""

    kind: str
    text: str
    marked: tuple[tuple[str, str], ...] = ()
    tree: object = None

    @property
    def data(self) -> bytes:
        return self.text.encode()


def unmarked(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text without its marks, and what was marked: name, value."""
    values = []
    for match in MARKED.finditer(text):
        before = re.sub("[⟦⟧]", "", text[max(0, match.start() - 60):match.start()]).rsplit("\n", 1)[-1]
        values.append((before.strip()[-28:], match[1]))
    return MARKED.sub(lambda match: match[1], text), tuple(values)


def text(kind: str, marked: str) -> Body:
    plain, values = unmarked(marked)
    return Body(kind, plain, values)


def form(*pairs: tuple[str, str]) -> Body:
    return Body("application/x-www-form-urlencoded", urlencode(pairs), tuple((name, str(value)) for name, value in pairs))


def data(tree, kind: str = "application/json", indent: int | None = None) -> Body:
    separators = (",", ":") if indent is None else (",", ": ")
    return Body(kind, json.dumps(tree, indent=indent, separators=separators, ensure_ascii=False), tree=tree)


def leaves(tree, place: str = "$", name: str = ""):
    """Every leaf of a JSON value: place, name, value."""
    match tree:
        case dict():
            for key, value in tree.items():
                plain = re.fullmatch("[A-Za-z_][A-Za-z0-9_-]*", key)
                yield from leaves(value, f"{place}.{key}" if plain else f"{place}[{json.dumps(key)}]", key)
        case list():
            for index, value in enumerate(tree):
                yield from leaves(value, f"{place}[{index}]", name)
        case _:
            yield place, name, tree


@dataclass(frozen=True)
class Value:
    """An ordinary value where an API puts it."""

    exchange: str
    place: str
    name: str
    text: str


@dataclass
class Message:
    """One request with its response, as a client and an origin of that API say them."""

    title: str
    method: str
    target: str
    sent: Body | None
    body: Body | None
    request_fields: list[tuple[str, str]] = field(default_factory=list)
    response_fields: list[tuple[str, str]] = field(default_factory=list)
    status: str = "200 OK"
    marked: list[tuple[str, str, str]] = field(default_factory=list)
    credentials: list[tuple[str, str]] = field(default_factory=list)

    def values(self):
        for place, name, value in self.marked:
            yield Value(self.title, place, name, value)
        for place, body in (("request body", self.sent), ("response body", self.body)):
            yield from self._values_of(place, body)

    def _values_of(self, place: str, body: Body | None):
        if body is None:
            return
        for name, value in body.marked:
            yield Value(self.title, place, name, value)
        if body.tree is not None:
            for where, name, value in leaves(body.tree):
                if counts(value):
                    yield Value(self.title, f"{place} {where}", name, value if isinstance(value, str) else json.dumps(value))


def counts(value) -> bool:
    """Flags, nothing and the empty string are no values."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) or isinstance(value, str) and value != ""


def call(title, method, target, sent=None, body=None, asked=(), told=(), status="200 OK", credentials=()) -> Message:
    """An exchange; bodies are JSON trees or made by `text`, `form`, `data`. Targets and fields may be marked.

    Credentials are sent as fields that are secrets: no values, and nothing that a scan gets to see.
    """
    plain, values = unmarked(target)
    marked = [("target", name, value) for name, value in values]
    kept = {"request field": [], "response field": []}
    for side, fields in (("request field", asked), ("response field", told)):
        for name, value in fields:
            plain_value, values = unmarked(value)
            kept[side].append((name, plain_value))
            marked += [(f"{side} {name}", name, each) for _, each in values] or [(f"{side} {name}", name, value)]
    bodies = [each if each is None or isinstance(each, Body) else data(each) for each in (sent, body)]
    return Message(title, method, plain, *bodies, kept["request field"], kept["response field"], status, marked, list(credentials))


def get(title, target, body=None, **more) -> Message:
    return call(title, "GET", target, None, body, **more)


def post(title, target, sent, body=None, **more) -> Message:
    return call(title, "POST", target, sent, body, **more)


def query(**pairs) -> str:
    """A query whose values are marked as a client percent-encodes them."""
    return "?" + "&".join(f"{name}=⟦{quote(str(value), safe='')}⟧" for name, value in pairs.items())
