"""What is left of a run: the summary, the reports and the exit code."""

import json
import signal
from xml.etree import ElementTree

import pytest
import requests
from junitparser import Failure, JUnitXml, Skipped

from deck import interactions, log_lines, run
from servers import Nginx


@pytest.fixture(scope="module")
def pages(servers):
    return servers(Nginx, 'location / { return 200 "$request_uri\\n"; }')


@pytest.fixture
def session(record, pages, cassette):
    """Three pages; of the second two answers; the third is asked for with a time that makes no difference."""
    deck = record(pages.url, "--match", "query:ignore=ts")
    for target in ("/one", "/two", "/two", "/three?ts=1"):
        requests.get(deck.url + target)
    assert deck.stop() == 0, deck.stderr
    return cassette


ALL = ("/one", "/two", "/two", "/three?ts=1")
NONE, DRIFT, REPEAT, MISS = ALL, ALL[:3] + ("/three?ts=2",), ALL + ("/one",), ALL + ("/never",)
UNUSED = ALL[1:]


@pytest.mark.parametrize(("flags", "asked", "code"), [
    ((), NONE, 0), ((), DRIFT, 0), ((), REPEAT, 0), ((), UNUSED, 0), ((), MISS, 3),
    (("--strict",), NONE, 0), (("--strict",), DRIFT, 4), (("--strict",), REPEAT, 4), (("--strict",), UNUSED, 4),
    (("--strict",), MISS, 3), (("--strict",), MISS + UNUSED[:1], 3),
    (("--fail-on", "drift"), DRIFT, 4), (("--fail-on", "drift"), REPEAT, 0), (("--fail-on", "drift"), MISS, 3),
    (("--fail-on", "repeat"), REPEAT, 4), (("--fail-on", "repeat"), UNUSED, 0),
    (("--fail-on", "unused"), UNUSED, 4), (("--fail-on", "unused"), NONE, 0),
    (("--fail-on", "unmatched"), MISS, 4), (("--fail-on", "unmatched"), NONE, 0),
    (("--fail-on", "unused,drift"), DRIFT, 4), (("--fail-on", "unused", "--fail-on", "repeat"), REPEAT, 4),
    (("--strict", "--fail-on", "unmatched"), MISS, 4),
], ids=str)
def test_the_exit_code_says_what_went_wrong(start, session, flags, asked, code):
    deck = start("replay", "--cassette", session, *flags)
    for target in asked:
        requests.get(deck.url + target)
    assert deck.stop() == code, deck.stderr
    assert bool(log_lines(deck, "tapedeck: failed: ")) == (code == 4 or asked == MISS + UNUSED[:1])


@pytest.fixture
def reports(start, session, tmp_path):
    """Runs a replay, and returns its exit code and both of its reports."""

    def reports(*asked, flags=(), with_signal=signal.SIGINT):
        files = tmp_path / "report.json", tmp_path / "report.xml"
        deck = start("replay", "--cassette", session, "--report", files[0], "--report-junit", files[1], *flags)
        for target in asked:
            requests.get(deck.url + target)
        code = deck.stop(with_signal)
        assert sorted(path.name for path in tmp_path.iterdir() if "report" in path.name) == ["report.json", "report.xml"]
        return code, json.loads(files[0].read_text()), files[1]

    return reports


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_report_tells_all(reports, session, ending):
    code, report, _ = reports("/one", "/one", "/two", "/three?ts=9", "/tow", "/tow", with_signal=ending)
    assert (code, report["exitCode"]) == (3, 3)
    names = {each["request"]["target"]: name for name, each in interactions(session).items() if ".2." not in name}
    second = next(name for name in interactions(session) if ".2." in name)
    assert report["tapedeck-report"] == 1
    assert (report["cassette"], report["mode"]) == (str(session), "none")
    assert report["match"] == ["method", "path", "query", "query:ignore=ts", "body"]
    assert {each["file"]: (each["hits"], each["repeated"], each["drifted"]) for each in report["interactions"]} == {
        names["/one"]: (2, 1, 0), names["/two"]: (1, 0, 0), second: (0, 0, 0), names["/three?ts=1"]: (1, 0, 1)}
    assert report["unused"] == [second]
    counts = report["counts"]
    assert [counts[name] for name in ("recorded", "replayed", "repeated", "drifted", "unmatched", "unused")] == [
        0, 4, 1, 1, 2, 1]
    assert counts["upstreamConnections"] == 0
    (miss,) = report["unmatched"]
    assert (miss["method"], miss["target"], miss["count"]) == ("GET", "/tow", 2)
    assert miss["nearest"][0]["file"] in (names["/two"], names["/one"], names["/three?ts=1"])
    assert miss["nearest"][0]["differences"][0]["field"] == "path"
    assert miss["fix"].startswith("tapedeck ") and "/tow" in miss["curl"]
    assert report["drift"] == [{"field": 'query "ts"', "count": 1, "recorded": '"1"', "received": '"9"'}]


def test_the_report_of_a_recording(start, pages, cassette, tmp_path):
    deck = start("record", "--upstream", pages.url, "--cassette", cassette, "--report", tmp_path / "report.json")
    for target in ALL:
        requests.get(deck.url + target)
    assert deck.stop() == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["counts"]["recorded"], report["counts"]["filesWritten"], report["mode"]) == (4, 4, "all")
    assert (report["interactions"], report["exitCode"]) == ([], 0)


def test_the_same_run_gives_the_same_report(reports):
    first = reports(*MISS)[1:]
    text = first[1].read_text()
    second = reports(*MISS)[1:]

    def without_port(report):
        return {**report, "unmatched": [{**each, "curl": ""} for each in report["unmatched"]]}

    assert without_port(first[0]) == without_port(second[0])
    assert text.split("again: curl")[0] == second[1].read_text().split("again: curl")[0]


def cases(path):
    ElementTree.parse(path)  # well formed
    suite, = JUnitXml.fromfile(str(path))
    assert suite.tests == len(list(suite))
    assert suite.failures == sum(isinstance(result, Failure) for case in suite for result in case.result)
    assert suite.skipped == sum(isinstance(result, Skipped) for case in suite for result in case.result)
    assert len({(case.classname, case.name) for case in suite}) == len(list(suite))
    return {case.name.split(" (")[0]: next(iter(case.result), None) for case in suite}


def test_junit_without_rules_fails_what_was_unmatched(reports):
    code, _, path = reports("/one", "/one", "/three?ts=9", '/tow?a="<&\'%01')
    found = cases(path)
    assert code == 3
    assert [name for name, result in found.items() if result is None] == ["run", "GET /one", "GET /three?ts=1"]
    assert isinstance(found["GET /two"], Skipped)
    (missed,) = [name for name in found if "/tow" in name]
    assert isinstance(found[missed], Failure)
    assert "nearest" in found[missed].message
    assert "tapedeck serve" in found[missed].text


def test_junit_fails_what_the_rules_forbid(reports):
    code, report, path = reports("/one", "/one", "/three?ts=9", flags=("--strict",))
    found = cases(path)
    assert code == 4
    assert (report["rules"], report["broken"]) == (["unused", "drift", "repeat", "secrets"], ["unused", "drift", "repeat"])
    for name, says in (("GET /one", "served 2 times"), ("GET /two", "no request used"), ("GET /three?ts=1", "differed")):
        assert isinstance(found[name], Failure), name
        assert says in found[name].message
    assert '"1" → "9"' in found["GET /three?ts=1"].text
    assert found["run"] is None


@pytest.mark.parametrize("option", ["--report", "--report-junit"])
def test_a_report_that_cannot_be_written_is_told_before_the_run(session, tmp_path, option):
    done = run("replay", "--cassette", session, "--port", "0", option, tmp_path / "absent" / "report")
    assert done.returncode == 1
    assert f"cannot write {tmp_path}/absent/report: its folder does not exist" in done.stderr
    assert "listening" not in done.stderr


def test_a_report_that_could_not_be_written_is_a_failure(start, session, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    deck = start("replay", "--cassette", session, "--report", folder / "report.json")
    folder.rmdir()
    assert deck.stop() == 1
    assert log_lines(deck, "cannot write", "report.json")


def test_a_report_replaces_an_older_one(start, session, tmp_path):
    report = tmp_path / "report.json"
    report.write_text("older")
    deck = start("replay", "--cassette", session, "--report", report)
    assert report.read_text() == "older", "until the run is over"
    deck.stop()
    assert json.loads(report.read_text())["counts"]["unused"] == 4
