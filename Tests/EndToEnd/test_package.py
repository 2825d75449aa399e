"""A package of somebody else's that depends on Tapedeck: Kakapo's examples, by URLSession and by a proxy's port."""

import json
import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deck import CLEAN, ROOT

SOURCES = Path(__file__).parent / "package"
# Kept between runs: all of Tapedeck is built in it.
SCRATCH = ROOT / ".build" / "package"
MANIFEST = """\
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "readme",
  dependencies: [.package(name: "tapedeck", path: "{root}")],
  targets: [
    .executableTarget(
      name: "readme", dependencies: [.product(name: "Tapedeck", package: "tapedeck")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
"""
TWENTY = json.dumps([{"id": str(number)} for number in range(20)], separators=(",", ":"))
EXPECTED = f"""\
Usage: GET /users -> 200 {{"id":2,"name":"Kakapo"}}
Store: GET /users -> 200 {TWENTY}
Wildcards: GET /users/28 -> 200 {{"id":"28"}}
Wildcards: GET /users/28/comments/123 -> 200 {{"comment_id":"123","id":"28"}}
Components: GET /users/1 -> 200 {{"id":"1","name":"Joan"}}
Components: GET /users/1?foo=bar -> 200 {{"id":"1","name":"Joan"}}
Query: GET /users?country=spain -> 200 {{"country":"spain"}}
Entities: GET /users/1 -> 200 {{"firstName":"Joan","lastName":"Romano","id":"1"}}
Articles: GET /articles/3 -> 200 {{"id":"3","text":"random"}}
Articles: POST /article/x -> 200 {{"id":"20","text":"text from the body"}}
Articles: DELETE /article/20 -> 200 {{"status":"success"}}
Articles: GET /articles/20 -> 200\x20
Transformer: GET /users -> 200 {{"user_name":"Alex"}}
Response: GET /users/2 -> 400 094850348502 {{"name":"Alex"}}
"""


@pytest.mark.timeout(1200)
@pytest.mark.skipif("TAPEDECK_PRELOAD" in os.environ, reason="the package is built without a sanitizer")
def test_examples_of_kakapos_readme_in_a_package_outside(tmp_path):
    sources = tmp_path / "Sources" / "readme"
    shutil.copytree(SOURCES, sources)
    (tmp_path / "Package.swift").write_text(MANIFEST.format(root=ROOT))
    swift = ["swift", "build", "--package-path", tmp_path, "--scratch-path", SCRATCH, "--product", "readme"]
    built = subprocess.run(swift, env=CLEAN, capture_output=True, text=True, timeout=900)
    assert built.returncode == 0, built.stdout[-5000:] + built.stderr[-5000:]
    ours = [line for line in (built.stdout + built.stderr).splitlines() if "warning:" in line and str(tmp_path) in line]
    assert not ours, ours
    ran = subprocess.run(
        [SCRATCH / "debug" / "readme"], env=CLEAN, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.stdout == EXPECTED, ran.stderr
    assert ran.returncode == 0


TESTS_MANIFEST = """\
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "traits",
  dependencies: [.package(name: "tapedeck", path: "{root}")],
  targets: [
    .testTarget(
      name: "TraitTests", dependencies: [.product(name: "TapedeckTesting", package: "tapedeck")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
"""


class Numbers(BaseHTTPRequestHandler):
    """Responds to /number/N with N."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.path.rpartition("/")[2].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Origin(ThreadingHTTPServer):
    """Lets the connections of all tests wait: one beyond its backlog of 5 would be dropped, and tried anew for a minute."""

    request_queue_size = 1024


@pytest.mark.timeout(1800)
@pytest.mark.skipif(os.environ.get("TAPEDECK_LONG_TESTS") != "1", reason="builds for minutes: TAPEDECK_LONG_TESTS=1")
def test_traits_of_swift_testing_in_a_package_outside(tmp_path):
    shutil.copytree(SOURCES.with_name("package_tests"), tmp_path / "Tests" / "TraitTests")
    (tmp_path / "Package.swift").write_text(TESTS_MANIFEST.format(root=ROOT))
    origin = Origin(("127.0.0.1", 0), Numbers)
    threading.Thread(target=origin.serve_forever).start()
    env = CLEAN | {"ORIGIN": f"http://127.0.0.1:{origin.server_port}"}
    swift = ["swift", "test", "--parallel", "--package-path", tmp_path, "--scratch-path", SCRATCH]
    try:
        first = subprocess.run(swift, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=1500)
    finally:
        origin.shutdown()
        origin.server_close()
    assert first.returncode == 0, first.stdout[-5000:] + first.stderr[-5000:]
    cassettes = tmp_path / "Cassettes"
    recorded = sorted(file.relative_to(cassettes) for file in cassettes.rglob("*") if file.is_file())
    assert len([file for file in recorded if file.name.startswith("get-number-")]) == 201, recorded
    assert not [file for file in recorded if file.name == "journal.jsonl"]
    # Offline, without a change to the cassettes, and without permission to record any.
    second = subprocess.run(
        [*swift, "--skip-build"], env=env | {"CI": "true"}, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert second.returncode == 0, second.stdout[-5000:] + second.stderr[-5000:]
    assert sorted(file.relative_to(cassettes) for file in cassettes.rglob("*") if file.is_file()) == recorded
