"""Real servers of Debian's: etcd, InfluxDB and a Docker registry, each on a port the kernel picked."""

import os
import shutil
import subprocess
from pathlib import Path

import requests

from deck import CLEAN, eventually
from servers import free_port


def listening_ports(process_id: int) -> list[int]:
    """The TCP ports a process listens on, in the kernel's account."""
    inodes = set()
    for link in Path(f"/proc/{process_id}/fd").iterdir():
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    ports = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process_id}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                ports.append(int(words[1].rsplit(":", 1)[1], 16))
    return ports


class RealServer:
    """A server with its own idea of how to listen; ready once it answers a request."""

    package = program = health = ""

    def __init__(self, folder: Path):
        program = shutil.which(self.program)
        assert program, f"{self.program} is not installed: {self.package} (debian-packages.txt)"
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [program, *map(str, self.arguments(folder))], cwd=folder, env={**CLEAN, "HOME": str(folder), "GOMAXPROCS": "1"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.url = eventually(self._url, f"{self.program} answers", 40)
        except BaseException:
            self.stop()
            raise

    def arguments(self, folder: Path) -> list:
        raise NotImplementedError

    def _url(self) -> str | None:
        assert self.process.poll() is None, self._log.read_text(errors="replace")[-3000:]
        for port in listening_ports(self.process.pid):
            url = f"http://127.0.0.1:{port}"
            try:
                if requests.get(url + self.health, timeout=2).status_code < 300:
                    return url
            except (requests.ConnectionError, requests.Timeout):
                pass
        return None

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Etcd(RealServer):
    package, program, health = "etcd-server", "etcd", "/health"

    def arguments(self, folder):
        url = f"http://127.0.0.1:{free_port()}"  # its gateway dials the port that was named, so not 0
        return [
            "--data-dir", folder / "data", "--listen-client-urls", url, "--advertise-client-urls", url,
            "--listen-peer-urls", "http://127.0.0.1:0", "--initial-advertise-peer-urls", "http://localhost:2380",
            "--initial-cluster", "default=http://localhost:2380"]


class InfluxDB(RealServer):
    package, program, health = "influxdb", "influxd", "/ping"

    def arguments(self, folder):
        (folder / "influxdb.conf").write_text(f"""
            reporting-disabled = true
            bind-address = "127.0.0.1:0"
            [meta]
              dir = "{folder}/meta"
            [data]
              dir = "{folder}/data"
              wal-dir = "{folder}/wal"
            [monitor]
              store-enabled = false
            [http]
              bind-address = "127.0.0.1:0"
              log-enabled = false
        """)
        return ["-config", folder / "influxdb.conf"]


class Registry(RealServer):
    package, program, health = "docker-registry", "docker-registry", "/v2/"

    def arguments(self, folder):
        (folder / "registry.yml").write_text(f"""
version: 0.1
log: {{level: warn}}
storage: {{filesystem: {{rootdirectory: {folder}/blobs}}, delete: {{enabled: true}}}}
http: {{addr: "127.0.0.1:0"}}
""")
        return ["serve", folder / "registry.yml"]
