"""Every JSON:API document that the Swift tests see, held against a schema of the specification's structure."""

import copy
import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

from deck import CLEAN, ROOT

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "jsonapi-1.1.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def resources(document) -> list:
    """Primary resources; none of a document without."""
    data = document.get("data")
    return data if isinstance(data, list) else [data] if data else []


def identity(resource) -> tuple:
    return resource["type"], resource["id"]


def linked(resource) -> list:
    """The identities that a resource's relationships name."""
    linkages = [relationship.get("data") for relationship in resource.get("relationships", {}).values()]
    return [identity(each) for data in linkages for each in (data if isinstance(data, list) else [data]) if each]


def problems(document, is_whole=True) -> list[str]:
    """What is wrong with a document, the rules included that no schema can say.

    `is_whole` says that no fieldset was asked for: only then must included resources be linked (section 5.3).
    """
    found = [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(document)]
    if found:
        return found
    included = document.get("included", [])
    identities = [identity(resource) for resource in included]
    primary = resources(document)
    is_linkage = all(set(each) <= {"type", "id", "meta"} for each in primary) and included
    if not is_linkage:
        identities += [identity(resource) for resource in primary]
    found += [f"{each} is there twice" for each in sorted(set(identities)) if identities.count(each) > 1]
    for resource in included:
        shared = set(resource.get("attributes", {})) & set(resource.get("relationships", {}))
        found += [f"{name} is an attribute and a relationship" for name in sorted(shared)]
    if is_whole and included:
        found += unlinked(primary, included)
    return found


def unlinked(primary, included) -> list[str]:
    """Included resources that nothing leads to, from primary data on (full linkage)."""
    known = {identity(resource): resource for resource in included}
    reached = {identity(each) for each in primary}
    pending = list(primary) + [known[each] for each in reached if each in known]
    while pending:
        for each in linked(pending.pop()):
            if each not in reached:
                reached.add(each)
                pending += [known[each]] if each in known else []
    return [f"nothing leads to {each}" for each in known if each not in reached]


@pytest.fixture(scope="session")
def documents(tmp_path_factory):
    """What the Swift tests of JSON:API see, written down while they run."""
    folder = tmp_path_factory.mktemp("documents")
    done = subprocess.run(
        ["swift", "test", "--skip-build", "--disable-xctest", "--filter", "JSON:API"], cwd=ROOT, timeout=600,
        env={**CLEAN, "TAPEDECK_JSONAPI_DOCUMENTS": str(folder)}, capture_output=True, text=True)
    assert done.returncode == 0, f"build the tests first: swift build --build-tests\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_document_is_as_the_specification_says(documents, figure):
    assert len(documents) > 200, "the tests saw too few documents to mean anything"
    assert any("included" in each for each in documents.values())
    assert any("errors" in each for each in documents.values())
    # A fieldset hides linkage; the links of such documents tell.
    bad = {
        name: found for name, each in documents.items()
        if (found := problems(each, is_whole="fields%5B" not in str(each.get("links", {}).get("self", ""))))}
    assert not bad, "\n".join(f"{name}: {found}\n  {json.dumps(documents[name])[:1000]}" for name, found in bad.items())
    figure("JSON:API documents held against the schema", len(documents))


GOOD = {
    "data": {
        "type": "articles", "id": "1", "attributes": {"title": "t"},
        "relationships": {"author": {"data": {"type": "people", "id": "9"}, "links": {"self": "/a", "related": None}}},
        "links": {"self": {"href": "/articles/1", "hreflang": ["en"]}}, "meta": {},
    },
    "included": [{"type": "people", "id": "9"}],
    "links": {"self": "/articles/1?include=author", "next": None}, "jsonapi": {"version": "1.1"},
}


def broken(change):
    """The good document, spoilt."""
    document = copy.deepcopy(GOOD)
    change(document)
    return document


BAD = {
    "nothing in it": {},
    "no object": [],
    "data beside errors": broken(lambda d: d.update(errors=[{"title": "x"}])),
    "included without data": {"included": [], "meta": {}},
    "a member of its own": broken(lambda d: d.update(extra=1)),
    "no type": broken(lambda d: d["data"].pop("type")),
    "an id that is a number": broken(lambda d: d["data"].update(id=1)),
    "an attribute called type": broken(lambda d: d["data"]["attributes"].update(type="x")),
    "an attribute called id": broken(lambda d: d["data"]["attributes"].update(id="x")),
    "an attribute with an underscore before it": broken(lambda d: d["data"]["attributes"].update(_a=1)),
    "an illegal type": broken(lambda d: d["data"].update(type="box<int>")),
    "attributes that are a list": broken(lambda d: d["data"].update(attributes=[])),
    "an empty relationship object": broken(lambda d: d["data"]["relationships"].update(author={})),
    "data of a relationship that is {}": broken(lambda d: d["data"]["relationships"]["author"].update(data={})),
    "attributes in an identifier": broken(
        lambda d: d["data"]["relationships"]["author"]["data"].update(attributes={"a": 1})),
    "a link that is a number": broken(lambda d: d["links"].update(first=1)),
    "a link object without href": broken(lambda d: d["data"]["links"].update(self={"title": "x"})),
    "a resource twice": broken(lambda d: d["included"].append({"type": "people", "id": "9", "meta": {}})),
    "primary data in included": broken(lambda d: d["included"].append({"type": "articles", "id": "1"})),
    "a resource that nothing leads to": broken(lambda d: d["included"].append({"type": "people", "id": "10"})),
    "no errors": {"errors": []},
    "a bare error": {"status": 404, "title": "x"},
    "a status that is a number": {"errors": [{"status": 404}]},
    "about outside of links": {"errors": [{"about": "/x"}]},
    "an empty error": {"errors": [{}]},
}


def test_a_good_document_is_good():
    assert problems(GOOD) == []


@pytest.mark.parametrize("what", BAD)
def test_a_bad_document_is_noticed(what):
    assert problems(BAD[what])
