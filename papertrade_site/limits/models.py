"""What an operator has set, and the record of who set it; an empty database means the defaults.

Numbers are empty until somebody sets them. What they may be is in ``bounds``, and the database holds each of
them to it by a constraint. All of it is written through ``audit`` alone; the hot path never reads it.
"""

from __future__ import annotations

from ipaddress import IPv6Network, ip_network
from typing import ClassVar, Final, NoReturn

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.text import capfirst

from papertrade_site.limits.bounds import LIFETIME_BOUNDS, NETWORK_BOUNDS, SERVER_BOUNDS, SITE_BOUNDS, SLUGS
from papertrade_site.limits.client import SCOPE, Network
from papertrade_site.limits.fields import held_within, number_field, seconds_field
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES

SERVERS: Final = tuple((slug, slug.capitalize()) for slug in SLUGS)
BOTH: Final = ""
"""Stands for both servers where a rule may be for one."""

REASON_LENGTH: Final = 300
ROW_LENGTH: Final = 60
WHAT_LENGTH: Final = 200
MAPPED_PREFIX: Final = 96
"""Bits before the IPv4 address in an IPv6 one that only stands for it."""


class PermanentError(Exception):
    """Somebody tried to change or delete the record of a change."""


def one_line(text: str) -> None:
    """Refuse text that callers could not be shown as one plain line.

    Raises:
        ValidationError: when it holds line ends, controls, or signs that turn or hide writing.
    """
    if not text.isprintable():
        raise ValidationError("Use one line of plain text, without control characters.")


def resource_choices() -> list[tuple[str, str]]:
    """The resources that have a lifetime, by name."""
    return [(name, name) for name in DEFAULT_LIFETIMES]


def parsed_network(text: str) -> Network:
    """The network that a text names: an address stands for itself, and bits past the prefix are dropped.

    Raises:
        ValueError: when it names none.
    """
    if SCOPE in text:
        raise ValueError("a network has no scope")
    network = ip_network(text.strip(), strict=False)
    if isinstance(network, IPv6Network) and network.prefixlen >= MAPPED_PREFIX:
        mapped = network.network_address.ipv4_mapped
        if mapped is not None:
            return ip_network(f"{mapped}/{network.prefixlen - MAPPED_PREFIX}")
    return network


class ServerRules(models.Model):
    """The limits of one server; a number that is empty is the default."""

    server = models.CharField(max_length=20, choices=SERVERS, unique=True)
    requests_per_minute = number_field(SERVER_BOUNDS["requests_per_minute"])
    burst_requests = number_field(SERVER_BOUNDS["burst_requests"])
    all_clients_per_minute = number_field(SERVER_BOUNDS["all_clients_per_minute"])
    body_bytes = number_field(SERVER_BOUNDS["body_bytes"])
    batch_messages = number_field(SERVER_BOUNDS["batch_messages"])
    call_requests = number_field(SERVER_BOUNDS["call_requests"])
    book_call_requests = number_field(SERVER_BOUNDS["book_call_requests"])
    wallets_default = number_field(SERVER_BOUNDS["wallets_default"])
    is_on = models.BooleanField(
        "On",
        default=True,
        help_text="Off: clients still connect and see the tools, but every call of one gets the message.",
    )
    off_message = models.CharField(
        "Message while it is off",
        max_length=REASON_LENGTH,
        blank=True,
        validators=[one_line],
        help_text="Callers read it: say why, and when to come back.",
    )

    class Meta:
        """Held to the ranges, and never off without a word."""

        verbose_name = "set of server limits"
        verbose_name_plural = "server limits"
        ordering: ClassVar[list[str]] = ["server"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *held_within(SERVER_BOUNDS),
            models.CheckConstraint(
                condition=Q(server__in=SLUGS),
                name="%(class)s_server_exists",
                violation_error_message="server must be liquidations or analytics",
            ),
            models.CheckConstraint(
                condition=Q(is_on=True) | ~Q(off_message=""),
                name="%(class)s_off_says_why",
                violation_error_message="Write the message that callers get while the server is off.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.server.capitalize()} limits"


class SiteRules(models.Model):
    """What is set for the site as a whole, in one row; a number that is empty is the default."""

    ONLY: Final = 1
    """The key of the one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY, editable=False)
    pages_per_minute = number_field(SITE_BOUNDS["pages_per_minute"])
    named_wallets_per_minute = number_field(SITE_BOUNDS["named_wallets_per_minute"])

    class Meta:
        """One row, held to the ranges."""

        verbose_name = "set of site limits"
        verbose_name_plural = "site limits"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *held_within(SITE_BOUNDS),
            models.CheckConstraint(condition=Q(id=1), name="%(class)s_only_one"),
        ]

    def __str__(self) -> str:
        return "Site limits"


class ToolSwitch(models.Model):
    """Whether a tool is on; one without a row is."""

    server = models.CharField(max_length=20, choices=SERVERS)
    tool = models.CharField(max_length=40)
    is_on = models.BooleanField(
        "On",
        default=False,
        help_text="Off: clients still see the tool, but every call of it gets the reason.",
    )
    reason = models.CharField(
        max_length=REASON_LENGTH,
        blank=True,
        validators=[one_line],
        help_text="Callers read it: say why it is off, and what to use instead.",
    )

    class Meta:
        """One row for a tool, which is never off without a word."""

        verbose_name = "tool switch"
        verbose_name_plural = "tool switches"
        ordering: ClassVar[list[str]] = ["server", "tool"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["server", "tool"],
                name="one_%(class)s_a_tool",
                violation_error_message="This tool has a switch already.",
            ),
            models.CheckConstraint(
                condition=Q(server__in=SLUGS),
                name="%(class)s_server_exists",
                violation_error_message="server must be liquidations or analytics",
            ),
            models.CheckConstraint(
                condition=Q(is_on=True) | ~Q(reason=""),
                name="%(class)s_off_says_why",
                violation_error_message="Write the reason that callers get while the tool is off.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.server.capitalize()} tool {self.tool}"


class ClientNetwork(models.Model):
    """A rule for every client of a network; of several that hold an address the smallest network counts."""

    network = models.CharField(
        max_length=49,
        help_text="In CIDR notation, such as 203.0.113.0/24 or 2001:db8:7::/48, or one address.",
    )
    server = models.CharField(
        max_length=20,
        choices=[(BOTH, "Both, and pages"), *SERVERS],
        blank=True,
        default=BOTH,
        help_text="Of two rules for one network, that of the server goes before that of both.",
    )
    is_blocked = models.BooleanField(
        "Blocked",
        default=False,
        help_text="Refuses every request with 403 and the reason: to the one server that the rule is for, or "
        "to both and to pages. Needs a reason, and takes no limit.",
    )
    requests_per_minute = number_field(NETWORK_BOUNDS["requests_per_minute"])
    reason = models.CharField(
        max_length=REASON_LENGTH,
        blank=True,
        validators=[one_line],
        help_text="Blocked clients read it. For the others it is a note.",
    )
    expires_at = models.DateTimeField("Ends", null=True, blank=True, help_text="In UTC. Empty: never.")

    class Meta:
        """One rule for a network and server, which either blocks or limits."""

        verbose_name = "client network"
        verbose_name_plural = "client networks"
        ordering: ClassVar[list[str]] = ["network", "server"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *held_within(NETWORK_BOUNDS),
            models.UniqueConstraint(
                fields=["network", "server"],
                name="one_%(class)s_a_server",
                violation_error_message="This network has a rule already.",
            ),
            models.CheckConstraint(
                condition=Q(server__in=(BOTH, *SLUGS)),
                name="%(class)s_server_exists",
                violation_error_message="server must be liquidations, analytics, or empty for both",
            ),
            models.CheckConstraint(
                condition=Q(is_blocked=False) | Q(requests_per_minute__isnull=True),
                name="%(class)s_blocked_or_limited",
                violation_error_message="A blocked network has no limit of its own: leave the number empty.",
            ),
            models.CheckConstraint(
                condition=Q(is_blocked=False) | ~Q(reason=""),
                name="%(class)s_block_says_why",
                violation_error_message="Write the reason that blocked clients get.",
            ),
        ]

    def __str__(self) -> str:
        return f"Network {self.network} on {self.server.capitalize() or 'both servers'}"

    def clean(self) -> None:
        """Write the network in its one usual form.

        Raises:
            ValidationError: when it is none.
        """
        try:
            self.network = str(parsed_network(self.network))
        except ValueError:
            problem = "network must be in CIDR notation, such as 203.0.113.0/24 or 2001:db8:7::/48"
            raise ValidationError({"network": problem}) from None


class ResourceLifetime(models.Model):
    """How long copies of one resource last, for both servers, since they share the copies."""

    resource = models.CharField(max_length=40, choices=resource_choices, unique=True)
    fresh_s = seconds_field(LIFETIME_BOUNDS["fresh_s"])
    stale_s = seconds_field(LIFETIME_BOUNDS["stale_s"])

    class Meta:
        """Held to the ranges, and never shown for less long than it is fresh."""

        verbose_name = "cache lifetime"
        verbose_name_plural = "cache lifetimes"
        ordering: ClassVar[list[str]] = ["resource"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *held_within(LIFETIME_BOUNDS),
            models.CheckConstraint(
                condition=Q(stale_s__gte=F("fresh_s")),
                name="%(class)s_stale_after_fresh",
                violation_error_message="stale_s must be at least fresh_s",
            ),
        ]

    def __str__(self) -> str:
        return f"Cache lifetime of {self.resource}"


def row_of(setting: models.Model) -> str:
    """What a stored row is found by in the record, whatever it is called: its kind and key.

    Kinds of other apps than this one have the app's name before theirs, with a dot between.
    """
    meta = setting._meta
    kind = meta.model_name if meta.app_label == Change._meta.app_label else meta.label_lower
    return f"{kind}/{setting.pk}"


class PermanentQuerySet(models.QuerySet["Change"]):
    """Rows that can be added and read."""

    def update(self, **_: object) -> NoReturn:
        """Refuse.

        Raises:
            PermanentError: always.
        """
        raise PermanentError("A recorded change cannot be changed.")

    def delete(self) -> NoReturn:
        """Refuse.

        Raises:
            PermanentError: always.
        """
        raise PermanentError("A recorded change cannot be deleted.")


class Change(models.Model):
    """One field that somebody changed. The database itself refuses to change or delete the row.

    ``who`` is the name of the user at that time, ``what`` the name of the thing that was changed, and ``row``
    its kind and key, see ``row_of``, which stay when it is renamed; ``old`` is empty for a thing that was
    new, ``new`` for one that was removed.
    """

    at = models.DateTimeField(default=timezone.now, editable=False)
    who = models.CharField(max_length=150)
    what = models.CharField(max_length=WHAT_LENGTH)
    row = models.CharField(max_length=ROW_LENGTH, blank=True, default="", editable=False)
    field = models.CharField(max_length=40)
    old = models.TextField(blank=True)
    new = models.TextField(blank=True)

    objects = PermanentQuerySet.as_manager()

    class Meta:
        """The newest first."""

        verbose_name = "change"
        ordering: ClassVar[list[str]] = ["-at", "-id"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.what}: {self.field}"

    def save(self, *_: object, **__: object) -> None:
        """Add the row.

        Raises:
            PermanentError: when it is there already.
        """
        if not self._state.adding:
            raise PermanentError("A recorded change cannot be changed.")
        super().save(force_insert=True)

    def delete(self, *_: object, **__: object) -> NoReturn:
        """Refuse.

        Raises:
            PermanentError: always.
        """
        raise PermanentError("A recorded change cannot be deleted.")

    @property
    def label(self) -> str:
        """The field as its form calls it."""
        app, _, kind = self.row.partition("/")[0].rpartition(".")
        try:
            field = apps.get_model(app or self._meta.app_label, kind)._meta.get_field(self.field)
        except (LookupError, FieldDoesNotExist):  # another version's
            return self.field
        return capfirst(str(getattr(field, "verbose_name", self.field)))
