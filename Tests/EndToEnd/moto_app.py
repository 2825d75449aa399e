"""moto's server, for gunicorn: AWS as far as a test needs it."""

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

app = DomainDispatcherApplication(create_backend_app)
