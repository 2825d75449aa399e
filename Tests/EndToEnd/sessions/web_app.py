"""A web application as Flask's users write them, for gunicorn: login with a CSRF token, a signed session cookie, `Link`
and JSON paging, ETags, long polling, uploads."""

import hashlib
import html
import secrets
import threading

from flask import Flask, Response, abort, jsonify, make_response, redirect, request, session, url_for

app = Flask(__name__)
app.secret_key = secrets.token_bytes(32)
USERS = {"alice": "correct horse", "bob": "battery staple", "carol": "hunter2hunter2"}
ITEMS = [{"id": number, "name": f"item {number}"} for number in range(1, 24)]
PAGE = 5
notes: dict[str, str] = {"readme": "first edition"}
events: list[dict] = []
arrived = threading.Condition()


def csrf_token() -> str:
    return session.setdefault("csrf", secrets.token_urlsafe(24))


def check_csrf() -> None:
    if not secrets.compare_digest(request.form.get("csrf_token", ""), session.get("csrf", "-")):
        abort(400, "The CSRF token is missing or wrong.")


@app.get("/login")
def login_form():
    return (
        f'<!doctype html><form method="post" action="{html.escape(url_for("login"))}">'
        f'<input type="hidden" name="csrf_token" value="{csrf_token()}"><input name="user"><input name="password" '
        'type="password"></form>')


@app.post("/login")
def login():
    check_csrf()
    user = request.form["user"]
    if USERS.get(user) != request.form["password"]:
        return "Wrong name or password.", 403
    session.clear()
    session["user"], session["csrf"] = user, secrets.token_urlsafe(24)
    response = redirect(url_for("dashboard", _external=True), code=303)
    response.set_cookie("theme", "dark", max_age=3600, samesite="Lax")
    return response


@app.get("/dashboard")
def dashboard():
    if "user" not in session:
        return redirect(url_for("login_form", next=request.full_path))
    return f'<meta name="csrf-token" content="{csrf_token()}"><h1>Hello {session["user"]}</h1>'


@app.get("/me")
def me():
    if "user" not in session:
        return jsonify(error="login required"), 401
    return jsonify(user=session["user"], theme=request.cookies.get("theme"))


@app.post("/logout")
def logout():
    if request.headers.get("X-CSRFToken") != session.get("csrf"):
        abort(400)
    session.clear()
    return "", 204


@app.get("/items")
def items():
    page = request.args.get("page", 1, int)
    last = -(-len(ITEMS) // PAGE)
    response = make_response(jsonify(ITEMS[(page - 1) * PAGE:page * PAGE]))
    links = {"first": 1, "last": last} | ({"prev": page - 1} if page > 1 else {}) | ({"next": page + 1} if page < last else {})
    response.headers["Link"] = ", ".join(
        f'<{url_for("items", page=number, _external=True)}>; rel="{name}"' for name, number in links.items())
    response.headers["X-Total-Count"] = str(len(ITEMS))
    return response


@app.get("/v2/items")
def items_by_cursor():
    start = int(request.args.get("cursor", "0"), 16)
    end = start + PAGE
    following = url_for("items_by_cursor", cursor=f"{end:08x}", _external=True) if end < len(ITEMS) else None
    return jsonify(results=ITEMS[start:end], count=len(ITEMS), next=following)


@app.route("/notes/<name>", methods=["GET", "PUT"])
def note(name):
    if request.method == "PUT":
        tag = '"' + hashlib.sha1(notes.get(name, "").encode()).hexdigest() + '"'
        if request.headers.get("If-Match", tag) != tag:
            return "", 412
        notes[name] = request.get_data(as_text=True)
    if name not in notes:
        abort(404)
    response = Response(notes[name], mimetype="text/plain")
    response.set_etag(hashlib.sha1(notes[name].encode()).hexdigest())
    response.headers["Cache-Control"] = "no-cache"
    return response.make_conditional(request)


@app.post("/upload")
def upload():
    file = request.files["file"]
    return jsonify(name=file.filename, type=file.mimetype, sha256=hashlib.sha256(file.read()).hexdigest(), form=request.form)


@app.post("/events")
def publish():
    with arrived:
        events.append(request.get_json())
        arrived.notify_all()
    return jsonify(sequence=len(events)), 201


@app.get("/poll")
def poll():
    since = request.args.get("since", 0, int)
    with arrived:
        if not arrived.wait_for(lambda: len(events) > since, float(request.args.get("timeout", 5))):
            return "", 204
        return jsonify(events=events[since:], next=len(events))
