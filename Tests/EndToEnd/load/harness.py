"""Loads and measures: the C tools, what the kernel says of a process, and other loads of the same minute."""

import json
import os
import re
import resource
import shutil
import subprocess
import threading
import time
from pathlib import Path

TOOLS = Path(__file__).parent / "tools"
LONG = os.environ.get("TAPEDECK_LONG_TESTS") == "1"

# The machine is shared: the short form proves that nothing is badly wrong, the long form holds the goal itself.
NOISE = 1 if LONG else 3
QUIET_MS = 5  # what a bare loop's p99 may be before the machine counts as too busy for an absolute goal


def build(folder: Path) -> dict[str, Path]:
    """Compiles every tool; their paths by name."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "no C compiler is installed (debian-packages.txt)"
    built = {}
    for source in sorted(TOOLS.glob("*.c")):
        built[source.stem] = folder / source.stem
        subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", built[source.stem], source], check=True)
    return built


def raise_descriptor_limit() -> int:
    """Takes all the descriptors this process may have; children inherit them."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Running:
    """A tool at work, whose last line is JSON."""

    def __init__(self, *words, pinned_to=None):
        pinned = ["taskset", "-c", str(pinned_to)] if pinned_to is not None else []
        self.process = subprocess.Popen(
            [*pinned, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def result(self, timeout: float = 900) -> dict:
        output, self.complaints = self.process.communicate(timeout=timeout)
        assert self.process.returncode == 0, f"{self.process.args} ended with {self.process.returncode}: {self.complaints}"
        return json.loads(output.splitlines()[-1])


class TokenOrigin(Running):
    """The origin in C: echoes tokens, misbehaves on request; for other paths it is a bare epoll loop."""

    def __init__(self, tools, **options):
        super().__init__(tools["origin"], **options)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"


def port_of(url: str) -> int:
    return int(url.rsplit(":", 1)[1])


def status_of(task: Path) -> str | None:
    """The kernel's account of a thread; `None` of one that has just ended."""
    try:
        return (task / "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None


class Facts:
    """What the kernel knows of a process."""

    def __init__(self, process_id: int):
        folder = Path(f"/proc/{process_id}")
        status = (folder / "status").read_text()
        self.rss_kib = int(re.search(r"^VmRSS:\s+(\d+)", status, re.M)[1])
        self.descriptors = len(os.listdir(folder / "fd"))
        tasks = [text for task in (folder / "task").iterdir() if (text := status_of(task)) is not None]
        self.threads = len(tasks)
        self.wake_ups = sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", task, re.M)[1]) for task in tasks)
        fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        self.cpu_seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __str__(self):
        return f"{self.rss_kib / 1024:.1f} MiB, {self.descriptors} fds, {self.threads} threads"


class Watch:
    """Looks at a process five times a second while a block runs; keeps the samples and the highest values."""

    def __init__(self, process_id: int, every: float = 0.2):
        self._process_id, self._every = process_id, every
        self._over = threading.Event()
        self.samples: list[tuple[float, Facts]] = []

    def __enter__(self):
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _look(self):
        while True:
            self.samples.append((time.monotonic(), Facts(self._process_id)))
            if self._over.wait(self._every):
                return

    def highest(self, what: str) -> int:
        return max(getattr(facts, what) for _, facts in self.samples)


class Probes:
    """The same open-loop load at the same moment against the product and against a bare epoll loop: what the bare loop
    suffers is the machine's doing."""

    def __init__(self, tools, port: int, yardstick_port: int, schedule: str, path="/small", connections=10, fresh=2):
        words = [connections, 1, fresh, 0, schedule]
        self._product = Running(tools["probe"], port, path, *words)
        self._bare = Running(tools["probe"], yardstick_port, path, *words)

    def result(self) -> tuple[dict, dict]:
        return self._product.result(), self._bare.result()


def milliseconds(facts: dict) -> str:
    return f"p50 {facts['p50'] / 1000:.1f} p99 {facts['p99'] / 1000:.1f} max {facts['max'] / 1000:.1f} ms"
