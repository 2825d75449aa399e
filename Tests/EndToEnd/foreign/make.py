"""Records the session with foreign tools, for the tests of what is imported.

    python Tests/EndToEnd/foreign/make.py FOLDER TOOL...

Tools: vcrpy, mitmproxy (Python packages), vcr (Debian: ruby-vcr ruby-webmock ruby-multi-json), wiremock (Python package
`wiremock`, which brings the server along; Debian: default-jre-headless), chromium (Python package `playwright`; Debian:
chromium), firefox (Python package `marionette-driver`; Debian: firefox-esr). `Tests/EndToEnd/foreign/files` holds what
these wrote."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from foreign import session  # noqa: E402
from origin import Origin  # noqa: E402
from servers import free_port  # noqa: E402

FORM = [("x", (None, "1")), ("file", ("a.txt", b"hi\n", "text/plain"))]


def ask_with_requests(base: str, leaving_out=()) -> None:
    import requests
    with requests.Session() as client:
        for name, method, target, content_type, body in session.SESSION:
            if name in leaving_out:
                continue
            if name == "post multipart":
                client.post(base + target, files=FORM)
            else:
                headers = {"Content-Type": content_type} if content_type else {}
                client.request(method, base + target, headers=headers, data=body, allow_redirects=False)


def vcrpy(base: str, folder: Path) -> None:
    import vcr
    binary = {"latin1", "bytes", "image", "post binary"}
    for serializer, leaving_out in (("yaml", ()), ("json", binary)):
        with vcr.use_cassette(str(folder / f"vcrpy.{serializer}"), serializer=serializer, record_mode="all"):
            ask_with_requests(base, leaving_out)


def mitmproxy(base: str, folder: Path) -> None:
    port = free_port()
    command = Path(sys.executable).parent / "mitmdump"
    file = folder / "mitmproxy.har"
    with subprocess.Popen(
            [command, "-q", "--mode", f"reverse:{base}", "--listen-host", "127.0.0.1", "--listen-port", str(port),
             "--set", f"hardump={file}", "--set", "connection_strategy=lazy"]) as process:
        wait_for(port, process)
        ask_with_requests(f"http://127.0.0.1:{port}")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/fail")
        except OSError:
            pass
        process.terminate()
        process.wait(30)


def wait_for(port: int, process) -> None:
    import socket
    deadline = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < deadline and process.poll() is None, "it did not start"
            time.sleep(0.05)


RUBY = r"""
require 'vcr'; require 'webmock'; require 'net/http'; require 'json'
base, folder, asked = ARGV[0], ARGV[1], JSON.parse(File.read(ARGV[2]))
VCR.configure { |c| c.cassette_library_dir = folder; c.hook_into :webmock; c.ignore_localhost = false }
binary = ["latin1", "bytes", "image", "post binary", "gzip", "deflate"]
{ "vcr" => {}, "vcr-exact" => { preserve_exact_body_bytes: true }, "vcr-json" => { serialize_with: :json } }.each do |name, options|
  VCR.use_cassette(name, { record: :all }.merge(options)) do
    asked.each do |what, method, target, type, body|
      next if what == "post multipart" || (name == "vcr-json" && binary.include?(what))
      uri = URI(base + target)
      Net::HTTP.start(uri.host, uri.port) do |http|
        ask = Net::HTTPGenericRequest.new(method, !body.nil?, method != "HEAD", uri.request_uri)
        ask["Accept-Encoding"] = "identity"
        ask["Content-Type"] = type if type
        ask.body = body.unpack1("m").force_encoding(what == "post binary" ? "BINARY" : "UTF-8") if body
        http.request(ask)
      end
    end
  end
end
"""


def vcr(base: str, folder: Path) -> None:
    import base64
    asked = [(*entry[:4], base64.b64encode(entry[4]).decode() if entry[4] else None) for entry in session.SESSION]
    with tempfile.TemporaryDirectory() as scratch:
        script, what = Path(scratch, "record.rb"), Path(scratch, "asked.json")
        script.write_text(RUBY)
        what.write_text(json.dumps(asked))
        subprocess.run(["ruby", script, base, folder, what], check=True)


def wiremock(base: str, folder: Path) -> None:
    import wiremock as package
    [jar] = (Path(package.__file__).parent / "server").glob("wiremock-standalone-*.jar")
    root, port = folder / "wiremock", free_port()
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    with subprocess.Popen(["java", "-jar", jar, "--port", str(port), "--root-dir", "."], cwd=root, stdout=subprocess.DEVNULL) as process:
        wait_for(port, process)
        admin = f"http://127.0.0.1:{port}/__admin"
        post(f"{admin}/recordings/start", {"targetBaseUrl": base, "extractBodyCriteria": {"textSizeThreshold": "200", "binarySizeThreshold": "200"}})
        ask_with_requests(f"http://127.0.0.1:{port}")
        (folder / "wiremock.json").write_bytes(post(f"{admin}/recordings/stop", {}))
        process.terminate()
        process.wait(30)


def post(url: str, body) -> bytes:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return urllib.request.urlopen(request).read()


# What a page asks for; a browser names the parts' boundary itself.
PAGE_SCRIPT = """async (asked) => {
  for (const [name, method, target, type, body] of asked) {
    const options = {method, redirect: 'manual'};
    if (name === 'post multipart') {
      options.body = new FormData();
      options.body.append('x', '1');
      options.body.append('file', new Blob(['hi\\n'], {type: 'text/plain'}), 'a.txt');
    } else if (body !== null) {
      options.headers = {'Content-Type': type};
      options.body = name === 'post binary' ? new Uint8Array([0, 1, 255, 254]) : body;
    }
    try { const answer = await fetch(target, options); await answer.arrayBuffer(); } catch (error) {}
  }
  try { await fetch('/fail'); } catch (error) {}
  try { await fetch('data:text/plain,hi'); } catch (error) {}
}"""


def asked_by_page() -> list:
    return [(*entry[:4], entry[4].decode("latin-1" if entry[0] == "post binary" else "utf-8") if entry[4] else None)
            for entry in session.SESSION if entry[0] != "page"]


def chromium(base: str, folder: Path) -> None:
    from playwright.sync_api import sync_playwright
    for content in ("embed", "attach"):
        place = folder / f"chromium-{content}"
        shutil.rmtree(place, ignore_errors=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            context = browser.new_context(record_har_path=place / "session.har", record_har_content=content)
            page = context.new_page()
            page.goto(base + "/")
            page.evaluate(PAGE_SCRIPT, asked_by_page())
            context.close()
            browser.close()


PREFERENCES = {
    "devtools.toolbox.host": "window", "devtools.netmonitor.responseBodyLimit": 0,
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False, "app.update.enabled": False, "browser.startup.homepage": "about:blank",
}
OPEN_TOOLBOX = """
const [resolve] = arguments;
(async () => {
  const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
  const { gDevTools } = require("resource://devtools/client/framework/devtools.js");
  window.ourToolbox = await gDevTools.showToolboxForTab(window.gBrowser.selectedTab, { toolId: "netmonitor" });
})().then(resolve, error => resolve(String(error)));
"""
TAKE_HAR = """
const [resolve] = arguments;
window.ourToolbox.getHARFromNetMonitor().then(har => resolve(JSON.stringify(har)), error => resolve(String(error)));
"""


def firefox(base: str, folder: Path) -> None:
    """The network monitor of the developer tools writes it, as it does for "Save all as HAR"."""
    from marionette_driver.marionette import Marionette
    port = free_port()
    with tempfile.TemporaryDirectory() as profile:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in {**PREFERENCES, "marionette.port": port}.items()]
        Path(profile, "user.js").write_text("\n".join(lines))
        with subprocess.Popen(
                ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                driver = Marionette(host="127.0.0.1", port=port)
                driver.raise_for_port(timeout=60)
                driver.start_session()
                driver.timeout.script = 60
                with driver.using_context("chrome"):
                    assert (error := driver.execute_async_script(OPEN_TOOLBOX)) is None, error
                driver.navigate(base + "/")
                driver.execute_async_script(
                    f"const [asked, resolve] = arguments; ({PAGE_SCRIPT})(asked).then(resolve);", [asked_by_page()])
                time.sleep(2)  # the monitor fetches bodies when it is idle, and says nothing about it
                with driver.using_context("chrome"):
                    har = json.loads(driver.execute_async_script(TAKE_HAR))
            finally:
                process.terminate()
                process.wait(30)
    (folder / "firefox.har").write_text(json.dumps({"log": har}, indent=2))


TOOLS = {"vcrpy": vcrpy, "mitmproxy": mitmproxy, "vcr": vcr, "wiremock": wiremock, "chromium": chromium, "firefox": firefox}


def make(folder: Path, *tools: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for tool in tools:
        with Origin(session.handler()) as origin:
            TOOLS[tool](origin.url, folder)


if __name__ == "__main__":
    os.environ["no_proxy"] = "*"
    make(Path(sys.argv[1]).resolve(), *sys.argv[2:] or TOOLS)
