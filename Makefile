# Each target sets up what it needs. `make` alone lists them.
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup run test check fix bench walk lock

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*  ## \(.*\)/\1\t\2/p' Makefile | while IFS='	' read -r name what; do printf '  make %-8s %s\n' "$$name" "$$what"; done

setup:  ## make .venv with everything the other targets need
	@scripts/setup

run: setup  ## serve a hub with demo data at http://127.0.0.1:8000
	@trap 'exit 0' INT; $(BIN)/viva serve --demo  # Ctrl-C is the way to stop it, and no error

test: setup  ## run the whole suite, with PostgreSQL and a browser
	@scripts/need chromium libatomic1 fonts-liberation
	@VIVA_SCREENSHOTS=$${VIVA_SCREENSHOTS:-var/screenshots} $(BIN)/pytest -n 2  # pictures of every page

check: setup  ## lint, format, types, floors, docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/deptry src
	@$(BIN)/pytest -q tests/contracts

fix: setup  ## mend what ruff can mend, and format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: setup  ## run the benchmarks
	@scripts/need wrk
	@$(BIN)/python -m bench

walk: setup  ## write docs/walks.md
	@$(BIN)/python -m tests.walks

lock: setup  ## write requirements.txt and requirements-dev.txt
	@scripts/lock
