"""The least that Django can do for a call: read a JSON body and answer with JSON of a given length."""

from __future__ import annotations

import json

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path


def answer(request: HttpRequest, size: int) -> JsonResponse:
    """Answer a call with exactly so many bytes, and with what a right answer is known by."""
    call = json.loads(request.body)
    document = {"jsonrpc": "2.0", "id": call["id"], "result": ""}
    document["result"] = "x" * (size - len(json.dumps(document)))
    return JsonResponse(document)


urlpatterns = [path("<int:size>", answer)]
settings.configure(ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_I18N=False)
application = get_wsgi_application()
