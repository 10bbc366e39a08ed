# Needs Python 3.10 to 3.13 and make; everything else is installed into .venv.
#   make run     train the digits classifier (examples/digits.py)
#   make test    every test and doctest
#   make check   before a commit: ruff, mypy --strict, the tiny tests
# Another interpreter: make test PYTHON=python3.12 (the environment is made anew when the version changes).

PYTHON ?= python3
WORKERS ?= 2
N ?= 2000

VENV := .venv
BIN := $(VENV)/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
FRESH := $(VENV)/.python-$(VERSION)

.PHONY: run test check rules bench docs fuzz clean help

help:
	@sed -n '2,4p' Makefile

run: $(VENV)/.examples
	$(BIN)/python examples/digits.py

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.test $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/python -m pytest -q -m tiny

rules: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) tests/rules tests/transforms tests/test_corpus.py -m exhaustive

bench: $(VENV)/.bench
	$(BIN)/python bench/run.py $(BENCH)

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict

fuzz: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) -m fuzz --fuzz-count $(N)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site

$(FRESH):
	@test -n "$(VERSION)" || { echo "$(PYTHON) does not run: say which Python to use, as in: make test PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "adc needs Python 3.10 to 3.13 and $(PYTHON) is $(VERSION); as in: make test PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# One stamp per extra, so that a second run installs nothing. Editable: the tests import the working tree.
$(VENV)/.test $(VENV)/.examples $(VENV)/.bench $(VENV)/.docs $(VENV)/.dev: $(VENV)/.%: $(FRESH) pyproject.toml
	@echo "installing adc and its $* requirements into $(VENV) (a minute or two)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$*]'
	@touch $@
