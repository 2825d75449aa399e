"""Network namespaces of our own, where addresses can be dead and names can go unanswered."""

import ctypes
import itertools
import os
import socket
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

CLONE_NEWNET = 0x40000000
NUMBERS = itertools.count()
LIBC = ctypes.CDLL(None, use_errno=True)


def set_namespace(descriptor: int) -> None:
    if LIBC.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Namespace:
    """Has a loopback and nothing else. Sockets made in `entered()` live in it, and so does what `wrapper` starts."""

    def __init__(self, folder: Path):
        self.name = f"tapedeck-{os.getpid()}-{next(NUMBERS)}"
        self._folder = folder
        done = subprocess.run(["ip", "netns", "add", self.name], capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"no network namespace can be made here: {done.stderr.strip()}")
        self.run("ip", "link", "set", "lo", "up")

    def run(self, *command: str) -> None:
        subprocess.run(["ip", "netns", "exec", self.name, *command], check=True, capture_output=True)

    def add_silent_network(self, address: str, silent: str) -> None:
        """A cable to nowhere: what is sent to `silent` is swallowed."""
        self.run("ip", "link", "add", "cable", "type", "veth", "peer", "name", "nowhere")
        self.run("ip", "address", "add", address, "dev", "cable", *(["nodad"] if ":" in address else []))
        for end in ("cable", "nowhere"):
            self.run("ip", "link", "set", end, "up")
        self.run("ip", "neighbour", "add", silent, "lladdr", "02:00:00:00:00:09", "dev", "cable", "nud", "permanent")

    def set_ports(self, first: int, last: int) -> None:
        """The local ports that connections may take."""
        self.run("sh", "-c", f"echo {first} {last} > /proc/sys/net/ipv4/ip_local_port_range")

    def wrapper(self, hosts: str = "127.0.0.1 localhost\n", nameserver: str = "127.0.0.1") -> list[str]:
        """Runs a command in here, with its own names."""
        self._folder.mkdir(parents=True, exist_ok=True)
        files = {"hosts": hosts, "resolv.conf": f"nameserver {nameserver}\noptions attempts:1 timeout:30\n"}
        for name, text in files.items():
            (self._folder / name).write_text(text)
        binds = "".join(f"mount --bind {self._folder}/{name} /etc/{name} && " for name in files)
        return ["ip", "netns", "exec", self.name, "sh", "-c", f'{binds} exec "$@"', "sh"]

    @contextmanager
    def entered(self):
        """This thread's new sockets are the namespace's."""
        home = os.open(f"/proc/self/task/{threading.get_native_id()}/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{self.name}", os.O_RDONLY)
        try:
            set_namespace(there)
            yield
        finally:
            set_namespace(home)
            os.close(there)
            os.close(home)

    def remove(self) -> None:
        subprocess.run(["ip", "netns", "del", self.name], check=True, capture_output=True)


class NameServer:
    """Answers every DNS question with one result code, or not at all."""

    def __init__(self, result: int | None):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 53))
        self._result = result
        self.questions = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                question, client = self._socket.recvfrom(4096)
            except OSError:
                return
            self.questions += 1
            if self._result is not None:
                flags = bytes([question[2] | 0x80, 0x80 | self._result])
                self._socket.sendto(question[:2] + flags + question[4:], client)

    def stop(self) -> None:
        self._socket.close()
