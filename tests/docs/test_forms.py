"""The form of a tool: a field for each argument of the schema that clients are shown."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any, Final

import pytest
from django.test import Client

from papertrade_site.docs.forms import Field, fields
from papertrade_site.docs.samples import sample_arguments
from papertrade_site.mcp.schema import Schema
from papertrade_site.mcp.tool import Tool
from papertrade_site.servers import SERVERS

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
    assert (field.choices, field.left_out, field.description) == (
        ("BTC", "ETH"),
        "leave out (BTC)",
        "The market.",
    )
    assert (field.value, field.allowed, field.is_number) == ("", "", False)


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


class _Controls(HTMLParser):
    """The controls of a page's form by name: their traits, and the choices with the one selected."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.traits: dict[str, dict[str, str]] = {}
        self.choices: dict[str, list[str]] = {}
        self.selected: dict[str, str] = {}
        self.labels: set[str] = set()
        self.ids: set[str] = set()
        self._select = ""
        self._option: dict[str, str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        traits = {name: value or "" for name, value in attrs}
        self.ids.add(traits.get("id", ""))
        if tag == "label":
            self.labels.add(traits.get("for", ""))
        if "data-type" in traits:
            self.traits[traits["name"]] = traits
            self._select = traits["name"] if tag == "select" else ""
        if tag == "option":
            self._option = traits

    def handle_data(self, data: str) -> None:
        if self._option is not None:
            value = self._option.get("value", data)
            self.choices.setdefault(self._select, []).append(value)
            if "selected" in self._option:
                self.selected[self._select] = value
            self._option = None


@every_tool
def test_the_page_of_a_tool_has_a_labelled_control_for_each_argument(
    client: Client, server: str, tool: Tool[Any]
) -> None:
    form = _Controls(client.get(f"/{server}/docs/tools/{tool.name}").content.decode())
    assert list(form.traits) == list(tool.input_schema["properties"])
    for field in fields(tool.input_schema, sample_arguments(tool.name)):
        traits = form.traits[field.name]
        assert traits["id"] in form.labels
        assert set(traits["aria-describedby"].split()) <= form.ids
        assert traits["data-type"] == field.type
        if field.choices:
            assert form.choices[field.name] == [*([] if field.is_required else [""]), *field.choices]
            assert form.selected.get(field.name, "") == field.value
        elif field.is_number:
            assert (traits["type"], traits["step"]) == ("number", field.step)
            assert (traits.get("min", ""), traits.get("max", "")) == (field.least, field.most)
            assert traits["value"] == field.value


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
