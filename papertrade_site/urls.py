"""Every address of the project, as hosts that stand for no single server have them."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from papertrade_site import refusals
from papertrade_site.dashboard.refusals import not_allowed
from papertrade_site.discovery import paths
from papertrade_site.discovery.addresses import no_authorization_addresses
from papertrade_site.discovery.views import Directory
from papertrade_site.docs import missing
from papertrade_site.docs.addresses import documentation_addresses, home_of, page_addresses, root_redirects
from papertrade_site.docs.machine_views import root_files
from papertrade_site.docs.pages import LANDING
from papertrade_site.docs.views import Documentation
from papertrade_site.ops import health
from papertrade_site.ops.metrics import metrics
from papertrade_site.refusals import read_only
from papertrade_site.servers import SERVERS

handler400, handler403, handler404, handler500 = (
    refusals.bad_request,
    not_allowed,
    missing.not_found,
    refusals.server_error,
)

documentation = {slug: documentation_addresses(server) for slug, server in SERVERS.items()}
"""The pages of each server by its short name, which its own host has at the root."""

urlpatterns = [
    path("liquidations/", include("mcp_liquidations.urls")),
    path("analytics/", include("mcp_analytics.urls")),
    *(path(f"{slug}/", include(addresses)) for slug, addresses in documentation.items()),
    *(path(slug, home_of(slug)) for slug in SERVERS),
    path("admin", read_only(RedirectView.as_view(pattern_name="admin:index"))),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    *page_addresses(Documentation(None, (LANDING,))),
    *root_redirects(),
    *root_files(),
    path(paths.DIRECTORY[1:], Directory(*SERVERS.values()), name="directory"),
    *no_authorization_addresses,
]
