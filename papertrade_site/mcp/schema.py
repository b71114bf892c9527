"""Pydantic models as the JSON Schemas that are published, in the subset that every client reads.

Schemas are draft 2020-12 with everything inlined: no ``$ref``, ``anyOf``, ``oneOf``, ``const`` or
exclusive bounds. An input property has one ``type``; a nullable output property has two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

Schema = dict[str, Any]

INPUT_KEYWORDS: Final = frozenset(
    {
        "type",
        "description",
        "enum",
        "default",
        "minimum",
        "maximum",
        "pattern",
        "minLength",
        "maxLength",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
        "additionalProperties",
    }
)
"""Every keyword that an input schema may have; each of the others breaks a client in use."""


class UnpublishableSchemaError(TypeError):
    """A model needs a keyword that clients do not read; it is found when the server is put together."""


def input_schema(model: type[BaseModel]) -> Schema:
    """The schema of a tool's arguments: closed, an optional argument being absent or of its one type.

    Raises:
        UnpublishableSchemaError: when a client in use could not read it.
    """
    schema = _published(model, nullable=False) | {"additionalProperties": False}
    _refuse_keywords(schema)
    return schema


def output_schema(model: type[BaseModel]) -> Schema:
    """The schema of a tool's result: open, so that a field added later breaks no client.

    Raises:
        UnpublishableSchemaError: when a union is more than a type or null.
    """
    return _published(model, nullable=True)


def _published(model: type[BaseModel], *, nullable: bool) -> Schema:
    raw = model.model_json_schema(mode="serialization" if nullable else "validation")
    definitions = raw.pop("$defs", {})
    return {"type": "object", "properties": {}} | _plain(raw, definitions, nullable=nullable)


def _plain(node: Schema, definitions: Mapping[str, Schema], *, nullable: bool) -> Schema:
    """One schema with references followed, unions with null folded, and labels dropped."""
    node = _fold_union(_follow(node, definitions), definitions, nullable=nullable)
    plain = {key: value for key, value in node.items() if key not in {"title", "default"}}
    if node.get("default") is not None and not nullable:
        plain["default"] = node["default"]
    if "const" in plain:
        plain["enum"] = [plain.pop("const")]
    if "properties" in plain:
        plain["properties"] = {
            name: _plain(child, definitions, nullable=nullable) for name, child in plain["properties"].items()
        }
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
    option = _follow(others[0], definitions) | beside
    if nullable and len(others) < len(node["anyOf"]):
        option = option | {"type": [option["type"], "null"]}
    return option


def _refuse_keywords(schema: Schema) -> None:
    unknown = set(schema) - INPUT_KEYWORDS
    if unknown or isinstance(schema.get("type"), list):
        raise UnpublishableSchemaError(
            f"clients do not read {sorted(unknown) or 'several types'} in an input"
        )
    for child in schema.get("properties", {}).values():
        _refuse_keywords(child)
    if isinstance(schema.get("items"), dict):
        _refuse_keywords(schema["items"])
