"""What a tool is: a name, texts for people and models, two schemas, and a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import jsonschema_rs
from pydantic import BaseModel, ValidationError

from papertrade_site.mcp.arguments import Fault, faults, model_faults, normalise
from papertrade_site.mcp.schema import Schema, input_schema, output_schema

Arguments = TypeVar("Arguments", bound=BaseModel)

ANNOTATIONS: Final = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": True,
}
"""What every tool of these servers is: it reads, and what it reads is outside this service."""

_NAME: Final = re.compile(r"[a-z0-9_]{1,40}")


def _never() -> bool:
    return False


def _none() -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool found.

    Attributes:
        result: the figures.
        summary: a sentence that says them, free of any text that a stranger chose.
        is_current: whether the tool would find the very same now; by default nobody can tell.
    """

    result: BaseModel
    summary: str
    is_current: Callable[[], bool] = _never


class BadArgumentsError(Exception):
    """Arguments that the published schema, or a rule that no schema can state, refuses."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(" ".join(map(str, faults)))
        self.faults = faults


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[Arguments]):
    """One tool.

    Attributes:
        name: at most 40 characters of a to z, 0 to 9 and ``_``.
        title: for people.
        description: by which a model chooses the tool, and learns how to read what it gives.
        arguments: the model whose schema is published and that ``call`` receives.
        result: the model of ``structuredContent``.
        call: does the work; makes a ``result``, or raises ``BadArgumentsError`` or ``ToolError``.
        preface: begins every error text of the tool.
        requests: tells the most requests that one call makes now to services behind this one; 0 when it asks
            none.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    result: type[BaseModel]
    call: Callable[[Arguments], Answer]
    preface: str = ""
    requests: Callable[[], int] = _none
    input_schema: Schema = field(init=False)
    output_schema: Schema = field(init=False)
    _validator: jsonschema_rs.Validator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the schemas once.

        Raises:
            ValueError: when clients could not take the name.
            UnpublishableSchemaError: when they could not read a schema.
        """
        if _NAME.fullmatch(self.name) is None:
            raise ValueError(f"{self.name!r} is not 1 to 40 characters of a to z, 0 to 9 and _")
        object.__setattr__(self, "input_schema", input_schema(self.arguments))
        object.__setattr__(self, "output_schema", output_schema(self.result))
        object.__setattr__(self, "_validator", jsonschema_rs.validator_for(self.input_schema))

    def listing(self) -> dict[str, Any]:
        """The tool as ``tools/list`` and the server card show it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": {"title": self.title, **ANNOTATIONS},
        }

    def checked(self, sent: Mapping[str, Any]) -> Arguments:
        """The arguments that were sent, put in order and held to the published schema.

        Raises:
            BadArgumentsError: naming each argument that is wrong.
        """
        arguments = normalise(sent, self.input_schema)
        if not self._validator.is_valid(arguments):
            raise BadArgumentsError(faults(sent, self.input_schema, self._validator))
        try:
            return self.arguments.model_validate(arguments)
        except ValidationError as error:
            raise BadArgumentsError(model_faults(error, self.input_schema)) from None

    def answer(self, arguments: Arguments) -> Answer:
        """Do the work.

        Raises:
            BadArgumentsError: naming an argument that is wrong by a rule that no schema can state.
            ToolError: when the tool cannot do what was asked.
            TypeError: when the tool made something else than its result, whose schema it may break.
        """
        answer = self.call(arguments)
        if not isinstance(answer.result, self.result):
            raise TypeError(f"{self.name} made {type(answer.result).__name__}, not {self.result.__name__}")
        return answer
