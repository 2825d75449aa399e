"""Servers behind one proxy, for gunicorn: a login with a cookie, and what it is for."""

from flask import Flask, jsonify, make_response, redirect, request

auth = Flask("auth")
api = Flask("api")


@auth.get("/login")
def login():
    response = redirect(f"/account?next={request.args['next']}")
    response.set_cookie("session", "of-ada-4711", path="/", httponly=True)
    return response


@auth.get("/account")
def account():
    if "session" not in request.cookies:
        return make_response("no session", 401)
    return redirect(request.args["next"])


@auth.get("/seen")
def seen():
    """What names a page in the request, as the server got it."""
    return jsonify({name: request.headers.get(name) for name in ("Host", "Origin", "Referer")})


@auth.get("/")
def root():
    return "auth"


@api.get("/items")
def items():
    # The cookie is the other origin's.
    return jsonify({"items": [1, 2], "hasSession": "session" in request.cookies, "next": request.host_url + "items"})
