"""The table of what once went wrong names tests that exist."""

import pathlib
import re

TESTS = pathlib.Path(__file__).resolve().parent.parent
END_TO_END = TESTS / "EndToEnd"


def test_the_table_of_regressions_names_tests_that_exist():
    swift = {path.stem for path in TESTS.rglob("*.swift")}
    missing = []
    rows = [line for line in (TESTS / "Regressions.md").read_text().splitlines() if line.startswith("| ")]
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[-1])]
    assert len(named) > 80
    for name in named:
        file, _, function = name.partition("::")
        function, _, case = function.removesuffix("]").partition("[")
        if name.startswith("session_"):
            file = f"sessions/test_{name}.py"
        if file.endswith(".py"):
            path = END_TO_END / file
            text = path.read_text() if path.is_file() else None
            if text is None or function and f"def {function}(" not in text or f'"{case}"' not in text and case:
                missing.append(name)
        elif "/" in name:
            suite, _, function = name.partition("/")
            if not any(f"func {function}(" in path.read_text() for path in TESTS.rglob(f"{suite}.swift")):
                missing.append(name)
        elif name not in swift:
            missing.append(name)
    assert not missing
