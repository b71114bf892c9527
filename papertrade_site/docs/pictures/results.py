"""What the tools find, called inside the process and used again for as long as it is current."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from papertrade_site.mcp.tool import Tool
from papertrade_site.memory import LruCache

REMEMBERED: Final = 64
"""Results that are kept per process."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's result as clients get it, and the sentence that says it."""

    figures: Mapping[str, Any]
    summary: str


@dataclass(frozen=True, slots=True)
class _Kept:
    result: Result
    is_current: Callable[[], bool]


class Results:
    """Calls tools; used by all threads of a process."""

    def __init__(self) -> None:
        self._kept: LruCache[_Kept] = LruCache(REMEMBERED)

    def of(self, tool: Tool[Any], sent: Mapping[str, Any]) -> Result:
        """What a tool finds for the arguments that were sent, or found before and would find again.

        Raises:
            BadArgumentsError: naming each argument that is wrong.
            ToolError: when the tool cannot do what was asked.
        """
        arguments = tool.checked(sent)
        key = (tool.name, arguments.model_dump_json())
        kept = self._kept.get(key)
        if kept is not None and kept.is_current():
            return kept.result
        answer = tool.answer(arguments)
        result = Result(answer.result.model_dump(mode="json", by_alias=True), answer.summary)
        self._kept.put(key, _Kept(result, answer.is_current))
        return result


process_results: Final = Results()
"""The results of this process."""
