#!/usr/bin/env python3
"""The admin API from Python, as a test suite used it: `/v1/journal` is the request log."""
import json
import pathlib
import subprocess
import time
import urllib.error
import urllib.request

TOKEN = "a-token-of-before-0123456789"
proxy = subprocess.Popen(
    ["tapedeck", "serve", "--cassette", "example", "--port", "0", "--ready-file", "ready", "--admin-port", "0",
     "--admin-token", TOKEN, "--admin-ready-file", "admin", "--session-path", "/session"], stderr=subprocess.DEVNULL)
while not (pathlib.Path("ready").exists() and pathlib.Path("admin").exists()):
    time.sleep(0.02)
url, admin = pathlib.Path("ready").read_text().strip(), pathlib.Path("admin").read_text().strip().rstrip("/")
admin = admin.removesuffix("/v1")


def send(method, address, body=None, headers=()):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, dict(headers), method=method)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def call(method, path, body=None):
    status, text = send(method, f"{admin}/v1{path}", body, {"Authorization": f"Bearer {TOKEN}"})
    return status, json.loads(text) if text else None


def get(path):
    return send("GET", url + path)[0]


print("without a token", send("GET", f"{admin}/v1/journal")[0])
print("health", call("GET", "/health")[0], "openapi", call("GET", "/openapi.json")[1]["openapi"][:2])
for kind, rule in {
    "routes": {"path": "/users/{id}", "status": 418}, "resources": {"path": "/things", "seed": [{"id": 1}]},
    "patches": {"path": "/twice", "status": 202}, "faults": {"path": "/old", "type": "empty_response"},
}.items():
    print(kind, call("PUT", f"/{kind}/one", rule)[0], call("GET", f"/{kind}/one")[0], call("POST", f"/{kind}", rule)[0])
print("wrong", call("POST", "/routes", {"path": "/a", "statsu": 1})[0])
print("data", call("GET", "/resources/one/data")[1], call("PUT", "/resources/one/data", [{"id": 2}])[0])
print("served", get("/users/1"), get("/things/2"), get("/twice"), get("/nothing"), get("/session/a/twice"))

status, journal = call("GET", "/journal")
print("journal", status, {"entries", "held", "matching", "total"} - set(journal))
entries = journal["entries"]
entry = {"cutShort", "method", "milliseconds", "number", "source", "started", "status", "target", "why"}
print("an entry lacks", entry - set(entries[0]))
print("filtered", [len(call("GET", f"/journal?{query}")[1]["entries"])
                   for query in ("status=502", "path=/twice", "source=route", "method=GET&limit=2")])
status, one = call("GET", f"/journal/{entries[0]['number']}")
print("one", status, (entry | {"decisions", "request", "response"}) - set(one))
print("verified", call("POST", "/verifications", {"requests": [{"path": "/users/{id}", "times": 1}]})[0])
print("exported", call("POST", "/exports", {"format": "har"})[0],
      call("POST", "/exports", {"format": "cassette", "name": "exported"})[0], pathlib.Path("Cassettes/exported").is_dir())
print("sessions", call("PUT", "/sessions/b")[0], call("GET", "/sessions")[0], call("DELETE", "/sessions/b")[0])
print("of a session", call("POST", "/routes?session=a", {"path": "/twice", "status": 204})[0], get("/session/a/twice"))
print("cleared", call("DELETE", "/journal")[0], call("POST", "/reset", {"journal": True})[0])
print("mode", call("PUT", "/mode", {"mode": "none"})[0], call("DELETE", "/cassette")[0], call("PUT", "/cassette", {"name": "example"})[0])
for kind in ("routes", "resources", "patches", "faults"):
    print("removed", kind, call("DELETE", f"/{kind}/one")[0], call("DELETE", f"/{kind}")[0])
proxy.terminate()
print("exit code", proxy.wait(10))
