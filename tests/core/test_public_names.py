# SPDX-License-Identifier: GPL-3.0-or-later
"""Public names of core and of its packages: each is documented with an example that runs."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from genmm_addon import core

SHOWN_BY_THE_PACKAGE = {"Facing", "Settings"}
"""Names whose example is that of the package itself."""
INSTANCES = {"Motion": "swing", "Prepared": "prepared", "Skeleton": "skeleton", "Synthesis": "result"}
"""Names whose example uses an instance that the package's example made."""


def examples_of(name: str, text: str | None, names: dict[str, Any]) -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest(text or "", names, name, None, None)


def failures_of(test: doctest.DocTest) -> tuple[int, str]:
    said: list[str] = []
    runner = doctest.DocTestRunner()
    return runner.run(test, out=said.append, clear_globs=False).failed, "".join(said)


@pytest.fixture(scope="module")
def package() -> doctest.DocTest:
    return examples_of("core", core.__doc__, {name: getattr(core, name) for name in core.__all__})


@pytest.fixture(scope="module")
def names(package: doctest.DocTest) -> dict[str, Any]:
    failed, said = failures_of(package)
    assert failed == 0, said
    assert package.globs["result"].motion.frames == 90
    return {**package.globs, "np": np}


def offered_by(package: ModuleType) -> list[str]:
    """Return the functions, classes and modules that a package offers; constants are explained at their definition."""
    names = getattr(package, "__all__", ())
    return [name for name in names if isinstance(getattr(package, name), type | FunctionType | ModuleType)]


PACKAGES = [importlib.import_module(f"{core.__name__}.{found.name}") for found in pkgutil.iter_modules(core.__path__)]
OFFERED = [(package, name) for package in (core, *PACKAGES) for name in offered_by(package)]


def _said(value: ModuleType | str) -> str:
    return value if isinstance(value, str) else value.__name__.rpartition(".")[2]


@pytest.mark.every_case
@pytest.mark.parametrize(("module", "name"), OFFERED, ids=_said)
def test_the_example_of_a_public_name_runs(
    module: ModuleType, name: str, names: dict[str, Any], tmp_path: Path
) -> None:
    text = core.__doc__ if name in SHOWN_BY_THE_PACKAGE else getattr(module, name).__doc__
    beside = {other: getattr(module, other) for other in getattr(module, "__all__", ())}
    test = examples_of(name, text, {**names, **beside, "folder": tmp_path})
    used = INSTANCES.get(name, name)
    assert any(re.search(rf"\b{used}\b", example.source) for example in test.examples)
    failed, said = failures_of(test)
    assert failed == 0, said
