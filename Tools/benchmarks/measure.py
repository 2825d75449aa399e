"""How each kind of figure is taken. Every function returns a dictionary of numbers by name."""

import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from machine import LOAD_CORE, TICKS, Server, eventually, pinned, run


def throughput(server, script, connections, seconds, origin=None):
    """Requests a second by wrk; the server's processor time for one, how many it answers in a second of that, and how
    much of the time it was at work. With an origin, also how many in a second of both. Any error is fatal."""
    before, before_origin = server.cpu_seconds, origin.cpu_seconds if origin else 0
    words = ("wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script, server.url)
    out = run(*pinned(LOAD_CORE, *words))
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit(f"bench: errors from {' '.join(server.words)}:\n{out}")
    requests = int(re.search(r"(\d+) requests in", out)[1])
    cpu = max(server.cpu_seconds - before, 1 / TICKS)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    figures = {"rate": rate, "cpu": cpu / requests * 1e6, "capacity": requests / cpu, "busy": rate * cpu / requests,
        "requests": requests}
    if origin:
        figures["with_origin"] = requests / (cpu + origin.cpu_seconds - before_origin)
    return figures


def handshakes(server, seconds, *how):
    """TLS handshakes a second of the server's processor time, by one client after another."""
    before = server.cpu_seconds
    out = run(*pinned(
        LOAD_CORE, "openssl", "s_time", "-connect", server.url.removeprefix("https://"), "-time", seconds, *how))
    count = int(re.search(r"(\d+) connections in \d+ real", out)[1])
    cpu = max(server.cpu_seconds - before, 1 / TICKS)
    return {"capacity": count / cpu, "rate": count / seconds, "busy": cpu / seconds}


def system_calls(server, script, seconds):
    """System calls for one request, and how many of them wait for another thread."""
    throughput(server, script, 64, 1)
    with tempfile.NamedTemporaryFile("r") as table:
        strace = subprocess.Popen(["strace", "-f", "-c", "-o", table.name, "-p", str(server.process.pid)], stderr=subprocess.PIPE)
        strace.stderr.readline()
        out = run("wrk", "-t1", "-c64", f"-d{seconds}s", "-s", script, server.url)
        strace.send_signal(signal.SIGINT)
        strace.communicate()
        requests = int(re.search(r"(\d+) requests in", out)[1])
        rows = [line.split() for line in table]
    calls = {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit() and row[-1] != "total"}
    return {"calls": sum(calls.values()) / requests, "waits": calls.get("futex", 0) / requests}


def instructions(start, script, seconds, warm=0):
    """Instructions for one request outside the kernel, by callgrind: the same on a busy machine as on a quiet one.
    Before that, at least the first `warm` requests of the script are sent."""
    tool = ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={script}.callgrind"]
    with start(under=tool) as server:
        # Each run of wrk begins with the first request of the script.
        length = 1
        while length < 64 and throughput(server, script, 64, length)["requests"] < warm:
            length *= 2
        run("callgrind_control", "--instr=on", server.process.pid)
        out = run(*pinned(LOAD_CORE, "wrk", "-t1", "-c64", f"-d{seconds}s", "-s", script, server.url))
        run("callgrind_control", "--dump", server.process.pid)
    requests = int(re.search(r"(\d+) requests in", out)[1])
    dump = open(f"{script}.callgrind.1").read()
    return {"instructions": int(re.search(r"^(?:totals|summary): (\d+)", dump, re.M)[1]) / requests}


def added_latency(probe, direct, through, rate, seconds):
    """What the way through adds at a fixed rate, each request counted from the moment it was meant to leave. Both are
    asked in the same seconds, from the load's core."""
    asked = [
        subprocess.Popen(
            pinned(LOAD_CORE, probe, server.port, "/item/1", 10, 1, 0, 0, f"{rate}:{seconds}"),
            stdout=subprocess.PIPE, text=True)
        for server in (direct, through)]
    facts = [json.loads(process.communicate()[0].splitlines()[-1]) for process in asked]
    for fact in facts:
        if fact["answers"] != fact["asked"]:
            sys.exit(f"bench: {fact['asked']} were asked and {fact['answers']} answered")
    return {name: (facts[1][name] - facts[0][name]) / 1000 for name in ("p50", "p99", "p999")}


def start_up(start, times):
    """From the start of the process to the ready line, and what it holds in memory then."""
    took, resident = [], []
    for _ in range(times):
        before = time.monotonic()
        with start() as server:
            took.append((time.monotonic() - before) * 1000)
            resident.append(server.resident_mebibytes)
    return {"milliseconds": statistics.median(took), "resident": statistics.median(resident)}


def loading(start, times):
    """As `start_up`, for a cassette that takes a while to load."""
    figures = start_up(start, times)
    return {"rate": 1000 / figures["milliseconds"], **figures}


def reading(folder):
    """What `cat` takes for all files of a folder, from the page cache."""
    words = ("sh", "-c", f"find {folder} -type f -print0 | xargs -0 cat > /dev/null")
    run(*words)
    before = time.monotonic()
    run(*words)
    milliseconds = (time.monotonic() - before) * 1000
    return {"rate": 1000 / milliseconds, "milliseconds": milliseconds}


def sealing(start, name, count):
    """From the signal to the end of a recording of `count` interactions."""
    with start() as server:
        run("curl", "-sf", "-o", "/dev/null", f"{server.url}/{name}/[0-{count - 1}]")
        before = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(timeout=120)
        milliseconds = (time.monotonic() - before) * 1000
    return {"rate": 1000 / milliseconds, "milliseconds": milliseconds}


def copying(folder, targets):
    """`cp -r` of a folder, and `sync`. The copy stays until the end: ext4 without a journal looks past every inode that was
    deleted in the last five minutes, which would count for whoever makes files next."""
    targets.mkdir(exist_ok=True)
    target = pathlib.Path(tempfile.mkdtemp(dir=targets))
    os.sync()
    before = time.monotonic()
    run("cp", "-r", folder, target)
    run("sync", "-f", target)
    milliseconds = (time.monotonic() - before) * 1000
    return {"rate": 1000 / milliseconds, "milliseconds": milliseconds}


def misses(server, path, post=None, times=20):
    """How long the refusal of a request takes that was not recorded."""
    took = []
    client = http.client.HTTPConnection(server.url.removeprefix("http://"))
    for _ in range(times):
        before = time.monotonic()
        client.request("POST" if post else "GET", path, post, {"Content-Type": "application/json"} if post else {})
        assert client.getresponse().read()
        took.append((time.monotonic() - before) * 1000)
    return {"milliseconds": statistics.median(took)}


def beside_misses(probe, server, path, recorded, post, seconds):
    """How late others are answered on the same loop while one client is refused again and again.
    `recorded` is a file with a body that was recorded."""
    def asked():
        out = run(*pinned(LOAD_CORE, probe, server.port, path, 10, 1, 0, 0, f"500:{seconds}", 0, recorded))
        return json.loads(out.splitlines()[-1])

    calm = asked()
    ended = threading.Event()

    def refused():
        while not ended.is_set():
            misses(server, path, post, times=1)

    thread = threading.Thread(target=refused)
    thread.start()
    try:
        busy = asked()
    finally:
        ended.set()
        thread.join()
    return {name: (busy[name] - calm[name]) / 1000 for name in ("p50", "p99", "p999")}


def printed(command, *words):
    """The figures that a command prints."""
    return json.loads(run(*pinned(LOAD_CORE, command, *words)))


def decoding(command, cassette):
    """What JSONDecoder takes for the same files, and nothing else."""
    milliseconds = json.loads(run(command, cassette))["milliseconds"]
    return {"rate": 1000 / milliseconds, "milliseconds": milliseconds}


def asked_once(server, name, count):
    """Resident memory before any answer is asked for, and when each of them was."""
    idle = server.resident_mebibytes
    run("curl", "-sf", "-o", "/dev/null", f"{server.url}/{name}/[0-{count - 1}]")
    return {"resident": idle, "asked": server.resident_mebibytes}


def crowd(server, count):
    """Resident memory with `count` clients that were served once and stay."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(count, hard - 200)
    request = b"GET /item/1 HTTP/1.1\r\nHost: bench\r\n\r\n"
    idle = server.resident_mebibytes
    # An address has 28,000 ports only.
    clients = [
        socket.create_connection(("127.0.0.1", server.port), 30, (f"127.0.0.{1 + number % 16}", 0))
        for number in range(count)]
    for client in clients:
        client.sendall(request)
    for client in clients:
        client.recv(4096)
    full = server.resident_mebibytes
    for client in clients:
        client.close()
    return {"idle": idle, "crowded": full, "clients": count}
