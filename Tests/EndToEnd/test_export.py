"""Our own files in other tools: what they read and replay of a cassette that we exported."""

import base64
import json
import re
import shutil
import subprocess
import sys

import pytest

from deck import interactions, run
from foreign import make, session
from foreign.tools import LONG, NEEDED, large_tools
from origin import Origin, reply
from servers import free_port
from wire import fetch

# Our own HAR in other tools

def test_mitmproxy_reads_our_har(exported):
    from mitmproxy.io.har import request_to_flow
    entries = json.loads((exported / "session.har").read_text())["log"]["entries"]
    flows = [request_to_flow(entry) for entry in entries]
    assert len(flows) == len(session.SESSION)
    by_request = {}
    for flow in flows:
        by_request.setdefault((flow.request.method, flow.request.path, flow.request.headers.get("content-type", "").partition(";")[0]), []).append(flow)
    for name, method, target, content_type, _ in session.SESSION:
        flow = by_request[method, target, content_type or ""].pop(0)
        status, _, body = session.said(method, target, content_type, {"first": 1, "second": 2}.get(name, 0))
        assert flow.response.status_code == int(status[:3]), name
        if name not in ("gzip", "deflate", "head"):
            assert flow.response.raw_content == body, name


@pytest.mark.skipif(not LONG or not shutil.which("chromium"), reason="large tools: TAPEDECK_LONG_TESTS=1, and chromium")
def test_chromium_is_served_from_our_har(exported):
    script = f"""
from playwright.sync_api import sync_playwright
import json, shutil
base = json.load(open({str(exported / "session.har")!r}))["log"]["entries"][0]["request"]["url"].rsplit("/", 1)[0]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    context = browser.new_context()
    context.route_from_har({str(exported / "session.har")!r}, not_found="abort")
    page = context.new_page()
    page.goto(base + "/")
    print(page.title(), page.evaluate("fetch('/json').then(answer => answer.json()).then(json => json.name)"))
"""
    done = subprocess.run([large_tools(), "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "Session Jürgen", done.stderr


def test_curl_lines_ask_for_the_same_again(exported, start, tmp_path):
    lines = run("export", exported / "cassette", "--format", "curl").stdout
    deck = start("replay", "--cassette", exported / "cassette")
    upstream = json.loads((exported / "cassette" / "cassette.json").read_text())["upstream"]
    script = tmp_path / "ask.sh"
    script.write_text("set -e\n" + re.sub(r"(^|\| )curl", r"\1curl -sf --noproxy '*' -o /dev/null", lines.replace(upstream, deck.url), flags=re.M).replace("-sf", "-s"))
    subprocess.run(["bash", script], check=True, timeout=60)
    assert deck.stop() == 0, deck.stderr
    assert f"{len(session.SESSION)} replayed" in deck.stderr


def test_export_writes_all_or_nothing(exported, tmp_path):
    done = run("export", exported / "cassette", "-o", tmp_path / "no" / "such" / "folder.har")
    assert done.returncode == 1
    assert "folder.har" in done.stderr
    (tmp_path / "old.har").write_text("old")
    assert run("export", exported / "cassette", "-o", tmp_path / "old.har").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["old.har"]
    assert json.loads((tmp_path / "old.har").read_text())["log"]["version"] == "1.2"


# Other formats

FORMATS = {"vcr": "yml", "vcrpy": "yaml", "wiremock": "json", "hoverfly": "json"}
# What a format has no place for.
LOST = {"hoverfly": {"post binary"}}


@pytest.fixture(scope="session")
def files(exported):
    """The session in every format, by its name, and what was told about each."""
    told = {}
    for name, suffix in FORMATS.items():
        done = run("export", exported / "cassette", "--format", name, "-o", exported / f"{name}.{suffix}")
        assert done.returncode == 0, done.stderr
        told[name] = (exported / f"{name}.{suffix}", done.stderr)
    return told


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_exported_replays_in_place_and_imported(name, files, start, tmp_path):
    lost, untold = LOST.get(name, set()), {"post multipart"} if name in ("wiremock", "hoverfly") else set()
    session.expect(start("replay", "--cassette", files[name][0]).url, lost, untold)
    done = run("import", files[name][0], "--cassette", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    session.expect(start("replay", "--cassette", tmp_path / "again").url, lost, untold)


@pytest.mark.parametrize(("name", "told"), [
    ("vcr", ["in the pieces", "how long"]), ("vcrpy", ["in the pieces", "when responses were recorded", "without its gzip"]),
    ("wiremock", ["in the pieces", "request headers", "boundary"]), ("hoverfly", ["in the pieces", "left out, since a simulation"]),
])
def test_what_is_not_in_the_file_is_told(name, told, files):
    for text in told:
        assert text in files[name][1]
    assert all(line.startswith("tapedeck: warning: ") for line in files[name][1].splitlines())


def test_secrets_rules_and_oddities_that_a_format_lacks_are_told(origin, start, cassette):
    handler = lambda exchange: reply(b"{}", b"X-Mark: a\xffb", status=b"200 Quite Good")
    deck = start("record", "--upstream", origin(handler).url, "--cassette", cassette, "--match", "query:ignore=ts")
    fetch(deck.url, "/x?api_key=s3cr3t-0815-4711&ts=1")
    fetch(deck.url, "/a%2Fb?ts=1")
    assert deck.stop() == 0, deck.stderr
    for name in FORMATS:
        done = run("export", cassette, "--format", name)
        assert done.returncode == 0 and "s3cr3t" not in done.stdout
        assert "placeholder" in done.stderr and "rules by which" in done.stderr and "no UTF-8" in done.stderr
        assert ("reason phrase" in done.stderr and "decoded" in done.stderr) == (name == "hoverfly")


def test_an_empty_cassette_is_an_empty_file(cassette, tmp_path):
    cassette.mkdir()
    (cassette / "cassette.json").write_text('{"tapedeck": 1, "upstream": "http://a.test"}')
    for name in FORMATS:
        done = run("export", cassette, "--format", name, "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
        read = run("import", tmp_path / name, "--cassette", tmp_path / "again")
        assert read.returncode == 1 and "nothing to import" in read.stderr, read.stderr


def test_a_simulation_is_as_its_schema_says(files):
    """Hoverfly itself is in no registry that tests may use."""
    document = json.loads(files["hoverfly"][0].read_text())
    assert set(document) == {"data", "meta"} and document["meta"]["schemaVersion"].startswith("v5")
    assert document["data"]["globalActions"] == {"delays": [], "delaysLogNormal": []}
    for pair in document["data"]["pairs"]:
        request, response = pair["request"], pair["response"]
        assert set(request) <= {"path", "method", "destination", "scheme", "query", "body", "headers", "requiresState"}
        conditions = [request[name] for name in ("path", "method", "destination", "scheme", "body")] + list(request["query"].values())
        for [condition] in conditions:
            assert set(condition) == {"matcher", "value"} and condition["matcher"] in ("exact", "json", "array")
        assert set(response) <= {"status", "body", "encodedBody", "headers", "templated", "transitionsState"}
        assert isinstance(response["status"], int) and isinstance(response["body"], str)
        assert all(isinstance(value, str) for values in response["headers"].values() for value in values)
        states = [*request.get("requiresState", {}).items(), *response.get("transitionsState", {}).items()]
        assert all(name.startswith("sequence:") and value.isdigit() for name, value in states)
    assert sum("transitionsState" in pair["response"] for pair in document["data"]["pairs"]) == 1, "of /count, the first"


def test_vcrpy_replays_our_export(files, exported, tmp_path):
    import requests
    import vcr
    base = json.loads((exported / "cassette" / "cassette.json").read_text())["upstream"]
    count, file = 0, shutil.copy(files["vcrpy"][0], tmp_path)
    for parts in (False, True):
        match = ["method", "uri"] + ([] if parts else ["body"])
        with vcr.use_cassette(str(file), record_mode="none", match_on=match) as played, requests.Session() as client:
            for asked in session.SESSION:
                name, method, target, content_type, body = asked
                if (name == "post multipart") != parts:
                    continue
                count += target == "/count"
                headers = {"Content-Type": content_type} if content_type else {}
                if parts:
                    answer = client.post(base + target, files=make.FORM)
                    assert answer.status_code == 200
                    continue
                answer = client.request(method, base + target, headers=headers, data=body, allow_redirects=False)
                session.expect_answer(asked, count, answer.status_code, None, answer.content)
                if name == "page":
                    assert dict(answer.cookies) == {"a": "1", "b": "2"}
            assert played.play_count == (1 if parts else len(session.SESSION) - 1)


def test_vcrpy_gives_every_client_the_content_of_a_compressed_body(files, exported, tmp_path):
    import http.client
    import requests
    import vcr
    base = json.loads((exported / "cassette" / "cassette.json").read_text())["upstream"]
    for target in ("/gzip", "/deflate"):
        content = session.decoded(session.said("GET", target, None, 0)[2], target[1:].encode())
        with vcr.use_cassette(str(files["vcrpy"][0]), record_mode="none", allow_playback_repeats=True):
            line = http.client.HTTPConnection(base.partition("//")[2])
            line.request("GET", target)
            plain = line.getresponse()
            assert (plain.read(), plain.getheader("Content-Encoding")) == (content, None)
            assert requests.get(base + target).content == content


RUBY = r"""
require 'vcr'; require 'webmock'; require 'net/http'; require 'json'
base, file, asked = ARGV[0], ARGV[1], JSON.parse(File.read(ARGV[2]))
VCR.configure { |c| c.cassette_library_dir = File.dirname(file); c.hook_into :webmock; c.ignore_localhost = false }
answers = []
VCR.use_cassette("vcr", record: :none, match_requests_on: [:method, :uri, :body]) do
  asked.each do |what, method, target, type, body|
    uri = URI(base + target)
    Net::HTTP.start(uri.host, uri.port) do |http|
      ask = Net::HTTPGenericRequest.new(method, !body.nil?, method != "HEAD", uri.request_uri)
      ask["Accept-Encoding"] = "identity"
      ask["Content-Type"] = type if type
      ask.body = body.unpack1("m").force_encoding(what == "post binary" ? "BINARY" : "UTF-8") if body
      answer = http.request(ask)
      answers << [answer.code.to_i, answer["content-encoding"], [answer.body.to_s].pack("m0"), answer.get_fields("set-cookie")]
    end
  end
end
puts answers.to_json
"""


@pytest.mark.skipif(not LONG or not shutil.which("ruby"), reason="large tools: TAPEDECK_LONG_TESTS=1, and ruby-vcr ruby-webmock")
def test_rubys_vcr_replays_our_export(files, exported, tmp_path):
    base = json.loads((exported / "cassette" / "cassette.json").read_text())["upstream"]
    chosen = [entry for entry in session.SESSION if entry[0] != "post multipart"]
    asked = [(*entry[:4], base64.b64encode(entry[4]).decode() if entry[4] else None) for entry in chosen]
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    (tmp_path / "replay.rb").write_text(RUBY)
    done = subprocess.run(
        ["ruby", tmp_path / "replay.rb", base, files["vcr"][0], tmp_path / "asked.json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    count = 0
    for asked, (status, coding, body, cookies) in zip(chosen, json.loads(done.stdout), strict=True):
        count += asked[2] == "/count"
        session.expect_answer(asked, count, status, coding and coding.encode(), base64.b64decode(body))
        if asked[0] == "page":
            assert cookies == ["a=1; Path=/", "b=2; HttpOnly"]


@pytest.mark.skipif(not LONG or not shutil.which("java"), reason="large tools: TAPEDECK_LONG_TESTS=1, and java")
def test_wiremock_replays_our_export(files, tmp_path):
    (tmp_path / "mappings").mkdir()
    shutil.copy(files["wiremock"][0], tmp_path / "mappings" / "session.json")
    found = subprocess.run(
        [large_tools(), "-c", "import wiremock, pathlib; print(*(pathlib.Path(wiremock.__file__).parent / 'server').glob('*.jar'))"],
        capture_output=True, text=True, check=True, timeout=60)
    port = free_port()
    with subprocess.Popen(["java", "-jar", found.stdout.strip(), "--port", str(port), "--root-dir", tmp_path], stdout=subprocess.DEVNULL) as process:
        try:
            make.wait_for(port, process)
            session.expect(f"http://127.0.0.1:{port}", untold={"post multipart"})
            status = fetch(f"http://127.0.0.1:{port}", "/never").status
            assert status == 404, "what was not exported is not answered"
        finally:
            process.terminate()
            process.wait(30)
