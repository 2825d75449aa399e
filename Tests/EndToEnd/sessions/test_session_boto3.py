"""boto3 with nine of AWS's services: every request is signed anew, by the minute, with ids of its own."""

import time

import pytest

import aws
from servers import Moto


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name, value in aws.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def moto(origins):
    return origins(Moto)


def test_nine_services(rehearsal, moto):
    seen = rehearsal.both(moto, lambda url: aws.Account(url).use_all())
    assert rehearsal.exchanges >= 70
    assert any(step[2] == bytes(range(100, 110)) for step in seen if isinstance(step, list) and len(step) == 3)


def test_a_download_in_24_ranges_and_an_upload_in_parts_at_once(rehearsal, moto):
    recorded = rehearsal.both(moto, lambda url: aws.Account(url).transfer(10))
    assert recorded[1] == aws.LARGE
    assert rehearsal.replay(lambda url: aws.Account(url).transfer(1)) == recorded  # one range after the other


@pytest.mark.parametrize("script", [aws.presigned_get, aws.presigned_post, aws.client_token], ids=lambda script: script.__name__)
def test_what_is_made_up_anew_either_matches_or_is_cured_by_the_fix(rehearsal, cured, moto, script):
    """Signatures, expiry times and client tokens: new in every run, and in this one at least two seconds later."""
    recorded = rehearsal.record(moto, script)
    time.sleep(2.1)
    assert cured(script, len(recorded)) == recorded
