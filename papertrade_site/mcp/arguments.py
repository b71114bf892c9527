"""A tool's arguments: put in order as clients really send them, then held to the published schema.

``normalise`` is the one leniency, and ``faults`` refuses the rest by name, from the very schema that
``tools/list`` shows; there is no second set of rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import jsonschema_rs
from pydantic import ValidationError

from papertrade_site.mcp.errors import cut, shown
from papertrade_site.mcp.schema import Schema

ADDED_BY_CLIENTS: Final = frozenset({"sessionId", "action", "chatInput", "toolCallId", "tool"})
"""Keys that clients in use add to every call's arguments; they mean nothing to a tool."""

MAX_FAULTS: Final = 8
"""The most faults that one answer tells, so that a body of wrong arguments is not answered with a book."""

_PLAIN_DECIMAL: Final = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?", re.ASCII)
_TYPES: Final = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One argument that is refused: its name, the value as JSON (cut short, None when missing), and why."""

    argument: str
    value: str | None
    problem: str

    def __str__(self) -> str:
        """The fault as a sentence, in which a name that is no plain word stands as JSON."""
        if self.value is None:
            is_plain = self.argument.isascii() and self.argument.isidentifier()
            return f"{self.argument if is_plain else shown(self.argument)} {self.problem}."
        return f"{self.argument} is {self.value}: it {self.problem}."

    def json(self) -> dict[str, Any]:
        """The fault for programs."""
        return {"argument": self.argument, "value": self.value, "problem": self.problem}


def normalise(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Arguments as the schema means them.

    Keys that clients add are dropped, and so is null for an optional argument. A plain decimal text
    becomes a number, a whole float an integer, and a choice may differ in case and outer space.
    """
    properties, required = schema["properties"], schema.get("required", ())
    return {
        name: _normal(value, properties.get(name, {}))
        for name, value in arguments.items()
        if not _is_added(name, properties)
        and not (value is None and name in properties and name not in required)
    }


def faults(sent: Mapping[str, Any], schema: Schema, validator: jsonschema_rs.Validator) -> list[Fault]:
    """What the schema refuses of arguments even when they are put in order, each shown as it was sent.

    One fault an argument, in the schema's order, at most ``MAX_FAULTS``.
    """
    errors = validator.iter_errors(normalise(sent, schema))
    found = (fault for error in errors for fault in _faults_of(error, schema, sent))
    return _in_order(found, schema)


def model_faults(error: ValidationError, schema: Schema) -> list[Fault]:
    """What the model refuses although the schema does not, such as a number that no float can hold."""
    rows = ((str(row["loc"][0]), row["input"]) for row in error.errors() if row["loc"])
    found = (Fault(name, shown(value), _allowed(schema["properties"][name])) for name, value in rows)
    return _in_order(found, schema)


def _in_order(found: Iterable[Fault], schema: Schema) -> list[Fault]:
    first: dict[str, Fault] = {}
    for fault in found:
        first.setdefault(fault.argument, fault)
    order = {name: index for index, name in enumerate(schema["properties"])}
    return sorted(first.values(), key=lambda fault: order.get(fault.argument, len(order)))[:MAX_FAULTS]


def _is_added(name: str, properties: Mapping[str, Schema]) -> bool:
    return name not in properties and (name in ADDED_BY_CLIENTS or name.startswith("_"))


def _normal(value: Any, schema: Schema) -> Any:  # noqa: ANN401
    kind = schema.get("type")
    if kind in {"number", "integer"}:
        if isinstance(value, str) and _PLAIN_DECIMAL.fullmatch(value):
            return _number(value, schema)
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            return int(value)
    elif "enum" in schema and isinstance(value, str):
        wanted = value.strip().casefold()
        return next((choice for choice in schema["enum"] if choice.casefold() == wanted), value)
    return value


def _number(text: str, schema: Schema) -> int | float | str:
    """The number that a text stands for, or the text when only rounding would make it an allowed one."""
    exact = Decimal(text)
    if exact == int(exact) and (schema["type"] == "integer" or "." not in text):
        return int(exact)
    rounded = float(text)
    is_kept = schema["type"] == "number" and _in_range(exact, schema) == _in_range(_written(rounded), schema)
    return rounded if is_kept else text


def _in_range(number: Decimal, schema: Schema) -> bool:
    least, most = (_written(schema.get(bound, number)) for bound in ("minimum", "maximum"))
    return least <= number <= most


def _written(number: Decimal | float) -> Decimal:
    """A number as the decimal that JSON shows of it: 0.1 is a tenth, not the float that is nearest to it."""
    return Decimal(str(number))


def _faults_of(
    error: jsonschema_rs.ValidationError, schema: Schema, sent: Mapping[str, Any]
) -> Iterator[Fault]:
    properties, details = schema["properties"], error.kind.as_dict()
    match error.kind.name:
        case "required":
            name = details["property"]
            yield Fault(name, None, f"is missing; it {_allowed(properties[name])}")
        case "additionalProperties":
            names = ", ".join(properties) or "no arguments"
            for name in details["unexpected"]:
                problem = f"is not an argument of this tool, which takes {names}"
                yield Fault(cut(name), None, problem + _right_spelling(name, properties))
        case _:
            name = str(error.instance_path[0])
            yield Fault(name, shown(sent[name]), _allowed(properties[name]))


def _right_spelling(name: str, properties: Mapping[str, Schema]) -> str:
    """A hint at the argument that differs in case and underscores alone, as the end of a sentence."""
    meant = (known for known in properties if _letters(known) == _letters(name))
    return next((f"; write it {known}" for known in meant), "")


def _letters(name: str) -> str:
    return name.replace("_", "").casefold()


def _allowed(schema: Schema) -> str:
    """What an argument may be, as the end of a sentence."""
    if "enum" in schema:
        return f"must be one of {', '.join(schema['enum'])}"
    return f"must be {_TYPES[schema['type']]}{_range(schema)}{_form(schema)}"


def range_in_words(schema: Schema, written: Callable[[float], str] = str) -> str:
    """What a number may be, such as "1 to 44" or "0 or more"; empty where its schema sets no bounds.

    Args:
        schema: of the argument.
        written: how a bound is written.
    """
    least, most = (written(schema[bound]) if bound in schema else "" for bound in ("minimum", "maximum"))
    if least and most:
        return f"{least} to {most}"
    return f"{least} or more" if least else most and f"{most} or less"


def _range(schema: Schema) -> str:
    words = range_in_words(schema)
    return words and f" {'from' if {'minimum', 'maximum'} <= schema.keys() else 'of'} {words}"


def _form(schema: Schema) -> str:
    """The pattern of a text, with the argument's own description, as few could mend a text by a pattern."""
    if "pattern" not in schema:
        return ""
    meaning = schema.get("description", "").removesuffix(".")
    return f" that matches {schema['pattern']}" + (f" ({meaning})" if meaning else "")
