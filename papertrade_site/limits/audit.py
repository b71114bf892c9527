"""The one way to write what an operator sets: each change together with the record of it, or neither."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import models, transaction

from papertrade_site.clock import iso
from papertrade_site.limits.bounds import SERVER_BOUNDS, SITE_BOUNDS
from papertrade_site.limits.models import (
    Change,
    ClientNetwork,
    ResourceLifetime,
    ServerRules,
    SiteRules,
    ToolSwitch,
)

Setting = ServerRules | SiteRules | ToolSwitch | ClientNetwork | ResourceLifetime


def save_changed(setting: Setting, who: str) -> list[Change]:
    """Save a setting, new or altered, and record each of its fields that is another than before.

    Args:
        setting: checked here by ``full_clean``, and saved as a whole.
        who: the name of the user.

    Returns:
        What was recorded, nothing when nothing is altered.

    Raises:
        ValidationError: when a field is out of its range; the error names the range.
    """
    with transaction.atomic():
        before = _stored(setting)
        setting.full_clean()
        setting.save()
        name = str(setting if before is None else before)
        return _record(who, name, _texts(before), _texts(setting))


def delete_audited(setting: Setting, who: str) -> list[Change]:
    """Delete a setting, and record what it was.

    Args:
        setting: one that is stored.
        who: the name of the user.

    Returns:
        What was recorded, nothing when somebody else had deleted it already.
    """
    with transaction.atomic():
        before = _stored(setting)
        if before is None:
            return []
        setting.delete()
        return _record(who, str(before), _texts(before), {})


def _stored(setting: Setting) -> models.Model | None:
    """The setting as it is in the database, held until the end of the transaction."""
    return type(setting)._default_manager.select_for_update().filter(pk=setting.pk).first()


def _record(who: str, name: str, old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    changes = [
        Change(who=who, what=name, field=field, old=old.get(field, ""), new=new.get(field, ""))
        for field in {**old, **new}
        if old.get(field, "") != new.get(field, "")
    ]
    for change in changes:
        change.save()
    return changes


def _texts(setting: models.Model | None) -> dict[str, str]:
    """The values of all fields but the key, as the record writes them."""
    if setting is None:
        return {}
    names = [field.name for field in setting._meta.concrete_fields if not field.primary_key]
    return {name: _text(getattr(setting, name)) or _default(setting, name) for name in names}


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return iso(round(value.timestamp() * 1000))
    return str(value)


def _default(setting: models.Model, name: str) -> str:
    """What holds where a number is not set."""
    if isinstance(setting, ServerRules) and name in SERVER_BOUNDS:
        default = SERVER_BOUNDS[name].default_for(setting.server)
    elif isinstance(setting, SiteRules):
        default = SITE_BOUNDS[name].default
    else:
        default = None
    return "" if default is None else f"{default} (default)"
