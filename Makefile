# Two commands do all set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	"$$p" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$p" && break; done)
VENV := .venv
BIN := $(VENV)/bin
TOOLS := $(CURDIR)/.tools/node_modules/.bin
PROJECTS := .tools/projects
export PATH := $(TOOLS):$(PATH)

.PHONY: demo test lint check bench filters clean lock

demo: $(VENV)/base ## run real code in the sandbox and show what was enforced
	@$(BIN)/python examples/demo.py

test: $(VENV)/test $(PROJECTS)/ready ## install all that the tests need, then lint, check and test
	@sh tools/system-packages
	@$(MAKE) --no-print-directory lint check

lint: $(VENV)/test
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: $(VENV)/test $(PROJECTS)/ready
	@sh tools/check $(BIN)/python $(ARGS)

bench: $(VENV)/test $(PROJECTS)/ready ## the table of docs/benchmarks.md, measured here
	@$(BIN)/python -m benchmarks $(ARGS)

filters: $(VENV)/test ## write the system-call filters anew from their tables
	$(BIN)/python -m windtunnel.sandbox.seccomp

lock: ## pin the requirements anew
	for name in base build test projects; do uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate \
		--no-header --no-emit-index-url --no-emit-find-links requirements/$$name.in -o requirements/$$name.txt; done

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later with venv was found: apt-get install python3-venv"; exit 1; }
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && ! "$(PYTHON)" -c 'import ensurepip' 2>/dev/null; then \
		apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null; fi
	@"$(PYTHON)" -m venv $(VENV)

$(VENV)/base: requirements/build.txt pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/build.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/test: requirements/test.txt $(VENV)/base
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/test.txt
	@touch $@

$(PROJECTS)/ready: requirements/projects.txt | $(VENV)/bin/python
	@$(BIN)/python -m venv --clear --without-pip $(PROJECTS)
	@$(BIN)/python -m pip --python $(PROJECTS)/bin/python install -q --disable-pip-version-check --require-hashes \
		-r requirements/projects.txt
	@touch $@

clean:
	rm -rf $(VENV) .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage dist
