# Short names of what developers run. Each line works by itself too, in an environment with '.[dev]' (CONTRIBUTING.md).
.DEFAULT_GOAL := help
.PHONY: help install test quick lint format docs serve-docs generated bench package image ci

help:  ## List these targets.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

install:  ## Install the project with its development tools.
	pip install torch==2.13.0 && pip install -e '.[dev]'

test:  ## Run all tests.
	pytest -n 2

quick:  ## Run the quick tests: before every commit.
	pytest -m "not slow" -n 2

lint:  ## Check style, types and the order of imports.
	ruff check .
	ruff format --check .
	mypy
	lint-imports

format:  ## Format the code.
	ruff check --fix .
	ruff format .

docs:  ## Build the documentation into site/.
	mkdocs build --strict

serve-docs:  ## Show the documentation at http://127.0.0.1:8000, and follow changes.
	mkdocs serve

generated:  ## Write the pages and files again that are made from the code.
	python docs/generate_cli.py
	python docs/generate_options.py
	python docs/generate_reliability.py
	python tests/snapshot.py --write

bench:  ## Measure speed against the paper's way and KeyBERT, an hour (benchmarks/README.md says what it needs).
	python benchmarks/run.py

package:  ## Build the wheel and the sdist into dist/, and try both.
	python .ci/packages.py dist

image:  ## Build the image of the server, and try it (needs docker or podman).
	.ci/image

ci:  ## Do all that CI does, in a fresh environment.
	.ci/run
