"""What the specifications of the two servers promise, sentence by sentence.

A test that proves one names it: ``@pytest.mark.requirement("area:feature")``. ``test_requirements.py`` fails
when a requirement has no test, or a test names one that is not here. A tool that comes later brings its own.
"""

from __future__ import annotations

from typing import Final

from tests.analytics_requirements import ANALYTICS_TOOLS
from tests.liquidations_requirements import LIQUIDATIONS_TOOLS
from tests.requirement import ANALYTICS, LIQUIDATIONS, Requirement

_A_TABLE: Final = (ANALYTICS, "MCP server")
_A_TRANSPORT: Final = (ANALYTICS, "Transport details")
_A_TOOLS: Final = (ANALYTICS, "Tools")
_A_STATS: Final = (ANALYTICS, "get_market_stats")
_A_QUOTE: Final = (ANALYTICS, "quote_position_outcome")
_A_EXAMPLES: Final = (ANALYTICS, "Examples")
_A_SAFETY: Final = (ANALYTICS, "Safety")
_L_SERVER: Final = (LIQUIDATIONS, "MCP server")
_L_PROTOCOL: Final = (LIQUIDATIONS, "Protocol")
_L_TOOLS: Final = (LIQUIDATIONS, "Tools")
_L_PARAMETERS: Final = (LIQUIDATIONS, "Parameters")
_L_EXAMPLES: Final = (LIQUIDATIONS, "Examples")
_L_READING: Final = (LIQUIDATIONS, "Reading results")

_ENDPOINT: Final = [
    Requirement(
        "endpoint:address",
        "Each server answers at /mcp of its host, and by its path.",
        (_A_TABLE, _L_SERVER),
    ),
    Requirement(
        "endpoint:read-only",
        "No tool signs, sends, swaps, mints, trades, places an order or moves funds.",
        (_A_TABLE, _L_SERVER),
    ),
    Requirement(
        "endpoint:stateless",
        "There are no sessions; each request stands for itself.",
        (_A_TABLE, _A_TRANSPORT, _L_SERVER),
    ),
    Requirement(
        "endpoint:single-messages",
        "A POST carries one JSON-RPC 2.0 message.",
        (_A_TABLE, _L_SERVER),
    ),
    Requirement("endpoint:batches", "A POST may carry a batch as a JSON array.", (_A_TABLE, _L_PROTOCOL)),
    Requirement("endpoint:no-authorization", "No token or sign-in is needed.", (_A_TABLE, _L_SERVER)),
    Requirement("endpoint:no-cookies", "No cookie is read or set.", (_A_TABLE, _L_SERVER)),
    Requirement("endpoint:origin", "The Origin header is trusted for nothing.", (_A_TABLE,)),
    Requirement(
        "endpoint:registry-name", "Each server goes by its name in the registry of servers.", (_A_TABLE,)
    ),
    Requirement("endpoint:clients", "The official clients connect, list and call.", (_A_TABLE,)),
]

_TRANSPORT: Final = [
    Requirement("transport:content-type", "A POST is sent as application/json.", (_A_TRANSPORT,)),
    Requirement("transport:json", "A client that takes JSON and event streams gets JSON.", (_A_TRANSPORT,)),
    Requirement(
        "transport:stream",
        "A client that takes event streams alone gets the answer as one message event.",
        (_A_TRANSPORT, _L_PROTOCOL),
    ),
    Requirement(
        "transport:get:stream",
        "A GET for an event stream is 405 with Allow: POST.",
        (_A_TRANSPORT, _L_PROTOCOL),
    ),
    Requirement(
        "transport:get:description",
        "A plain GET shows a description of the server in JSON.",
        (_A_TRANSPORT, _L_PROTOCOL),
    ),
    Requirement("transport:get:links", "The description links to what else there is.", (_L_PROTOCOL,)),
    Requirement("transport:delete", "A DELETE is 405.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement(
        "transport:cors:origin", "Pages of any origin may read every answer.", (_A_TRANSPORT, _L_PROTOCOL)
    ),
    Requirement(
        "transport:cors:headers",
        "Pages may send Content-Type, Accept, Authorization, Mcp-Session-Id and Mcp-Protocol-Version.",
        (_A_TRANSPORT, _L_PROTOCOL),
    ),
    Requirement("transport:cors:preflight", "OPTIONS is answered with 204.", (_A_TRANSPORT, _L_PROTOCOL)),
]

_METHODS: Final = [
    Requirement(
        "initialize:version:spoken",
        "2025-06-18, 2025-03-26 and 2024-11-05 are each answered with themselves.",
        (_A_TABLE, _L_PROTOCOL),
    ),
    Requirement("initialize:version:other", "Any other version is answered with 2025-06-18.", (_L_PROTOCOL,)),
    Requirement(
        "initialize:capabilities", "The server offers tools, whose list does not change.", (_L_PROTOCOL,)
    ),
    Requirement("initialize:server", "The server tells its name and instructions.", (_L_PROTOCOL,)),
    Requirement(
        "notification:initialized",
        "notifications/initialized is answered with 202 and no body.",
        (_A_TRANSPORT, _L_PROTOCOL),
    ),
    Requirement(
        "notification:others", "So is every other notification, and nothing is done.", (_L_PROTOCOL,)
    ),
    Requirement("method:ping", "ping is answered with an empty object.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("method:tools-list", "tools/list shows every tool.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("method:tools-call", "tools/call calls a tool by name.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("method:resources-list", "resources/list is an empty list.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("method:prompts-list", "prompts/list is an empty list.", (_A_TRANSPORT, _L_PROTOCOL)),
]

_ERRORS: Final = [
    Requirement("error:parse", "What is not JSON is -32700.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("error:invalid-request", "JSON that is no request is -32600.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("error:unknown-method", "An unknown method is -32601.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("error:unknown-tool", "An unknown tool is -32602.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement("error:bad-params", "Bad params of a method are -32602.", (_L_PROTOCOL,)),
    Requirement("error:bad-arguments:liquidations", "Bad arguments of a tool are -32602.", (_L_PROTOCOL,)),
    Requirement(
        "error:bad-arguments:analytics",
        "Bad arguments of a tool are a result with isError, which says what to mend.",
        (_A_TRANSPORT,),
    ),
    Requirement(
        "error:tool",
        "A failure inside a tool is a result with isError that says what to do next.",
        (_A_TRANSPORT, _L_PROTOCOL),
    ),
]

_LIMITS: Final = [
    Requirement("limit:requests:analytics", "A client may send 60 requests a minute.", (_A_TRANSPORT,)),
    Requirement("limit:requests:liquidations", "A client may send 30 requests a minute.", (_L_PROTOCOL,)),
    Requirement("limit:batch:analytics", "A batch may hold 10 messages.", (_A_TRANSPORT,)),
    Requirement("limit:batch:liquidations", "A batch may hold 5 requests.", (_L_PROTOCOL,)),
    Requirement("limit:body", "A body may hold 64 KB.", (_A_TRANSPORT, _L_PROTOCOL)),
    Requirement(
        "limit:upstream-requests", "A call asks the sources a capped number of times.", (_L_PROTOCOL,)
    ),
    Requirement(
        "limit:upstream-cache",
        "What the sources said is kept for 30 to 60 seconds, prices to trade at for less.",
        (_A_TRANSPORT,),
    ),
    Requirement("limit:upstream-time", "A call waits 12 seconds for the sources at most.", (_A_TRANSPORT,)),
]

_RESULTS: Final = [
    Requirement(
        "result:analytics",
        "A success has a one-line summary, the JSON as text, and the same as structuredContent.",
        (_A_TRANSPORT,),
    ),
    Requirement(
        "result:liquidations", "A success has a short summary as text and structuredContent.", (_L_TOOLS,)
    ),
    Requirement(
        "result:output-schema",
        "structuredContent is valid by the outputSchema of the tool.",
        (_A_TRANSPORT, _L_TOOLS),
    ),
    Requirement(
        "result:data-not-instructions",
        "Clients are told to take addresses, names and texts for data.",
        (_A_SAFETY, _L_READING),
    ),
    Requirement(
        "card:address", "The server card is at /.well-known/mcp/server-card.json.", (_A_TABLE, _L_TOOLS)
    ),
    Requirement("card:schemas", "The server card holds the schemas that tools/list shows.", (_L_TOOLS,)),
]

_TOOLS: Final = [
    Requirement(
        "tool:hints",
        "Every tool is marked read-only, not destructive, idempotent and open-world.",
        (_L_SERVER, _A_STATS, _A_QUOTE),
    ),
    Requirement("tool:titles", "Every tool of Analytics has the title of the table.", (_A_TOOLS,)),
]

_EXAMPLES: Final = [
    Requirement("example:analytics", "The examples of calls are answered.", (_A_EXAMPLES,)),
    Requirement("example:liquidations", "The examples with curl are answered.", (_L_EXAMPLES,)),
    Requirement("example:inspector", "The official Inspector lists the tools.", (_L_EXAMPLES,)),
]

REQUIREMENTS: Final = [
    *_ENDPOINT,
    *_TRANSPORT,
    *_METHODS,
    *_ERRORS,
    *_LIMITS,
    *_RESULTS,
    *_TOOLS,
    *ANALYTICS_TOOLS,
    *LIQUIDATIONS_TOOLS,
    *_EXAMPLES,
]
