"""OpenAI's and Anthropic's SDKs: streams, tools, retries, files, and many at once."""

import asyncio
import base64
import io

import anthropic
import openai
import pytest

from models import WORDS, Models

TEXT = "".join(WORDS)
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]


@pytest.fixture
def models(origins):
    return origins(Models)


def openai_client(url, kind=openai.OpenAI, **options):
    return kind(base_url=f"{url}/v1", api_key="sk-proj-Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7b0c3d6e9f", timeout=20, **options)


def anthropic_client(url, kind=anthropic.Anthropic, **options):
    return kind(base_url=url, api_key="sk-ant-api03-Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe-AA", timeout=20, **options)


def use_openai(url):
    client, steps = openai_client(url, max_retries=2), []
    steps.append([model.id for model in client.models.list()])
    say = lambda text, **more: client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": text}], **more)
    steps.append(say("hello").model_dump())
    steps.append([chunk.model_dump() for chunk in say("stream", stream=True, stream_options={"include_usage": True})])
    steps.append(say("hello").choices[0].message.content)  # the same again
    steps.append(say("busy at first").choices[0].message.content)
    steps.append("".join(chunk.choices[0].delta.content for chunk in say("busy stream", stream=True) if chunk.choices))
    try:
        client.chat.completions.create(model="absent", messages=[{"role": "user", "content": "x"}])
    except openai.NotFoundError as error:
        steps.append((error.status_code, error.code))
    talk = [{"role": "user", "content": "weather?"}]
    asked = client.chat.completions.create(model="gpt-4o", messages=talk, tools=TOOLS)
    call = asked.choices[0].message.tool_calls[0]
    talk += [asked.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    steps.append((call.function.arguments, client.chat.completions.create(model="gpt-4o", messages=talk, tools=TOOLS).choices[0].message.content))
    steps.append([each.embedding for each in client.embeddings.create(model="e", input=["a", "ü"]).data])
    file = client.files.create(file=("batch.jsonl", io.BytesIO(b'{"a": 1}\n' * 50)), purpose="batch")
    steps.append((file.id, client.files.content(file.id).read()))
    return steps


def test_openai(rehearsal, models):
    steps = rehearsal.both(models, use_openai)
    streamed = "".join(chunk["choices"][0]["delta"]["content"] or "" for chunk in steps[2] if chunk["choices"])
    assert streamed == "stream" + TEXT and steps[5] == "busy stream" + TEXT
    assert steps[6] == [404, "model_not_found"]


def test_openai_responses_that_go_on_from_one_another(rehearsal, models):
    """What the origin made up, an id and a sealed thought, comes back in the next request."""
    def script(url):
        client = openai_client(url, max_retries=0)
        first = client.responses.create(model="gpt-5", input="one", store=False, include=["reasoning.encrypted_content"])
        second = client.responses.create(model="gpt-5", input="two", previous_response_id=first.id)
        thought = [item.model_dump(exclude_none=True) for item in first.output if item.type == "reasoning"]
        third = client.responses.create(model="gpt-5", input=[*thought, {"role": "user", "content": "three"}], store=False)
        events = [event.type for event in client.responses.create(
            model="gpt-5", input="four", previous_response_id=second.id, stream=True)]
        return [first.output_text, second.output_text, len(third.output_text) > 0, events]

    steps = rehearsal.both(models, script)
    assert steps[:2] == ["after nothing: one", "after something: two"] and steps[3][-1] == "response.completed"


def test_openai_many_streams_at_once_in_another_order(rehearsal, models):
    async def talk(url, order):
        async with openai_client(url, openai.AsyncOpenAI, max_retries=0) as client:
            async def one(number):
                stream = await client.chat.completions.create(
                    model="gpt-4o", messages=[{"role": "user", "content": f"question {number % 6}"}], stream=True, seed=number % 6)
                return number, "".join([chunk.choices[0].delta.content async for chunk in stream if chunk.choices])
            return sorted(await asyncio.gather(*map(one, order)))

    recorded = rehearsal.record(models, lambda url: asyncio.run(talk(url, range(12))))
    assert recorded == [[number, f"question {number % 6}" + TEXT] for number in range(12)]
    assert rehearsal.replay(lambda url: asyncio.run(talk(url, [7, 3, 11, 0, 5, 9, 1, 10, 2, 8, 4, 6]))) == recorded


def test_openai_a_stream_that_the_client_leaves(rehearsal, models):
    def script(url):
        client, steps = openai_client(url, max_retries=0), []
        for count in (3, 5):
            with client.chat.completions.create(
                    model="gpt-4o", messages=[{"role": "user", "content": f"leave after {count}"}], stream=True) as stream:
                steps.append([chunk.choices[0].delta.content for _, chunk in zip(range(count), stream)])
        return steps

    assert [len(step) for step in rehearsal.both(models, script)] == [3, 5]


def use_anthropic(url):
    client, steps = anthropic_client(url, max_retries=2), []
    say = lambda text, **more: client.messages.create(
        model="claude-sonnet-4-5", max_tokens=100, messages=[{"role": "user", "content": text}], **more)
    steps.append(say("hello").model_dump())
    steps.append([event.model_dump() for event in say("raw events", stream=True)])
    with client.messages.stream(
            model="claude-sonnet-4-5", max_tokens=100, messages=[{"role": "user", "content": "helper"}]) as stream:
        steps.append(list(stream.text_stream))
        steps.append(stream.get_final_message().model_dump())
    steps.append(say("busy at first").content[0].text)
    steps.append(client.messages.count_tokens(model="claude-sonnet-4-5", messages=[{"role": "user", "content": "x"}]).input_tokens)
    try:
        client.messages.create(model="claude-sonnet-4-5", max_tokens=1, messages=[])
    except anthropic.BadRequestError as error:
        steps.append((error.status_code, error.body["error"]["type"]))
    try:
        steps.append(list(say("interrupted", stream=True)))
    except anthropic.APIStatusError as error:
        steps.append(error.body["error"]["type"])
    tool = {"name": "weather", "input_schema": {"type": "object"}}
    talk = [{"role": "user", "content": "weather?"}]
    with client.messages.stream(model="claude-sonnet-4-5", max_tokens=100, messages=talk, tools=[tool]) as stream:
        used = stream.get_final_message().content[0]
    talk += [{"role": "assistant", "content": [used.model_dump(exclude_none=True)]},
             {"role": "user", "content": [{"type": "tool_result", "tool_use_id": used.id, "content": "sunny"}]}]
    steps.append((used.input, client.messages.create(model="claude-sonnet-4-5", max_tokens=9, messages=talk, tools=[tool]).content[0].text))
    picture = {"type": "image", "source": {
        "type": "base64", "media_type": "image/png", "data": base64.b64encode(bytes(range(256)) * 20).decode()}}
    steps.append(client.messages.create(
        model="claude-sonnet-4-5", max_tokens=9, messages=[{"role": "user", "content": [picture, {"type": "text", "text": "?"}]}]).content[0].text)
    return steps


def test_anthropic(rehearsal, models):
    steps = rehearsal.both(models, use_anthropic)
    assert "".join(steps[2]) == "helper " + TEXT
    assert steps[6] == [400, "invalid_request_error"] and steps[7] == "overloaded_error"


def test_anthropic_many_at_once(rehearsal, models):
    async def talk(url, order):
        async with anthropic_client(url, anthropic.AsyncAnthropic, max_retries=0) as client:
            async def one(number):
                async with client.messages.stream(model="claude-sonnet-4-5", max_tokens=99, messages=[
                        {"role": "user", "content": f"number {number}"}]) as stream:
                    return number, "".join([text async for text in stream.text_stream])
            return sorted(await asyncio.gather(*map(one, order)))

    recorded = rehearsal.record(models, lambda url: asyncio.run(talk(url, range(10))))
    assert recorded == [[number, f"number {number} " + TEXT] for number in range(10)]
    assert rehearsal.replay(lambda url: asyncio.run(talk(url, reversed(range(10))))) == recorded


def test_a_stream_keeps_its_events_at_replay(rehearsal, models):
    """Raw bytes: neither torn nor joined events change what is read."""
    def script(url):
        import requests
        response = requests.post(
            f"{url}/v1/chat/completions", stream=True, timeout=20, headers={"Accept-Encoding": "identity"},
            json={"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": "raw"}]})
        return [response.headers["Content-Type"], response.raw.read()]

    assert rehearsal.both(models, script)[1].endswith(b"data: [DONE]\n\n")
