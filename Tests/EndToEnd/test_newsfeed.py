"""Kakapo's example application's backend: as a server, behind a recording proxy, and replayed without it."""

import subprocess
from contextlib import contextmanager

import pytest
import requests

from deck import CLEAN, assert_no_crash, binary, eventually, interactions, run

EXECUTABLE = binary().with_name("newsfeed")


@contextmanager
def newsfeed(folder, *arguments):
    """A running backend; gives its URL."""
    log = folder / "newsfeed.log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [EXECUTABLE, "--port", "0", *arguments], env=CLEAN, stdin=subprocess.DEVNULL, stderr=stderr)
    try:
        eventually(lambda: "listening on" in log.read_text() or process.poll() is not None, "listening")
        assert process.poll() is None, log.read_text()
        yield log.read_text().split("listening on ")[1].split("/api/")[0]
        process.terminate()
        assert process.wait(15) == 0
    finally:
        process.kill()
        process.wait()
        assert_no_crash(process.returncode, "" if process.returncode == -9 else log.read_text())


@pytest.fixture
def session():
    with requests.Session() as session:
        session.trust_env = False
        yield session


def live_through_a_day(session, url):
    """What the application does, one step after the other: every answer's status and JSON."""
    answers = []

    def ask(method, path, body=None, status=200):
        answer = session.request(method, f"{url}/api/{path}", json=body, timeout=20)
        assert answer.status_code == status, (method, path, answer.text)
        answers.append((answer.status_code, answer.json()))
        return answer.json()

    before = ask("GET", "users/0/newsfeed")
    post = ask("POST", "post", {"text": "Hello"}, 201)
    assert ask("GET", "users/0/newsfeed?page=1") == [post, *before[:19]]
    commented = ask("POST", f"post/{post['id']}/comment", {"text": "Hi"})
    comment = commented["comments"][0]
    liked = ask("POST", f"entity/comment/{comment['id']}/like")
    assert ask("GET", f"post/{post['id']}")["comments"] == [liked], "a stale copy"
    assert ask("GET", f"post/{post['id']}/comment/{comment['id']}") == liked
    like = ask("POST", f"entity/post/{post['id']}/like")["likes"][0]
    ask("DELETE", f"entity/post/{post['id']}/like/{like['id']}")
    assert ask("DELETE", f"post/{post['id']}/comment/{comment['id']}") == post
    assert ask("POST", "entity/user/1/like", status=403) == {"error": "Invalid type"}
    assert ask("DELETE", f"post/{post['id']}") == {"success": "deleted"}
    assert "error" in ask("DELETE", f"post/{post['id']}", status=404)
    assert "error" in ask("GET", f"post/{post['id']}", status=404)
    assert ask("GET", "users/0/newsfeed") == before
    return answers


def test_a_day_at_the_server(tmp_path, session):
    with newsfeed(tmp_path) as url:
        assert len(live_through_a_day(session, url)[0][1]) == 200


def test_a_day_recorded_and_replayed(tmp_path, session, start):
    cassette = tmp_path / "newsfeed"
    with newsfeed(tmp_path) as url:
        recorder = start("record", "--upstream", url, "--cassette", cassette)
        recorded = live_through_a_day(session, recorder.url)
        assert recorder.stop() == 0
    assert len(interactions(cassette)) == len(recorded)
    player = start("replay", "--cassette", cassette)
    assert live_through_a_day(session, player.url) == recorded
    assert player.stop() == 0


def test_the_feed_is_quick(tmp_path, session, figure):
    with newsfeed(tmp_path) as url:
        answer = session.get(f"{url}/api/users/0/newsfeed", timeout=20)
        took = answer.elapsed.total_seconds() * 1000
    figure(f"a feed of 200 posts with all that is in them, {len(answer.content) // 1000} kB", f"{took:.1f} ms")
    assert took < 1000


@pytest.mark.parametrize("arguments, code", [(["--help"], 0), (["--what", "ever"], 2), (["--port"], 2),
                                              (["--scenario", "none"], 1), (["--port", "none"], 1)])
def test_what_is_typed_wrong_is_said(arguments, code):
    done = subprocess.run([EXECUTABLE, *arguments], env=CLEAN, capture_output=True, text=True, timeout=15)
    assert (done.returncode, done.stdout) == (code, "")
    assert "newsfeed" in done.stderr


def test_the_demo_is_about_the_news_feed(tmp_path):
    done = run("demo", cwd=tmp_path, timeout=60)
    assert done.returncode == 0
    assert done.stdout.count('"text":"Hello"') >= 3
    assert '{"error":"maintenance"}' in done.stdout
    # Where the kernel permits it, and why not where it does not.
    isolated = done.stdout.partition("run --isolate")[2]
    assert "1 replayed" in isolated or "cannot isolate the command: " in isolated, isolated
