"""Putting limits in force for one test."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from papertrade_site.limits.in_force import install, policy


class InForce:
    """The policy of this process, as a test changes it; each change keeps what was changed before."""

    def server(self, slug: str, **limits: Any) -> None:  # noqa: ANN401
        """Put other limits of one server in force, by the names of ``ServerLimits``."""
        servers = {**policy().servers, slug: replace(policy().servers[slug], **limits)}
        install(replace(policy(), servers=servers))

    def set(self, **parts: Any) -> None:  # noqa: ANN401
        """Put other parts of the whole in force, by the names of ``Policy``."""
        install(replace(policy(), **parts))
