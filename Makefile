# make demo    index the example documents (or DOCS=path) and ask a question (or Q="...")
# make test    lint, types and tests
# make setup   the environment that both use
# make cluster-demo   index DOCS on a cluster of this machine that loses a worker, and compare with one process
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS ?= examples/corpus
STORE ?= .docnav
Q ?= How far does the radio link reach through trees in full leaf?

export HF_HUB_OFFLINE := 1
export DAGSTER_DISABLE_TELEMETRY := 1
export RAGAS_DO_NOT_TRACK := true

.PHONY: setup demo cluster-demo test check clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	# torch first and pinned: a plain request for it would take a CUDA build of several gigabytes
	$(BIN)/pip install --quiet --constraint constraints.txt torch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[pipeline,offline,evaluation,cluster,dev]'
	touch $@

demo: setup
	$(BIN)/docnav index "$(DOCS)" --store "$(STORE)"
	$(BIN)/docnav ask "$(Q)" --store "$(STORE)"

cluster-demo: setup
	$(BIN)/python -m deploy.demo "$(DOCS)"

test: setup check
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .docnav .retrieval_run .mypy_cache .ruff_cache .pytest_cache
