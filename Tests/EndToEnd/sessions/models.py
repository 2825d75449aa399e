"""The wire formats of OpenAI's and Anthropic's APIs, as their SDKs read them: JSON, server-sent events in chunks with
pauses between them, errors with retry-after."""

import gzip
import hashlib
import itertools
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = ["Tape", "decks", " play", " what", " was", " recorded", ".", " Ünïcödé", " 🎞️", "\n\n", "```js\n{}\n```"]
PAUSE = 0.01


class Models:
    """The server, on a port the kernel picked."""

    def __init__(self, folder=None):
        self.busy = set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"models": self}))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    models: Models

    def log_message(self, *_):
        pass

    def do_GET(self):
        match self.path.split("?")[0]:
            case "/v1/models":
                self.reply({"object": "list", "data": [{"id": "gpt-4o", "object": "model", "created": 1, "owned_by": "x"}]})
            case path if path.endswith("/content"):
                self.reply(b"PNG\0\xff" * 50, kind="application/octet-stream")
            case _:
                self.fail(404, "not_found_error")

    def do_POST(self):
        self.raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.body = json.loads(self.raw) if "json" in self.headers.get("Content-Type", "") else None
        handlers = {
            "/v1/chat/completions": self.chat, "/v1/responses": self.respond, "/v1/embeddings": self.embeddings,
            "/v1/files": self.files, "/v1/messages": self.messages, "/v1/messages/count_tokens": self.count}
        handlers[self.path.split("?")[0]]()

    # What both have in common

    def common(self):
        return {
            "x-request-id": f"req_{secrets.token_hex(16)}", "request-id": f"req_{secrets.token_urlsafe(18)}",
            "x-ratelimit-remaining-requests": "9999", "openai-processing-ms": "12", "cf-ray": secrets.token_hex(8) + "-ZRH",
            "Set-Cookie": f"__cf_bm={secrets.token_urlsafe(32)}; path=/; HttpOnly; Secure; SameSite=None"}

    def reply(self, value, status=200, kind="application/json", **fields):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {**self.common(), **fields, "Content-Type": kind}.items():
            self.send_header(name.replace("_", "-"), text)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def fail(self, status, kind, **fields):
        self.reply({"type": "error", "error": {"type": kind, "message": f"{kind} from the origin", "code": kind}}, status, **fields)

    def was_busy(self, status, kind) -> bool:
        """The first of each such request is refused with a wait; the SDK sends it again."""
        text = json.dumps(self.body)
        if "busy" not in text or self.raw in self.models.busy:
            return False
        self.models.busy.add(self.raw)
        self.fail(status, kind, retry_after="0", **{"retry-after-ms": "30"})
        return True

    def stream(self, events):
        """Events in chunks of their own, some of them torn in the middle as TCP and proxies do."""
        self.send_response(200)
        for name, text in {**self.common(), "Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked",
                           "Cache-Control": "no-cache"}.items():
            self.send_header(name, text)
        self.end_headers()
        try:
            for number, event in enumerate(events):
                pieces = [event[:7], event[7:]] if number % 3 == 2 else [event]
                for piece in pieces:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    time.sleep(PAUSE)
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True

    # OpenAI

    def chat(self):
        if self.was_busy(429, "rate_limit_exceeded"):
            return
        if self.body["model"] == "absent":
            return self.fail(404, "model_not_found")
        asked = self.body["messages"][-1]["content"]
        base = {"id": f"chatcmpl-{secrets.token_urlsafe(21)}", "created": int(time.time()), "model": self.body["model"],
                "system_fingerprint": f"fp_{secrets.token_hex(5)}"}
        call = {"id": f"call_{secrets.token_urlsafe(18)}", "type": "function",
                "function": {"name": "weather", "arguments": '{"city":"Zürich"}'}}
        tools = "tools" in self.body and self.body["messages"][-1]["role"] == "user"
        message = {"role": "assistant", "content": None, "tool_calls": [call]} if tools else {
            "role": "assistant", "content": f"{len(self.body['messages'])}: {asked} " + "".join(WORDS)}
        if not self.body.get("stream"):
            return self.reply({**base, "object": "chat.completion", "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop", "logprobs": None}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}})

        def events():
            deltas = [{"role": "assistant", "content": ""}, {"content": str(asked)}, *({"content": word} for word in WORDS)]
            for delta in deltas:
                chunk = {**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
                         "obfuscation": secrets.token_urlsafe(6)}
                yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()
            yield f"data: {json.dumps({**base, 'object': 'chat.completion.chunk', 'choices': [], 'usage': {'prompt_tokens': 1, 'completion_tokens': 2, 'total_tokens': 3}})}\n\n".encode()
            yield b"data: [DONE]\n\n"
        self.stream(events())

    def respond(self):
        """The Responses API: typed events, an encrypted reasoning item, and an id to go on from."""
        known = self.body.get("previous_response_id")
        given = f"resp_{secrets.token_hex(24)}"
        text = f"after {'something' if known else 'nothing'}: {self.body['input']}"
        item = {"id": f"msg_{secrets.token_hex(24)}", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}
        thought = {"id": f"rs_{secrets.token_hex(24)}", "type": "reasoning", "summary": [],
                   "encrypted_content": "gAAAAAB" + secrets.token_urlsafe(90)}
        whole = {"id": given, "object": "response", "created_at": int(time.time()), "status": "completed", "model": "gpt-5",
                 "output": [thought, item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
                 "previous_response_id": known, "error": None, "metadata": {}}
        if not self.body.get("stream"):
            return self.reply(whole)
        numbers = itertools.count()

        def event(kind, **members):
            return f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': next(numbers), **members})}\n\n".encode()

        def events():
            yield event("response.created", response={**whole, "status": "in_progress", "output": []})
            place = {"item_id": item["id"], "output_index": 1, "content_index": 0}
            for word in text.split(" "):
                yield event("response.output_text.delta", **place, delta=word + " ", logprobs=[])
            yield event("response.output_text.done", **place, text=text, logprobs=[])
            yield event("response.completed", response=whole)
        self.stream(events())

    def embeddings(self):
        import base64
        import struct
        texts = self.body["input"] if isinstance(self.body["input"], list) else [self.body["input"]]
        vectors = [[byte / 255 for byte in hashlib.sha256(text.encode()).digest()] for text in texts]
        packed = [base64.b64encode(struct.pack("<32f", *each)).decode() for each in vectors]
        self.reply({"object": "list", "model": "e", "usage": {"prompt_tokens": 1, "total_tokens": 1}, "data": [
            {"object": "embedding", "index": number, "embedding": each} for number, each in enumerate(packed)]})

    def files(self):
        self.reply({"id": f"file-{secrets.token_urlsafe(16)}", "object": "file", "bytes": len(self.raw), "created_at": 1,
                    "filename": "batch.jsonl", "purpose": "batch", "status": "processed"})

    # Anthropic

    def messages(self):
        if self.was_busy(529, "overloaded_error"):
            return
        if not self.body["messages"]:
            return self.fail(400, "invalid_request_error")
        last = self.body["messages"][-1]["content"]
        asked = last if isinstance(last, str) else json.dumps([each["type"] for each in last])
        tools = "tools" in self.body and isinstance(last, str)
        block = {"type": "tool_use", "id": f"toolu_{secrets.token_urlsafe(18)}", "name": "weather", "input": {"city": "Zürich"}} \
            if tools else {"type": "text", "text": f"{asked} " + "".join(WORDS)}
        whole = {"id": f"msg_{secrets.token_urlsafe(18)}", "type": "message", "role": "assistant", "model": self.body["model"],
                 "content": [block], "stop_reason": "tool_use" if tools else "end_turn", "stop_sequence": None,
                 "usage": {"input_tokens": 5, "output_tokens": 9}}
        if not self.body.get("stream"):
            return self.reply(whole)

        def event(kind, **members):
            return f"event: {kind}\ndata: {json.dumps({'type': kind, **members}, ensure_ascii=False)}\n\n".encode()

        def events():
            yield event("message_start", message={**whole, "content": [], "stop_reason": None})
            yield event("content_block_start", index=0, content_block=dict(block, input={}) if tools else {"type": "text", "text": ""})
            yield event("ping")
            for piece in ['{"city": ', '"Zürich"}'] if tools else [f"{asked} ", *WORDS]:
                delta = {"type": "input_json_delta", "partial_json": piece} if tools else {"type": "text_delta", "text": piece}
                yield event("content_block_delta", index=0, delta=delta)
            if "interrupted" in asked:
                yield event("error", error={"type": "overloaded_error", "message": "Overloaded"})
                return
            yield event("content_block_stop", index=0)
            yield event("message_delta", delta={"stop_reason": whole["stop_reason"], "stop_sequence": None}, usage={"output_tokens": 9})
            yield event("message_stop")
        self.stream(events())

    def count(self):
        self.reply({"input_tokens": len(self.raw)})
