"""Django settings, made from the typed environment in ``env.py``."""

from __future__ import annotations

import dj_database_url
from django.core.management.utils import get_random_secret_key

from papertrade_site.env import BASE_DIR, load

ENVIRONMENT, ENVIRONMENT_PROBLEMS = load()

# Core
SECRET_KEY_IS_SET = ENVIRONMENT.secret_key is not None
SECRET_KEY = ENVIRONMENT.secret_key.get_secret_value() if ENVIRONMENT.secret_key else get_random_secret_key()
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = ENVIRONMENT.hosts
ROOT_URLCONF = "papertrade_site.urls"
WSGI_APPLICATION = "papertrade_site.wsgi.application"
APPEND_SLASH = False
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
INSTALLED_APPS = [
    "corsheaders",
    "django_ratelimit",
    "django.contrib.staticfiles",
    "papertrade_site.ops",
    "papertrade_site.upstream",
    "papertrade_site.recorded",
    "papertrade_site.simulator",
    "papertrade_site.discovery",
    "papertrade_site.docs",
    "mcp_liquidations",
    "mcp_analytics",
    "papertrade_site.shell",
]
MIDDLEWARE = [
    "papertrade_site.cors.OpenCorsMiddleware",  # first, so that refusals of those below carry its headers
    "django.middleware.security.SecurityMiddleware",
    "papertrade_site.hosts.ServerHostMiddleware",  # refuses hosts that are not ours
    "papertrade_site.docs.compression.CompressionMiddleware",
    "papertrade_site.docs.assets.StaticFilesMiddleware",
    "django.middleware.common.CommonMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
    },
]

# Static files: served from where they are, without a step that collects them, under names that hold a hash
STATIC_URL = "/static/"
STORAGES = {"staticfiles": {"BACKEND": "papertrade_site.docs.assets.HashedNames"}}
WHITENOISE_USE_FINDERS = True

# Database: configuration and recorded history, never read on the hot path
DATABASES = {"default": dj_database_url.parse(ENVIRONMENT.database_url, conn_max_age=60)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Cache: a short socket time-out, so that a slow server costs a call a quarter of a second and no more
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": ENVIRONMENT.redis,
        "KEY_PREFIX": "papertrade",
        "OPTIONS": {
            "serializer": "papertrade_site.upstream.serializer.JsonSerializer",
            "socket_timeout": 0.25,
            "socket_connect_timeout": 0.25,
        },
    },
}
CACHES["limits"] = {**CACHES["default"], "BACKEND": "papertrade_site.limits.cache.LimitCache"}

# Where the two servers are reached, and what registries call them
SERVER_HOSTS = ENVIRONMENT.server_hosts
PUBLIC_SCHEME = ENVIRONMENT.public_scheme
REGISTRY_NAMES = {"liquidations": ENVIRONMENT.liquidations_name, "analytics": ENVIRONMENT.analytics_name}
REPOSITORY_URL = ENVIRONMENT.repository_url

# Limits of clients. django-ratelimit's check that the counters' cache is real and shared stays on; only its
# word that it has not heard of our class is silenced: tests/limits proves what that word is about.
RATELIMIT_USE_CACHE = "limits"
SILENCED_SYSTEM_CHECKS = ["django_ratelimit.W001"]
TRUSTED_PROXIES = tuple(ENVIRONMENT.trusted_proxies)

# Cross-origin access: any page may read all but the project's own rooms, never with credentials
CORS_URLS_REGEX = r"^/(?!(admin|metrics)(/|$))"
CORS_ALLOW_METHODS = ["GET", "HEAD", "OPTIONS", "POST", "DELETE"]  # DELETE: for browsers to see its 405
CORS_ALLOW_HEADERS = [
    "Content-Type",
    "Accept",
    "Authorization",
    "Mcp-Session-Id",
    "Mcp-Protocol-Version",
    "Last-Event-ID",
    "Mcp-Method",
    "Mcp-Name",
]
CORS_EXPOSE_HEADERS = ["RateLimit", "RateLimit-Policy", "Retry-After", "Mcp-Session-Id"]

# Sources of every figure
PAPERTRADE_SOURCE = ENVIRONMENT.source.value
EXCHANGE_URL = ENVIRONMENT.exchange
HYPERLIQUID_URL = ENVIRONMENT.hyperliquid
HYPEREVM_URL = ENVIRONMENT.hyperevm
LIQUIDATION_MAP_PATH = ENVIRONMENT.liquidation_map_path
BEST_POSITIONS_PATH = ENVIRONMENT.best_positions_path
UPSTREAM_WAITERS = max(1, ENVIRONMENT.threads // 2)
SIMULATOR_PORT = ENVIRONMENT.embedded_exchange_port
SIMULATOR_SEED = ENVIRONMENT.simulator_seed

# Logs: one line each on standard error; the HTTP client's own would tell wallets and what sources sent, and
# Django's would warn of every address that a stranger asks for in vain
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
    },
    "root": {"handlers": ["stderr"], "level": ENVIRONMENT.log_level},
}
