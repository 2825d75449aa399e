"""Cassettes of several origins (version 2), made by importing HAR files of several hosts."""

import json
import shutil
import subprocess

import pytest

from deck import interactions, run
from origin import reply
from wire import fetch

URLS = ["https://api.test/users", "https://cdn.test/a.js", "https://api.test:8443/users", "http://api.test/users", "https://cdn.test/users"]
ORIGINS = ["http://api.test", "https://api.test", "https://api.test:8443", "https://cdn.test"]


def har(path, urls, body=lambda url: url):
    entries = [{
        "startedDateTime": "2026-11-22T00:00:00Z", "time": 1,
        "request": {"method": "GET", "url": url, "headers": []},
        "response": {
            "status": 200, "headers": [{"name": "Content-Type", "value": "text/plain"}],
            "content": {"text": body(url), "mimeType": "text/plain"}}} for url in urls]
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    return path


def url_of(interaction):
    return interaction["origin"] + interaction["request"]["target"]


@pytest.fixture
def several(tmp_path, cassette):
    done = run("import", har(tmp_path / "several.har", URLS), "--cassette", cassette)
    assert done.returncode == 0, done.stderr
    return cassette


def contents(cassette):
    return {path.relative_to(cassette): path.read_bytes() for path in cassette.rglob("*") if path.is_file()}


def manifest(cassette):
    return json.loads((cassette / "cassette.json").read_text())


def test_a_har_of_several_hosts_is_one_cassette(several, tmp_path):
    found = interactions(several)
    assert sorted(map(url_of, found.values())) == sorted(URLS)
    assert {name.split("/")[0] for name in found} == {"api.test", "api.test_8443", "cdn.test"}
    assert manifest(several)["tapedeck"] == 2 and manifest(several)["origins"] == ORIGINS
    assert "upstream" not in manifest(several)
    before = contents(several)
    assert "5 unchanged" in run("import", tmp_path / "several.har", "--cassette", several).stderr
    assert contents(several) == before


def test_one_host_stays_version_1(tmp_path, cassette):
    assert run("import", har(tmp_path / "one.har", URLS[:1]), "--cassette", cassette).returncode == 0
    assert manifest(cassette)["tapedeck"] == 1 and manifest(cassette)["upstream"] == "https://api.test"
    assert list(interactions(cassette)) == ["get-users-d6c10f.json"]


@pytest.mark.parametrize("form", ["har", "vcr", "vcrpy", "wiremock", "hoverfly"])
def test_every_format_carries_the_urls(several, tmp_path, form):
    file = tmp_path / f"out.{form}"
    assert run("export", several, "--format", form, "-o", file).returncode == 0
    done = run("import", file, "--cassette", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    assert sorted(map(url_of, interactions(tmp_path / "again").values())) == sorted(URLS)
    if form == "har":
        assert contents(tmp_path / "again") == contents(several)


def test_curl_lines_name_each_origin(several):
    assert sorted(run("export", several, "--format", "curl").stdout.splitlines()) == sorted(f"curl {url}" for url in URLS)


def test_ls_and_show_say_which_origin(several, tmp_path):
    listed = json.loads(run("ls", several, "--json").stdout)
    assert sorted(each["origin"] + each["target"] for each in listed) == sorted(URLS)
    lines = run("ls", several).stdout.splitlines()
    assert lines[0].split()[:3] == ["METHOD", "ORIGIN", "PATH"]
    assert run("ls", tmp_path / "several.har").stdout == run("ls", several).stdout
    for name in (URLS[2], "api.test_8443/get-users"):
        shown = run("show", several, name).stdout
        assert shown.startswith("api.test_8443/get-users-") and f"GET {URLS[2]}\n" in shown
    assert len(json.loads(run("show", several, "get-users", "--json").stdout)) == 4
    file = next(several.glob("cdn.test/*.json"))
    assert "GET https://cdn.test/" in run("show", file).stdout


def test_all_cassettes_are_listed_with_their_origins(several, tmp_path):
    (tmp_path / "Cassettes").mkdir()
    shutil.copytree(several, tmp_path / "Cassettes" / "several")
    listed = json.loads(run("ls", "--json", cwd=tmp_path).stdout)
    assert [(each["name"], each["interactions"], each["origins"]) for each in listed] == [("several", 5, ORIGINS)]


def test_lint_finds_and_moves_a_file_in_the_wrong_folder(several):
    assert "0 warnings, 0 remarks" in run("lint", several).stdout
    before = contents(several)
    file = next(several.glob("cdn.test/get-a-js*.json"))
    (several / "elsewhere").mkdir()
    file.rename(several / "elsewhere" / file.name)
    assert f"it should be cdn.test/{file.name}" in run("lint", several).stdout
    assert run("lint", several, "--fix").returncode == 0
    assert contents(several) == before and not (several / "elsewhere").exists()


@pytest.mark.parametrize(("change", "told"), [
    (lambda cassette: (cassette / "cassette.json").write_text('{"tapedeck": 1}'), "origins: it is missing, and api.test/get-users-"),
    (lambda cassette: (cassette / "cassette.json").write_text('{"tapedeck": 3, "origins": []}'), "newer tapedeck (format 3)"),
    (lambda cassette: (cassette / "cdn.test" / "x.json").write_text('{"request": {"method": "GET", "target": "/"}, "response": {"status": 200}}'),
     "cdn.test/x.json: origin: it is missing"),
    (lambda cassette: (cassette / "cdn.test" / "x.json").write_text('{"origin": "https://cdn.test/v1", "request": {"method": "GET", "target": "/"}, "response": {"status": 200}}'),
     "cdn.test/x.json: origin: an origin like https://api.example.com"),
    (lambda cassette: (cassette / "cdn.test" / "x.json").write_text('{"origin": '), "cdn.test/x.json:1:"),
])
def test_a_damaged_cassette_is_named(several, change, told):
    change(several)
    for verb in ("ls", "export", "lint"):
        done = run(verb, several)
        assert done.returncode != 0 and told in done.stdout + done.stderr, verb


def test_without_a_manifest_the_interactions_tell(several):
    (several / "cassette.json").unlink()
    assert len(json.loads(run("ls", several, "--json").stdout)) == 5


def test_scan_finds_a_secret_in_a_hosts_folder_once(several):
    file = next(several.glob("cdn.test/get-a-js*.json"))
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file.write_text(file.read_text().replace("https://cdn.test/a.js", secret))
    done = run("scan", several)
    assert done.returncode == 4 and f"cdn.test/{file.name}" in done.stdout
    assert "1 secret" in done.stdout
    assert run("scan", file).returncode == 4
    assert run("scan", several, "--fix").returncode == 0
    assert secret not in file.read_text() and run("scan", several).returncode == 0
    assert len(interactions(several)) == 5 and manifest(several)["origins"] == ORIGINS


def test_trim_forgets_an_origin_without_interactions(several):
    names = [name for name in interactions(several) if name.startswith("cdn.test/")]
    done = run("trim", several, *names)
    assert done.returncode == 0 and "removed 2 interactions" in done.stdout
    assert manifest(several)["origins"] == ORIGINS[:3] and not (several / "cdn.test").exists()
    assert run("trim", several, "../cassette.json").returncode != 0


def test_merge(several, tmp_path):
    other = har(tmp_path / "b.har", [URLS[0], "https://new.test/x", "https://cdn.test/b.js"])
    assert run("import", other, "--cassette", tmp_path / "b").returncode == 0
    done = run("merge", several, tmp_path / "b", "--into", tmp_path / "c")
    assert done.returncode == 0, done.stderr
    merged = interactions(tmp_path / "c")
    assert sorted(map(url_of, merged.values())) == sorted(URLS + ["https://new.test/x", "https://cdn.test/b.js"])
    assert "https://new.test" in manifest(tmp_path / "c")["origins"]
    assert run("diff", several, tmp_path / "c").stdout.count("new.test") >= 1
    assert "the same: 7 interactions" in run("diff", tmp_path / "c", tmp_path / "c").stdout


def test_a_cassette_of_one_origin_is_merged_into_one_of_several(several, tmp_path):
    one = tmp_path / "one"
    assert run("import", har(tmp_path / "one.har", ["https://one.test/v1/x"]), "--cassette", one, "--upstream", "https://one.test/v1").returncode == 0
    file = next(one.glob("get-*.json"))
    file.write_text(file.read_text().replace('"target": "/v1/x"', '"target": "/x"').replace("{\n", '{\n  "_note": "mine",\n', 1))
    for pair in ([several, one], [one, several]):
        done = run("merge", *pair, "--into", tmp_path / pair[0].name / ".." / f"from-{pair[0].name}")
        assert done.returncode == 0, done.stderr
        merged = interactions(tmp_path / f"from-{pair[0].name}")
        assert sorted(map(url_of, merged.values())) == sorted(URLS + ["https://one.test/v1/x"])
        assert [each["_note"] for each in merged.values() if "_note" in each] == ["mine"]
    done = run("merge", one, several, "--into", one)
    assert done.returncode == 1 and "record into another cassette" in done.stderr


def test_merge_keeps_how_clients_reach_origins(several, tmp_path):
    """A merged cassette replays without flags, as its parts do."""
    for name, upstreams in {"a": ["/auth=https://auth.test"], "b": ["/auth=https://other.test", "/shop=https://shop.test"]}.items():
        assert run("import", har(tmp_path / f"{name}.har", [f"https://{name}.test/x", URLS[0]]), "--cassette", tmp_path / name).returncode == 0
        path = tmp_path / name / "cassette.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"upstreams": upstreams}))
    for into in ("c", "a"):
        done = run("merge", tmp_path / "a", tmp_path / "b", "--into", tmp_path / into)
        assert done.returncode == 0 and "/auth=https://other.test" in done.stderr, done.stderr
        merged = manifest(tmp_path / into)
        assert merged["upstreams"] == ["/auth=https://auth.test", "/shop=https://shop.test"] and "forward" not in merged
    assert run("merge", several, tmp_path / "b", "--into", tmp_path / "d").returncode == 0
    assert manifest(tmp_path / "d")["forward"] is True


def test_promoted_resources_respond_for_their_host_only(tmp_path):
    urls = [f"https://{host}.test/items" for host in ("one", "two")]
    file = har(tmp_path / "items.har", urls)
    log = json.loads(file.read_text())
    for entry in log["log"]["entries"]:
        entry["response"]["content"] = {"mimeType": "application/json", "text": '[{"id": 1, "name": "x"}, {"id": 2, "name": "y"}]'}
        entry["response"]["headers"] = [{"name": "Content-Type", "value": "application/json"}]
    file.write_text(json.dumps(log))
    assert run("import", file, "--cassette", tmp_path / "items").returncode == 0
    done = run("promote", tmp_path / "items", "--only", "one.test", "--out", "-", "--min-confidence", "0")
    assert [each["when"] for each in json.loads(done.stdout)["resources"]] == [{"host": "one.test"}], done.stderr


def test_promote_takes_one_origin(several):
    done = run("promote", several)
    assert done.returncode == 2 and "--only HOST" in done.stderr and ORIGINS[0] in done.stderr
    assert "api.test stands for several origins" in run("promote", several, "--only", "api.test").stderr
    assert "no collection was found" in run("promote", several, "--only", "cdn.test").stderr
    assert "no exchange is with" in run("promote", several, "--only", "x.test").stderr


def test_verify_asks_each_origin(origin, tmp_path, cassette):
    one, other = (origin(lambda exchange: reply(exchange.request.target, b"Content-Type: text/plain")) for _ in range(2))
    urls = [f"{one.url}/a", f"{other.url}/b", f"{one.url}/c"]
    run("import", har(tmp_path / "x.har", urls, body=lambda url: "/" + url.rsplit("/", 1)[1]), "--cassette", cassette)
    done = run("verify", cassette, "--json", "-H", "X-Key: k")
    report = json.loads(done.stdout)
    assert done.returncode in (0, 4) and report["failed"] == 0 and sorted(report["origins"]) == sorted([one.url, other.url])
    assert sorted(each["origin"] + each["target"] for each in report["requests"]) == sorted(urls)
    assert sorted(request.target for request in one.requests) == [b"/a", b"/c"]
    assert [request.target for request in other.requests] == [b"/b"]
    assert "--header is not sent to" in done.stderr
    assert not any(b"k" in request.values(b"x-key") for request in one.requests + other.requests)


def test_verify_gives_credentials_to_the_named_origin_alone(origin, tmp_path, cassette):
    one, other, third = (origin(lambda exchange: reply(exchange.request.target, b"Content-Type: text/plain")) for _ in range(3))
    run("import", har(tmp_path / "x.har", [f"{one.url}/a", f"{other.url}/b"]), "--cassette", cassette)
    run("verify", cassette, "--upstream", one.url, "-H", "X-Key: k")
    assert [request.target for request in one.requests] == [b"/a"] and [request.target for request in other.requests] == [b"/b"]
    assert one.requests[0].values(b"x-key") == [b"k"] and other.requests[0].values(b"x-key") == []
    run("verify", cassette, "--upstream", third.url, "-H", "X-Key: k")
    assert sorted(request.target for request in third.requests) == [b"/a", b"/b"]
    assert all(request.values(b"x-key") == [b"k"] for request in third.requests)
    assert len(one.requests) == len(other.requests) == 1


def test_a_har_of_several_hosts_in_place_responds_in_reverse_as_before(start, tmp_path):
    replay = start("replay", "--cassette", har(tmp_path / "page.har", ["https://page.test/", "https://page.test/x", "https://cdn.test/a.js"]))
    assert fetch(replay.url, "/a.js").body == b"https://cdn.test/a.js"
    assert fetch(replay.url, "/").body == b"https://page.test/"


def test_git_shows_and_merges_interactions_of_several_origins(several, tmp_path):
    """Two branches that record other hosts merge without conflicts in interactions, and in the list of origins."""
    def git(*words):
        return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=several, capture_output=True, text=True)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "a")
    for branch, host in (("x", "https://aaa.test/x"), ("y", "https://zzz.test/y")):
        git("checkout", "-q", "-b", branch, "main")
        run("import", har(tmp_path / "new.har", [host]), "--cassette", several)
        git("add", "-A")
        git("commit", "-qm", branch)
    assert git("merge", "-q", "x", "-m", "m").returncode == 0
    assert len(interactions(several)) == 7
    assert manifest(several)["origins"] == sorted(ORIGINS + ["https://aaa.test", "https://zzz.test"])
