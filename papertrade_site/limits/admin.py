"""The forms in which operators change limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin
from django.db.models import Field, Model
from django.http import HttpRequest
from django.template.defaultfilters import pluralize
from django.utils import timezone

from papertrade_site.clock import utc_text
from papertrade_site.limits.audited import AuditedAdmin, OperatorsAdmin
from papertrade_site.limits.bounds import (
    BOOK_CALL,
    LIFETIME_BOUNDS,
    NETWORK_BOUNDS,
    SERVER_BOUNDS,
    SITE_BOUNDS,
    SLUGS,
    WALLETS_DEFAULT,
    Bound,
)
from papertrade_site.limits.models import (
    Change,
    ClientNetwork,
    ResourceLifetime,
    ServerRules,
    SiteRules,
)
from papertrade_site.upstream.lifetimes import DEFAULT_LIFETIMES

UNUSED: Final[Mapping[str, Sequence[str]]] = {"analytics": (BOOK_CALL.name, WALLETS_DEFAULT.name)}
"""Limits that no tool of a server goes by, which its form leaves out."""

NO_LIMIT: Final = "no limit"

NETWORK_EXAMPLES: Final = (
    "The smallest network that holds an address counts. Users of hosted AI clients all come from a few "
    "addresses of their host, and share one allowance there: give the networks that the host publishes a "
    "higher limit, such as 203.0.113.0/24 with 600 messages. Block who floods you, such as 203.0.113.9, "
    "or 2001:db8:7::/48, and let the block end by itself. These addresses are examples: nobody has them."
)


STAYS_OPEN: Final = (
    "A block is for pages and servers: /healthz and /readyz answer everybody, and /admin/ its operators."
)


class _FixedRowsAdmin(AuditedAdmin):
    """Rows of which there are always the same, so that none is added while all are there, or deleted."""

    rows: ClassVar[int]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whether a row is missing, and may be added."""
        return super().has_add_permission(request) and self.model._default_manager.count() < self.rows

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody's."""
        return False

    def get_form(
        self,
        request: HttpRequest,
        obj: Model | None = None,
        change: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> type[forms.ModelForm[Any]]:
        """A number that is not set shows what holds then."""
        form = super().get_form(request, obj, change, **options)
        for name, shown in form.base_fields.items():
            if name in self.bounds:
                slug = getattr(obj, "server", None)
                shown.widget.attrs["placeholder"] = _default_text(self.bounds[name], slug)
        return form


@admin.register(ServerRules)
class ServerRulesAdmin(_FixedRowsAdmin):
    """The limits of each server."""

    bounds = SERVER_BOUNDS
    rows = len(SLUGS)
    list_display = ("server_name", "state", "messages", "burst", "all_clients", "body", "batch")
    actions = None

    def get_fieldsets(self, request: HttpRequest, obj: ServerRules | None = None) -> Any:  # noqa: ANN401
        """What is to be set, by what it is about."""
        unused = UNUSED.get("" if obj is None else obj.server, ())
        asked = ("call_requests", "book_call_requests", "wallets_default")
        return [
            *([(None, {"fields": ("server",)})] if obj is None else []),
            ("On or off", {"fields": ("is_on", "off_message")}),
            (
                "What clients may send",
                {
                    "fields": (
                        "requests_per_minute",
                        "burst_requests",
                        "all_clients_per_minute",
                        "body_bytes",
                        "batch_messages",
                    ),
                    "description": "Left empty, the default in grey holds. A change holds within 5 seconds.",
                },
            ),
            (
                "What a call may ask of the sources",
                {"fields": [name for name in asked if name not in unused]},
            ),
        ]

    @admin.display(description="Server", ordering="server")
    def server_name(self, row: ServerRules) -> str:
        """Its name."""
        return row.get_server_display()

    @admin.display(description="State")
    def state(self, row: ServerRules) -> str:
        """Whether tools are called, and why not."""
        return "On" if row.is_on else f"Off: {row.off_message}"

    @admin.display(description="Messages a minute")
    def messages(self, row: ServerRules) -> str:
        """Of one client."""
        return _holding(row, "requests_per_minute")

    @admin.display(description="In 10 s")
    def burst(self, row: ServerRules) -> str:
        """Of one client."""
        return _holding(row, "burst_requests")

    @admin.display(description="All clients a minute")
    def all_clients(self, row: ServerRules) -> str:
        """Together."""
        return _holding(row, "all_clients_per_minute")

    @admin.display(description="Bytes of a body")
    def body(self, row: ServerRules) -> str:
        """At most."""
        return _holding(row, "body_bytes")

    @admin.display(description="Messages of a batch")
    def batch(self, row: ServerRules) -> str:
        """At most."""
        return _holding(row, "batch_messages")


@admin.register(SiteRules)
class SiteRulesAdmin(_FixedRowsAdmin):
    """What is set for the site as a whole."""

    bounds = SITE_BOUNDS
    rows = 1
    list_display = ("__str__", "pages", "named_wallets")
    actions = None

    @admin.display(description="Pages a minute")
    def pages(self, row: SiteRules) -> str:
        """Of one reader."""
        return _holding(row, "pages_per_minute")

    @admin.display(description="Requests a minute for named wallets")
    def named_wallets(self, row: SiteRules) -> str:
        """Of all callers together."""
        return _holding(row, "named_wallets_per_minute")


@admin.register(ClientNetwork)
class ClientNetworkAdmin(AuditedAdmin):
    """Rules for client networks."""

    bounds = NETWORK_BOUNDS
    list_display = ("network", "for_server", "rule", "reason", "ends")
    list_filter = ("server", "is_blocked")
    search_fields = ("network", "reason")
    fieldsets = (
        (None, {"fields": ("network", "server"), "description": NETWORK_EXAMPLES}),
        (
            "The rule",
            {
                "fields": ("is_blocked", "requests_per_minute", "reason", "expires_at"),
                "description": STAYS_OPEN,
            },
        ),
    )

    @admin.display(description="Server", ordering="server")
    def for_server(self, row: ClientNetwork) -> str:
        """Which it is for."""
        return str(row.get_server_display())

    @admin.display(description="Rule")
    def rule(self, row: ClientNetwork) -> str:
        """What holds for its clients."""
        if row.is_blocked:
            return "Blocked"
        number = row.requests_per_minute
        return "The server's limits" if number is None else f"{number:,} message{pluralize(number)} a minute"

    @admin.display(description="Ends (UTC)", ordering="expires_at")
    def ends(self, row: ClientNetwork) -> str:
        """When, in UTC."""
        if row.expires_at is None:
            return "Never"
        at = utc_text(row.expires_at)
        return at if row.expires_at > timezone.now() else f"Ended {at}"


@admin.register(ResourceLifetime)
class ResourceLifetimeAdmin(AuditedAdmin):
    """How long copies last."""

    bounds = LIFETIME_BOUNDS
    list_display = ("resource", "fresh_s", "stale_s", "default")
    fieldsets = (
        (
            None,
            {
                "fields": ("resource", "fresh_s", "stale_s"),
                "description": "Both servers share the cache. Without a row the default holds.",
            },
        ),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        """A row stays with its resource."""
        return () if obj is None else ("resource", "default")

    def formfield_for_choice_field(
        self,
        db_field: Field[Any, Any],
        request: HttpRequest,
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        """The resources that have no row yet, each with its default."""
        taken = set(ResourceLifetime.objects.values_list("resource", flat=True))
        free = [(name, f"{name}: {_lifetime_text(name)}") for name in DEFAULT_LIFETIMES if name not in taken]
        return super().formfield_for_choice_field(
            db_field, request, choices=[("", "Choose one"), *free], **options
        )

    @admin.display(description="Default")
    def default(self, row: ResourceLifetime) -> str:
        """What holds without the row."""
        return _lifetime_text(row.resource) if row.resource in DEFAULT_LIFETIMES else ""


@admin.register(Change)
class ChangeAdmin(OperatorsAdmin):
    """The record of all changes, which nobody can change."""

    list_display = ("when", "who", "what", "label", "old", "new")
    list_display_links = None
    empty_value_display = "nothing"
    list_filter = ("who",)
    search_fields = ("who", "what", "old", "new")
    list_per_page = 50

    @admin.display(description="Field", ordering="field")
    def label(self, row: Change) -> str:
        """As its form calls it."""
        return row.label

    @admin.display(description="When (UTC)", ordering="at")
    def when(self, row: Change) -> str:
        """To the second."""
        return utc_text(row.at)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody's."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody's."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody's."""
        return False


def _holding(row: ServerRules | SiteRules, name: str) -> str:
    """The number that holds, and whether it is the default."""
    number = getattr(row, name)
    if number is not None:
        return f"{number:,}"
    if isinstance(row, ServerRules):
        return _default_text(SERVER_BOUNDS[name], row.server)
    return _default_text(SITE_BOUNDS[name], None)


def _default_text(bound: Bound, slug: str | None) -> str:
    default = bound.default_for(slug)
    return NO_LIMIT if default is None else f"{default:,} (default)"


def _lifetime_text(name: str) -> str:
    lifetime = DEFAULT_LIFETIMES[name]
    return f"fresh for {lifetime.fresh_s:g} s, shown for {lifetime.stale_s:g} s"
