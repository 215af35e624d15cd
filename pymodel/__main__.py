"""``ecbench``, and ``python -m pymodel``: the command line, from its first moment on."""

import sys


def main() -> None:
    """Exit codes: 0 all passed; 1 something failed; 2 bad input; 130 interrupted, be it while starting."""
    try:
        from pymodel.cli import run_command_line
        code = run_command_line(sys.argv[1:])
    except KeyboardInterrupt:
        print("ecbench: interrupted", file=sys.stderr)
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
