"""Looking at cassettes, and at everything at once."""

import json

import pytest

from deck import interactions, run


def test_ls_lists_every_exchange(small_cassette):
    path, answers = small_cassette
    text = run("ls", path)
    assert text.returncode == 0
    for target, _ in answers:
        assert target in text.stdout
    as_json = run("ls", "--json", path)
    assert as_json.returncode == 0
    json.loads(as_json.stdout)
    for name in interactions(path):
        assert name.removesuffix(".json") in as_json.stdout


def test_show_shows_an_exchange(small_cassette):
    path, _ = small_cassette
    assert run("show", path).returncode == 0
    name = next(name for name, each in interactions(path).items() if "octocat" in json.dumps(each["response"]))
    for spelling in (name, name.removesuffix(".json")):
        done = run("show", path, spelling)
        assert done.returncode == 0
        assert "/json" in done.stdout
        assert "octocat" in done.stdout


@pytest.mark.parametrize("verb", ["ls", "show"])
def test_looking_at_nothing_says_what_is_missing(verb, tmp_path):
    done = run(verb, tmp_path / "nowhere")
    assert done.returncode == 1
    assert str(tmp_path / "nowhere") in done.stderr


def test_show_of_an_unknown_exchange_names_it(small_cassette):
    done = run("show", small_cassette[0], "no-such-exchange")
    assert done.returncode == 1
    assert "no-such-exchange" in done.stderr


def test_demo_tells_its_story_and_ends(tmp_path):
    done = run("demo", cwd=tmp_path, timeout=60)
    assert done.returncode == 0
    for word in ("record", "replay", "route"):
        assert word in (done.stdout + done.stderr).lower()
