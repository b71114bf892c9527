from __future__ import annotations

from tests.protocol.sample import TOOLS, declare


def test_tools_are_found_by_name_in_the_order_of_their_list() -> None:
    server = declare(bad_arguments_are_results=True)

    assert list(server.tools_by_name.values()) == list(TOOLS)
    assert list(server.tools_by_name) == ["get_forecast", "list_stations", "make_trouble"]
