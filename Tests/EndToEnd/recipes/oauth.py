"""An authorization server of Authlib's, and a report that only bearers of its tokens may read."""

import os
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from flask import Flask, jsonify
from joserfc import jwt
from joserfc.jwk import OctKey

SIGNING_KEY = OctKey.generate_key(256)
ISSUED: list["Token"] = []


class Client(ClientMixin):
    def get_client_id(self):
        return os.environ["CLIENT_ID"]

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_client_secret(self, client_secret):
        return client_secret == os.environ["CLIENT_SECRET"]

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_basic"

    def check_grant_type(self, grant_type):
        return True


class Token(dict, TokenMixin):
    def check_client(self, client):
        return True

    def get_scope(self):
        return self.get("scope", "")

    def get_expires_in(self):
        return self["expires_in"]

    def is_expired(self):
        return self["issued_at"] + self["expires_in"] < time.time()

    def is_revoked(self):
        return self.get("revoked", False)

    def get_user(self):
        return None

    def get_client(self):
        return Client()


class Password(grants.ResourceOwnerPasswordCredentialsGrant):
    def authenticate_user(self, username, password):
        return username if password == os.environ["ADA_PASSWORD"] else None


class Refresh(grants.RefreshTokenGrant):
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        return next((token for token in ISSUED if token.get("refresh_token") == refresh_token and not token.is_revoked()), None)

    def authenticate_user(self, refresh_token):
        return "ada"

    def revoke_old_credential(self, refresh_token):
        refresh_token["revoked"] = True


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return next((token for token in ISSUED if token["access_token"] == token_string), None)


def access_token(client, grant_type, user, scope):
    now = int(time.time())
    claims = {"iss": "https://auth.example.com", "sub": user or "machine", "iat": now, "exp": now + 60, "jti": os.urandom(8).hex()}
    return jwt.encode({"alg": "HS256"}, claims, SIGNING_KEY)


def save(token, request):
    ISSUED.append(Token(token, issued_at=time.time(), grant=request.payload.grant_type))


app = Flask(__name__)
# A minute: shorter than what clients allow for, so a token has expired when it is used.
app.config.update(
    OAUTH2_REFRESH_TOKEN_GENERATOR=True, OAUTH2_ACCESS_TOKEN_GENERATOR=access_token,
    OAUTH2_TOKEN_EXPIRES_IN={"client_credentials": 3600, "password": 60, "refresh_token": 3600})
server = AuthorizationServer(app, query_client=lambda name: Client(), save_token=save)
for grant in (grants.ClientCredentialsGrant, Password, Refresh):
    server.register_grant(grant)
protected = ResourceProtector()
protected.register_token_validator(Validator())


@app.post("/oauth/token")
def token():
    return server.create_token_response()


@app.get("/report")
@protected()
def report():
    return jsonify(grant=current_token["grant"], serial=os.urandom(4).hex())
