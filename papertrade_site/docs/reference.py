"""The tables of a tool, made from the very schemas that are published."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from papertrade_site.docs.markdown import escaped, table
from papertrade_site.figures.wire import Provenance, wire_name
from papertrade_site.mcp.arguments import range_in_words
from papertrade_site.mcp.schema import Schema
from papertrade_site.mcp.tool import ANNOTATIONS, Tool

UNITS: Final[Mapping[str, str]] = {
    "accRewardPerShareUsd": "USD per PAPER",
    "leverage.buckets[].min": "times margin",
    "leverage.buckets[].max": "times margin",
    "size.buckets[].min": "USD",
    "size.buckets[].max": "USD",
    "shareOfSide": "0 to 1",
    "shareOfTracked": "0 to 1",
    "longShareByNotional": "0 to 1",
    "baseRate": "0 to 1",
    "supply": "PAPER",
    "staked": "PAPER",
    "asOf": "UTC",
    "time": "UTC",
    "times": "UTC",
    "value": "see `unit`",
    "absolute": "as the figure",
}
"""What a figure counts in, by its whole name or, where that is told apart by more, by the end of its path."""

UNITS_BY_LAST_WORD: Final[Mapping[str, str]] = {
    "Usd": "USD",
    "Percent": "%",
    "Pct": "%",
    "Bps": "basis points",
    "Share": "0 to 1",
    "Fraction": "0 to 1",
    "Leverage": "times margin",
    "Coins": "coins",
    "MintRate": "PAPER per USD",
    "Paper": "PAPER",
    "At": "UTC",
    "Since": "UTC",
}
"""The same by the last word of a name, or its only one: ``Share`` is of ``longShare`` and of ``share``."""

UNCOUNTED: Final = frozenset({"rank", "block"})
"""Whole numbers that are no number of things."""

SHARED: Final = frozenset(map(wire_name, Provenance.model_fields))
"""Fields that every result carries."""


def arguments_table(tool: Tool[Any], *, line_break: str = " ") -> str:
    """What a tool takes: name, type with all choices, whether it is needed, meaning, range and default.

    Args:
        tool: the tool.
        line_break: stands between what one choice means and what the next.
    """
    required = tool.input_schema.get("required", ())
    rows = [
        [f"`{name}`", type_of(schema), "yes" if name in required else "no", _meaning(schema, line_break)]
        for name, schema in tool.input_schema["properties"].items()
    ]
    return table(["Argument", "Type", "Required", "Description"], rows) if rows else "No arguments."


def returns_table(tool: Tool[Any]) -> str:
    """Every field of a result with its unit; ``a.b`` is within ``a``, ``a[].b`` in each row of ``a``.

    Those that all results share come last.
    """
    fields = sorted(fields_of(tool.output_schema), key=lambda row: row[0].partition(".")[0] in SHARED)
    rows = [
        [f"`{path}`", type_of(schema), unit_of(path, schema), escaped(schema.get("description", ""))]
        for path, schema in fields
    ]
    return table(["Field", "Type", "Unit", "Description"], rows)


def annotations_line() -> str:
    """What every tool tells a client about itself, as a line of code."""
    return ", ".join(f"`{name}: {json.dumps(value)}`" for name, value in ANNOTATIONS.items())


def type_of(schema: Schema) -> str:
    """A type in words, or all of its choices."""
    kinds = schema.get("type", "any")
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    if "enum" in schema:
        return " or ".join(f"`{_word(choice)}`" for choice in schema["enum"])
    if "array" in names:
        names[names.index("array")] = f"list of {_plural(schema.get('items', {}))}"
    return " or ".join(names)


def unit_of(path: str, schema: Schema) -> str:
    """What a field, or each entry of a list, counts in; empty for what is no figure or has none."""
    kinds = kinds_of(schema.get("items", {}) if "array" in kinds_of(schema) else schema)
    name = path.rpartition(".")[2]
    if not kinds or "object" in kinds:
        return ""
    default = "count" if "integer" in kinds and name not in UNCOUNTED else ""
    return _named_unit(path) or default


def kinds_of(schema: Schema) -> frozenset[str]:
    """The types that a schema allows."""
    kinds = schema.get("type", ())
    return frozenset({kinds} if isinstance(kinds, str) else kinds)


def _named_unit(path: str) -> str | None:
    name = path.rpartition(".")[2]
    capital = name[:1].upper() + name[1:]
    whole = (unit for ending, unit in UNITS.items() if f".{path}".endswith(f".{ending}"))
    last_word = (unit for word, unit in UNITS_BY_LAST_WORD.items() if capital.endswith(word))
    return next(whole, None) or next(last_word, None)


def _word(choice: object) -> str:
    return choice if isinstance(choice, str) else json.dumps(choice)


def _plural(items: Schema) -> str:
    return f"{items['type']}s" if isinstance(items.get("type"), str) else "values"


def meanings(schema: Schema) -> list[str]:
    """The description, cut into one sentence for each choice or few where it goes through them."""
    text, choices = schema.get("description", ""), schema.get("enum", ())
    sentences = text.split(". ")
    is_list = choices and all(set(each.partition(": ")[0].split(", ")) <= {*choices} for each in sentences)
    if not is_list:
        return [text]
    return [f"{each.removesuffix('.')}." for each in sentences]


def _meaning(schema: Schema, line_break: str) -> str:
    words = [line_break.join(map(escaped, meanings(schema)))]
    if bounds := range_in_words(schema):
        words.append(f"Range: {bounds}.")
    if "pattern" in schema:
        words.append(f"Form: `{schema['pattern'].replace('|', chr(92) + '|')}`.")
    if "default" in schema:
        words.append(f"Default: `{json.dumps(schema['default'])}`.")
    return " ".join(word for word in words if word)


def fields_of(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Schema]]:
    """Every field within a schema, however deep, by its path."""
    for name, field in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield path, field
        if "items" in field:
            yield from fields_of(field["items"], f"{path}[].")
        elif isinstance(field.get("additionalProperties"), dict):
            yield from fields_of(field["additionalProperties"], f"{path}.*.")
        yield from fields_of(field, f"{path}.")
