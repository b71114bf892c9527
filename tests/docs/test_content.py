"""What the pages say: all that a server offers and demands stands on them, in both of their forms."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any, Final

import pytest
from django.template import Context, Engine

from mcp_analytics.metrics import METRICS
from papertrade_site.docs import reference
from papertrade_site.docs.answers import wrong_arguments
from papertrade_site.docs.found import some_trader
from papertrade_site.docs.markdown import to_html
from papertrade_site.docs.pictures.results import process_results
from papertrade_site.docs.rendering import Form, Rendering
from papertrade_site.docs.samples import first_call
from papertrade_site.market.bust import CRITICAL_BELOW, HIGH_BELOW, MEDIUM_BELOW, Danger
from papertrade_site.market.emission import Phase
from papertrade_site.market.vocabulary import SortKey, Window
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import ANNOTATIONS, BadArgumentsError, Tool
from tests.docs.markup import elements_of
from tests.docs.reading import (
    FORMS,
    PLACE,
    SERVERS,
    blocks_of,
    page_of,
    text_of,
    twin_of,
    words_in,
    words_of,
)
from tests.filled_venue import FilledVenue
from tests.venue_bodies import body

TOOLS: Final = [(server, tool) for server in SERVERS for tool in server.tools]

every_server = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.slug)
every_tool = pytest.mark.parametrize(("server", "tool"), TOOLS, ids=lambda each: getattr(each, "name", ""))
every_form = pytest.mark.parametrize("form", FORMS)

pytestmark = pytest.mark.usefixtures("venue")


@every_form
@every_tool
def test_the_reference_and_the_tools_own_page_tell_all_about_its_arguments(
    server: Server, tool: Tool[Any], form: str
) -> None:
    section = words_in(_section(text_of(server, "docs/mcp", form), tool, form), form)
    for slug, words in (("docs/mcp", section), ("", words_of(server, f"docs/tools/{tool.name}", form))):
        assert tool.name in words
        assert tool.title in words
        for name, schema in tool.input_schema["properties"].items():
            assert _row(name, tool, schema) in words, (slug, name)
        for hint, value in ANNOTATIONS.items():
            assert f"{hint}: {json.dumps(value)}" in words
        assert f"At most {tool.requests()} upstream requests" in words or (
            f"at most {tool.requests()} requests to the sources" in words
        )


def _section(text: str, tool: Tool[Any], form: str) -> str:
    """What the reference says of a tool under its own heading."""
    heading = f"\n### {tool.name}\n" if form == "md" else f'<h3 id="{tool.name.replace("_", "-")}"'
    _, found, after = text.partition(heading)
    assert found
    return found + re.split(r"\n##+ " if form == "md" else r"<h[23]\b", after, maxsplit=1)[0]


def _row(name: str, tool: Tool[Any], schema: dict[str, Any]) -> str:
    """How a row of the table of arguments begins and what is allowed, as words."""
    needed = "yes" if name in tool.input_schema.get("required", ()) else "no"
    choices = " or ".join(schema["enum"]) if "enum" in schema else schema["type"]
    return f"{name} {choices} {needed}"


@every_form
@every_tool
def test_ranges_defaults_and_patterns_of_arguments_are_told(
    server: Server, tool: Tool[Any], form: str
) -> None:
    words = words_of(server, f"docs/tools/{tool.name}", form)
    for name, schema in tool.input_schema["properties"].items():
        if {"minimum", "maximum"} <= set(schema):
            assert f"Range: {schema['minimum']} to {schema['maximum']}." in words, name
        if "default" in schema:
            assert f"Default: {json.dumps(schema['default'])} ." in words, name
        if "pattern" in schema:
            assert schema["pattern"] in words, name


@every_form
@every_tool
def test_every_field_of_a_result_is_told_with_its_unit(server: Server, tool: Tool[Any], form: str) -> None:
    words = words_of(server, f"docs/tools/{tool.name}", form)
    for path, schema in reference.fields_of(tool.output_schema):
        kind = reference.type_of(schema).replace("`", "")
        unit = reference.unit_of(path, schema).replace("`", " ")
        assert " ".join(f"{path} {kind} {unit}".split()) in words, path


@every_tool
def test_every_figure_of_a_result_has_a_unit(server: Server, tool: Tool[Any]) -> None:
    plain = {"rateMultiplier", "positionMultiplier", *reference.UNCOUNTED}
    for path, schema in reference.fields_of(tool.output_schema):
        each = schema.get("items", {}) if "array" in reference.kinds_of(schema) else schema
        if {"number", "integer"} & reference.kinds_of(each):
            assert reference.unit_of(path, schema) or path.rpartition(".")[2] in plain, (server.slug, path)


def test_lists_and_bounds_have_units_too() -> None:
    told = {
        path: reference.unit_of(path, schema)
        for _, tool in TOOLS
        for path, schema in reference.fields_of(tool.output_schema)
    }
    assert told["staking.accRewardPerShareUsd"] == "USD per PAPER"
    assert (told["history[].longUsd"], told["history[].times"], told["history"]) == ("USD", "UTC", "")
    assert (told["size.buckets[].min"], told["leverage.buckets[].max"]) == ("USD", "times margin")
    assert told["source.at"] == "UTC"


@every_tool
def test_the_page_of_a_tool_says_when_to_use_it_and_when_not(server: Server, tool: Tool[Any]) -> None:
    twin = twin_of(server, f"docs/tools/{tool.name}")
    opening = twin.partition("## Example")[0]
    assert "**Use it** " in opening
    assert "**Do not use it** " in opening
    assert "Typical questions: *" in opening


@every_tool
def test_the_page_of_a_tool_shows_what_the_tool_finds_and_where_that_is_from(
    server: Server, tool: Tool[Any]
) -> None:
    example, rest = twin_of(server, f"docs/tools/{tool.name}").split("## Example")[1].split("## Arguments")
    found = json.loads(blocks_of(example)[-1].code)
    assert found["dataSource"] == "simulated"
    assert found.keys() <= tool.output_schema["properties"].keys()
    cost = rest.split("## Cost and freshness")[1]
    for source in found["freshness"]["sources"][:1]:
        assert f"| `{source['name']}` | " in cost


@every_server
def test_the_status_page_tells_how_long_copies_last_of_the_very_sources_that_tools_read(
    server: Server,
) -> None:
    arguments = [first_call(tool, partial(some_trader, server)) for tool in server.tools]
    calls = zip(server.tools, arguments, strict=True)
    results = [process_results.of(tool, each).figures for tool, each in calls]
    read = {row["name"] for figures in results for row in figures["freshness"]["sources"]}
    lasting = twin_of(server, "status").partition("## How long copies last")[2]
    assert {row.split("|")[1].strip(" *") for row in lasting.splitlines() if row.startswith("| **")} == read


@every_form
def test_every_danger_label_stands_on_the_page_of_concepts_with_its_threshold(form: str) -> None:
    words = words_of(SERVERS[0], "docs/concepts", form)
    for label in Danger:
        assert f"{label} " in words
    for threshold in (CRITICAL_BELOW, HIGH_BELOW, MEDIUM_BELOW):
        assert f"below {float(threshold * 100):g}" in words


@every_form
def test_every_phase_of_the_mint_curve_stands_on_the_page_of_concepts(form: str) -> None:
    words = words_of(SERVERS[1], "docs/concepts", form)
    for phase in Phase:
        assert f"{phase} " in words


def test_the_page_of_concepts_sorts_the_metrics_as_the_tool_does() -> None:
    rows = twin_of(SERVERS[1], "docs/concepts").splitlines()
    for kind in ("level", "cumulative"):
        (row,) = (row for row in rows if row.startswith(f"| `{kind}` |"))
        named = row.split("|")[2].replace("`", "").replace(" ", "").split(",")
        assert named == [name for name, metric in METRICS.items() if metric.kind == kind]


@every_form
@every_server
def test_the_changelog_tells_the_version_and_every_tool(server: Server, form: str) -> None:
    words = words_of(server, "docs/changelog", form)
    assert all(tool.name in words for tool in server.tools)


@every_server
def test_the_newest_entry_of_the_changelog_is_of_the_version_that_is_served(server: Server) -> None:
    headings = re.findall(r"^## (.*)$", twin_of(server, "docs/changelog"), re.MULTILINE)
    assert headings[0] == server.version


@every_server
def test_an_entry_of_the_changelog_stays_as_it_was_when_limits_and_tools_change(server: Server) -> None:
    entries = Engine.get_default().get_template(f"docs/{server.slug}/changelog.md").source
    assert "## 0.1.0" in entries
    assert set(re.findall(r"{{ (.*?) }}", entries)) == {"endpoint"}
    assert {tag.split()[0] for tag in re.findall(r"{% (.*?) %}", entries)} == {
        "extends",
        "load",
        "block",
        "endblock",
        "changes",
        "endchanges",
        "link",
        "file",
    }


@every_form
def test_figures_of_now_stand_beside_the_time_that_they_are_of(form: str) -> None:
    liquidations, analytics = (words_of(server, "docs/concepts", form) for server in SERVERS)
    time = r"20\d\d-\d\d-\d\dT[0-9:.]+Z"
    assert re.search(rf"read of the exchange at {time}\)", liquidations)
    assert re.search(rf"As of {time} \(simulated\): Market Tracked", liquidations)
    assert re.search(rf"with the terms as of {time} \(win fee", analytics)
    assert re.search(rf"As of {time} \(simulated\): result of the pool", analytics)
    assert re.search(rf"As of {time} \(simulated\): Market Long", analytics)
    for words in (liquidations, analytics):
        assert "Right now" not in words
        assert "At this moment" not in words


@every_server
def test_an_example_says_when_its_lists_are_cut(server: Server) -> None:
    for tool in server.tools:
        example = twin_of(server, f"docs/tools/{tool.name}").split("## Example")[1].split("## Arguments")[0]
        is_cut = '"… and ' in blocks_of(example)[-1].code
        assert ("(lists are cut to 2 rows):" in example) is is_cut, tool.name


@every_tool
def test_a_refused_call_sends_what_somebody_might_have_meant(server: Server, tool: Tool[Any]) -> None:
    sent = wrong_arguments(tool)
    for name, value in sent.items():
        assert value != "DOGE" or name in {"market", "symbol"}, (tool.name, name)
    with pytest.raises(BadArgumentsError):
        tool.checked(sent)


@every_server
def test_the_home_page_begins_with_a_picture_questions_and_tools(server: Server) -> None:
    home = twin_of(server, "")
    assert home.index("![") < home.index("## Ask your AI") < home.index("## Tools")
    assert home.count("- *") == 3
    assert all(tool.name in home for tool in server.tools)


def test_an_example_shows_what_a_stranger_wrote_as_text() -> None:
    stranger = {**body("leaderboard")["accounts"][0], "leaderboardName": "```<script>alert(1)</script>"}
    venue = FilledVenue()
    venue.put_accounts([stranger], window=Window.DAY, sort=SortKey.VOLUME)
    rendering = Rendering(Form.HTML, SERVERS[1], page_of(SERVERS[1], "docs/mcp"), PLACE)
    template = Engine.get_default().from_string(
        '{% load site %}{% example "get_top_traders" window="24h" sort="totalVolume" limit=1 %}'
    )
    with venue.read_by_tools():
        context = Context({"rendering": rendering, "server": SERVERS[1]}, autoescape=False)
        (block,) = (each for each in elements_of(to_html(template.render(context)).html) if each.tag == "pre")
    assert "```<script>alert(1)</script>" in block.text
