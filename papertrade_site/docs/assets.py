"""Static files under names that change with their content, so that browsers may keep them for ever.

No step collects them: whitenoise serves them from where they are, under their plain names, and under the
hashed ones that pages use.
"""

from __future__ import annotations

import os
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

STATIC: Final = Path(__file__).parent / "static" / "docs"
"""Where the files are."""

_HASH: Final = re.compile(r"\.[0-9a-f]{12}\.(?=[a-z0-9]+$)")


@cache
def hashed_name(name: str) -> str:
    """``docs/site.css`` as ``docs/site.0123456789ab.css``; a name that no file has stays as it is."""
    path = finders.find(name)
    if path is None:
        return name
    stem, ending = os.path.splitext(name)
    return f"{stem}.{sha256(Path(path).read_bytes()).hexdigest()[:12]}{ending}"


class HashedNames(StaticFilesStorage):
    """What ``{% static %}`` writes: the hashed name, or the plain one while files are being worked on."""

    def url(self, name: str | None) -> str:
        """The address of a file."""
        return super().url(name if settings.DEBUG or name is None else hashed_name(name))


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Whitenoise that knows each file by its hashed name too.

    While a new release takes over, a page of one release may be answered by one process and ask another, of
    the other release, for its files: those of an unknown hash are served as they are now, and not for ever.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer with a file, or let the request on."""
        if request.path_info.startswith(self.static_prefix) and request.path_info not in self.files:
            request.path_info = _HASH.sub(".", request.path_info)
        response: HttpResponseBase = super().__call__(request)
        return response

    def add_file_to_dictionary(self, url: str, path: str, stat_cache: dict[str, os.stat_result]) -> None:
        """Take a file in under both of its names."""
        super().add_file_to_dictionary(url, path, stat_cache)
        hashed = self.static_prefix + hashed_name(url.removeprefix(self.static_prefix))
        super().add_file_to_dictionary(hashed, path, stat_cache)
