"""Processes under test: pinned, watched, and stopped again."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request

CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORE = CORES[0], CORES[-1]
TICKS = os.sysconf("SC_CLK_TCK")


def pinned(core, *words):
    return ["taskset", "-c", str(core), *map(str, words)]


def run(*words, **options):
    """Runs to the end; a failure ends the benchmark, with what the command said."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def eventually(claim, what, seconds=60, every=0.01):
    deadline = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > deadline:
            sys.exit(f"bench: waited {seconds} s for {what}")
        time.sleep(every)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


class Server:
    """A process on the server's core. It is ready when `ready_file` holds its URL, or when `probe` answers 200."""

    def __init__(self, *words, url=None, probe="/item/1", ready_file=None, core=SERVER_CORE, under=()):
        words = [str(word) for word in [*under, *words]]
        self.words, self.url = words, url
        # Pinned without another program in between, whose start would count.
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}))
        eventually(lambda: self._is_ready(url and url + probe, ready_file), f"{words[0]} to be ready", 120, every=0.0005)
        if ready_file:
            self.url = ready_file.read_text().strip()

    def _is_ready(self, address, ready_file):
        if self.process.poll() is not None:
            sys.exit(f"bench: it ended with {self.process.returncode}: {' '.join(self.words)}")
        return ready_file.exists() if ready_file else answers(address)

    @property
    def port(self):
        return int(self.url.rsplit(":", 1)[1])

    @property
    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def resident_mebibytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^VmRSS:\s+(\d+)", status, re.M)[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=120)
        except subprocess.TimeoutExpired:
            self.process.kill()
