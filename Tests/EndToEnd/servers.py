"""The real servers: nginx, httpbin and moto, each on a port the kernel picked."""

import errno
import os
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path


class Server:
    """A process that inherits a listening socket: nothing to wait for, no port to race for."""

    def __init__(self, command, log: Path, listener: socket.socket, env=None):
        self.log = log
        self.port = listener.getsockname()[1]
        self.authority = f"127.0.0.1:{self.port}"
        with listener, log.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                pass_fds=[listener.fileno()], env=env,
            )

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port() -> int:
    """A port that nobody listens on. It lies below those that the kernel picks, or another test would soon have it."""
    while True:
        port = 12_000 + secrets.randbelow(20_000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise


def listening_socket() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0), backlog=1024)


class Gunicorn(Server):
    def __init__(
        self, folder: Path, app: str, certificate: Path | None = None, key: Path | None = None,
        listener: socket.socket | None = None,
    ):
        listener = listener or listening_socket()
        tls = ["--certfile", certificate, "--keyfile", key] if certificate else []
        super().__init__(
            [
                sys.executable, "-m", "gunicorn", "--bind", f"fd://{listener.fileno()}", "--worker-class", "gthread",
                "--threads", "8", "--keep-alive", "30", "--no-control-socket", *tls, "--chdir",
                Path(__file__).parent, app,
            ],
            folder / "gunicorn.log", listener,
        )
        self.url = f"{'https' if tls else 'http'}://{self.authority}"


class Httpbin(Gunicorn):
    def __init__(self, folder: Path, *certificate: Path):
        super().__init__(folder, "httpbin:app", *certificate)


class Moto(Gunicorn):
    """AWS's services, in one process."""

    def __init__(self, folder: Path):
        super().__init__(folder, "moto_app:app")


class Nginx(Server):
    def __init__(self, folder: Path, locations: str, certificate: Path | None = None, key: Path | None = None):
        folder.mkdir(parents=True, exist_ok=True)
        listener = listening_socket()
        port, descriptor = listener.getsockname()[1], listener.fileno()
        tls = f"ssl_certificate {certificate}; ssl_certificate_key {key};" if certificate else ""
        temporary = "".join(
            f"{kind}_temp_path {folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = folder / "nginx.conf"
        configuration.write_text(f"""
            {"user root;" if os.geteuid() == 0 else ""}
            daemon off; worker_processes 1; pid {folder}/pid;
            events {{ worker_connections 1024; }}
            http {{
              access_log off; default_type text/plain; keepalive_requests 1000000; {temporary}
              server {{ listen 127.0.0.1:{port} {"ssl" if tls else ""}; {tls} {locations} }}
            }}
        """)
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        assert program, "nginx is not installed (debian-packages.txt)"
        super().__init__(
            [program, "-p", folder, "-e", folder / "error.log", "-c", configuration],
            folder / "nginx.log", listener,
            env={**os.environ, "NGINX": f"{descriptor};"},  # nginx's own way to inherit a listening socket
        )
        self.url = f"{'https' if tls else 'http'}://{self.authority}"
