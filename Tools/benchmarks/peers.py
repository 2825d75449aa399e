"""The yardsticks: nginx and mitmproxy, set up as their own people would for speed, and a loop that does nothing else."""

import sys

from machine import Server, run

ORIGIN_PORT, NGINX_PORT, MITMPROXY_PORT, NGINX_TLS_PORT, FLOOR_PORT = 18801, 18802, 18803, 18804, 18805
MITMPROXY = "mitmproxy>=11,<12"


class Nginx:
    def __init__(self, content):
        self.content = content
        self.folder = content.folder

    def origin(self):
        """The backend: static files."""
        return self._start("origin", ORIGIN_PORT, "")

    def any_origin(self):
        """A backend that gives the same small document under every path."""
        return self._start("any", ORIGIN_PORT, self._return_location())

    def static(self, **options):
        return self._start("static", NGINX_PORT, "", **options)

    def static_tls(self, **options):
        """With the suite that Tapedeck prefers, and sessions resumed by tickets."""
        certificate, key = self.certificate()
        server = self._start(
            "tls", NGINX_PORT, "",
            server=f"listen 127.0.0.1:{NGINX_TLS_PORT} ssl backlog=4096; ssl_certificate {certificate};"
            f" ssl_certificate_key {key}; ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets on;"
            " ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256; ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;",
            **options)
        server.url = f"https://127.0.0.1:{NGINX_TLS_PORT}"
        return server

    def certificate(self):
        """ECDSA on P-256, made once."""
        certificate, key = self.folder / "tls.pem", self.folder / "tls.key"
        if not certificate.exists():
            run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate)
        return certificate, key

    def prepared(self, **options):
        return self._start("return", NGINX_PORT, self._return_location(), **options)

    def proxy(self, **options):
        upstream = (
            f"  upstream origin {{ server 127.0.0.1:{ORIGIN_PORT}; keepalive 64; keepalive_requests 1000000000; }}\n")
        location = "proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection '';"
        return self._start("proxy", NGINX_PORT, location, upstream, **options)

    def _return_location(self):
        return f"return 200 '{(self.content.files / 'item' / '1').read_text()}';"

    def _start(self, name, port, location, extra="", server="", **options):
        scratch = self.folder / f"nginx-{name}"
        scratch.mkdir(exist_ok=True)
        temporary = "".join(
            f"  {kind}_temp_path {scratch}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = scratch / "nginx.conf"
        configuration.write_text(
            f"daemon off; master_process off; pid {scratch}/pid; error_log {scratch}/error.log crit;\n"
            "events { worker_connections 4096; }\n"
            f"http {{ access_log off; keepalive_requests 1000000000; default_type application/json;\n{temporary}"
            f"  open_file_cache max=10000 inactive=600s; sendfile on; tcp_nopush on;\n{extra}"
            f"  server {{ listen 127.0.0.1:{port} backlog=4096; {server} root {self.content.files};"
            f" location / {{ {location} }} }} }}\n")
        return Server(
            "nginx", "-c", configuration, "-e", scratch / "error.log", url=f"http://127.0.0.1:{port}", **options)


class Floor:
    """A bare epoll loop that sends prepared bytes (`floor.c`)."""

    def __init__(self, content, command):
        self.content, self.command = content, command

    def start(self, **options):
        return Server(
            self.command, FLOOR_PORT, self.content.files / "item" / "1", url=f"http://127.0.0.1:{FLOOR_PORT}", **options)


class Mitmproxy:
    """From PyPI, in an environment of its own."""

    def __init__(self, folder, environment, nginx):
        self.folder, self.environment, self.nginx = folder, environment, nginx
        self.flows = folder / "flows.mitm"

    def reverse(self, *words):
        return Server(
            self._command(), "--quiet", "--mode", f"reverse:http://127.0.0.1:{ORIGIN_PORT}",
            "--listen-port", MITMPROXY_PORT, *words, url=f"http://127.0.0.1:{MITMPROXY_PORT}")

    def replay(self, count):
        """All of it from memory, as often as asked."""
        if not self.flows.exists():
            with self.nginx.origin(), self.reverse("--save-stream-file", self.flows) as server:
                run("curl", "-sf", "-o", "/dev/null", f"{server.url}/item/[0-{count - 1}]")
        return self.reverse(
            "--server-replay", self.flows, "--set", "server_replay_reuse=true", "--set", "connection_strategy=lazy",
            "--set", "server_replay_extra=kill")

    def _command(self):
        command = self.environment / "bin/mitmdump"
        if not command.exists():
            run(sys.executable, "-m", "venv", self.environment)
            run(self.environment / "bin/python", "-m", "pip", "install", "--quiet", MITMPROXY)
        return command
