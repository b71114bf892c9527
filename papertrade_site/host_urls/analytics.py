"""The addresses on the Analytics server's own host: the server's at the root, and all of the project's."""

from __future__ import annotations

from django.urls import include, path

from papertrade_site import urls as project

handler400, handler404, handler500 = project.handler400, project.handler404, project.handler500
urlpatterns = [
    path("", include("mcp_analytics.urls")),
    *project.documentation["analytics"],
    *project.urlpatterns,
]
