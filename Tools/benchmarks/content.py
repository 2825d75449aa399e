"""What is asked for: bodies on disk for nginx to serve, and scripts with which wrk asks for one after another."""

import json

SMALL_BYTES, LARGE_BYTES = 900, 64 * 1024
SMALL_COUNT, LARGE_COUNT = 1000, 100
#: Their interaction files have 1.8 kB each.
DOCUMENT_BYTES, DOCUMENT_COUNT = 830, 20_000
COMPACT = (",", ":")


WORDS = "the quick brown fox jumps over a lazy dog and runs on through wet grass to its den".split()


def body(number, size):
    """One JSON document of exactly `size` bytes, of the kind that an API gives: a few members and prose."""
    item = {
        "id": number, "name": f"item {number}", "price": 12.5 + number, "available": number % 3 > 0,
        "tags": ["new", "blue", f"shelf {number % 40}"], "owner": {"login": f"user{number % 97}", "admin": False},
        "created": f"2026-03-{1 + number % 28:02}T09:30:00Z", "text": ""}
    prose = " ".join(WORDS[(number + index) % len(WORDS)] for index in range(size // 4))
    item["text"] = prose[:size - len(json.dumps(item, separators=COMPACT))]
    return json.dumps(item, separators=COMPACT)


class Content:
    def __init__(self, folder):
        self.folder = folder
        self.files = folder / "files"
        for name, count, size in (("item", SMALL_COUNT, SMALL_BYTES), ("large", LARGE_COUNT, LARGE_BYTES)):
            (self.files / name).mkdir(parents=True)
            for number in range(count):
                (self.files / name / str(number)).write_text(body(number, size))

    def add_documents(self):
        """A document of its own for each of `/document/0` to `/document/19999`, once."""
        folder = self.files / "document"
        if not folder.exists():
            folder.mkdir()
            for number in range(DOCUMENT_COUNT):
                (folder / str(number)).write_text(body(number, DOCUMENT_BYTES))

    def script(self, name="item", count=SMALL_COUNT):
        """A wrk script that asks for `/NAME/0` to `/NAME/COUNT-1` in turn."""
        path = self.folder / f"{name}-{count}.lua"
        path.write_text(
            "local n = 0\n"
            f"request = function() n = (n + 1) % {count}; return wrk.format('GET', '/{name}/' .. n) end\n")
        return path

    def posts(self, count=SMALL_COUNT, size=800, reorders=False):
        """The bodies of `POST /query`: GraphQL of about 200 bytes and `size`, each with variables of its own; with
        their members in another order where `reorders`."""
        query = "query Item($id: ID!, $input: ItemInput) { item(id: $id, input: $input) { id name price owner { login } } }"
        bodies = [
            {"operationName": "Item", "query": query, "variables": {"input": json.loads(body(number, size))}}
            for number in range(count)]
        return [json.dumps(reordered(body) if reorders else body) for body in bodies]

    def post_script(self, count=SMALL_COUNT, size=800, reorders=False, is_unique=False):
        """A wrk script that sends the posts in turn, each with a field of its own where `is_unique`."""
        path = self.folder / f"posts-{count}-{size}-{reorders:d}{is_unique:d}.lua"
        bodies = ",\n".join(f"[==[{post}]==]" for post in self.posts(count, size, reorders))
        field = "X-Request-Id: \" .. string.format('%.0f', m) .. \"\\r\\n" if is_unique else ""
        # In wrk.format the order of the fields differs from process to process.
        path.write_text(
            f"local bodies = {{\n{bodies}}}\nlocal n = 0\nlocal m = os.time() * 1000000\n"
            "request = function() n = n % #bodies + 1; m = m + 1; return \"POST /query HTTP/1.1\\r\\nHost: \" .. "
            "wrk.host .. \":\" .. wrk.port .. \"\\r\\nContent-Type: application/json\\r\\n"
            f"{field}Content-Length: \" .. #bodies[n] .. \"\\r\\n\\r\\n\" .. bodies[n] end\n")
        return path


def reordered(value):
    """The same JSON with the members of every object in the opposite order."""
    if isinstance(value, dict):
        return {name: reordered(value[name]) for name in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value
