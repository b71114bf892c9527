# The project's commands. Each installs what it needs into .venv first.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := pip install --quiet --disable-pip-version-check --require-hashes
PIP := $(BIN)/$(INSTALL)
NODE_CLIENTS := tests/clients/node
NODE_SERVER := tests/load/node

.PHONY: run demo-admin test check bench soak fuzz pins clients

# Serves everything on this machine until Ctrl-C. PORT=8000, SOURCE=simulated or live.
run: .venv/runtime
	@$(if $(PORT),PORT=$(PORT)) $(if $(SOURCE),PAPERTRADE_SOURCE=$(SOURCE)) exec $(BIN)/python manage.py run

# Makes a user of the dashboard for trying it out on this machine; prints the password once.
demo-admin: .venv/runtime
	@$(BIN)/python manage.py demo_admin

# Runs the whole test suite.
test: .venv/dev clients
	@PAPERTRADE_ENV_FILE= $(BIN)/pytest --numprocesses auto

# Checks style, types, import directions, templates and settings.
check: .venv/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --check --lint --quiet templates
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check

# Measures, for about 40 minutes. It checks answers, and of speeds only that counting leaves 0.95 of the rate without
# it, as far as that can be told: a slow machine makes nothing fail. The HTTP part needs wrk.
# BENCH_SECONDS=3 of each cell (10 without it), BENCH_ONLY="tools/list get_market_stats" of its calls,
# BENCH_JSON=file to write its figures to, BENCH_MARKDOWN=file for the table that README shows.
bench: .venv/dev .venv/sdk/installed $(NODE_SERVER)/node_modules/installed
	@$(BIN)/pytest -p no:randomly --benchmark-only --benchmark-columns=min,median,ops --benchmark-sort=fullname tests/load
	@DJANGO_SETTINGS_MODULE=papertrade_site.settings $(BIN)/python -m tests.load.http_bench --sdk .venv/sdk/bin/python \
	  $(if $(BENCH_SECONDS),--seconds $(BENCH_SECONDS)) $(if $(BENCH_ONLY),--only $(BENCH_ONLY)) \
	  $(if $(BENCH_JSON),--json $(BENCH_JSON)) $(if $(BENCH_MARKDOWN),--markdown $(BENCH_MARKDOWN))
	@DJANGO_SETTINGS_MODULE=papertrade_site.settings $(BIN)/python -m tests.load.counting_bench

# Asks the whole service 100 times a second for 20 minutes while its sources flap, and judges what leaks, sticks or
# grows old; then calls warm tools behind nginx 300 times a second. SOAK_MINUTES=20, SOAK_RATE=100: one that is
# much shorter ends before caches are full, and so finds that memory grows.
soak: .venv/dev
	@DJANGO_SETTINGS_MODULE=papertrade_site.settings $(BIN)/python -m tests.soak.run \
	  $(if $(SOAK_MINUTES),--minutes $(SOAK_MINUTES)) $(if $(SOAK_RATE),--rate $(SOAK_RATE))
	@PAPERTRADE_ENV_FILE= $(BIN)/pytest -m long tests/soak/test_behind_proxy.py

# Sends both servers anything, for 10 minutes. FUZZ_MINUTES=10.
fuzz: .venv/dev
	@PAPERTRADE_ENV_FILE= FUZZ_MINUTES=$(or $(FUZZ_MINUTES),10) $(BIN)/pytest -m long -o faulthandler_timeout=0 tests/soak/test_fuzz.py

# Installs the official clients and axe, which the suite runs; where npm is missing, the tests of these are skipped.
clients: .venv/clients/mcp-1/installed .venv/clients/mcp-2/installed $(NODE_CLIENTS)/node_modules/installed

# Writes requirements*.txt anew from requirements*.in, with hashes.
pins: .venv/runtime
	$(BIN)/pip install --quiet --disable-pip-version-check pip-tools
	for name in requirements requirements-dev; do \
	  $(BIN)/pip-compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe \
	    --no-emit-index-url --no-emit-find-links $$name.in; done
	for name in tests/clients/python/mcp-1 tests/clients/python/mcp-2 tests/load/sdk; do \
	  $(BIN)/pip-compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe --no-header \
	    --no-emit-index-url --no-emit-find-links $$name.in; done

.venv/runtime: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(PIP) -r requirements.txt
	@touch $@

.venv/dev: requirements-dev.txt .venv/runtime
	$(PIP) -r requirements-dev.txt
	@touch $@

.venv/clients/%/installed: tests/clients/python/%.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/$(INSTALL) -r $<
	@touch $@

.venv/sdk/installed: tests/load/sdk.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/$(INSTALL) -r $<
	@touch $@

# Not `npm ci`, which refuses the lock where a registry lacks a package that is optional and for another system.
$(NODE_CLIENTS)/node_modules/installed: $(NODE_CLIENTS)/package-lock.json
	@npm --prefix $(NODE_CLIENTS) install --no-save --ignore-scripts --no-progress --loglevel error && touch $@ \
	  || if [ -n "$$CI" ]; then exit 1; else echo "Without npm's packages the tests of the JavaScript clients are skipped."; fi

$(NODE_SERVER)/node_modules/installed: $(NODE_SERVER)/package-lock.json
	@npm --prefix $(NODE_SERVER) install --no-save --ignore-scripts --no-progress --loglevel error && touch $@ \
	  || echo "Without npm's packages the TypeScript SDK is not measured."
