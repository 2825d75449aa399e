"""A client that signs in with OpenID Connect, reads its id_token, and sends both tokens on."""

import base64
import json

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import KeySet

from servers import Gunicorn


@pytest.fixture
def provider(origins):
    return origins(Gunicorn, "sessions.oidc_app:app")


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def sign_in(url, verify=False):
    session, steps = requests.Session(), []
    session.trust_env = False
    form = {"grant_type": "authorization_code", "code": "q7Zk2Vt9Lx4Rb8Nw3Yc6", "client_id": "deck"}
    tokens = session.post(f"{url}/token", data=form, timeout=20).json()
    header, payload, _ = tokens["id_token"].split(".")
    claims = decoded(payload)
    steps.append((decoded(header), {name: claims[name] for name in ("iss", "sub", "aud", "email", "iat", "exp")}))
    if verify:
        keys = KeySet.import_key_set(session.get(f"{url}/jwks", timeout=20).json())
        steps.append(jwt.decode(tokens["id_token"], keys, algorithms=["RS256"]).claims["email"])
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    steps.append(session.get(f"{url}/userinfo", headers=bearer, timeout=20).json())
    steps.append(session.post(f"{url}/introspect", data={"token": tokens["access_token"]}, timeout=20).json())
    steps.append(session.get(f"{url}/logout", params={"id_token_hint": tokens["id_token"]}, timeout=20).status_code)
    return steps


def stored(cassette):
    return "".join(path.read_text() for path in cassette.glob("*.json"))


def test_a_client_that_decodes_its_id_token(rehearsal, provider):
    steps = rehearsal.both(provider, sign_in)
    assert steps[0][1]["email"] == "ada@example.com" and steps[2] == {"active": True} and steps[3] == 204
    text = stored(rehearsal.cassette)
    assert ".cmVkYWN0ZWQ6" in text and "Bearer REDACTED:jwt:" in text


def test_a_client_that_verifies_its_id_token_with_keep_jwt(rehearsal, provider):
    steps = rehearsal.both(provider, lambda url: sign_in(url, verify=True), "--keep", "jwt")
    assert steps[1] == "ada@example.com" and steps[4] == 204
    text = stored(rehearsal.cassette)
    assert "Bearer REDACTED:jwt:" in text and "Bearer eyJ" not in text
