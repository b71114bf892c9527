"""What sources are called in sentences."""

from __future__ import annotations

from papertrade_site.upstream.labels import sentence


def test_a_sentence_names_the_source_in_words_and_begins_with_a_capital() -> None:
    assert sentence("{} is slow.", "exchange.wallets") == "The exchange's record of the wallet is slow."
    assert sentence("Ask {} later.", "hyperliquid.book") == "Ask Hyperliquid's order book later."


def test_a_source_that_is_not_listed_is_called_by_its_name() -> None:
    assert sentence("{} is slow.", "x.y") == "x.y is slow."
