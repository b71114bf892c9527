"""Tool switches, which need to know what tools there are, and users and groups in forms like all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin, UserAdmin as DjangosUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from papertrade_site.dashboard.recorded import password_recorded, record_form
from papertrade_site.limits.audited import AuditedAdmin, RecordedAdmin
from papertrade_site.limits.models import ToolSwitch
from papertrade_site.servers import SERVERS

if TYPE_CHECKING:
    SwitchForm = forms.ModelForm[ToolSwitch]
    UserAdmin = DjangosUserAdmin[User]
else:
    SwitchForm = forms.ModelForm
    UserAdmin = DjangosUserAdmin


SWITCHING: Final = (
    "While On is not ticked, every call of the tool gets the reason. A tool without a switch is on: to "
    "switch one back on, tick On, which keeps the reason for the next time, or delete its switch."
)


class NewSwitchForm(SwitchForm):
    """A switch for a tool that has none yet."""

    which = forms.ChoiceField()

    class Meta:
        """The tool is chosen as one thing with its server."""

        model = ToolSwitch
        fields = ("is_on", "reason")

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401
        """Offer every tool that has no switch."""
        super().__init__(*args, **options)
        taken = set(ToolSwitch.objects.values_list("server", "tool"))
        free = {
            server.title: [
                (f"{slug}/{tool.name}", tool.name) for tool in server.tools if (slug, tool.name) not in taken
            ]
            for slug, server in SERVERS.items()
        }
        self.fields["which"] = forms.ChoiceField(label="Tool", choices=[("", "Choose one"), *free.items()])

    def clean_which(self) -> str:
        """Put the choice into the row."""
        which: str = self.cleaned_data["which"]
        self.instance.server, _, self.instance.tool = which.partition("/")
        return which


@admin.register(ToolSwitch)
class ToolSwitchAdmin(AuditedAdmin):
    """Tools that are off, or have been."""

    list_display = ("tool", "server", "state")
    list_filter = ("server", "is_on")
    ordering = ("is_on", "server", "tool")

    def get_form(
        self,
        request: HttpRequest,
        obj: Model | None = None,
        change: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> type[forms.ModelForm[Any]]:
        """A new switch begins with the choice of a tool."""
        if obj is None:
            options["form"] = NewSwitchForm
        return super().get_form(request, obj, change, **options)

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:  # noqa: ANN401
        """A switch stays with its tool."""
        tool = ("which",) if obj is None else ("server", "tool")
        return [(None, {"fields": (*tool, "is_on", "reason"), "description": SWITCHING})]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        """A switch stays with its tool."""
        return () if obj is None else ("server", "tool")

    @admin.display(description="State", ordering="is_on")
    def state(self, row: ToolSwitch) -> str:
        """Whether it is called, and why not."""
        return "On" if row.is_on else f"Off: {row.reason}"


admin.site.unregister([User, Group])


class _WhoMayAdmin(RecordedAdmin):
    """Django's own forms, each of whose changes is recorded as those of limits are, but for passwords."""

    def save_related(
        self,
        request: HttpRequest,
        form: forms.ModelForm[Any],
        formsets: Any,  # noqa: ANN401
        change: bool,
    ) -> None:
        """Save what belongs to it, and record all that the form changed."""
        super().save_related(request, form, formsets, change)
        record_form(form, request.user.get_username())


@admin.register(User)
class OperatorAdmin(_WhoMayAdmin, UserAdmin):
    """Users."""

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002
        """Give a user another password, and record that he has one, not which."""
        with password_recorded(self.get_object(request, unquote(id)), request.user.get_username()):
            return super().user_change_password(request, id, form_url)


@admin.register(Group)
class OperatorGroupAdmin(_WhoMayAdmin, GroupAdmin):
    """Groups."""
