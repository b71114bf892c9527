"""The forms of all that is recorded when it is changed. They write through ``audit``, and nothing past it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Field, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.text import capfirst

from papertrade_site.limits.audit import changed_meanwhile, delete_audited, save_changed, state_of
from papertrade_site.limits.bounds import Bound
from papertrade_site.limits.models import row_of

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    ModelForm = forms.ModelForm[Any]
else:
    ModelAdmin = admin.ModelAdmin
    ModelForm = forms.ModelForm


class OperatorsAdmin(ModelAdmin):
    """Lists that are called what they are of."""

    def changelist_view(
        self, request: HttpRequest, extra_context: Mapping[str, Any] | None = None
    ) -> HttpResponse:
        """The list, titled with the name of the things in it."""
        title = capfirst(self.model._meta.verbose_name_plural)
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def formfield_for_dbfield(
        self,
        db_field: Field[Any, Any],
        request: HttpRequest,
        **options: Any,  # noqa: ANN401
    ) -> forms.Field | None:
        """A field for a time names its two parts, as Django's does only to the eye."""
        shown = super().formfield_for_dbfield(db_field, request, **options)
        if isinstance(shown, forms.SplitDateTimeField):
            for part, name in zip(shown.widget.widgets, ("date", "time"), strict=True):
                part.attrs["aria-label"] = f"{shown.label}: {name}"
        return shown


class RecordedAdmin(OperatorsAdmin):
    """Things whose every deletion is recorded, and whose history is what was recorded."""

    def delete_model(self, request: HttpRequest, obj: Any) -> None:  # noqa: ANN401
        """Delete, and record what there was."""
        delete_audited(obj, request.user.get_username())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete several, all or none of them, and record each."""
        with transaction.atomic():
            for setting in queryset:
                delete_audited(setting, request.user.get_username())

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: Mapping[str, Any] | None = None,
    ) -> HttpResponse:
        """What was changed in this thing, as it was recorded, whatever it was called then.

        Raises:
            Http404: when there is no such thing.
            PermissionDenied: to a user who may not see it.
        """
        del extra_context
        setting = self.get_object(request, object_id)
        if not self.has_view_permission(request, setting):
            raise PermissionDenied
        if setting is None:
            raise Http404
        query = urlencode({"row": row_of(setting)})
        return HttpResponseRedirect(f"{reverse('admin:limits_change_changelist')}?{query}")


class AuditedForm(ModelForm):
    """A form that brings along which state of its setting it showed, so that it alters no other one."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401
        """Note the state that is shown; a new setting has none."""
        super().__init__(*args, **options)
        if not self.instance._state.adding:
            self.initial["seen"] = state_of(self.instance)

    def clean(self) -> dict[str, Any] | None:
        """Check that the setting is still as it was shown.

        Raises:
            ValidationError: when somebody has altered it meanwhile; the error tells who.
        """
        if self.cleaned_data["seen"] != self.initial.get("seen", ""):
            raise changed_meanwhile(self.instance)
        return super().clean()


class AuditedAdmin(RecordedAdmin):
    """Forms whose every change is recorded, and whose errors state the range of a number."""

    form = AuditedForm
    change_form_template = "admin/audited_form.html"
    bounds: ClassVar[Mapping[str, Bound]] = {}
    """The range of each number in the form."""

    def save_model(self, request: HttpRequest, obj: Any, form: forms.ModelForm[Any], change: bool) -> None:  # noqa: ANN401
        """Save, and record who changed what."""
        save_changed(obj, request.user.get_username(), seen=form.cleaned_data["seen"] if change else None)

    def formfield_for_dbfield(
        self,
        db_field: Field[Any, Any],
        request: HttpRequest,
        **options: Any,  # noqa: ANN401
    ) -> forms.Field | None:
        """A number's field tells its range with whatever is wrong."""
        bound = self.bounds.get(db_field.name)
        if bound is not None:
            problem = f"Must be {bound.range_text} {bound.unit}."
            messages = dict.fromkeys(("invalid", "min_value", "max_value"), problem)
            options |= {"min_value": bound.least, "max_value": bound.most, "error_messages": messages}
        return super().formfield_for_dbfield(db_field, request, **options)
