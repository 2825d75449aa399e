"""A GraphQL server on graphql-core, for gunicorn: queries, mutations, batches, uploads, persisted queries."""

import hashlib
import json
import uuid

from flask import Flask, jsonify, request
from graphql import build_schema, graphql_sync

app = Flask(__name__)
schema = build_schema("""
    type Query { hero(id: ID, episode: Episode): Character  search(text: String!, first: Int = 2, filter: Filter): [Character!]!
                 slow(n: Int!): Int! }
    type Mutation { rename(id: ID!, name: String!): Character!  create(input: New!): Character! }
    enum Episode { EMPIRE JEDI }
    input Filter { names: [String!], near: Float, tags: [String!] }
    input New { name: String!, clientMutationId: String }
    type Character { id: ID!  name: String!  friends(first: Int): [Character!]!  token: String }
""")
names = {"1": "Luke", "2": "Leia", "3": "Han", "4": 'Ündrë "Quoted"'}
persisted: dict[str, str] = {}


class Character:
    def __init__(self, key):
        self.id, self.name = key, names[key]

    def friends(self, info, first=9):
        return [Character(key) for key in sorted(names) if key != self.id][:first]

    def token(self, info):
        return request.headers.get("Authorization", "anonymous")[-4:]


class Root:
    def hero(self, info, id="1", episode=None):
        return Character(id) if id in names else None

    def search(self, info, text, first, filter=None):
        wanted = (filter or {}).get("names")
        return [Character(key) for key, name in sorted(names.items()) if text.lower() in name.lower() and (not wanted or name in wanted)][:first]

    def slow(self, info, n):
        return n * n

    def rename(self, info, id, name):
        names[id] = name
        return Character(id)

    def create(self, info, input):
        key = str(uuid.uuid4())
        names[key] = input["name"]
        return Character(key)


def run(asked: dict) -> dict:
    query = asked.get("query")
    if digest := asked.get("extensions", {}).get("persistedQuery", {}).get("sha256Hash"):
        if query is None and digest not in persisted:
            return {"errors": [{"message": "PersistedQueryNotFound", "extensions": {"code": "PERSISTED_QUERY_NOT_FOUND"}}]}
        if query is not None and hashlib.sha256(query.encode()).hexdigest() == digest:
            persisted[digest] = query
        query = query or persisted[digest]
    return graphql_sync(schema, query, Root(), variable_values=asked.get("variables"), operation_name=asked.get("operationName")).formatted


@app.route("/graphql", methods=["GET", "POST"])
def endpoint():
    if request.method == "GET":
        asked = {name: json.loads(value) if name in ("variables", "extensions") else value for name, value in request.args.items()}
    elif request.mimetype == "multipart/form-data":
        asked = json.loads(request.form["operations"])
        uploads = {name: len(file.read()) for name, file in request.files.items()}
        return jsonify({**run(asked), "extensions": {"uploads": uploads}})
    elif request.mimetype == "application/graphql":
        asked = {"query": request.get_data(as_text=True)}
    else:
        asked = request.get_json()
    return jsonify([run(each) for each in asked] if isinstance(asked, list) else run(asked))
