"""The filter that puts a value into a JSON template."""

from __future__ import annotations

import json

from django import template

register = template.Library()


@register.filter(name="json")
def as_json(value: object) -> str:
    """A value as JSON; the template must have autoescape off, since HTML's escapes mean nothing in JSON.

    Raises:
        TypeError: when the value has no form in JSON.
    """
    return json.dumps(value)
