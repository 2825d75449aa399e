"""Resources of an overrides file, and the examples of the article on them."""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import pytest
import requests

from deck import ROOT, eventually, log_lines, run

ARTICLES = ROOT / "Sources" / "Tapedeck" / "Tapedeck.docc"
SCHEMA = json.loads((ARTICLES / "overrides.schema.json").read_text())
EXAMPLES = [json.loads(block) for block in re.findall(
    r"```json\n(.*?)```", (ARTICLES / "Resources.md").read_text(), re.S)]


@pytest.fixture
def serve(start, tmp_path):
    """Starts a proxy with these resources."""

    def serve(*resources, options=()):
        file = tmp_path / "overrides.json"
        file.write_text(json.dumps({"resources": list(resources)}))
        return start("serve", "--overrides", file, *options)

    return serve


@pytest.fixture
def ask():
    with requests.Session() as session:
        session.trust_env = False
        yield lambda method, url, body=None: session.request(method, url, json=body, timeout=20)


def test_the_schema_knows_every_example():
    assert len(EXAMPLES) == 3
    for example in EXAMPLES:
        jsonschema.validate(example, SCHEMA, jsonschema.Draft202012Validator)


def test_users_and_their_todos(serve, ask):
    url = serve(*EXAMPLES[0]["resources"], options=["--explain"]).url
    users = ask("GET", f"{url}/users").json()
    assert len(users) == 20 and all(18 <= user["age"] <= 80 and "@" in user["email"] for user in users)
    made = ask("POST", f"{url}/users", {"name": "Ada"})
    assert (made.status_code, made.json(), made.headers["Location"]) == (201, {"id": 21, "name": "Ada"}, "/users/21")
    assert ask("GET", f"{url}/users?name=Ada").json() == [made.json()]
    assert ask("GET", f"{url}/users?sort=-age&per_page=3").json() == sorted(
        users, key=lambda user: -user["age"])[:3]
    assert made.headers["Tapedeck-Answer"].startswith("store")
    assert ask("POST", f"{url}/users/7/todos", {"title": "x"}).json() == {"id": 2, "title": "x", "userId": 7}
    assert [len(ask("GET", f"{url}/users/{user}/todos").json()) for user in (1, 7, 8)] == [1, 1, 0]


def test_orders_in_envelopes(serve, ask):
    url = serve(*EXAMPLES[1]["resources"]).url
    page = ask("GET", f"{url}/api/orders?page=5").json()
    assert (len(page["data"]), page["meta"]) == (5, {"total": 45, "page": 5, "pages": 5})
    assert len(ask("GET", f"{url}/api/orders?limit=100&state=open").json()["data"]) == ask(
        "GET", f"{url}/api/orders?state=open").json()["meta"]["total"]
    made = ask("POST", f"{url}/api/orders", {"data": {"state": "new"}})
    assert (made.status_code, made.json()) == (200, {"data": {"id": 46, "state": "new"}})
    assert ask("DELETE", f"{url}/api/orders/46").json() == {"deleted": 46}
    gone = ask("DELETE", f"{url}/api/orders/46")
    assert (gone.status_code, gone.json()) == (404, {"error": "no order 46"})


def test_comments_within_posts(serve, ask):
    url = serve(*EXAMPLES[2]["resources"]).url
    made = ask("POST", f"{url}/posts/1/comments", {"text": "Hi"})
    assert made.json() == {"id": "1", "text": "Hello", "comments": [{"id": 1, "text": "Hi"}]}
    assert ask("GET", f"{url}/posts/1").json() == made.json()


def test_curl_and_the_log(serve):
    deck = serve({"path": "/users", "seed": [{"id": 1}]})
    done = subprocess.run(["curl", "-sSI", "-m", "20", f"{deck.url}/users/1"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and "HTTP/1.1 200" in done.stdout
    done = subprocess.run(["curl", "-sS", "-m", "20", "-X", "DELETE", "-w", "%{http_code}", f"{deck.url}/users/1"],
                          capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout) == (0, "204")
    eventually(lambda: log_lines(deck, "DELETE /users/1 204 store"), "the line of the log")


def test_64_writers_lose_nothing(serve, ask):
    url = serve({"path": "/notes"}).url

    def write(number):
        with requests.Session() as session:
            session.trust_env = False
            return [session.post(f"{url}/notes", json={"n": number}, timeout=60).json()["id"] for _ in range(5)]

    with ThreadPoolExecutor(64) as pool:
        ids = [id for ids in pool.map(write, range(64)) for id in ids]
    assert sorted(ids) == list(range(1, 321))
    assert len(ask("GET", f"{url}/notes").json()) == 320


def test_seeds_from_a_file_and_a_recording(tmp_path, start, origin, ask):
    (tmp_path / "users.json").write_text('[{"id": 7}]')
    from origin import reply
    real = origin(lambda exchange: reply(b'{"data": [{"id": 1}, {"id": 2}]}', b"Content-Type: application/json"))
    recorder = start("record", "--upstream", real.url, "--cassette", tmp_path / "tape")
    assert ask("GET", f"{recorder.url}/things").status_code == 200
    assert recorder.stop() == 0
    recording = next(path.stem for path in (tmp_path / "tape").glob("get-*.json"))
    (tmp_path / "o.json").write_text(json.dumps({"resources": [
        {"path": "/users", "seed": {"file": "users.json"}},
        {"path": "/things", "seed": {"cassette": "tape", "recording": recording}}]}))
    url = start("serve", "--overrides", tmp_path / "o.json").url
    assert ask("GET", f"{url}/users").json() == [{"id": 7}]
    assert ask("GET", f"{url}/things").json() == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize("resource", [
    {}, {"path": "/a", "sed": []}, {"path": "/a", "as": "soap"}, {"path": "/a", "ids": "odd"}, {"path": "/a", "seed": 1},
    {"path": "/a", "seed": [1]}, {"path": "/a", "only": ["list"]}, {"path": "/a", "within": {"resource": "b"}},
    {"path": "/a", "put": "patch"}, {"path": "/a", "answers": {"create": {"status": 99}}}], ids=json.dumps)
def test_schema_and_program_refuse_the_same(tmp_path, resource):
    rules = {"resources": [resource]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(rules, SCHEMA, jsonschema.Draft202012Validator)
    file = tmp_path / "overrides.json"
    file.write_text(json.dumps(rules))
    done = run("lint", file)
    assert done.returncode != 0 and "overrides.json:1:" in done.stdout + done.stderr
