"""What gunicorn serves in the tests of uploads."""

from hashlib import sha256


def app(environ, start_response):
    if environ["PATH_INFO"] == "/refused":
        start_response("401 Unauthorized", [("Content-Type", "text/plain"), ("Content-Length", "3")])
        return [b"no\n"]
    digest, count = sha256(), 0
    while piece := environ["wsgi.input"].read(1 << 16):
        digest.update(piece)
        count += len(piece)
    body = f"{count} {digest.hexdigest()}\n".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
