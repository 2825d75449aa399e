"""Tapedeck under test: its servers, and the cassettes they play."""

import http.client
import json

from content import DOCUMENT_COUNT, LARGE_COUNT, SMALL_COUNT
from machine import SERVER_CORE, Server, run
from peers import ORIGIN_PORT

ORIGIN = f"http://127.0.0.1:{ORIGIN_PORT}"


class Tapedeck:
    def __init__(self, command, folder, nginx):
        self.command, self.folder, self.nginx = command, folder, nginx
        self.runs = 0

    def start(self, *words, threads=1, core=SERVER_CORE, under=()):
        self.runs += 1
        ready = self.folder / f"ready-{self.runs}"
        return Server(
            self.command, *words, "--port", 0, "--quiet", "--threads", threads, "--ready-file", ready,
            ready_file=ready, core=core, under=under)

    def replay(self, count=SMALL_COUNT, **options):
        return self.start("replay", "--cassette", self.cassette("item", count), **options)

    def replay_tls(self, **options):
        certificate, key = self.nginx.certificate()
        return self.start(
            "replay", "--cassette", self.cassette("item", SMALL_COUNT), "--tls-cert", certificate, "--tls-key", key,
            **options)

    def replay_posts(self, *words, count=SMALL_COUNT, size=800, **options):
        """Replay of requests with a JSON body; `--no-redact` as a word records and replays without redaction."""
        path = self.folder / f"cassette-posts-{count}-{size}{''.join(words)}"
        if not path.exists():
            with self.nginx.any_origin(), self.start("record", "--upstream", ORIGIN, "--cassette", path, *words) as server:
                client = http.client.HTTPConnection(server.url.removeprefix("http://"))
                for post in self.nginx.content.posts(count, size):
                    client.request("POST", "/query", post, {"Content-Type": "application/json"})
                    assert client.getresponse().read()
        return self.start("replay", "--cassette", path, **options)

    def replay_documents(self, **options):
        return self.start("replay", "--cassette", self.documents(), **options)

    def documents(self):
        """20,000 interactions of 36 MB, none like another."""
        self.nginx.content.add_documents()
        return self._recorded("document", DOCUMENT_COUNT, self.nginx.origin)

    def replay_large(self, **options):
        return self.start("replay", "--cassette", self.cassette("large", LARGE_COUNT), **options)

    def overridden(self, **options):
        """Replay with 1,000 routes before the cassette, 100 patches over it and the journal on; none of the rules is for
        what is asked."""
        routes = [{"path": f"/item/{{id}}/part/{number}", "status": 503} for number in range(1000)]
        patches = [{"path": f"/other/{number}", "status": 503} for number in range(100)]
        return self._with_overrides({"routes": routes, "patches": patches}, "--journal", 16, **options)

    def route(self, **options):
        """One declared route with a parameter, which answers everything."""
        document = {"id": 1, "name": "Octocat", "login": "octocat", "admin": False}
        return self._with_overrides({"routes": [{"path": "/item/{id}", "json": document}]}, **options)

    def mock(self, command, **options):
        """One dynamic route, in Swift."""
        self.runs += 1
        ready = self.folder / f"ready-{self.runs}"
        return Server(command, "serve", ready, ready_file=ready, **options)

    def _with_overrides(self, rules, *words, **options):
        path = self.folder / f"overrides-{len(rules['routes'])}.json"
        path.write_text(json.dumps(rules))
        return self.start(
            "serve", "--mode", "none", "--cassette", self.cassette("item", SMALL_COUNT), "--overrides", path, *words,
            **options)

    def passthrough(self, **options):
        return self.start("serve", "--mode", "passthrough", "--upstream", ORIGIN, **options)

    def record(self, *words, **options):
        folder = self.folder / f"recording-{self.runs}"
        return self.start("record", "--upstream", ORIGIN, "--cassette", folder, *words, **options)

    def cassette(self, name, count):
        return self._recorded(name, count, self.nginx.origin if count <= SMALL_COUNT else self.nginx.any_origin)

    def _recorded(self, name, count, origin):
        """Recorded by Tapedeck itself, once."""
        path = self.folder / f"cassette-{name}-{count}"
        if not path.exists():
            with origin(), self.start("record", "--upstream", ORIGIN, "--cassette", path) as server:
                run("curl", "-sf", "-o", "/dev/null", f"{server.url}/{name}/[0-{count - 1}]")
        return path
