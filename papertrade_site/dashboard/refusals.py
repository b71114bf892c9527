"""Small pages for what the operators' rooms refuse."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from papertrade_site.refusals import refusal_page


def refused(status: HTTPStatus, title: str, text: str) -> HttpResponse:
    """A page that says what was refused, and what to do; made without the database."""
    return refusal_page(status, "admin/refused.html", {"status": status, "title": title, "text": text})


def foreign_form(_: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that lacks our token: one from elsewhere, or from a page that was open for too long."""
    del reason  # it is for developers
    text = "This form came from another place, or its page was open for too long. Open it again and repeat."
    return refused(HTTPStatus.FORBIDDEN, "Nothing was changed", text)


def not_allowed(_: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a user who asks for what his groups do not let him see or do."""
    del exception
    text = "You may not see or do this. Whoever manages users can add you to a group that may."
    return refused(HTTPStatus.FORBIDDEN, "Permission denied", text)


def too_many_attempts(wait_s: int) -> HttpResponse:
    """Answer somebody who has tried to sign in too often; the same whether or not the name exists."""
    response = refused(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many attempts",
        f"There were more attempts at a password than are let through in a minute. Try again in {wait_s} s.",
    )
    response.headers["Retry-After"] = str(wait_s)
    return response


def changed_meanwhile() -> HttpResponse:
    """Answer a change that no longer fits what is stored, as when two make the same rule at once."""
    text = "Somebody else changed this meanwhile, so nothing was saved. Open it again."
    return refused(HTTPStatus.CONFLICT, "Changed meanwhile", text)


def session_lost() -> HttpResponse:
    """Answer somebody whose session cannot be stored: it was ended elsewhere, or the database is away."""
    text = (
        "Your session could not be kept: it was ended elsewhere, or the database cannot be written. "
        "What you asked for may be done all the same: sign in again and look."
    )
    return refused(HTTPStatus.CONFLICT, "Your session is over", text)


def no_database() -> HttpResponse:
    """Answer while the database cannot be read or written."""
    text = (
        "The database cannot be read or written, so nobody can be signed in and nothing can be changed. "
        "Both servers go on answering, with the last limits that they know; their status pages tell the rest."
    )
    return refused(HTTPStatus.SERVICE_UNAVAILABLE, "The database is away", text)
