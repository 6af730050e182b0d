# SPDX-License-Identifier: GPL-3.0-or-later
"""Constants that `bench --constants` finds and changes."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench.constants.inventory import constants_in

ROOT = Path(__file__).parents[1]
MODULE = """FACTOR = 0.5
BELOW: float = -2.0
COUNT = 3
PAIR = (1.0, 2.0)
TWICE = 2.0 * FACTOR


def scaled(value: float, factor: float = FACTOR) -> float:
    return value * factor
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return the folder of a package in which one module uses another's constant."""
    folder = tmp_path / "numbers_of"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "first.py").write_text(MODULE)
    (folder / "second.py").write_text("from .first import COUNT, FACTOR\nUSED = FACTOR\n")
    return folder


def test_a_constant_is_a_name_bound_to_one_number(package: Path) -> None:
    found = {(constant.module, constant.name): constant.value for constant in constants_in(package)}
    assert found == {("first", "FACTOR"): 0.5, ("first", "BELOW"): -2.0, ("first", "COUNT"): 3}


def test_changed_constant_reaches_defaults_imports_and_derived_values(package: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from bench.constants.inventory import Constant, use_other_value;"
        "use_other_value('numbers_of', Constant('first', 'FACTOR', 4.0));"
        "from numbers_of import first, second;"
        "print(first.scaled(1.0), second.USED, first.TWICE, first.COUNT)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(package.parent)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert ran.stdout.split() == ["4.0", "4.0", "8.0", "3"]
