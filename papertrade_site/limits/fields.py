"""Fields and constraints of the database, made of the bounds of a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.core.validators import BaseValidator, MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from papertrade_site.limits.bounds import Bound


def number_field(bound: Bound) -> models.PositiveIntegerField[int | None, int | None]:
    """A field that is empty until the number is set."""
    return models.PositiveIntegerField(
        bound.label, null=True, blank=True, help_text=_help(bound), validators=_range(bound)
    )


def seconds_field(bound: Bound) -> models.PositiveIntegerField[int, int]:
    """A field that always holds a number."""
    return models.PositiveIntegerField(bound.label, help_text=_help(bound), validators=_range(bound))


def held_within(bounds: Mapping[str, Bound]) -> Iterator[models.CheckConstraint]:
    """The constraints by which the database holds each number to its range."""
    for name, bound in bounds.items():
        within = Q(**{f"{name}__gte": bound.least, f"{name}__lte": bound.most})
        yield models.CheckConstraint(
            condition=within | Q(**{f"{name}__isnull": True}),
            name=f"%(class)s_{name}_in_range",
            violation_error_message=bound.problem,
        )


def _help(bound: Bound) -> str:
    return f"{bound.range_text} {bound.unit}. {bound.help}"


def _range(bound: Bound) -> list[BaseValidator]:
    return [
        MinValueValidator(bound.least, message=bound.problem),
        MaxValueValidator(bound.most, message=bound.problem),
    ]
