# The words of this project. `make` alone lists them.
PYTHON ?=
PORT ?=
JOBS ?= 2
KIND ?= training
DAY ?= $(shell date +%F)
PY := .venv/bin/python
MYPY_ROOMS := pricing planner bench tools tests
# Modules that are compiled anew for every process cost each of them seconds.
unexport PYTHONDONTWRITEBYTECODE
# Matrices here are small: threads of their own cost more than they gain.
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help app team test quick golden lint format bench bench-peers calibrate live stale lock clean venv dev

help: ## list these words
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

app: venv ## serve the app on this machine and print its address (PORT=9000 to choose)
	@exec $(PY) tools/serve.py "$(PORT)"

team: venv ## serve many people: SERVERS=2 plain servers behind HAProxy (TLS_CERTIFICATE=file.pem)
	@exec $(PY) tools/team.py "$(PORT)"

test: JOBS = 3
test: dev ## everything CI checks: style, types, all tests, the browser's too (JOBS=4 for more at once)
	@$(PY) -m tests.browser.chromium
	@$(PY) -m tests.team
	@found=$$(mktemp); $(MAKE) --no-print-directory lint >"$$found" 2>&1 & linted=$$!; \
	$(PY) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder; passed=$$?; \
	wait $$linted; clean=$$?; cat "$$found"; rm "$$found"; exit $$((passed + clean))

quick: dev ## the tests that need no browser and no patience, in under a minute
	@budget=$$(mktemp); $(PY) -m tests.budget >"$$budget" & measured=$$!; \
	$(PY) -m pytest -n $(JOBS) --dist loadfile --ignore=tests/browser -m "not slow" --hypothesis-profile=quick; passed=$$?; \
	wait $$measured; within=$$?; cat "$$budget"; rm "$$budget"; exit $$((passed + within))

golden: dev ## write the expected text of every preset anew (tests/golden); read the difference before you commit it
	$(PY) -m tests.golden

lint: dev ## ruff and mypy (of the tests: names that are gone)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy $(MYPY_ROOMS)

format: dev ## put every Python file in the project's form
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: venv ## what is measured: loading, asking
	@$(PY) -m bench

bench-peers: venv ## other programs that predict speed on the same published runs, each in its own environment
	@$(PY) -m bench.peers

calibrate: venv ## fit the constants of the speed models to the published runs (KIND=serving or training)
	@$(PY) -m tools.calibrate $(KIND)

live: venv ## what real sources of prices send, against their recorded replies (needs the network; SOURCE=vast for one)
	@$(PY) tools/live.py $(SOURCE)

stale: venv ## figures nobody has looked at for too long, what moves the presets most first (DAY=2026-11-21 for a day)
	@$(PY) -m planner stale --day "$(DAY)"

lock: dev ## pin every package with hashes anew, and list what is installed with its licence (needs the network)
	@sh tools/lock.sh

clean: ## remove what can be made again, .venv included
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv:
	@PYTHON="$(PYTHON)" sh tools/venv.sh requirements.txt

dev:
	@PYTHON="$(PYTHON)" sh tools/venv.sh requirements-dev.txt
