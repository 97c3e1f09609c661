# Everything a contributor runs. `make` alone lists the targets.
# Needs Python 3.11 or newer and make; all else is installed into .venv.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Byte code is kept whatever the environment says: images set this, and every process would compile all it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup test crash clients check lint types layers proto proto-lint proto-check format tournament strength duplicates cheater significance intervals luck simulate soak bench bench-setup release-api clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.installed ## create .venv with everything in it (again only when the versions change)

# One call of pip without a resolver: server/constraints.txt names every package exactly. Byte code is left to the
# first import, which is faster than compiling all of scipy.
$(VENV)/.pinned: server/constraints.txt
	@set -e; for python in $(PYTHON) python3 python3.11 python3.12 python3.13 python3.14 none; do \
	  if $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then break; fi; \
	done; \
	if [ $$python = none ]; then echo 'make setup needs Python 3.11 or newer with venv (PYTHON=... names one)' >&2; exit 1; fi; \
	[ -x $(BIN)/python ] && $(BIN)/python -m pip --version >/dev/null 2>&1 || $$python -m venv --clear $(VENV)
	@echo 'installing into $(VENV)'
	@$(PIP) install --no-deps --no-compile --requirement server/constraints.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.pinned pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m pip check >$(VENV)/.consistent || { cat $(VENV)/.consistent; exit 1; }
	@touch $@

test: setup ## run all tests (ARGS='-k seat' narrows them, JOBS=0 runs them in one process)
	@$(BIN)/python -m pytest -n $(or $(JOBS),auto) --maxprocesses 8 --dist worksteal $(ARGS)

crash: setup ## kill tournaments and servers twenty times a test, fill a disk (KILLS=50 for more, SEED=2 at other moments)
	@KILLS=$(or $(KILLS),20) $(BIN)/python -m pytest tests/crash -rP $(ARGS)

clients: setup ## build and test the clients in other languages, and their bots (LANGUAGES='go rust' for some)
	@$(BIN)/python clients/build.py $(if $(CI),--all) $(LANGUAGES)
	@LANGUAGES='$(LANGUAGES)' $(BIN)/python -m pytest tests/clients $(ARGS)

check: setup lint types layers proto-lint proto-check ## everything that is checked without running the code

lint: setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: setup
	@$(BIN)/mypy

layers: setup
	@$(BIN)/lint-imports

proto: setup ## write server/lastcard/v1 anew from proto/
	@$(BIN)/python proto/generate.py

proto-check: setup ## prove that server/lastcard/v1 is what proto/ gives
	@$(BIN)/python proto/generate.py --check

proto-lint: setup
	@cd proto && ../$(BIN)/buf lint
	@cd proto && ../$(BIN)/buf format --diff --exit-code
	@if [ -f proto/released/v1.binpb ]; then cd proto && ../$(BIN)/buf breaking --against released/v1.binpb; fi

format: setup ## put Python and .proto files into shape
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format
	@cd proto && ../$(BIN)/buf format --write

tournament: setup ## play the example tournament and print its ranking (ARGS=--resume goes on with one that was stopped)
	@$(BIN)/lastcard tournament run server/examples/friday-cup.toml $(or $(ARGS),--overwrite)

significance: setup ## simulate how often a stop by significance is wrong and what it saves (ARGS='--events 200')
	@$(BIN)/python tests/bench/significance.py $(ARGS)

intervals: setup ## simulate how often the intervals of all figures hold the truth (ARGS='--events 100')
	@PYTHONPATH=tests $(BIN)/python tests/bench/intervals.py $(ARGS)

luck: setup ## play the shipped bots and show what is gained by taking luck out of scores
	@$(BIN)/python tests/bench/luck.py $(ARGS)

strength: setup ## play enough games to show how the shipped bots rank
	@$(BIN)/python tests/bench/strength.py $(ARGS)

duplicates: setup ## measure how many games duplicate deals save, for two and for four players (some minutes)
	@for bots in 'greedy $(MY_BOT)' 'greedy $(MY_BOT) greedy $(MY_BOT)'; do \
	  $(BIN)/lastcard bench duplicates --bots $$bots $(ARGS) || exit 1; echo; \
	done

MY_BOT := clients/python/examples/my_bot.py

cheater: setup ## measure what a bot gains that remembers deals, with and without each protection (half an hour)
	@PYTHONPATH=tests $(BIN)/python -m bench.memory $(ARGS)

simulate: setup ## play SEEDS whole arenas in virtual time, with every fault (FIRST=1, JOBS= one a core)
	@PYTHONHASHSEED=0 PYTHONPATH=tests $(BIN)/python -m simulation.stack $(or $(SEEDS),3000) --first $(or $(FIRST),1) $(if $(JOBS),--jobs $(JOBS))

soak: setup ## keep a server under everything that peers do for ten minutes and say what has grown (SECONDS=60 for fewer)
	@PYTHONPATH=tests $(BIN)/python -m soak $(or $(SECONDS),600)

bench: setup bench-setup ## measure engine, store and service against controls of the same run
	@$(BIN)/lastcard bench engine --control "$(VENV)-bench/bin/python tests/bench/rlcard_games.py"
	@$(BIN)/lastcard bench store
	@$(MAKE) --no-print-directory -C clients/cpp load
	@$(BIN)/lastcard bench service

bench-setup: $(VENV)-bench/.installed ## create .venv-bench with what the benchmarks compare against

$(VENV)-bench/.installed: tests/bench/requirements.txt $(VENV)/.pinned
	@$(BIN)/python -m venv --clear $(VENV)-bench
	@$(VENV)-bench/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --no-compile --requirement $<
	@touch $@

release-api: setup ## freeze proto/ as the released API that later changes may not break
	@mkdir -p proto/released
	@cd proto && ../$(BIN)/buf build --output released/v1.binpb

clean: ## remove .venv, caches and results
	rm -rf $(VENV) $(VENV)-bench build dist results .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find server clients tests proto -name __pycache__ -type d -prune -exec rm -rf {} +
