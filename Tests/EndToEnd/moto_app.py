"""moto's server, for gunicorn: AWS as far as a test needs it."""

import os

# A bucket stands in the path, whatever the host is called; read as moto is imported.
os.environ["S3_IGNORE_SUBDOMAIN_BUCKETNAME"] = "true"

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

app = DomainDispatcherApplication(create_backend_app)
