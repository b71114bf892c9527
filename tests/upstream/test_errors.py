"""What an error of a source says, and what is left of it when it is kept."""

from __future__ import annotations

from papertrade_site.upstream.errors import BudgetSpentError, SlowError


def test_an_error_says_what_happened_and_then_what_would_help() -> None:
    error = BudgetSpentError("No request is left.", source="x.y", advice="Ask for less.")

    assert (error.what, error.advice) == ("No request is left.", "Ask for less.")
    assert str(error) == "No request is left. Ask for less."


def test_an_error_that_only_time_may_cure_says_what_happened_alone() -> None:
    assert str(SlowError("It was slow.", source="x.y", retry_after_s=4)) == "It was slow."


def test_the_same_error_anew_says_all_that_the_first_said() -> None:
    error = SlowError("It was slow.", source="x.y", advice="Ask for less.", retry_after_s=4)

    anew = error.anew()

    assert anew is not error
    assert (type(anew), str(anew), vars(anew)) == (SlowError, str(error), vars(error))
