"""Origins that stand still: from one `/still` to the next each makes the same ids, keys, codes and times again.

What two recordings of them differ in is the recorder's doing.
"""

import base64
import os
import random
import types
from datetime import UTC, datetime

MOMENT = 1_790_000_000


class Seeded(random.Random):
    """As much of `secrets` as the origins use, and the same each time."""

    def restart(self):
        self.seed(2207)

    def token_hex(self, count):
        return self.randbytes(count).hex()

    def token_urlsafe(self, count):
        return base64.urlsafe_b64encode(self.randbytes(count)).decode().rstrip("=")


def restarting(app, *restarts):
    """The application, with a path that has it begin anew."""
    def wrapper(environ, start_response):
        if environ["PATH_INFO"] != "/still":
            return app(environ, start_response)
        for restart in restarts:
            restart()
        start_response("204 No Content", [])
        return []

    return wrapper


def moto():
    """AWS; the clock of its program stands, except for the server's timeouts."""
    from freezegun import freeze_time
    from moto.moto_api._internal import mock_random
    from moto.moto_api._internal.models import moto_api_backend

    freeze_time(datetime.fromtimestamp(MOMENT, UTC), ignore=["gunicorn"]).start()
    from moto_app import app
    generator = Seeded()
    os.urandom = generator.randbytes
    return restarting(app, moto_api_backend.reset, generator.restart, lambda: mock_random.seed(2207))


def provider():
    """The OpenID provider. Its clock is right when it starts, because clients look at their own."""
    import time

    from sessions import oidc_app

    generator, moment = Seeded(), time.time()
    oidc_app.secrets, oidc_app.time = generator, types.SimpleNamespace(time=lambda: moment)
    return restarting(oidc_app.app, generator.restart)
