# SPDX-License-Identifier: GPL-3.0-or-later
"""Public names of core: each is documented with an example that runs."""

import doctest
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genmm_addon import core

SHOWN_BY_THE_PACKAGE = {"Facing", "Settings"}
"""Names whose example is that of the package itself."""
CONSTANTS = {"LARGEST_WEIGHT"}
INSTANCES = {"Motion": "swing", "Prepared": "prepared", "Skeleton": "skeleton", "Synthesis": "result"}
"""Names whose example shows an instance that the package's example made."""


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


@pytest.mark.parametrize("name", sorted(set(core.__all__) - CONSTANTS))
def test_the_example_of_a_public_name_runs(name: str, names: dict[str, Any], tmp_path: Path) -> None:
    text = core.__doc__ if name in SHOWN_BY_THE_PACKAGE else getattr(core, name).__doc__
    test = examples_of(name, text, {**names, "folder": tmp_path})
    used = INSTANCES.get(name, name)
    assert any(re.search(rf"\b{used}\b", example.source) for example in test.examples)
    failed, said = failures_of(test)
    assert failed == 0, said
