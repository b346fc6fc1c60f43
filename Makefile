# Two commands for people: `make run` and `make test`. Both do their own set-up; second runs reinstall nothing.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
TESTS := $(VENV)/.tests-installed
DEV := $(VENV)/.dev-installed
NODE := node_modules/.installed
CORES := $(shell nproc 2>/dev/null || echo 2)

# Set in many container images. With it every process, be it a server, a training or a test worker, would compile all
# libraries anew: 6.5 s instead of 2.
unexport PYTHONDONTWRITEBYTECODE

# What fails is tried once more by itself, and named in the last line and in this file; what fails twice fails.
SECOND_TRY := .pytest_cache/second-try.txt
PYTEST := $(BIN)/python -m tests.second_try --note $(SECOND_TRY) -q
ORDINARY := not postgres and not realdata and not slow and not long

.PHONY: run test test-all test-long browser explore fuzz faults load payloads audit versions lint format js-lint js-format bench bench-quick \
	bench-scale wheel lock docs mutants \
	screenshots clean

run: $(RUNTIME)
	@$(BIN)/python -m ui.server.serve --host "$(HOST)" --port "$(PORT)" $(if $(OPEN),--open)

# Browser tests share one machine with the rest: they run after it, on their own.
test: $(TESTS) browser
	@$(PYTEST) --kind unit -n $(CORES) --dist loadscope -m "$(ORDINARY) and not browser and not thorough"
	@$(PYTEST) --kind browser -n $(CORES) --dist loadfile -m "$(ORDINARY) and browser and not thorough"

# Finds Chromium, or installs it, once, before any worker starts. Without it everything but the browser tests still runs.
browser: $(TESTS)
	@$(BIN)/python -m tests.browser.chromium || true

# What `test` does, what takes long, a real Label Studio (installed once, in .venv-label-studio), the tests on the real
# corpora where they are, and the store on a PostgreSQL server.
test-all: test $(DEV)
	@$(PYTEST) --kind thorough -n $(CORES) --dist loadscope -m "$(ORDINARY) and not browser and thorough"
	@$(PYTEST) --kind "thorough browser" -n $(CORES) --dist loadfile -m "$(ORDINARY) and browser and thorough"
	@$(PYTEST) --kind slow -m "slow and not long"
	@$(PYTEST) --kind realdata -n $(CORES) --dist loadscope -m "realdata and not long"
	@$(PYTEST) --kind postgres -m postgres

# Whole real corpora, ten thousand requests, clusters, axe-core on all samples, a project of ten documents, a
# stranger's hour.
test-long: $(DEV) browser
	@$(PYTEST) --kind long -m long

# The property tests on many examples nobody has seen yet.
explore: $(TESTS)
	@$(BIN)/python -m pytest -q -n $(CORES) --dist loadscope -m "not browser and not postgres" --hypothesis-profile=explore tests/data tests/corpora tests/structures tests/learners tests/tuning tests/metrics

# Mutated models, files, scores, constraints and requests: each must be refused or work. MUTANTS=1000 for a first look.
MUTANTS ?= 100000
fuzz: $(TESTS)
	@$(BIN)/python -m tests.fuzz --number $(MUTANTS)

# Kills while annotating, training and uploading, and a full disk: nothing that was acknowledged may be lost.
faults: $(TESTS)
	@$(BIN)/python -m tests.trials.faults

# Twenty people at work for ten minutes: how long things take, what fails, what memory is left.
load: $(TESTS) browser
	@$(BIN)/python -m tests.trials.load --beside

# Something hostile in every field, seen on every page, tab and expander, light and dark.
payloads: $(TESTS) browser
	@$(BIN)/python -m tests.trials.payloads

# Known weaknesses of the locked dependencies; says so where their database cannot be reached.
audit: $(DEV)
	@$(BIN)/python -m tests.trials.audit

# Other Pythons, and the lowest versions that requirements.txt allows.
versions: $(DEV)
	@$(BIN)/python -m tests.trials.versions

lint: $(DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(MAKE) --no-print-directory js-lint

format: $(DEV)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(MAKE) --no-print-directory js-format

# The scripts and style sheets of the components. The app needs no npm, and neither do its tests.
ifeq ($(shell command -v npm 2>/dev/null),)
js-lint js-format:
	@echo "npm is not installed, so the JavaScript of ui/components is left unchecked"
else
js-lint js-format: js-%: $(NODE)
	@npm run --silent $*

$(NODE): package.json package-lock.json
	@echo "installing what checks the JavaScript (once)"
	@npm ci --loglevel=error --no-progress
	@touch $@
endif

bench: $(DEV) browser
	@$(BIN)/python -m benchmarks

# Every benchmark at a reduced size, to see that it runs to its end; the numbers mean little.
bench-quick: $(DEV) browser
	@$(BIN)/python -m benchmarks --quick

# Memory, processes and a cluster over many documents; MILLION=1 also decides a million texts.
bench-scale: $(DEV)
	@$(BIN)/python -m benchmarks.bench_scale $(if $(MILLION),--million)

# What `pip install` takes: one file in dist/.
wheel: $(DEV)
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

# The guide as a site, in site/; it needs no network, and neither does who reads it.
docs: $(DEV)
	@$(BIN)/python docs/write_reference.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# Exact versions with hashes, for installations that must be the same everywhere.
lock: $(DEV)
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		requirements.txt --output-file requirements.lock

# Plants known bugs one at a time and shows that the suite catches each.
mutants: $(TESTS)
	@$(BIN)/python tests/mutants.py

screenshots: $(TESTS) browser
	@ESPALIER_SCREENSHOTS=1 $(BIN)/python -m pytest -q -m browser

clean:
	rm -rf $(VENV) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Espalier needs Python 3.11 or newer; set PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python3 cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 1; }

$(RUNTIME): requirements.txt | $(VENV)/bin/python
	@echo "installing what the app needs (once)"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements.txt
	@touch $@

$(TESTS): requirements.txt requirements-test.txt | $(VENV)/bin/python
	@echo "installing what the tests need (once)"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements-test.txt
	@touch $(RUNTIME) $@

$(DEV): requirements.txt requirements-test.txt requirements-dev.txt | $(VENV)/bin/python
	@echo "installing what lint, benchmarks and all tests need (once)"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -r requirements-dev.txt
	@touch $(RUNTIME) $(TESTS) $@
