"""Visits by the official Python client 2.x: ``python sdk2.py JOB`` prints what it saw as a line of JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx2
from addresses import resolve_here
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client


async def main(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Make each visit of the job."""
    resolve_here(job["names"])
    return [await visit(place) for place in job["visits"]]


async def visit(place: dict[str, Any]) -> dict[str, Any]:
    """Connect, list, call everything, ping, and leave."""
    async with (
        httpx2.AsyncClient(headers=place["headers"], timeout=30) as http,
        Client(streamable_http_client(place["url"], http_client=http)) as client,
    ):
        listed = await client.list_tools()
        outcomes = [await outcome(client, call) for call in place["calls"]]
        pong = await client.session.send_ping()
        return {
            "version": client.protocol_version,
            "server": client.server_info.name if client.server_info else None,
            "tools": [tool.name for tool in listed.tools],
            "resources": len((await client.list_resources()).resources),
            "prompts": len((await client.list_prompts()).prompts),
            "outcomes": outcomes,
            "pong": pong.model_dump(exclude_none=True),
        }


async def outcome(client: Client, call: dict[str, Any]) -> dict[str, Any]:
    """What a call came to; the client itself holds the result against the tool's schema."""
    try:
        result = await client.call_tool(call["name"], call["arguments"])
    except MCPError as error:
        return {"code": error.code, "message": error.message}
    return {
        "isError": result.is_error,
        "text": result.content[0].text,
        "structured": result.structured_content,
    }


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
