"""moto's server as AWS is reached: the service and the bucket stand in the host."""

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

app = DomainDispatcherApplication(create_backend_app)
