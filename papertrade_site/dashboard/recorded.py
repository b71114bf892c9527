"""Recording what Django's own forms change of users and groups; of a password, that it is another one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.db import transaction

from papertrade_site.limits.audit import HIDDEN_FIELD, record, text_of

ANOTHER: Final = "another one"


def record_form(form: forms.ModelForm[Any], who: str) -> None:
    """Record what a form that was just saved has changed, in the transaction that saves it.

    Args:
        form: of a user or a group; fields about passwords come to one word.
        who: the name of the user who sent it.
    """
    changed = [name for name in form.changed_data if HIDDEN_FIELD not in name]
    old = {name: text_of(form.initial.get(name)) for name in changed}
    new = {name: text_of(form.cleaned_data[name]) for name in changed}
    if len(changed) < len(form.changed_data):
        new[HIDDEN_FIELD] = ANOTHER
    record(who, form.instance, old, new)


@contextmanager
def password_recorded(user: User | None, who: str) -> Iterator[None]:
    """Record with what the block saves that a user has another password, should that be so then."""
    with transaction.atomic():
        yield
        if user is not None and _password(user) != user.password:
            record(who, user, {}, {HIDDEN_FIELD: ANOTHER})


def _password(user: User) -> str | None:
    return User.objects.filter(pk=user.pk).values_list(HIDDEN_FIELD, flat=True).first()
