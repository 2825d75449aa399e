"""Streams of events, bent: patches by event, routes with `events`, and clients that pick a stream up in its middle."""

import json
import re
import sys
import threading
import time

import anthropic
import jsonschema
import openai
import pytest

from deck import ROOT, interactions, run
from origin import LAST_CHUNK, bare, chunk, reply
from wire import Wire, fetch

sys.path.insert(0, str(ROOT / "Tests/EndToEnd/sessions"))
from models import Models  # noqa: E402

SSE = b"Content-Type: text/event-stream"
HEAD = bare(b"HTTP/1.1 200 OK", SSE, b"ETag: \"1\"", b"Transfer-Encoding: chunked")
ARTICLE = ROOT / "Sources/Tapedeck/Tapedeck.docc/EventStreams.md"


def parse(text: bytes) -> list[tuple[str, str, str]]:
    """The events that a browser would dispatch, by the words of WHATWG HTML §9.2.6: type, data, last event id."""
    text = text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    found, kind, data, last = [], "", None, ""
    lines = re.split(r"\r\n|\n|\r", text)
    for line in lines[:-1]:
        if not line:
            if data is not None:
                found.append((kind or "message", data.removesuffix("\n"), last))
            kind, data = "", None
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                kind = value
            elif name == "data":
                data = (data or "") + value + "\n"
            elif name == "id" and "\0" not in value:
                last = value
    return found


@pytest.fixture
def bent(start, peer, cassette, tmp_path):
    """What a client gets of a stream that rules bend: recorded and replayed, and live, which must be equal."""

    def bent(pieces: list[bytes], rules: dict, head: bytes = HEAD, live_too: bool = True) -> bytes:
        def script(line):
            while True:
                line.request()
                line.send(head)
                for piece in pieces:
                    line.send(chunk(piece))
                    time.sleep(0.002)
                line.send(LAST_CHUNK)

        upstream = peer(script)
        deck = start("record", "--upstream", upstream.url, "--cassette", cassette)
        assert fetch(deck.url, "/stream").body == b"".join(pieces)
        assert deck.stop() == 0
        file = tmp_path / "rules.json"
        file.write_text(json.dumps(rules))
        replay = start("replay", "--cassette", cassette, "--overrides", file)
        paced = start("replay", "--cassette", cassette, "--overrides", file, "--pace", "10x")
        live = start("serve", "--mode", "passthrough", "--upstream", upstream.url, "--overrides", file)
        answers = [fetch(deck.url, "/stream") for deck in (replay, paced, live)]
        assert [answer.body for answer in answers] == [answers[0].body] * 3
        for answer in answers:
            assert answer.value(b"ETag") is None or "patches" not in rules
        return answers[0].body

    return bent


def patch(*edits, **members) -> dict:
    return {"patches": [{"id": "bend", "path": "/stream", "events": list(edits), **members}]}


FIVE = [b"event: tick\nid: %d\ndata: {\"n\": %d, \"word\": \"w%d\"}\n\n" % (n, n, n) for n in range(1, 6)]


# Edits


@pytest.mark.parametrize(("edits", "expected"), [
    ([{"at": 2, "drop": True}], [1, 3, 4, 5]),
    ([{"at": [1, 5], "drop": True}], [2, 3, 4]),
    ([{"jsonPath": {"$.n": [2, 3]}, "drop": True}], [1, 4, 5]),
    ([{"data": {"contains": "w4"}, "drop": True}], [1, 2, 3, 5]),
    ([{"event": "tick", "drop": True}], []),
    ([{"event": "tock", "drop": True}], [1, 2, 3, 4, 5]),
    ([{"event": False, "drop": True}], [1, 2, 3, 4, 5]),
    ([{"at": 3, "cut": True}], [1, 2, 3]),
    ([{"at": 3, "drop": True, "cut": True}], [1, 2]),
    ([{"at": 1, "json": [{"set": "$.n", "value": 10}]}], [10, 2, 3, 4, 5]),
    ([{"json": [{"set": "$.n", "value": 0}]}, {"jsonPath": {"$.n": 2}, "drop": True}], [0, 0, 0, 0, 0]),
    ([{"at": 2, "before": [{"json": {"n": 8}}], "after": [{"json": {"n": 9}}]}], [1, 8, 2, 9, 3, 4, 5]),
    ([{"at": 2, "drop": True, "after": [{"json": {"n": 9}}]}], [1, 9, 3, 4, 5]),
    ([{"replace": {"text": '"n": 3', "with": '"n": 33'}}], [1, 2, 33, 4, 5]),
    ([{"at": 9, "drop": True}], [1, 2, 3, 4, 5]),
])
def test_edits(bent, edits, expected):
    body = bent(FIVE, patch(*edits))
    assert [json.loads(data)["n"] for _, data, _ in parse(body)] == expected


def test_what_is_not_named_stays_byte_for_byte(bent):
    pieces = [b": hello\n\n", b"event:tick\ndata:{ \"a\" :1.50, \"b\":2}\nid:7\nretry: 10\nfoo\n\n", b"data: x\ndata:\n\n", b"\n\n", b"data: end"]
    body = bent(pieces, patch({"at": 1, "json": [{"set": "$.b", "value": 3}]}))
    assert body == b"".join(pieces).replace(b'data:{ "a" :1.50, "b":2}', b'data: {"a":1.50,"b":3}')


def test_style_and_lines_are_kept(bent):
    piece = b"event: e\ndata: {\ndata:   \"a\": 1,\ndata:   \"b\": 2\ndata: }\n: between\n\n"
    body = bent([piece], patch({"json": [{"set": "$.a", "value": 9}]}))
    assert body == piece.replace(b'"a": 1', b'"a": 9')


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("cut", ["whole", "bytes", "lines"])
def test_every_line_end_and_every_cut(bent, end, cut):
    text = b"\xef\xbb\xbf: comment\ndata: {\"n\": 1}\n\nevent: a\ndata: {\"n\":\ndata: 2}\n\n\n\ndata\n\ndata:\n\ndata: {\"n\": \"\xc3\xa9\xf0\x9f\x8e\x9e\"}\n\n"
    text = text.replace(b"\n", end)
    pieces = {"whole": [text], "bytes": [text[n:n + 1] for n in range(len(text))], "lines": re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)", text)}[cut]
    body = bent(pieces, patch({"jsonPath": {"$.n": {"exists": True}}, "json": [{"set": "$.x", "value": True}]}))
    before, after = parse(text), parse(body)
    assert len(before) == len(after) == 5
    for (kind, old, _), (other, new, _) in zip(before, after):
        assert kind == other
        if "n" in old:
            assert json.loads(new) == {**json.loads(old), "x": True}
        else:
            assert new == old
    assert body.startswith(b"\xef\xbb\xbf: comment" + end)
    assert set(re.findall(rb"\r\n|\n|\r", body)) == {end}


def test_an_event_that_never_ends_is_passed_on(bent):
    """WHATWG HTML §9.2.6: an event without its blank line is none."""
    body = bent([*FIVE[:2], b"data: {\"n\": 3}\n"], patch({"json": [{"set": "$.n", "value": 0}]}))
    assert body.endswith(b'data: {"n": 3}\n')
    assert [json.loads(data)["n"] for _, data, _ in parse(body)] == [0, 0]


@pytest.mark.parametrize("kind", [b"application/x-ndjson", b"application/ndjson; charset=utf-8", b"application/jsonl"])
def test_lines_of_json(bent, kind):
    head = bare(b"HTTP/1.1 200 OK", b"Content-Type: " + kind, b"Transfer-Encoding: chunked")
    pieces = [b'{"n": 1}\n{"n"', b': 2}\r\n\n{"n": 3}\n{"n": 4}']
    body = bent(pieces, patch(
        {"at": 2, "json": [{"set": "$.n", "value": 20}]}, {"at": 3, "drop": True, "after": [{"json": {"n": 5}}]},
        {"at": 4, "json": [{"set": "$.last", "value": True}]}), head)
    assert body == b'{"n": 1}\n{"n": 20}\r\n\n{"n":5}\n{"n": 4, "last": true}'


def test_inserted_events_have_every_field(bent):
    body = bent(FIVE[:1], patch({"at": 1, "before": [
        {"comment": "first\nsecond", "event": "note", "id": "x", "retry": 250, "data": "two\nlines"}, {"comment": "alone"}]}))
    assert body == b": first\n: second\nevent: note\nid: x\nretry: 250\ndata: two\ndata: lines\n\n: alone\n\n" + FIVE[0]


def test_events_go_out_one_by_one(start, peer, tmp_path):
    """A live stream is not held: an event is there before the next one is sent."""
    gate = threading.Semaphore(0)

    def script(line):
        line.request()
        line.send(HEAD)
        for event in FIVE:
            line.send(chunk(event[:9]))
            line.send(chunk(event[9:]))
            assert gate.acquire(timeout=10)
        line.send(LAST_CHUNK)

    (tmp_path / "rules.json").write_text(json.dumps(patch({"json": [{"set": "$.n", "value": 0}]})))
    deck = start("serve", "--mode", "passthrough", "--upstream", peer(script).url, "--overrides", tmp_path / "rules.json")
    with Wire(deck.url) as line:
        line.ask(b"/stream")
        line.head()
        for n in range(1, 6):
            assert line.chunk() == b'event: tick\nid: %d\ndata: {"n": 0, "word": "w%d"}\n\n' % (n, n)
            gate.release()
        assert line.chunk() == b""


def test_a_cut_ends_an_endless_stream(start, peer, tmp_path):
    left = threading.Event()

    def script(line):
        line.request()
        line.send(HEAD)
        for event in FIVE:
            line.send(chunk(event))
        line.wait_for_close()
        left.set()

    (tmp_path / "rules.json").write_text(json.dumps(patch({"at": 3, "cut": True})))
    deck = start("serve", "--mode", "passthrough", "--upstream", peer(script).url, "--overrides", tmp_path / "rules.json")
    with Wire(deck.url) as line:
        line.ask(b"/stream")
        assert len(parse(line.answer().body)) == 3
        assert left.wait(10), "the origin still sends"
        line.ask(b"/other")  # the connection is in order
    deck.stop()


def test_head_and_explanation(start, peer, cassette, tmp_path):
    def script(line):
        while True:
            kind = SSE if line.request().target == b"/stream" else b"Content-Type: application/json"
            body = b"".join(FIVE) if kind is SSE else b'{"n": 1}'
            line.send(reply(body, kind))

    deck = start("record", "--upstream", peer(script).url, "--cassette", cassette)
    fetch(deck.url, "/stream"), fetch(deck.url, "/stream-not")
    deck.stop()
    rules = {"patches": [
        {"id": "a", "path": "/*", "events": [{"at": 9, "drop": True}]},
        {"id": "b", "path": "/*", "events": [{"at": 1, "json": [{"set": "$.none.there", "value": 1}]}], "status": 206},
        {"id": "c", "path": "/*", "truncate": 4}]}
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    deck = start("replay", "--cassette", cassette, "--overrides", tmp_path / "rules.json", "--explain")
    answer = fetch(deck.url, "/stream")
    assert answer.status == 206 and len(answer.body) == int(answer.value(b"Content-Length"))
    shown = answer.value(b"Tapedeck-Answer").decode()
    assert "no event fits" in shown and "$.none.there selects nothing" in shown and "a stream of events is not held" in shown
    answer = fetch(deck.url, "/stream-not")
    assert answer.body == b'{"n"' and "this is no stream of events" in answer.value(b"Tapedeck-Answer").decode()


# Routes


def serve(start, tmp_path, rules, *options):
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    return start("serve", "--overrides", tmp_path / "rules.json", *options)


def test_a_route_with_events(start, tmp_path):
    deck = serve(start, tmp_path, {"routes": [{"path": "/clock/{zone}", "headers": {"Cache-Control": "no-store"}, "events": [
        {"event": "tick", "id": "1", "json": {"zone": "{{components.zone}}", "n": "{{query.n}}"}},
        {"data": "a\n{{query.n}}"}, {"comment": "still here"}, {"retry": 99, "json": [1]}]}]})
    answer = fetch(deck.url, "/clock/utc?n=7")
    assert answer.value(b"Content-Type") == b"text/event-stream" and answer.value(b"Cache-Control") == b"no-store"
    assert answer.chunks == [
        b'event: tick\nid: 1\ndata: {"zone":"utc","n":"7"}\n\n', b"data: a\ndata: 7\n\n", b": still here\n\n", b"retry: 99\ndata: [1]\n\n"]
    assert fetch(deck.url, "/clock/utc", method=b"HEAD").value(b"Content-Type") == b"text/event-stream"


def test_a_route_with_lines(start, tmp_path):
    deck = serve(start, tmp_path, {"routes": [{
        "path": "/rows", "headers": {"Content-Type": "application/x-ndjson"},
        "events": [{"json": {"n": 1}}, {"comment": "nothing here"}, {"data": '{"n":\n2}'}]}]})
    assert fetch(deck.url, "/rows").body == b'{"n":1}\n{"n": 2}\n'


def test_pace(start, tmp_path):
    deck = serve(start, tmp_path, {"routes": [{"path": "/", "pace": 0.1, "events": [
        {"data": "1"}, {"data": "2"}, {"data": "3", "delay": 0.3}, {"data": "4", "delay": {"min": 0, "max": 0.01}}]}]})
    with Wire(deck.url) as line:
        began = time.monotonic()
        line.ask(b"/")
        line.head()
        times = []
        while line.chunk():
            times.append(time.monotonic() - began)
    for expected, taken in zip([0, 0.1, 0.4, 0.4], times):
        assert expected - 0.01 <= taken <= expected + 0.09


def test_an_open_stream(start, tmp_path):
    deck = serve(start, tmp_path, {"routes": [{"path": "/", "open": True, "events": [{"data": "1"}]}]})
    with Wire(deck.url) as line:
        line.ask(b"/")
        line.head()
        assert line.chunk() == b"data: 1\n\n"
        line.socket.settimeout(0.4)
        with pytest.raises(TimeoutError):
            line.socket.recv(1)
    assert deck.stop() == 0


def test_a_client_goes_on_where_it_was(start, tmp_path):
    deck = serve(start, tmp_path, {"routes": [{"path": "/", "events": [{"id": str(n), "data": str(n)} for n in range(4)]}]})
    for last, expected in [(b"0", "123"), (b"2", "3"), (b"3", ""), (b"9", "0123"), (b"", "0123")]:
        answer = fetch(deck.url, "/", b"Last-Event-ID: " + last)
        assert [data for _, data, _ in parse(answer.body)] == list(expected)


def test_a_slow_reader_costs_no_memory(start, tmp_path):
    deck = serve(start, tmp_path, {"routes": [{"path": "/", "events": [{"data": "x" * 100_000}] * 400}]})
    before = deck.mebibytes("VmRSS")
    lines = [Wire(deck.url) for _ in range(20)]
    for line in lines:
        line.ask(b"/")
    time.sleep(0.5)
    # An event is written when it is sent, and no more is queued than a window.
    assert deck.mebibytes("VmRSS") < before + 32
    assert len(lines[0].answer().body) == 400 * (100_000 + len("data: \n\n"))
    for line in lines:
        line.close()


BAD = [
    {"routes": [{"path": "/", "events": []}]}, {"routes": [{"path": "/", "events": [{}]}]}, {"routes": [{"path": "/", "events": {}}]},
    {"routes": [{"path": "/", "events": [{"json": 1, "data": "a"}]}]}, {"routes": [{"path": "/", "events": [{"event": "a"}]}]},
    {"routes": [{"path": "/", "events": [{"event": "a\nb", "data": "c"}]}]}, {"routes": [{"path": "/", "events": [{"id": "", "data": "c"}]}]},
    {"routes": [{"path": "/", "events": [{"data": "a"}], "json": 1}]}, {"routes": [{"path": "/", "pace": 1}]}, {"routes": [{"path": "/", "open": True}]},
    {"routes": [{"path": "/", "events": [{"data": "a", "dely": 1}]}]}, {"routes": [{"path": "/", "sequence": [{}], "events": [{"data": "a"}]}]},
    {"patches": [{"path": "/", "events": []}]}, {"patches": [{"path": "/", "events": [{}]}]}, {"patches": [{"path": "/", "events": [{"at": 1}]}]},
    {"patches": [{"path": "/", "events": [{"at": 0, "drop": True}]}]}, {"patches": [{"path": "/", "events": [{"drop": True, "json": [{"remove": "$.a"}]}]}]},
    {"patches": [{"path": "/", "events": [{"after": []}]}]}, {"patches": [{"path": "/", "events": [{"event": None, "drop": True}]}]},
    {"patches": [{"path": "/", "events": [{"jsonPath": {"a": 1}, "drop": True}]}]}, {"patches": [{"path": "/", "events": [{"cut": 3}]}]},
]
GOOD = [
    {"routes": [{"path": "/", "events": [{"data": ""}], "pace": {"min": 0, "max": 1}, "open": False}]},
    {"routes": [{"path": "/", "sequence": [{"status": 503}, {"events": [{"json": None}], "pace": 0.1}]}]},
    {"routes": [{"path": "/", "events": [{"comment": ""}, {"retry": 0}, {"event": "e", "id": "i", "json": {"a": [1]}, "delay": 1}]}]},
    {"patches": [{"path": "/", "events": [{"at": [1, 2], "event": ["a", "b"], "data": {"startsWith": "{"}, "jsonPath": {"$.a": {"exists": True}}, "drop": True}]}]},
    {"patches": [{"path": "/", "events": [{"drop": False, "json": [{"remove": "$.a"}]}, {"cut": True}, {"replace": [{"text": "a", "with": "b"}]}]}]},
]


@pytest.mark.parametrize("rules", BAD + GOOD, ids=lambda rules: json.dumps(rules)[:60])
def test_schema_and_program_agree(tmp_path, rules):
    schema = jsonschema.Draft202012Validator(json.loads(run("schema", "overrides").stdout))
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    done = run("lint", tmp_path / "rules.json")
    assert (done.returncode == 0) == schema.is_valid(rules) == (rules in GOOD), done.stdout + done.stderr


def test_the_article(start, tmp_path):
    examples = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", ARTICLE.read_text(), re.S)]
    assert len(examples) == 2
    schema = json.loads(run("schema", "overrides").stdout)
    for example in examples:
        jsonschema.validate(example, schema, jsonschema.Draft202012Validator)
    deck = serve(start, tmp_path, examples[1])
    answer = fetch(deck.url, "/v1/chat/completions", method=b"POST", body=b'{"stream": true}')
    assert answer.body.endswith(b"data: [DONE]\n\n")
    assert len(parse(fetch(deck.url, "/clock").body)) == 3


# A recorded stream, picked up in its middle


def test_a_recorded_stream_is_picked_up(start, peer, cassette):
    def script(line):
        while True:
            last = line.request().value(b"Last-Event-ID")
            line.send(HEAD)
            for n, event in enumerate(FIVE, 1):
                if last is None or int(last) < n:
                    line.send(chunk(event[:7]) + chunk(event[7:]))
                    time.sleep(0.1)
            line.send(LAST_CHUNK)

    deck = start("record", "--upstream", peer(script).url, "--cassette", cassette)
    whole = fetch(deck.url, "/stream").body
    assert whole == b"".join(FIVE)
    deck.stop()
    deck = start("replay", "--cassette", cassette)
    for last in range(1, 6):
        assert fetch(deck.url, "/stream", b"Last-Event-ID: %d" % last).body == b"".join(FIVE[last:])
    assert fetch(deck.url, "/stream", b"Last-Event-ID: unheard").body == whole
    assert fetch(deck.url, "/stream").body == whole
    deck.stop()
    deck = start("replay", "--cassette", cassette, "--pace", "recorded")
    began = time.monotonic()
    assert fetch(deck.url, "/stream", b"Last-Event-ID: 3").body == b"".join(FIVE[3:])
    assert 0.08 < time.monotonic() - began < 0.3, "the pauses are those after the event"


def test_a_recorded_reconnection_is_replayed_as_it_was(start, peer, cassette):
    def script(line):
        while True:
            last = line.request().value(b"Last-Event-ID")
            line.send(reply(FIVE[0] if last is None else b"id: 1\ndata: again\n\n" + FIVE[1], SSE))

    deck = start("record", "--upstream", peer(script).url, "--cassette", cassette)
    answers = [fetch(deck.url, "/stream").body, fetch(deck.url, "/stream", b"Last-Event-ID: 1").body]
    deck.stop()
    deck = start("replay", "--cassette", cassette)
    assert [fetch(deck.url, "/stream").body, fetch(deck.url, "/stream", b"Last-Event-ID: 1").body] == answers


# The SDKs


@pytest.fixture
def models():
    models = Models()
    yield models
    models.stop()


def recorded_talk(start, models, cassette, talk):
    deck = start("record", "--upstream", models.url, "--cassette", cassette)
    said = talk(deck.url)
    assert deck.stop() == 0, deck.stderr
    return said


def chat(url):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="sk-test", max_retries=0)
    stream = client.chat.completions.create(
        model="gpt-4o", stream=True, messages=[{"role": "user", "content": "hello"}])
    return [each.choices[0].delta.content or "" for each in stream if each.choices]


def message(url):
    client = anthropic.Anthropic(base_url=url, api_key="sk-ant-test", max_retries=0)
    with client.messages.stream(
            model="claude-sonnet-4-5", max_tokens=99, messages=[{"role": "user", "content": "hello"}]) as stream:
        texts = list(stream.text_stream)
        return texts, stream.get_final_message().stop_reason


def replayed(start, cassette, tmp_path, rules):
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    return start("replay", "--cassette", cassette, "--overrides", tmp_path / "rules.json", "--pace", "100x").url


def test_openai_reads_a_bent_stream(start, models, cassette, tmp_path):
    said = recorded_talk(start, models, cassette, chat)
    url = replayed(start, cassette, tmp_path, {"patches": [{"path": "/v1/chat/completions", "events": [
        {"at": 2, "json": [{"set": "$.choices[0].delta.content", "value": "Grüezi"}]},
        {"jsonPath": {"$.choices[0].delta.content": "decks"}, "drop": True},
        {"data": "[DONE]", "before": [{"json": {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [
            {"index": 0, "delta": {"content": "the end"}, "finish_reason": "length"}]}}]}]}]})
    expected = [said[0], "Grüezi", *[word for word in said[2:] if word != "decks"], "the end"]
    assert chat(url) == expected


def test_openai_without_done_and_with_an_error(start, models, cassette, tmp_path):
    said = recorded_talk(start, models, cassette, chat)
    url = replayed(start, cassette, tmp_path, {"patches": [{"path": "/v1/*", "events": [{"at": 4, "cut": True}]}]})
    assert chat(url) == said[:4]
    url = replayed(start, cassette, tmp_path, {"patches": [{"path": "/v1/*", "events": [
        {"at": 4, "drop": True, "after": [{"json": {"error": {"message": "overloaded", "type": "server_error"}}}], "cut": True}]}]})
    with pytest.raises(openai.APIError, match="overloaded"):
        chat(url)


def test_anthropic_reads_a_bent_stream(start, models, cassette, tmp_path):
    texts, _ = recorded_talk(start, models, cassette, message)
    url = replayed(start, cassette, tmp_path, {"patches": [{"path": "/v1/messages", "events": [
        {"event": "ping", "drop": True},
        {"event": "content_block_delta", "replace": {"text": "hello", "with": "goodbye"}},
        {"event": "message_delta", "json": [{"set": "$.delta.stop_reason", "value": "max_tokens"}]}]}]})
    assert message(url) == ([text.replace("hello", "goodbye") for text in texts], "max_tokens")


def test_anthropic_is_told_of_an_overload_in_the_middle(start, models, cassette, tmp_path):
    recorded_talk(start, models, cassette, message)
    url = replayed(start, cassette, tmp_path, {"patches": [{"path": "/v1/messages", "events": [{"at": 5, "cut": True, "after": [
        {"event": "error", "json": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}}]}]}]})
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        message(url)


def test_both_read_what_is_only_declared(start, tmp_path):
    base = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deck = serve(start, tmp_path, {"routes": [
        {"path": "/v1/chat/completions", "method": "POST", "pace": 0.01, "events": [
            *({"json": {**base, "choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}} for word in ("a", "b")),
            {"data": "[DONE]"}]},
        {"path": "/v1/messages", "method": "POST", "events": [{"event": each["type"], "json": each} for each in [
            {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "{{body.model}}", "content": [],
                                                  "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 2}},
            {"type": "message_stop"}]]}]})
    assert chat(deck.url) == ["a", "b"]
    assert message(deck.url) == (["a"], "end_turn")


def test_the_cassette_holds_what_the_origin_said(start, peer, cassette, tmp_path):
    def script(line):
        line.request()
        line.send(HEAD + b"".join(chunk(event) for event in FIVE) + LAST_CHUNK)

    (tmp_path / "rules.json").write_text(json.dumps(patch({"at": 1, "drop": True})))
    deck = start("record", "--upstream", peer(script).url, "--cassette", cassette, "--overrides", tmp_path / "rules.json")
    assert fetch(deck.url, "/stream").body == b"".join(FIVE[1:])
    assert deck.stop() == 0
    (interaction,) = interactions(cassette).values()
    assert "".join(interaction["response"]["body"]["text"]).encode() == b"".join(FIVE)
