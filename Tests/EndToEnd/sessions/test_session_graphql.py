"""GraphQL: one URL for everything; what is asked stands in the body, in more than one spelling."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from gql import Client, GraphQLRequest, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.requests import RequestsHTTPTransport

from deck import interactions, run
from servers import Gunicorn


@pytest.fixture
def server(origins):
    return origins(Gunicorn, "sessions.graphql_app:app")


FRIENDS = """
  query Friends($id: ID, $count: Int) {
    hero(id: $id) { ...who friends(first: $count) { ...who } }
  }
  fragment who on Character { id name }
"""


def use_gql(url):
    transport = RequestsHTTPTransport(url=f"{url}/graphql", timeout=20, headers={"Authorization": "Bearer ghs_16C7e42F292c6912E7710c838347Ae178B4a"})
    client, steps = Client(transport=transport, fetch_schema_from_transport=True), []
    with client as session:
        steps.append(sorted(client.schema.type_map))
        ask = lambda document, /, **variables: steps.append(session.execute(GraphQLRequest(document, variable_values=variables or None)))
        ask("{ hero { name } }")
        ask(FRIENDS, id="2", count=1)
        ask(FRIENDS, id="3", count=2)
        ask("query($text: String!, $filter: Filter) { search(text: $text, filter: $filter) { id name token } }",
            text="l", filter={"names": ["Luke", "Leia"], "near": 1.50, "tags": []})
        ask('mutation { rename(id: "3", name: "Chewie") { id name } }')
        ask("{ hero(id: 3) { name } }")
        ask('query { a: hero(id: "1") { name } b: hero(id: "9") { name } }')
        try:
            session.execute(gql("query($n: Int!) { slow(n: $n) }"))
        except TransportQueryError as error:
            steps.append(error.errors[0]["message"])
        steps.append(session.execute_batch([GraphQLRequest(FRIENDS, variable_values={"id": key, "count": 1}) for key in "12"]))
        two = "query One { hero(id: 1) { name } } query Two { hero(id: 2) { name } }"
        for operation in ("One", "Two", "One"):
            steps.append(session.execute(GraphQLRequest(two, operation_name=operation)))
    return steps


def test_gql(rehearsal, server):
    steps = rehearsal.both(server, use_gql)
    assert [step["hero"]["name"] for step in steps[-3:]] == ["Luke", "Leia", "Luke"]
    assert steps[2]["hero"]["friends"] == [{"id": "1", "name": "Luke"}] and steps[6] == {"hero": {"name": "Chewie"}}


def test_operations_are_told_apart_by_people_too(rehearsal, server):
    rehearsal.record(server, use_gql)
    listed = run("ls", rehearsal.cassette).stdout
    assert "Friends" in listed and "IntrospectionQuery" in listed, listed
    assert any("friends" in name.lower() for name in interactions(rehearsal.cassette)), list(interactions(rehearsal.cassette))


SPELLINGS = [
    {"query": FRIENDS, "variables": {"id": "2", "count": 1}},
    {"variables": {"count": 1, "id": "2"}, "query": FRIENDS},
    {"query": " ".join(FRIENDS.split()), "variables": {"id": "2", "count": 1}},
    {"query": "# a comment\n" + FRIENDS.replace("  ", "\t").replace("\n", "\r\n"), "variables": {"id": "2", "count": 1}},
    {"query": FRIENDS.replace("($id: ID, $count: Int)", "($id:ID $count:Int)").replace("{", " {\n ").replace("id name", "id, name"),
     "variables": {"id": "2", "count": 1}},
]


@pytest.mark.parametrize("spelling", range(1, len(SPELLINGS)))
def test_white_space_commas_comments_and_order_do_not_matter(rehearsal, server, spelling):
    ask = lambda url, body: (lambda response: (response.status_code, response.json()))(
        requests.post(f"{url}/graphql", json=body, timeout=20))
    recorded = rehearsal.record(server, lambda url: ask(url, SPELLINGS[0]))
    assert recorded[1]["data"]["hero"]["name"] == "Leia"
    assert rehearsal.replay(lambda url: ask(url, SPELLINGS[spelling])) == recorded


@pytest.mark.parametrize("other", [
    {"query": FRIENDS, "variables": {"id": "3", "count": 1}},
    {"query": FRIENDS.replace("id name", "name id"), "variables": {"id": "2", "count": 1}},
    {"query": '{ search(text: "a  b") { id } }'}, {"query": FRIENDS.replace("hero(id", "leader: hero(id"), "variables": {"id": "2", "count": 1}},
], ids=["variables", "order of fields", "white space in a string", "alias"])
def test_what_asks_for_something_else_is_a_miss(rehearsal, server, other):
    def script(url):
        requests.post(f"{url}/graphql", json={"query": '{ search(text: "a b") { id } }'}, timeout=20)
        return requests.post(f"{url}/graphql", json=SPELLINGS[0], timeout=20).status_code

    rehearsal.record(server, script)
    assert rehearsal.replay(lambda url: requests.post(f"{url}/graphql", json=other, timeout=20).status_code, exit_code=3) == 502


def test_get_persisted_queries_uploads_and_plain_documents(rehearsal, server):
    digest = hashlib.sha256(FRIENDS.encode()).hexdigest()
    extension = {"persistedQuery": {"version": 1, "sha256Hash": digest}}

    def script(url):
        place, steps = f"{url}/graphql", []
        see = lambda response: steps.append((response.status_code, response.json()))
        see(requests.get(place, params={"query": "{ hero { name } }"}, timeout=20))
        see(requests.get(place, params={"query": FRIENDS, "variables": json.dumps({"id": "2"}), "operationName": "Friends"}, timeout=20))
        see(requests.get(place, params={"extensions": json.dumps(extension), "variables": '{"id": "1"}'}, timeout=20))
        see(requests.post(place, json={"extensions": extension, "query": FRIENDS, "variables": {"id": "1"}}, timeout=20))
        see(requests.get(place, params={"extensions": json.dumps(extension), "variables": '{"id": "1"}'}, timeout=20))
        see(requests.post(place, data="{ hero(id: 2) { name } }", headers={"Content-Type": "application/graphql"}, timeout=20))
        see(requests.post(place, timeout=20, files={"0": ("a.bin", bytes(range(256)))}, data={
            "operations": json.dumps({"query": "{ hero { id } }", "variables": {"file": None}}), "map": '{"0": ["variables.file"]}'}))
        return steps

    steps = rehearsal.both(server, script)
    assert "errors" in steps[2][1] and steps[4][1]["data"]["hero"]["name"] == "Luke"
    assert steps[6][1]["extensions"]["uploads"] == {"0": 256}


def test_queries_in_parallel_and_in_another_order(rehearsal, server):
    def script(url, order=range(16)):
        def one(number):
            body = {"operationName": "Slow", "query": "query Slow($n: Int!) { slow(n: $n) }", "variables": {"n": number}}
            return number, requests.post(f"{url}/graphql", json=body, timeout=20).json()["data"]["slow"]
        with ThreadPoolExecutor(6) as pool:
            return sorted(pool.map(one, order))

    recorded = rehearsal.record(server, script)
    assert recorded == [[number, number ** 2] for number in range(16)]
    assert rehearsal.replay(lambda url: script(url, list(reversed(range(16))))) == recorded
