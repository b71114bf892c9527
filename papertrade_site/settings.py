"""Django settings, made from the typed environment in ``env.py``."""

from __future__ import annotations

import dj_database_url
from django.core.management.utils import get_random_secret_key

from papertrade_site.env import BASE_DIR, load
from papertrade_site.request_id import LINE

ENVIRONMENT, ENVIRONMENT_PROBLEMS = load()

# Core
SECRET_KEY_IS_SET = ENVIRONMENT.secret_key is not None
SECRET_KEY = ENVIRONMENT.secret_key.get_secret_value() if ENVIRONMENT.secret_key else get_random_secret_key()
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = ENVIRONMENT.hosts
ROOT_URLCONF = "papertrade_site.urls"
WSGI_APPLICATION = "papertrade_site.wsgi.application"
APPEND_SLASH = False
FORCE_SCRIPT_NAME = ""  # the site is below no prefix, whatever a request says
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
INSTALLED_APPS = [
    "papertrade_site.dashboard.apps.SiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "corsheaders",
    "django_ratelimit",
    "django.contrib.staticfiles",
    "papertrade_site.ops",
    "papertrade_site.background",
    "papertrade_site.limits",
    "papertrade_site.upstream",
    "papertrade_site.usage",
    "papertrade_site.recorded",
    "papertrade_site.simulator",
    "papertrade_site.discovery",
    "papertrade_site.docs",
    "mcp_liquidations",
    "mcp_analytics",
    "papertrade_site.shell",
    "papertrade_site.dashboard.apps.DashboardConfig",
]
LAYERS_OF_ALL = [
    "papertrade_site.ops.request_log.RequestLogMiddleware",  # first: it tells of every answer
    # These two next, so that refusals of those below carry their headers, and preflights the first one's.
    "papertrade_site.security.AnswerSecurityMiddleware",
    "papertrade_site.cors.OpenCorsMiddleware",
    "papertrade_site.hosts.ServerHostMiddleware",  # refuses hosts that are not ours
]
"""What messages to endpoints pass too (``messages.py``)."""

MIDDLEWARE = [
    *LAYERS_OF_ALL,
    "papertrade_site.docs.compression.CompressionMiddleware",
    "papertrade_site.docs.assets.StaticFilesMiddleware",
    # For operators alone: elsewhere it does nothing, so pages and endpoints have no session and no cookie
    "papertrade_site.dashboard.middleware.AdminMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
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
else:  # one that does not answer is given up, so that a process can go on with what it knows
    DATABASES["default"]["OPTIONS"] = {
        "connect_timeout": 5,
        "tcp_user_timeout": 10_000,
        **DATABASES["default"].get("OPTIONS", {}),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Cache: a short socket time-out, so that a slow server costs a call a quarter of a second and no more
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": ENVIRONMENT.redis,
        "KEY_PREFIX": f"papertrade:{ENVIRONMENT.source.value}",  # no other source's service has these names
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
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if PUBLIC_SCHEME == "https" else 0
REGISTRY_NAMES = {"liquidations": ENVIRONMENT.liquidations_name, "analytics": ENVIRONMENT.analytics_name}
REPOSITORY_URL = ENVIRONMENT.repository_url

# Operators: cookies for their rooms alone, a session of a working day, and passwords that cannot be guessed
ADMIN_HOST = ENVIRONMENT.admin_host
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = "/admin/"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PUBLIC_SCHEME == "https"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 60 * 60
CSRF_FAILURE_VIEW = "papertrade_site.dashboard.refusals.foreign_form"
LOGIN_URL, LOGIN_REDIRECT_URL = "admin:login", "admin:index"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "papertrade_site.dashboard.passwords.VariedPasswordValidator"},
]

# Limits of clients. django-ratelimit's check that the counters' cache is real and shared stays on
RATELIMIT_USE_CACHE = "limits"
TRUSTED_PROXIES = frozenset(ENVIRONMENT.trusted_proxies)  # which knows its own hash, as a tuple does not

# Cross-origin access: any page may read all but the project's own rooms, never with credentials
CORS_URLS_REGEX = r"^/(?!(admin|metrics|readyz)(/|$))"
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
CORS_EXPOSE_HEADERS = ["RateLimit", "RateLimit-Policy", "Retry-After", "Mcp-Session-Id", "X-Request-Id"]

SILENCED_SYSTEM_CHECKS = [
    "django_ratelimit.W001",  # has not heard of our class of cache; tests/limits proves what this is about
    "security.W001",  # AnswerSecurityMiddleware is Django's, and more
    "security.W002",  # no X-Frame-Options: Content-Security-Policy says the same, and lets pictures be framed
    "security.W003",  # each view of the admin checks its forms itself, and nothing else takes any
    "admin.E408",  # AdminMiddleware holds these three: users,
    "admin.E409",  # messages
    "admin.E410",  # and sessions
]

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

# Who may see what is nobody else's business
METRICS_NETWORKS = tuple(ENVIRONMENT.metrics_networks)
METRICS_FOLDER = ENVIRONMENT.metrics_folder

# Logs: one line each on standard error, which no thread waits for, none without end; the HTTP client's own
# would tell wallets and what sources sent, and Django's would warn of every address that a stranger asks for
# in vain, and tell of each malformed request at length
REQUEST_LOG = ENVIRONMENT.request_log
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request": {"()": "papertrade_site.request_id.RequestIdFilter"},
        "suspicions": {"()": "papertrade_site.strangers.SuspicionFilter"},
    },
    "formatters": {
        "line": {"format": LINE, "style": "{"},
    },
    "handlers": {
        "stderr": {
            "class": "papertrade_site.ops.log_handler.PatientHandler",
            "formatter": "line",
            "filters": ["request"],
        },
        "suspicions": {
            "class": "papertrade_site.ops.log_handler.PatientHandler",
            "formatter": "line",
            "filters": ["suspicions", "request"],
        },
    },
    "loggers": {
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "django.security": {"handlers": ["suspicions"], "propagate": False},
    },
    "root": {"handlers": ["stderr"], "level": ENVIRONMENT.log_level},
}
