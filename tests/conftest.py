# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the tests find the package: staged by build.py (PYTHONPATH), else in the source tree."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# At the end, so that a staged package goes before the source tree.
sys.path.append(str(ROOT))

collect_ignore = ["gui"]  # these need a real Blender window and are run by themselves, see tests/gui/test_window.py
if importlib.util.find_spec("bpy") is None:
    collect_ignore.append("addon")


def pytest_report_header() -> list[str]:
    """Say which package is under test, and in which Blender."""
    package = importlib.util.find_spec("genmm_addon")
    lines = [f"genmm_addon: {next(iter(package.submodule_search_locations), '') if package else 'not found'}"]
    if "addon" in collect_ignore:
        return [*lines, "Blender: none, tests/addon is left out (python build.py test has it)"]
    import bpy

    return [*lines, f"Blender: {bpy.app.version_string}"]
