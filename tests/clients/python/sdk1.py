"""Visits by the official Python client 1.x: ``python sdk1.py JOB`` prints what it saw as a line of JSON.

A visit names either the ``url`` of a server or the ``command`` of a bridge to one.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx
from addresses import resolve_here
from mcp import ClientSession, McpError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


async def main(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Make each visit of the job."""
    resolve_here(job["names"])
    return [await visit(place) for place in job["visits"]]


async def visit(place: dict[str, Any]) -> dict[str, Any]:
    """Connect, list, call everything, ping, and leave."""
    async with (
        httpx.AsyncClient(headers=place["headers"], timeout=30) as http,
        transport(place, http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        hello = await session.initialize()
        listed = await session.list_tools()
        outcomes = [await outcome(session, call) for call in place["calls"]]
        pong = await session.send_ping()
        return {
            "version": hello.protocolVersion,
            "server": hello.serverInfo.name,
            "tools": [tool.name for tool in listed.tools],
            "resources": len((await session.list_resources()).resources),
            "prompts": len((await session.list_prompts()).prompts),
            "outcomes": outcomes,
            "pong": pong.model_dump(exclude_none=True),
        }


def transport(place: dict[str, Any], http: httpx.AsyncClient) -> AbstractAsyncContextManager[Any]:
    """The way to the server."""
    way: AbstractAsyncContextManager[Any]
    if "command" in place:
        first, *rest = place["command"]
        way = stdio_client(StdioServerParameters(command=first, args=rest, env=place["environ"]))
    else:
        way = streamable_http_client(place["url"], http_client=http)
    return way


async def outcome(session: ClientSession, call: dict[str, Any]) -> dict[str, Any]:
    """What a call came to; the client itself holds the result against the tool's schema."""
    try:
        result = await session.call_tool(call["name"], call["arguments"])
    except McpError as error:
        return {"code": error.error.code, "message": error.error.message}
    return {
        "isError": result.isError,
        "text": result.content[0].text,
        "structured": result.structuredContent,
    }


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
