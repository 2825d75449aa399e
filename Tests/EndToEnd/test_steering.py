"""One proxy on a recorded session: a route overrides one endpoint, a resource serves another, a patch changes a third, a
fault breaks a fourth, and all the rest replays; each is changed through the admin API while many clients ask."""

import http.client
import json
import threading

from deck import ROOT
from steering import steered

HTTPBIN = ROOT / "Cassettes" / "httpbin"
CLIENTS = 64
CHANGES = 25


class Version:
    """What a client may see of something that is being changed: nothing older than what was confirmed when it asked,
    nothing newer than what was begun when it got its answer."""

    def __init__(self):
        self.begun = self.confirmed = 0

    def change(self, apply):
        self.begun += 1
        apply(self.begun)
        self.confirmed = self.begun


class Client(threading.Thread):
    """Asks one thing after the other on a connection of its own, until it is told to stop."""

    def __init__(self, number, port, checks, stopping):
        super().__init__()
        self.number, self.port, self.checks, self.stopping = number, port, checks, stopping
        self.count, self.failures, self.broken = 0, [], 0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        turn = self.number
        while not self.stopping.is_set() and not self.failures:
            path, check, version = self.checks[turn % len(self.checks)]
            turn += 1
            oldest = version.confirmed
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                seen = (answer.status, answer.read())
            except (ConnectionError, http.client.HTTPException) as error:
                connection.close()
                seen = (None, repr(error).encode())
                self.broken += 1
            newest = version.begun
            self.count += 1
            if not check(seen, oldest, newest):
                self.failures.append((path, seen[0], seen[1][:200], oldest, newest))
        connection.close()


def fetch_one(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    found = (answer.status, answer.read())
    connection.close()
    return found


def test_everything_changes_under_64_clients_and_nobody_sees_a_wrong_answer(start, figure):
    deck, admin = steered(start, "replay", "--cassette", HTTPBIN, "--quiet")
    port = int(deck.url.rsplit(":", 1)[1])
    recorded = {path: fetch_one(port, path) for path in ("/json", "/gzip", "/encoding/utf8", "/image/png")}
    route, resource, patch, fault, still = (Version() for _ in range(5))

    def put_route(n):
        admin.put("/routes/r", {"path": "/uuid", "json": {"n": n}})

    def put_patch(n):
        admin.put("/patches/p", {"path": "/json", "json": [{"set": "$.slideshow.title", "value": f"n{n}"}]})

    def put_data(n):
        admin.put("/resources/things/data", [{"id": 1, "n": n}])

    def put_fault(n):
        # Broken in odd versions, whole in even ones.
        if n % 2:
            admin.put("/faults/f", {"path": "/gzip", "type": "reset_peer"})
        else:
            admin.delete("/faults/f")

    admin.put("/resources/things", {"path": "/things"})
    for version, put in [(route, put_route), (resource, put_data), (patch, put_patch), (fault, put_fault)]:
        version.change(put)

    def numbered(read):
        def check(seen, oldest, newest):
            try:
                return seen[0] == 200 and oldest <= read(json.loads(seen[1])) <= newest
            except (ValueError, KeyError, IndexError, TypeError):
                return False
        return check

    def patched(body):
        title = body["slideshow"].pop("title")
        whole = json.loads(recorded["/json"][1])
        del whole["slideshow"]["title"]
        return int(title[1:]) if body == whole else -1

    def faulty(seen, oldest, newest):
        broken = seen[0] is None
        return (broken or seen == recorded["/gzip"]) and any(n % 2 == broken for n in range(oldest, newest + 1))

    def same(path):
        return lambda seen, _, __: seen == recorded[path]

    checks = [
        ("/uuid", numbered(lambda body: body["n"]), route), ("/encoding/utf8", same("/encoding/utf8"), still),
        ("/things", numbered(lambda body: body[0]["n"]), resource), ("/image/png", same("/image/png"), still),
        ("/json", numbered(patched), patch), ("/gzip", faulty, fault),
    ]
    stopping = threading.Event()
    clients = [Client(number, port, checks, stopping) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        for _ in range(CHANGES):
            for version, put, path, expected in [
                (route, put_route, "/uuid", numbered(lambda body: body["n"])),
                (resource, put_data, "/things", numbered(lambda body: body[0]["n"])),
                (patch, put_patch, "/json", numbered(patched)),
            ]:
                version.change(put)
                # The very next request sees it.
                assert expected(fetch_one(port, path), version.begun, version.begun)
            fault.change(put_fault)
    finally:
        stopping.set()
        for client in clients:
            client.join(60)
    failures = [failure for client in clients for failure in client.failures]
    asked = sum(client.count for client in clients)
    assert not failures, failures[:3]
    assert sum(client.broken for client in clients) > 0 and asked > 20 * CLIENTS
    figure(f"{asked:,} requests of {CLIENTS} clients under {4 * CHANGES} changes by the admin API", "0 wrong, 0 crossed")
    deck.stop()
