"""A web application that signs its users in with OpenID Connect, through Authlib, and a browser that uses it."""

import json
from urllib.parse import urlsplit

import requests
from authlib.common.encoding import to_bytes, urlsafe_b64decode
from authlib.integrations.flask_client import OAuth
from authlib.oidc.core import CodeIDToken
from flask import Flask, session, url_for

ISSUER = "https://id.example.com"
# What Authlib makes up for each sign-in; a recording knows only those of its own.
PINNED = {"state": "a-state-of-the-test", "nonce": "n-0S6_WzA2Mj", "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}


def application(provider, verifies):
    """- Parameter verifies: whether it verifies the signature of the ID token, or only decodes it."""
    app = Flask(__name__)
    app.secret_key = "the application's own"
    sign_in = OAuth(app).register(
        "deck", client_id="deck", client_secret="s6BhdRkqt3-7Fjfp0ZBr1KtDRbnfVdmIw", authorize_url=f"{provider}/authorize",
        access_token_url=f"{provider}/token", userinfo_endpoint=f"{provider}/userinfo", jwks_uri=f"{provider}/jwks",
        issuer=ISSUER, client_kwargs={
            "scope": "openid email", "code_challenge_method": "S256", "token_endpoint_auth_method": "client_secret_post"})

    @app.get("/login")
    def login():
        return sign_in.authorize_redirect(url_for("callback", _external=True), **PINNED)

    @app.get("/callback")
    def callback():
        if verifies:
            token = sign_in.authorize_access_token()
            claims = token["userinfo"]
        else:
            token = without_verifying()
            claims = decoded(token["id_token"])
        session["user"] = {
            "claims": {name: claims[name] for name in ("iss", "sub", "aud", "email", "iat", "exp", "nonce")},
            "expires": token["expires_in"], "userinfo": sign_in.userinfo(token=token)}
        active = sign_in.post(f"{provider}/introspect", token=token, data={"token": token["access_token"]}).json()
        return {**session["user"], **active}

    @app.get("/me")
    def me():
        return session["user"]

    def without_verifying():
        """What `authorize_access_token` does before it turns to the ID token."""
        from flask import request
        data = sign_in.framework.get_state_data(session, request.args["state"])
        return sign_in.fetch_access_token(code=request.args["code"], **{
            name: data[name] for name in ("redirect_uri", "code_verifier")})

    return app


def decoded(token):
    """The claims, of the right issuer, for us, in time and with our nonce; whoever signed them."""
    header, payload = (json.loads(urlsafe_b64decode(to_bytes(part))) for part in token.split(".")[:2])
    claims = CodeIDToken(
        payload, header, options={"iss": {"essential": True, "values": [ISSUER]}},
        params={"nonce": PINNED["nonce"], "client_id": "deck"})
    claims.validate()
    return claims


def sign_in(provider, verifies=False):
    """A browser that signs in twice, with the provider between."""
    browser, steps = requests.Session(), []
    browser.trust_env = False
    for _ in range(2):
        user = application(provider, verifies).test_client()
        to_provider = user.get("/login").location
        assert to_provider.startswith(provider)
        form = {"username": "ada", "password": "correct horse"}
        back = urlsplit(browser.post(to_provider, data=form, allow_redirects=False, timeout=20).headers["Location"])
        assert back.netloc == "localhost"
        called = user.get(f"{back.path}?{back.query}")
        steps += [called.status_code, called.json, user.get("/me").json]
    return steps
