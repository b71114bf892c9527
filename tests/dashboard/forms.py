"""Forms of the admin, filled in as they are shown and sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.forms import SplitDateTimeField
from django.test import Client

Fields = dict[str, str | list[str]]


def shown(client: Client, path: str) -> Any:  # noqa: ANN401
    """The form of a page, as Django made it."""
    page = client.get(path)
    assert page.status_code == 200, (path, page.status_code)
    return page.context["adminform"].form


def fields_of(form: Any) -> Fields:  # noqa: ANN401
    """What a browser would send of a form that nobody has touched."""
    sent: Fields = {}
    for field in form:
        value = field.value()
        if isinstance(field.field, SplitDateTimeField):
            for place, part in enumerate(field.field.widget.decompress(value)):
                sent[f"{field.html_name}_{place}"] = str(part or "")
        elif isinstance(value, list):
            sent[field.html_name] = [str(getattr(each, "pk", each)) for each in value]
        elif value is True:
            sent[field.html_name] = "on"
        elif value not in {None, False, ""}:
            sent[field.html_name] = str(value)
    return sent


def send(
    client: Client,
    path: str,
    changes: Mapping[str, str | list[str]],
    *,
    without: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401
    """Send a page's form with some fields changed, and some left out as an unticked box is."""
    fields = fields_of(shown(client, path))
    kept = {name: value for name, value in fields.items() if name not in without}
    return client.post(path, {**kept, **changes})


def errors(answer: Any) -> dict[str, list[str]]:  # noqa: ANN401
    """What a form that comes back says is wrong, by field; ``__all__`` for the whole."""
    assert answer.status_code == 200, (answer.status_code, answer.headers.get("Location"))
    found = answer.context["adminform"].form.errors
    return {name: list(messages) for name, messages in found.items()}
