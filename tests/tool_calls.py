"""A tool's answer as the kernel gets it, and what tests look at in one."""

from __future__ import annotations

import json
from typing import Any, Final

import jsonschema_rs

from papertrade_site.mcp.tool import Tool

DEFAULT_BYTES: Final = 10 * 1024
"""The most of a result when nothing more than is needed was asked for."""

MOST_BYTES: Final = 60 * 1024
"""The most of any result whose length is bounded."""


def answered(tool: Tool[Any], arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The structured content of a success, which is checked against the tool's schema, and the summary."""
    answer = tool.answer(tool.checked(arguments))
    structured = json.loads(answer.result.model_dump_json(by_alias=True))
    jsonschema_rs.validate(tool.output_schema, structured)
    assert "\n" not in answer.summary
    return structured, answer.summary


def size_of(result: dict[str, Any]) -> int:
    """Bytes of a result as it is sent."""
    return len(json.dumps(result, separators=(",", ":"), ensure_ascii=False).encode())


def notes(result: dict[str, Any]) -> dict[str, str]:
    """The notes of a result's sources, by source."""
    return {row["name"]: row["note"] for row in result["freshness"]["sources"] if "note" in row}
