"""InfluxDB 1.x: its Python client, which writes lines and reads MessagePack, and its HTTP API by hand."""

import gzip
import itertools
import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from influxdb import InfluxDBClient

from deck import CLEAN
from real_servers import InfluxDB

START = 1_600_000_000
seconds = itertools.count(START)  # gzip notes when it compressed


def points(count, host="a"):
    return [{"measurement": "cpu", "tags": {"host": host}, "time": START + number, "fields": {"load": number / 3, "n": number}}
            for number in range(count)]


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_the_python_client_writes_and_queries(rehearsal, origins, compressed):
    """With gzip, the body of each write holds the time of its compression."""
    def script(url):
        host, port = url.removeprefix("http://").split(":")
        client = InfluxDBClient(host, int(port), database="metrics", gzip=compressed, retries=1, timeout=20)
        time.sleep(1.1 if compressed else 0)  # a second run never compresses in the same second as the first
        steps = [client.ping(), client.create_database("metrics"), client.get_list_database()]
        steps.append(client.write_points(points(20), time_precision="s", batch_size=8))
        steps.append(list(client.query('SELECT mean("load") FROM cpu WHERE time >= 1600000000s AND time < 1600000020s GROUP BY time(5s)').get_points()))
        as_json = InfluxDBClient(
            host, int(port), database="metrics", retries=1, timeout=20, headers={"Accept": "application/json"})
        chunks = as_json.query("SELECT * FROM cpu", epoch="ms", chunked=True, chunk_size=7)
        steps.append([point for result in chunks for point in result.get_points()])
        steps.append(list(client.query("SELECT n FROM cpu WHERE n < $n", bind_params={"n": 3}).get_points()))
        try:
            client.query("SELEKT nonsense")
        except Exception as error:
            steps.append(str(error))
        return steps

    steps = rehearsal.both(origins(InfluxDB), script)
    assert [point["n"] for point in steps[5]] == list(range(20)) and "error parsing query" in steps[7]


def test_lines_by_curl_and_a_query_in_chunks(rehearsal, origins):
    def script(url):
        def curl(*words):
            done = subprocess.run(["curl", "-q", "-sS", "--max-time", "20", "-i", *words], env=CLEAN, capture_output=True, check=True)
            head, _, body = done.stdout.partition(b"\r\n\r\n")
            return head.split(b"\r\n")[0], body

        lines = "".join(f"weather,place=Z\\ ürich temp={n}.5,note=\"a b, \\\"c\\\"\" {START + n}\n" for n in range(30))
        steps = [curl("-XPOST", f"{url}/query", "--data-urlencode", "q=CREATE DATABASE w")]
        steps.append(curl(f"{url}/write?db=w&precision=s", "--data-binary", lines))
        steps.append(curl(f"{url}/write?db=w&precision=s", "--data-binary", "not a line protocol"))
        query = ["-G", f"{url}/query", "--data-urlencode", "db=w", "--data-urlencode"]
        steps.append(curl(*query, "q=SELECT * FROM weather", "--data-urlencode", "chunked=true", "--data-urlencode", "chunk_size=10"))
        steps.append(curl(*query, "q=SELECT count(temp) FROM weather; SHOW TAG VALUES WITH KEY = place", "-d", "pretty=true"))
        steps.append(curl(*query, "q=SELECT temp FROM weather LIMIT 2", "-H", "Accept: application/csv", "-d", "epoch=s"))
        steps.append(curl("--compressed", *query, "q=SELECT temp FROM weather LIMIT 3"))
        return steps

    steps = rehearsal.both(origins(InfluxDB), script)
    assert len(steps[3][1].splitlines()) == 3 and b"partial" in steps[3][1]
    assert b"partial" in steps[2][1] or b"unable to parse" in steps[2][1]


def test_writers_and_readers_in_parallel(rehearsal, origins):
    def script(url, order=range(8)):
        requests.post(f"{url}/query", data={"q": "CREATE DATABASE p"}, timeout=20)

        def one(number):
            lines = "\n".join(f"m{number},host=h{number} v={n} {START + n}" for n in range(10))
            written = requests.post(
                f"{url}/write?db=p&precision=s", data=gzip.compress(lines.encode(), mtime=next(seconds)), headers={"Content-Encoding": "gzip"}, timeout=20)
            read = requests.get(f"{url}/query", params={"db": "p", "q": f"SELECT sum(v) FROM m{number}"}, timeout=20)
            return number, written.status_code, json.loads(read.text)

        with ThreadPoolExecutor(4) as pool:
            return sorted(pool.map(one, order))

    recorded = rehearsal.record(origins(InfluxDB), script)
    assert all(step[1] == 204 for step in recorded)
    assert rehearsal.replay(lambda url: script(url, [5, 1, 7, 0, 6, 2, 4, 3])) == recorded
