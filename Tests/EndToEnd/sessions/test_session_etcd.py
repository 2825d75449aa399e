"""etcd through its JSON gateway: keys, leases, transactions, and watches that the client leaves."""

import base64
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from real_servers import Etcd


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class Client:
    """What etcd's gateway users write: JSON over POST, keys in base64."""

    def __init__(self, url):
        self._url, self.steps = url, []

    def call(self, path, **body):
        response = requests.post(f"{self._url}/v3/{path}", json=body, timeout=20)
        self.steps.append((response.status_code, response.json()))
        return response.json()

    def put(self, key, value, **more):
        return self.call("kv/put", key=b64(key), value=b64(value), **more)

    def get(self, key, **more):
        return self.call("kv/range", key=b64(key), **more)

    def watch(self, key, count, created=None, **more):
        """The first `count` events on a key; then the client leaves, and the watch would have gone on."""
        request = {"create_request": {"key": b64(key), **more}}
        events = []
        with requests.post(f"{self._url}/v3/watch", json=request, stream=True, timeout=20) as response:
            assert response.status_code == 200, response.text
            for line in response.iter_lines(chunk_size=1):
                result = json.loads(line)["result"]
                if result.get("created") and created:
                    created.set()
                events += result.get("events", [])
                if len(events) >= count:
                    return events
        raise AssertionError(f"the watch ended after {len(events)} of {count} events")


def test_keys_leases_and_transactions(rehearsal, origins):
    def script(url):
        client = Client(url)
        client.call("maintenance/status")
        for number in range(3):
            client.put(f"config/{number}", f"value {number}")
        client.get("config/1")
        client.get("config/", range_end=b64("config0"), sort_order="DESCEND", sort_target="KEY")
        lease = client.call("lease/grant", TTL=600)["ID"]
        client.put("leased", "for a while", lease=lease)
        client.call("lease/timetolive", ID=lease, keys=True)
        client.call("kv/txn", compare=[{"target": "VALUE", "key": b64("config/1"), "value": b64("value 1")}],
                    success=[{"requestPut": {"key": b64("config/1"), "value": b64("changed")}}],
                    failure=[{"requestRange": {"key": b64("config/1")}}])
        client.get("config/1")
        client.call("kv/deleterange", key=b64("config/"), range_end=b64("config0"), prev_kv=True)
        client.get("config/1")
        return client.steps

    steps = rehearsal.both(origins(Etcd), script)
    assert steps[5][1]["count"] == "3" and "kvs" not in steps[-1][1]


def test_a_watch_that_the_client_leaves(rehearsal, origins):
    def script(url):
        client, created = Client(url), threading.Event()
        with ThreadPoolExecutor(1) as pool:
            watching = pool.submit(client.watch, "job/1", 3, created)
            watching.add_done_callback(lambda _: created.set())  # a watch that fails keeps nobody waiting
            assert created.wait(15)
            for state in ("queued", "running", "done"):
                client.put("job/1", state)
            events = watching.result(25)
        client.get("job/1")
        return [events, client.steps]

    events, _ = rehearsal.both(origins(Etcd), script)
    assert [base64.b64decode(event["kv"]["value"]) for event in events] == [b"queued", b"running", b"done"]


def test_a_watch_of_history_left_early_and_a_watch_of_another_key(rehearsal, origins):
    """The client leaves in the middle of what it was sent; the same watch again goes from the start."""
    def script(url):
        client = Client(url)
        for number in range(4):
            client.put("old", f"{number}")
        client.put("other", "x")
        return [client.watch("old", 2, start_revision="2"), client.watch("other", 1, start_revision="1"),
                client.watch("old", 4, start_revision="2")]

    watched = rehearsal.both(origins(Etcd), script)
    assert [len(events) for events in watched][1:] == [1, 4]


@pytest.mark.parametrize("wanted", [1, 3])
def test_a_replayed_watch_stays_open_where_the_client_had_left_it(rehearsal, origins, wanted):
    """A client that waits for more than was recorded waits, as it would have; it is not told that the watch ended."""
    def script(url, count=3):
        client = Client(url)
        for number in range(3):
            client.put("k", f"{number}")
        return client.watch("k", count, start_revision="2")[:wanted]

    recorded = rehearsal.record(origins(Etcd), script)

    def waits_for_more(url):
        client = Client(url)
        for number in range(3):
            client.put("k", f"{number}")
        request = {"create_request": {"key": b64("k"), "start_revision": "2"}}
        events = []
        with requests.post(f"{url}/v3/watch", json=request, stream=True, timeout=1.5) as response:
            with pytest.raises(requests.ConnectionError, match="Read timed out"):
                for line in response.iter_lines(chunk_size=1):
                    events += json.loads(line)["result"].get("events", [])
        return events[:wanted]

    assert rehearsal.replay(waits_for_more) == recorded
