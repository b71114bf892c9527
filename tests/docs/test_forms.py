"""The form of a tool: a field for each argument of the schema that clients are shown."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, Final

import pytest
from django.test import Client

from papertrade_site.docs.forms import Field, fields
from papertrade_site.docs.samples import sample_arguments
from papertrade_site.mcp.schema import Schema
from papertrade_site.mcp.tool import Tool
from papertrade_site.servers import SERVERS
from tests.docs.markup import Element, elements_of

TOOLS: Final = [(slug, tool) for slug, server in SERVERS.items() for tool in server.tools]

every_tool = pytest.mark.parametrize(
    ("server", "tool"), TOOLS, ids=lambda value: value if isinstance(value, str) else value.name
)


def _only(argument: Schema, *, required: bool = False, example: object = None) -> Field:
    schema = {"properties": {"name": argument}, "required": ["name"] if required else []}
    (field,) = fields(schema, {} if example is None else {"name": example})
    return field


def test_a_choice_lists_what_the_schema_allows() -> None:
    field = _only({"type": "string", "enum": ["BTC", "ETH"], "default": "BTC", "description": "The market."})
    assert (field.choices, field.left_out, field.meanings) == (
        ("BTC", "ETH"),
        "leave out (BTC)",
        ("The market.",),
    )
    assert (field.value, field.allowed, field.is_number) == ("", "", False)


def test_what_each_choice_means_stands_on_a_line_of_its_own() -> None:
    about = "a, b: the one. c: the other."
    field = _only({"type": "string", "enum": ["a", "b", "c"], "description": about})
    assert field.meanings == ("a, b: the one.", "c: the other.")
    unlisted = _only(
        {"type": "string", "enum": ["a", "b"], "description": "Which. a: the one. b: the other."}
    )
    assert unlisted.meanings == ("Which. a: the one. b: the other.",)


def test_a_truth_value_is_a_choice_of_true_and_false() -> None:
    field = _only({"type": "boolean", "default": False}, example=True)
    assert (field.choices, field.value, field.left_out) == (("true", "false"), "true", "leave out (false)")


@pytest.mark.parametrize(
    ("argument", "allowed", "step"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 44}, "a whole number, 1 to 44", "1"),
        ({"type": "number", "minimum": -0.5, "maximum": 1000000}, "a number, -0.5 to 1,000,000", "any"),
        ({"type": "number", "minimum": 0}, "a number, 0 or more", "any"),
        ({"type": "number", "maximum": 10.5}, "a number, 10.5 or less", "any"),
        ({"type": "number"}, "a number", "any"),
    ],
)
def test_a_number_says_its_range(argument: Schema, allowed: str, step: str) -> None:
    field = _only(argument)
    assert (field.allowed, field.step, field.is_number) == (allowed, step, True)


def test_a_text_has_its_pattern_and_length() -> None:
    field = _only({"type": "string", "pattern": "^0x", "maxLength": 42}, required=True)
    assert (field.pattern, field.longest, field.is_required, field.choices) == ("^0x", "42", True, ())
    assert field.left_out == "leave out"


@pytest.mark.parametrize(("example", "value"), [(0.5, "0.5"), (200, "200"), (-0.5, "-0.5"), ("1d", "1d")])
def test_a_field_begins_with_the_example_as_a_person_would_type_it(example: object, value: str) -> None:
    assert _only({"type": "number"}, example=example).value == value


@every_tool
def test_the_page_of_a_tool_has_a_labelled_control_for_each_argument(
    client: Client, server: str, tool: Tool[Any]
) -> None:
    page = elements_of(client.get(f"/{server}/docs/tools/{tool.name}").content.decode())
    labels, ids = {each["for"] for each in page if each.tag == "label"}, {each["id"] for each in page}
    controls = {each["name"]: each for each in page if "data-type" in each.attributes}
    assert list(controls) == list(tool.input_schema["properties"])
    for field in fields(tool.input_schema, sample_arguments(tool.name)):
        control = controls[field.name]
        assert control["id"] in labels
        assert set(control["aria-describedby"].split()) <= ids
        assert control["data-type"] == field.type
        if field.choices:
            options = choices_of(page, control)
            assert [option.text for option in options] == [
                *([] if field.is_required else [field.left_out]),
                *field.choices,
            ]
            selected = [option.text for option in options if "selected" in option.attributes]
            assert selected == ([field.value] if field.value else [])
        elif field.is_number:
            assert (control["type"], control["step"]) == ("number", field.step)
            assert (control["min"], control["max"]) == (field.least, field.most)
            assert control["value"] == field.value


def choices_of(page: list[Element], select: Element) -> list[Element]:
    """The options of a control, which follow it at once."""
    after = page[page.index(select) + 1 :]
    return list(takewhile(lambda each: each.tag == "option", after))


@every_tool
def test_the_page_of_a_tool_holds_the_sample_call_for_readers_without_scripts(
    client: Client, server: str, tool: Tool[Any]
) -> None:
    page = client.get(f"/{server}/docs/tools/{tool.name}").content.decode()
    _, _, without = page.partition("<noscript>")
    assert "curl" in without.partition("</noscript>")[0]
    assert tool.name in without.partition("</noscript>")[0]


def test_a_query_string_changes_nothing_that_the_server_writes(client: Client) -> None:
    address = "/liquidations/docs/tools/get_bust_map"
    hostile = "?market=%3Cscript%3Ealert(1)%3C/script%3E&__proto__=x&wallets=%22onfocus=%22"
    assert client.get(address + hostile).content == client.get(address).content
