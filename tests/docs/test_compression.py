"""What is sent compressed, and what never is."""

from __future__ import annotations

import gzip
import json
from typing import Final

import pytest
from django.templatetags.static import static
from django.test import Client

from tests.docs.markup import content_of

TAKES: Final = {"accept-encoding": "br, gzip"}
CALL: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

pytestmark = pytest.mark.usefixtures("venue")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/liquidations/docs/mcp",
        "/analytics/docs/mcp.md",
        "/analytics/search.json",
        "/analytics/llms-full.txt",
        "/sitemap.xml",
        "/analytics/pictures/paper.svg",
        static("docs/site.css"),
        static("docs/vendor/uPlot.iife.min.js"),
    ],
)
def test_whatever_is_read_is_compressed_for_who_takes_it(client: Client, path: str) -> None:
    plain, packed = client.get(path), client.get(path, headers=TAKES)
    assert not plain.has_header("Content-Encoding")
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert "Accept-Encoding" in plain["Vary"]
    whole, sent = content_of(plain), content_of(packed)
    assert len(sent) < len(whole) / 2
    assert len(gzip.decompress(sent)) == pytest.approx(len(whole), abs=64)  # ages may be told anew


def test_a_reader_of_a_compressed_page_need_not_get_it_again(client: Client) -> None:
    tag = client.get("/analytics/docs/concepts", headers=TAKES)["ETag"]
    again = client.get("/analytics/docs/concepts", headers={**TAKES, "if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")


def test_a_part_of_a_file_is_sent_as_it_is(client: Client) -> None:
    answer = client.get(static("docs/site.css"), headers={**TAKES, "range": "bytes=0-999"})
    assert (answer.status_code, answer.has_header("Content-Encoding")) == (206, False)
    assert len(content_of(answer)) == 1000


@pytest.mark.parametrize(
    "accept", ["application/json", "text/event-stream", "application/json, text/event-stream"]
)
def test_an_endpoint_never_compresses(client: Client, accept: str) -> None:
    answer = client.post(
        "/analytics/mcp",
        json.dumps(CALL),
        content_type="application/json",
        headers={**TAKES, "accept": accept},
    )
    assert not answer.has_header("Content-Encoding")
    for kind in ("text/html", "application/json", "text/event-stream"):
        told = client.get("/analytics/mcp", headers={**TAKES, "accept": kind})
        assert not told.has_header("Content-Encoding")
