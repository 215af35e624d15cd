# make setup   the environment in .venv (idempotent; run and test call it); PYTHON=/path/to/python3 chooses its Python
# make run     XTS, CBC and the other modes through the engine in a simulator; ARGS="--sim icarus --mode xts"
# make test    everything; TESTS="-k NAME --sim icarus" chooses, JOBS=1 runs one after the other
# make nightly   the tests that take too long for make test: some ten minutes more
# make lint    Python and Verilog linters
# make area    LUTs and flip-flops by Yosys, into docs/area.json and the tables made from it; takes minutes
# make registers   what is made from the register map hdl/qce/qce.rdl: constants and docs/registers.md
# make clean   removes builds and caches, keeps .venv

PYTEST = .venv/bin/python -m pytest
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: setup run test nightly lint area registers clean

setup:
	@PYTHON="$(PYTHON)" tools/setup $(if $(filter setup,$(MAKECMDGOALS)),--verbose)

run: setup
	@.venv/bin/ecbench run $(ARGS)

test: setup
	$(PYTEST) -q -n $(JOBS) --dist worksteal $(TESTS)

nightly: setup
	$(PYTEST) -q -n $(JOBS) --dist worksteal -m nightly $(TESTS)

lint: setup
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-cache
	.venv/bin/python -m pymodel.regress.lint

area: setup
	@.venv/bin/python -m pymodel.regress.area

registers: setup
	@.venv/bin/python -m pymodel.regress.registers

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
