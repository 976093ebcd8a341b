# Needs Python 3.11 to 3.13 and make; everything else goes into the private environment .venv.

PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3; do \
	"$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& { echo "$$python"; break; }; done)
BIN := .venv/bin
STAMP := .venv/installed

.PHONY: demo test bench bench-peers check clean

demo: $(STAMP)
	$(BIN)/tradebasis demo

test: $(STAMP)
	$(BIN)/python -m pytest

bench: $(STAMP)
	$(BIN)/python -m bench

# The engines that the replay's speed is compared with, in an environment of their own.
bench-peers: .venv-peers/installed

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

clean:
	rm -rf .venv .venv-peers .pytest_cache .ruff_cache .hypothesis tradebasis.egg-info dbt_project/target dbt_project/logs data/demo

# The stamp is made last, so an installation that was cut short starts over.
$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: no Python 3.11, 3.12 or 3.13 found; install one or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { echo "error: $(PYTHON) does not run, or is no Python 3.11 to 3.13; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	rm -rf .venv
	"$(PYTHON)" -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(STAMP)

.venv-peers/installed: bench/peers.txt
	rm -rf .venv-peers
	"$(PYTHON)" -m venv .venv-peers
	echo '*' > .venv-peers/.gitignore
	.venv-peers/bin/python -m pip install --quiet --require-hashes --requirement bench/peers.txt
	touch $@
