# Each target sets up what it needs. `make` alone lists them.
BIN := .venv/bin
# Python keeps what it has compiled, also where the environment forbids that: every process of a test starts faster.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup run quick test pictures soak coverage check lint types contracts fix bench attack weights vocabulary walk client schema lock

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*  ## \(.*\)/\1\t\2/p' Makefile | while IFS='	' read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done

setup:  ## make .venv with everything the other targets need
	@scripts/setup

run: setup  ## serve a hub with demo data at http://127.0.0.1:8000
	@trap 'exit 0' INT; $(BIN)/viva serve --demo  # Ctrl-C is the way to stop it, and no error

quick: setup  ## the daily loop in under a minute: lint, types and the fast tests, on SQLite
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/pytest -q -n 2 --quick

test: setup  ## run all tests but those of `make check`, also with PostgreSQL, processes and a browser
	@scripts/need chromium-headless-shell libatomic1 fonts-liberation
	@scripts/node_packages
	@# One run, because every process of pytest takes seconds to find the tests. What failed under load is tried again without.
	@# Each process has its own part, so that it starts few hubs; whichever is done first takes from the others.
	@$(BIN)/pytest -q -n 4 --dist worksteal --ignore=tests/contracts --durations=10 || { [ $$? = 1 ] && \
		echo "Once more, each alone. A test that passes only now depends on the load: please report it." && \
		$(BIN)/pytest -q --ignore=tests/contracts --last-failed --last-failed-no-failures=none; }

pictures: setup  ## run the tests of pages, and keep a picture of every page in var/screenshots
	@scripts/need chromium-headless-shell libatomic1 fonts-liberation
	@VIVA_SCREENSHOTS=$${VIVA_SCREENSHOTS:-var/screenshots} $(BIN)/pytest -q -n 4 tests/browser

soak: setup  ## load with faults for SOAK_SECONDS (600), then every kill and race VIVA_ROUNDS times (20)
	@$(BIN)/python -W ignore -m bench soak
	@VIVA_ROUNDS=$${VIVA_ROUNDS:-20} $(BIN)/pytest -n 2 -m soak

coverage: setup  ## run the fast tests, and print which part of the code they run
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -n 2 --quick
	@$(BIN)/coverage combine --quiet
	@echo "The fast tests run $$($(BIN)/coverage report) % of the lines."

check: setup  ## lint, format, types, floors, docs
	@$(MAKE) --no-print-directory --jobs=2 --output-sync types lint contracts

types:
	@$(BIN)/mypy

lint:
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/deptry src

contracts:
	@$(BIN)/pytest -q tests/contracts
	@$(BIN)/pytest -q --collect-only >/dev/null  # every test can be found, and is compiled before many processes want it

fix: setup  ## mend what ruff can mend, and format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: setup  ## run the benchmarks
	@scripts/need wrk
	@$(BIN)/python -m bench

attack: setup  ## measure what others notice while a hub is attacked
	@$(BIN)/python -m bench attack

weights: setup  ## make the learned files of the engine again, from the labelled data in the folder TRUTH
	@$(BIN)/python -m training $${TRUTH:?the folder that holds train/}

vocabulary: setup  ## write the engine's word vectors and vocabularies, from the packages that publish them
	@$(BIN)/python -m generating.vocabulary

walk: setup  ## write docs/walks.md and docs/sip.md, which are made from the code
	@$(BIN)/python -m tests.walks
	@$(BIN)/python -m tests.contracts.test_sip_page

client: setup  ## write the files of viva.client that are made from the routes of the API
	@$(BIN)/python -m generating

schema: setup  ## write the schema of a new SQLite file, which is made from the migrations
	@$(BIN)/python -m generating.schema

lock: setup  ## write requirements.txt and requirements-dev.txt
	@scripts/lock
