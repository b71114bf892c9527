"""Which of a few known kinds of program a client is: all that is ever kept of the names it gives itself."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

MOST_CHARACTERS: Final = 200
"""Characters of a name that are looked at."""


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
    ("undici", Family.NODE),
    ("bun/", Family.NODE),
    ("go-http-client", Family.GO),
    ("java", Family.JAVA),
    ("okhttp", Family.JAVA),
    ("mozilla/", Family.BROWSER),
)

_DEFAULT_OWN_NAME: Final = ("mcp", Family.PYTHON_SDK)
"""What a client of the Python SDK is called that its author gave no name."""


@lru_cache(maxsize=1024)
def family_of_name(name: str) -> Family:
    """The family of a program by the name that it gives as it connects."""
    text = name[:MOST_CHARACTERS].strip().lower()
    if text == _DEFAULT_OWN_NAME[0]:
        return _DEFAULT_OWN_NAME[1]
    return _first(text, *_NAMES, *_OWN_NAMES)


@lru_cache(maxsize=1024)
def family_of_agent(user_agent: str) -> Family:
    """The family of a program by its ``User-Agent`` header."""
    return _first(user_agent[:MOST_CHARACTERS].lower(), *_NAMES, *_AGENTS)


def _first(text: str, *known: tuple[str, Family]) -> Family:
    return next((family for part, family in known if part in text), Family.OTHER)
