"""Whether an answer may be what it is: a stated status, JSON-RPC for the right message, no figure too old."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from papertrade_site.clock import ms_of
from papertrade_site.mcp.dispatch import UNFORESEEN
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES
from tests.soak.asks import Ask, Form

SECOND_MS: Final = 1_000
"""Times in results are cut to whole seconds."""

LAG_MS: Final = 60_000
"""How far the embedded exchange's own time of an answer may lie before the moment that it was asked."""

EVENT: Final = b"event: message\ndata: "


@dataclass(frozen=True, slots=True)
class Finding:
    """What an answer is.

    Attributes:
        fault: what is wrong with it; None when nothing is.
        has_figures: whether it is a tool's success.
        is_degraded: whether such a success says that something of it is old or missing.
    """

    fault: str | None = None
    has_figures: bool = False
    is_degraded: bool = False


def finding(ask: Ask, status: int, body: bytes, *, sent_at_ms: int) -> Finding:
    """Judge an answer.

    Args:
        ask: what it is an answer to.
        status: of HTTP.
        body: all of it.
        sent_at_ms: when the request was sent. Whatever was read for it was read after that, and copies
            were within their limits then.
    """
    if status not in ask.statuses:
        return Finding(f"{ask.kind}: HTTP {status} {body[:200]!r}")
    if ask.form is Form.NOTHING:
        return Finding(f"{ask.kind}: a body where none belongs" if body else None)
    if ask.form is Form.ANYTHING:
        return Finding(None if body else f"{ask.kind}: no body")
    try:
        messages = _messages(body)
    except ValueError:
        return Finding(f"{ask.kind}: no JSON {body[:200]!r}")
    fault = next(_faults_of_messages(messages, ask.ids), None)
    if fault is not None:
        return Finding(f"{ask.kind}: {fault}")
    if not ask.is_call:
        return Finding()
    try:
        return _of_call(ask.kind, messages[0], sent_at_ms)
    except (KeyError, TypeError, ValueError) as error:
        return Finding(f"{ask.kind}: not the form of a result ({error!r}): {body[:200]!r}")


def too_old(freshness: dict[str, Any], *, sent_at_ms: int) -> str | None:
    """What of a result is older than it may be; None when nothing is."""
    longest_ms = 0
    for row in freshness["sources"]:
        if row["fetchedAt"] is None:
            continue
        lifetime = DEFAULT_LIFETIMES[row["name"]]
        limit_s = lifetime.fresh_s if row["state"] == "fresh" else lifetime.stale_s
        longest_ms = max(longest_ms, round(lifetime.stale_s * 1000))
        age_ms = sent_at_ms - _ms(row["fetchedAt"])
        if age_ms > limit_s * 1000 + SECOND_MS:
            return f"{row['name']} is {row['state']} and {age_ms / 1000:.1f} s old"
    age_ms = sent_at_ms - _ms(freshness["asOf"])
    if age_ms > longest_ms + LAG_MS:
        return f"it is as of {age_ms / 1000:.1f} s ago"
    return None


def _messages(body: bytes) -> list[Any]:
    document = json.loads(body.removeprefix(EVENT).strip())
    return document if isinstance(document, list) else [document]


def _faults_of_messages(messages: list[Any], ids: tuple[int | str | None, ...]) -> Iterator[str]:
    answered = [message.get("id") if isinstance(message, dict) else message for message in messages]
    if [(type(each), each) for each in answered] != [(type(each), each) for each in ids]:
        yield f"answers other messages than {ids}: {str(messages)[:200]}"
    for message in messages:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            yield f"no JSON-RPC: {str(message)[:200]}"
        elif ("result" in message) == ("error" in message):
            yield f"neither result nor error: {str(message)[:200]}"
        elif "error" in message and not isinstance(message["error"].get("code"), int):
            yield f"an error without a code: {str(message)[:200]}"


def _of_call(kind: str, message: dict[str, Any], sent_at_ms: int) -> Finding:
    if "error" in message:  # a rule that the published schema cannot state, such as the highest leverage now
        is_of_arguments = message["error"]["code"] == -32602
        return Finding(None if is_of_arguments else f"{kind}: {message['error']}")
    result = message["result"]
    if result["isError"]:
        text = str(result["content"])
        return Finding(f"{kind}: {text}" if UNFORESEEN in text else None)
    freshness = result["structuredContent"]["freshness"]
    fault = too_old(freshness, sent_at_ms=sent_at_ms)
    return Finding(None if fault is None else f"{kind}: {fault}", True, freshness["degraded"])


def _ms(text: str) -> int:
    return ms_of(datetime.fromisoformat(text))
