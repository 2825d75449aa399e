"""A package of somebody else's that depends on Tapedeck: Kakapo's examples, by URLSession and by a proxy's port."""

import json
import os
import shutil
import subprocess
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
