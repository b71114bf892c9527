"""Markdown as HTML, and texts as Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from papertrade_site.docs.markdown import (
    Heading,
    anchor_of,
    code_html,
    escaped,
    fence,
    parts,
    table,
    to_html,
)


def test_headings_have_anchors_and_are_listed() -> None:
    content = to_html("## One `get_history` *more*\n\n### Two\n\n#### Three\n")
    assert content.headings == (
        Heading(2, "one-get-history-more", "One get_history more"),
        Heading(3, "two", "Two"),
    )
    assert '<h2 id="one-get-history-more">' in content.html
    assert 'href="#two"' in content.html


def test_headings_of_one_name_have_anchors_of_their_own() -> None:
    assert [heading.anchor for heading in to_html("## A\n\n## A\n").headings] == ["a", "a-1"]


@pytest.mark.parametrize(
    ("title", "anchor"),
    [("get_history", "get-history"), ("Reading results", "reading-results"), ("A & b!", "a-b")],
)
def test_an_anchor_is_made_of_letters_digits_and_hyphens(title: str, anchor: str) -> None:
    assert anchor_of(title) == anchor


@given(st.text(alphabet=st.sampled_from("`~a\n <&\"'"), max_size=40))
def test_nothing_within_a_fence_ends_it_or_is_markup(text: str) -> None:
    html = to_html(f"before\n\n{fence(text, 'text')}\n\nafter\n").html
    assert html.count("<pre") == html.count("</pre>") == 1
    assert html.endswith("<p>after</p>\n")


def test_markup_from_outside_is_shown_and_not_run() -> None:
    html = to_html(fence('</code></pre><script src="x"></script><!--component 0-->', "json")).html
    assert "<script" not in html
    assert "<!--component" not in html


@given(st.text(alphabet=st.sampled_from("|*`[]<\\ab \n"), max_size=30))
def test_words_in_a_cell_stay_words_in_that_cell(text: str) -> None:
    html = to_html(table(["a", "b"], [[escaped(text), "last"]])).html
    assert html.count("<td>") == 2
    assert "<td>last</td>" in html
    assert "<em>" not in html


def test_a_table_scrolls_by_itself() -> None:
    assert to_html(table(["a"], [["b"]])).html.startswith('<div class="table"><table>')


def test_a_callout_has_its_kind() -> None:
    html = to_html("> [!WARNING]\n> Mind this.\n").html
    assert 'class="markdown-alert markdown-alert-warning"' in html


def test_what_stands_beside_the_language_of_a_fence_is_for_readers_of_markdown() -> None:
    assert to_html('```json title="x"\n1\n```\n').html == to_html("```json\n1\n```\n").html


def test_code_is_coloured_by_classes_alone() -> None:
    html = code_html('{"a": 1}', "json")
    assert 'class="mi"' in html
    assert "style=" not in html


def test_code_of_no_language_is_shown_as_it_is() -> None:
    assert code_html("<a> & b", "") == '<pre class="code"><code>&lt;a&gt; &amp; b</code></pre>'


def test_a_text_is_cut_at_its_headings() -> None:
    text = "# Title\n\nfirst `code`\n\n```\nnot this\n```\n\n## Next\n\n| a | b |\n| --- | --- |\n| c | d |\n"
    assert [(part.heading, part.anchor, part.text) for part in parts(text)] == [
        ("", "", "first code"),
        ("Next", "next", "c · d"),
    ]
