"""Three replicas behind a real load balancer, configured as the page "Beyond one machine" says."""

import json
import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from deck import ROOT, eventually
from servers import Server, listening_socket

PAGE = ROOT / "Sources/Tapedeck/Tapedeck.docc/BeyondOneMachine.md"
SESSIONS = [f"session-{number}" for number in range(200)]


def program(name: str) -> str:
    path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert path, f"{name} is not installed (debian-packages.txt)"
    return path


class Balancer(Server):
    """Runs the configuration of the page, with the ports of this test in the place of its own."""

    def __init__(self, kind: str, folder: Path, replicas):
        folder.mkdir()
        listener = listening_socket()
        port, descriptor = listener.getsockname()[1], listener.fileno()
        text = re.search(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.S)[1]
        for number, replica in enumerate(replicas, 1):
            assert text.count(f"127.0.0.1:808{number}") == 1
            text = text.replace(f"127.0.0.1:808{number}", replica.url.removeprefix("http://"))
        assert text.count("127.0.0.1:8000") == 1
        configuration = folder / "configuration"
        env = dict(os.environ)
        if kind == "nginx":
            temporary = "".join(
                f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            text = f"""
                {"user root;" if os.geteuid() == 0 else ""} daemon off; worker_processes 1; pid {folder}/pid;
                events {{ worker_connections 1024; }}
                http {{ access_log off; {temporary} {text.replace("127.0.0.1:8000", f"127.0.0.1:{port}")} }}
            """
            env["NGINX"] = f"{descriptor};"
            command = [program("nginx"), "-p", folder, "-e", folder / "error.log", "-c", configuration]
        else:
            text = text.replace("127.0.0.1:8000", f"fd@{descriptor}")
            command = [program("haproxy"), "-db", "-f", configuration]
        configuration.write_text(text)
        super().__init__(command, folder / "log", listener, env=env)
        self.url = f"http://{self.authority}"


def ask(url: str, session: str, count: int) -> list[tuple[str, str, int]]:
    """The responses of some requests in a row, each with the replica that sent it, and with the number that it says the
    request had in its session."""
    with requests.Session() as client:
        answers = [client.get(url + "/n", headers={"X-Session": session}, timeout=30) for _ in range(count)]
    # After a retry nginx names every replica that it tried.
    return [
        (answer.text.strip(), answer.headers.get("X-Replica", "").split(", ")[-1],
         int(re.search(r";request=(\d+)", answer.headers["Tapedeck-Answer"])[1]))
        for answer in answers]


def is_up(balancer) -> bool:
    try:
        return requests.get(balancer.url + "/healthz", timeout=5).ok
    except requests.ConnectionError:
        return False


@pytest.mark.parametrize("kind", ["nginx", "haproxy"])
def test_sessions_keep_to_their_replica_and_begin_anew_when_it_leaves(kind, recorded, start, cassette, tmp_path):
    expected = [answer.decode().strip() for answer in recorded(*["/n"] * 6)]
    assert len(set(expected)) == 6
    replicas = [
        start("replay", "--cassette", cassette, "--session-header", "X-Session", "--health-path", "/healthz",
              "--on-exhausted", "miss", "--quiet", "--explain")
        for _ in range(3)]
    balancer = Balancer(kind, tmp_path / kind, replicas)

    def everyone(count):
        return dict(zip(SESSIONS, pool.map(lambda session: ask(balancer.url, session, count), SESSIONS)))

    try:
        eventually(lambda: is_up(balancer), f"{kind} passes requests on")
        with ThreadPoolExecutor(16) as pool:
            before = everyone(3)
            for session, answers in before.items():
                assert [text for text, *_ in answers] == expected[:3], session
                assert [number for *_, number in answers] == [1, 2, 3], session
                assert len({replica for _, replica, _ in answers}) == 1, session
            homes = {session: answers[0][1] for session, answers in before.items()}
            assert len(set(homes.values())) == 3, "each replica has sessions"

            gone = replicas[0].url.removeprefix("http://") if kind == "nginx" else "one"
            assert gone in homes.values()
            replicas[0].kill()
            after = everyone(2)
        for session, answers in after.items():
            texts, servers, numbers = [text for text, *_ in answers], {replica for _, replica, _ in answers}, [number for *_, number in answers]
            if homes[session] == gone:
                assert texts == expected[:2] and numbers == [1, 2], f"{session} begins anew, and is told so"
                assert len(servers) == 1 and gone not in servers, session
            else:
                assert texts == expected[3:5] and numbers == [4, 5], f"{session} goes on"
                assert servers == {homes[session]}, session

        replicas[0] = start(
            "replay", "--cassette", cassette, "--session-header", "X-Session", "--health-path", "/healthz",
            "--on-exhausted", "miss", "--quiet", "--explain", "--listen", replicas[0].url.removeprefix("http://"))

        def is_back():
            # Probes are not counted, and their sessions belong to nobody.
            probes = [
                requests.get(balancer.url + "/healthz", headers={"X-Session": f"probe-{number}"}, timeout=30)
                for number in range(20)]
            return gone in {probe.headers["X-Replica"].split(", ")[-1] for probe in probes}

        eventually(is_back, "the replica is back", 30)
        with ThreadPoolExecutor(16) as pool:
            for session, answers in everyone(1).items():
                text, server, number = answers[0]
                assert server == homes[session], f"{session} is where it was at first"
                begun = (expected[0], 1) if server == gone else (expected[5], 6)
                assert (text, number) == begun, f"{session} is told that it began anew, or goes on"
    finally:
        balancer.stop()
    for replica in replicas:
        assert replica.stop() == 0, replica.stderr


def test_replicas_are_equal(recorded, start, cassette, tmp_path):
    """Ids, fakes and what happens by chance come from what is declared, and not from the process."""
    recorded(*["/n"] * 3)
    overrides = tmp_path / "overrides.json"
    overrides.write_text(json.dumps({
        "resources": [{"path": "/users", "ids": "uuid", "seed": {"count": 20, "fields": {"name": "name", "age": {"int": [18, 80]}}}}],
        "patches": [{"path": "/n", "status": 503, "probability": 0.5, "seed": 1}]}))

    def answers(replica, session: str) -> list:
        ask = {"headers": {"X-Session": session}, "timeout": 30}
        made = [requests.post(f"{replica.url}/users", json={"name": name}, **ask).content for name in "ab"]
        return [*made, requests.get(f"{replica.url}/users", **ask).content] + [
            (answer.status_code, answer.content) for answer in (requests.get(f"{replica.url}/n", **ask) for _ in range(6))]

    first, second = (
        start("replay", cassette, "--overrides", overrides, "--session-header", "X-Session", "--quiet") for _ in range(2))
    one = [answers(first, session) for session in SESSIONS[:5]]
    # The other way round, since other sessions may not matter.
    assert one == [answers(second, session) for session in SESSIONS[4::-1]][::-1]
    assert {status for status, _ in one[0][3:]} == {200, 503}


# 100,000 requests in the long form: four each time.
ROUNDS = 125 if os.environ.get("TAPEDECK_LONG_TESTS") == "1" else 5
OVERRIDES = {
    "routes": [{"path": "/limited", "status": 204}, {"path": "/limited", "times": 3, "status": 503}],  # the last comes first
    "resources": [{"path": "/items", "seed": []}],
}


def work(url: str, session: str):
    """What a session was answered: by a sequence, by a rule that acts three times, and by a resource, before and after
    an object was added; and the replicas that it was with."""
    with requests.Session() as client:
        client.headers["X-Session"] = session
        sequence, limited, lists, replicas = [], [], [], set()
        for number in range(ROUNDS):
            answers = [
                client.get(f"{url}/n", timeout=60), client.get(f"{url}/limited", timeout=60),
                client.post(f"{url}/items", json={"name": f"{session}-{number}"}, timeout=60),
                client.get(f"{url}/items", timeout=60)]
            sequence.append(answers[0].text.strip())
            limited.append(answers[1].status_code)
            assert answers[2].status_code == 201
            lists.append([item["name"] for item in answers[3].json()])
            replicas |= {answer.headers["X-Replica"].split(", ")[-1] for answer in answers}
        return sequence, limited, lists, replicas


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["nginx", "haproxy"])
def test_200_sessions_at_once_leak_nothing_and_count_exactly(kind, recorded, start, cassette, tmp_path, figure):
    expected = [answer.decode().strip() for answer in recorded(*["/n"] * ROUNDS)]
    overrides = tmp_path / "overrides.json"
    overrides.write_text(json.dumps(OVERRIDES))
    replicas = [
        start("replay", "--cassette", cassette, "--overrides", overrides, "--session-header", "X-Session",
              "--health-path", "/healthz", "--on-exhausted", "miss", "--quiet")
        for _ in range(3)]
    balancer = Balancer(kind, tmp_path / kind, replicas)
    try:
        eventually(lambda: is_up(balancer), f"{kind} passes requests on")
        begin = time.monotonic()
        with ThreadPoolExecutor(len(SESSIONS)) as pool:
            results = dict(zip(SESSIONS, pool.map(lambda session: work(balancer.url, session), SESSIONS)))
        for session, (sequence, limited, lists, homes) in results.items():
            names = [f"{session}-{number}" for number in range(ROUNDS)]
            assert sequence == expected, session
            assert limited == [503] * 3 + [204] * (ROUNDS - 3), session
            assert lists == [names[:count] for count in range(1, ROUNDS + 1)], session
            assert len(homes) == 1, session
        assert len({home for *_, homes in results.values() for home in homes}) == 3
        figure(f"requests through {kind}, seconds", f"{len(SESSIONS) * ROUNDS * 4}, {time.monotonic() - begin:.0f}")
    finally:
        balancer.stop()
    for replica in replicas:
        assert replica.stop() == 0, replica.stderr
