"""Overrides files of before: every file is served as it is, and means what it meant."""

import pytest
import requests

from deck import run
from test_golden import GOLDEN

FILES = sorted((GOLDEN / "overrides").glob("*.json"))


class Served:
    """An overrides file above the golden cassette, or alone."""

    def __init__(self, start, tmp_path, name, cassette=None):
        folder = tmp_path / name
        folder.mkdir()
        file = folder / f"{name}.json"
        file.write_bytes((GOLDEN / "overrides" / f"{name}.json").read_bytes())
        (folder / "logo.svg").write_text("<svg/>")
        self.url = start("serve", "--overrides", file, *(["--cassette", cassette] if cassette else [])).url

    def ask(self, method, path, **options):
        return requests.request(method, self.url + path, timeout=30, **options)

    def text(self, path, method="GET", **options):
        response = self.ask(method, path, **options)
        return response.status_code, response.text

    def json(self, path, method="GET", **options):
        response = self.ask(method, path, **options)
        return response.status_code, response.json() if response.content else None


@pytest.fixture
def serve(start, tmp_path):
    return lambda name, cassette=None: Served(start, tmp_path, name, cassette)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_lint_finds_nothing_wrong_in_it(file, tmp_path):
    (tmp_path / "logo.svg").write_text("<svg/>")
    copy = tmp_path / file.name
    copy.write_bytes(file.read_bytes())
    done = run("lint", copy)
    assert done.returncode == 0, done.stdout + done.stderr


def test_routes(serve):
    down = serve("maintenance")
    assert down.json("/users/1") == (503, {"error": "maintenance"})
    routes = serve("routes")
    order = {"count": 2, "items": [{"id": 7}]}
    response = routes.ask("POST", "/orders", json=order, headers={"X-Customer": "Ann"})
    assert (response.status_code, response.headers["Location"]) == (201, "/orders/7")
    assert response.json() == {"count": 2, "note": "for Ann"}
    assert routes.text("/health")[0] == 503
    with pytest.raises(requests.exceptions.ConnectionError):
        routes.text("/health")
    assert routes.json("/health") == (200, {"up": True})
    assert routes.text("/logo") == (200, "<svg/>")
    assert routes.text("/search?q=dog&page=2") == (200, "page 2")


def test_conditions_and_counts(serve):
    rules = serve("conditions")
    assert [rules.text("/late")[0] for _ in range(3)] == [502, 200, 502]
    assert [rules.text("/first-and-third")[0] for _ in range(4)] == [200, 502, 200, 502]
    assert rules.text("/never")[0] == 502
    assert rules.text("/words/w?a=xa&b=by&c=azb") == (200, "w") and rules.text("/words/w?a=a&b=by&c=azb")[0] == 502
    assert rules.text("/flags?a=1") == (200, "a and no b") and rules.text("/flags?a=1&b=1")[0] == 502
    assert rules.text("/form", "POST", data={"name": "Ada"}) == (200, "hello Ada")
    assert rules.text("/form", "POST", data={"name": "Eve"})[0] == 502
    assert rules.text("/text", "PUT", data="a needle") == (200, "PUT /text a needle")
    assert rules.json("/json", "POST", json={"user": {"role": "admin", "id": 7}}) == (200, {"id": 7, "lacks": None})
    assert rules.text("/plain", "DELETE") == (200, "{{path}}")
    assert rules.text("/files/a/b") == (200, "a/b")
    assert [rules.text("/turns")[1] for _ in range(3)] == ["one", "two", "one"]
    assert [rules.text("/once")[0] for _ in range(2)] == [200, 502]
    assert [rules.text("/stays")[1] for _ in range(3)] == ["one", "two", "two"]
    assert rules.ask("GET", "/cookies").cookies.get_dict() == {"a": "1", "b": "2"}
    assert rules.ask("HEAD", "/stays").status_code == 200


def test_patches(serve):
    recording = GOLDEN / "version-1"
    shop = serve("shop", recording)
    assert shop.json("/users/1") == (200, {"path": "/users/1", "sent": None})
    patched = serve("patches", recording)
    response = patched.ask("GET", "/users/1")
    assert response.json()["name"] == "Ada" and response.headers["Cache-Control"] == "no-store"
    assert response.cookies.get_dict() == {"a": "1", "b": "2"}
    assert patched.text("/new")[0] == 404 and patched.text("/newer")[0] == 502


def test_faults(serve):
    recording = GOLDEN / "version-1"
    assert serve("flaky", recording).json("/users/1")[0] == 200
    faulty = serve("faults", recording)
    assert faulty.text("/twice") == (200, "twice dated")
    with pytest.raises(requests.exceptions.ConnectionError):
        faulty.text("/status", headers={"X-Client": "old"})
    assert faulty.text("/status")[0] == 502
    with pytest.raises(requests.exceptions.RequestException):
        faulty.text("/c")
    assert faulty.ask("GET", "/a").headers["Connection"] == "close"


def test_resources(serve):
    users = serve("resources")
    assert len(users.json("/users?per_page=30")[1]) == 20 and len(users.json("/users?page=2&per_page=15")[1]) == 5
    assert users.json("/users/1/todos") == (200, [{"id": 1, "userId": 1, "title": "Buy milk", "done": False}])
    assert users.json("/users/1/todos", "POST", json={"title": "Tea"})[0] == 201
    assert [each["id"] for each in users.json("/users/1/todos")[1]] == [1, 2]
    assert users.json("/users/21")[0] == 404

    orders = serve("envelope")
    first = orders.json("/api/orders")[1]
    assert (len(first["data"]), first["meta"]) == (10, {"total": 45, "page": 1, "pages": 5})
    assert orders.json("/api/orders?page=5&limit=11")[1]["meta"]["pages"] == 5
    assert orders.json("/api/orders", "POST", json={"data": {"state": "open"}})[0] == 200
    assert orders.json("/api/orders/1", "DELETE") == (200, {"deleted": 1})
    assert orders.json("/api/orders/1") == (404, {"error": "no order 1"})

    posts = serve("within")
    assert posts.json("/posts/1/comments", "POST", json={"text": "Hi"})[1]["comments"][0]["text"] == "Hi"
    assert posts.json("/posts/1")[1]["comments"][0]["text"] == "Hi"


def test_members_of_resources(serve):
    rules = serve("members")
    assert rules.json("/hal/1")[1]["_links"]["self"]["href"].endswith("/hal/1")
    assert rules.json("/snakes/1") == (200, {"snake": {"id": 1, "name": "one"}})
    assert rules.json("/articles/1")[1]["data"]["attributes"] == {"title": "one"}
    assert rules.json("/keys") == (200, [{"key": "a"}]), "what is hidden is not shown"
    assert rules.json("/keys", "POST", json={})[0] == 422
    made = {"key": "k7", "name": "new", "link": "/keys/k7", "kind": "made"}
    status, body = rules.json("/keys", "POST", json={"name": "new"})
    assert (status, body) == (201, made)
    assert rules.json("/keys")[1][0] == made, "the newest comes first"
    assert rules.json("/few")[0] == 200 and rules.json("/few", "POST", json={})[0] == 502
    assert rules.json("/kept/1", "PUT", json={"a": 3}) == (200, {"id": 1, "a": 3, "b": 2})
    assert rules.json("/kept/1", "DELETE")[0] == 502
    assert rules.json("/all/x/lists") == (200, [{"id": 1}]) and rules.json("/lists?search=a")[0] == 502
    pages = rules.json("/made?p=2")[1]
    assert len(pages) == 2 and pages == rules.json("/made?skip=2&n=2")[1]
    assert sorted(pages[0]) == ["id", "kind", "name", "one", "place", "rate", "text"]
    uuid = rules.json("/uuids", "POST", json={"a": 1})[1]["id"]
    assert rules.json(f"/uuids/{uuid}", "PUT", json={"a": 2}) == (202, {"was": uuid, "item": {"a": 2, "id": uuid}})
