"""The form of a tool: one field for each argument, made from the schema that clients are shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from papertrade_site.docs.reference import meanings
from papertrade_site.figures.text import number
from papertrade_site.mcp.arguments import range_in_words
from papertrade_site.mcp.schema import Schema

TRUTHS: Final = ("true", "false")
_ARTICLES: Final = {"integer": "a whole number", "number": "a number"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One argument as a form asks for it. Every value is text, as form controls have it.

    Attributes:
        name: the argument's name.
        type: its type in the schema: ``string``, ``number``, ``integer`` or ``boolean``.
        meanings: what it means, in one line or one for each choice or few; empty where the schema says
            nothing.
        is_required: whether it cannot be left out.
        choices: what it may be, where that is a list.
        least: the smallest number; empty for none.
        most: the largest number; empty for none.
        pattern: what a text has to match; empty for none.
        longest: the most characters of a text; empty for no limit.
        default: what the tool takes when it is left out; empty where the description says it.
        allowed: what a number may be, in words; empty for everything else, whose control tells.
        value: what the field begins with; empty to leave it out.
    """

    name: str
    type: str
    meanings: tuple[str, ...]
    is_required: bool
    choices: tuple[str, ...]
    least: str
    most: str
    pattern: str
    longest: str
    default: str
    allowed: str
    value: str

    @property
    def step(self) -> str:
        """The step of a number's control."""
        return "1" if self.type == "integer" else "any"

    @property
    def is_number(self) -> bool:
        """Whether its control is one for numbers."""
        return self.type in _ARTICLES

    @property
    def left_out(self) -> str:
        """What the choice of leaving it out is called."""
        return f"leave out ({self.default})" if self.default else "leave out"


def fields(schema: Schema, example: Mapping[str, object]) -> tuple[Field, ...]:
    """The fields of a tool's arguments, in the schema's order.

    Args:
        schema: the tool's input schema.
        example: arguments that the form begins with, by name.
    """
    required = frozenset(schema.get("required", ()))
    return tuple(
        _field(name, argument, is_required=name in required, value=_text(example.get(name)))
        for name, argument in schema["properties"].items()
    )


def _field(name: str, argument: Schema, *, is_required: bool, value: str) -> Field:
    return Field(
        name=name,
        type=argument["type"],
        meanings=tuple(meanings(argument)),
        is_required=is_required,
        choices=TRUTHS if argument["type"] == "boolean" else tuple(argument.get("enum", ())),
        least=_text(argument.get("minimum")),
        most=_text(argument.get("maximum")),
        pattern=argument.get("pattern", ""),
        longest=_text(argument.get("maxLength")),
        default=_text(argument.get("default")),
        allowed=_allowed(argument),
        value=value,
    )


def _allowed(argument: Schema) -> str:
    what = _ARTICLES.get(argument["type"])
    return ", ".join(filter(None, (what, range_in_words(argument, number)))) if what else ""


def _text(value: object) -> str:
    """A value of JSON as a form's control holds it; nothing for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
