# The project's commands. Each installs what it needs into .venv first.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: run test check bench pins

# Serves everything on this machine until Ctrl-C. PORT=8000, SOURCE=simulated or live.
run: .venv/runtime
	@$(if $(PORT),PORT=$(PORT)) $(if $(SOURCE),PAPERTRADE_SOURCE=$(SOURCE)) exec $(BIN)/python manage.py run

# Runs the whole test suite.
test: .venv/dev
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

# Measures. It checks answers, never speeds: a slow machine makes nothing fail.
bench: .venv/dev
	@$(BIN)/pytest -p no:randomly --benchmark-only --benchmark-columns=min,median,ops --benchmark-sort=fullname tests/load

# Writes requirements*.txt anew from requirements*.in, with hashes.
pins: .venv/runtime
	$(BIN)/pip install --quiet --disable-pip-version-check pip-tools
	for name in requirements requirements-dev; do \
	  $(BIN)/pip-compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe \
	    --no-emit-index-url --no-emit-find-links $$name.in; done

.venv/runtime: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(PIP) -r requirements.txt
	@touch $@

.venv/dev: requirements-dev.txt .venv/runtime
	$(PIP) -r requirements-dev.txt
	@touch $@
