"""A headless Chromium, steered over its debugging pipe."""

import itertools
import json
import os
import select
import shutil
import subprocess
import time


class Chromium:
    def __init__(self, folder):
        program = shutil.which("chromium")
        assert program, "chromium is not installed (debian-packages.txt)"
        to_browser, self._input = os.pipe()
        self._output, from_browser = os.pipe()
        with (folder / "chromium.log").open("wb") as log:
            self._process = subprocess.Popen(
                ["bash", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', program, "--headless", "--no-sandbox",
                 "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                 "--disable-background-networking", "--disable-extensions", "--disable-component-update",
                 "--disable-features=OptimizationHints,MediaRouter", f"--user-data-dir={folder / 'profile'}"],
                pass_fds=[to_browser, from_browser], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "HOME": str(folder)})
        os.close(to_browser), os.close(from_browser)
        self._numbers, self._buffer, self.events = itertools.count(1), b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._input), os.close(self._output)

    def call(self, method, **parameters):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session := getattr(self, "_session", None):
            message["sessionId"] = session
        os.write(self._input, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def wait_for(self, method, seconds=40):
        deadline = time.monotonic() + seconds
        while True:
            for event in self.events:
                if event.get("method") == method:
                    self.events.remove(event)
                    return event["params"]
            self.events.append(self._next(deadline - time.monotonic()))

    def _next(self, seconds=60):
        while b"\0" not in self._buffer:
            assert select.select([self._output], [], [], max(0, seconds))[0], "Chromium says nothing"
            data = os.read(self._output, 1 << 16)
            assert data, "Chromium is gone"
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def evaluate(self, expression):
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, timeout=30_000)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def load(self, url):
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def reload(self, ignore_cache=False):
        self.call("Page.reload", ignoreCache=ignore_cache)
        self.wait_for("Page.loadEventFired")

    def statuses(self):
        """What came over the network since last asked: path and status, 304 included."""
        self.evaluate("0")
        paths, statuses = {}, []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Network.requestWillBeSent":
                paths[parameters["requestId"]] = parameters["request"]["url"]
            elif event.get("method") == "Network.responseReceivedExtraInfo":
                statuses.append((parameters["requestId"], parameters["statusCode"]))
        self.events.clear()
        return sorted([paths.get(key, "?"), status] for key, status in statuses)
