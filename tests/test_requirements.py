"""Every requirement has a test that names it, and no test names one that there is not."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS

TESTS = Path(__file__).parent
SPECIFICATIONS = TESTS.parent.parent / "shared" / "spec"
MARK = "pytest.mark.requirement"
ID = re.compile(r"[a-z-]+(:[a-z0-9-]+){1,2}")


def _named_by(tree: ast.Module, where: str) -> Iterator[tuple[str, str]]:
    """Each id that a test of the module names, and the test's place."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == MARK:
                assert node.name.lower().startswith("test"), f"{where}: {node.name} is no test"
                yield from (
                    (str(ast.literal_eval(argument)), f"{where}::{node.name}") for argument in mark.args
                )


def _named() -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if "node_modules" in path.parts:
            continue
        where = str(path.relative_to(TESTS))
        for name, place in _named_by(ast.parse(path.read_text(encoding="utf-8")), where):
            named.setdefault(name, []).append(place)
    return named


def test_every_requirement_is_named_by_a_test() -> None:
    named = _named()
    assert [requirement.id for requirement in REQUIREMENTS if requirement.id not in named] == []


def test_no_test_names_a_requirement_that_there_is_not() -> None:
    known = {requirement.id for requirement in REQUIREMENTS}
    assert {name: places for name, places in _named().items() if name not in known} == {}


def test_an_id_is_well_formed_and_stands_once() -> None:
    ids = [requirement.id for requirement in REQUIREMENTS]
    assert [name for name in ids if ID.fullmatch(name) is None] == []
    assert [name for name, times in Counter(ids).items() if times > 1] == []


@pytest.mark.skipif(not SPECIFICATIONS.exists(), reason="the specifications are not beside the checkout")
def test_a_source_is_a_heading_of_its_specification() -> None:
    headings = {
        path.name: set(re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE))
        for path in SPECIFICATIONS.glob("*.md")
    }
    sources = {source for requirement in REQUIREMENTS for source in requirement.sources}
    assert [(file, heading) for file, heading in sources if heading not in headings[file]] == []


def test_a_mark_is_found_on_functions_methods_and_classes() -> None:
    source = f"""
@{MARK}("a:b", "c:d")
def test_one(): ...

@{MARK}("e:f")
class TestTwo:
    @other("x")
    @{MARK}("g:h")
    def test_three(self): ...
"""
    names = sorted(name for name, _ in _named_by(ast.parse(source), "example"))
    assert names == ["a:b", "c:d", "e:f", "g:h"]
