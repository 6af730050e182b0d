# SPDX-License-Identifier: GPL-3.0-or-later
"""The package under test: staged by build.py (PYTHONPATH), otherwise in the source tree."""

import atexit
import gc
import importlib.util
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# Added at the end, so that a staged package takes precedence over the source tree.
sys.path.append(str(ROOT))

# Kept files are signed, with no key of whoever runs the tests.
os.environ.setdefault("GENMM_PREPARATIONS_KEY", "tests")

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    # Each process has a separate profile, since tests write presets and settings there.
    # Blender set it in the process that started this one; commands that tests start would say so.
    os.environ.pop("OCIO", None)
    os.environ["BLENDER_USER_RESOURCES"] = f"{os.environ.get('BLENDER_USER_RESOURCES', 'profile')}-{worker}"
    if importlib.util.find_spec("bpy"):
        import bpy  # noqa: F401  # registers its clean-up, which at times waits forever, so that ours goes before it

    atexit.register(os._exit, 0)

# The same examples are drawn in every run; `python build.py soak` draws new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")

# These tests need a real Blender window (see tests/gui/driving.py) or a browser, and run separately.
collect_ignore = ["gui", "browser"]
if importlib.util.find_spec("bpy") is None:
    collect_ignore.append("addon")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of further runs, in other releases."""
    parser.addoption("--first-cases", action="store_true", help="run one case of each test, unless marked `every_case`")


@pytest.hookimpl(trylast=True)  # after the choice by marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out all but the first case of each test where this is asked for, except those marked `every_case`."""
    if not config.getoption("--first-cases"):
        return
    seen: set[str] = set()
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_further = test in seen and item.get_closest_marker("every_case") is None
        (left if is_further else kept).append(item)
        seen.add(test)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_collection_finish() -> None:
    """Keep Python from looking for garbage among the collected tests, which took a tenth of their time."""
    gc.freeze()


def pytest_report_header() -> list[str]:
    """Return a line on the package under test, and on its Blender."""
    package = importlib.util.find_spec("genmm_addon")
    folders = (package and package.submodule_search_locations) or ["not found"]
    lines = [f"genmm_addon: {folders[0]}"]
    if "addon" in collect_ignore:
        return [*lines, "Blender: none, tests/addon is left out (python build.py test has it)"]
    import bpy

    return [*lines, f"Blender: {bpy.app.version_string}"]
