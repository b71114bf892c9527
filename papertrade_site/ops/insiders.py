"""Who may see the inside of the service: its metrics, and the details of its readiness."""

from __future__ import annotations

from functools import wraps
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase

from papertrade_site.limits.client import client_of, read_address
from papertrade_site.refusals import View

FORWARDED: Final = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA")
"""What proxies add to a request that they hand on."""


def is_insider(request: HttpRequest) -> bool:
    """Whether the request comes from a network that ``PAPERTRADE_METRICS_NETWORKS`` names.

    One that came through a proxy counts as its client's, and only where the proxy is trusted and says who
    that is: a proxy on this machine that nobody told the service about must not open it to the world.
    """
    client = client_of(request).address
    if client is None or not any(client in network for network in settings.METRICS_NETWORKS):
        return False
    if not any(header in request.META for header in FORWARDED):
        return True
    peer = read_address(request.META.get("REMOTE_ADDR", ""))
    is_of_proxy = any(peer in network for network in settings.TRUSTED_PROXIES) if peer else False
    return is_of_proxy and not any(client in network for network in settings.TRUSTED_PROXIES)


def insiders_only(view: View) -> View:
    """Let a view see insiders alone; for everybody else there is nothing at its address."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponseBase:
        if not is_insider(request):
            raise Http404
        return view(request)

    return guarded
