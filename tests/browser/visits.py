"""Readers with a browser: what they are shown, and what goes on behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from tests.clients.official import missing, new_client

Scheme = Literal["light", "dark"]
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")

PATIENCE_MS: Final = 15_000
PHONE: Final = 390
DESK: Final = 1440
HEIGHT: Final = 900
CHROMIUM: Final = Path("/usr/bin/chromium")
THIS_MACHINE_ALONE: Final = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost"
TELL_OF_REPORTS: Final = (
    "addEventListener('securitypolicyviolation', (event) =>"
    " console.error(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`))"
)


@dataclass(eq=False)  # without slots: Playwright hangs attributes of its own on whom it calls
class Visit:
    """A reader of whom the site knows nothing yet, with one page open.

    Attributes:
        page: what the reader sees.
        site: scheme, host and port of the site that is visited.
        asked: method and path of each request so far, in their order.
        trouble: errors and warnings in the console, reports of the page's policy, and requests elsewhere.
    """

    page: Page
    site: str
    asked: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        """Open a page of the site, and wait until it is there with all that belongs to it."""
        self.page.goto(self.site + path)

    @property
    def path(self) -> str:
        """Where the reader is."""
        return urlsplit(self.page.url).path

    def forgive(self, words: str) -> None:
        """Take the words that a test has provoked out of the trouble, where they come in time."""
        if not any(words in each for each in self.trouble):
            self.page.wait_for_event("console", lambda message: words in message.text)
        self.trouble[:] = [each for each in self.trouble if words not in each]

    def hear(self, message: ConsoleMessage) -> None:
        """Note what the console says, if it is trouble."""
        if message.type in {"error", "warning"}:
            self.trouble.append(f"{message.type}: {message.text}")

    def note(self, request: Request) -> None:
        """Note a request, which is trouble if it is for anybody else."""
        if request.url.startswith(("blob:", "data:")):
            return
        address = urlsplit(request.url)
        self.asked.append(f"{request.method} {address.path}")
        if f"{address.scheme}://{address.netloc}" != self.site:
            self.trouble.append(f"request to {request.url}")


class Visitors:
    """Begins visits, and ends them all."""

    def __init__(self, browser: Browser, site: str) -> None:
        self._browser = browser
        self._site = site
        self._begun: list[tuple[Visit, BrowserContext]] = []

    def __call__(
        self,
        path: str | None = None,
        *,
        site: str | None = None,
        width: int = DESK,
        scheme: Scheme = "light",
        has_scripts: bool = True,
        is_still: bool = False,
        has_clipboard: bool = False,
    ) -> Visit:
        """Begin a visit, at a page if one is given.

        Args:
            path: where to begin.
            site: another address of the same site.
            width: of the window, in pixels.
            scheme: which colours the reader's system has.
            has_scripts: whether scripts are switched on.
            is_still: whether the reader would have nothing move.
            has_clipboard: whether pages may use the clipboard.
        """
        context = self._browser.new_context(
            viewport={"width": width, "height": HEIGHT},
            color_scheme=scheme,
            reduced_motion="reduce" if is_still else "no-preference",
            java_script_enabled=has_scripts,
            permissions=["clipboard-read", "clipboard-write"] if has_clipboard else [],
            extra_http_headers=new_client(),
        )
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(TELL_OF_REPORTS)
        visit = Visit(context.new_page(), site or self._site)
        context.on("console", visit.hear)
        context.on("weberror", lambda error: visit.trouble.append(f"exception: {error.error}"))
        context.on("request", visit.note)
        self._begun.append((visit, context))
        if path is not None:
            visit.go(path)
        return visit

    def end(self) -> list[str]:
        """End all visits, and tell what trouble they met with, cookies included."""
        found = []
        for visit, context in self._begun:
            found += [*visit.trouble, *(f"cookie: {cookie}" for cookie in context.cookies())]
            context.close()
        return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium for the block, which reaches this machine alone."""
    if not CHROMIUM.exists():
        missing(str(CHROMIUM), "the system's packages have it as `chromium`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", f"--host-resolver-rules={THIS_MACHINE_ALONE}"],
        )
        yield browser
        browser.close()
