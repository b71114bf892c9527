"""What kind of program a client is, by the names that it gives itself."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from papertrade_site.usage import families
from papertrade_site.usage.families import (
    MOST_CHARACTERS,
    Family,
    family_called,
    family_of_agent,
    family_of_name,
)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("claude-ai", Family.CLAUDE),
        ("claude-ai (via mcp-remote 0.1.18)", Family.CLAUDE),
        ("Anthropic/ClaudeAI", Family.CLAUDE),
        ("claude-code", Family.CLAUDE_CODE),
        ("cursor-vscode", Family.CURSOR),
        ("Visual Studio Code", Family.VS_CODE),
        ("openai-mcp", Family.CHATGPT),
        ("codex-mcp-client", Family.CODEX),
        ("gemini-cli-mcp-client", Family.GEMINI),
        ("mcp-inspector", Family.INSPECTOR),
        ("inspector-client", Family.INSPECTOR),
        ("mcp", Family.PYTHON_SDK),
        (" MCP ", Family.PYTHON_SDK),
        ("my-typescript-client", Family.TYPESCRIPT_SDK),
        ("mcp-thing", Family.OTHER),
        ("mongoose", Family.OTHER),
        ("Zed", Family.ZED),
        ("goose-cli", Family.GOOSE),
        ("cline2", Family.CLINE),
        ("", Family.OTHER),
        ("<script>alert(1)</script>", Family.OTHER),
        ("x" * 10_000 + "claude", Family.OTHER),
    ],
)
def test_a_client_s_own_name_tells_its_family(name: str, family: Family) -> None:
    assert family_of_name(name) is family


@pytest.mark.parametrize(
    ("agent", "family"),
    [
        ("curl/8.5.0", Family.CURL),
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142 Safari/537.36", Family.BROWSER),
        ("Mozilla/5.0 Chrome/142 Cursor/2.1 Electron/38", Family.CURSOR),
        ("Claude-User", Family.CLAUDE),
        ("python-httpx/0.28.1", Family.PYTHON),
        ("node", Family.NODE),
        ("Go-http-client/2.0", Family.GO),
        ("Java-http-client/21", Family.JAVA),
        ("", Family.OTHER),
        ("\x1b[31mred", Family.OTHER),
        ("authorized-bot/1.0", Family.OTHER),
        ("we-decline/2", Family.OTHER),
        ("javascript-client", Family.OTHER),
        ("JavaScript/1", Family.OTHER),
        ("Python/3.12 aiohttp/3.9", Family.PYTHON),
        ("python3-thing", Family.PYTHON),
        ("nodejs", Family.NODE),
    ],
)
def test_a_user_agent_tells_a_family(agent: str, family: Family) -> None:
    assert family_of_agent(agent) is family


def test_of_a_longer_name_only_the_part_that_is_looked_at_is_remembered() -> None:
    for kept, family_of in (
        (families._family_of_agent, family_of_agent),
        (families._family_of_name, family_of_name),
    ):
        family_of("a" * MOST_CHARACTERS)
        before = kept.cache_info().misses
        for ending in ("1", "23", "x" * 10_000):
            family_of("a" * MOST_CHARACTERS + ending)
        assert kept.cache_info().misses == before


@given(st.text())
def test_whatever_a_client_sends_is_one_of_the_known_words(text: str) -> None:
    assert {type(family_of_name(text)), type(family_of_agent(text)), type(family_called(text))} == {Family}


@pytest.mark.parametrize("family", Family)
def test_a_family_comes_back_from_its_word(family: Family) -> None:
    assert family_called(family.value) is family
