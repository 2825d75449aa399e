"""A GraphQL API of Strawberry's, which knows persisted queries as Apollo defined them: a query is sent once, and named by
its SHA-256 from then on."""

import hashlib
import itertools

import strawberry
from flask import Flask
from graphql import ExecutionResult, GraphQLError
from strawberry.flask.views import GraphQLView

numbers = itertools.count(1000)
queries: dict[str, str] = {}


@strawberry.type
class Order:
    id: strawberry.ID
    total: int


@strawberry.type
class Query:
    @strawberry.field
    def order(self, id: strawberry.ID) -> Order:
        return Order(id=id, total=next(numbers))


class View(GraphQLView):
    def should_render_graphql_ide(self, request):
        return False

    def execute_single(self, *, request_data, **options):
        persisted = (request_data.extensions or {}).get("persistedQuery")
        if persisted and request_data.query:
            assert hashlib.sha256(request_data.query.encode()).hexdigest() == persisted["sha256Hash"]
            queries[persisted["sha256Hash"]] = request_data.query
        elif persisted:
            request_data.query = queries.get(persisted["sha256Hash"])
            if request_data.query is None:
                return ExecutionResult(errors=[
                    GraphQLError("PersistedQueryNotFound", extensions={"code": "PERSISTED_QUERY_NOT_FOUND"})])
        return super().execute_single(request_data=request_data, **options)


app = Flask(__name__)
app.add_url_rule("/graphql", view_func=View.as_view("graphql", schema=strawberry.Schema(Query)))
