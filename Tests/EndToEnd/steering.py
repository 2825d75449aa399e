"""A proxy that is steered while it runs: its admin API, as a client in any language would use it."""

import re

import requests

from deck import Deck

TOKEN = "a-token-for-tests-0123456789"


class Admin:
    """The admin API of a running proxy."""

    def __init__(self, deck: Deck, url: str | None = None, token: str = TOKEN):
        self.url = url or re.search(r"admin API on (\S+?)[,\s]", deck.stderr + " ")[1]
        self.port = int(re.search(r":(\d+)/", self.url)[1])
        self.http = requests.Session()
        self.http.headers["Authorization"] = f"Bearer {token}"
        self.http.trust_env = False

    def call(self, method: str, path: str, /, body=None, expect: int | None = None, **query):
        answer = self.http.request(method, f"{self.url}{path}", json=body, params=query, timeout=30)
        if expect is not None:
            assert answer.status_code == expect, answer.text
        else:
            assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def get(self, path, /, **query):
        return self.call("GET", path, **query)

    def post(self, path, /, body, **query):
        return self.call("POST", path, body, **query)

    def put(self, path, /, body=None, **query):
        return self.call("PUT", path, body, **query)

    def delete(self, path, /, **query):
        return self.call("DELETE", path, **query)


def steered(start, *arguments, **options) -> tuple[Deck, Admin]:
    """A proxy with an admin API on a free port."""
    deck = start(*arguments, "--admin-port", "0", "--admin-token", TOKEN, **options)
    return deck, Admin(deck)
