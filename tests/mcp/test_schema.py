from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from papertrade_site.mcp.schema import UnpublishableSchemaError, input_schema, output_schema


class Side(StrEnum):
    LONG = "long"
    SHORT = "short"


class Nothing(BaseModel):
    pass


class Wanted(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    side: Side = Field(description="Which side.")
    only: Literal["a"]
    most_rows: Annotated[int, Field(ge=1, le=5)] = 3
    share: float | None = Field(None, ge=0, description="A share.")
    title: bool = False


class Row(BaseModel):
    usd: float | None
    side: Side | None
    kind: Literal["x"] | None
    pair: Literal["x", "y"] | None


class Found(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rows: list[Row]
    first: Row | None = Field(description="The nearest.")
    by_name: dict[str, Row]
    default: int = 5


def test_a_model_without_fields_still_has_properties() -> None:
    assert input_schema(Nothing) == {"type": "object", "properties": {}, "additionalProperties": False}
    assert output_schema(Nothing) == {"type": "object", "properties": {}}


def test_arguments_are_inlined_with_one_type_each_and_without_labels() -> None:
    assert input_schema(Wanted) == {
        "type": "object",
        "properties": {
            "side": {"type": "string", "enum": ["long", "short"], "description": "Which side."},
            "only": {"type": "string", "enum": ["a"]},
            "mostRows": {"type": "integer", "minimum": 1, "maximum": 5, "default": 3},
            "share": {"type": "number", "minimum": 0, "description": "A share."},
            "title": {"type": "boolean", "default": False},
        },
        "required": ["side", "only"],
        "additionalProperties": False,
    }


def test_a_result_is_open_and_inlined_and_may_hold_null_beside_a_type() -> None:
    row = {
        "type": "object",
        "properties": {
            "usd": {"type": ["number", "null"]},
            "side": {"type": ["string", "null"], "enum": ["long", "short", None]},
            "kind": {"type": ["string", "null"], "enum": ["x", None]},
            "pair": {"type": ["string", "null"], "enum": ["x", "y", None]},
        },
        "required": ["usd", "side", "kind", "pair"],
    }

    assert output_schema(Found) == {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": row},
            "first": row | {"type": ["object", "null"], "description": "The nearest."},
            "by_name": {"type": "object", "additionalProperties": row},
            "default": {"type": "integer"},
        },
        "required": ["rows", "first", "by_name"],
    }


FOUND = jsonschema_rs.validator_for(output_schema(Found))
rows = st.builds(Row, usd=st.none() | st.floats(allow_nan=False, allow_infinity=False))
found = st.builds(
    Found,
    rows=st.lists(rows, max_size=3),
    first=st.none() | rows,
    by_name=st.dictionaries(st.text(max_size=3), rows, max_size=2),
    default=st.integers(),
)


@given(found)
def test_every_result_matches_its_own_schema(result: Found) -> None:
    assert FOUND.is_valid(result.model_dump(mode="json", by_alias=True))


@pytest.mark.parametrize(
    "kind",
    [
        str,
        Annotated[str, Field(max_length=5)],
        int | str,
        int | float | None,
        list[int],
        list[str],
        dict[str, int],
        Nothing,
        datetime,
        Any,
        None,
        Literal[1, 2],
        Literal["a", 1],
        tuple[int, int],
        Annotated[float, Field(gt=0)],
        Annotated[float, Field(lt=1)],
        Annotated[int, Field(multiple_of=5)],
    ],
    ids=str,
)
def test_an_argument_that_some_client_cannot_read_is_found_when_the_tool_is_made(kind: Any) -> None:  # noqa: ANN401
    model = create_model("Model", value=(kind, ...))

    with pytest.raises(UnpublishableSchemaError):
        input_schema(model)


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


@pytest.mark.parametrize(
    "kind",
    [
        int | str,
        Cat | Dog,
        Annotated[Cat | Dog, Field(discriminator="kind")],
        tuple[int, str],
        Any | None,
        Annotated[float, Field(gt=0)],
        list[Annotated[int, Field(lt=1)]],
        Annotated[float, Field(gt=0)] | None,
    ],
    ids=str,
)
def test_a_result_that_some_client_cannot_read_is_found_when_the_tool_is_made(kind: Any) -> None:  # noqa: ANN401
    model = create_model("Model", value=(kind, ...))

    with pytest.raises(UnpublishableSchemaError):
        output_schema(model)
