"""What api.openai.com and api.anthropic.com answer to the calls of their SDKs, in their documented wire formats. Ids,
times and signatures are new in every response, and each provider is overloaded once."""

import json
import random
import string
import time

from flask import Flask, Response, jsonify, request

app = Flask(__name__)
overloaded = set()


def identifier(prefix: str, length: int = 24) -> str:
    return prefix + "".join(random.choices(string.ascii_letters + string.digits, k=length))


def fails_once(provider: str) -> bool:
    first = provider not in overloaded
    overloaded.add(provider)
    return first


def refusal(status: int, kind: str, text: str):
    return jsonify(type="error", error={"type": kind, "message": text, "code": kind, "param": None}), status


def events(lines) -> Response:
    return Response(lines, content_type="text/event-stream; charset=utf-8", headers={"Cache-Control": "no-cache"})


# -- https://platform.openai.com/docs/api-reference/chat

@app.post("/v1/chat/completions")
def chat_completions():
    if not request.headers.get("Authorization", "").startswith("Bearer sk-proj-"):
        return refusal(401, "invalid_api_key", "Incorrect API key provided.")
    asked = request.get_json()
    last = asked["messages"][-1]
    if asked.get("stream"):
        return events(completion_chunks(asked["model"]))
    if not asked.get("tools"):
        return jsonify(completion(asked["model"], {"content": f"It is {last['content']} in Oslo."}, "stop"))
    if fails_once("openai"):
        return *refusal(429, "rate_limit_exceeded", "Rate limit reached."), {
            "retry-after-ms": "20", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}
    call = {"id": identifier("call_"), "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
    return jsonify(completion(asked["model"], {"content": None, "tool_calls": [call]}, "tool_calls"))


def completion(model: str, message: dict, reason: str) -> dict:
    usage = {"prompt_tokens": 82, "completion_tokens": 17, "total_tokens": 99,
             "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
             "completion_tokens_details": {"reasoning_tokens": 0, "accepted_prediction_tokens": 0}}
    choice = {"index": 0, "message": {"role": "assistant", **message, "refusal": None, "annotations": []},
              "logprobs": None, "finish_reason": reason}
    return {"id": identifier("chatcmpl-", 29), "object": "chat.completion", "created": int(time.time()), "model": model,
            "choices": [choice], "usage": usage, "service_tier": "default", "system_fingerprint": identifier("fp_", 10)}


def completion_chunks(model: str):
    common = {"id": identifier("chatcmpl-", 29), "object": "chat.completion.chunk", "created": int(time.time()),
              "model": model, "service_tier": "default", "system_fingerprint": identifier("fp_", 10)}
    words = ["Rain", " in", " Oslo", ",", " by", " the", " hour", f" {time.time():.4f}", "\n"]
    for word in words:
        scored = {"content": [{"token": word, "logprob": -0.0123, "bytes": list(word.encode()), "top_logprobs": []}]}
        choice = {"index": 0, "delta": {"content": word}, "logprobs": scored, "finish_reason": None}
        yield f"data: {json.dumps({**common, 'choices': [choice], 'obfuscation': identifier('', 9)})}\n\n"
    last = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}
    yield f"data: {json.dumps({**common, 'choices': [last]})}\n\ndata: [DONE]\n\n"


# -- https://docs.anthropic.com/en/api/messages

@app.post("/v1/messages")
def messages():
    if not request.headers.get("x-api-key", "").startswith("sk-ant-"):
        return refusal(401, "authentication_error", "invalid x-api-key")
    asked = request.get_json()
    last = asked["messages"][-1]
    if asked.get("stream"):
        return events(message_events(asked["model"]))
    if isinstance(last["content"], list):
        thought, call = asked["messages"][-2]["content"]
        assert thought["signature"].startswith("Eq") and call["id"] == last["content"][0]["tool_use_id"]
        return jsonify(message(asked["model"], [text(f"It is {last['content'][0]['content']} in Oslo.")], "end_turn"))
    if fails_once("anthropic"):
        return *refusal(529, "overloaded_error", "Overloaded"), {"retry-after-ms": "20"}
    call = {"type": "tool_use", "id": identifier("toolu_01"), "name": "weather", "input": {"city": "Oslo"}}
    thought = {"type": "thinking", "thinking": "A tool knows.", "signature": identifier("Eq", 342) + "=="}
    return jsonify(message(asked["model"], [thought, call], "tool_use"))


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def message(model: str, content: list, reason: str | None) -> dict:
    usage = {"input_tokens": 472, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 2}
    return {"id": identifier("msg_01"), "type": "message", "role": "assistant", "model": model, "content": content,
            "stop_reason": reason, "stop_sequence": None, "usage": usage}


def message_events(model: str):
    def event(kind: str, **members) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n"

    yield event("message_start", message=message(model, [], None))
    yield event("content_block_start", index=0, content_block=text(""))
    yield event("ping")
    for word in ["Rain", " in", " Oslo", f" {time.time():.4f}", "\n"]:
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": word})
    yield event("content_block_stop", index=0)
    yield event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 12})
    yield event("message_stop")
