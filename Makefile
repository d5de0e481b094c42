# Everything stands on `.venv`: each target makes it when it is missing or the lock has changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One more than there are cores, since many tests wait for servers; eight at most. More browsers at once only hinder each other.
WORKERS := $(shell $(PYTHON) -c 'import os; print(min((os.cpu_count() or 1) + 1, 8))')

.PHONY: setup demo test browser shots lint types docs bench ratios million growth benchmark learn mutants accuracy agents fuzz torture soak cluster lock clean help tenmillion

help: ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## make the environment in .venv

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "interlock needs Python 3.11 or newer, found " + sys.version.split()[0] + ": run `make PYTHON=python3.12 …`" or 0)'
	@echo "setting up $(VENV) (once, about a minute)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m interlock.knowledge.compile
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib src || true
	@touch $@

demo: $(READY) ## play a short agent session through the engine
	@$(BIN)/interlock demo

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY)
	@$(BIN)/mypy

browser: $(READY) ## find a Chromium for the tests of the pages, or install one
	@$(BIN)/python -m tests.browser.chromium

# The types are checked while the tests run, since many tests wait; the report is shown after theirs.
# Bytecode is kept even where the environment says not to: the tests start hundreds of processes, which would compile anew.
test: export PYTHONDONTWRITEBYTECODE :=
test: lint browser ## lint, types, tests
	@report=$$(mktemp); $(BIN)/mypy >$$report 2>&1 & types=$$!; \
	trap 'kill $$types; rm -f $$report' INT TERM; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder; tests=$$?; \
	wait $$types; status=$$?; cat $$report; rm -f $$report; \
	test $$tests -eq 0 && exit $$status; exit $$tests

shots: browser ## make the pictures in docs/pictures anew
	@all=$$(mktemp -d) && INTERLOCK_SHOTS=$$all $(BIN)/python -m pytest tests/browser && \
		for one in docs/pictures/*.png; do cp $$all/$$(basename $$one) $$one || exit 1; done && echo "all pictures: $$all"

docs: $(READY) ## write docs/rules.md, docs/vocabulary.md, docs/services.md, docs/glossary.md and the requirements of rules anew
	@$(BIN)/python -m interlock.rules.requirements_list src/interlock/rules/requirements.py
	@$(BIN)/python -m interlock.rules.reference docs/rules.md
	@$(BIN)/python -m interlock.rules.vocabulary docs/vocabulary.md
	@$(BIN)/python -m interlock.knowledge.services_page docs/services.md
	@$(BIN)/python -m interlock.glossary docs/glossary.md

bench: $(READY) ## measure the engine, as ratios to a bare parse, fourteen regexes, and other guards
	@$(BIN)/python -m bench.bench

ratios: $(READY) ## measure the engine on the texts in bench/texts alone
	@$(BIN)/python -m bench.ratios

million: $(READY) ## time every page of a server whose store holds a million actions
	@$(BIN)/python -m bench.serving million

tenmillion: $(READY) ## time every page and the rate of writing with ten million actions in PostgreSQL
	@$(BIN)/python -W ignore -m bench.ten_million

growth: $(READY) ## measure what one and four servers record in a PostgreSQL that is 5 ms away
	@$(BIN)/python -W ignore -m bench.growth

benchmark: $(READY) ## write anew which rows of the benchmark are judged wrong
	@$(BIN)/python -m tests.benchmark

learn: $(READY) ## train the second opinions on the published benchmark
	@$(BIN)/python -m bench.learn benchmark
	@$(BIN)/python -m bench.learn_calls benchmark

mutants: $(READY) ## empty each entry of the knowledge in turn: an example has to notice
	@$(BIN)/python -m tests.knowledge.mutants
	@$(BIN)/python -m tests.knowledge.fine_mutants

CORPUS ?= benchmark

accuracy: $(READY) ## measure on labelled actions: make accuracy, or make accuracy CORPUS=rows.jsonl
	@$(BIN)/interlock accuracy "$(CORPUS)" $(if $(PAGE),--page "$(PAGE)")

agents: $(READY) ## run real coding agents, with a model that does as it is told: make agents AGENTS=codex
	@$(BIN)/python -m trials.agents $(AGENTS)

SECONDS ?= 60

fuzz: $(READY) ## try mutated inputs on every analyser: make fuzz SECONDS=600
	@$(BIN)/python fuzz/fuzz.py --seconds $(SECONDS)

torture: $(READY) ## kill writers, fill the disk, restart PostgreSQL: nothing that was answered may be lost
	@$(BIN)/python -W ignore -m torture.torture all --kills 200 --restarts 10
	@$(BIN)/python -W ignore -m torture.torture kill --kills 200 --postgres

MINUTES ?= 60

soak: $(READY) ## an hour of load with kills, restarts, a full disk and a slow database: make soak MINUTES=15
	@$(BIN)/python -W ignore -m torture.soak --minutes $(MINUTES)

# An environment of its own, because Ray is large and nothing else needs it.
cluster: ## replay on a Ray cluster of two nodes, and kill one in the middle: make cluster ACTIONS=20000
	@test -d .venv-ray || { $(PYTHON) -m venv .venv-ray && .venv-ray/bin/python -m pip install --quiet --editable '.[ray]'; }
	@.venv-ray/bin/python -m torture.ray_cluster

lock: $(READY) ## resolve the dependencies anew, for every platform, with hashes
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --no-emit-find-links --extra dev --output-file requirements.lock pyproject.toml

clean: ## remove what the targets made
	rm -rf $(VENV) .venv-peers .venv-ray .trials .mypy_cache .ruff_cache .pytest_cache .hypothesis
