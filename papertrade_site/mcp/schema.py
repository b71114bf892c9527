"""Pydantic models as the JSON Schemas that are published, in the subset that every client reads.

A schema is one piece of draft 2020-12: what pydantic puts into definitions and unions is written out
where it is used, and a model that only composition or an exclusive bound could tell is refused.
Arguments are flat: each is a number, a truth value, or a text that its schema bounds. A nullable output
property has two types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

Schema = dict[str, Any]

_EVERY: Final = frozenset({"type", "description", "default"})
_RANGE: Final = frozenset({"minimum", "maximum"})
ARGUMENT_KEYWORDS: Final[Mapping[object, frozenset[str]]] = {
    "boolean": _EVERY,
    "integer": _EVERY | _RANGE,
    "number": _EVERY | _RANGE,
    "string": _EVERY | {"enum", "pattern", "minLength", "maxLength"},
}
"""The types that an argument may have, each with its keywords; every other one breaks a client in use."""

_UNREAD: Final = frozenset(
    {
        "anyOf",
        "oneOf",
        "allOf",
        "prefixItems",
        "patternProperties",
        "propertyNames",
        "exclusiveMinimum",
        "exclusiveMaximum",
    }
)
"""Keywords that not every client reads, in a result either."""


class UnpublishableSchemaError(TypeError):
    """A model needs a keyword that clients do not read; it is found when the server is put together."""


def input_schema(model: type[BaseModel]) -> Schema:
    """The schema of a tool's arguments: closed, an optional argument being absent or of its one type.

    Raises:
        UnpublishableSchemaError: when a client in use could not read it, or a text is not bounded.
    """
    schema = _published(model, nullable=False) | {"additionalProperties": False}
    for name, argument in schema["properties"].items():
        _check_argument(name, argument)
    return schema


def output_schema(model: type[BaseModel]) -> Schema:
    """The schema of a tool's result: open, so that a field added later breaks no client.

    Raises:
        UnpublishableSchemaError: when a client in use could not read it.
    """
    return _published(model, nullable=True)


def _published(model: type[BaseModel], *, nullable: bool) -> Schema:
    raw = model.model_json_schema(mode="serialization" if nullable else "validation")
    definitions = raw.pop("$defs", {})
    return {"type": "object", "properties": {}} | _plain(raw, definitions, nullable=nullable)


def _plain(node: Schema, definitions: Mapping[str, Schema], *, nullable: bool) -> Schema:
    """One schema with references followed, unions with null folded, and labels dropped."""
    node = _fold_union(_follow(node, definitions), definitions, nullable=nullable)
    if unread := _UNREAD.intersection(node):
        raise UnpublishableSchemaError(f"clients do not read {sorted(unread)}")
    plain = {key: value for key, value in node.items() if key not in {"title", "default"}}
    if node.get("default") is not None and not nullable:
        plain["default"] = node["default"]
    if "const" in plain:
        plain["enum"] = [plain.pop("const")]
    if "properties" in plain:
        plain["properties"] = {
            name: _plain(child, definitions, nullable=nullable) for name, child in plain["properties"].items()
        }
    if plain.get("additionalProperties") is False:
        del plain["additionalProperties"]
    for key in ("items", "additionalProperties"):
        if isinstance(plain.get(key), dict):
            plain[key] = _plain(plain[key], definitions, nullable=nullable)
    return plain


def _follow(node: Schema, definitions: Mapping[str, Schema]) -> Schema:
    if "$ref" not in node:
        return node
    target = definitions[node["$ref"].rpartition("/")[2]]
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _follow(target, definitions) | beside


def _fold_union(node: Schema, definitions: Mapping[str, Schema], *, nullable: bool) -> Schema:
    if "anyOf" not in node:
        return node
    others = [option for option in node["anyOf"] if option != {"type": "null"}]
    if len(others) != 1:
        raise UnpublishableSchemaError(f"a union of {len(others)} types cannot be published")
    beside = {key: value for key, value in node.items() if key != "anyOf"}
    option = _fold_union(_follow(others[0], definitions), definitions, nullable=nullable) | beside
    return _or_null(option) if nullable else option


def _or_null(schema: Schema) -> Schema:
    """The schema with null allowed beside its one type, and beside its choices where it has some."""
    if not isinstance(schema.get("type"), str):
        raise UnpublishableSchemaError("null can only stand beside one type")
    either = schema | {"type": [schema["type"], "null"]}
    if "const" in either:
        either["enum"] = [either.pop("const")]
    if "enum" in either:
        either["enum"] = [*either["enum"], None]
    return either


def _check_argument(name: str, schema: Schema) -> None:
    keywords = ARGUMENT_KEYWORDS.get(schema.get("type"))
    if keywords is None:
        raise UnpublishableSchemaError(f"{name}: an argument cannot be of type {schema.get('type')}")
    if unread := set(schema) - keywords:
        raise UnpublishableSchemaError(f"{name}: clients do not read {sorted(unread)} in an argument")
    if schema["type"] == "string" and not {"enum", "pattern"}.intersection(schema):
        raise UnpublishableSchemaError(f"{name}: a text must have its choices or a pattern")
