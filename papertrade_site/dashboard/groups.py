"""The group of those who may change limits, and nothing else."""

from __future__ import annotations

from typing import Final

from django.apps import AppConfig
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

LIMITS_EDITORS: Final = "limits editor"


def make_limits_editors(sender: AppConfig, **_: object) -> None:
    """Give the group exactly all permissions on limits; on the record of changes there is only that to view.

    Args:
        sender: the app of the limits, whose tables have just been made or altered.
    """
    create_permissions(sender, verbosity=0)
    group, _is_new = Group.objects.get_or_create(name=LIMITS_EDITORS)
    group.permissions.set(Permission.objects.filter(content_type__app_label=sender.label))
