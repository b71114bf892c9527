"""The one way to write what an operator sets: each change together with the record of it, or neither.

A thing here is whatever the record tells of: a limit or a switch, an incident, a user or a group.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Final

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.text import capfirst

from papertrade_site.clock import iso, ms_of, utc_text
from papertrade_site.limits.bounds import SERVER_BOUNDS, SITE_BOUNDS
from papertrade_site.limits.models import Change, ServerRules, SiteRules, row_of

STATE_DIGITS: Final = 32

HIDDEN_FIELD: Final = "password"
"""The one whose values are never recorded."""


def save_changed(thing: models.Model, who: str, *, seen: str | None = None) -> list[Change]:
    """Save a thing, new or altered, and record each of its fields that is another than before.

    Args:
        thing: checked here by ``full_clean``, and saved as a whole.
        who: the name of the user.
        seen: the state that the user altered, see ``state_of``; None when it is new or was just read.

    Returns:
        What was recorded, nothing when nothing is altered.

    Raises:
        ValidationError: when a field is out of its range, which the error names, or when the stored state is
            no longer the one that was seen.
    """
    with transaction.atomic():
        before = _stored(thing)
        if seen is not None and (before is None or state_of(before) != seen):
            raise changed_meanwhile(thing)
        thing.full_clean()
        thing.save()
        return record(who, thing if before is None else before, _texts(before), _texts(thing))


def delete_audited(thing: models.Model, who: str) -> list[Change]:
    """Delete a thing, and record what it was.

    Args:
        thing: one that is stored.
        who: the name of the user.

    Returns:
        What was recorded, nothing when somebody else had deleted it already.
    """
    with transaction.atomic():
        before = _stored(thing)
        if before is None:
            return []
        old = _texts(before)
        thing.delete()
        return record(who, before, old, {})


def record(who: str, thing: models.Model, old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    """Record each field of a thing that is another than before; to be called where it is saved.

    Args:
        who: the name of the user.
        thing: what was changed.
        old: the texts of its fields before; see ``text_of``.
        new: the same after.
    """
    what, row = what_of(thing), row_of(thing)
    changes = [
        Change(who=who, what=what, row=row, field=field, old=old.get(field, ""), new=new.get(field, ""))
        for field in {**old, **new}
        if old.get(field, "") != new.get(field, "")
    ]
    for change in changes:
        change.save()
    return changes


def text_of(value: object) -> str:
    """A field's value as the record writes it: '' for none, several things by their names."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case datetime():
            return iso(ms_of(value))
        case models.QuerySet() | list():
            return ", ".join(sorted(map(str, value)))
    return str(value)


def what_of(thing: models.Model) -> str:
    """What the record calls a thing; limits say by their names what they are."""
    if thing._meta.app_label == Change._meta.app_label:
        return str(thing)
    return f"{capfirst(str(thing._meta.verbose_name))} {thing}"


def state_of(thing: models.Model) -> str:
    """A short word for all that a thing says, which is another one as soon as any of it is altered."""
    return sha256(json.dumps(_texts(thing)).encode()).hexdigest()[:STATE_DIGITS]


def changed_meanwhile(thing: models.Model) -> ValidationError:
    """What somebody is told whose form shows a thing as it no longer is: by whom it was altered."""
    last = Change.objects.filter(row=row_of(thing)).first()
    by = "" if last is None else f", last by {last.who} at {utc_text(last.at)} UTC ({last.label})"
    return ValidationError(f"This was changed meanwhile{by}. Nothing was saved: open it again.")


def _stored(thing: models.Model) -> models.Model | None:
    """The thing as it is in the database, held until the end of the transaction."""
    return type(thing)._default_manager.select_for_update().filter(pk=thing.pk).first()


def _texts(thing: models.Model | None) -> dict[str, str]:
    """The values of all fields but the key and the hidden one, as the record writes them."""
    if thing is None:
        return {}
    names = [field.name for field in thing._meta.concrete_fields if not field.primary_key]
    told = {name: text_of(getattr(thing, name)) or _default(thing, name) for name in names}
    several = {field.name: text_of(getattr(thing, field.name).all()) for field in thing._meta.many_to_many}
    return {name: text for name, text in (told | several).items() if name != HIDDEN_FIELD}


def _default(thing: models.Model, name: str) -> str:
    """What holds where a number is not set."""
    if isinstance(thing, ServerRules) and name in SERVER_BOUNDS:
        default = SERVER_BOUNDS[name].default_for(thing.server)
    elif isinstance(thing, SiteRules):
        default = SITE_BOUNDS[name].default
    else:
        default = None
    return "" if default is None else f"{default} (default)"
