from __future__ import annotations

import pytest
from pydantic import BaseModel, Field

from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.tool import Answer, BadArgumentsError, Tool


class Doubling(BaseModel):
    number: float = Field(ge=0, description="What to double.")


class Doubled(BaseModel):
    number: float


def double(arguments: Doubling) -> Answer:
    if arguments.number > 100:
        raise ToolError("That is too much for me. Send less.")
    return Answer(Doubled(number=arguments.number * 2), "Doubled.")


def make(name: str = "double") -> Tool[Doubling]:
    return Tool(
        name=name, title="Double", description="Doubles.", arguments=Doubling, result=Doubled, call=double
    )


def _answer(tool: Tool[Doubling], sent: dict[str, object]) -> Answer:
    return tool.answer(tool.checked(sent))


def test_a_tool_is_listed_with_its_schemas_and_all_four_hints() -> None:
    number = {"type": "number", "minimum": 0, "description": "What to double."}

    assert make().listing() == {
        "name": "double",
        "title": "Double",
        "description": "Doubles.",
        "inputSchema": {
            "type": "object",
            "properties": {"number": number},
            "required": ["number"],
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"number": {"type": "number"}},
            "required": ["number"],
        },
        "annotations": {
            "title": "Double",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        },
    }


@pytest.mark.parametrize("name", ["", "x" * 41, "Double", "double-it", "double it", "doublé", "double\n"])
def test_a_name_that_some_client_cannot_take_is_found_when_the_tool_is_made(name: str) -> None:
    with pytest.raises(ValueError, match="1 to 40 characters"):
        make(name)


def test_the_longest_name_is_taken() -> None:
    assert make("x" * 40).name == "x" * 40


def test_arguments_reach_the_tool_in_order() -> None:
    assert _answer(make(), {"number": "2.5", "sessionId": 1}) == Answer(Doubled(number=5.0), "Doubled.")


@pytest.mark.parametrize("sent", [{}, {"number": None}, {"number": -1}, {"number": "x"}, {"number": 10**400}])
def test_arguments_that_are_wrong_never_reach_the_tool(sent: dict[str, object]) -> None:
    with pytest.raises(BadArgumentsError) as caught:
        make().checked(sent)

    assert [fault.argument for fault in caught.value.faults] == ["number"]
    assert str(caught.value) == str(caught.value.faults[0])


def test_a_tool_that_makes_another_model_than_it_declares_is_wrong() -> None:
    tool = Tool(
        name="double",
        title="Double",
        description="Doubles.",
        arguments=Doubling,
        result=Doubled,
        call=lambda arguments: Answer(arguments, "Doubled."),
    )

    with pytest.raises(TypeError, match="double made Doubling, not Doubled"):
        _answer(tool, {"number": 1})


def test_what_the_tool_cannot_do_it_says_itself() -> None:
    with pytest.raises(ToolError, match="Send less"):
        _answer(make(), {"number": 101})
