"""A Docker registry: an image pushed and pulled by skopeo, and uploads piece by piece as containerd and oras do them."""

import gzip
import hashlib
import io
import json
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urljoin

import pytest
import requests

from deck import CLEAN
from real_servers import Registry


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def layer(name: str, size: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = size
        archive.addfile(entry, io.BytesIO((name.encode() * (size // len(name) + 1))[:size]))
    return gzip.compress(packed.getvalue(), mtime=0)


def image(folder, layers):
    """An OCI image in a folder, as skopeo's `oci:` reads it."""
    blobs = folder / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def store(data: bytes, kind: str) -> dict:
        (blobs / digest(data)[7:]).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest(data), "size": len(data)}

    config = {"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {
        "type": "layers", "diff_ids": [digest(gzip.decompress(each)) for each in layers]}}
    manifest = {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": store(json.dumps(config).encode(), "config.v1+json"),
        "layers": [store(each, "layer.v1.tar+gzip") for each in layers]}
    index = {"schemaVersion": 2, "manifests": [store(json.dumps(manifest).encode(), "manifest.v1+json")
                                               | {"annotations": {"org.opencontainers.image.ref.name": "latest"}}]}
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return folder


@pytest.mark.parametrize("layers", [1, 4])
def test_skopeo_pushes_and_pulls(rehearsal, origins, tmp_path, layers):
    """With several layers skopeo uploads them at once: each upload has an id of its own, which the origin made up."""
    source = image(tmp_path / "image", [layer(f"file{n}", 3000 + n) for n in range(layers)])
    policy = tmp_path / "policy.json"
    policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
    runs = []

    def script(url):
        registry = url.removeprefix("http://")
        target = tmp_path / f"pulled-{len(runs)}"
        runs.append(target)

        def skopeo(verb, *words):
            done = subprocess.run(
                ["skopeo", "--policy", policy, "--tmpdir", tmp_path, "--command-timeout", "40s", verb, *words],
                env={**CLEAN, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, f"skopeo {verb}: {done.stderr}"
            return done.stdout

        insecure = ["--dest-tls-verify=false", "--dest-no-creds"]
        skopeo("copy", "-q", *insecure, f"oci:{source}:latest", f"docker://{registry}/team/app:1.0")
        facts = json.loads(skopeo("inspect", "--tls-verify=false", "--no-creds", f"docker://{registry}/team/app:1.0"))
        tags = json.loads(skopeo("list-tags", "--tls-verify=false", "--no-creds", f"docker://{registry}/team/app"))
        skopeo("copy", "-q", "--src-tls-verify=false", "--src-no-creds", f"docker://{registry}/team/app:1.0", f"dir:{target}")
        skopeo("copy", "-q", *insecure, f"oci:{source}:latest", f"docker://{registry}/team/app:1.1")  # all is there already
        return [facts, tags, {path.name: path.read_bytes() for path in sorted(target.iterdir())}]

    facts, tags, files = rehearsal.both(origins(Registry), script)
    assert facts["Layers"] and tags["Tags"] == ["1.0"]
    assert all(digest(data) == f"sha256:{name}" for name, data in files.items() if len(name) == 64)


class Uploader:
    """The distribution protocol by hand: every Location is followed as it was given."""

    def __init__(self, url):
        self.url, self.session, self.steps = url, requests.Session(), []
        self.session.trust_env = False

    def ask(self, method, target, **options):
        response = self.session.request(method, urljoin(self.url, target), timeout=20, allow_redirects=False, **options)
        kept = {name: response.headers.get(name) for name in
                ("Docker-Content-Digest", "Content-Range", "Range", "Content-Length", "Content-Type", "Link")}
        self.steps.append((method, response.status_code, kept, response.content))
        return response

    def upload(self, repository, data, piece=None):
        """POST begins, PATCH sends pieces, PUT ends; each response says where the next one goes."""
        place = self.ask("POST", f"/v2/{repository}/blobs/uploads/").headers["Location"]
        assert place.startswith(self.url) or place.startswith("/"), place
        for start in range(0, len(data), piece or len(data)):
            part = data[start:start + (piece or len(data))]
            place = self.ask("PATCH", place, data=part, headers={
                "Content-Type": "application/octet-stream", "Content-Range": f"{start}-{start + len(part) - 1}"}).headers["Location"]
        self.ask("GET", place)  # how far it got
        self.ask("PUT", place, params={"digest": digest(data)})
        return digest(data)


def test_pieces_ranges_and_deletions(rehearsal, origins):
    content = bytes(range(256)) * 40

    def script(url):
        client = Uploader(url)
        client.ask("GET", "/v2/")
        client.ask("HEAD", f"/v2/lib/thing/blobs/{digest(content)}")
        blob = client.upload("lib/thing", content, 4096)
        client.ask("HEAD", f"/v2/lib/thing/blobs/{blob}")
        for bounds in ("bytes=0-9", "bytes=4000-4095", "bytes=10200-"):
            client.ask("GET", f"/v2/lib/thing/blobs/{blob}", headers={"Range": bounds})
        client.ask("GET", f"/v2/lib/thing/blobs/{blob}")
        client.ask("POST", f"/v2/lib/copy/blobs/uploads/?mount={blob}&from=lib/thing")
        config = client.upload("lib/thing", b"{}")
        for tag in ("a", "b", "c"):
            manifest = json.dumps({
                "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "annotations": {"tag": tag},
                "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": config, "size": 2},
                "layers": [{"mediaType": "application/octet-stream", "digest": blob, "size": len(content)}]})
            client.ask("PUT", f"/v2/lib/thing/manifests/{tag}", data=manifest,
                       headers={"Content-Type": "application/vnd.oci.image.manifest.v1+json"})
        following = "/v2/lib/thing/tags/list?n=2"
        while following:
            page = client.ask("GET", following)
            following = page.links.get("next", {}).get("url")
        client.ask("GET", "/v2/_catalog")
        client.ask("GET", "/v2/lib/thing/manifests/absent")
        client.ask("DELETE", f"/v2/lib/thing/blobs/{blob}")
        client.ask("HEAD", f"/v2/lib/thing/blobs/{blob}")
        return client.steps

    steps = rehearsal.both(origins(Registry), script)
    ranges = [step for step in steps if step[1] == 206]
    assert [step[3] for step in ranges] == [content[:10], content[4000:4096], content[10200:]]
    assert steps[1][1] == 404 and steps[-1][1] == 404


def test_ranges_of_a_blob_in_parallel_and_in_another_order(rehearsal, origins):
    content = bytes(hashlib.sha256(b"%d" % number).digest()[0] for number in range(24_000))

    def script(url, order=range(24)):
        client = Uploader(url)
        blob = client.upload("big", content)

        def part(number):
            response = requests.get(
                f"{url}/v2/big/blobs/{blob}", headers={"Range": f"bytes={number * 1000}-{number * 1000 + 999}"}, timeout=20)
            return number, response.status_code, response.headers.get("Content-Range"), response.content

        with ThreadPoolExecutor(8) as pool:
            return sorted(pool.map(part, order))

    recorded = rehearsal.record(origins(Registry), script)
    assert b"".join(part[3] for part in recorded) == content
    assert rehearsal.replay(lambda url: script(url, list(reversed(range(24))))) == recorded
