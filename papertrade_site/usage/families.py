"""Which of a few known kinds of program a client is: all that is ever kept of the names it gives itself."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

MOST_CHARACTERS: Final = 200
"""Characters of a name that are looked at."""

KEPT_NAMES: Final = 1024
"""Names whose family a process keeps at hand, each cut before: whoever sends them fills less than 1 MB."""


class Family(StrEnum):
    """Kinds of programs; the values are what an operator reads."""

    CLAUDE_CODE = "Claude Code"
    CLAUDE = "Claude"
    CHATGPT = "ChatGPT"
    CODEX = "Codex"
    GEMINI = "Gemini"
    CURSOR = "Cursor"
    VS_CODE = "VS Code"
    WINDSURF = "Windsurf"
    ZED = "Zed"
    CLINE = "Cline"
    GOOSE = "Goose"
    N8N = "n8n"
    LIBRECHAT = "LibreChat"
    INSPECTOR = "Inspector"
    PYTHON_SDK = "Python SDK"
    TYPESCRIPT_SDK = "TypeScript SDK"
    BROWSER = "browser"
    CURL = "curl"
    PYTHON = "Python"
    NODE = "Node.js"
    GO = "Go"
    JAVA = "Java"
    OTHER = "other"


_CALLED: Final = {family.value: family for family in Family}


def family_called(value: str) -> Family:
    """The family of a stored value; one that only another version knows is ``OTHER``."""
    return _CALLED.get(value, Family.OTHER)


_NAMES: Final = (
    ("claude-code", Family.CLAUDE_CODE),
    ("claude code", Family.CLAUDE_CODE),
    ("claude", Family.CLAUDE),
    ("claudeai", Family.CLAUDE),
    ("claudebot", Family.CLAUDE),
    ("anthropic", Family.CLAUDE),
    ("codex", Family.CODEX),
    ("openai", Family.CHATGPT),
    ("chatgpt", Family.CHATGPT),
    ("gemini", Family.GEMINI),
    ("cursor", Family.CURSOR),
    ("visual studio code", Family.VS_CODE),
    ("vscode", Family.VS_CODE),
    ("vs code", Family.VS_CODE),
    ("copilot", Family.VS_CODE),
    ("windsurf", Family.WINDSURF),
    ("cline", Family.CLINE),
    ("goose", Family.GOOSE),
    ("n8n", Family.N8N),
    ("librechat", Family.LIBRECHAT),
    ("inspector", Family.INSPECTOR),
    ("zed", Family.ZED),
)
"""What both a client's own name and its User-Agent may hold, in the order in which it is looked for."""

_OWN_NAMES: Final = (
    ("typescript", Family.TYPESCRIPT_SDK),
    ("python", Family.PYTHON_SDK),
)

_AGENTS: Final = (
    ("python-mcp", Family.PYTHON_SDK),
    ("curl/", Family.CURL),
    ("python", Family.PYTHON),
    ("aiohttp", Family.PYTHON),
    ("node", Family.NODE),
    ("nodejs", Family.NODE),
    ("undici", Family.NODE),
    ("bun/", Family.NODE),
    ("go-http-client", Family.GO),
    ("java", Family.JAVA),
    ("okhttp", Family.JAVA),
    ("mozilla/", Family.BROWSER),
)

_DEFAULT_OWN_NAME: Final = ("mcp", Family.PYTHON_SDK)
"""What a client of the Python SDK is called that its author gave no name."""

_Known = tuple[tuple[re.Pattern[str], Family], ...]


def _whole_words(*known: tuple[str, Family]) -> _Known:
    """Patterns that find a part where no other letter touches it, as "zed" is none of "authorized"."""
    return tuple((re.compile(rf"(?<![a-z]){re.escape(part)}(?![a-z])"), family) for part, family in known)


_IN_NAMES: Final = _whole_words(*_NAMES, *_OWN_NAMES)
_IN_AGENTS: Final = _whole_words(*_NAMES, *_AGENTS)


def family_of_name(name: str) -> Family:
    """The family of a program by the name that it gives as it connects."""
    return _family_of_name(name[:MOST_CHARACTERS])


def family_of_agent(user_agent: str) -> Family:
    """The family of a program by its ``User-Agent`` header."""
    return _family_of_agent(user_agent[:MOST_CHARACTERS])


@lru_cache(maxsize=KEPT_NAMES)
def _family_of_name(name: str) -> Family:
    text = name.strip().lower()
    if text == _DEFAULT_OWN_NAME[0]:
        return _DEFAULT_OWN_NAME[1]
    return _first(text, _IN_NAMES)


@lru_cache(maxsize=KEPT_NAMES)
def _family_of_agent(user_agent: str) -> Family:
    return _first(user_agent.lower(), _IN_AGENTS)


def _first(text: str, known: _Known) -> Family:
    return next((family for pattern, family in known if pattern.search(text)), Family.OTHER)
