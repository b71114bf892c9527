"""What the pages say of the protocol: limits, methods, headers, versions and errors are the servers' own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from ipaddress import ip_network
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from papertrade_site.docs.faults import ERROR_KINDS, ErrorKind
from papertrade_site.limits.bounds import WINDOW_S
from papertrade_site.limits.in_force import limits_for, policy
from papertrade_site.limits.networks import NetworkRule, Networks
from papertrade_site.mcp.dispatch import Dispatcher
from papertrade_site.mcp.errors import McpError
from papertrade_site.mcp.jsonrpc import Call
from papertrade_site.mcp.negotiation import ACCEPTED_IN_HEADER, PROTOCOL_VERSIONS
from papertrade_site.mcp.server import Server
from papertrade_site.upstream import budget
from tests.docs.reading import FORMS, SERVERS, all_twins, blocks_of, twin_of, words_of
from tests.policies import InForce

every_server = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.slug)
every_form = pytest.mark.parametrize("form", FORMS)

pytestmark = pytest.mark.usefixtures("venue")


@every_form
@every_server
def test_the_limits_in_force_stand_in_the_reference_and_under_security(server: Server, form: str) -> None:
    limits = limits_for(server.slug)
    for slug in ("docs/mcp", "docs/security"):
        words = words_of(server, slug, form)
        assert re.search(
            rf"Messages of one client[^0-9]* {limits.requests_per_minute} in {WINDOW_S} s", words
        )
        assert re.search(rf"Messages in (a|one) batch[^0-9]* {limits.batch_messages} ", words)
        assert re.search(rf"Size of (a|one) body {limits.body_bytes:,} bytes", words)
        assert f"{budget.CALL_SECONDS:.0f} s" in words
    security = words_of(server, "docs/security", form)
    assert f"{policy().pages_per_minute} in {WINDOW_S} s" in security
    quota = f"at most {policy().named_wallets_per_minute} upstream requests in each minute of the clock"
    assert quota in security
    most = max(tool.requests() for tool in server.tools)
    assert f"One call makes at most {most} upstream requests" in security


@every_form
@every_server
def test_the_limits_of_the_reference_name_the_upstream_requests_of_each_tool(
    server: Server, form: str
) -> None:
    words = words_of(server, "docs/mcp", form).replace(" ,", ",")
    told = ", ".join(f"{tool.name} {tool.requests()}" for tool in server.tools)
    assert f"Upstream requests of a call {told} " in words


@every_server
def test_the_protocols_table_names_the_very_methods_that_are_answered(server: Server) -> None:
    answer = json.loads(Dispatcher(server).answer(Call(1, "no/such", None)) or b"")
    known = answer["error"]["message"].partition("this server has ")[2].removesuffix(".").split(", ")
    (table,) = re.findall(r"## Protocol\n(.*?)\n## ", twin_of(server, "docs/mcp"), re.DOTALL)
    assert "tools/call" in known
    assert [method for method in known if f"`{method}`" not in table] == []
    named = re.findall(r"`((?:ping|initialize|[a-z]+/[a-z/]+))`", table)
    assert set(named) - {"notifications/initialized", "text/event-stream"} == set(known)


@every_form
@every_server
def test_every_header_that_pages_of_other_origins_may_use_stands_under_security(
    server: Server, form: str, settings: Settings
) -> None:
    words = words_of(server, "docs/security", form)
    for name in (*settings.CORS_ALLOW_HEADERS, *settings.CORS_EXPOSE_HEADERS):
        assert name in words


@every_form
@every_server
def test_every_protocol_version_and_error_code_stands_in_the_reference(server: Server, form: str) -> None:
    words = words_of(server, "docs/mcp", form)
    assert all(version in words for version in PROTOCOL_VERSIONS)
    assert all(version in words for version in ACCEPTED_IN_HEADER)
    connect = words_of(server, "docs/connect", form)
    assert f"pin one of {', '.join(sorted(ACCEPTED_IN_HEADER, reverse=True))}" in connect
    for error in _kinds(McpError):
        assert f"{error.code} " in words, error
    for kind in ERROR_KINDS:
        assert f"{kind.code} {kind.status} " in words


def _kinds(error: type[McpError]) -> Iterator[type[McpError]]:
    for kind in error.__subclasses__():
        yield kind
        yield from _kinds(kind)


def test_every_error_that_a_caller_can_meet_has_advice() -> None:
    assert set(_kinds(McpError)) == {kind.error for kind in ERROR_KINDS}


@pytest.mark.parametrize("kind", ERROR_KINDS, ids=lambda kind: f"{kind.code} {kind.status}")
@every_server
def test_an_error_comes_with_the_status_that_the_reference_tells(
    server: Server, kind: ErrorKind, client: Client
) -> None:
    for answer in _provoked(client, server, kind):
        assert answer.status_code == kind.status
        assert answer.json()["error"]["code"] == kind.code


def _provoked(client: Client, server: Server, kind: ErrorKind) -> list[Any]:
    """An answer for each cause that the reference names."""
    address, limits = f"/{server.slug}/mcp", limits_for(server.slug)

    def post(body: bytes, content_type: str = "application/json", **headers: str) -> Any:  # noqa: ANN401
        return client.post(address, body, content_type=content_type, headers=headers)

    unknown_method = b'{"jsonrpc":"2.0","id":1,"method":"no/such"}'
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    match kind.code, kind.status:
        case -32700, _:
            return [post(b"{"), post(b'"\xff"'), post(b'{"a":1,"a":1}'), post(b"[" * 1000)]
        case -32600, 400:
            too_long = b"[%b]" % b",".join([ping] * (limits.batch_messages + 1))
            later = post(ping, **{"mcp-protocol-version": "2999-01-01"})
            return [post(b"{}"), post(b"[]"), post(too_long), later]
        case -32600, 405:
            return [client.delete(address), client.get(address, headers={"accept": "text/event-stream"})]
        case -32600, 413:
            return [post(b" " * (limits.body_bytes + 1))]
        case -32600, 415:
            return [post(ping, "text/plain"), post(ping, **{"content-encoding": "gzip"})]
        case -32601, _:
            return [post(unknown_method)]
        case -32602, _:
            return [
                post(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such"}}'),
                post(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}'),
            ]
        case _, 403:
            rule = NetworkRule(network=ip_network("127.0.0.0/8"), is_blocked=True)
            InForce().set(networks=Networks((rule,)))  # the fixture of that name has the defaults back
            return [post(ping), client.get(address)]
        case _:
            for _ in range(limits.requests_per_minute):
                post(unknown_method)
            return [post(unknown_method)]


def test_json_rpc_examples_are_answered_as_the_pages_say() -> None:
    asked = 0
    for server, page, twin in all_twins():
        dispatcher = Dispatcher(server)
        blocks = [block for block in blocks_of(twin) if block.language == "json"]
        for block, after in pairwise([*blocks, None]):
            assert block is not None
            message = json.loads(block.code)
            if "method" not in message:
                continue
            asked += 1
            content = dispatcher.answer(Call(message["id"], message["method"], message.get("params")))
            answer = json.loads(content or b"null")
            if after is not None and after.before == "The answer:":
                assert answer == json.loads(after.code), page.slug
            else:
                assert answer["result"].get("isError") is not True, (page.slug, answer)
    assert asked >= 2 * sum(len(server.tools) for server in SERVERS)
