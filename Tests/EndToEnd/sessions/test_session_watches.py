"""Streams that have no end but the client's leaving: EventSource, Kubernetes' watches, a log that is followed."""

import itertools
import json
import subprocess
import threading
import time

import pytest
import requests
from kubernetes import client as kubernetes
from kubernetes import watch as kubernetes_watch

from deck import CLEAN, interactions
from origin import CHUNKED_HEAD, chunk, reply


def pods(count):
    return [{"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": f"pod-{n}", "namespace": "default", "uid": f"6f1c0b52-0c7e-4a5e-8f3b-0000000000{n:02}", "resourceVersion": f"{100 + n}"},
        "status": {"phase": "Pending"}} for n in range(count)]


def api_server(exchange):
    """As much of a Kubernetes API server as a client that lists and watches needs."""
    target = exchange.request.target
    if b"watch=" not in target:
        return reply(json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "103"},
                                 "items": pods(3)}).encode(), b"Content-Type: application/json")
    exchange.send(CHUNKED_HEAD.replace(b"text/plain", b"application/json"))
    for number in range(6):
        pod = pods(7)[number]
        pod["status"]["phase"] = ["Pending", "Running"][number % 2]
        pod["metadata"]["resourceVersion"] = f"{104 + number}"
        line = json.dumps({"type": "MODIFIED", "object": pod}).encode() + b"\n"
        for piece in (line[:40], line[40:]):  # kubectl reads lines however they are cut
            exchange.send(chunk(piece))
    exchange.wait_for_close()


def use_kubernetes(url, count=4):
    configuration = kubernetes.Configuration(host=url)
    configuration.proxy = None
    api = kubernetes.CoreV1Api(kubernetes.ApiClient(configuration))
    listed = api.list_namespaced_pod("default")
    watch, seen = kubernetes_watch.Watch(), []
    for event in watch.stream(
            api.list_namespaced_pod, "default", resource_version=listed.metadata.resource_version, _request_timeout=15):
        seen.append((event["type"], event["object"].metadata.name, event["object"].status.phase))
        if len(seen) == count:
            watch.stop()
    return [[pod.metadata.name for pod in listed.items], seen]


def test_kubernetes_lists_watches_and_leaves(rehearsal, origin):
    _, seen = rehearsal.both(origin(api_server), use_kubernetes)
    assert len(seen) == 4 and seen[1] == ["MODIFIED", "pod-1", "Running"]
    cut = [each for each in interactions(rehearsal.cassette).values() if "cut" in json.dumps(each["response"]) or each.get("cut")]
    assert len(cut) == 1, "the recording says that the client left"


def test_a_kubectl_that_is_interrupted(rehearsal, origin):
    """curl -N in kubectl's place, ended by a signal in the middle of the stream."""
    def script(url):
        process = subprocess.Popen(
            ["curl", "-q", "-sSN", f"{url}/api/v1/namespaces/default/pods?watch=true&resourceVersion=103"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=CLEAN)
        timer = threading.Timer(15, process.kill)
        timer.start()
        try:
            return [json.loads(process.stdout.readline()) for _ in range(6)]
        finally:
            process.terminate()
            process.wait()
            timer.cancel()
            process.stdout.close()

    assert len(rehearsal.both(origin(api_server), script)) == 6


class EventSource:
    """What a browser's EventSource does: reconnects with the last id it saw, until it is closed."""

    def __init__(self, url):
        self.url, self.last, self.seen = url, None, []

    def read(self, count, connections=1):
        for _ in range(connections):
            fields = {"Accept": "text/event-stream", "Cache-Control": "no-cache"}
            if self.last:
                fields["Last-Event-ID"] = self.last
            with requests.get(self.url, headers=fields, stream=True, timeout=15) as response:
                assert response.status_code == 200, response.text
                read = 0
                for line in response.iter_lines(chunk_size=1, decode_unicode=True):
                    if line.startswith("id: "):
                        self.last = line[4:]
                    elif line.startswith("data: "):
                        self.seen.append((self.last, line[6:]))
                        read += 1
                        if read == count:
                            break
        return self.seen


def ticks(exchange):
    """An endless stream; each connection goes on after the last id."""
    first = int(exchange.request.value(b"Last-Event-ID") or 0) + 1
    exchange.send(CHUNKED_HEAD.replace(b"text/plain", b"text/event-stream") + chunk(b": welcome\n\nretry: 500\n\n"))
    for number in itertools.count(first):
        exchange.send(chunk(b"id: %d\ndata: tick %d\n\n" % (number, number)))
        time.sleep(0.02)


def test_an_event_source_that_leaves(rehearsal, origin):
    seen = rehearsal.both(origin(ticks), lambda url: EventSource(f"{url}/ticks").read(5))
    assert [text for _, text in seen] == [f"tick {n}" for n in range(1, 6)]


def test_an_event_source_that_leaves_and_comes_back(rehearsal, origin):
    seen = rehearsal.both(origin(ticks), lambda url: EventSource(f"{url}/ticks").read(3, connections=3))
    assert [text for _, text in seen] == [f"tick {n}" for n in range(1, 10)]


def test_a_client_that_leaves_before_the_body_begins_is_told_of(origin, start, cassette):
    """There is nothing to keep; the run says which exchange it was, and why it is not in the recording."""
    deck = start("record", "--upstream", origin(lambda exchange: exchange.send(CHUNKED_HEAD) or exchange.wait_for_close()).url,
                 "--cassette", cassette)
    with requests.get(f"{deck.url}/quiet", stream=True, timeout=10) as response:
        assert response.status_code == 200
    deck.stop()
    assert not interactions(cassette) and "/quiet" in deck.stderr and "client left" in deck.stderr, deck.stderr


def test_a_stream_that_the_origin_cut_is_not_recorded(rehearsal, origin, start, cassette):
    """Cut by the client is a recording; cut by the origin is a failure, and the run says so."""
    def cut(exchange):
        if exchange.request.target == b"/whole":
            return reply(b"whole")
        exchange.send(CHUNKED_HEAD + chunk(b"one\n") + b"100\r\nhalf")
        raise ConnectionError  # closes the connection

    served = origin(cut)
    deck = start("record", "--upstream", served.url, "--cassette", cassette)
    assert requests.get(f"{deck.url}/whole", timeout=10).text == "whole"
    with pytest.raises(requests.RequestException):
        requests.get(f"{deck.url}/cut", timeout=10)
    deck.stop()
    assert len(interactions(cassette)) == 1
    assert "/cut" in deck.stderr and "1 failed" in deck.stderr, deck.stderr


def test_a_followed_log_and_other_requests_beside_it(rehearsal, origin):
    """The stream is open while the client asks for other things, and is left last."""
    def logs(exchange):
        if exchange.request.target != b"/log?follow=true":
            return reply(b"beside " + exchange.request.target)
        exchange.send(CHUNKED_HEAD)
        for number in range(4):
            exchange.send(chunk(b"line %d\n" % number))
        exchange.wait_for_close()

    def script(url):
        with requests.get(f"{url}/log?follow=true", stream=True, timeout=15) as following:
            lines = following.iter_lines(chunk_size=1)
            steps = []
            for number in range(4):
                steps.append(next(lines))
                steps.append(requests.get(f"{url}/{number}", timeout=15).text)
            return steps

    assert rehearsal.both(origin(logs), script)[-2:] == [b"line 3", "beside /3"]
