"""An operator at work, in a real browser, and what clients of either worker process notice of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.barriers import barriers, resize
from tests.browser.operating import NAME, PASSWORD, OperatedSite, operated_site
from tests.browser.visits import DESK, PHONE, Visit, Visitors
from tests.clients.official import HERE, new_client, python_of

pytestmark = pytest.mark.slow

PAGES: Final = [
    "/admin/",
    "/admin/limits/",
    "/admin/limits/serverrules/",
    "/admin/limits/serverrules/1/change/",
    "/admin/limits/toolswitch/add/",
    "/admin/limits/clientnetwork/",
    "/admin/limits/clientnetwork/add/",
    "/admin/limits/resourcelifetime/add/",
    "/admin/limits/change/",
    "/admin/limits/effective/?address=203.0.113.9",
    "/admin/ops/incident/add/",
    "/admin/auth/user/",
    "/admin/auth/user/1/change/",
    "/admin/auth/group/add/",
    "/admin/password_change/",
]
MESSAGES: Final = "Messages of one client in a minute"
DJANGOS_OWN: Final = 'aria-prohibited-attr: <span class="help-tooltip search-label-icon"'
"""Of a script of Django's that draws two lists to choose from, which stand beside each other."""

REASON: Final = "It is wrong today. Use get_market_stats."
FLOOD: Final = "It floods get_history"
HOSTILE: Final = '"><img src=x onerror=alert(1)><script>alert(2)</script>{{ 7 }}\u202e${jndi:x}'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatedSite]:
    with operated_site(tmp_path_factory.mktemp("op", numbered=True)) as site:
        yield site


@pytest.fixture
def visit(browser: Browser, site: OperatedSite) -> Iterator[Visitors]:
    """Begins visits, none of which may meet with trouble; cookies are for the operators' rooms alone."""
    visitors = Visitors(browser, site.address)
    yield visitors
    assert [each for each in visitors.end() if "'path': '/admin/'" not in each] == []


def sign_in(visit: Visitors, **options: Any) -> Visit:  # noqa: ANN401
    """Sign in as the operator."""
    operator = visit("/admin/", **options)
    operator.page.get_by_label("Username").fill(NAME)
    operator.page.get_by_label("Password").fill(PASSWORD)
    operator.page.get_by_role("button", name="Log in").click()
    expect(operator.page.locator("#user-tools")).to_contain_text(NAME)
    return operator


@pytest.fixture(scope="module")
def session(browser: Browser, site: OperatedSite) -> Any:  # noqa: ANN401
    """The cookies of the operator's session: a name may be tried five times a minute, also rightly."""
    visitors = Visitors(browser, site.address)
    cookies = sign_in(visitors).page.context.cookies()
    visitors.end()
    return cookies


@pytest.fixture
def operate(visit: Visitors, session: Any) -> Callable[..., Visit]:  # noqa: ANN401
    """Begins visits of the operator, who has signed in before."""

    def begin(**options: Any) -> Visit:  # noqa: ANN401
        operator = visit(**options)
        operator.page.context.add_cookies(session)
        return operator

    return begin


def save(page: Page) -> None:
    """Save a form, and see that it was taken."""
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def open_server(operator: Visit, name: str) -> None:
    """Open the limits of a server."""
    operator.go("/admin/limits/serverrules/")
    operator.page.get_by_role("link", name=name, exact=True).click()


def recorded(operator: Visit) -> list[list[str]]:
    """The record of changes, the oldest first, without the times."""
    operator.go("/admin/limits/change/")
    rows = operator.page.locator("#result_list tbody tr")
    return [row.locator("td, th").all_inner_texts()[1:] for row in rows.all()][::-1]


def tools_answer(site: OperatedSite, server: str, tool: str) -> Any:  # noqa: ANN401
    """What an official client sees of a server, and of a call of a tool without arguments."""
    call = {"name": tool, "arguments": {}}
    place = {"url": f"{site.address}/{server}/mcp", "headers": new_client(), "calls": [call]}
    job = json.dumps({"names": [], "visits": [place]})
    command = [python_of("mcp-1"), str(HERE / "python" / "sdk1.py"), job]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    (seen,) = json.loads(shown)
    return seen


def times_recorded(operator: Visit) -> list[datetime]:
    """When each change was recorded, the oldest first."""
    operator.go("/admin/limits/change/")
    times = operator.page.locator("#result_list tbody .field-when").all_inner_texts()
    return [datetime.fromisoformat(f"{text}+00:00") for text in times][::-1]


def test_an_operator_changes_what_all_workers_go_by_within_seconds_and_brings_it_back(
    visit: Visitors, site: OperatedSite
) -> None:
    operator = sign_in(visit)
    page, before = operator.page, len(recorded(operator))
    begun = datetime.now(UTC).replace(microsecond=0)
    assert site.messages_until_refused("analytics", 3) == 4

    open_server(operator, "Analytics")
    page.get_by_label(MESSAGES).fill("3")
    save(page)
    assert site.holds_everywhere(lambda: site.messages_until_refused("analytics", 3) == 3)
    assert site.messages_until_refused("liquidations", 3) == 4

    operator.go("/admin/limits/clientnetwork/add/")
    page.get_by_label("Network:").fill("198.51.100.77/24")
    page.get_by_label("Blocked").check()
    page.get_by_label("Reason").fill(FLOOD)
    save(page)
    assert site.holds_everywhere(
        lambda: site.post("liquidations", "ping", client="198.51.100.9").status == 403
    )
    assert FLOOD in site.post("analytics", "ping", client="198.51.100.9").body["error"]["message"]
    assert site.post("analytics", "ping", client="198.51.101.9").status == 200

    operator.go("/admin/limits/effective/")
    page.get_by_label("Address").fill("198.51.100.9")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".note.bad").first).to_contain_text(FLOOD)

    operator.go("/admin/limits/toolswitch/add/")
    page.get_by_label("Tool:").select_option("get_history")
    page.get_by_label("Reason").fill(REASON)
    save(page)
    assert site.holds_everywhere(lambda: is_off(site))
    open_server(operator, "Analytics")  # or the limit of 3 would end the client's visit
    page.get_by_label(MESSAGES).fill("30")
    save(page)
    assert site.holds_everywhere(lambda: site.messages_until_refused("analytics", 4) == 5)
    seen = tools_answer(site, "analytics", "get_history")
    (outcome,) = seen["outcomes"]
    assert (outcome["isError"], REASON in outcome["text"]) == (True, True)
    assert "get_history" in seen["tools"]

    operator.go("/admin/limits/toolswitch/")
    page.get_by_role("link", name="get_history", exact=True).click()
    page.get_by_label("On", exact=True).check()
    save(page)
    operator.go("/admin/limits/clientnetwork/")
    page.get_by_role("link", name="198.51.100.0/24", exact=True).click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Yes").click()
    open_server(operator, "Analytics")
    page.get_by_label(MESSAGES).fill("")
    save(page)
    assert site.holds_everywhere(lambda: site.messages_until_refused("analytics", 3) == 4)
    assert site.holds_everywhere(lambda: site.post("analytics", "ping", client="198.51.100.9").status == 200)
    assert site.holds_everywhere(lambda: not is_off(site))

    network = "Network 198.51.100.0/24 on both servers"
    assert recorded(operator)[before:] == [
        [NAME, "Analytics limits", MESSAGES, "60 (default)", "3"],
        [NAME, network, "Network", "nothing", "198.51.100.0/24"],
        [NAME, network, "Blocked", "nothing", "yes"],
        [NAME, network, "Reason", "nothing", FLOOD],
        [NAME, "Analytics tool get_history", "Server", "nothing", "analytics"],
        [NAME, "Analytics tool get_history", "Tool", "nothing", "get_history"],
        [NAME, "Analytics tool get_history", "On", "nothing", "no"],
        [NAME, "Analytics tool get_history", "Reason", "nothing", REASON],
        [NAME, "Analytics limits", MESSAGES, "3", "30"],
        [NAME, "Analytics tool get_history", "On", "no", "yes"],
        [NAME, network, "Network", "198.51.100.0/24", "nothing"],
        [NAME, network, "Blocked", "yes", "nothing"],
        [NAME, network, "Reason", FLOOD, "nothing"],
        [NAME, "Analytics limits", MESSAGES, "30", "60 (default)"],
    ]
    times = times_recorded(operator)[before:]
    assert times == sorted(times)
    assert begun <= times[0]
    assert times[-1] <= datetime.now(UTC)


def is_off(site: OperatedSite) -> bool:
    """Whether a call of the tool gets the operator's reason; the wrong argument keeps it from any source."""
    answer = site.post("analytics", "tools/call", name="get_history", arguments={"metric": "none"})
    assert answer.body["result"]["isError"] is True
    return REASON in answer.text


def test_an_official_client_reads_why_a_server_is_off(
    operate: Callable[..., Visit], site: OperatedSite
) -> None:
    operator = operate()
    operator.go("/admin/limits/serverrules/")
    operator.page.get_by_role("link", name="Liquidations", exact=True).click()
    operator.page.get_by_label("On", exact=True).uncheck()
    operator.page.get_by_label("Message while it is off").fill("Back at noon.")
    save(operator.page)

    def is_closed() -> bool:
        arguments = {"wallets": 0}
        return (
            "Back at noon."
            in site.post("liquidations", "tools/call", name="get_bust_map", arguments=arguments)
            .body.get("result", {})
            .get("content", [{"text": ""}])[0]["text"]
        )

    assert site.holds_everywhere(is_closed)
    seen = tools_answer(site, "liquidations", "get_closest_to_bust")
    (outcome,) = seen["outcomes"]
    assert outcome["isError"] is True
    assert "Back at noon." in outcome["text"]
    assert "get_closest_to_bust" in seen["tools"]

    open_server(operator, "Liquidations")
    operator.page.get_by_label("On", exact=True).check()
    save(operator.page)
    assert site.holds_everywhere(lambda: not is_closed())


def test_a_wrong_number_is_told_with_its_range_where_it_was_typed(operate: Callable[..., Visit]) -> None:
    operator = operate(width=PHONE, scheme="dark")
    open_server(operator, "Liquidations")
    operator.page.get_by_label("Largest body of a request").fill("99999999")
    operator.page.get_by_role("button", name="Save", exact=True).click()
    expect(operator.page.locator(".field-body_bytes .errorlist")).to_have_text(
        "Must be 1,024 to 262,144 bytes."
    )


def test_everything_works_without_scripts(visit: Visitors, site: OperatedSite) -> None:
    operator = sign_in(visit, has_scripts=False)
    operator.go("/admin/limits/clientnetwork/add/")
    operator.page.get_by_label("Network:").fill("2001:db8:7::1/48")
    operator.page.get_by_label("Messages of one client in a minute").fill("2")
    save(operator.page)
    client = "2001:db8:7:1::5"
    assert site.holds_everywhere(lambda: site.post("analytics", "ping", client=client).status == 429)
    operator.page.get_by_role("link", name="2001:db8:7::/48", exact=True).click()
    operator.page.get_by_role("link", name="Delete").click()
    operator.page.get_by_role("button", name="Yes").click()
    expect(operator.page.locator(".messagelist .success")).to_be_visible()


def test_no_page_keeps_an_operator_from_reading_it(operate: Callable[..., Visit], axe: str) -> None:
    operator = operate(is_still=True)
    operator.go("/admin/ops/incident/add/")
    operator.page.get_by_label("Title").fill("Marks come late")
    operator.page.get_by_label("Text").fill("We look into it.")
    save(operator.page)
    for path in PAGES:
        operator.go(path)
        found = [each for each in barriers(operator.page, axe) if DJANGOS_OWN not in each]
        assert (path, found) == (path, [])
        for width in (PHONE, DESK):
            resize(operator.page, width)
            assert operator.page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_what_clients_call_themselves_does_nothing_in_any_view(
    operate: Callable[..., Visit], site: OperatedSite
) -> None:
    info = {"name": HOSTILE, "version": HOSTILE}
    for server in ("liquidations", "analytics"):
        answer = site.post(
            server,
            "initialize",
            agent=HOSTILE,
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo=info,
        )
        assert answer.status == 200
    operator = operate()
    for path in ("/admin/", "/admin/?period=day", "/admin/limits/change/", "/analytics/status"):
        operator.go(path)
        page = operator.page.content()
        assert ("onerror" in page, "jndi" in page) == (False, False)
