"""An OpenID provider in one Flask application, as far as the code flow of a client needs it."""

import base64
import hashlib
import secrets
import time

from flask import Flask, jsonify, redirect, request
from joserfc import jwt
from joserfc.jwk import RSAKey

app = Flask(__name__)
key = RSAKey.generate_key(2048, parameters={"kid": "signing", "use": "sig", "alg": "RS256"})
nonces, signed_in = {}, {}


def signed(**claims):
    now = int(time.time())
    claims = {"iss": "https://id.example.com", "sub": "ada-1815", "iat": now, "exp": now + 3600, **claims}
    return jwt.encode({"alg": "RS256", "typ": "JWT", "kid": "signing"}, claims, key)


@app.get("/jwks")
def jwks():
    return jsonify(keys=[key.as_dict(private=False)])


@app.post("/authorize")
def authorize():
    code = secrets.token_urlsafe(24)
    nonces[code] = request.args["nonce"]
    response = redirect(f"{request.args['redirect_uri']}?code={code}&state={request.args['state']}")
    response.set_cookie("provider_session", secrets.token_urlsafe(24), httponly=True)
    return response


@app.post("/token")
def token():
    claims = {"nonce": nonces[request.form["code"]]} if request.form["code"] in nonces else {}
    access = signed(aud="api", scope="openid email", jti=secrets.token_hex(16))
    half = hashlib.sha256(access.encode()).digest()[:16]
    signed_in[access] = signed(
        aud="deck", email="ada@example.com", at_hash=base64.urlsafe_b64encode(half).decode().rstrip("="), **claims)
    return jsonify(token_type="Bearer", expires_in=3600, access_token=access, id_token=signed_in[access])


@app.get("/userinfo")
def userinfo():
    known = request.headers.get("Authorization", "").removeprefix("Bearer ") in signed_in
    return (jsonify(sub="ada-1815", email="ada@example.com"), 200) if known else ("", 401)


@app.post("/introspect")
def introspect():
    return jsonify(active=request.form["token"] in signed_in)


@app.get("/logout")
def logout():
    return ("", 204) if request.args["id_token_hint"] in signed_in.values() else ("", 400)
